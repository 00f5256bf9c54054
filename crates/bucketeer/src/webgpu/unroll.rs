//! Writes out the loops of a shader that are marked `// unroll`.
//!
//! A limb that is indexed by a constant can stay in a register; compilers of shaders do not unroll
//! loops of this length by themselves. A marked loop runs from a literal or a constant of the
//! prelude to another, in steps of one, and ends at the brace in the column where it began.

/// The shader with its marked loops written out; `constants` are the bounds it may name.
pub(crate) fn unroll(shader: &str, constants: &[(&str, u32)]) -> String {
    let mut out = String::with_capacity(4 * shader.len());
    let mut lines = shader.lines();
    while let Some(line) = lines.next() {
        let Some(head) = Head::parse(line, constants) else {
            out += line;
            out.push('\n');
            continue;
        };
        let end = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != end).collect();
        for value in head.first..head.end {
            out += "{\n";
            for line in &body {
                replace_word(line, head.variable, value, &mut out);
            }
            out += "}\n";
        }
    }
    out
}

/// The first line of a marked loop.
struct Head<'a> {
    variable: &'a str,
    first: u32,
    end: u32,
}

impl<'a> Head<'a> {
    /// `for (var k = 0u; k < LIMBS; k++) { // unroll`
    fn parse(line: &'a str, constants: &[(&str, u32)]) -> Option<Self> {
        let text = line.trim().strip_suffix("// unroll")?.trim().strip_prefix("for (var ")?;
        let (variable, rest) = text.split_once(" = ")?;
        let (first, rest) = rest.split_once("; ")?;
        let (condition, _) = rest.split_once("; ")?;
        let (_, end) = condition.split_once(" < ")?;
        let bound = |text: &str| {
            let known = constants.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
            known.or_else(|| text.trim_end_matches('u').parse().ok())
        };
        Some(Self { variable, first: bound(first)?, end: bound(end)? })
    }
}

/// Copies a line with every occurrence of a variable replaced by a number.
fn replace_word(line: &str, variable: &str, value: u32, out: &mut String) {
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = line;
    while let Some(at) = rest.find(variable) {
        let (before, found) = rest.split_at(at);
        let after = &found[variable.len()..];
        out.push_str(before);
        let inside = before.ends_with(in_word) || after.starts_with(in_word);
        if inside {
            out.push_str(variable);
        } else {
            *out += &format!("{value}u");
        }
        rest = after;
    }
    out.push_str(rest);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::unroll;

    #[test]
    fn marked_loops_are_written_out_and_others_stay() {
        let shader = "\
fn f() {
    for (var k = 1u; k < LIMBS; k++) { // unroll
        t[k - 1u] = back[k];
    }
    for (var i = 0u; i < LIMBS; i++) {
        g(i);
    }
}
";
        let expected = "\
fn f() {
{
        t[1u - 1u] = back[1u];
}
{
        t[2u - 1u] = back[2u];
}
    for (var i = 0u; i < LIMBS; i++) {
        g(i);
    }
}
";
        assert_eq!(unroll(shader, &[("LIMBS", 3)]), expected);
    }
}

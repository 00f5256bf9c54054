//! `bucketeer inspect`: what a file holds, and the options to use it with.

use std::path::{Path, PathBuf};

use bucketeer::io::{self, Contents, Holds, Inspection};
use serde_json::{Map, Value, json};

use crate::output::{self, Outcome, Table};
use crate::units;

#[derive(clap::Args)]
pub struct Args {
    /// File: .ptau, .zkey, .wtns, .r1cs, arkworks, JSON, gnark, bellman or Ignition
    file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let found = io::inspect(&args.file)?;
    let uses = uses(&args.file, &found);
    if args.json { output::json(&object(&args.file, &found, uses)) } else { Ok(text(args, &found)) }
}

fn object(path: &Path, found: &Inspection, uses: Vec<String>) -> Value {
    let facts: Map<String, Value> =
        found.facts.iter().map(|(name, value)| ((*name).into(), number(value))).collect();
    json!({
        "file": path.display().to_string(),
        "format": found.format,
        "description": found.description,
        "bytes": found.bytes,
        "facts": facts,
        "contents": found.contents,
        "use": uses,
    })
}

/// Numbers as numbers, anything else as text.
fn number(value: &str) -> Value {
    value.parse::<u64>().map_or_else(|_| value.into(), Into::into)
}

fn text(args: &Args, found: &Inspection) -> String {
    let path = args.file.display();
    let mut out = format!("{path}: {}, {}\n", found.description, units::bytes(found.bytes.into()));
    for (name, value) in &found.facts {
        out += &format!("{name}: {value}\n");
    }
    if !found.contents.is_empty() {
        out += &format!("\n{}", table(found));
    }
    let uses = uses(&args.file, found);
    if !uses.is_empty() {
        out += &format!("\n{}\n", uses.join("\n"));
    }
    out
}

/// One row per section, or per curve that a vector can be of.
fn table(found: &Inspection) -> String {
    let sections = found.contents.iter().any(|part| part.kind.is_some());
    let headings: &[&str] = match sections {
        true => &["type", "section", "holds", "curve", "count", "bytes"],
        false => &["holds", "curve", "encoding", "count"],
    };
    let mut table = Table::new(headings, headings.len() - if sections { 2 } else { 1 });
    for part in &found.contents {
        let curve = part.curve.unwrap_or("").to_owned();
        let count = part.count.map_or(String::new(), |count| count.to_string());
        let name = match (part.name, part.powers) {
            (Some(name), Some(last)) => format!("{name}:0 … {name}:{last}"),
            (name, _) => name.unwrap_or("").into(),
        };
        table.row(match part.kind {
            Some(kind) => {
                let bytes = units::bytes(part.bytes.into());
                vec![kind.to_string(), name, holds(part).into(), curve, count, bytes]
            }
            None => vec![holds(part).into(), curve, part.encoding.unwrap_or("").into(), count],
        });
    }
    table.text()
}

fn holds(part: &Contents) -> &'static str {
    match part.holds {
        Holds::Bases => "bases",
        Holds::Scalars => "scalars",
        Holds::Other => "",
    }
}

/// Commands that use the file.
fn uses(path: &Path, found: &Inspection) -> Vec<String> {
    let path = path.display();
    if found.format == "json" {
        let both = [Holds::Bases, Holds::Scalars]
            .iter()
            .all(|kind| found.contents.iter().any(|part| part.holds == *kind));
        let curve = found.contents.iter().any(|part| part.curve.is_some());
        let curve = if curve { "" } else { " --curve CURVE" };
        return both.then(|| format!("bucketeer msm{curve} --input {path}")).into_iter().collect();
    }
    if found.format == "table" {
        return vec![format!("bucketeer msm --table {path}")];
    }
    let mut uses = Vec::new();
    let scalars = found.contents.iter().filter(|part| part.holds == Holds::Scalars);
    let mut curves: Vec<_> = scalars.filter_map(|part| part.curve).collect();
    if curves.len() > 1 {
        curves = vec!["CURVE"];
    }
    uses.extend(
        curves
            .iter()
            .map(|curve| format!("bucketeer msm --curve {curve} --bases FILE --scalars {path}")),
    );
    // One command for each curve shows how; the table has the other sections.
    let mut shown = Vec::new();
    let bases = found.contents.iter().filter(|part| part.holds == Holds::Bases);
    for part in bases.filter(|part| part.name != Some("ic")) {
        let Some(curve) = part.curve.filter(|curve| !shown.contains(curve)) else { continue };
        shown.push(curve);
        let section = part.name.map_or(String::new(), |name| format!(" --section {name}"));
        uses.push(format!("bucketeer msm --curve {curve} --bases {path}{section}"));
    }
    let groth16 = found.facts.iter().any(|(_, value)| value == "groth16");
    if groth16 {
        uses.push(format!("bucketeer prove {path} WITNESS.wtns proof.json public.json"));
    }
    uses
}

//! Parses and formats sizes, bytes, times and rates.

/// `1000` or `2^20`.
pub fn parse_size(text: &str) -> Result<usize, String> {
    let expected = || format!("expected an integer or a power of two like 2^20, not \"{text}\"");
    let too_large = || format!("{text} is too large for this machine's addresses");
    match text.split_once('^') {
        Some(("2", exponent)) => {
            let exponent: u32 = exponent.parse().map_err(|_| expected())?;
            1usize.checked_shl(exponent).ok_or_else(too_large)
        }
        Some(_) => Err(expected()),
        None if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
            text.parse().map_err(|_| too_large())
        }
        None => Err(expected()),
    }
}

/// Sizes to sweep: `1000,2^14` or `2^10..2^20`, both ends included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sweep {
    /// These sizes.
    List(Vec<usize>),
    /// Powers of two between these exponents.
    Range(u32, u32),
}

impl Sweep {
    /// Parses a list or a range.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((first, last)) = text.split_once("..") else {
            return text.split(',').map(parse_size).collect::<Result<_, _>>().map(Self::List);
        };
        let (first, last) = (parse_size(first)?, parse_size(last)?);
        if !first.is_power_of_two() || !last.is_power_of_two() || first > last {
            return Err(format!("the ends of {text} must be rising powers of two"));
        }
        Ok(Self::Range(first.ilog2(), last.ilog2()))
    }

    /// The sizes, every `step`-th power of two of a range.
    pub fn sizes(&self, step: u32) -> Vec<usize> {
        match self {
            Self::List(sizes) => sizes.clone(),
            Self::Range(first, last) => {
                (*first..=*last).step_by(step.max(1) as usize).map(|k| 1 << k).collect()
            }
        }
    }
}

const UNITS: [&str; 8] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB"];

/// `4096`, `512MiB`, `4GiB`.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let expected = || format!("expected bytes like 512MiB or 4GiB, not \"{text}\"");
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().map_err(|_| expected())?;
    let unit = text[digits..].trim();
    let power = match unit {
        "" => 0,
        unit => UNITS.iter().position(|u| u.eq_ignore_ascii_case(unit)).ok_or_else(expected)?,
    };
    let bytes = 1u64.checked_shl(10 * power as u32).and_then(|unit| number.checked_mul(unit));
    bytes.ok_or_else(|| format!("{text} is more than 64 bits can count"))
}

/// Parses a length of time in seconds.
pub fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        _ => Err(format!("{text} is not a number of seconds")),
    }
}

/// `90s`, `10m`, `1h`.
pub fn parse_duration(text: &str) -> Result<std::time::Duration, String> {
    let expected = || format!("expected a time like 90s, 10m or 1h, not \"{text}\"");
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let unit = match &text[digits..] {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(expected()),
    };
    let number: u64 = text[..digits].parse().map_err(|_| expected())?;
    let seconds = number.checked_mul(unit).filter(|seconds| (1..=7 * 86400).contains(seconds));
    seconds
        .map(std::time::Duration::from_secs)
        .ok_or_else(|| format!("{text} is not from 1s to 168h"))
}

/// Bytes in the largest binary unit that fits.
pub fn bytes(count: u128) -> String {
    let unit = (count.max(1).ilog2() as usize / 10).min(UNITS.len() - 1);
    match unit {
        0 => format!("{count} B"),
        _ => format!("{:.1} {}", count as f64 / (1u128 << (10 * unit)) as f64, UNITS[unit]),
    }
}

/// A size; large powers of two as 2^k.
pub fn size(n: usize) -> String {
    if n >= 1024 && n.is_power_of_two() { format!("2^{}", n.ilog2()) } else { n.to_string() }
}

/// Seconds in a suitable unit, with about three significant digits.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 100.0 => format!("{s:.0} s"),
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 0.1 => format!("{:.0} ms", s * 1e3),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.0} µs", s * 1e6),
    }
}

/// A count or rate with three significant digits and a decimal prefix.
pub fn count(count: f64) -> String {
    let (value, prefix) = match count {
        c if c >= 1e9 => (c / 1e9, " G"),
        c if c >= 1e6 => (c / 1e6, " M"),
        c if c >= 1e3 => (c / 1e3, " k"),
        c => (c, ""),
    };
    match value {
        v if v >= 100.0 => format!("{v:.0}{prefix}"),
        v if v >= 10.0 => format!("{v:.1}{prefix}"),
        v => format!("{v:.2}{prefix}"),
    }
}

/// A number with about four significant digits.
pub fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 1000.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.1 => format!("{value:.3}"),
        _ => format!("{value:.5}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_integers_and_powers_of_two() {
        assert_eq!(parse_size("1000"), Ok(1000));
        assert_eq!(parse_size("2^20"), Ok(1 << 20));
        assert_eq!(parse_size("0"), Ok(0));
        for bad in ["", "-1", "+1", "2^", "3^4", "2^64", "2^-1", "1e6", "99999999999999999999"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sweeps_are_lists_and_ranges() {
        let sizes = |text: &str, step| Sweep::parse(text).map(|sweep| sweep.sizes(step));
        assert_eq!(sizes("2^3..2^8", 2), Ok(vec![8, 32, 128]));
        assert_eq!(sizes("2^3..2^3", 2), Ok(vec![8]));
        assert_eq!(sizes("1..4", 1), Ok(vec![1, 2, 4]));
        assert_eq!(sizes("10,2^3", 2), Ok(vec![10, 8]));
        for bad in ["2^8..2^3", "3..8", "..", "2^3..", "1,,2", ""] {
            assert!(Sweep::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn bytes_have_binary_units() {
        assert_eq!(parse_bytes("512MiB"), Ok(512 << 20));
        assert_eq!(parse_bytes("4gib"), Ok(4 << 30));
        assert_eq!(parse_bytes("17"), Ok(17));
        for bad in ["", "GiB", "1.5GiB", "4GB", "-1", "16EiB", "99999999999GiB", "1ZiB"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(3 << 70), "3.0 ZiB");
    }
}

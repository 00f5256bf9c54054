//! Rates as text: one `section.name = value  # unit` a line.
//!
//! Names that a file leaves out keep their built-in values. Empty lines and whatever follows a `#`
//! are skipped.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Rate, Rates, Section};
use crate::Error;

/// Name of the environment variable that names a file of rates.
const VARIABLE: &str = "BUCKETEER_RATES";

/// Every section with its name; `$borrow` is `&` or `&mut`.
macro_rules! sections {
    ($rates:ident, $($borrow:tt)+) => {
        [
            ("ifma.4", $($borrow)+ $rates.ifma.words4),
            ("ifma.6", $($borrow)+ $rates.ifma.words6),
            ("ifma.12", $($borrow)+ $rates.ifma.words12),
            ("ifma.4x2", $($borrow)+ $rates.ifma.words4x2),
            ("ifma.6x2", $($borrow)+ $rates.ifma.words6x2),
            ("portable.4", $($borrow)+ $rates.portable.words4),
            ("portable.6", $($borrow)+ $rates.portable.words6),
            ("portable.12", $($borrow)+ $rates.portable.words12),
            ("portable.4x2", $($borrow)+ $rates.portable.words4x2),
            ("portable.6x2", $($borrow)+ $rates.portable.words6x2),
            ("other_fields", $($borrow)+ $rates.other_fields),
            ("arkworks", $($borrow)+ $rates.arkworks),
            ("straus", $($borrow)+ $rates.straus),
            ("decompose", $($borrow)+ $rates.decompose),
            ("group", $($borrow)+ $rates.group),
            ("in_place", $($borrow)+ $rates.in_place),
            ("tables", $($borrow)+ $rates.tables),
            ("reach", $($borrow)+ $rates.reach),
            ("passes", $($borrow)+ $rates.passes),
            ("cuda", $($borrow)+ $rates.cuda),
            ("webgpu", $($borrow)+ $rates.webgpu),
        ]
    };
}

impl Rates {
    /// Every rate, in the order of the file.
    pub fn list(&self) -> Vec<Rate> {
        let sections: [(_, &dyn Section); _] = sections!(self, &);
        let rates = sections.into_iter().flat_map(|(section, rates)| {
            let rate = move |(name, unit, value)| Rate { section, name, unit, value };
            rates.list().into_iter().map(rate)
        });
        rates.collect()
    }

    /// Sets the rate with this full name, such as `ifma.4.addition`.
    ///
    /// Fails with [`Error::UnknownName`], or with [`Error::InvalidSetting`] for values that are not
    /// positive and finite.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), Error> {
        let (section, rate) = name.rsplit_once('.').unwrap_or(("", name));
        let sections: [(_, &mut dyn Section); _] = sections!(self, &mut);
        let found = sections.into_iter().find(|(name, _)| *name == section);
        let Some(slot) = found.and_then(|(_, rates)| rates.get_mut(rate)) else {
            let expected = Self::built_in().list().iter().map(Rate::full_name).collect::<Vec<_>>();
            let expected = expected.join(", ");
            return Err(Error::UnknownName { what: "rate", name: name.into(), expected });
        };
        if !(value.is_finite() && value > 0.0) {
            return Err(Error::InvalidSetting {
                setting: "rate",
                value: value.to_string(),
                reason: format!("{name} must be positive and finite"),
            });
        }
        *slot = value;
        Ok(())
    }

    /// Reads a file; see [`parse`](Self::parse).
    pub fn read(path: &Path) -> Result<Self, Error> {
        let fault = |reason: String| Error::File { path: path.into(), reason };
        let text = text(path).map_err(|error| fault(error.to_string()))?;
        Self::parse(&text).map_err(fault)
    }

    /// Reads the file that the environment variable `BUCKETEER_RATES` names, if it is set.
    pub fn from_environment() -> Result<Option<Self>, Error> {
        let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
        path.map(|path| Self::read(&PathBuf::from(path))).transpose()
    }

    /// Reads rates as [`Display`](fmt::Display) writes them. What the text leaves out is built in;
    /// an error names the line.
    ///
    /// ```
    /// use bucketeer::Rates;
    /// let rates = Rates::parse("ifma.4.addition = 35.5  # ns\n")?;
    /// assert_eq!(Rates::parse(&rates.to_string())?, rates);
    /// assert!(Rates::parse("ifma.4.addition = fast").unwrap_err().starts_with("line 1: "));
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rates = *Self::built_in();
        let mut seen: Vec<(&str, usize)> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let fault = |reason: String| format!("line {number}: {reason}");
            let Some((name, value)) = line.split_once('=') else {
                return Err(fault(format!("{line:?} is not of the form name = value")));
            };
            let (name, value) = (name.trim(), value.trim());
            if let Some((_, first)) = seen.iter().find(|(other, _)| *other == name) {
                return Err(fault(format!("{name} is set in line {first} already")));
            }
            let number_of = value.parse::<f64>();
            let value =
                number_of.map_err(|_| fault(format!("{name} = {value:?} is not a number")))?;
            rates.set(name, value).map_err(|error| match error {
                Error::UnknownName { .. } => fault(format!("unknown rate {name:?}")),
                _ => fault(format!("{name} = {value} is not positive and finite")),
            })?;
            seen.push((name, number));
        }
        Ok(rates)
    }
}

impl Rate {
    /// Section and name, such as `ifma.4.addition`.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list().iter().try_for_each(|rate| {
            writeln!(f, "{} = {}  # {}", rate.full_name(), rate.value, rate.unit)
        })
    }
}

/// The text of a file of some thousand bytes; one without end is an error.
fn text(path: &Path) -> io::Result<String> {
    const MOST: u64 = 1 << 20;
    let mut text = String::new();
    if File::open(path)?.take(MOST + 1).read_to_string(&mut text)? as u64 > MOST {
        return Err(io::Error::other("longer than any file of rates"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back_is_the_same() {
        let mut rates = *Rates::built_in();
        assert_eq!(Rates::parse(&rates.to_string()), Ok(rates));
        for rate in Rates::built_in().list() {
            assert!(rate.value.is_finite() && rate.value > 0.0, "{}", rate.full_name());
            assert_eq!(rates.set(&rate.full_name(), rate.value / 3.0), Ok(()));
        }
        assert_eq!(Rates::parse(&rates.to_string()), Ok(rates));
        assert_eq!(Rates::parse("# nothing\n\n"), Ok(*Rates::built_in()));
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = Rates::built_in().list().iter().map(Rate::full_name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn faults_name_their_line() {
        for (text, fault) in [
            ("\nifma.4.addition 3", "line 2: \"ifma.4.addition 3\" is not of the form"),
            ("ifma.4.addition =  # ns", "line 1: ifma.4.addition = \"\" is not a number"),
            ("cuda.pass = soon", "line 1: cuda.pass = \"soon\" is not a number"),
            ("cuda.pass = 0", "line 1: cuda.pass = 0 is not positive"),
            ("cuda.pass = -1", "line 1: cuda.pass = -1 is not positive"),
            ("cuda.pass = NaN", "line 1: cuda.pass = NaN is not positive"),
            ("cuda.pass = 1e999", "line 1: cuda.pass = inf is not positive"),
            ("#\n#\ncuda.speed = 1", "line 3: unknown rate \"cuda.speed\""),
            ("= 1", "line 1: unknown rate \"\""),
            ("cuda.pass = 1\ncuda.pass = 2", "line 2: cuda.pass is set in line 1 already"),
        ] {
            let error = Rates::parse(text).expect_err(text);
            assert!(error.starts_with(fault), "{error}");
        }
    }
}

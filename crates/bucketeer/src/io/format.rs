//! Detects the format of a file.
//!
//! A snarkjs file begins with a magic word, a JSON file with a brace. An arkworks file begins with
//! the number of elements, and its length determines the encoding. If the lowest byte of that
//! number is a brace, the zeros in its higher bytes tell it from JSON.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::source::{ByteRange, ByteSource};
use super::{Malformed, arkworks};
use crate::curves::{NamedCurve, Visitor};
use crate::{Curve, Error};

/// The two encodings of arkworks' canonical serialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// One coordinate and a sign. Reading costs a square root per point.
    Compressed,
    /// Both coordinates.
    Uncompressed,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compressed => "compressed",
            Self::Uncompressed => "uncompressed",
        })
    }
}

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// arkworks' canonical serialisation of a vector.
    Arkworks(Encoding),
    /// The JSON form for small inputs.
    Json,
    /// snarkjs' powers of tau.
    Ptau,
    /// snarkjs' proving key for Groth16.
    Zkey,
    /// snarkjs' witness: scalars.
    Wtns,
}

impl Format {
    /// All formats, with their names.
    pub const ALL: [(&'static str, Self); 6] = [
        ("arkworks-compressed", Self::Arkworks(Encoding::Compressed)),
        ("arkworks-uncompressed", Self::Arkworks(Encoding::Uncompressed)),
        ("json", Self::Json),
        ("ptau", Self::Ptau),
        ("zkey", Self::Zkey),
        ("wtns", Self::Wtns),
    ];

    /// The format with this name.
    ///
    /// ```
    /// use bucketeer::io::Format;
    /// assert_eq!(Format::named("json")?, Format::Json);
    /// assert!(Format::named("yaml").is_err());
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.iter().find(|(own, _)| *own == name);
        found.map(|(_, format)| *format).ok_or_else(|| Error::UnknownName {
            what: "format",
            name: name.into(),
            expected: Self::ALL.map(|(name, _)| name).join(", "),
        })
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::named(name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arkworks(encoding) => write!(f, "arkworks-{encoding}"),
            Self::Json => f.write_str("json"),
            Self::Ptau => f.write_str("ptau"),
            Self::Zkey => f.write_str("zkey"),
            Self::Wtns => f.write_str("wtns"),
        }
    }
}

/// The format of a file of bases on this curve.
pub fn detect(path: &Path, curve: &'static NamedCurve) -> Result<Format, Error> {
    let source = ByteSource::open(path)?;
    detect_range(source.whole(), curve).map_err(|fault| fault.in_file(path))
}

/// The format of a file with these bytes.
pub fn detect_bytes(bytes: &[u8], curve: &'static NamedCurve) -> Result<Format, Malformed> {
    detect_range(ByteSource::from(bytes).whole(), curve)
}

pub(super) fn detect_range(
    file: ByteRange<'_>,
    curve: &'static NamedCurve,
) -> Result<Format, Malformed> {
    struct Detect<'a>(ByteRange<'a>);
    impl Visitor for Detect<'_> {
        type Output = Result<Encoding, Malformed>;
        fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Self::Output {
            arkworks::encoding_of::<C>(self.0, curve)
        }
    }
    match by_content(&file.head(HEAD)?) {
        Some(format) => Ok(format),
        None => Ok(Format::Arkworks(curve.visit(Detect(file))?)),
    }
}

/// Bytes at the start of a file that determine its format.
pub(super) const HEAD: u64 = 1 << 12;

/// The format, if the first bytes determine it. Otherwise it can only be arkworks'.
pub(super) fn by_content(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"ptau") {
        return Some(Format::Ptau);
    }
    if bytes.starts_with(b"zkey") {
        return Some(Format::Zkey);
    }
    if bytes.starts_with(b"wtns") {
        return Some(Format::Wtns);
    }
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let text = !bytes.iter().take(8).any(|&byte| byte == 0);
    (text && first == Some(&b'{')).then_some(Format::Json)
}

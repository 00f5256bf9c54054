//! Detects the format of a file.
//!
//! A snarkjs file begins with a magic word, a JSON file with a brace. An arkworks file begins with
//! the number of elements, and its length determines the encoding. If the lowest byte of that
//! number is a brace, the zeros in its higher bytes tell it from JSON. Files of gnark and of the
//! Ignition ceremony begin with big-endian integers, which their length confirms. Parameters of
//! bellman have only lengths that add up.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::ignition::Manifest;
use super::source::{ByteRange, ByteSource};
use super::table::MAGIC;
use super::{Malformed, arkworks, bellman, gnark};
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
    /// snarkjs' proving key.
    Zkey,
    /// snarkjs' witness: scalars.
    Wtns,
    /// A circuit of circom, with neither bases nor scalars.
    R1cs,
    /// Points of gnark's raw encoding.
    Gnark,
    /// Groth16 parameters of bellman.
    Bellman,
    /// A transcript of Aztec's Ignition ceremony.
    Ignition,
    /// A precomputed table of resident bases.
    Table,
}

impl Format {
    /// All formats, with their names.
    pub const ALL: [(&'static str, Self); 11] = [
        ("arkworks-compressed", Self::Arkworks(Encoding::Compressed)),
        ("arkworks-uncompressed", Self::Arkworks(Encoding::Uncompressed)),
        ("json", Self::Json),
        ("ptau", Self::Ptau),
        ("zkey", Self::Zkey),
        ("wtns", Self::Wtns),
        ("r1cs", Self::R1cs),
        ("gnark", Self::Gnark),
        ("bellman", Self::Bellman),
        ("ignition", Self::Ignition),
        ("table", Self::Table),
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

impl Format {
    /// Why a file of this format has no bases.
    pub(super) fn no_bases(self) -> Malformed {
        Malformed::new(match self {
            Self::Wtns => "a witness (.wtns) has scalars, no bases; bases are in a .zkey or .ptau",
            Self::R1cs => {
                "a circuit (.r1cs) has neither bases nor scalars; bases are in its proving key \
                 (.zkey) or in a .ptau"
            }
            Self::Table => "a precomputed table, which is loaded as it is: --table, Bases::open",
            _ => "a file without bases",
        })
    }

    /// Why a file of this format has no scalars.
    pub(super) fn no_scalars(self) -> Malformed {
        Malformed::new(match self {
            Self::R1cs => {
                "a circuit (.r1cs) has neither bases nor scalars; scalars are in a witness (.wtns)"
                    .into()
            }
            Self::Ptau | Self::Zkey | Self::Ignition => {
                format!("a file of format {self} has no scalars; it has bases")
            }
            other => format!("a file of format {other} has no scalars"),
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
        let named = Self::ALL.iter().find(|(_, format)| format == self);
        f.write_str(named.map_or("", |(name, _)| name))
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
    if let Some(format) = without_curve(file)? {
        return Ok(format);
    }
    match curve.visit(Detect(file)) {
        Ok(encoding) => Ok(Format::Arkworks(encoding)),
        Err(fault) => match gnark::detect(file, curve)? {
            Some(format) => Ok(format),
            None if bellman::detect(file, curve)? => Ok(Format::Bellman),
            None => Err(fault),
        },
    }
}

/// The format, if it can be determined without the curve.
pub(super) fn without_curve(file: ByteRange<'_>) -> Result<Option<Format>, Malformed> {
    let head = file.head(HEAD)?;
    if head.starts_with(WASM) {
        return Err(Malformed::new(
            "a WebAssembly program, such as circom compiles to compute witnesses; scalars are in \
             the witness (.wtns), bases in a .zkey or .ptau",
        ));
    }
    Ok(by_content(&head).or_else(|| Manifest::read(&head).map(|_| Format::Ignition)))
}

/// The first bytes of a WebAssembly program.
const WASM: &[u8] = b"\0asm";

/// Bytes at the start of a file that determine its format.
pub(super) const HEAD: u64 = 1 << 12;

/// The format, if the first bytes determine it.
pub(super) fn by_content(bytes: &[u8]) -> Option<Format> {
    let magic = [
        (b"ptau", Format::Ptau),
        (b"zkey", Format::Zkey),
        (b"wtns", Format::Wtns),
        (b"r1cs", Format::R1cs),
    ];
    if let Some((_, format)) = magic.into_iter().find(|(word, _)| bytes.starts_with(*word)) {
        return Some(format);
    }
    if bytes.starts_with(MAGIC) {
        return Some(Format::Table);
    }
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let text = !bytes.iter().take(8).any(|&byte| byte == 0);
    (text && first == Some(&b'{')).then_some(Format::Json)
}

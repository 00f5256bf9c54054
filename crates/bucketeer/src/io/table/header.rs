//! The header of a table in a file. Integers are little-endian.
//!
//! | bytes | hold |
//! | --- | --- |
//! | 16 | `bucketeer table` and a line feed |
//! | 4 | the version of the format, and of the form of the words: 1 |
//! | 4 | the arithmetic: 0 portable, 1 AVX-512 IFMA, 2 SIMD128 |
//! | 8 | the number of bases |
//! | 4 each | bits of a window, bucket sets, copies, odd multiples |
//! | 4 | whether images under the endomorphism are stored: 0 or 1 |
//! | 4 | whether runs are right for every point: 0 or 1 |
//! | 4 | bits of the scalars, 0 for residues |
//! | 4 | words of a point |
//! | 32 | SHA-256 of the curve's description |
//! | 32 | SHA-256 of the digests of the table in blocks of 1 MiB |
//! | 32 | SHA-256 of everything before |

use std::fmt::Write;
use std::path::Path;

use super::super::Malformed;
use super::super::digest::{Digest32, digest};
use super::super::source::{ByteRange, ByteSource};
use crate::bases::StoredTable;
use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::facts::Arithmetic;
use crate::plan::{
    MAX_ODD_MULTIPLES, MAX_PRECOMPUTE, MAX_SCALAR_BITS, MAX_WINDOW_BITS, ScalarBound, Table,
    stored_point_bytes,
};
use crate::{Curve, CurveSpec, Error, Model};

pub(in crate::io) const MAGIC: &[u8; 16] = b"bucketeer table\n";

/// To be increased whenever a kernel's form of points changes.
const VERSION: u32 = 1;

/// Arithmetics by their number in a header.
const ARITHMETICS: [Arithmetic; 3] = [Arithmetic::Portable, Arithmetic::Ifma, Arithmetic::Simd128];

/// Words of a point on the fields that there are kernels for.
const POINT_WORDS: [u32; 5] = [8, 12, 16, 24, 48];

const LENGTH: usize = 16 + 4 + 4 + 8 + 7 * 4 + 4 + 3 * 32;

/// The header of a table in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableHeader {
    stored: StoredTable,
    /// Words of a point.
    point_words: u32,
    curve: Digest32,
    pub(super) digest: Digest32,
}

impl TableHeader {
    /// Reads the header of a file, and checks that the file is as long as it says.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let source = ByteSource::open(path)?;
        let found = Self::locate(source.whole()).map_err(|fault| fault.in_file(path))?;
        Ok(found.0)
    }

    /// The header of a table with these bytes.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        Ok(Self::locate(ByteSource::from(bytes).whole())?.0)
    }

    /// The named curve that the table is for, if it is for one.
    pub fn curve(&self) -> Option<&'static NamedCurve> {
        struct Has(Digest32);
        impl Visitor for Has {
            type Output = bool;
            fn visit<C: Curve>(self, _: &'static NamedCurve) -> bool {
                curve_digest(&CurveSpec::of::<C>()) == self.0
            }
        }
        CURVES.iter().find(|curve| curve.visit(Has(self.curve)))
    }

    /// The number of bases.
    pub fn bases(&self) -> usize {
        self.stored.bases
    }

    /// What the table holds of each base.
    pub fn table(&self) -> Table {
        self.stored.table
    }

    /// Whether runs over it are right for every point of the curve.
    pub fn any_point(&self) -> bool {
        self.stored.any_point
    }

    /// The arithmetic that the points are for, in words.
    pub fn arithmetic(&self) -> String {
        self.stored.arithmetic.to_string()
    }

    pub(super) fn stored(&self) -> StoredTable {
        self.stored
    }

    pub(super) fn of(curve: &CurveSpec, stored: &StoredTable, digest: Digest32) -> Self {
        let point_words = point_words(curve);
        Self { stored: *stored, point_words, curve: curve_digest(curve), digest }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let StoredTable { table, bases, scalars, any_point, arithmetic } = self.stored;
        let mut bytes = MAGIC.to_vec();
        let mut push = |number: u32| bytes.extend(number.to_le_bytes());
        push(VERSION);
        push(ARITHMETICS.iter().position(|own| *own == arithmetic).unwrap_or_default() as u32);
        let numbers = [
            table.window_bits,
            table.bucket_sets,
            table.precompute,
            table.odd_multiples,
            table.endomorphism.into(),
            any_point.into(),
            match scalars {
                ScalarBound::Order => 0,
                ScalarBound::Bits(bits) | ScalarBound::Signed(bits) => bits,
            },
            self.point_words,
        ];
        bytes.extend((bases as u64).to_le_bytes());
        bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(self.curve);
        bytes.extend(self.digest);
        let own = digest(&bytes);
        bytes.extend(own);
        bytes
    }

    /// The header of a file and the words after it.
    pub(in crate::io) fn locate(file: ByteRange<'_>) -> Result<(Self, ByteRange<'_>), Malformed> {
        let head = file.head(LENGTH as u64)?;
        if !head.starts_with(MAGIC) {
            return Err(Malformed::new("not a table of Bucketeer"));
        }
        let Some(head) = head.first_chunk::<LENGTH>() else {
            let found = file.length();
            return Err(Malformed::new(format!(
                "truncated: a header of {LENGTH} bytes expected, {found} found"
            )));
        };
        let header = Self::from_bytes(head)?;
        let StoredTable { table, bases, .. } = header.stored;
        let points = bases as u128 * table.stored() as u128;
        let expected = LENGTH as u128 + 8 * points * u128::from(header.point_words);
        let found = u128::from(file.length());
        if expected != found {
            let problem = if expected > found { "truncated" } else { "trailing bytes" };
            return Err(Malformed::new(format!(
                "{problem}: {expected} bytes expected, {found} found"
            )));
        }
        Ok((header, file.range(LENGTH as u64..file.length())))
    }

    fn from_bytes(bytes: &[u8; LENGTH]) -> Result<Self, Malformed> {
        let u32_at = |at: usize| {
            let own = bytes[at..].first_chunk().copied().unwrap_or_default();
            u32::from_le_bytes(own)
        };
        let digest_at = |at: usize| bytes[at..].first_chunk::<32>().copied().unwrap_or_default();
        let version = u32_at(16);
        if version != VERSION {
            return Err(Malformed::new(format!("version {version}, expected {VERSION}")));
        }
        if digest(&bytes[..LENGTH - 32]) != digest_at(LENGTH - 32) {
            return Err(Malformed::new("damaged: the header is not the one that was written"));
        }
        let bases = u64::from(u32_at(24)) | u64::from(u32_at(28)) << 32;
        let [window_bits, bucket_sets, precompute, odd_multiples, endomorphism, any_point, bits] =
            std::array::from_fn(|index| u32_at(32 + 4 * index));
        let point_words = u32_at(60);
        // A header that no program writes is refused even if its digest is right.
        let plausible = (1..=MAX_WINDOW_BITS).contains(&window_bits)
            && (1..=2 * MAX_SCALAR_BITS).contains(&bucket_sets)
            && (1..=MAX_PRECOMPUTE).contains(&precompute)
            && odd_multiples.is_power_of_two()
            && odd_multiples <= MAX_ODD_MULTIPLES
            && endomorphism.max(any_point) <= 1
            && bits <= MAX_SCALAR_BITS
            && bases <= u64::from(u32::MAX)
            && POINT_WORDS.contains(&point_words);
        let arithmetic = ARITHMETICS.get(u32_at(20) as usize).copied();
        let Some(arithmetic) = arithmetic.filter(|_| plausible) else {
            return Err(Malformed::new("the numbers of the header are those of no table"));
        };
        let table = Table {
            window_bits,
            bucket_sets,
            precompute,
            odd_multiples,
            endomorphism: endomorphism == 1,
            multiples: 0,
        };
        let stored = StoredTable {
            table,
            bases: bases as usize,
            scalars: if bits == 0 { ScalarBound::Order } else { ScalarBound::Bits(bits) },
            any_point: any_point == 1,
            arithmetic,
        };
        Ok(Self { stored, point_words, curve: digest_at(64), digest: digest_at(96) })
    }

    /// Fails if the table is for another curve.
    pub(super) fn check_curve(&self, curve: &CurveSpec) -> Result<(), Malformed> {
        if self.curve == curve_digest(curve) && self.point_words == point_words(curve) {
            return Ok(());
        }
        let name = |header: &Self| header.curve().map_or("a curve without a name", |c| c.name);
        let expected = Self { curve: curve_digest(curve), ..*self };
        Err(Malformed::new(format!(
            "wrong curve: a table for {}, not for {}",
            name(self),
            name(&expected)
        )))
    }
}

/// Words of a stored point.
fn point_words(curve: &CurveSpec) -> u32 {
    (stored_point_bytes(curve) / 8) as u32
}

/// The digest of a curve's equation, field and order. Its endomorphism and its generator follow
/// from these, or do not matter.
pub(in crate::io) fn curve_digest(curve: &CurveSpec) -> Digest32 {
    let mut text = String::new();
    let CurveSpec { model, modulus, degree, non_residue, order, .. } = curve;
    let (kind, [a, b]) = match model {
        Model::ShortWeierstrass { a, b } => ("short Weierstrass", [a, b]),
        Model::TwistedEdwards { a, d } => ("twisted Edwards", [a, d]),
    };
    // Writing to a string cannot fail.
    let _ = write!(text, "{kind} {modulus} {degree} {non_residue:?} {order} {a:?} {b:?}");
    digest(text.as_bytes())
}

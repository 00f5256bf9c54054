//! Slices of points in gnark's raw encoding, as `WriteRawTo` of its keys and `RawEncoding()` of its
//! encoders write them. bellman writes points in the same way ([`bellman`](super::bellman)).
//!
//! The number of points is a big-endian 32-bit integer. A point is x, then y, big-endian; an
//! element of a quadratic extension is c1, then c0. The highest bits of the first byte are flags:
//!
//! | curves | flags | uncompressed | infinity |
//! | --- | --- | --- | --- |
//! | bls12-377, bls12-381 | 3 bits | 000 | 010, all other bits zero |
//! | bn254 | 2 bits | 00 | all zeros |

use ark_ff::Field;

use super::blocks::Elements;
use super::located::{Located, PointEncoding};
use super::point::{check_on_curve, from_components, prime_from_le};
use super::source::ByteRange;
use super::{Format, Malformed};
use crate::curves::{NamedCurve, Visitor};
use crate::{Curve, CurveSpec};

/// The curves whose encoding is known.
const SUPPORTED: [&str; 6] =
    ["bn254-g1", "bn254-g2", "bls12-377-g1", "bls12-377-g2", "bls12-381-g1", "bls12-381-g2"];

/// Bytes of the number of points.
const PREFIX: u64 = 4;

/// The flags of a curve with three spare bits.
const FLAGS: u8 = 0xe0;
const INFINITY: u8 = 0x40;

/// Bytes of a raw point.
pub(super) fn point_size(curve: &'static NamedCurve) -> u64 {
    struct Size;
    impl Visitor for Size {
        type Output = u64;
        fn visit<C: Curve>(self, _: &'static NamedCurve) -> u64 {
            let spec = CurveSpec::of::<C>();
            (2 * 8 * spec.limbs * spec.degree) as u64
        }
    }
    curve.visit(Size)
}

/// Whether the file is such a slice: its length must be what the number of points says.
pub(super) fn detect(
    file: ByteRange<'_>,
    curve: &'static NamedCurve,
) -> Result<Option<Format>, Malformed> {
    let Some(count) = announced(file)?.filter(|_| SUPPORTED.contains(&curve.name)) else {
        return Ok(None);
    };
    let (size, found) = (point_size(curve), file.length() - PREFIX);
    if count * size == found {
        return Ok(Some(Format::Gnark));
    }
    if count * (size / 2) == found {
        return Err(Malformed::new(format!(
            "{count} compressed points of {curve} as gnark writes them; write them raw, with \
             WriteRawTo or RawEncoding()"
        )));
    }
    Ok(None)
}

/// The number of points that a file announces; `None` if it is zero.
pub(super) fn announced(file: ByteRange<'_>) -> Result<Option<u64>, Malformed> {
    let head = file.head(PREFIX)?;
    let count = head.first_chunk().map(|bytes| u64::from(u32::from_be_bytes(*bytes)));
    Ok(count.filter(|count| *count > 0))
}

/// The points of a slice.
pub(super) fn locate<'a>(file: ByteRange<'a>, curve: &'static NamedCurve) -> Located<'a> {
    locate_in(file.range(PREFIX..file.length()), curve)
}

/// The points of a range.
pub(super) fn locate_in<'a>(range: ByteRange<'a>, curve: &'static NamedCurve) -> Located<'a> {
    let elements = Elements::new(range, point_size(curve) as usize, "base");
    Located::new(elements, PointEncoding::Gnark)
}

/// Reads points and checks that they are on the curve.
pub(super) fn points<C: Curve>(
    elements: &Elements<'_>,
    curve: &'static NamedCurve,
) -> Result<Vec<C>, Malformed> {
    let flagged = !curve.name.starts_with("bn254");
    elements.parse(1, C::zero(), |bytes, out| {
        out[0] = match flags(bytes, flagged)? {
            Flags::Infinity => return Ok(()),
            Flags::Point => point(bytes)?,
        };
        check_on_curve(&out[0])
    })
}

enum Flags {
    Infinity,
    Point,
}

fn flags(bytes: &[u8], flagged: bool) -> Result<Flags, String> {
    let (first, rest) = bytes.split_first().ok_or("no bytes")?;
    let zeros = rest.iter().all(|&byte| byte == 0);
    match (flagged, first) {
        (true, &INFINITY) if zeros => Ok(Flags::Infinity),
        (false, 0) if zeros => Ok(Flags::Infinity),
        (true, first) if first & FLAGS != 0 => {
            Err("its flags are neither those of an uncompressed point nor of infinity".into())
        }
        // On bn254 flags make x exceed the modulus, which is reported as such.
        _ => Ok(Flags::Point),
    }
}

fn point<C: Curve>(bytes: &[u8]) -> Result<C, String> {
    let width = bytes.len() / 2 / C::BaseField::extension_degree() as usize;
    let reversed = |bytes: &[u8]| bytes.iter().rev().copied().collect::<Vec<u8>>();
    let (x, y) = bytes.split_at(bytes.len() / 2);
    let (x, y) = (reversed(x), reversed(y));
    from_components(
        x.chunks_exact(width).map(prime_from_le),
        y.chunks_exact(width).map(prime_from_le),
    )
}

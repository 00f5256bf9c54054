//! Elements in Montgomery form, as snarkjs stores them.
//!
//! snarkjs writes `value·2^(8n) mod p` in `n` bytes, where `n` is a multiple of 8. arkworks keeps
//! the same words in memory, so nothing is multiplied to read them.

use super::blocks::Elements;
use super::point::{check_on_curve, check_subgroup, not_below_modulus};
use super::source::ByteRange;
use super::{Malformed, ReadOptions};
use crate::curve::{FieldWords, is_montgomery};
use crate::packed::{montgomery_element, point_bytes};
use crate::{Curve, PointFault};

/// All points of a range, which must hold whole points. All zeros are the point at infinity.
pub(super) fn points<C: Curve>(
    range: ByteRange<'_>,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    let elements = Elements::new(range, point_bytes::<C>(), "point");
    check_subgroup(parse(&elements)?, 0, options)
}

/// The points of some elements, on the curve.
pub(super) fn parse<C: Curve>(elements: &Elements<'_>) -> Result<Vec<C>, Malformed> {
    if !is_montgomery::<C::BaseField>() {
        return Err(Malformed::new("arkworks does not keep this field in Montgomery form"));
    }
    elements.parse(1, C::zero(), |bytes, out| {
        if bytes.iter().any(|&byte| byte != 0) {
            out[0] = point(bytes)?;
        }
        Ok(())
    })
}

fn point<C: Curve>(bytes: &[u8]) -> Result<C, String> {
    let (x, y) = bytes.split_at(bytes.len() / 2);
    let x = montgomery_element::<C::BaseField>(x).ok_or_else(|| not_below_modulus("x"))?;
    let y = montgomery_element::<C::BaseField>(y).ok_or_else(|| not_below_modulus("y"))?;
    let point = C::from_coordinates(x, y);
    // arkworks may represent infinity as (0, 0), which here is all zeros.
    if point.is_zero() {
        return Err(PointFault::NotOnCurve.to_string());
    }
    check_on_curve(&point)?;
    Ok(point)
}

/// `2^(−64·words)` in a field: takes one factor of the Montgomery form away.
pub(super) fn inverse_of_radix<F: FieldWords>() -> F {
    F::ONE / F::from(2u64).pow([64 * F::WORDS as u64])
}

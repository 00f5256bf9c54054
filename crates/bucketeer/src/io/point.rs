//! Points from integers, and the checks that every base from a file must pass.

use ark_ff::{Field, PrimeField};
use num_bigint::BigUint;

use super::{Malformed, ReadOptions};
use crate::platform::random_seed;
use crate::subgroup::first_outside;
use crate::{Curve, Model, PointFault};

/// The prime field under a curve's base field.
pub(super) type PrimeOf<C> = <<C as ark_ec::AffineRepr>::BaseField as Field>::BasePrimeField;

/// The element that this little-endian integer represents, if it is below the modulus.
pub(super) fn prime_from_le<F: PrimeField>(bytes: &[u8]) -> Option<F> {
    let used = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let mut integer = F::BigInt::default();
    let words = integer.as_mut();
    if used > 8 * words.len() {
        return None;
    }
    for (word, bytes) in words.iter_mut().zip(bytes[..used].chunks(8)) {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(padded);
    }
    F::from_bigint(integer)
}

/// The point with these coordinates, given as one element of the prime field per component. `None`
/// stands for an integer that is not below the modulus, which is an error.
///
/// On some short Weierstrass curves arkworks represents the point at infinity as (0, 0). In files
/// (0, 0) is an ordinary pair of coordinates; on those curves it is not a point.
pub(super) fn from_components<C: Curve>(
    x: impl Iterator<Item = Option<PrimeOf<C>>>,
    y: impl Iterator<Item = Option<PrimeOf<C>>>,
) -> Result<C, String> {
    let x = element::<C::BaseField>(x).ok_or_else(|| not_below_modulus("x"))?;
    let y = element::<C::BaseField>(y).ok_or_else(|| not_below_modulus("y"))?;
    let point = C::from_coordinates(x, y);
    let weierstrass = matches!(C::model(), Model::ShortWeierstrass { .. });
    if weierstrass && point.is_zero() {
        return Err(PointFault::NotOnCurve.to_string());
    }
    Ok(point)
}

fn element<F: Field>(parts: impl Iterator<Item = Option<F::BasePrimeField>>) -> Option<F> {
    let parts: Option<Vec<_>> = parts.collect();
    F::from_base_prime_field_elems(parts?)
}

pub(super) fn not_below_modulus(coordinate: &str) -> String {
    format!("{coordinate} is not below the modulus")
}

/// Checks that a point is on the curve.
pub(super) fn check_on_curve<C: Curve>(point: &C) -> Result<(), String> {
    if point.on_curve() { Ok(()) } else { Err(PointFault::NotOnCurve.to_string()) }
}

/// Checks that points of the curve lie in the subgroup, if the options require it. `first` is the
/// number of the first one in errors.
pub(super) fn check_subgroup<C: Curve>(
    points: Vec<C>,
    first: usize,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    let check = || first_outside(&points, random_seed());
    let outside = if options.subgroup_check { check() } else { None };
    match outside {
        None => Ok(points),
        Some(index) => {
            let (index, fault) = (first + index, PointFault::NotInSubgroup);
            Err(Malformed::new(format!("base {index}: {fault}")))
        }
    }
}

/// The components of a field element as integers.
pub(super) fn integers<F: Field>(element: &F) -> Vec<BigUint> {
    element.to_base_prime_field_elements().map(Into::into).collect()
}

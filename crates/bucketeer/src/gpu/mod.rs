//! What all GPU backends share: how bases and scalars are handed to a device, and the combine stage, which
//! runs on the host.

mod bases;
pub(crate) mod combine;
mod scalars;

pub(crate) use bases::{Affine, AffineSource};
pub(crate) use combine::sums;
pub(crate) use scalars::Raw;

use std::sync::Arc;

use num_bigint::BigUint;

use crate::curve::inverse_of_odd;
use crate::{Curve, CurveSpec, Error};

/// What is known of a curve, if a GPU's kernels can be made for it.
pub(crate) fn supported<C: Curve>() -> Result<Arc<CurveSpec>, Error> {
    let curve = CurveSpec::of::<C>();
    let unsupported = |reason: &str| Error::InvalidSetting {
        setting: "field",
        value: std::any::type_name::<C>().into(),
        reason: reason.into(),
    };
    if !curve.montgomery || !curve.montgomery_scalars {
        return Err(unsupported("GPUs need elements in arkworks' Montgomery form"));
    }
    if curve.degree > 2 || curve.limbs > 12 {
        return Err(unsupported(
            "GPUs need prime fields of at most 768 bits or their quadratic extensions",
        ));
    }
    Ok(curve)
}

/// Points that the device leaves to the host: for some sets a total and a point for each bit.
pub(crate) struct Part {
    /// The MSM of a batch whose segment comes first.
    pub first_msm: usize,
    /// MSMs, each with `sets` sets.
    pub msms: usize,
    pub first_set: u32,
    pub sets: usize,
    /// Words of the sums: totals, low bits, high bits.
    pub words: Vec<u64>,
}

/// −m⁻¹ mod 2^32 for odd m.
pub(crate) fn negated_inverse(modulus: &BigUint) -> u64 {
    let low = modulus.iter_u64_digits().next().unwrap_or(1);
    u64::from(inverse_of_odd(low).wrapping_neg() as u32)
}

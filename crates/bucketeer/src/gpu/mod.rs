//! The host side of all GPUs.
//!
//! [`engine`] carries plans out on any [`Backend`], in the order of [`schedule`]. A backend is a
//! folder with a file for each stage; what its kernels share with the host is declared in
//! [`interface`].

mod backend;
mod bases;
mod batch;
pub(crate) mod combine;
mod counters;
mod engine;
pub(crate) mod interface;
mod parts;
mod scalars;
mod schedule;

pub(crate) use backend::{Backend, Job, Points, Run, Stage};
pub(crate) use bases::{Affine, AffineSource, Place};
pub(crate) use counters::{Counters, TaskPlaces};
pub(crate) use engine::engine;
pub(crate) use scalars::Raw;
#[cfg(all(test, feature = "cuda", feature = "curves"))]
pub(crate) use schedule::chunks;
pub(crate) use schedule::{Chunk, Pass};

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

/// −m⁻¹ mod 2^32 for odd m.
pub(crate) fn negated_inverse(modulus: &BigUint) -> u64 {
    let low = modulus.iter_u64_digits().next().unwrap_or(1);
    u64::from(inverse_of_odd(low).wrapping_neg() as u32)
}

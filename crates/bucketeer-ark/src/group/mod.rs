//! Groups whose MSMs are Bucketeer's: arkworks' points, each in a struct of its own.
//!
//! [`Affine<A>`] holds a point of arkworks' affine type `A`, [`Projective<A>`] one of its group.
//! Everything but `VariableBaseMSM` is passed through: values, bytes, hashes and random points are
//! those of the original types.
//!
//! | file | implements |
//! | --- | --- |
//! | `common.rs` | what both types have: equality, hashing, serialisation, randomness |
//! | `arithmetic.rs` | additions, subtractions, products, sums |
//! | `curve.rs` | arkworks' traits of curves: `AffineRepr`, `CurveGroup` and their supertraits |
//! | `msm.rs` | `VariableBaseMSM` |
//! | `absorb.rs` | absorption into sponges, where a feature brings that trait |

#[cfg(any(feature = "groth16", feature = "poly-commit"))]
mod absorb;
mod arithmetic;
mod common;
mod curve;
mod msm;

use ark_ec::AffineRepr;

pub use msm::msm_bigint;

use crate::convert::Wrapper;

/// A point of the affine type `A` of arkworks, in a group whose MSMs are Bucketeer's.
///
/// The same bytes in memory as `A`; see [`IntoFast`](crate::IntoFast) and
/// [`IntoOriginal`](crate::IntoOriginal) for conversions of slices, vectors and keys.
#[repr(transparent)]
pub struct Affine<A>(pub A);

/// A point of the group of `A`, whose MSMs are Bucketeer's.
///
/// The same bytes in memory as `A::Group`.
#[repr(transparent)]
pub struct Projective<A: AffineRepr>(pub A::Group);

// SAFETY: repr(transparent), and the point is the only field.
unsafe impl<A: AffineRepr> Wrapper for Affine<A> {
    type Inner = A;
}

// SAFETY: as above.
unsafe impl<A: AffineRepr> Wrapper for Projective<A> {
    type Inner = A::Group;
}

//! Curves, described rather than listed.
//!
//! [`Curve`] is implemented for every affine point type of arkworks' two curve models. All backends
//! compute on a short Weierstrass curve `y² = x³ + a·x + b`: bases of a twisted Edwards curve are
//! mapped to it by the birational equivalence when they are loaded, and the sum is mapped back. The
//! map is a group isomorphism on every point that the affine Edwards model can express, so it
//! assumes nothing about subgroups.
//!
//! The public trait has what callers use. What only this crate needs is in two traits that cannot
//! be named elsewhere: [`models`] maps between models, [`mixed`] has the additions of Straus'
//! method.

mod edwards;
mod endomorphism;
mod mixed;
mod models;
#[cfg(feature = "curves")]
pub mod named;
mod source;
mod spec;
mod words;
pub(crate) mod xyzz;

#[cfg(any(feature = "cuda", feature = "webgpu"))]
pub(crate) use edwards::EdwardsMap;
pub use endomorphism::Endomorphism;
pub(crate) use endomorphism::Splitter;
#[cfg(any(feature = "cuda", feature = "webgpu"))]
pub(crate) use source::write_points;
pub(crate) use source::{BaseSource, CoordinateSystem};
pub use spec::{CurveSpec, EdwardsForm, Form, Model};
pub use words::WordField;
#[cfg(all(test, feature = "curves"))]
pub(crate) use words::to_words;
pub(crate) use words::{
    FieldWords, inverse_of_odd, is_montgomery, read_element, residue, write_element,
};

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::{self, SWCurveConfig};
use ark_ec::twisted_edwards::{self, TECurveConfig};
use ark_ff::Field;

/// A point of the short Weierstrass model; `None` is the point at infinity.
pub type Weierstrass<F> = Option<(F, F)>;

/// An affine point type of arkworks, and through it a curve.
///
/// Implemented for `short_weierstrass::Affine<P>` and `twisted_edwards::Affine<P>` with any
/// configuration `P` over arkworks' own fields ([`WordField`]); it cannot be implemented elsewhere
/// and need not be.
///
/// ```
/// use bucketeer::{Curve, CurveSpec};
/// let spec = CurveSpec::of::<ark_bls12_377::G1Affine>();
/// assert_eq!(spec.scalar_bits(), 253);
/// assert!(spec.endomorphism.is_some());
/// ```
pub trait Curve:
    AffineRepr<BaseField: WordField, ScalarField: WordField> + models::Models + mixed::Mixed
{
    /// The curve's equation in arkworks' model.
    fn model() -> Model<Self::BaseField>;

    /// The point with these coordinates, not checked in any way.
    fn from_coordinates(x: Self::BaseField, y: Self::BaseField) -> Self;

    /// Maps a point of the short Weierstrass model to the curve's own; `None` if the affine model
    /// cannot express it.
    fn from_weierstrass(point: Weierstrass<Self::BaseField>) -> Option<Self>;

    /// Whether the coordinates satisfy the curve's equation.
    fn on_curve(&self) -> bool;

    /// Whether a point of the curve lies in the prime-order subgroup.
    fn in_subgroup(&self) -> bool;
}

impl<P> Curve for short_weierstrass::Affine<P>
where
    P: SWCurveConfig<BaseField: WordField, ScalarField: WordField>,
{
    fn model() -> Model<P::BaseField> {
        Model::ShortWeierstrass { a: P::COEFF_A, b: P::COEFF_B }
    }

    fn from_coordinates(x: P::BaseField, y: P::BaseField) -> Self {
        Self::new_unchecked(x, y)
    }

    fn from_weierstrass(point: Weierstrass<P::BaseField>) -> Option<Self> {
        Some(point.map_or_else(Self::identity, |(x, y)| Self::new_unchecked(x, y)))
    }

    fn on_curve(&self) -> bool {
        self.is_on_curve()
    }

    fn in_subgroup(&self) -> bool {
        self.is_in_correct_subgroup_assuming_on_curve()
    }
}

impl<P> Curve for twisted_edwards::Affine<P>
where
    P: TECurveConfig<BaseField: WordField, ScalarField: WordField>,
{
    fn model() -> Model<P::BaseField> {
        Model::TwistedEdwards { a: P::COEFF_A, d: P::COEFF_D }
    }

    fn from_coordinates(x: P::BaseField, y: P::BaseField) -> Self {
        Self::new_unchecked(x, y)
    }

    fn from_weierstrass(point: Weierstrass<P::BaseField>) -> Option<Self> {
        edwards::from_weierstrass::<P>(point)
    }

    fn on_curve(&self) -> bool {
        self.is_on_curve()
    }

    fn in_subgroup(&self) -> bool {
        self.is_in_correct_subgroup_assuming_on_curve()
    }
}

/// Inverses of all elements by batch inversion; of zero, zero.
fn inverses<F: Field>(elements: impl Iterator<Item = F>) -> Vec<F> {
    let mut inverses: Vec<F> = elements.collect();
    ark_ff::serial_batch_inversion_and_mul(&mut inverses, &F::ONE);
    inverses
}

//! Curves, described rather than listed.
//!
//! [`Curve`] is implemented for every affine point type of arkworks' two curve models. All backends
//! compute on a short Weierstrass curve `y² = x³ + a·x + b`: a twisted Edwards curve is carried over
//! by its birational equivalence when its bases are loaded, and the sum is carried back. The map is
//! a group isomorphism on every point that the affine Edwards model can express, so nothing about
//! subgroups is assumed by it.

mod edwards;
mod endomorphism;
#[cfg(feature = "curves")]
pub mod named;
mod spec;
mod words;

#[doc(hidden)]
pub use edwards::EdwardsMap;
pub use endomorphism::Endomorphism;
pub(crate) use endomorphism::Splitter;
pub use spec::{CurveSpec, EdwardsForm, Model};
pub use words::WordField;
#[cfg(test)]
pub(crate) use words::to_words;
pub(crate) use words::{inverse_of_odd, is_montgomery, residue};

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::{self, SWCurveConfig};
use ark_ec::twisted_edwards::{self, TECurveConfig};
use ark_ff::{AdditiveGroup, Field};

/// A point of the short Weierstrass model; `None` is the point at infinity.
pub type Weierstrass<F> = Option<(F, F)>;

mod sealed {
    pub trait Sealed {}
}

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
pub trait Curve: AffineRepr<BaseField: WordField, ScalarField: WordField> + sealed::Sealed {
    /// The curve's equation in arkworks' model.
    #[doc(hidden)]
    fn model() -> Model<Self::BaseField>;

    /// `a` and `b` of the short Weierstrass model.
    #[doc(hidden)]
    fn weierstrass_coefficients() -> [Self::BaseField; 2] {
        match Self::model() {
            Model::ShortWeierstrass { a, b } => [a, b],
            Model::TwistedEdwards { a, d } => edwards::weierstrass_coefficients(a, d).into(),
        }
    }

    /// Whether the coordinates of a sum are those of a point: twisted Edwards additions that are not
    /// complete may leave zeros.
    #[doc(hidden)]
    fn is_point(sum: &Self::Group) -> bool;

    /// Carries points over to the short Weierstrass model.
    #[doc(hidden)]
    fn to_weierstrass(points: &[Self], out: &mut Vec<Weierstrass<Self::BaseField>>);

    /// Carries a point back; `None` if the affine model cannot express it.
    #[doc(hidden)]
    fn from_weierstrass(point: Weierstrass<Self::BaseField>) -> Option<Self>;

    /// The way to a form with fast additions, where there is one.
    #[doc(hidden)]
    fn edwards() -> Option<EdwardsMap<Self::BaseField>> {
        EdwardsMap::new(&Self::model())
    }

    /// Carries a point back from Edwards coordinates; `None` if the affine model cannot express it.
    #[doc(hidden)]
    fn from_edwards(
        map: &EdwardsMap<Self::BaseField>,
        point: (Self::BaseField, Self::BaseField),
    ) -> Option<Self>;

    /// 2^times·P.
    #[doc(hidden)]
    fn double_times(point: &mut Self::Group, times: u32) {
        for _ in 0..times {
            point.double_in_place();
        }
    }

    /// A point as [`add_to`](Self::add_to) takes it.
    #[doc(hidden)]
    type Addend: Copy + Send + Sync;

    /// Points as addends, with one inversion and without other threads.
    #[doc(hidden)]
    fn addends(points: &[Self::Group]) -> Vec<Self::Addend>;

    /// `sum ← sum ± addend`. Where the next step is a doubling, a coordinate that doublings do not look at may
    /// be left wrong.
    #[doc(hidden)]
    fn add_to(sum: &mut Self::Group, addend: &Self::Addend, negative: bool, doubled_next: bool);

    /// φ of an addend, (β·x, y), on curves that have it.
    #[doc(hidden)]
    fn image(
        addend: &Self::Addend,
        beta: &<Self::BaseField as Field>::BasePrimeField,
    ) -> Self::Addend;

    /// The point with these coordinates, checked for nothing.
    fn from_coordinates(x: Self::BaseField, y: Self::BaseField) -> Self;

    /// Whether the coordinates are reduced: those made with `new_unchecked` may not be.
    #[doc(hidden)]
    fn is_reduced(&self) -> bool;

    /// The same point with reduced coordinates.
    #[doc(hidden)]
    fn reduced(&self) -> Self {
        match self.xy() {
            Some((x, y)) if !self.is_reduced() => Self::from_coordinates(x.reduced(), y.reduced()),
            _ => *self,
        }
    }

    /// Whether the coordinates satisfy the curve's equation.
    fn on_curve(&self) -> bool;

    /// Whether a point of the curve lies in the prime-order subgroup.
    fn in_subgroup(&self) -> bool;
}

/// Inverses of all elements; of zero, zero.
fn inverses<F: Field>(elements: impl Iterator<Item = F>) -> Vec<F> {
    let mut inverses: Vec<F> = elements.collect();
    ark_ff::serial_batch_inversion_and_mul(&mut inverses, &F::ONE);
    inverses
}

impl<P: SWCurveConfig> sealed::Sealed for short_weierstrass::Affine<P> {}

impl<P> Curve for short_weierstrass::Affine<P>
where
    P: SWCurveConfig<BaseField: WordField, ScalarField: WordField>,
{
    fn model() -> Model<P::BaseField> {
        Model::ShortWeierstrass { a: P::COEFF_A, b: P::COEFF_B }
    }

    fn is_point(_: &Self::Group) -> bool {
        true
    }

    #[inline(always)]
    fn is_reduced(&self) -> bool {
        self.x.is_reduced() && self.y.is_reduced()
    }

    fn to_weierstrass(points: &[Self], out: &mut Vec<Weierstrass<P::BaseField>>) {
        out.clear();
        out.extend(points.iter().map(AffineRepr::xy));
    }

    fn from_weierstrass(point: Weierstrass<P::BaseField>) -> Option<Self> {
        Some(point.map_or_else(Self::identity, |(x, y)| Self::new_unchecked(x, y)))
    }

    fn from_edwards(
        map: &EdwardsMap<P::BaseField>,
        point: (P::BaseField, P::BaseField),
    ) -> Option<Self> {
        Self::from_weierstrass(map.undo(point)?)
    }

    type Addend = Self;

    fn addends(points: &[Self::Group]) -> Vec<Self> {
        let inverses = inverses(points.iter().map(|p| p.z));
        let affine = |(p, z): (&Self::Group, P::BaseField)| {
            if z == P::BaseField::ZERO {
                return Self::identity();
            }
            let square = z.square();
            Self::new_unchecked(p.x * square, p.y * square * z)
        };
        points.iter().zip(inverses).map(affine).collect()
    }

    fn add_to(sum: &mut Self::Group, addend: &Self, negative: bool, _: bool) {
        if negative {
            *sum -= addend;
        } else {
            *sum += addend;
        }
    }

    fn image(addend: &Self, beta: &<P::BaseField as Field>::BasePrimeField) -> Self {
        let image =
            |(x, y): (P::BaseField, _)| Self::new_unchecked(x.mul_by_base_prime_field(beta), y);
        addend.xy().map_or(*addend, image)
    }

    fn from_coordinates(x: P::BaseField, y: P::BaseField) -> Self {
        Self::new_unchecked(x, y)
    }

    fn on_curve(&self) -> bool {
        self.is_on_curve()
    }

    fn in_subgroup(&self) -> bool {
        self.is_in_correct_subgroup_assuming_on_curve()
    }
}

impl<P: TECurveConfig> sealed::Sealed for twisted_edwards::Affine<P> {}

impl<P> Curve for twisted_edwards::Affine<P>
where
    P: TECurveConfig<BaseField: WordField, ScalarField: WordField>,
{
    fn model() -> Model<P::BaseField> {
        Model::TwistedEdwards { a: P::COEFF_A, d: P::COEFF_D }
    }

    fn is_point(sum: &Self::Group) -> bool {
        sum.z != P::BaseField::ZERO
    }

    #[inline(always)]
    fn is_reduced(&self) -> bool {
        self.x.is_reduced() && self.y.is_reduced()
    }

    fn to_weierstrass(points: &[Self], out: &mut Vec<Weierstrass<P::BaseField>>) {
        edwards::to_weierstrass::<P>(points, out);
    }

    fn from_weierstrass(point: Weierstrass<P::BaseField>) -> Option<Self> {
        edwards::from_weierstrass::<P>(point)
    }

    fn from_edwards(
        map: &EdwardsMap<P::BaseField>,
        point: (P::BaseField, P::BaseField),
    ) -> Option<Self> {
        map.undo(point)?.map(|(x, y)| Self::new_unchecked(x, y))
    }

    fn double_times(point: &mut Self::Group, times: u32) {
        edwards::double_times(point, times);
    }

    type Addend = edwards::Addend<P::BaseField>;

    fn addends(points: &[Self::Group]) -> Vec<Self::Addend> {
        let inverses = inverses(points.iter().map(|p| p.z));
        let addend = |(p, z): (&Self::Group, _)| edwards::Addend::new::<P>(p.x * z, p.y * z);
        points.iter().zip(inverses).map(addend).collect()
    }

    fn add_to(sum: &mut Self::Group, addend: &Self::Addend, negative: bool, doubled_next: bool) {
        edwards::add_to(sum, addend, negative, doubled_next);
    }

    fn image(addend: &Self::Addend, _: &<P::BaseField as Field>::BasePrimeField) -> Self::Addend {
        *addend
    }

    fn from_coordinates(x: P::BaseField, y: P::BaseField) -> Self {
        Self::new_unchecked(x, y)
    }

    fn on_curve(&self) -> bool {
        self.is_on_curve()
    }

    fn in_subgroup(&self) -> bool {
        self.is_in_correct_subgroup_assuming_on_curve()
    }
}

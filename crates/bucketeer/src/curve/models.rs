//! Maps between a curve's model and the one that backends compute on.
//!
//! A supertrait of [`Curve`], so that it is at hand wherever a curve is; it lies in a private
//! module, so that other crates neither see nor implement it.

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::{self, SWCurveConfig};
use ark_ec::twisted_edwards::{self, TECurveConfig};
use ark_ff::AdditiveGroup;

use super::edwards::{self, EdwardsMap};
use super::{Curve, FieldWords, Model, Weierstrass, WordField};

pub trait Models: AffineRepr {
    /// `a` and `b` of the short Weierstrass model.
    fn weierstrass_coefficients() -> [Self::BaseField; 2]
    where
        Self: Curve,
    {
        match Self::model() {
            Model::ShortWeierstrass { a, b } => [a, b],
            Model::TwistedEdwards { a, d } => edwards::weierstrass_coefficients(a, d).into(),
        }
    }

    /// Whether the coordinates of a sum are those of a point: twisted Edwards additions that are
    /// not complete may leave zeros.
    fn is_point(sum: &Self::Group) -> bool;

    /// Maps points to the short Weierstrass model.
    fn to_weierstrass(points: &[Self], out: &mut Vec<Weierstrass<Self::BaseField>>);

    /// The map to an Edwards form with a = −1, whose additions are faster, if the curve has one.
    fn edwards() -> Option<EdwardsMap<Self::BaseField>>
    where
        Self: Curve,
    {
        EdwardsMap::new(&Self::model())
    }

    /// Maps a point back from that form; `None` if the affine model cannot express it.
    fn from_edwards(
        map: &EdwardsMap<Self::BaseField>,
        point: (Self::BaseField, Self::BaseField),
    ) -> Option<Self>;

    /// The point, if its coordinates are reduced: those made with `new_unchecked` may not be.
    fn as_reduced(&self) -> Option<&Reduced<Self>>;

    /// The same point with reduced coordinates.
    fn reduced(&self) -> Reduced<Self>
    where
        Self: Curve,
    {
        match (self.as_reduced(), self.xy()) {
            (None, Some((x, y))) => Reduced(Self::from_coordinates(x.reduced(), y.reduced())),
            _ => Reduced(*self),
        }
    }
}

/// A point whose coordinates have words below the modulus, as all kernels demand.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct Reduced<C>(C);

impl<C: AffineRepr> Reduced<C> {
    #[inline(always)]
    fn check(point: &C, reduced: bool) -> Option<&Self> {
        // SAFETY: the type is a point and nothing else.
        reduced.then(|| unsafe { &*(&raw const *point).cast() })
    }

    #[inline(always)]
    pub(crate) fn point(&self) -> &C {
        &self.0
    }
}

impl<P> Models for short_weierstrass::Affine<P>
where
    P: SWCurveConfig<BaseField: WordField, ScalarField: WordField>,
{
    fn is_point(_: &Self::Group) -> bool {
        true
    }

    fn to_weierstrass(points: &[Self], out: &mut Vec<Weierstrass<P::BaseField>>) {
        out.clear();
        out.extend(points.iter().map(AffineRepr::xy));
    }

    fn from_edwards(
        map: &EdwardsMap<P::BaseField>,
        point: (P::BaseField, P::BaseField),
    ) -> Option<Self> {
        Self::from_weierstrass(map.undo(point)?)
    }

    #[inline(always)]
    fn as_reduced(&self) -> Option<&Reduced<Self>> {
        Reduced::check(self, self.x.is_reduced() && self.y.is_reduced())
    }
}

impl<P> Models for twisted_edwards::Affine<P>
where
    P: TECurveConfig<BaseField: WordField, ScalarField: WordField>,
{
    fn is_point(sum: &Self::Group) -> bool {
        sum.z != P::BaseField::ZERO
    }

    fn to_weierstrass(points: &[Self], out: &mut Vec<Weierstrass<P::BaseField>>) {
        edwards::to_weierstrass::<P>(points, out);
    }

    fn from_edwards(
        map: &EdwardsMap<P::BaseField>,
        point: (P::BaseField, P::BaseField),
    ) -> Option<Self> {
        map.undo(point)?.map(|(x, y)| Self::new_unchecked(x, y))
    }

    #[inline(always)]
    fn as_reduced(&self) -> Option<&Reduced<Self>> {
        Reduced::check(self, self.x.is_reduced() && self.y.is_reduced())
    }
}

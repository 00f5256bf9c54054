//! Mixed additions and repeated doublings in arkworks' coordinates: what Straus' method
//! (`cpu/straus.rs`) needs of a curve.
//!
//! A supertrait of [`Curve`](super::Curve) in a private module, like [`models`](super::models).

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::{self, SWCurveConfig};
use ark_ec::twisted_edwards::{self, TECurveConfig};
use ark_ff::{AdditiveGroup, Field};

use super::edwards::{self, Addend};
use super::{WordField, inverses};

pub trait Mixed: AffineRepr {
    /// A point as [`add_to`](Self::add_to) takes it.
    type Addend: Copy + Send + Sync;

    /// 2^times·P
    fn double_times(point: &mut Self::Group, times: u32) {
        for _ in 0..times {
            point.double_in_place();
        }
    }

    /// Points as addends, by one batch inversion on the calling thread.
    fn addends(points: &[Self::Group]) -> Vec<Self::Addend>;

    /// `sum ← sum ± addend`. If `doubled_next`, a coordinate that doublings do not read may be left
    /// wrong.
    fn add_to(sum: &mut Self::Group, addend: &Self::Addend, negative: bool, doubled_next: bool);

    /// φ of an addend, (β·x, y), on curves that have the endomorphism.
    fn image(
        addend: &Self::Addend,
        beta: &<Self::BaseField as Field>::BasePrimeField,
    ) -> Self::Addend;
}

impl<P> Mixed for short_weierstrass::Affine<P>
where
    P: SWCurveConfig<BaseField: WordField, ScalarField: WordField>,
{
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
}

impl<P> Mixed for twisted_edwards::Affine<P>
where
    P: TECurveConfig<BaseField: WordField, ScalarField: WordField>,
{
    type Addend = Addend<P::BaseField>;

    fn double_times(point: &mut Self::Group, times: u32) {
        edwards::double_times(point, times);
    }

    fn addends(points: &[Self::Group]) -> Vec<Self::Addend> {
        let inverses = inverses(points.iter().map(|p| p.z));
        let addend = |(p, z): (&Self::Group, _)| Addend::new::<P>(p.x * z, p.y * z);
        points.iter().zip(inverses).map(addend).collect()
    }

    fn add_to(sum: &mut Self::Group, addend: &Self::Addend, negative: bool, doubled_next: bool) {
        edwards::add_to(sum, addend, negative, doubled_next);
    }

    fn image(addend: &Self::Addend, _: &<P::BaseField as Field>::BasePrimeField) -> Self::Addend {
        *addend
    }
}

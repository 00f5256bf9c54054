//! arkworks' traits of curve groups.

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, ScalarMul};
use ark_ff::{AdditiveGroup, Zero};
use bucketeer::Curve;

use super::{Affine, Projective};
use crate::convert::Wrapper;

impl<A: AffineRepr> From<Affine<A>> for Projective<A> {
    fn from(point: Affine<A>) -> Self {
        Self(point.0.into())
    }
}

impl<A: AffineRepr> From<Projective<A>> for Affine<A> {
    fn from(point: Projective<A>) -> Self {
        Self(point.0.into())
    }
}

impl<A: AffineRepr> Zero for Projective<A> {
    fn zero() -> Self {
        Self(A::Group::zero())
    }

    fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

impl<A: AffineRepr> AdditiveGroup for Projective<A> {
    type Scalar = A::ScalarField;

    const ZERO: Self = Self(<A::Group as AdditiveGroup>::ZERO);

    fn double(&self) -> Self {
        Self(self.0.double())
    }

    fn double_in_place(&mut self) -> &mut Self {
        self.0.double_in_place();
        self
    }

    fn neg_in_place(&mut self) -> &mut Self {
        self.0.neg_in_place();
        self
    }
}

impl<A: AffineRepr> PrimeGroup for Projective<A> {
    type ScalarField = A::ScalarField;

    fn generator() -> Self {
        Self(A::Group::generator())
    }

    fn mul_bigint(&self, integer: impl AsRef<[u64]>) -> Self {
        Self(self.0.mul_bigint(integer))
    }

    fn mul_bits_be(&self, bits: impl Iterator<Item = bool>) -> Self {
        Self(self.0.mul_bits_be(bits))
    }
}

impl<A: AffineRepr> ScalarMul for Projective<A> {
    type MulBase = Affine<A>;

    const NEGATION_IS_CHEAP: bool = <A::Group as ScalarMul>::NEGATION_IS_CHEAP;

    fn batch_convert_to_mul_base(points: &[Self]) -> Vec<Affine<A>> {
        Wrapper::wrap_vec(A::Group::batch_convert_to_mul_base(Self::unwrap_slice(points)))
    }
}

impl<A: Curve> CurveGroup for Projective<A> {
    type Config = A::Config;
    type BaseField = A::BaseField;
    type Affine = Affine<A>;
    type FullGroup = Affine<A>;

    fn normalize_batch(points: &[Self]) -> Vec<Affine<A>> {
        Wrapper::wrap_vec(A::Group::normalize_batch(Self::unwrap_slice(points)))
    }
}

impl<A: Curve> AffineRepr for Affine<A> {
    type Config = A::Config;
    type ScalarField = A::ScalarField;
    type BaseField = A::BaseField;
    type Group = Projective<A>;

    const GENERATOR: Self = Self(A::GENERATOR);
    const ZERO: Self = Self(A::ZERO);

    fn xy(&self) -> Option<(A::BaseField, A::BaseField)> {
        self.0.xy()
    }

    fn x(&self) -> Option<A::BaseField> {
        self.0.x()
    }

    fn y(&self) -> Option<A::BaseField> {
        self.0.y()
    }

    fn zero() -> Self {
        Self(A::zero())
    }

    fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    fn generator() -> Self {
        Self(A::generator())
    }

    fn from_random_bytes(bytes: &[u8]) -> Option<Self> {
        A::from_random_bytes(bytes).map(Self)
    }

    fn mul_bigint(&self, integer: impl AsRef<[u64]>) -> Projective<A> {
        Projective(self.0.mul_bigint(integer))
    }

    fn clear_cofactor(&self) -> Self {
        Self(self.0.clear_cofactor())
    }

    fn mul_by_cofactor_to_group(&self) -> Projective<A> {
        Projective(self.0.mul_by_cofactor_to_group())
    }

    fn mul_by_cofactor(&self) -> Self {
        Self(self.0.mul_by_cofactor())
    }

    fn mul_by_cofactor_inv(&self) -> Self {
        Self(self.0.mul_by_cofactor_inv())
    }
}

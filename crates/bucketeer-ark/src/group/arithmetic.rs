//! Arithmetic, passed through to arkworks' points.

use std::borrow::Borrow;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use ark_ec::AffineRepr;

use super::{Affine, Projective};

/// A sum or difference of two points, the second by value and by reference.
macro_rules! binary {
    ($operation:ident $method:ident: $($left:ident $right:ident),*) => {$(
        impl<A: AffineRepr> $operation<$right<A>> for $left<A> {
            type Output = Projective<A>;

            fn $method(self, other: $right<A>) -> Projective<A> {
                Projective(self.0.$method(other.0))
            }
        }

        impl<A: AffineRepr> $operation<&$right<A>> for $left<A> {
            type Output = Projective<A>;

            fn $method(self, other: &$right<A>) -> Projective<A> {
                Projective(self.0.$method(other.0))
            }
        }
    )*};
}

binary!(Add add: Affine Affine, Affine Projective, Projective Affine, Projective Projective);
binary!(Sub sub: Affine Affine, Affine Projective, Projective Affine, Projective Projective);

/// The same in place, and what arkworks demands for `&mut` operands.
macro_rules! in_place {
    ($operation:ident $method:ident $binary:ident $binary_method:ident: $($right:ident),*) => {
        $(
            impl<A: AffineRepr> $operation<$right<A>> for Projective<A> {
                fn $method(&mut self, other: $right<A>) {
                    self.0.$method(other.0);
                }
            }

            impl<A: AffineRepr> $operation<&$right<A>> for Projective<A> {
                fn $method(&mut self, other: &$right<A>) {
                    self.0.$method(other.0);
                }
            }
        )*

        impl<A: AffineRepr> $operation<&mut Self> for Projective<A> {
            fn $method(&mut self, other: &mut Self) {
                self.0.$method(other.0);
            }
        }

        impl<A: AffineRepr> $binary<&mut Self> for Projective<A> {
            type Output = Self;

            fn $binary_method(self, other: &mut Self) -> Self {
                Self(self.0.$binary_method(other.0))
            }
        }
    };
}

in_place!(AddAssign add_assign Add add: Affine, Projective);
in_place!(SubAssign sub_assign Sub sub: Affine, Projective);

impl<A: AffineRepr> Neg for Affine<A> {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl<A: AffineRepr> Neg for Projective<A> {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl<A: AffineRepr, S: Borrow<A::ScalarField>> Mul<S> for Affine<A> {
    type Output = Projective<A>;

    fn mul(self, scalar: S) -> Projective<A> {
        Projective(self.0 * *scalar.borrow())
    }
}

impl<A: AffineRepr, S: Borrow<A::ScalarField>> Mul<S> for Projective<A> {
    type Output = Self;

    fn mul(self, scalar: S) -> Self {
        Self(self.0 * *scalar.borrow())
    }
}

impl<A: AffineRepr, S: Borrow<A::ScalarField>> MulAssign<S> for Projective<A> {
    fn mul_assign(&mut self, scalar: S) {
        self.0 *= *scalar.borrow();
    }
}

macro_rules! sums {
    ($($summand:ty),*) => {$(
        impl<'a, A: AffineRepr> Sum<$summand> for Projective<A> {
            fn sum<I: Iterator<Item = $summand>>(points: I) -> Self {
                Self(points.map(|point| point.0).sum())
            }
        }
    )*};
}

sums!(Affine<A>, &'a Affine<A>, Self, &'a Self);

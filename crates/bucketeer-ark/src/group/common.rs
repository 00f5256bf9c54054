//! What both point types have, passed through to arkworks' point.

use std::fmt::{self, Debug, Display, Formatter};
use std::hash::{Hash, Hasher};

use ark_ec::AffineRepr;
use ark_ff::{Field, ToConstraintField};
use ark_std::rand::Rng;
use ark_std::rand::distributions::{Distribution, Standard};
use zeroize::Zeroize;

use super::{Affine, Projective};
use crate::serialize::serialize_as_inner;

macro_rules! pass_through {
    ($point:ident, $inner:ty) => {
        impl<A: AffineRepr> Clone for $point<A> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<A: AffineRepr> Copy for $point<A> {}

        impl<A: AffineRepr> PartialEq for $point<A> {
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }

        impl<A: AffineRepr> Eq for $point<A> {}

        impl<A: AffineRepr> Hash for $point<A> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.hash(state);
            }
        }

        impl<A: AffineRepr> Default for $point<A> {
            fn default() -> Self {
                Self(Default::default())
            }
        }

        impl<A: AffineRepr> Debug for $point<A> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                Debug::fmt(&self.0, f)
            }
        }

        impl<A: AffineRepr> Display for $point<A> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                Display::fmt(&self.0, f)
            }
        }

        impl<A: AffineRepr> Zeroize for $point<A> {
            fn zeroize(&mut self) {
                self.0.zeroize();
            }
        }

        impl<A: AffineRepr> Distribution<$point<A>> for Standard {
            fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> $point<A> {
                $point(<$inner as ark_ff::UniformRand>::rand(rng))
            }
        }

        serialize_as_inner!(A: AffineRepr, $point<A>, $inner);

        impl<A: AffineRepr, F: Field> ToConstraintField<F> for $point<A>
        where
            $inner: ToConstraintField<F>,
        {
            fn to_field_elements(&self) -> Option<Vec<F>> {
                self.0.to_field_elements()
            }
        }
    };
}

pass_through!(Affine, A);
pass_through!(Projective, A::Group);

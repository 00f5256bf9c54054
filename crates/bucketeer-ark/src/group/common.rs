//! What both point types have, passed through to arkworks' point.

use std::fmt::{self, Debug, Display, Formatter};
use std::hash::{Hash, Hasher};
use std::io::{Read, Write};

use ark_ec::AffineRepr;
use ark_ff::{Field, ToConstraintField};
use ark_serialize::{
    CanonicalDeserialize, CanonicalSerialize, Compress, SerializationError, Valid, Validate,
};
use ark_std::rand::Rng;
use ark_std::rand::distributions::{Distribution, Standard};
use zeroize::Zeroize;

use super::{Affine, Projective};

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

        impl<A: AffineRepr> CanonicalSerialize for $point<A> {
            fn serialize_with_mode<W: Write>(
                &self,
                writer: W,
                compress: Compress,
            ) -> Result<(), SerializationError> {
                self.0.serialize_with_mode(writer, compress)
            }

            fn serialized_size(&self, compress: Compress) -> usize {
                self.0.serialized_size(compress)
            }
        }

        impl<A: AffineRepr> Valid for $point<A> {
            const TRIVIAL_CHECK: bool = <$inner as Valid>::TRIVIAL_CHECK;

            fn check(&self) -> Result<(), SerializationError> {
                self.0.check()
            }

            fn batch_check<'a>(
                batch: impl Iterator<Item = &'a Self> + Send,
            ) -> Result<(), SerializationError>
            where
                Self: 'a,
            {
                <$inner as Valid>::batch_check(batch.map(|point| &point.0))
            }
        }

        impl<A: AffineRepr> CanonicalDeserialize for $point<A> {
            fn deserialize_with_mode<R: Read>(
                reader: R,
                compress: Compress,
                validate: Validate,
            ) -> Result<Self, SerializationError> {
                CanonicalDeserialize::deserialize_with_mode(reader, compress, validate).map(Self)
            }
        }

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

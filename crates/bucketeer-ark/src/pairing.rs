//! A pairing whose groups have Bucketeer's MSMs.

use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;

use ark_ec::pairing::{MillerLoopOutput, Pairing, PairingOutput};
use bucketeer::Curve;

use crate::serialize::serialize_as_inner;
use crate::{Affine, Projective};

/// The pairing `E` of arkworks with Bucketeer's MSMs in both groups.
///
/// Scalars, target field and pairings are those of `E`; points are its points, wrapped.
pub struct Fast<E>(PhantomData<fn() -> E>);

impl<E> Clone for Fast<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Fast<E> {}

impl<E> PartialEq for Fast<E> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<E> Eq for Fast<E> {}

impl<E> Debug for Fast<E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Fast")
    }
}

/// A point of a group, prepared for pairings: that of `E`, wrapped.
macro_rules! prepared {
    ($(#[$doc:meta])* $name:ident: $affine:ident) => {
        $(#[$doc])*
        pub struct $name<E: Pairing>(pub E::$name);

        impl<E: Pairing> Clone for $name<E> {
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }

        impl<E: Pairing> Default for $name<E> {
            fn default() -> Self {
                Self(Default::default())
            }
        }

        impl<E: Pairing> PartialEq for $name<E>
        where
            E::$name: PartialEq,
        {
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }

        impl<E: Pairing> Eq for $name<E> where E::$name: Eq {}

        impl<E: Pairing> Debug for $name<E> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                Debug::fmt(&self.0, f)
            }
        }

        serialize_as_inner!(E: Pairing, $name<E>, E::$name);

        impl<E: Pairing> From<Affine<E::$affine>> for $name<E> {
            fn from(point: Affine<E::$affine>) -> Self {
                Self(point.0.into())
            }
        }

        impl<E: Pairing> From<Projective<E::$affine>> for $name<E> {
            fn from(point: Projective<E::$affine>) -> Self {
                Self(E::$name::from(point.0))
            }
        }
    };
}

prepared! {
    /// A point of the first group, prepared for pairings: that of `E`, wrapped.
    G1Prepared: G1Affine
}
prepared! {
    /// A point of the second group, prepared for pairings: that of `E`, wrapped.
    G2Prepared: G2Affine
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> Pairing for Fast<E> {
    type BaseField = E::BaseField;
    type ScalarField = E::ScalarField;
    type G1 = Projective<E::G1Affine>;
    type G1Affine = Affine<E::G1Affine>;
    type G1Prepared = G1Prepared<E>;
    type G2 = Projective<E::G2Affine>;
    type G2Affine = Affine<E::G2Affine>;
    type G2Prepared = G2Prepared<E>;
    type TargetField = E::TargetField;

    fn multi_miller_loop(
        a: impl IntoIterator<Item = impl Into<G1Prepared<E>>>,
        b: impl IntoIterator<Item = impl Into<G2Prepared<E>>>,
    ) -> MillerLoopOutput<Self> {
        let a = a.into_iter().map(|point| point.into().0);
        let b = b.into_iter().map(|point| point.into().0);
        MillerLoopOutput(E::multi_miller_loop(a, b).0)
    }

    fn final_exponentiation(output: MillerLoopOutput<Self>) -> Option<PairingOutput<Self>> {
        E::final_exponentiation(MillerLoopOutput(output.0)).map(|output| PairingOutput(output.0))
    }
}

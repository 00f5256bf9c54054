//! The curves that have a name on the command line, and dispatch from a name to a type.
//!
//! Only this registry and the tests name particular curves; everything else is generic. Adding a
//! curve takes one line here.

use std::fmt;

use crate::{Curve, Error};

/// A curve with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedCurve {
    /// Full name.
    pub name: &'static str,
    /// Short name of a pairing curve's G1.
    pub alias: Option<&'static str>,
    /// Scalars in files and on the command line may be any integers of this many bits. `None`: they
    /// must be below the group order.
    pub scalar_bits: Option<u32>,
}

impl fmt::Display for NamedCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Work that is generic over the curve, to be run for a [`NamedCurve`].
pub trait Visitor {
    /// The result.
    type Output;
    /// Runs for one curve.
    fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Self::Output;
}

macro_rules! named_curves {
    ($($name:literal, $alias:expr, $bits:expr, $point:ty;)*) => {
        /// All named curves.
        pub const CURVES: &[NamedCurve] =
            &[$(NamedCurve { name: $name, alias: $alias, scalar_bits: $bits }),*];

        impl NamedCurve {
            /// Runs the visitor for this curve.
            pub fn visit<V: Visitor>(&'static self, visitor: V) -> V::Output {
                match self.name {
                    $($name => visitor.visit::<$point>(self),)*
                    other => unreachable!("{other} is not in the registry"),
                }
            }
        }
    };
}

named_curves! {
    "bls12-377-g1", Some("bls12-377"), None, ark_bls12_377::G1Affine;
    "bls12-377-g2", None, None, ark_bls12_377::G2Affine;
    "bls12-381-g1", Some("bls12-381"), None, ark_bls12_381::G1Affine;
    "bls12-381-g2", None, None, ark_bls12_381::G2Affine;
    "bn254-g1", Some("bn254"), None, ark_bn254::G1Affine;
    "bn254-g2", None, None, ark_bn254::G2Affine;
    "bw6-761-g1", Some("bw6-761"), None, ark_bw6_761::G1Affine;
    "bw6-761-g2", None, None, ark_bw6_761::G2Affine;
    "ed-on-bls12-377", None, Some(253), ark_ed_on_bls12_377::EdwardsAffine;
    "bandersnatch", None, None, ark_ed_on_bls12_381_bandersnatch::EdwardsAffine;
    "pallas", None, None, ark_pallas::Affine;
    "vesta", None, None, ark_vesta::Affine;
    "grumpkin", None, None, ark_grumpkin::Affine;
    "secp256k1", None, None, ark_secp256k1::Affine;
}

impl NamedCurve {
    /// The curve with this name or alias.
    ///
    /// ```
    /// use bucketeer::curves::NamedCurve;
    /// assert_eq!(NamedCurve::named("bls12-377")?.name, "bls12-377-g1");
    /// assert!(NamedCurve::named("curve25519").is_err());
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<&'static Self, Error> {
        let matches = |curve: &&Self| curve.name == name || curve.alias == Some(name);
        CURVES.iter().find(matches).ok_or_else(|| Error::UnknownName {
            what: "curve",
            name: name.into(),
            expected: CURVES
                .iter()
                .map(|curve| curve.alias.unwrap_or(curve.name))
                .collect::<Vec<_>>()
                .join(", "),
        })
    }
}

//! The curves that have a name on the command line, and dispatch from a name to a type.
//!
//! Only this registry and the tests name particular curves; everything else is generic. Adding a
//! curve takes one line here.

use std::fmt;

/// The crates of the named curves, in the versions that this crate has them in.
#[doc(no_inline)]
pub use {
    ark_bls12_377, ark_bls12_381, ark_bn254, ark_bw6_761, ark_ed_on_bls12_377,
    ark_ed_on_bls12_381_bandersnatch, ark_grumpkin, ark_pallas, ark_secp256k1, ark_vesta,
};

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
    /// The curve with this name or alias. Case, hyphens and underscores do not matter, and bn128,
    /// bn256 and alt_bn128 are other names of bn254.
    ///
    /// ```
    /// use bucketeer::curves::NamedCurve;
    /// assert_eq!(NamedCurve::named("bls12-377")?.name, "bls12-377-g1");
    /// assert_eq!(NamedCurve::named("BLS12_381")?.name, "bls12-381-g1");
    /// assert_eq!(NamedCurve::named("bn128-g2")?.name, "bn254-g2");
    /// assert!(NamedCurve::named("curve25519").is_err());
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<&'static Self, Error> {
        let wanted = canonical(name);
        let is_wanted = |own: &str| canonical(own) == wanted;
        let matches = |curve: &&Self| is_wanted(curve.name) || curve.alias.is_some_and(is_wanted);
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

/// Names of BN254 in other projects, as [`canonical`] writes them.
const BN254: [&str; 3] = ["bn128", "bn256", "altbn128"];

/// A name in lower case without hyphens and underscores.
fn canonical(name: &str) -> String {
    let name: String =
        name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect();
    let group = BN254.iter().find_map(|alias| name.strip_prefix(alias));
    group.map_or(name.clone(), |group| format!("bn254{group}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_projects() {
        for (name, expected) in [
            ("bn128", "bn254-g1"),
            ("BN256", "bn254-g1"),
            ("alt_bn128", "bn254-g1"),
            ("alt-bn128-G2", "bn254-g2"),
            ("bls12_381", "bls12-381-g1"),
            ("Bls12_377_G2", "bls12-377-g2"),
            ("BLS12-381", "bls12-381-g1"),
            ("bls12381", "bls12-381-g1"),
            ("ED_ON_BLS12_377", "ed-on-bls12-377"),
            ("Secp256k1", "secp256k1"),
        ] {
            assert_eq!(NamedCurve::named(name).map(|curve| curve.name), Ok(expected), "{name}");
        }
        for name in ["", "-", "bn128-g3", "bn", "bls12", "altbn", "xbn128"] {
            assert!(NamedCurve::named(name).is_err(), "{name}");
        }
    }

    /// Each name finds its own curve and no other.
    #[test]
    fn canonical_names_are_distinct() {
        for curve in CURVES {
            assert_eq!(NamedCurve::named(curve.name), Ok(curve));
        }
    }
}

//! The curves of this module: all of them, or those that its features name.

use bucketeer::any::AnyCurve;
use bucketeer::curves::NamedCurve;

use crate::failure::Failure;

/// The curve with this name or alias.
#[cfg(feature = "full")]
pub(crate) fn named(name: &str) -> Result<Box<dyn AnyCurve>, Failure> {
    Ok(NamedCurve::named(name)?.any())
}

/// The same for a module of one curve. `NamedCurve::any` would bring the code of every curve.
#[cfg(not(feature = "full"))]
pub(crate) fn named(name: &str) -> Result<Box<dyn AnyCurve>, Failure> {
    let curve = NamedCurve::named(name)?;
    let found = own::find(curve);
    found.ok_or_else(|| Failure::Input(format!("{curve} is not in this module")))
}

#[cfg(not(feature = "full"))]
mod own {
    use bucketeer::any::AnyCurve;
    use bucketeer::curves::{self, NamedCurve};

    macro_rules! curves {
        ($($feature:literal: $module:ident::$point:ident;)*) => {
            pub(super) fn find(curve: &'static NamedCurve) -> Option<Box<dyn AnyCurve>> {
                let mut found = None;
                $(
                    #[cfg(feature = $feature)]
                    {
                        found = found.or_else(|| curve.any_of::<curves::$module::$point>());
                    }
                )*
                found
            }
        };
    }

    curves! {
        "bls12-377-g1": ark_bls12_377::G1Affine;
        "bls12-377-g2": ark_bls12_377::G2Affine;
        "bls12-381-g1": ark_bls12_381::G1Affine;
        "bls12-381-g2": ark_bls12_381::G2Affine;
        "bn254-g1": ark_bn254::G1Affine;
        "bn254-g2": ark_bn254::G2Affine;
        "bw6-761-g1": ark_bw6_761::G1Affine;
        "bw6-761-g2": ark_bw6_761::G2Affine;
        "ed-on-bls12-377": ark_ed_on_bls12_377::EdwardsAffine;
        "bandersnatch": ark_ed_on_bls12_381_bandersnatch::EdwardsAffine;
        "pallas": ark_pallas::Affine;
        "vesta": ark_vesta::Affine;
        "grumpkin": ark_grumpkin::Affine;
        "secp256k1": ark_secp256k1::Affine;
    }
}

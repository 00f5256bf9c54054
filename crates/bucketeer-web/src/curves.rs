//! The curves of this module: all of them, or those of the families that its features name.

use bucketeer::any::AnyCurve;
use bucketeer::curves::NamedCurve;

use crate::failure::Failure;

/// The curve with this name or alias.
#[cfg(feature = "full")]
pub(crate) fn named(name: &str) -> Result<Box<dyn AnyCurve>, Failure> {
    Ok(NamedCurve::named(name)?.any())
}

/// The same for a module of one family. `NamedCurve::any` would bring the code of every curve.
#[cfg(not(feature = "full"))]
pub(crate) fn named(name: &str) -> Result<Box<dyn AnyCurve>, Failure> {
    let curve = NamedCurve::named(name)?;
    let found = families::find(curve);
    found.ok_or_else(|| Failure::Input(format!("{curve} is not in this module")))
}

#[cfg(not(feature = "full"))]
mod families {
    use bucketeer::any::AnyCurve;
    use bucketeer::curves::NamedCurve;

    macro_rules! families {
        ($($feature:literal: $($point:ident :: $affine:ident),*;)*) => {
            pub(super) fn find(curve: &'static NamedCurve) -> Option<Box<dyn AnyCurve>> {
                $($(
                    #[cfg(feature = $feature)]
                    if let Some(found) = curve.any_of::<bucketeer::curves::$point::$affine>() {
                        return Some(found);
                    }
                )*)*
                let _ = curve;
                None
            }
        };
    }

    // A pairing's groups with the curve over its scalar field, which has their arithmetic.
    families! {
        "bls12-377": ark_bls12_377::G1Affine, ark_bls12_377::G2Affine,
            ark_ed_on_bls12_377::EdwardsAffine;
        "bls12-381": ark_bls12_381::G1Affine, ark_bls12_381::G2Affine,
            ark_ed_on_bls12_381_bandersnatch::EdwardsAffine;
        "bn254": ark_bn254::G1Affine, ark_bn254::G2Affine, ark_grumpkin::Affine;
        "bw6-761": ark_bw6_761::G1Affine, ark_bw6_761::G2Affine;
        "pasta": ark_pallas::Affine, ark_vesta::Affine;
        "secp256k1": ark_secp256k1::Affine;
    }
}

//! The point types of each crate and version.

mod halo2curves_0_10 {
    use crate::cases::curve;
    use halo2curves::group::prime::PrimeCurveAffine;
    use halo2curves::group::{Curve, Group as _};
    use halo2curves::{CurveAffine, msm::msm_best as own};

    curve!(bn256_g1, halo2curves::bn256::G1Affine, own);
    curve!(bn256_g2, halo2curves::bn256::G2Affine, own);
    curve!(grumpkin, halo2curves::grumpkin::G1Affine, own);
    curve!(pallas, halo2curves::pasta::PallasAffine, own);
    curve!(vesta, halo2curves::pasta::VestaAffine, own);
    curve!(secp256k1, halo2curves::secp256k1::Secp256k1Affine, own);
}

#[cfg(feature = "axiom")]
mod halo2curves_axiom_0_7 {
    use crate::cases::curve;
    use halo2curves_axiom::group::prime::PrimeCurveAffine;
    use halo2curves_axiom::group::{Curve, Group as _};
    use halo2curves_axiom::{CurveAffine, msm::msm_best as own};

    curve!(bn256_g1, halo2curves_axiom::bn256::G1Affine, own);
    curve!(bn256_g2, halo2curves_axiom::bn256::G2Affine, own);
    curve!(grumpkin, halo2curves_axiom::grumpkin::G1Affine, own);
    // Those of pasta_curves 0.5.
    curve!(pallas, halo2curves_axiom::pasta::pallas::Affine, own);
    curve!(vesta, halo2curves_axiom::pasta::vesta::Affine, own);
    curve!(secp256k1, halo2curves_axiom::secp256k1::Secp256k1Affine, own);
}

/// Has no MSM of its own.
#[cfg(feature = "pasta-0-6")]
mod pasta_curves_0_6 {
    use crate::cases::curve;
    use ::pasta_curves_0_6::arithmetic::CurveAffine;
    use ::pasta_curves_0_6::group::{Curve, CurveAffine as _, Group as _};

    curve!(pallas, ::pasta_curves_0_6::pallas::Affine);
    curve!(vesta, ::pasta_curves_0_6::vesta::Affine);
}

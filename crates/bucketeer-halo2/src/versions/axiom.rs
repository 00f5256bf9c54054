//! halo2curves-axiom 0.7. Its pasta curves are those of pasta_curves 0.5.

use halo2curves_axiom::ff::PrimeField;
use halo2curves_axiom::group::Curve;
use halo2curves_axiom::group::prime::PrimeCurveAffine;
use halo2curves_axiom::{Coordinates, CurveAffine, bn256, grumpkin, secp256k1};

use super::{copy, point};

point! {
    bn256::G1Affine => ark_bn254::G1Affine;
    bn256::G2Affine => ark_bn254::G2Affine;
    grumpkin::G1Affine => ark_grumpkin::Affine;
    secp256k1::Secp256k1Affine => ark_secp256k1::Affine;
}

//! halo2curves 0.10.

use halo2curves::ff::PrimeField;
use halo2curves::group::Curve;
use halo2curves::group::prime::PrimeCurveAffine;
use halo2curves::{Coordinates, CurveAffine, bn256, grumpkin, pasta, secp256k1};

use super::{copy, point};

point! {
    bn256::G1Affine => ark_bn254::G1Affine;
    bn256::G2Affine => ark_bn254::G2Affine;
    grumpkin::G1Affine => ark_grumpkin::Affine;
    pasta::PallasAffine => ark_pallas::Affine;
    pasta::VestaAffine => ark_vesta::Affine;
    secp256k1::Secp256k1Affine => ark_secp256k1::Affine;
}

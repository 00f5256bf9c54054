//! The curves that snarkjs proves on.

use ark_bls12_381::Bls12_381;
use ark_bn254::Bn254;
use ark_ec::pairing::Pairing;
use bucketeer::Curve;

/// A pairing that snarkjs supports.
pub trait SnarkjsPairing: Pairing<G1Affine: Curve, G2Affine: Curve> {
    /// The name in snarkjs' JSON.
    const NAME: &'static str;
}

impl SnarkjsPairing for Bn254 {
    const NAME: &'static str = "bn128";
}

impl SnarkjsPairing for Bls12_381 {
    const NAME: &'static str = "bls12381";
}

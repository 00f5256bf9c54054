//! Verification of proofs by the pairing equation
//! `e(A, B) = e(α, β) · e(Σ sᵢ·ICᵢ, γ) · e(C, δ)`.

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::One;
use bucketeer::io::Zkey;

use crate::{Proof, SnarkjsPairing};

/// What a proof is verified with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyingKey<E: SnarkjsPairing> {
    /// α in G1.
    pub alpha_g1: E::G1Affine,
    /// β in G2.
    pub beta_g2: E::G2Affine,
    /// γ in G2.
    pub gamma_g2: E::G2Affine,
    /// δ in G2.
    pub delta_g2: E::G2Affine,
    /// The points of the constant 1 and of the public signals.
    pub public_g1: Vec<E::G1Affine>,
}

impl<E: SnarkjsPairing> VerifyingKey<E> {
    /// The verifying key that a proving key contains.
    pub fn of(key: &Zkey<E>) -> Self {
        Self {
            alpha_g1: key.alpha_g1,
            beta_g2: key.beta_g2,
            gamma_g2: key.gamma_g2,
            delta_g2: key.delta_g2,
            public_g1: key.public_g1.clone(),
        }
    }

    /// Whether the proof is valid for these public signals. A wrong number of them is not.
    pub fn verify(&self, proof: &Proof<E>, signals: &[E::ScalarField]) -> bool {
        let Some((first, rest)) = self.public_g1.split_first() else { return false };
        if rest.len() != signals.len() {
            return false;
        }
        let products = rest.iter().zip(signals).map(|(point, signal)| *point * signal);
        let inputs = (products.sum::<E::G1>() + first).into_affine();
        let negated = (-proof.a.into_group()).into_affine();
        let product = E::multi_pairing(
            [negated, self.alpha_g1, inputs, proof.c],
            [proof.b, self.beta_g2, self.gamma_g2, self.delta_g2],
        );
        product.0.is_one()
    }
}

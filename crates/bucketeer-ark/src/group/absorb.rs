//! Absorption into sponges, as of arkworks' points.

use ark_crypto_primitives::sponge::Absorb;
use ark_ff::PrimeField;

use super::Affine;

impl<A: Absorb> Absorb for Affine<A> {
    fn to_sponge_bytes(&self, bytes: &mut Vec<u8>) {
        self.0.to_sponge_bytes(bytes);
    }

    fn to_sponge_field_elements<F: PrimeField>(&self, elements: &mut Vec<F>) {
        self.0.to_sponge_field_elements(elements);
    }
}

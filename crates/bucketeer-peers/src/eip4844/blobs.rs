//! Blobs to compare results on.

use ark_bls12_381::Fr;
use ark_ff::UniformRand;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::kzg::to_bytes;
use crate::setup::ELEMENTS;

/// The bytes of field elements.
pub fn blob(elements: impl IntoIterator<Item = Fr>) -> Vec<u8> {
    elements.into_iter().flat_map(|element| to_bytes(&element)).collect()
}

/// A random blob.
pub fn random(seed: u64) -> Vec<u8> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    blob((0..ELEMENTS).map(|_| Fr::rand(&mut rng)))
}

//! Blobs to compare results on.

use ark_bls12_381::Fr;
use ark_ff::{Field, UniformRand};
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

/// Borders: zero, constants, r − 1 everywhere, and a single element at either end.
pub fn borders() -> Vec<(&'static str, Vec<u8>)> {
    let single = |place: usize, value: Fr| {
        blob((0..ELEMENTS).map(move |i| if i == place { value } else { Fr::from(0) }))
    };
    let same = |value: Fr| blob(std::iter::repeat_n(value, ELEMENTS));
    vec![
        ("zero", same(Fr::from(0))),
        ("one everywhere", same(Fr::ONE)),
        ("r - 1 everywhere", same(-Fr::ONE)),
        ("constant", same(Fr::from(0x1234_5678_9abc_def0u64))),
        ("only the first", single(0, Fr::from(7))),
        ("only the last, r - 1", single(ELEMENTS - 1, -Fr::ONE)),
        ("small", blob((0..ELEMENTS as u64).map(Fr::from))),
    ]
}

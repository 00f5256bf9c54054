//! Field elements as 64-bit words.
//!
//! arkworks keeps a prime-field element as `N` little-endian words of its Montgomery form `x·2^(64N)`
//! and an extension element as its components one after the other. Backends with arithmetic of their
//! own read and write those words directly. Whether a field really has this form is tested
//! on its values ([`is_montgomery`]), so a field that arkworks or a user represents otherwise is
//! recognised and takes the portable path.

use ark_ff::{Field, PrimeField};
use num_bigint::BigUint;

/// Whether elements of `F` are exactly their Montgomery words.
pub(crate) fn is_montgomery<F: Field>() -> bool {
    let limbs = F::characteristic().len();
    let components = F::extension_degree() as usize;
    if size_of::<F>() != components * limbs * 8 || align_of::<F>() != 8 {
        return false;
    }
    let modulus: BigUint = F::BasePrimeField::MODULUS.into();
    // One probe per component: element with 3 + i in place i, zero elsewhere.
    (0..components).all(|i| {
        let value = F::BasePrimeField::from(3 + i as u64);
        let parts =
            (0..components).map(|j| if i == j { value } else { F::BasePrimeField::from(0u64) });
        let Some(element) = F::from_base_prime_field_elems(parts) else { return false };
        let expected = (BigUint::from(3 + i as u64) << (64 * limbs)) % &modulus;
        to_words(&element).chunks(limbs).enumerate().all(|(j, words)| {
            let found = from_le_words(words);
            found == if i == j { expected.clone() } else { BigUint::ZERO }
        })
    })
}

/// The integer with these little-endian words.
pub(super) fn from_le_words(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |sum, &word| (sum << 64) + word)
}

/// The words of `element`. Meaningful only if [`is_montgomery`].
pub(crate) fn to_words<F: Field>(element: &F) -> &[u64] {
    let words = size_of::<F>() / 8;
    assert!(align_of::<F>() >= align_of::<u64>());
    // SAFETY: the slice covers only the element's own bytes, at sufficient alignment. Fields of
    // arkworks consist of u64 arrays without padding, so every byte is initialised.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(element).cast(), words) }
}

/// The element with these words, which must come from reduced values of a field that
/// [`is_montgomery`].
pub(crate) fn from_words<F: Field>(words: &[u64]) -> F {
    assert_eq!(size_of::<F>(), words.len() * 8);
    let mut element = F::ZERO;
    // SAFETY: source and target are `words.len()` words long, distinct, and any word values are
    // valid for a type that consists of u64 arrays.
    unsafe {
        std::ptr::copy_nonoverlapping(
            words.as_ptr().cast::<u8>(),
            std::ptr::from_mut(&mut element).cast::<u8>(),
            size_of::<F>(),
        );
    }
    element
}

/// 1/m mod 2^64 for odd m.
pub(crate) fn inverse_of_odd(m: u64) -> u64 {
    // Newton: each step doubles the correct bits, of which there is one at first.
    (0..6).fold(1u64, |x, _| x.wrapping_mul(2u64.wrapping_sub(m.wrapping_mul(x))))
}

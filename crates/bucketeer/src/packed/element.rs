//! One field element as bytes.

use ark_ff::{BigInteger, Field, PrimeField};

use super::Representation;
use crate::curve::FieldWords;

/// Words of the largest element that needs no allocation: those of a quadratic extension of a field
/// of 768 bits.
const MOST_WORDS: usize = 24;

/// Does something with so many words, which are zero.
fn with_words<R>(count: usize, work: impl FnOnce(&mut [u64]) -> R) -> R {
    match count <= MOST_WORDS {
        true => work(&mut [0; MOST_WORDS][..count]),
        false => work(&mut vec![0; count]),
    }
}

/// The element with these bytes; `None` if a component is not below the modulus.
pub(super) fn read<F: FieldWords>(bytes: &[u8], representation: Representation) -> Option<F> {
    if representation == Representation::Montgomery {
        return montgomery_element(bytes);
    }
    let mut reduced = true;
    let components = bytes.chunks_exact(component_bytes::<F>()).map(|bytes| {
        let value = read_integer::<F::BasePrimeField>(bytes, representation);
        reduced &= value.is_some();
        value.unwrap_or_default()
    });
    F::from_base_prime_field_elems(components).filter(|_| reduced)
}

/// The element with these little-endian bytes of its Montgomery form, if each component is below
/// the modulus.
pub(crate) fn montgomery_element<F: FieldWords>(bytes: &[u8]) -> Option<F> {
    if bytes.len() != 8 * F::WORDS {
        return None;
    }
    let element = with_words(F::WORDS, |words| {
        read_words(bytes, words);
        F::read_words(words)
    });
    Some(element).filter(F::is_reduced)
}

/// Little-endian words, the last one of fewer bytes if there are no more.
pub(super) fn read_words(bytes: &[u8], words: &mut [u64]) {
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
        *word = bytes.iter().rev().fold(0, |word, &byte| (word << 8) | u64::from(byte));
    }
}

fn read_integer<F: PrimeField>(bytes: &[u8], representation: Representation) -> Option<F> {
    let mut integer = F::BigInt::default();
    let words = integer.as_mut();
    match representation {
        Representation::BigEndian => read_words_be(bytes, words),
        _ => read_words(bytes, words),
    }
    F::from_bigint(integer)
}

/// The words of a big-endian integer.
pub(super) fn read_words_be(bytes: &[u8], words: &mut [u64]) {
    for (word, bytes) in words.iter_mut().zip(bytes.rchunks(8)) {
        *word = bytes.iter().fold(0, |word, &byte| (word << 8) | u64::from(byte));
    }
}

/// Writes an element into [`FieldWords::WORDS`] · 8 bytes.
pub(super) fn write<F: FieldWords>(element: &F, representation: Representation, out: &mut [u8]) {
    if representation == Representation::Montgomery {
        return with_words(F::WORDS, |words| {
            element.write_words(words);
            for (word, out) in words.iter().zip(out.chunks_exact_mut(8)) {
                out.copy_from_slice(&word.to_le_bytes());
            }
        });
    }
    let places = out.chunks_exact_mut(component_bytes::<F>());
    for (component, out) in element.to_base_prime_field_elements().zip(places) {
        let integer = component.into_bigint();
        let bytes = match representation {
            Representation::BigEndian => integer.to_bytes_be(),
            _ => integer.to_bytes_le(),
        };
        out.copy_from_slice(&bytes);
    }
}

/// Bytes of a component of an element.
fn component_bytes<F: Field>() -> usize {
    8 * <F::BasePrimeField as PrimeField>::BigInt::NUM_LIMBS
}

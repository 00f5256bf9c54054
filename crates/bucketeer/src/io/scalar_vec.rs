//! Scalars from and to files.

use ark_ff::PrimeField;
use num_bigint::BigUint;

use super::blocks::Elements;
use super::point::prime_from_le;
use super::{Malformed, ReadOptions};
use crate::ScalarVec;
use crate::curves::NamedCurve;

impl<F: PrimeField> ScalarVec<F> {
    /// An empty vector for this curve.
    pub(super) fn new(curve: &NamedCurve) -> Self {
        match curve.scalar_bits {
            None => Self::Residues(Vec::new()),
            Some(bits) => {
                Self::Integers { words: Vec::new(), words_each: bits.div_ceil(64) as usize, bits }
            }
        }
    }

    /// Appends a little-endian integer, or returns why it is not a scalar.
    pub(super) fn push(&mut self, bytes: &[u8], options: &ReadOptions) -> Result<(), String> {
        match self {
            Self::Residues(residues) => residues.push(residue(bytes, options)?),
            Self::Integers { words, words_each, bits } => {
                let start = words.len();
                words.resize(start + *words_each, 0);
                integer::<F>(bytes, *bits, options, &mut words[start..])?;
            }
        }
        Ok(())
    }

    /// Scalars from consecutive little-endian integers.
    pub(super) fn parse(
        elements: &Elements<'_>,
        curve: &NamedCurve,
        options: &ReadOptions,
    ) -> Result<Self, Malformed> {
        Ok(match Self::new(curve) {
            Self::Residues(_) => Self::Residues(elements.parse(1, F::ZERO, |bytes, out| {
                out[0] = residue(bytes, options)?;
                Ok(())
            })?),
            Self::Integers { words_each, bits, .. } => {
                let read = |bytes: &[u8], out: &mut [u64]| integer::<F>(bytes, bits, options, out);
                Self::Integers { words: elements.parse(words_each, 0, read)?, words_each, bits }
            }
        })
    }

    /// Bytes of one scalar in the arkworks format.
    pub(super) fn element_bytes(bits: Option<u32>) -> usize {
        F::ZERO.uncompressed_size().max(bits.unwrap_or(0).div_ceil(8) as usize)
    }

    /// Calls `each` with every scalar, as a little-endian integer of [`Self::element_bytes`].
    pub(super) fn try_for_each<E>(
        &self,
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut write = |words: &mut dyn Iterator<Item = u64>, length: usize| {
            let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
            bytes.resize(length, 0);
            each(&bytes)
        };
        match self {
            Self::Residues(residues) => {
                let length = Self::element_bytes(None);
                residues.iter().try_for_each(|residue| {
                    write(&mut residue.into_bigint().as_ref().iter().copied(), length)
                })
            }
            Self::Integers { words, words_each, bits } => {
                let length = Self::element_bytes(Some(*bits));
                let mut chunks = words.chunks_exact((*words_each).max(1));
                chunks.try_for_each(|integer| write(&mut integer.iter().copied(), length))
            }
        }
    }
}

fn residue<F: PrimeField>(bytes: &[u8], options: &ReadOptions) -> Result<F, String> {
    match prime_from_le(bytes) {
        Some(residue) => Ok(residue),
        None if options.reduce => Ok(reduced(bytes)),
        None => Err("not below the group order".into()),
    }
}

/// Writes an integer below `2^bits` to `words`.
fn integer<F: PrimeField>(
    bytes: &[u8],
    bits: u32,
    options: &ReadOptions,
    words: &mut [u64],
) -> Result<(), String> {
    let value = BigUint::from_bytes_le(bytes);
    let value = if value.bits() <= u64::from(bits) {
        value
    } else if options.reduce {
        reduced::<F>(bytes).into()
    } else {
        return Err(format!("not below 2^{bits}"));
    };
    for (word, digit) in words.iter_mut().zip(value.iter_u64_digits()) {
        *word = digit;
    }
    Ok(())
}

fn reduced<F: PrimeField>(bytes: &[u8]) -> F {
    F::from_le_bytes_mod_order(bytes)
}

//! Scalars as a device gets them: the bytes the caller has.

use std::ops::Range;

use ark_ff::PrimeField;

use crate::parallel::loops::*;
use crate::plan::ScalarBound;
use crate::scalars::{Data, ScalarLayout};
use crate::{Error, Scalars, WordField};

/// Scalars of one MSM or of several, as bytes.
pub(crate) struct Raw<'a> {
    /// The scalars of each MSM.
    pub parts: Vec<&'a [u8]>,
    /// Bytes of a scalar.
    pub bytes: usize,
    /// Whether scalars are residues in Montgomery form.
    pub montgomery: bool,
    /// Scalars of the longest; shorter ones are filled up with zeros.
    pub length: usize,
    pub bound: ScalarBound,
}

impl<'a> Raw<'a> {
    /// Scalars of one layout and bound, for MSMs of which the longest has `length`.
    pub(crate) fn new<F: PrimeField + WordField>(batch: &[Scalars<'a, F>], length: usize) -> Self {
        fn bytes<T>(values: &[T]) -> &[u8] {
            // SAFETY: the callers pass integers, booleans, and elements of fields that consist of
            // words (`WordField`) and are exactly as long (`is_montgomery`, which `supported`
            // demands): no padding, so every byte is initialised.
            unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
        }
        let part = |scalars: &Scalars<'a, F>| match scalars.data {
            Data::Residues(s) => bytes(s),
            Data::Bools(s) => bytes(s),
            Data::U8(s) => s,
            Data::U16(s) => bytes(s),
            Data::U32(s) => bytes(s),
            // Whole scalars only: surplus words are ignored.
            Data::Words { data, words } => bytes(&data[..data.len() / words * words]),
        };
        let parts = batch.iter().map(part).collect();
        let (layout, bound) = match batch.first() {
            Some(first) => (first.layout(), first.bound()),
            None => (ScalarLayout { bytes: 1, montgomery: false }, ScalarBound::Bits(1)),
        };
        let ScalarLayout { bytes, montgomery } = layout;
        Self { parts, bytes, montgomery, length, bound }
    }

    /// Scalars in all.
    pub(crate) fn len(&self) -> usize {
        self.parts.len() * self.length
    }

    /// Copies a range, by several threads.
    pub(crate) fn fill(&self, range: &Range<usize>, out: &mut [u8]) {
        const BLOCK: usize = 1 << 16;
        let row = self.length * self.bytes;
        out.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
            let mut at = range.start * self.bytes + block * BLOCK;
            let mut out = out;
            while !out.is_empty() {
                let (part, within) = (self.parts[at / row], at % row);
                let length = out.len().min(row - within);
                let (own, rest) = out.split_at_mut(length);
                let there = part.len().saturating_sub(within).min(length);
                own[..there].copy_from_slice(&part[part.len().min(within)..][..there]);
                own[there..].fill(0);
                (at, out) = (at + length, rest);
            }
        });
    }

    /// The error for the scalar with this index.
    pub(crate) fn too_large(&self, index: usize) -> Error {
        let error = self.bound.exceeded(index % self.length);
        match self.parts.len() {
            1 => error,
            _ => Error::Batch { index: index / self.length, source: Box::new(error) },
        }
    }
}

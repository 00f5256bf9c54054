//! Scalars in the form that files and bytes have them.

use crate::{AsScalars, Scalars};

/// Scalars from a file: residues, or integers on curves whose scalars may exceed the group order
/// ([`NamedCurve::scalar_bits`](crate::curves::NamedCurve::scalar_bits)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScalarVec<F> {
    /// Residues modulo the group order.
    Residues(Vec<F>),
    /// Integers below `2^bits`, of `words_each` little-endian words each.
    Integers {
        /// All words.
        words: Vec<u64>,
        /// Words of one integer.
        words_each: usize,
        /// The bound.
        bits: u32,
    },
}

impl<F> ScalarVec<F> {
    /// The number of scalars.
    pub fn len(&self) -> usize {
        match self {
            Self::Residues(residues) => residues.len(),
            Self::Integers { words, words_each, .. } => words.len() / (*words_each).max(1),
        }
    }

    /// Keeps the first scalars, at most `count` of them.
    pub fn truncate(&mut self, count: usize) {
        match self {
            Self::Residues(residues) => residues.truncate(count),
            Self::Integers { words, words_each, .. } => {
                words.truncate(count.saturating_mul(*words_each));
            }
        }
    }

    /// Whether there are no scalars.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<F> AsScalars<F> for ScalarVec<F> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        match self {
            Self::Residues(residues) => Scalars::residues(residues),
            Self::Integers { words, words_each, bits } => {
                Scalars::words(words, *words_each).with_bits(*bits)
            }
        }
    }
}

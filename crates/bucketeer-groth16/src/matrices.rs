//! The matrices A and B of a circuit, and their products with a witness.
//!
//! Entries are sorted by row once, when the key is loaded. Rows are then independent, and threads
//! share them.

use ark_ff::PrimeField;
use bucketeer::io::{Coefficient, Matrix};
use rayon::prelude::*;

/// Rows that a thread takes at a time.
const BLOCK: usize = 1 << 10;

/// Both matrices.
pub(crate) struct Matrices<F> {
    a: SparseMatrix<F>,
    b: SparseMatrix<F>,
}

impl<F: PrimeField> Matrices<F> {
    /// The matrices with these entries, of `rows` rows each. Every constraint is below `rows`.
    pub(crate) fn new(coefficients: &[Coefficient<F>], rows: usize) -> Self {
        let of = |matrix| SparseMatrix::new(coefficients, matrix, rows);
        let (a, b) = rayon::join(|| of(Matrix::A), || of(Matrix::B));
        Self { a, b }
    }

    /// `A·w` and `B·w`. Every signal has a value in the witness.
    pub(crate) fn times(&self, witness: &[F]) -> [Vec<F>; 2] {
        [self.a.times(witness), self.b.times(witness)]
    }
}

/// Entries sorted by row.
struct SparseMatrix<F> {
    /// Where each row begins in `entries`, and where the last one ends.
    starts: Vec<usize>,
    /// Column and value.
    entries: Vec<(u32, F)>,
}

impl<F: PrimeField> SparseMatrix<F> {
    fn new(coefficients: &[Coefficient<F>], matrix: Matrix, rows: usize) -> Self {
        let own = || coefficients.iter().filter(|entry| entry.matrix == matrix);
        let mut starts = vec![0; rows + 1];
        own().for_each(|entry| starts[entry.constraint as usize + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, F::ZERO); starts[rows]];
        for entry in own() {
            let place = &mut next[entry.constraint as usize];
            entries[*place] = (entry.signal, entry.value);
            *place += 1;
        }
        Self { starts, entries }
    }

    fn times(&self, witness: &[F]) -> Vec<F> {
        let mut products = vec![F::ZERO; self.starts.len() - 1];
        products.par_chunks_mut(BLOCK).zip(self.starts.par_chunks(BLOCK)).enumerate().for_each(
            |(block, (products, starts))| {
                let end = self.starts.get((block + 1) * BLOCK).copied();
                let ends = starts[1..].iter().copied().chain(end);
                for ((product, &start), end) in products.iter_mut().zip(starts).zip(ends) {
                    let row = &self.entries[start..end];
                    *product =
                        row.iter().map(|(column, value)| witness[*column as usize] * value).sum();
                }
            },
        );
        products
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bn254::Fr;

    /// Entries in any order, of one cell twice, and rows across blocks.
    #[test]
    fn products_are_those_of_the_definition() {
        let rows = 2 * BLOCK + 3;
        let entry = |i: usize| Coefficient {
            matrix: if i.is_multiple_of(3) { Matrix::B } else { Matrix::A },
            constraint: (i * 7919 % rows) as u32,
            signal: (i % 5) as u32,
            value: Fr::from(i as u64 + 1),
        };
        let coefficients: Vec<_> = (0..5000).map(entry).chain([entry(7), entry(9)]).collect();
        let witness: Vec<Fr> = (0..5u64).map(|i| Fr::from(i * i + 1)).collect();
        let mut expected = [vec![Fr::from(0u64); rows], vec![Fr::from(0u64); rows]];
        for entry in &coefficients {
            let own = &mut expected[usize::from(entry.matrix == Matrix::B)];
            own[entry.constraint as usize] += entry.value * witness[entry.signal as usize];
        }
        assert_eq!(Matrices::new(&coefficients, rows).times(&witness), expected);
    }
}

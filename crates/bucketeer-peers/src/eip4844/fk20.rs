//! The proofs of all cells of a blob (EIP-7594) by the method of Feist and Khovratovich.
//!
//! The polynomial of a blob has 4096 coefficients, a cell 64 values. The proofs of the 128 cells
//! are a Fourier transform of 64 points h, and h is a sum of 64 products of Toeplitz matrices with
//! slices of the setup. The matrices become diagonal under a transform of size 128:
//!
//! 1. Once: the transforms of the 64 slices of the setup, loaded as 128 bases of 64 points each.
//! 2. The transforms of the 64 columns of coefficients.
//! 3. 128 MSMs of 64 points: row by row, over the columns.
//! 4. Transformed back, cut to 64 points and transformed again: the proofs.

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::AdditiveGroup;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use bucketeer::{Bases, Device, msm_resident};
use rayon::prelude::*;

use crate::Outcome;
use crate::kzg::{Compressed, compress, elements};
use crate::setup::{ELEMENTS, fft, reverse_bits};

/// Values of a cell.
const CELL: usize = 64;
/// Cells of a blob, which is extended to twice its length.
pub const CELLS: usize = 2 * ELEMENTS / CELL;
/// Points of h.
const SLICE: usize = ELEMENTS / CELL;

/// The setup, loaded.
pub struct Fk20 {
    /// For each of the rows, the points of its MSM.
    points: Vec<Vec<G1Affine>>,
    bases: Vec<Bases<G1Affine>>,
    transform: Radix2EvaluationDomain<Fr>,
}

impl Fk20 {
    /// Step 1; with tables of at most `table` bytes for each row if that is not zero.
    pub fn new(device: &Device, powers: &[G1Affine], table: u64) -> Outcome<Self> {
        let transform = fft(CELLS)?;
        let column = |offset: usize| {
            let last = ELEMENTS - CELL - 1 - offset;
            let mut slice = vec![G1Projective::ZERO; CELLS];
            for (j, point) in slice.iter_mut().take(SLICE - 1).enumerate() {
                *point = powers[last - j * CELL].into_group();
            }
            G1Projective::normalize_batch(&transform.fft(&slice))
        };
        let columns: Vec<_> = (0..CELL).into_par_iter().map(column).collect();
        let row = |i: usize| columns.iter().map(|column| column[i]).collect::<Vec<_>>();
        let points: Vec<_> = (0..CELLS).map(row).collect();
        let load = |points: &Vec<G1Affine>| match table {
            0 => Bases::load(device, points),
            bytes => Bases::builder().auto_precompute().memory_limit(bytes).load(device, points),
        };
        let bases = points.iter().map(load).collect::<Result<_, _>>()?;
        Ok(Self { points, bases, transform })
    }

    /// Step 2: the scalars of each row, from the coefficients of the polynomial.
    pub fn scalars(&self, blob: &[u8]) -> Outcome<Vec<Vec<Fr>>> {
        let mut values = elements(blob)?;
        reverse_bits(&mut values);
        let coefficients = fft(ELEMENTS)?.ifft(&values);
        let column = |offset: usize| {
            let mut circulant = vec![Fr::ZERO; CELLS];
            circulant[0] = coefficients[ELEMENTS - 1 - offset];
            for j in 0..SLICE - 2 {
                circulant[SLICE + 2 + j] = coefficients[(j + 2) * CELL - offset - 1];
            }
            self.transform.fft(&circulant)
        };
        let columns: Vec<_> = (0..CELL).into_par_iter().map(column).collect();
        Ok((0..CELLS).map(|i| columns.iter().map(|column| column[i]).collect()).collect())
    }

    /// Step 3.
    pub fn sums(&self, scalars: &[Vec<Fr>]) -> Outcome<Vec<G1Projective>> {
        let rows = self.bases.iter().map(|bases| bases.slice(..)).zip(scalars);
        Ok(msm_resident(&rows.collect::<Vec<_>>())?)
    }

    /// The points of the MSMs.
    pub fn points(&self) -> &[Vec<G1Affine>] {
        &self.points
    }

    /// The proofs of all cells, as `compute_cells_and_kzg_proofs` orders them.
    pub fn prove(&self, blob: &[u8]) -> Outcome<Vec<Compressed>> {
        let sums = self.sums(&self.scalars(blob)?)?;
        let mut h = self.transform.ifft(&sums);
        h[SLICE..].fill(G1Projective::ZERO);
        let mut proofs = self.transform.fft(&h);
        reverse_bits(&mut proofs);
        proofs.into_iter().map(compress).collect()
    }
}

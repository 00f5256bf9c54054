//! Bases in the kernel's form: for base i the copies `2^(j·shift)·P` (j < f), each followed by its
//! image under the endomorphism where the plan uses it.

use ark_ff::Field;
use rayon::prelude::*;

use super::arithmetic::{Coordinates, Pair};
use crate::curve::Weierstrass;
use crate::plan::Table;
use crate::{Curve, CurveSpec};

/// Bases converted at once by one worker.
const BLOCK: usize = 512;

/// Stored points per base.
pub(crate) fn copies(table: &Table) -> usize {
    table.precompute as usize * (1 + usize::from(table.endomorphism))
}

/// Fills `out` with the table of `points`.
pub(crate) fn fill<C: Curve, A: Coordinates<C::BaseField>>(
    arithmetic: &A,
    curve: &CurveSpec,
    table: &Table,
    points: &[C],
    out: &mut [A::Point],
) {
    let copies = copies(table);
    let beta = curve
        .endomorphism
        .as_ref()
        .filter(|_| table.endomorphism)
        .map(|e| <C::BaseField as Field>::BasePrimeField::from(e.beta.clone()));
    let shift = table.window_bits * table.bucket_sets;
    out.par_chunks_mut(BLOCK * copies).zip(points.par_chunks(BLOCK)).for_each_init(
        || (Vec::new(), Vec::new()),
        |(coordinates, scratch): &mut (Vec<Weierstrass<C::BaseField>>, Vec<A::Point>),
         (out, points)| {
            C::to_weierstrass(points, coordinates);
            if copies == 1 {
                arithmetic.pack(coordinates, out);
                return;
            }
            let halves = 1 + usize::from(beta.is_some());
            scratch.clear();
            scratch.resize(halves * points.len(), A::INFINITY);
            let (plain, images) = scratch.split_at_mut(points.len());
            arithmetic.pack(coordinates, plain);
            if let Some(beta) = &beta {
                for (x, _) in coordinates.iter_mut().flatten() {
                    *x = x.mul_by_base_prime_field(beta);
                }
                arithmetic.pack(coordinates, images);
            }
            spread(scratch, points.len(), 0, copies, out);
            for copy in 1..table.precompute as usize {
                double(arithmetic, scratch, shift);
                spread(scratch, points.len(), copy, copies, out);
            }
        },
    );
}

/// Writes one copy of a block's points, all plain points followed by all images, to their places.
fn spread<P: Copy>(points: &[P], bases: usize, copy: usize, copies: usize, out: &mut [P]) {
    let halves = points.len() / bases;
    for (half, points) in points.chunks(bases).enumerate() {
        for (base, point) in points.iter().enumerate() {
            out[base * copies + copy * halves + half] = *point;
        }
    }
}

/// Doubles every point `times` times.
fn double<F, A: Coordinates<F>>(arithmetic: &A, points: &mut Vec<A::Point>, times: u32) {
    let pairs: Vec<_> = (0..points.len() as u32).map(|i| Pair { a: i, b: i, out: i }).collect();
    let mut doubled = points.clone();
    let mut scratch = A::Scratch::default();
    for _ in 0..times {
        arithmetic.add_pairs(points, &pairs, &mut doubled, &mut scratch);
        std::mem::swap(points, &mut doubled);
    }
}

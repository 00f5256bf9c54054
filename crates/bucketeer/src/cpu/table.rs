//! Bases in the kernel's form: for base i the copies `2^(j·shift)·P` (j < f), each followed by its
//! image under the endomorphism where the plan uses it.
//!
//! A table that serves one MSM is made after the scalars were decomposed and leaves out what they do not
//! use: bases whose scalar is zero, and images whose half of the scalar is zero. Their places hold
//! anything; no entry leads there.

use std::ops::Range;

use rayon::prelude::*;

use super::decompose::Decomposed;
use super::formulas::write;
use super::kernel::{Infinity, Kernel, Pairs, Point, Scratch};
use crate::plan::Table;
use crate::{Curve, Model, parallel};

/// Bases converted at once by one worker.
const BLOCK: usize = 512;

/// Stored points per base.
pub(crate) fn copies(table: &Table) -> usize {
    table.precompute as usize * (1 + usize::from(table.endomorphism))
}

/// The coordinates that bases are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coordinates {
    /// Of the curve's own model.
    Own,
    /// Of its short Weierstrass form.
    Weierstrass,
}

/// Bases as arkworks' words, whatever their type.
pub(crate) trait BaseSource: Sync {
    /// Writes the bases with these indices as points of `width` words each, all ones for infinity.
    fn write(&self, bases: &[usize], coordinates: Coordinates, width: usize, out: &mut [u64]);
}

impl<C: Curve> BaseSource for &[C] {
    fn write(&self, bases: &[usize], coordinates: Coordinates, width: usize, out: &mut [u64]) {
        let put = |out: &mut [u64], point| match point {
            Some((x, y)) => {
                let (first, second) = out.split_at_mut(width / 2);
                write::<C::BaseField>(&x, first);
                write::<C::BaseField>(&y, second);
            }
            None => out.fill(u64::MAX),
        };
        let places = out.chunks_exact_mut(width);
        let weierstrass = matches!(C::model(), Model::ShortWeierstrass { .. });
        if weierstrass || coordinates == Coordinates::Own {
            for (&base, out) in bases.iter().zip(places) {
                put(out, self[base].xy());
            }
        } else {
            let points: Vec<C> = bases.iter().map(|&base| self[base]).collect();
            let mut converted = Vec::new();
            C::to_weierstrass(&points, &mut converted);
            for (point, out) in converted.into_iter().zip(places) {
                put(out, point);
            }
        }
    }
}

/// Fills `out` with the table of the bases in `range`, or with what these digits of theirs refer to.
pub(crate) fn fill<const W: usize>(
    kernel: &dyn Kernel<W>,
    table: &Table,
    source: &dyn BaseSource,
    range: Range<usize>,
    digits: Option<&Decomposed>,
    threads: usize,
    out: &mut [Point<W>],
) {
    let copies = copies(table);
    let halves = 1 + usize::from(table.endomorphism);
    let shift = table.window_bits * table.bucket_sets;
    let blocks = out.par_chunks_mut(BLOCK * copies).enumerate();
    let blocks = blocks.with_min_len(parallel::grain(threads > 1));
    blocks.for_each_init(Default::default, |(bases, points): &mut (Vec<_>, Vec<_>), (i, out)| {
        let first = range.start + i * BLOCK;
        for half in 0..halves {
            let used = |base: &usize| {
                digits.is_none_or(|digits| !digits.is_zero(*base - range.start, half))
            };
            bases.clear();
            bases.extend((first..first + out.len() / copies).filter(used));
            points.resize(bases.len(), Infinity::POINT);
            source.write(bases, kernel.base_coordinates(), W, points.as_flattened_mut());
            kernel.import_bases(points, half == 1);
            for copy in 0..table.precompute as usize {
                if copy > 0 {
                    double(kernel, points, shift);
                }
                for (base, point) in bases.iter().zip(&*points) {
                    out[(base - first) * copies + copy * halves + half] = *point;
                }
            }
        }
    });
}

/// Doubles every point `times` times.
fn double<const W: usize>(kernel: &dyn Kernel<W>, points: &mut Vec<Point<W>>, times: u32) {
    let mut pairs = Pairs::default();
    pairs.clear(points.len());
    pairs.extend((0..points.len()).map(|i| (i as u32, i as u32)), 0);
    let mut doubled = points.clone();
    let mut scratch = Scratch::default();
    for _ in 0..times {
        kernel.add_pairs(points, &mut pairs, &mut doubled, &mut scratch);
        std::mem::swap(points, &mut doubled);
    }
}

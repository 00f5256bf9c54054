//! Bases in the kernel's form: for base i the copies `2^(j·shift)·P` (j < f), each followed by its
//! image under the endomorphism where the plan uses it; and of each of these its odd multiples, where it uses them.
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
                let point = &self[base];
                // A branch beside the copy: coordinates that went through one are copied twice.
                if point.is_reduced() {
                    put(out, point.xy());
                } else {
                    put(out, point.reduced().xy());
                }
            }
        } else {
            let points: Vec<C> = bases.iter().map(|&base| self[base].reduced()).collect();
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
    let (stored, multiples) = (table.stored(), table.odd_multiples as usize);
    let halves = 1 + usize::from(table.endomorphism);
    let shift = table.window_bits * table.bucket_sets;
    let blocks = out.par_chunks_mut(BLOCK * stored).enumerate();
    let blocks = blocks.with_min_len(parallel::grain(threads > 1));
    blocks.for_each_init(Default::default, |(bases, points): &mut (Vec<_>, Vec<_>), (i, out)| {
        let first = range.start + i * BLOCK;
        for half in 0..halves {
            let used = |base: &usize| {
                digits.is_none_or(|digits| !digits.is_zero(*base - range.start, half))
            };
            bases.clear();
            bases.extend((first..first + out.len() / stored).filter(used));
            points.resize(bases.len(), Infinity::POINT);
            source.write(bases, kernel.base_coordinates(), W, points.as_flattened_mut());
            kernel.import_bases(points, half == 1);
            for copy in 0..table.precompute as usize {
                if copy > 0 {
                    double(kernel, points, shift);
                }
                let place = (copy * halves + half) * multiples;
                let mut put = |multiple: usize, points: &[Point<W>]| {
                    for (base, point) in bases.iter().zip(points) {
                        out[(base - first) * stored + place + multiple] = *point;
                    }
                };
                put(0, points);
                if multiples > 1 {
                    odd_multiples(kernel, points, multiples, put);
                }
            }
        }
    });
}

/// Doubles every point `times` times.
fn double<const W: usize>(kernel: &dyn Kernel<W>, points: &mut Vec<Point<W>>, times: u32) {
    let mut pairs = pairs(points.len(), |i| (i, i));
    let mut doubled = points.clone();
    let mut scratch = Scratch::default();
    for _ in 0..times {
        kernel.add_pairs(points, &mut pairs, &mut doubled, &mut scratch);
        std::mem::swap(points, &mut doubled);
    }
}

/// Yields 3P, 5P … of all points P as multiples 1, 2 … of `count`.
fn odd_multiples<const W: usize>(
    kernel: &dyn Kernel<W>,
    points: &[Point<W>],
    count: usize,
    mut put: impl FnMut(usize, &[Point<W>]),
) {
    let length = points.len();
    let mut twice = points.to_vec();
    double(kernel, &mut twice, 1);
    // The last multiples, and twice the points behind them.
    let mut both = [points, &twice].concat();
    let mut next = twice;
    let mut pairs = pairs(length, |i| (i, i + length));
    let mut scratch = Scratch::default();
    for multiple in 1..count {
        kernel.add_pairs(&both, &mut pairs, &mut next, &mut scratch);
        put(multiple, &next);
        both[..length].copy_from_slice(&next);
    }
}

/// As many sums as `length`, of the points that `pair` says.
fn pairs(length: usize, pair: impl Fn(usize) -> (usize, usize)) -> Pairs {
    let mut pairs = Pairs::default();
    pairs.clear(length);
    let entry = |i| {
        let (a, b) = pair(i);
        (a as u32, b as u32)
    };
    pairs.extend((0..length).map(entry), 0);
    pairs
}

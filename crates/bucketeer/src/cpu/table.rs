//! The table: bases in the kernel's form. For base P it holds the copies `2^(j·shift)·P`, each
//! followed by its image under the endomorphism if the plan uses it, and all of these with their
//! odd multiples if the plan uses them.
//!
//! A table that serves one MSM is filled after the scalars were decomposed. It leaves out bases
//! whose scalar is zero, and images whose half of the scalar is zero. Their slots hold arbitrary
//! words; no entry refers to them.

use std::ops::Range;

use rayon::prelude::*;

use super::decompose::Decomposed;
use super::kernel::{ArkPoint, Kernel, Point, Scratch};
use super::pairs::Pairs;
use crate::curve::BaseSource;
use crate::parallel;
use crate::plan::Table;

/// Bases converted at a time by one worker.
const BLOCK: usize = 512;

/// Fills `out` with the table of the bases in `range`; given their digits, with the points that
/// those refer to.
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
    blocks.for_each_init(Default::default, |(bases, words): &mut (Vec<_>, Vec<_>), (i, out)| {
        let first = range.start + i * BLOCK;
        for half in 0..halves {
            let used = |base: &usize| {
                digits.is_none_or(|digits| !digits.is_zero(*base - range.start, half))
            };
            bases.clear();
            bases.extend((first..first + out.len() / stored).filter(used));
            words.resize(bases.len(), ArkPoint::INFINITY);
            let flat = ArkPoint::words(words).as_flattened_mut();
            source.write(bases, kernel.base_coordinates(), W, flat);
            let points = kernel.import_bases(words, half == 1);
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
fn double<const W: usize>(kernel: &dyn Kernel<W>, points: &mut [Point<W>], times: u32) {
    let mut pairs = pairs(points.len(), |i| (i, i));
    let mut doubled = points.to_vec();
    let mut scratch = Scratch::default();
    let (mut from, mut to) = (&mut *points, doubled.as_mut_slice());
    for _ in 0..times {
        kernel.add_pairs(from, &mut pairs, to, &mut scratch);
        std::mem::swap(&mut from, &mut to);
    }
    if times % 2 == 1 {
        points.copy_from_slice(&doubled);
    }
}

/// Passes 3P, 5P … of all points P to `put`, as multiples 1, 2 … of `count`.
fn odd_multiples<const W: usize>(
    kernel: &dyn Kernel<W>,
    points: &[Point<W>],
    count: usize,
    mut put: impl FnMut(usize, &[Point<W>]),
) {
    let length = points.len();
    let mut twice = points.to_vec();
    double(kernel, &mut twice, 1);
    // The last multiples, followed by twice the points.
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

/// `length` additions, of the points that `pair` names.
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

//! Bases in the kernel's form: for base i the copies `2^(j·shift)·P` (j < f), each followed by its
//! image under the endomorphism where the plan uses it.

use std::ops::Range;

use rayon::prelude::*;

use super::formulas::write;
use super::kernel::{Infinity, Kernel, Pairs, Point, Scratch};
use crate::Curve;
use crate::plan::Table;

/// Bases converted at once by one worker.
const BLOCK: usize = 512;

/// Stored points per base.
pub(crate) fn copies(table: &Table) -> usize {
    table.precompute as usize * (1 + usize::from(table.endomorphism))
}

/// Bases as arkworks' words, whatever their type.
pub(crate) trait BaseSource: Sync {
    /// Writes the bases in `range` as points of `width` words each, in short Weierstrass coordinates.
    /// Infinity is left as it is.
    fn write(&self, range: Range<usize>, width: usize, out: &mut [u64]);
}

impl<C: Curve> BaseSource for &[C] {
    fn write(&self, range: Range<usize>, width: usize, out: &mut [u64]) {
        let mut coordinates = Vec::new();
        C::to_weierstrass(&self[range], &mut coordinates);
        for (point, out) in coordinates.into_iter().zip(out.chunks_mut(width)) {
            let Some((x, y)) = point else { continue };
            write(&x, &mut out[..width / 2]);
            write(&y, &mut out[width / 2..]);
        }
    }
}

/// Fills `out` with the table of the bases in `range`.
pub(crate) fn fill<const W: usize>(
    kernel: &dyn Kernel<W>,
    table: &Table,
    source: &dyn BaseSource,
    range: Range<usize>,
    out: &mut [Point<W>],
) {
    let copies = copies(table);
    let halves = 1 + usize::from(table.endomorphism);
    let shift = table.window_bits * table.bucket_sets;
    out.par_chunks_mut(BLOCK * copies).enumerate().for_each_init(Vec::new, |block, (i, out)| {
        let first = range.start + i * BLOCK;
        let bases = out.len() / copies;
        block.clear();
        block.resize(halves * bases, Infinity::POINT);
        let (points, images) = block.split_at_mut(bases);
        source.write(first..first + bases, W, points.as_flattened_mut());
        images.copy_from_slice(&points[..images.len()]);
        kernel.import(points, false);
        kernel.import(images, true);
        spread(block, bases, 0, copies, out);
        for copy in 1..table.precompute as usize {
            double(kernel, block, shift);
            spread(block, bases, copy, copies, out);
        }
    });
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

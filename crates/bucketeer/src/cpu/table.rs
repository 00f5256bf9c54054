//! The table: bases in the kernel's form. For base P it holds the copies `2^(j·shift)·P`, each
//! followed by its image under the endomorphism if the plan uses it, and all of these with their
//! odd multiples if the plan uses them. Images of a resident table are made from its points: two
//! products where a point took an addition or many doublings.
//!
//! A table that serves one MSM is filled after the scalars were decomposed. It leaves out bases
//! whose scalar is zero, and images whose half of the scalar is zero. Their slots hold arbitrary
//! words; no entry refers to them.

use std::ops::Range;

use super::decompose::Decomposed;
use super::kernel::{ArkPoint, Kernel, Point, Scratch, infinity};
use super::pairs::Pairs;
use crate::control::Control;
use crate::curve::BaseSource;
use crate::parallel;
use crate::parallel::loops::*;
use crate::plan::Table;

/// Most bases converted at a time by one worker.
const BLOCK: usize = 512;

/// Fewest bases of a block, such that an inversion is shared by enough additions.
const LEAST_BLOCK: usize = 64;

/// Odd multiples of a block that are computed before they are written to the table, where those of
/// one base lie side by side.
const ROWS: usize = 8;

/// Fills `out` with the table of the bases in `range`; given their digits, with the points that
/// those refer to, unless their run is cancelled.
pub(crate) fn fill<const W: usize>(
    kernel: &dyn Kernel<W>,
    table: &Table,
    source: &dyn BaseSource,
    range: Range<usize>,
    digits: Option<(&Decomposed, &Control)>,
    threads: usize,
    out: &mut [Point<W>],
) {
    let (stored, multiples) = (table.stored(), table.odd_multiples as usize);
    let halves = 1 + usize::from(table.endomorphism);
    // One MSM may need few of the images, so they are imported like the bases.
    let with_images = table.endomorphism && digits.is_none();
    let shift = table.window_bits * table.bucket_sets;
    let block = block(range.len(), threads);
    let blocks = out.par_chunks_mut(block * stored).enumerate();
    let blocks = blocks.with_min_len(parallel::grain(threads > 1));
    blocks.for_each_init(Workspace::default, |workspace, (i, out)| {
        if digits.is_some_and(|(_, control)| control.advance(0).is_err()) {
            return;
        }
        let Workspace { bases, words, rows, images, scratch } = workspace;
        let first = range.start + i * block;
        for half in 0..if with_images { 1 } else { halves } {
            let used = |base: &usize| {
                digits.is_none_or(|(digits, _)| !digits.is_zero(*base - range.start, half))
            };
            bases.clear();
            bases.extend((first..first + out.len() / stored).filter(used));
            words.resize(bases.len(), ArkPoint::INFINITY);
            let flat = ArkPoint::words(words).as_flattened_mut();
            source.write(bases, kernel.base_coordinates(), W, flat);
            let points = kernel.import_bases(words, half == 1);
            for copy in 0..table.precompute as usize {
                if copy > 0 {
                    kernel.double(points, shift, &mut scratch[0]);
                }
                let place = (copy * halves + half) * multiples;
                let mut write = |place: usize, rows: &[Point<W>]| {
                    let length = bases.len();
                    for (i, base) in bases.iter().enumerate() {
                        let at = (base - first) * stored + place;
                        for row in 0..rows.len() / length {
                            out[at + row] = rows[row * length + i];
                        }
                    }
                };
                let mut put = |multiple: usize, rows: &[Point<W>]| {
                    write(place + multiple, rows);
                    if with_images {
                        images.clear();
                        images.extend_from_slice(rows);
                        kernel.images(images);
                        write(place + multiples + multiple, images);
                    }
                };
                match multiples {
                    _ if points.is_empty() => {}
                    1 => put(0, points),
                    _ => odd_multiples(kernel, points, multiples, rows, scratch, put),
                }
            }
        }
    });
}

/// Bases of a block: few enough that all threads have several.
fn block(bases: usize, threads: usize) -> usize {
    match threads {
        0 | 1 => BLOCK,
        _ => (bases / (4 * threads)).next_multiple_of(LEAST_BLOCK).clamp(LEAST_BLOCK, BLOCK),
    }
}

/// Memory of one worker.
struct Workspace<const W: usize> {
    bases: Vec<usize>,
    words: Vec<ArkPoint<W>>,
    rows: Vec<Point<W>>,
    images: Vec<Point<W>>,
    /// Of doublings and of additions, which keep different things.
    scratch: [Scratch; 2],
}

impl<const W: usize> Default for Workspace<W> {
    fn default() -> Self {
        Self {
            bases: Vec::new(),
            words: Vec::new(),
            rows: Vec::new(),
            images: Vec::new(),
            scratch: Default::default(),
        }
    }
}

/// Passes P, 3P, 5P … of all points P, `count` in all, to `put`: some multiples at a time, row by
/// row, with the index of the first.
fn odd_multiples<const W: usize>(
    kernel: &dyn Kernel<W>,
    points: &[Point<W>],
    count: usize,
    rows: &mut Vec<Point<W>>,
    [doublings, additions]: &mut [Scratch; 2],
    mut put: impl FnMut(usize, &[Point<W>]),
) {
    let length = points.len();
    // Twice the points, and then rows of multiples. The last row is the next one's first.
    rows.resize((2 + ROWS) * length, infinity());
    let mut pairs = Pairs::default();
    let mut sums = |rows: &mut [Point<W>], a: usize, b: usize, out: usize| {
        pairs.clear(length);
        let entry = |i| ((a * length + i) as u32, (b * length + i) as u32);
        pairs.extend((0..length).map(entry), 0);
        let (known, new) = rows.split_at_mut(out * length);
        kernel.add_pairs(known, &mut pairs, &mut new[..length], additions);
    };
    rows[..length].copy_from_slice(points);
    kernel.double(&mut rows[..length], 1, doublings);
    rows[length..2 * length].copy_from_slice(points);
    put(0, points);
    for start in (1..count).step_by(ROWS) {
        let made = ROWS.min(count - start);
        for row in 0..made {
            sums(rows, 1 + row, 0, 2 + row);
        }
        put(start, &rows[2 * length..(2 + made) * length]);
        rows.copy_within((1 + made) * length..(2 + made) * length, length);
    }
}

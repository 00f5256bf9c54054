//! Stage 4, reduce: bucket sums → one point per window, Σ weight·bucket.
//!
//! *Window splitting* splits the bits of the weight, weight = high·2^h + low, so that
//!
//! Σ weight·P = 2^h·Σ high·(sum of all P with this high) + Σ low·(sum of all P with this low).
//!
//! Both inner sums are sums of runs, which accumulate computes fast; each bucket enters two of
//! them.
//!
//! 1. Split every window into two *planes* of 2^(c/2) buckets each, and sum their runs.
//! 2. Split planes again until single bits remain: about 2 batched additions per bucket, 5M+1S
//!    each.
//! 3. Combine the bits of a window by doublings and additions, highest first.
//!
//! The *running sum* variants are the textbook ones, with one accumulator per slice.

use super::accumulate::{List, Slices, sum_runs};
use super::buffer::PointBuffer;
use super::kernel::{Kernel, Point, XyzzPoint};
use crate::control::Control;
use crate::parallel::loops::*;
use crate::vectors::{try_clear_with_capacity, try_reserve};
use crate::{Error, parallel};

/// Buckets of one bucket set: weights, ascending for running sums, and for each its sum.
pub(crate) struct Buckets<'a, const W: usize> {
    pub weights: Vec<u32>,
    pub sums: &'a [Point<W>],
}

/// Part of a bucket set's weights: bits `offset … offset + bits` of them.
struct Plane {
    set: usize,
    offset: u32,
    bits: u32,
    /// Its non-zero weights, and the index of their first point in the current list.
    weights: Vec<u32>,
    first: usize,
}

/// Window splitting over all sets of a pass at once.
pub(crate) fn window_splitting<const W: usize>(
    kernel: &dyn Kernel<W>,
    sets: Vec<Buckets<'_, W>>,
    slices: Slices,
    control: &Control,
) -> Result<Vec<XyzzPoint<W>>, Error> {
    let formulas = kernel.formulas();
    Ok(bit_sums(kernel, sets, slices, control)?
        .into_par_iter()
        .with_min_len(parallel::grain(slices.stealing))
        .map(|mut bits| {
            bits.sort_unstable_by_key(|(offset, _)| std::cmp::Reverse(*offset));
            let mut position = bits.first().map_or(0, |(offset, _)| *offset);
            let mut sum = XyzzPoint::INFINITY;
            for (offset, point) in bits {
                while position > offset {
                    sum = formulas.double(&sum);
                    position -= 1;
                }
                sum = formulas.add_point(&sum, &kernel.export(&point));
            }
            (0..position).fold(sum, |sum, _| formulas.double(&sum))
        })
        .collect())
}

/// For every set the bits of its weights, in any order, each with the sum of the buckets whose
/// weight has it.
pub(crate) fn bit_sums<const W: usize>(
    kernel: &dyn Kernel<W>,
    sets: Vec<Buckets<'_, W>>,
    slices: Slices,
    control: &Control,
) -> Result<Vec<Vec<(u32, Point<W>)>>, Error> {
    let control = control.silent();
    let mut bits_of: Vec<Vec<(u32, Point<W>)>> = sets.iter().map(|_| Vec::new()).collect();
    let whole: &[Point<W>] = joined(&sets);
    let mut planes = Vec::new();
    let mut first = 0;
    for (set, buckets) in sets.into_iter().enumerate() {
        let Some(largest) = buckets.weights.iter().max() else { continue };
        // Buckets of equal weight are merged by the first split.
        let bits = (u32::BITS - largest.leading_zeros()).max(2);
        let length = buckets.weights.len();
        planes.push(Plane { set, offset: 0, bits, weights: buckets.weights, first });
        first += length;
    }
    let (mut points, mut sums) = (PointBuffer::default(), PointBuffer::default());
    let mut source = whole;
    loop {
        planes.retain(|plane| {
            if plane.bits == 1 {
                bits_of[plane.set].push((plane.offset, source[plane.first]));
            }
            plane.bits > 1
        });
        if planes.is_empty() {
            break;
        }
        let (entries, starts, halves) = split(planes)?;
        planes = halves;
        let list =
            List { points: source, entry: |p: usize| entries[p], starts: &starts, scattered: true };
        sum_runs(kernel, &list, slices, &control, &mut sums)?;
        std::mem::swap(&mut points, &mut sums);
        source = points.points(starts.len() - 1);
    }
    Ok(bits_of)
}

/// The slice that holds the sums of all sets.
fn joined<'a, const W: usize>(sets: &[Buckets<'a, W>]) -> &'a [Point<W>] {
    sets.first().map_or(&[], |set| set.sums)
}

/// Entries and runs to sum, and the planes that the sums form.
type Halves = (Vec<u32>, Vec<u32>, Vec<Plane>);

/// Splits every plane into its low and its high half.
fn split(planes: Vec<Plane>) -> Result<Halves, Error> {
    let total: usize = planes.iter().map(|plane| plane.weights.len()).sum();
    let mut entries: Vec<u32> = Vec::new();
    try_clear_with_capacity(&mut entries, 2 * total)?;
    let mut starts = Vec::new();
    let mut halves = Vec::with_capacity(2 * planes.len());
    for plane in planes {
        let low = plane.bits / 2;
        for (shift, bits) in [(0, low), (low, plane.bits - low)] {
            let first = starts.len();
            let weights = order(&plane, shift, bits, &mut entries, &mut starts)?;
            halves.push(Plane { offset: plane.offset + shift, bits, weights, first, ..plane });
        }
    }
    starts.push(entries.len() as u32);
    halves.retain(|plane| !plane.weights.is_empty());
    Ok((entries, starts, halves))
}

/// Counting sort of a plane's points by some bits of their weights. Returns the values of those
/// bits.
fn order(
    plane: &Plane,
    shift: u32,
    bits: u32,
    entries: &mut Vec<u32>,
    starts: &mut Vec<u32>,
) -> Result<Vec<u32>, Error> {
    let mut positions = vec![0u32; 1 << bits];
    let part = |weight: &u32| (weight >> shift) as usize & ((1 << bits) - 1);
    for weight in &plane.weights {
        positions[part(weight)] += 1;
    }
    let mut weights = Vec::new();
    let most = plane.weights.len().min(1 << bits);
    try_reserve(&mut weights, most)?;
    // And one for the end.
    try_reserve(starts, most + 1)?;
    let mut position = entries.len() as u32;
    for (part, count) in positions.iter_mut().enumerate().skip(1) {
        let count = std::mem::replace(count, position);
        if count > 0 {
            weights.push(part as u32);
            starts.push(position);
            position += count;
        }
    }
    entries.resize(position as usize, 0);
    for (i, weight) in plane.weights.iter().enumerate() {
        let part = part(weight);
        if part != 0 {
            entries[positions[part] as usize] = (plane.first + i) as u32;
            positions[part] += 1;
        }
    }
    Ok(weights)
}

/// Running sums over `slices` slices of each set's buckets; one slice is the plain running sum.
pub(crate) fn running_sums<const W: usize>(
    kernel: &dyn Kernel<W>,
    sets: &[Buckets<'_, W>],
    slices: usize,
) -> Vec<XyzzPoint<W>> {
    let mut first = 0;
    sets.iter()
        .map(|buckets| {
            let sums = &buckets.sums[first..first + buckets.weights.len()];
            first += sums.len();
            let length = sums.len().div_ceil(slices).max(1);
            let partial = buckets.weights.par_chunks(length).zip(sums.par_chunks(length));
            partial
                .map(|(weights, sums)| running_sum(kernel, weights, sums))
                .reduce(|| XyzzPoint::INFINITY, |x, y| kernel.formulas().add(&x, &y))
        })
        .collect()
}

/// Σ weight·sum from the largest weight down. `running` is the sum of the buckets so far and is
/// added once for every unit by which the weight falls: directly in the dense case, as a small
/// multiple over gaps and for the weights below the slice.
fn running_sum<const W: usize>(
    kernel: &dyn Kernel<W>,
    weights: &[u32],
    sums: &[Point<W>],
) -> XyzzPoint<W> {
    let formulas = kernel.formulas();
    let (mut running, mut total) = (XyzzPoint::INFINITY, XyzzPoint::INFINITY);
    for (i, sum) in sums.iter().enumerate().rev() {
        running = formulas.add_point(&running, &kernel.export(sum));
        let below = if i == 0 { 0 } else { weights[i - 1] };
        let step = match weights[i] - below {
            1 => running,
            gap => formulas.mul(&running, u64::from(gap)),
        };
        total = formulas.add(&total, &step);
    }
    total
}

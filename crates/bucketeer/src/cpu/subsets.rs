//! Sums of random subsets of points, for the subgroup check: the stages of an MSM whose window sums
//! are not combined.
//!
//! 1. Every point has 64 coins; coin j says whether it is in subset j. Some neighbouring coins are
//!    the label of a bucket.
//! 2. Points are grouped by label and summed: 64/bits additions per point.
//! 3. Bucket sums are split as in [`super::reduce`], down to single bits. The sum of bit j is that
//!    of subset j.

use super::accumulate::{List, Slices, sum_runs};
use super::buffer::PointBuffer;
use super::kernel::{AnyKernel, Kernel, is_infinity, width_of};
use super::reduce::{Buckets, bit_sums};
use super::{Processor, kernel, table};
use crate::control::{CancelToken, Control};
use crate::curve::{BaseSource, read_element as read};
use crate::facts::Arithmetic;
use crate::plan::Table;
use crate::{Curve, CurveSpec, Error, Weierstrass, parallel};

/// Subsets, and coins of a point.
const SUBSETS: u32 = u64::BITS;

/// Entries that one thread sums at a time: points of 96 bytes in L1 and L2.
const SLICE: usize = 1 << 12;

/// Bytes of the scratch memory of one thread.
#[cfg(feature = "io")]
const WORKER_BYTES: u64 = 1 << 20;

/// The sum of each of 64 subsets. Point i is in subset j if bit j of `coins[i]` is set; there are
/// as many words of coins as points.
pub(crate) fn subset_sums<C: Curve>(
    points: &[C],
    coins: &[u64],
) -> Result<Vec<Weierstrass<C::BaseField>>, Error> {
    let processor = Processor::new();
    processor.check()?;
    let (curve, facts) = (CurveSpec::of::<C>(), processor.facts());
    let kernel = kernel::<C>(&curve, Arithmetic::choose(&curve, &facts))?;
    let (source, threads): (&dyn BaseSource, usize) = (&points, facts.threads);
    let sums = processor.install(|| match kernel {
        AnyKernel::W8(kernel) if const { width_of::<C::BaseField>() == 8 } => {
            sums_on(&*kernel, source, coins, threads)
        }
        AnyKernel::W12(kernel) if const { width_of::<C::BaseField>() == 12 } => {
            sums_on(&*kernel, source, coins, threads)
        }
        AnyKernel::W16(kernel) if const { width_of::<C::BaseField>() == 16 } => {
            sums_on(&*kernel, source, coins, threads)
        }
        AnyKernel::W24(kernel) if const { width_of::<C::BaseField>() == 24 } => {
            sums_on(&*kernel, source, coins, threads)
        }
        AnyKernel::W48(kernel) if const { width_of::<C::BaseField>() == 48 } => {
            sums_on(&*kernel, source, coins, threads)
        }
        _ => unreachable!("the width of a kernel is that of its field"),
    })?;
    let coordinates = |words: Vec<u64>| {
        let (x, y) = words.split_at(words.len() / 2);
        (read(x), read(y))
    };
    Ok(sums.into_iter().map(|sum| sum.map(coordinates)).collect())
}

/// Most bytes that [`subset_sums`] of this many points of `point_bytes` each takes beside them.
#[cfg(feature = "io")]
pub(crate) fn subset_bytes(points: usize, point_bytes: u64) -> u64 {
    let threads = Processor::new().facts().threads as u64;
    let (bits, points) = (label_bits(points), points as u64);
    let sets = u64::from(SUBSETS.div_ceil(bits));
    // Entries exist twice while those of all sets are put together.
    let lists = points * (8 + 2 * 4 * sets) + 4 * threads * (2 << bits);
    // Bucket sums, and those of the halves that they are split into.
    let sums = 3 * (sets << bits) * point_bytes;
    points * point_bytes + lists + sums + threads * WORKER_BYTES
}

/// The sums in arkworks' words, x then y; `None` is infinity.
fn sums_on<const W: usize>(
    kernel: &dyn Kernel<W>,
    source: &dyn BaseSource,
    coins: &[u64],
    threads: usize,
) -> Result<Vec<Option<Vec<u64>>>, Error> {
    let table = Table::plain();
    let mut buffer = PointBuffer::default();
    let points = buffer.reserve(coins.len())?;
    table::fill(kernel, &table, source, 0..coins.len(), None, threads, points);
    let labels = Labels::group(coins);
    let slices = Slices {
        max_entries: SLICE,
        workers: threads,
        stealing: threads > 1,
        prefetch_points_above: 0,
    };
    let list = List {
        points,
        entry: |position| labels.entries[position],
        starts: &labels.starts,
        scattered: true,
    };
    let control = Control::new(None, CancelToken::default(), 0);
    let mut sums = PointBuffer::default();
    sum_runs(kernel, &list, slices, &control, &mut sums)?;
    let sums = sums.points(labels.starts.len() - 1);
    let sets = labels.weights.into_iter().map(|weights| Buckets { weights, sums }).collect();
    let mut subsets = vec![None; SUBSETS as usize];
    for (set, bits) in bit_sums(kernel, sets, slices, &control)?.into_iter().enumerate() {
        for (bit, sum) in bits {
            let words = kernel.export(&sum).0;
            let subset = set as u32 * labels.bits + bit;
            subsets[subset as usize] = (!is_infinity(&words)).then(|| words.to_vec());
        }
    }
    Ok(subsets)
}

/// Points grouped by label, one set of buckets after the other. Label 0 is in no subset.
struct Labels {
    bits: u32,
    /// Indices of points.
    entries: Vec<u32>,
    /// First entry of every occupied bucket, and the end of the last.
    starts: Vec<u32>,
    /// Labels of the occupied buckets of each set.
    weights: Vec<Vec<u32>>,
}

impl Labels {
    fn group(coins: &[u64]) -> Self {
        let bits = label_bits(coins.len());
        let sets = SUBSETS.div_ceil(bits);
        let grouped = parallel::map(sets as usize, |set| group_set(coins, set as u32 * bits, bits));
        let (mut entries, mut starts, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (own_entries, own_starts, own_weights) in grouped {
            let first = entries.len() as u32;
            starts.extend(own_starts.iter().map(|start| first + start));
            entries.extend(own_entries);
            weights.push(own_weights);
        }
        starts.push(entries.len() as u32);
        Self { bits, entries, starts, weights }
    }
}

/// Bits of a label: each set adds every point once, and every bucket about twice.
fn label_bits(points: usize) -> u32 {
    let additions = |bits: u32| u64::from(SUBSETS.div_ceil(bits)) * (points as u64 + (2 << bits));
    (1..=16).min_by_key(|&bits| additions(bits)).unwrap_or(1)
}

/// Counting sort by the coins from `shift` on: entries, first entries and labels of the occupied
/// buckets.
fn group_set(coins: &[u64], shift: u32, bits: u32) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let label = |coins: &u64| (coins >> shift) as usize & ((1 << bits) - 1);
    let mut positions = vec![0u32; 1 << bits];
    for coins in coins {
        positions[label(coins)] += 1;
    }
    let (mut starts, mut weights, mut position) = (Vec::new(), Vec::new(), 0);
    for (label, count) in positions.iter_mut().enumerate().skip(1) {
        let count = std::mem::replace(count, position);
        if count > 0 {
            starts.push(position);
            weights.push(label as u32);
            position += count;
        }
    }
    let mut entries = vec![0; position as usize];
    for (index, coins) in coins.iter().enumerate() {
        let label = label(coins);
        if label > 0 {
            entries[positions[label] as usize] = index as u32;
            positions[label] += 1;
        }
    }
    (entries, starts, weights)
}

#[cfg(all(test, feature = "curves"))]
mod tests {
    use ark_ec::CurveGroup;

    use super::*;
    use crate::random::KnownBases;

    /// Every subset against arkworks' additions, with infinities, equal and opposite points.
    fn agrees<C: Curve>(n: usize) {
        let mut points = KnownBases::<C>::new(n, 5).points;
        if n > 4 {
            points[1] = points[0];
            points[2] = (-points[0].into_group()).into();
            points[3] = C::zero();
        }
        let mut coins: Vec<u64> =
            (1..=n as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)).collect();
        coins[0] = u64::MAX;
        if n > 4 {
            (coins[1], coins[4]) = (u64::MAX, 0);
        }
        let sums = subset_sums(&points, &coins).expect("sums");
        assert_eq!(sums.len(), 64);
        for (subset, sum) in sums.into_iter().enumerate() {
            let inside = points.iter().zip(&coins).filter(|(_, coins)| *coins >> subset & 1 == 1);
            let expected: C::Group = inside.map(|(point, _)| point.into_group()).sum();
            assert_eq!(C::from_weierstrass(sum), Some(expected.into_affine()), "{n} {subset}");
        }
    }

    #[test]
    fn subsets_of_few_and_many_points() {
        for n in [1, 2, 5, 64, 300] {
            agrees::<ark_bls12_381::G1Affine>(n);
        }
        agrees::<ark_bn254::G2Affine>(700);
        agrees::<ark_bls12_377::G2Affine>(200);
        agrees::<ark_bw6_761::G1Affine>(200);
        agrees::<ark_ed_on_bls12_377::EdwardsAffine>(700);
    }
}

//! Stage 2, group: digits → for each bucket the list of its bases.
//!
//! A pass takes some bucket sets at once. Set s collects window s + j·sets of every scalar for each stored
//! copy j, so that precomputed copies share buckets. An *entry* is the index of a stored point with
//! the digit's sign in the top bit; the entries of one bucket form a *run*. Buckets without entries have
//! no run, so nothing downstream depends on how many buckets a window could have.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::accumulate::empty;
use super::decompose::Decomposed;
use super::kernel::NEGATIVE;
use crate::parallel;
use crate::plan::{Group, Plan, Table};

/// Entries sorted by bucket. Kept between passes for its allocations.
#[derive(Default)]
pub(crate) struct Grouped {
    /// Atomic only so that threads may scatter into it; longer than needed.
    entries: Vec<AtomicU32>,
    counters: Vec<u32>,
    /// Bucket of each run: set within the pass × buckets + |digit| − 1, ascending.
    pub keys: Vec<u32>,
    /// First entry of each run, and the end of the last one.
    pub starts: Vec<u32>,
}

impl Grouped {
    #[inline(always)]
    pub(crate) fn entry(&self, position: usize) -> u32 {
        self.entries[position].load(Relaxed)
    }
}

/// One chunk's digits seen as (bucket, entry) pairs.
struct View<'a> {
    digits: &'a Decomposed,
    plan: &'a Plan,
    table: Table,
    first_set: u32,
}

impl View<'_> {
    /// All non-zero digits of one set of the pass, for the bases in `range`.
    #[inline(always)]
    fn for_each(&self, set: u32, range: Range<usize>, mut visit: impl FnMut(u32, u32)) {
        let shape = &self.plan.shape;
        let stored_halves = 1 + usize::from(self.table.endomorphism);
        let stored = stored_halves * self.table.precompute as usize;
        for index in range {
            for half in 0..shape.halves() {
                for copy in 0..shape.precompute {
                    let window = copy * shape.bucket_sets + self.first_set + set;
                    if window >= shape.windows {
                        break;
                    }
                    if let Some((bucket, negative)) = self.digits.digit(index, half, window) {
                        let point = index * stored + copy as usize * stored_halves + half;
                        visit(bucket, point as u32 | if negative { NEGATIVE } else { 0 });
                    }
                }
            }
        }
    }
}

/// Groups the bucket sets in `sets`.
pub(crate) fn group(
    digits: &Decomposed,
    plan: &Plan,
    table: Table,
    sets: Range<u32>,
    out: &mut Grouped,
) {
    let view = View { digits, plan, table, first_set: sets.start };
    // The most there can be, so that later passes never grow anything.
    let entries = sets.len() * plan.shape.entries_per_set(digits.len());
    let runs = entries.min(sets.len() * plan.shape.buckets as usize);
    empty(&mut out.keys, runs);
    empty(&mut out.starts, runs + 1);
    if out.entries.len() < entries {
        empty(&mut out.entries, entries);
        out.entries.resize_with(entries, AtomicU32::default);
    }
    match plan.group {
        Group::Csr => csr(&view, sets.len(), out),
        Group::Sort => sort(&view, sets.len(), out),
    }
}

/// Bases of one part, out of `parts` nearly equal ones.
fn part_range(bases: usize, parts: usize, part: usize) -> Range<usize> {
    bases * part / parts..bases * (part + 1) / parts
}

/// Count, scan, scatter: every (set, part) counts its digits, a scan turns counts into positions,
/// and every (set, part) writes its entries there.
fn csr(view: &View<'_>, sets: usize, out: &mut Grouped) {
    let (parts, buckets) = (view.plan.parts, view.plan.shape.buckets as usize);
    let bases = view.digits.len();
    out.counters.clear();
    out.counters.resize(sets * parts * buckets, 0);
    let locate = |k: usize| ((k / parts) as u32, part_range(bases, parts, k % parts));
    out.counters.par_chunks_mut(buckets).enumerate().for_each(|(k, counters)| {
        let (set, range) = locate(k);
        view.for_each(set, range, |bucket, _| counters[bucket as usize] += 1);
    });
    let mut position = 0;
    for (set, counters) in out.counters.chunks_mut(parts * buckets).enumerate() {
        for bucket in 0..buckets {
            let start = position;
            for part in 0..parts {
                let count = std::mem::replace(&mut counters[part * buckets + bucket], position);
                position += count;
            }
            if position > start {
                out.keys.push((set * buckets + bucket) as u32);
                out.starts.push(start);
            }
        }
    }
    out.starts.push(position);
    let entries = &out.entries;
    out.counters.par_chunks_mut(buckets).enumerate().for_each(|(k, positions)| {
        let (set, range) = locate(k);
        view.for_each(set, range, |bucket, entry| {
            let position = &mut positions[bucket as usize];
            entries[*position as usize].store(entry, Relaxed);
            *position += 1;
        });
    });
}

/// Sort (bucket, entry) pairs: for many more buckets than bases.
fn sort(view: &View<'_>, sets: usize, out: &mut Grouped) {
    let (buckets, bases) = (view.plan.shape.buckets, view.digits.len());
    let parts = (4 * view.plan.device.threads).min(bases.div_ceil(1024)).max(1);
    let blocks = parallel::map(sets * parts, |k| {
        let (set, range) = ((k / parts) as u32, part_range(bases, parts, k % parts));
        let mut pairs = Vec::with_capacity(view.plan.shape.entries_per_set(range.len()));
        view.for_each(set, range, |bucket, entry| {
            let key = u64::from(set) * buckets + u64::from(bucket);
            pairs.push(key << 32 | u64::from(entry));
        });
        pairs
    });
    let mut pairs = blocks.concat();
    drop(blocks);
    pairs.par_sort_unstable();
    for (position, &pair) in pairs.iter().enumerate() {
        let key = (pair >> 32) as u32;
        if out.keys.last() != Some(&key) {
            out.keys.push(key);
            out.starts.push(position as u32);
        }
        *out.entries[position].get_mut() = pair as u32;
    }
    out.starts.push(pairs.len() as u32);
}

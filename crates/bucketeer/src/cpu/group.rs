//! Stage 2, group: digits → for each bucket the list of its bases.
//!
//! A pass takes several bucket sets, or a range of the buckets of one, for a segment of the bases.
//! Set s collects window s + j·sets of every scalar for each stored copy j, so that precomputed
//! copies share buckets. An *entry* is the index of a stored point with the sign of the digit in
//! the top bit; the entries of one bucket form a *run*. Empty buckets have no run, so later stages
//! do not depend on how many buckets a window could have.
//!
//! 1. Extract the digits of every set, once, copy by copy.
//! 2. Count, scan and scatter them by bucket; or sort, with many more buckets than bases.
//!
//! For additions in place ([`in_place`](super::in_place)) digits are listed in the order of the
//! bases.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::buffer::advise_huge_pages;
use super::decompose::{Decomposed, ZERO};
use super::kernel::Point;
use super::pairs::NEGATIVE;
use super::pool::wipe;
use super::prefetch::prefetch;
use super::recode::bucket_bits;
use crate::parallel::loops::*;
use crate::plan::{CpuSchedule, Group, Plan, Table};
use crate::vectors::try_clear_with_capacity;
use crate::{Error, parallel};

/// Entries grouped by bucket. Reused from pass to pass for its allocations.
#[derive(Default)]
pub(crate) struct Grouped {
    /// Digits of the pass, set by set.
    digits: Vec<u32>,
    /// Atomic only so that threads may scatter into it; may be longer than the list.
    entries: Vec<AtomicU32>,
    counters: Vec<u32>,
    /// Bucket of each run, ascending: set within the pass × buckets per set + bucket of the digit.
    pub keys: Vec<u32>,
    /// First entry of each run, and the end of the last.
    pub starts: Vec<u32>,
}

impl Grouped {
    pub(crate) fn bytes(&self) -> usize {
        let lists = [&self.digits, &self.counters, &self.keys, &self.starts];
        4 * (lists.iter().map(|list| list.capacity()).sum::<usize>() + self.entries.capacity())
    }

    /// Overwrites the memory of all lists.
    pub(crate) fn wipe(&mut self) {
        let Self { digits, entries, counters, keys, starts } = self;
        for list in [digits, counters, keys, starts] {
            wipe(list);
        }
        wipe(entries);
    }

    #[inline(always)]
    pub(crate) fn entry(&self, position: usize) -> u32 {
        self.entries[position].load(Relaxed)
    }
}

/// The part of a chunk that one pass takes.
#[derive(Clone)]
pub(crate) struct Pass {
    /// Bucket sets.
    pub sets: Range<u32>,
    /// Bases of the chunk.
    pub segment: Range<usize>,
    /// Buckets of each set: all, or a range of them if it is one set.
    pub buckets: Range<u32>,
}

/// An entry and its bucket.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Addition {
    pub bucket: u32,
    pub entry: u32,
}

/// Digits of some bases, and the additions that they stand for.
#[derive(Default)]
pub(crate) struct AdditionList {
    digits: Vec<u32>,
    pub additions: Vec<Addition>,
}

impl AdditionList {
    /// Overwrites the memory of all lists.
    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.digits);
        wipe(&mut self.additions);
    }

    pub(crate) fn bytes(&self) -> usize {
        4 * self.digits.capacity() + 8 * self.additions.capacity()
    }
}

/// The digits of a pass.
pub(crate) struct PassDigits<'a> {
    pub digits: &'a Decomposed,
    pub plan: &'a Plan,
    pub schedule: &'a CpuSchedule,
    pub table: Table,
    pub pass: &'a Pass,
}

impl PassDigits<'_> {
    pub(crate) fn buckets(&self) -> usize {
        self.pass.sets.len() * self.plan.shape.buckets as usize
    }

    /// Digits of one base, zeros included.
    pub(crate) fn per_base(&self) -> usize {
        self.pass.sets.len() * self.per_set()
    }

    /// Digits of one base in one set, zeros included.
    fn per_set(&self) -> usize {
        self.plan.shape.copies()
    }

    /// The bases of the pass in blocks.
    pub(crate) fn blocks(&self, bases: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let Range { start, end } = self.pass.segment;
        (start..end).step_by(bases).map(move |first| first..(first + bases).min(end))
    }

    /// The bits of a digit that hold its bucket.
    fn bucket_mask(&self) -> u32 {
        (1 << bucket_bits(&self.plan.shape)) - 1
    }

    /// Writes the digits of some bases in a set of the pass, copy by copy: copies of a base are far
    /// apart in the table, but the list is written in order.
    fn extract(&self, set: usize, bases: &Range<usize>, out: &mut [u32]) {
        let shape = &self.plan.shape;
        let each = bases.len() * shape.halves();
        for copy in 0..shape.precompute {
            let window = copy * shape.bucket_sets + self.pass.sets.start + set as u32;
            let out = &mut out[copy as usize * each..][..each];
            if window < self.digits.windows() {
                self.digits.read(window, bases.clone(), out);
            } else {
                out.fill(ZERO);
            }
        }
    }

    /// Calls `visit` with each of these digits and its entry.
    #[inline(always)]
    fn for_each(&self, bases: &Range<usize>, digits: &[u32], mut visit: impl FnMut(u32, u32)) {
        let halves = self.plan.shape.halves();
        // The table may hold more copies, images and multiples than this run uses.
        let (stored, multiples) = (self.table.stored(), self.table.odd_multiples as usize);
        let per_copy = multiples * (1 + usize::from(self.table.endomorphism));
        let mut visit = |point: usize, digit: u32| visit(digit, point as u32 | digit & NEGATIVE);
        let (bits, mask) =
            (bucket_bits(&self.plan.shape), self.plan.shape.odd_multiples as usize - 1);
        let multiple = |digit: u32| ((digit & !NEGATIVE) >> bits) as usize & mask;
        for (copy, digits) in digits.chunks_exact((bases.len() * halves).max(1)).enumerate() {
            let first = bases.start * stored + copy * per_copy;
            if stored == halves {
                (first..).zip(digits).for_each(|(point, &digit)| visit(point, digit));
            } else if halves == 1 {
                let points = (first..).step_by(stored);
                points
                    .zip(digits)
                    .for_each(|(point, &digit)| visit(point + multiple(digit), digit));
            } else {
                for (base, digits) in digits.chunks_exact(halves).enumerate() {
                    let points = (first + base * stored..).step_by(multiples);
                    points
                        .zip(digits)
                        .for_each(|(point, &digit)| visit(point + multiple(digit), digit));
                }
            }
        }
    }

    /// Lists the non-zero digits of a block, with buckets numbered through all sets.
    pub(crate) fn list(&self, block: &Range<usize>, listed: &mut AdditionList) {
        let AdditionList { digits, additions } = listed;
        digits.resize(block.len() * self.per_set(), ZERO);
        additions.clear();
        for set in 0..self.pass.sets.len() {
            self.extract(set, block, digits);
            let first = set as u32 * self.plan.shape.buckets as u32;
            let mask = self.bucket_mask();
            self.for_each(block, digits, |digit, entry| {
                if digit != ZERO {
                    additions.push(Addition { bucket: first + (digit & mask), entry });
                }
            });
        }
    }
}

/// Groups the digits of a pass.
pub(crate) fn group(digits: &PassDigits<'_>, way: Group, out: &mut Grouped) -> Result<(), Error> {
    let Pass { sets, segment, buckets } = digits.pass;
    // The maximum, so that later passes never reallocate.
    let entries = digits.per_base() * segment.len();
    let runs = entries.min(sets.len() * buckets.len());
    try_clear_with_capacity(&mut out.keys, runs)?;
    try_clear_with_capacity(&mut out.starts, runs + 1)?;
    grow(&mut out.entries, entries + sets.len() * LINE)?;
    match way {
        Group::Csr => csr(digits, out)?,
        Group::Sort => sort(digits, out)?,
    }
    Ok(())
}

/// Makes a list at least this long, on huge pages; its contents may be lost.
fn grow<T: Default>(list: &mut Vec<T>, length: usize) -> Result<(), Error> {
    if list.len() < length {
        try_clear_with_capacity(list, length)?;
        advise_huge_pages(list.spare_capacity_mut());
        list.resize_with(length, T::default);
    }
    Ok(())
}

/// If slots of the list are prefetched, it is this many digits before they are written to.
const PREFETCH: usize = 32;

/// Words of a cache line.
const LINE: usize = 16;

/// Count, scan, scatter: every set counts its digits, a scan turns counts into positions, and the
/// set writes its entries there. Zeros, and digits outside the range of buckets, have a counter of
/// their own and are written after the list: a branch on them would be mispredicted too often.
fn csr(pass: &PassDigits<'_>, out: &mut Grouped) -> Result<(), Error> {
    let Pass { sets, segment, buckets } = pass.pass;
    let (sets, low, width) = (sets.len(), buckets.start, buckets.len());
    let mask = pass.bucket_mask();
    let place = |digit: &u32| ((digit & mask).wrapping_sub(low) as usize).min(width);
    let length = segment.len() * pass.per_set();
    let each = length.max(1);
    try_clear_with_capacity(&mut out.counters, sets * (width + 1))?;
    out.counters.resize(sets * (width + 1), 0);
    grow(&mut out.digits, sets * each)?;
    let grain = parallel::grain(pass.schedule.work_stealing);
    let counters = out.counters.par_chunks_mut(width + 1);
    let digits = out.digits[..sets * each].par_chunks_mut(each);
    counters.zip(digits).enumerate().with_min_len(grain).for_each(|(set, (counters, digits))| {
        let digits = &mut digits[..length];
        pass.extract(set, segment, digits);
        for digit in &*digits {
            counters[place(digit)] += 1;
        }
    });
    let (mut position, spare) = (0, out.entries.len() - sets * LINE);
    for (set, counters) in out.counters.chunks_exact_mut(width + 1).enumerate() {
        let first = set * pass.plan.shape.buckets as usize + low as usize;
        position = scan(&mut counters[..width], first, position, &mut out.keys, &mut out.starts);
        counters[width] = (spare + set * LINE) as u32;
    }
    out.starts.push(position);
    let entries = &out.entries;
    let counters = out.counters.par_chunks_mut(width + 1);
    let digits = out.digits[..sets * each].par_chunks(each);
    counters.zip(digits).with_min_len(grain).for_each(|(positions, digits)| {
        let digits = &digits[..length];
        let put = |positions: &mut [u32], digit: u32, entry: u32| {
            let place = place(&digit);
            let position = &mut positions[place];
            entries[*position as usize].store(entry, Relaxed);
            *position += u32::from(place < width);
        };
        if digits.len() <= pass.schedule.prefetch_slots_above {
            pass.for_each(segment, digits, |digit, entry| put(positions, digit, entry));
            return;
        }
        let mut ahead = digits.iter().skip(PREFETCH);
        pass.for_each(segment, digits, |digit, entry| {
            if let Some(digit) = ahead.next() {
                let position = positions[place(digit)];
                prefetch(entries.as_ptr().wrapping_add(position as usize).cast::<Point<8>>());
            }
            put(positions, digit, entry);
        });
    });
    Ok(())
}

/// Turns counts into positions from `position` on, and lists the runs with keys from `first` on.
/// Returns the end.
fn scan(
    counters: &mut [u32],
    first: usize,
    mut position: u32,
    keys: &mut Vec<u32>,
    starts: &mut Vec<u32>,
) -> u32 {
    for (key, counter) in (first..).zip(counters) {
        let count = std::mem::replace(counter, position);
        if count > 0 {
            keys.push(key as u32);
            starts.push(position);
            position += count;
        }
    }
    position
}

/// Minimum number of bases per thread that lists digits for sorting.
const MIN_SORTED: usize = 1024;

/// Sorts (bucket, entry) pairs, for many more buckets than bases.
fn sort(pass: &PassDigits<'_>, out: &mut Grouped) -> Result<(), Error> {
    let (buckets, mask) = (pass.plan.shape.buckets, pass.bucket_mask());
    let bases = pass.pass.segment.len().div_ceil(4 * pass.plan.device.threads).max(MIN_SORTED);
    let parts: Vec<Range<usize>> = pass.blocks(bases).collect();
    let blocks = parallel::map(pass.pass.sets.len() * parts.len(), |k| {
        let (set, part) = (k / parts.len(), &parts[k % parts.len()]);
        let (mut digits, mut pairs) = (Vec::new(), Vec::new());
        let length = part.len() * pass.per_set();
        try_clear_with_capacity(&mut digits, length)?;
        try_clear_with_capacity(&mut pairs, length)?;
        digits.resize(length, ZERO);
        pass.extract(set, part, &mut digits);
        pass.for_each(part, &digits, |digit, entry| {
            if digit != ZERO {
                let key = set as u64 * buckets + u64::from(digit & mask);
                pairs.push(key << 32 | u64::from(entry));
            }
        });
        Ok(pairs)
    });
    let blocks = blocks.into_iter().collect::<Result<Vec<Vec<u64>>, Error>>()?;
    let mut pairs = Vec::new();
    try_clear_with_capacity(&mut pairs, blocks.iter().map(Vec::len).sum())?;
    blocks.into_iter().for_each(|block| pairs.extend(block));
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
    Ok(())
}

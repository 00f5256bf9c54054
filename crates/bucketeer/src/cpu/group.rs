//! Stage 2, group: digits → for each bucket the list of its bases.
//!
//! A pass takes some bucket sets at once, or a range of the buckets of one, for a segment of the bases. Set s collects
//! window s + j·sets of every scalar for each stored copy j, so that precomputed copies share buckets. An *entry* is the
//! index of a stored point with the digit's sign in the top bit; the entries of one bucket form a *run*. Buckets without
//! entries have no run, so nothing downstream depends on how many buckets a window could have.
//!
//! 1. Extract: every set's digits, once, copy by copy.
//! 2. Count, scan, scatter them by bucket; or sort, where there are many more buckets than bases.
//!
//! Where bases are added in their order ([`in_place`](super::in_place)), digits are listed as they come.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::decompose::{Decomposed, ZERO};
use super::kernel::{NEGATIVE, Point, fetch};
use super::pool::wipe;
use super::recode::bucket_bits;
use super::room::{advise_large_pages, make_room};
use crate::plan::{Group, Plan, Table};
use crate::{Error, parallel};

/// Entries sorted by bucket. Kept between passes for its allocations.
#[derive(Default)]
pub(crate) struct Grouped {
    /// Digits of the pass, set by set and part by part.
    digits: Vec<u32>,
    /// Atomic only so that threads may scatter into it; longer than needed.
    entries: Vec<AtomicU32>,
    counters: Vec<u32>,
    /// Bucket of each run: set within the pass × buckets + that of the digit, ascending.
    pub keys: Vec<u32>,
    /// First entry of each run, and the end of the last one.
    pub starts: Vec<u32>,
}

impl Grouped {
    pub(crate) fn bytes(&self) -> usize {
        let lists = [&self.digits, &self.counters, &self.keys, &self.starts];
        4 * (lists.iter().map(|list| list.capacity()).sum::<usize>() + self.entries.capacity())
    }

    /// Overwrites what the lists held.
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

/// What one pass takes.
#[derive(Clone)]
pub(crate) struct Pass {
    /// Bucket sets.
    pub sets: Range<u32>,
    /// Bases of the chunk.
    pub segment: Range<usize>,
    /// Buckets of each set: all, or a range of them where it is one set.
    pub buckets: Range<u32>,
}

/// A bucket and an entry for it.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Addition {
    pub bucket: u32,
    pub entry: u32,
}

/// Digits of some bases, and the additions they stand for.
#[derive(Default)]
pub(crate) struct Listed {
    digits: Vec<u32>,
    pub additions: Vec<Addition>,
}

impl Listed {
    /// Overwrites what the lists held.
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

    /// Those in one set.
    fn per_set(&self) -> usize {
        self.plan.shape.copies()
    }

    /// Its bases, some at a time.
    pub(crate) fn blocks(&self, bases: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let Range { start, end } = self.pass.segment;
        (start..end).step_by(bases).map(move |first| first..(first + bases).min(end))
    }

    /// The bits of a digit that say its bucket.
    fn bucket_mask(&self) -> u32 {
        (1 << bucket_bits(&self.plan.shape)) - 1
    }

    /// Writes the digits of some bases in a set of the pass, copy by copy: a base's copies are far apart, but every list
    /// is written in order.
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

    /// All these digits with their entries.
    #[inline(always)]
    fn for_each(&self, bases: &Range<usize>, digits: &[u32], mut visit: impl FnMut(u32, u32)) {
        let halves = self.plan.shape.halves();
        // The table may have more copies, images and multiples than this run uses.
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

    /// All digits of a block that are not zero, buckets counted through all sets.
    pub(crate) fn list(&self, block: &Range<usize>, listed: &mut Listed) {
        let Listed { digits, additions } = listed;
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
pub(crate) fn group(digits: &PassDigits<'_>, out: &mut Grouped) -> Result<(), Error> {
    let Pass { sets, segment, buckets } = digits.pass;
    // The most there can be, so that later passes never grow anything.
    let entries = digits.per_base() * segment.len();
    let runs = entries.min(sets.len() * buckets.len());
    make_room(&mut out.keys, runs)?;
    make_room(&mut out.starts, runs + 1)?;
    lengthen(&mut out.entries, entries + sets.len() * LINE)?;
    match digits.plan.group {
        Group::Csr => csr(digits, out)?,
        Group::Sort => sort(digits, out),
    }
    Ok(())
}

/// Makes a list at least so long, on large pages; what it held may be lost.
fn lengthen<T: Default>(list: &mut Vec<T>, length: usize) -> Result<(), Error> {
    if list.len() < length {
        make_room(list, length)?;
        advise_large_pages(list.spare_capacity_mut());
        list.resize_with(length, T::default);
    }
    Ok(())
}

/// Entries whose list stays in a second cache; where it does not, a place is asked for so many digits before it is
/// written to.
const NEAR: usize = 1 << 18;
const SOON: usize = 32;

/// Words of a cache line.
const LINE: usize = 16;

/// Count, scan, scatter: every set counts its digits, a scan turns counts into positions, and the set writes its
/// entries there. Zeros, and digits of other ranges, are counted in a place of their own and written behind the list:
/// to tell them apart would be guessed wrong too often.
fn csr(pass: &PassDigits<'_>, out: &mut Grouped) -> Result<(), Error> {
    let Pass { sets, segment, buckets } = pass.pass;
    let (sets, low, width) = (sets.len(), buckets.start, buckets.len());
    let mask = pass.bucket_mask();
    let place = |digit: &u32| ((digit & mask).wrapping_sub(low) as usize).min(width);
    let length = segment.len() * pass.per_set();
    let each = length.max(1);
    make_room(&mut out.counters, sets * (width + 1))?;
    out.counters.resize(sets * (width + 1), 0);
    lengthen(&mut out.digits, sets * each)?;
    let grain = parallel::grain(pass.plan.helping);
    let counters = out.counters.par_chunks_mut(width + 1);
    let digits = out.digits[..sets * each].par_chunks_mut(each);
    counters.zip(digits).enumerate().with_min_len(grain).for_each(|(set, (counters, digits))| {
        let digits = &mut digits[..length];
        pass.extract(set, segment, digits);
        for digit in &*digits {
            counters[place(digit)] += 1;
        }
    });
    let (mut position, behind) = (0, out.entries.len() - sets * LINE);
    for (set, counters) in out.counters.chunks_exact_mut(width + 1).enumerate() {
        let first = set * pass.plan.shape.buckets as usize + low as usize;
        position = scan(&mut counters[..width], first, position, &mut out.keys, &mut out.starts);
        counters[width] = (behind + set * LINE) as u32;
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
        if digits.len() <= NEAR {
            pass.for_each(segment, digits, |digit, entry| put(positions, digit, entry));
            return;
        }
        let mut soon = digits.iter().skip(SOON);
        pass.for_each(segment, digits, |digit, entry| {
            if let Some(digit) = soon.next() {
                let position = positions[place(digit)];
                fetch(entries.as_ptr().wrapping_add(position as usize).cast::<Point<8>>());
            }
            put(positions, digit, entry);
        });
    });
    Ok(())
}

/// Turns counts into positions, from `position` on, and lists the runs: keys from `first` on. Yields the end.
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

/// Fewest bases whose digits are listed for sorting by a thread of their own.
const LEAST_SORTED: usize = 1024;

/// Sort (bucket, entry) pairs: for many more buckets than bases.
fn sort(pass: &PassDigits<'_>, out: &mut Grouped) {
    let (buckets, mask) = (pass.plan.shape.buckets, pass.bucket_mask());
    let bases = pass.pass.segment.len().div_ceil(4 * pass.plan.device.threads).max(LEAST_SORTED);
    let parts: Vec<Range<usize>> = pass.blocks(bases).collect();
    let blocks = parallel::map(pass.pass.sets.len() * parts.len(), |k| {
        let (set, part) = (k / parts.len(), &parts[k % parts.len()]);
        let mut digits = vec![ZERO; part.len() * pass.per_set()];
        pass.extract(set, part, &mut digits);
        let mut pairs = Vec::with_capacity(digits.len());
        pass.for_each(part, &digits, |digit, entry| {
            if digit != ZERO {
                let key = set as u64 * buckets + u64::from(digit & mask);
                pairs.push(key << 32 | u64::from(entry));
            }
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

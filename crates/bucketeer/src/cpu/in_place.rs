//! Stage 3, accumulate, without stage 2: bases in their order, each added to the sum of its bucket.
//!
//! Bucket sums stay in a cache and the table is read from one end to the other, where lists of buckets would read it
//! here and there. A batch holds additions to different buckets, with one inversion for all of them; an entry whose
//! bucket has one in the batch already waits for the next. Where many wait, as they do if most digits are the same,
//! they are ordered by bucket and summed as trees first.

use super::accumulate::{List, Slices, empty, sum_runs};
use super::group::{Addition, Listed, PassDigits};
use super::kernel::{Kernel, NEGATIVE, Pairs, Point, Scratch, fetch};
use super::pool::{Pool, Pooled, wipe};
use super::room::{Room, make_room};
use crate::Error;
use crate::control::Control;
use crate::plan::{BATCH, LISTED, LISTED_BASES, WAITING};

/// Most additions that wait and are tried again for one batch.
const RETRIED: usize = 256;

/// Additions to different buckets.
#[derive(Default)]
struct Batch {
    pairs: Pairs,
    /// To buckets that are empty: the points are their sums.
    first: Vec<Addition>,
}

/// Working memory of one worker.
#[derive(Default)]
pub(super) struct Workspace {
    listed: Listed,
    /// The batch that is filled, and the one before, which is carried out while the points of the former are asked for.
    batches: [Batch; 2],
    /// For every bucket the last batch with an addition to it; 0 for none yet.
    stamps: Vec<u32>,
    waiting: Vec<Addition>,
    retried: Vec<Addition>,
    /// Sums of those that waited.
    trees: Room,
    scratch: Scratch,
}

impl Pooled for Workspace {
    fn bytes(&self) -> usize {
        4 * self.stamps.capacity() + self.listed.bytes() + self.trees.bytes()
    }

    fn wipe(&mut self) {
        self.listed.wipe();
        for batch in &mut self.batches {
            batch.pairs.wipe();
            wipe(&mut batch.first);
        }
        wipe(&mut self.stamps);
        wipe(&mut self.waiting);
        wipe(&mut self.retried);
    }
}

/// Kept from run to run.
pub(super) static WORKSPACES: Pool<Workspace> = Pool::new();

/// Sums all digits of a pass into one point for each bucket. Leaves the sums of those that have entries in `sums`,
/// which buckets these are in `keys`, and yields how many entries there were.
pub(crate) fn sum<const W: usize>(
    kernel: &dyn Kernel<W>,
    points: &[Point<W>],
    digits: &PassDigits<'_>,
    slices: Slices,
    control: &Control,
    sums: &mut Room,
    keys: &mut Vec<u32>,
) -> Result<u64, Error> {
    let buckets = digits.buckets();
    let sums = sums.reserve(buckets)?;
    make_room(keys, buckets)?;
    WORKSPACES.with(|workspace| {
        workspace.clear(buckets)?;
        let mut listed = std::mem::take(&mut workspace.listed);
        let mut accumulator = Accumulator {
            kernel,
            points,
            slices,
            control: control.silent(),
            sums,
            workspace,
            batch: 1,
        };
        let mut entries = 0;
        let bases = (LISTED / digits.per_base()).max(LISTED_BASES);
        for block in digits.blocks(bases) {
            digits.list(&block, &mut listed);
            for &addition in &listed.additions {
                accumulator.add(addition)?;
            }
            let count = listed.additions.len() as u64;
            entries += count;
            control.advance(count)?;
        }
        accumulator.finish()?;
        workspace.listed = listed;
        for (bucket, &stamp) in workspace.stamps.iter().enumerate() {
            if stamp > 0 {
                sums[keys.len()] = sums[bucket];
                keys.push(bucket as u32);
            }
        }
        Ok(entries)
    })
}

impl Workspace {
    /// Forgets everything, also what a run that failed has left.
    fn clear(&mut self, buckets: usize) -> Result<(), Error> {
        make_room(&mut self.stamps, buckets)?;
        self.stamps.resize(buckets, 0);
        for batch in &mut self.batches {
            batch.first.clear();
            batch.pairs.clear(BATCH);
            (batch.pairs.in_place, batch.pairs.scattered) = (true, true);
        }
        empty(&mut self.waiting, WAITING);
        empty(&mut self.retried, RETRIED);
        Ok(())
    }
}

struct Accumulator<'a, const W: usize> {
    kernel: &'a dyn Kernel<W>,
    points: &'a [Point<W>],
    slices: Slices,
    control: Control,
    sums: &'a mut [Point<W>],
    workspace: &'a mut Workspace,
    /// Number of the batch that is filled.
    batch: u32,
}

impl<const W: usize> Accumulator<'_, W> {
    #[inline(always)]
    fn add(&mut self, addition: Addition) -> Result<(), Error> {
        if !self.put(addition) {
            self.workspace.waiting.push(addition);
            if self.workspace.waiting.len() == WAITING {
                return self.finish();
            }
        }
        if self.workspace.batches[0].pairs.len() == BATCH {
            self.run();
            self.retry();
        }
        Ok(())
    }

    /// Adds to the batch; no where its bucket is taken.
    #[inline(always)]
    fn put(&mut self, addition: Addition) -> bool {
        let Workspace { stamps, batches: [batch, _], .. } = &mut *self.workspace;
        let Addition { bucket, entry } = addition;
        let last = std::mem::replace(&mut stamps[bucket as usize], self.batch);
        if last == self.batch {
            return false;
        }
        if last == 0 {
            fetch(&raw const self.points[(entry & !NEGATIVE) as usize]);
            batch.first.push(addition);
        } else {
            batch.pairs.push(bucket, entry);
        }
        true
    }

    /// Carries out the batch before the one that was filled, whose turn is next, and begins another.
    fn run(&mut self) {
        let Workspace { batches: [filled, batch], scratch, .. } = &mut *self.workspace;
        for Addition { bucket, entry } in batch.first.drain(..) {
            self.sums[bucket as usize] = self.kernel.signed(self.points, entry);
        }
        batch.pairs.fetch_meanwhile(&filled.pairs);
        self.kernel.add_pairs(self.points, &mut batch.pairs, self.sums, scratch);
        batch.pairs.clear(BATCH);
        self.workspace.batches.swap(0, 1);
        self.batch += 1;
    }

    /// Fills the batch with some of what waits, but for one place at least. Where most of it is for a few buckets,
    /// trying everything each time costs more than it brings.
    fn retry(&mut self) {
        let Workspace { waiting, retried, .. } = &mut *self.workspace;
        retried.extend(waiting.drain(waiting.len().saturating_sub(RETRIED)..));
        for i in 0..self.workspace.retried.len() {
            let addition = self.workspace.retried[i];
            let full = self.workspace.batches[0].pairs.len() == BATCH - 1;
            if full || !self.put(addition) {
                self.workspace.waiting.push(addition);
            }
        }
        self.workspace.retried.clear();
    }

    /// Carries out all additions that were put off: both batches, and what waits as trees.
    fn finish(&mut self) -> Result<(), Error> {
        self.run();
        self.run();
        let Workspace { batches: [batch, _], stamps, waiting, trees, scratch, .. } =
            &mut *self.workspace;
        waiting.sort_unstable();
        let (mut buckets, mut starts) = (Vec::new(), Vec::new());
        for (position, Addition { bucket, .. }) in waiting.iter().enumerate() {
            if buckets.last() != Some(bucket) {
                buckets.push(*bucket);
                starts.push(position as u32);
            }
        }
        starts.push(waiting.len() as u32);
        let list = List {
            points: self.points,
            entry: |position: usize| waiting[position].entry,
            starts: &starts,
            scattered: true,
        };
        sum_runs(self.kernel, &list, self.slices, &self.control, trees)?;
        let trees = trees.points(buckets.len());
        for (bucket, tree) in buckets.into_iter().zip(0..) {
            if std::mem::replace(&mut stamps[bucket as usize], self.batch) == 0 {
                self.sums[bucket as usize] = trees[tree as usize];
                continue;
            }
            batch.pairs.push(bucket, tree);
            if batch.pairs.len() == BATCH {
                self.kernel.add_pairs(trees, &mut batch.pairs, self.sums, scratch);
                batch.pairs.clear(BATCH);
            }
        }
        self.kernel.add_pairs(trees, &mut batch.pairs, self.sums, scratch);
        batch.pairs.clear(BATCH);
        waiting.clear();
        self.batch += 1;
        Ok(())
    }
}

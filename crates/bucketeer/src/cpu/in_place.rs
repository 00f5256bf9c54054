//! Stage 3, accumulate, without stage 2: every base is added to the sum of its bucket, in the order
//! of the table.
//!
//! Bucket sums stay in L2 and the table is read sequentially, where lists of buckets would read it
//! at random.
//!
//! 1. A batch collects additions to distinct buckets, which share one inversion: 5M+1S each.
//! 2. An addition whose bucket is already in the batch is deferred.
//! 3. A full batch is executed while the points of the next are prefetched; then some of the
//!    deferred additions are tried again.
//! 4. When the deferred queue is full, as it is soon if most digits are equal, it is sorted by
//!    bucket and summed as trees first.

use super::accumulate::{List, Slices, sum_runs};
use super::buffer::{PointBuffer, clear_with_capacity};
use super::group::{Addition, AdditionList, PassDigits};
use super::kernel::{Kernel, Point, Scratch};
use super::pairs::{NEGATIVE, Pairs, Reads};
use super::pool::{Pool, Pooled, wipe};
use super::prefetch::prefetch;
use crate::Error;
use crate::control::Control;
use crate::plan::{IN_PLACE_BATCH, LISTED_DIGITS, MAX_DEFERRED, MIN_LISTED_BASES};
use crate::vectors::try_clear_with_capacity;

/// Maximum number of deferred additions that are tried again for one batch.
const RETRIED: usize = 256;

/// Additions to distinct buckets.
#[derive(Default)]
struct Batch {
    pairs: Pairs,
    /// Additions to empty buckets, whose sums are the points themselves.
    first: Vec<Addition>,
}

/// Working memory of one worker.
#[derive(Default)]
pub(super) struct Workspace {
    listed: AdditionList,
    /// The batch being filled, and the one before, which is executed while the points of the former
    /// are prefetched.
    batches: [Batch; 2],
    /// For every bucket the last batch with an addition to it; 0 for none.
    stamps: Vec<u32>,
    deferred: Vec<Addition>,
    retried: Vec<Addition>,
    /// Sums of deferred additions.
    trees: PointBuffer,
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
        wipe(&mut self.deferred);
        wipe(&mut self.retried);
    }
}

/// Reused from run to run.
pub(super) static WORKSPACES: Pool<Workspace> = Pool::new();

/// Sums all digits of a pass into one point per bucket. Leaves the sums of occupied buckets in
/// `sums` and their indices in `keys`; returns the number of entries.
pub(crate) fn sum<const W: usize>(
    kernel: &dyn Kernel<W>,
    points: &[Point<W>],
    digits: &PassDigits<'_>,
    slices: Slices,
    control: &Control,
    sums: &mut PointBuffer,
    keys: &mut Vec<u32>,
) -> Result<u64, Error> {
    let buckets = digits.buckets();
    let sums = sums.reserve(buckets)?;
    try_clear_with_capacity(keys, buckets)?;
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
        let bases = (LISTED_DIGITS / digits.per_base()).max(MIN_LISTED_BASES);
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
    /// Clears everything, including what a failed run left.
    fn clear(&mut self, buckets: usize) -> Result<(), Error> {
        try_clear_with_capacity(&mut self.stamps, buckets)?;
        self.stamps.resize(buckets, 0);
        for batch in &mut self.batches {
            batch.first.clear();
            batch.pairs.clear(IN_PLACE_BATCH);
            (batch.pairs.in_place, batch.pairs.reads) = (true, Reads::Random);
        }
        clear_with_capacity(&mut self.deferred, MAX_DEFERRED);
        clear_with_capacity(&mut self.retried, RETRIED);
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
    /// Number of the batch being filled.
    batch: u32,
}

impl<const W: usize> Accumulator<'_, W> {
    #[inline(always)]
    fn add(&mut self, addition: Addition) -> Result<(), Error> {
        if !self.try_add(addition) {
            self.workspace.deferred.push(addition);
            if self.workspace.deferred.len() == MAX_DEFERRED {
                return self.finish();
            }
        }
        if self.workspace.batches[0].pairs.len() == IN_PLACE_BATCH {
            self.execute();
            self.retry();
        }
        Ok(())
    }

    /// Adds to the current batch; returns `false` if the bucket is already in it.
    #[inline(always)]
    fn try_add(&mut self, addition: Addition) -> bool {
        let Workspace { stamps, batches: [batch, _], .. } = &mut *self.workspace;
        let Addition { bucket, entry } = addition;
        let last = std::mem::replace(&mut stamps[bucket as usize], self.batch);
        if last == self.batch {
            return false;
        }
        if last == 0 {
            prefetch(&raw const self.points[(entry & !NEGATIVE) as usize]);
            batch.first.push(addition);
        } else {
            batch.pairs.push(bucket, entry);
        }
        true
    }

    /// Executes the batch before the one that was filled, and starts another.
    fn execute(&mut self) {
        let Workspace { batches: [filled, batch], scratch, .. } = &mut *self.workspace;
        for Addition { bucket, entry } in batch.first.drain(..) {
            self.sums[bucket as usize] = self.kernel.signed(self.points, entry);
        }
        batch.pairs.prefetch_for(&filled.pairs);
        self.kernel.add_pairs(self.points, &mut batch.pairs, self.sums, scratch);
        batch.pairs.clear(IN_PLACE_BATCH);
        self.workspace.batches.swap(0, 1);
        self.batch += 1;
    }

    /// Moves some deferred additions into the batch, leaving at least one slot free. If most are
    /// for a few buckets, trying all of them for every batch costs more than it gains.
    fn retry(&mut self) {
        let Workspace { deferred, retried, .. } = &mut *self.workspace;
        retried.extend(deferred.drain(deferred.len().saturating_sub(RETRIED)..));
        for i in 0..self.workspace.retried.len() {
            let addition = self.workspace.retried[i];
            let full = self.workspace.batches[0].pairs.len() == IN_PLACE_BATCH - 1;
            if full || !self.try_add(addition) {
                self.workspace.deferred.push(addition);
            }
        }
        self.workspace.retried.clear();
    }

    /// Executes everything that is pending: both batches, and the deferred additions as trees.
    fn finish(&mut self) -> Result<(), Error> {
        self.execute();
        self.execute();
        let Workspace { batches: [batch, _], stamps, deferred, trees, scratch, .. } =
            &mut *self.workspace;
        deferred.sort_unstable();
        let (mut buckets, mut starts) = (Vec::new(), Vec::new());
        for (position, Addition { bucket, .. }) in deferred.iter().enumerate() {
            if buckets.last() != Some(bucket) {
                buckets.push(*bucket);
                starts.push(position as u32);
            }
        }
        starts.push(deferred.len() as u32);
        let list = List {
            points: self.points,
            entry: |position: usize| deferred[position].entry,
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
            if batch.pairs.len() == IN_PLACE_BATCH {
                self.kernel.add_pairs(trees, &mut batch.pairs, self.sums, scratch);
                batch.pairs.clear(IN_PLACE_BATCH);
            }
        }
        self.kernel.add_pairs(trees, &mut batch.pairs, self.sums, scratch);
        batch.pairs.clear(IN_PLACE_BATCH);
        deferred.clear();
        self.batch += 1;
        Ok(())
    }
}

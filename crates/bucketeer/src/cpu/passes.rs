//! The passes over one chunk: each groups, accumulates and reduces some bucket sets, for a segment
//! of the bases and a range of the buckets.
//!
//! 1. Every worker takes the next pass from a shared counter, without barriers between stages.
//! 2. It groups, accumulates and reduces: one point per bucket set.
//! 3. Once no pass is left, it steals slices of unfinished ones if the plan has work stealing.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::accumulate::{List, Slices, sum_runs, sum_runs_per_bucket, sweep};
use super::buffer::PointBuffer;
use super::decompose::Decomposed;
use super::group::{Grouped, Pass, PassDigits, group};
use super::kernel::{Kernel, Point, XyzzPoint};
use super::pool::{Pool, Pooled};
use super::reduce::{Buckets, running_sums, window_splitting};
use super::{in_place, timed};
use crate::control::Control;
use crate::plan::{CpuAccumulate, CpuSchedule, Plan, Reduce, Shape, SumLists, Table};
use crate::platform::Instant;
use crate::report::Timings;
use crate::vectors::try_collect;
use crate::{Error, parallel};

/// Working memory of one pass.
#[derive(Default)]
pub(super) struct Workspace {
    grouped: Grouped,
    sums: PointBuffer,
}

impl Pooled for Workspace {
    fn bytes(&self) -> usize {
        self.grouped.bytes() + self.sums.bytes()
    }

    fn wipe(&mut self) {
        self.grouped.wipe();
    }
}

/// Reused from run to run.
pub(super) static WORKSPACES: Pool<Workspace> = Pool::new();

/// The shared inputs of the passes over one chunk.
pub(super) struct Passes<'a, const W: usize> {
    pub kernel: &'a dyn Kernel<W>,
    pub plan: &'a Plan,
    pub schedule: &'a CpuSchedule,
    pub table: Table,
    pub points: &'a [Point<W>],
    pub digits: &'a Decomposed,
    pub control: &'a Control,
}

impl<const W: usize> Passes<'_, W> {
    /// Number of digits that a segment has in a set, zeros included.
    fn digits_of(&self, set: u32, segment: usize) -> u64 {
        let shape = &self.plan.shape;
        let windows = u64::from((shape.windows - set).div_ceil(shape.bucket_sets));
        (segment * shape.halves()) as u64 * windows
    }

    /// Pass `index` over `sets` bucket sets; `None` after the last. The passes over one segment are
    /// consecutive, so that its bases stay in cache.
    fn pass(&self, index: usize, sets: u32) -> Option<Pass> {
        let &CpuSchedule { sets_per_pass, base_segments, bucket_ranges, .. } = self.schedule;
        let per_segment = sets.div_ceil(sets_per_pass).max(1) as usize;
        let (index, piece, pieces) = self.piece(index, base_segments * bucket_ranges * per_segment);
        let (index, range) = (index / bucket_ranges, (index % bucket_ranges) as u32);
        let first = (index % per_segment) as u32 * sets_per_pass;
        let bases = self.digits.len();
        let each = bases.div_ceil(base_segments).max(1);
        let start = index / per_segment * each;
        let segment = start..(start + each).min(bases);
        let part = segment.len().div_ceil(pieces);
        let (from, to) = (start + piece * part, start + (piece + 1) * part);
        let buckets = self.plan.shape.buckets as u32;
        let width = buckets.div_ceil(bucket_ranges as u32);
        let own = Pass {
            sets: first..(first + sets_per_pass).min(sets),
            segment: from.min(segment.end)..to.min(segment.end),
            buckets: (range * width).min(buckets)..((range + 1) * width).min(buckets),
        };
        (start < bases).then_some(own)
    }

    /// The pass with this index, and which of how many pieces of it. Additions in place cannot be
    /// stolen: instead, the last passes, too few for all workers, are cut into pieces.
    fn piece(&self, index: usize, passes: usize) -> (usize, usize, usize) {
        let workers = self.schedule.passes_in_flight;
        let whole = passes / workers * workers;
        if !self.schedule.split_last_passes || index < whole {
            return (index, 0, 1);
        }
        let pieces = workers / (passes - whole).max(1);
        (whole + (index - whole) / pieces, (index - whole) % pieces, pieces)
    }

    /// All passes of a chunk: for each its first bucket set, and one point per set.
    pub(super) fn run(
        &self,
        timings: &mut Timings,
    ) -> Result<Vec<(u32, Vec<XyzzPoint<W>>)>, Error> {
        // The upper windows of short scalars are empty.
        let sets = self.plan.shape.bucket_sets.min(self.digits.windows());
        let started = Instant::now();
        let next = AtomicUsize::new(0);
        let worker = |_| {
            let mut spent = Timings::default();
            let mut sums = Vec::new();
            loop {
                let Some(own) = self.pass(next.fetch_add(1, Relaxed), sets) else {
                    return Ok((sums, spent));
                };
                let points = WORKSPACES.with(|workspace| self.sum(&own, workspace, &mut spent))?;
                sums.push((own.sets.start, points));
            }
        };
        let done = parallel::map(self.schedule.passes_in_flight, worker);
        let done = done.into_iter().collect::<Result<Vec<_>, Error>>()?;
        let (sums, spent): (Vec<_>, Vec<_>) = done.into_iter().unzip();
        timings.share(started.elapsed(), &spent);
        Ok(sums.into_iter().flatten().collect())
    }

    /// Groups, accumulates and reduces the bucket sets of a pass: one point per set.
    fn sum(
        &self,
        pass: &Pass,
        workspace: &mut Workspace,
        timings: &mut Timings,
    ) -> Result<Vec<XyzzPoint<W>>, Error> {
        let &Self { kernel, plan, schedule, points, control, .. } = self;
        let Workspace { grouped, sums } = workspace;
        let (buckets, count) = (plan.shape.buckets, pass.sets.len());
        let workers = match schedule.accumulate {
            CpuAccumulate::InPlace => 1,
            CpuAccumulate::Grouped(..) => schedule.threads_per_pass(&plan.device),
        };
        let (max_entries, stealing) = (schedule.slice_entries, schedule.work_stealing);
        let prefetch_points_above = schedule.prefetch_points_above;
        let slices = Slices { max_entries, workers, stealing, prefetch_points_above };
        let digits = PassDigits { digits: self.digits, plan, schedule, table: self.table, pass };
        let (partial, entries) = match schedule.accumulate {
            CpuAccumulate::InPlace => {
                let entries = timed(&mut timings.accumulate, || {
                    let keys = &mut grouped.keys;
                    in_place::sum(kernel, points, &digits, slices, control, sums, keys)
                })?;
                (None, entries)
            }
            CpuAccumulate::Grouped(way, lists) => {
                timed(&mut timings.group, || group(&digits, way, grouped))?;
                let grouped = &*grouped;
                let entry = |position| grouped.entry(position);
                let starts = &grouped.starts;
                let list = List { points, entry, starts, scattered: true };
                let partial = timed(&mut timings.accumulate, || match lists {
                    SumLists::Slices | SumLists::BatchedAffine => {
                        sum_runs(kernel, &list, slices, control, sums).map(|()| None)
                    }
                    SumLists::PerBucket => {
                        sum_runs_per_bucket(kernel, &list, control, sums).map(|()| None)
                    }
                    SumLists::FusedSweep => {
                        sweep(kernel, &list, &grouped.keys, buckets, max_entries, control).map(Some)
                    }
                })?;
                (partial, list.entries() as u64)
            }
        };
        let grouped = &*grouped;
        #[cfg(feature = "faults")]
        if partial.is_none() {
            let words = sums.words_mut::<W>(grouped.keys.len());
            crate::faults::flips::apply(crate::faults::flips::Place::Buckets, words);
        }
        // Zero digits count as progress too; with ranges of buckets, after the last pass.
        if schedule.bucket_ranges == 1 {
            let digits = |set| self.digits_of(set, pass.segment.len());
            let digits: u64 = pass.sets.clone().map(digits).sum();
            control.advance(digits - entries)?;
        }
        timed(&mut timings.reduce, || {
            if let Some(partial) = partial {
                return Ok(self.add_up(partial, count));
            }
            let sums = sums.points(grouped.keys.len());
            let sets = by_set(&grouped.keys, &plan.shape, count, sums)?;
            match schedule.reduce {
                Reduce::WindowSplitting => window_splitting(kernel, sets, slices, control),
                Reduce::RunningSum => Ok(running_sums(kernel, &sets, 1)),
                Reduce::SlicedRunningSum { slices } => {
                    Ok(running_sums(kernel, &sets, slices.max(1) as usize))
                }
            }
        })
    }

    /// The reduce stage after a fused sweep: adds the partial sums of each window.
    fn add_up(&self, partial: Vec<Vec<(usize, XyzzPoint<W>)>>, count: usize) -> Vec<XyzzPoint<W>> {
        let mut windows = vec![XyzzPoint::INFINITY; count];
        for (set, sum) in partial.into_iter().flatten() {
            windows[set] = self.kernel.formulas().add(&windows[set], &sum);
        }
        windows
    }
}

/// Divides the runs of a pass into its bucket sets.
fn by_set<'a, const W: usize>(
    keys: &[u32],
    shape: &Shape,
    count: usize,
    sums: &'a [Point<W>],
) -> Result<Vec<Buckets<'a, W>>, Error> {
    let (buckets, mut rest) = (shape.buckets, keys);
    (0..count as u64)
        .map(|set| {
            let end = rest.partition_point(|&key| u64::from(key) < (set + 1) * buckets);
            let (own, after) = rest.split_at(end);
            rest = after;
            let weights =
                own.iter().map(|&key| shape.weight((u64::from(key) - set * buckets) as u32));
            Ok(Buckets { weights: try_collect(weights)?, sums })
        })
        .collect()
}

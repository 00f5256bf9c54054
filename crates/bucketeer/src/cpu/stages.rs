//! The five stages in order, for points of any width.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use super::accumulate::{self, List, Slices, sum_runs, sum_runs_plainly, sweep};
use super::combine::combine;
use super::decompose::{Decomposed, decompose};
use super::group::{Grouped, Pass, PassDigits, group};
use super::in_place;
use super::kernel::{AnyKernel, Kernel, Point, Wide, is_infinity};
use super::pool::{Pool, Pooled, wipe};
use super::reduce::{Buckets, running_sums, window_splitting};
use super::room::Room;
use super::table::{self, BaseSource};
use crate::control::Control;
use crate::engine::Timings;
use crate::parallel;
use crate::plan::{Accumulate, Plan, Reduce, Shape, Table};
use crate::platform::Instant;
use crate::scalars::ScalarSource;
use crate::{CurveSpec, Error};

/// A sum's coordinates in arkworks' words, x then y; `None` is infinity.
pub(super) type Sum = Option<Vec<u64>>;

/// An engine that has forgotten its curve's type.
pub(super) trait Stages: Send + Sync {
    /// Makes and keeps the table that the plan asks for.
    fn load(&mut self, plan: &Plan, source: &dyn BaseSource) -> Result<(), Error>;

    /// Carries out a plan on `n` scalars, with the bases of `source` or the table kept.
    fn run(
        &self,
        plan: &Plan,
        source: Option<&dyn BaseSource>,
        scalars: &dyn ScalarSource,
        n: usize,
        control: &Control,
    ) -> Result<(Sum, Timings), Error>;
}

/// The stages on a kernel.
pub(super) fn new(kernel: AnyKernel, curve: Arc<CurveSpec>) -> Box<dyn Stages> {
    fn boxed<const W: usize>(kernel: Arc<dyn Kernel<W>>, curve: Arc<CurveSpec>) -> Box<dyn Stages> {
        Box::new(OnKernel { kernel, curve, resident: None })
    }
    match kernel {
        AnyKernel::W8(kernel) => boxed(kernel, curve),
        AnyKernel::W12(kernel) => boxed(kernel, curve),
        AnyKernel::W16(kernel) => boxed(kernel, curve),
        AnyKernel::W24(kernel) => boxed(kernel, curve),
        AnyKernel::W48(kernel) => boxed(kernel, curve),
    }
}

struct OnKernel<const W: usize> {
    kernel: Arc<dyn Kernel<W>>,
    curve: Arc<CurveSpec>,
    resident: Option<Resident>,
}

/// A table that stays.
struct Resident {
    table: Table,
    room: Room,
    length: usize,
}

/// Working memory of one run.
#[derive(Default)]
struct Memory {
    streamed: Room,
    scalars: Vec<u64>,
}

impl Pooled for Memory {
    fn bytes(&self) -> usize {
        self.streamed.bytes() + 8 * self.scalars.capacity()
    }

    fn wipe(&mut self) {
        wipe(&mut self.scalars);
    }
}

/// Working memory of one pass.
#[derive(Default)]
struct PassMemory {
    grouped: Grouped,
    sums: Room,
}

impl Pooled for PassMemory {
    fn bytes(&self) -> usize {
        self.grouped.bytes() + self.sums.bytes()
    }

    fn wipe(&mut self) {
        self.grouped.wipe();
    }
}

static RUNS: Pool<Memory> = Pool::new();
static PASSES: Pool<PassMemory> = Pool::new();

/// Overwrites and frees what runs have left for the next.
pub(super) fn release() {
    RUNS.release();
    PASSES.release();
    accumulate::WORKSPACES.release();
    in_place::WORKSPACES.release();
}

impl<const W: usize> Stages for OnKernel<W> {
    fn load(&mut self, plan: &Plan, source: &dyn BaseSource) -> Result<(), Error> {
        let table = plan.table();
        let length = plan.n * table.stored();
        let mut room = Room::default();
        let threads = plan.device.threads;
        let out = room.reserve(length)?;
        table::fill(&*self.kernel, &table, source, 0..plan.n, None, threads, out);
        self.resident = Some(Resident { table, room, length });
        Ok(())
    }

    fn run(
        &self,
        plan: &Plan,
        source: Option<&dyn BaseSource>,
        scalars: &dyn ScalarSource,
        n: usize,
        control: &Control,
    ) -> Result<(Sum, Timings), Error> {
        RUNS.with(|memory| self.run_in(memory, plan, source, scalars, n, control))
    }
}

/// Everything that the passes over one chunk need.
struct Passes<'a, const W: usize> {
    plan: &'a Plan,
    table: Table,
    points: &'a [Point<W>],
    digits: &'a Decomposed,
    control: &'a Control,
}

impl<const W: usize> Passes<'_, W> {
    /// Digits of all scalars of a segment that go into a set, zeros included.
    fn digits_of(&self, set: u32, segment: usize) -> u64 {
        let shape = &self.plan.shape;
        let windows = u64::from((shape.windows - set).div_ceil(shape.bucket_sets));
        (segment * shape.halves()) as u64 * windows
    }

    /// Pass `index` where there are `sets` bucket sets; `None` behind the last. The passes over one segment follow
    /// each other, while its bases are in the caches.
    fn pass(&self, index: usize, sets: u32) -> Option<Pass> {
        let &Plan { sets_per_pass, segments, ranges, .. } = self.plan;
        let per_segment = sets.div_ceil(sets_per_pass).max(1) as usize;
        let (index, piece, pieces) = self.piece(index, segments * ranges * per_segment);
        let (index, range) = (index / ranges, (index % ranges) as u32);
        let first = (index % per_segment) as u32 * sets_per_pass;
        let bases = self.digits.len();
        let each = bases.div_ceil(segments).max(1);
        let start = index / per_segment * each;
        let segment = start..(start + each).min(bases);
        let part = segment.len().div_ceil(pieces);
        let (from, to) = (start + piece * part, start + (piece + 1) * part);
        let buckets = self.plan.shape.buckets as u32;
        let width = buckets.div_ceil(ranges as u32);
        let own = Pass {
            sets: first..(first + sets_per_pass).min(sets),
            segment: from.min(segment.end)..to.min(segment.end),
            buckets: (range * width).min(buckets)..((range + 1) * width).min(buckets),
        };
        (start < bases).then_some(own)
    }

    /// The pass that worker number `index` takes, and which of how many pieces of it. Nobody can help with additions
    /// in place: instead, those passes that are too few for all workers are cut.
    fn piece(&self, index: usize, passes: usize) -> (usize, usize, usize) {
        let workers = self.plan.passes_in_flight;
        let whole = passes / workers * workers;
        if self.plan.accumulate != Accumulate::InPlace || !self.plan.helping || index < whole {
            return (index, 0, 1);
        }
        let pieces = workers / (passes - whole).max(1);
        (whole + (index - whole) / pieces, (index - whole) % pieces, pieces)
    }
}

impl<const W: usize> OnKernel<W> {
    fn run_in(
        &self,
        memory: &mut Memory,
        plan: &Plan,
        source: Option<&dyn BaseSource>,
        scalars: &dyn ScalarSource,
        n: usize,
        control: &Control,
    ) -> Result<(Sum, Timings), Error> {
        let mut timings = Timings::default();
        let shape = &plan.shape;
        let formulas = self.kernel.formulas();
        let mut windows = vec![Wide::INFINITY; shape.bucket_sets as usize];
        let Memory { streamed, scalars: data } = memory;
        let digits_per_base = u64::from(shape.windows) * shape.halves() as u64;
        for start in (0..n).step_by(plan.chunk) {
            let range = start..(start + plan.chunk).min(n);
            let digits = timed(&mut timings.decompose, || {
                let (curve, device) = (&self.curve, &plan.device);
                decompose(scalars, range.clone(), shape, curve, device, std::mem::take(data))
            })?;
            let (table, points) = timed(&mut timings.load, || {
                self.chunk(plan, source, range.clone(), &digits, streamed)
            })?;
            let passes = Passes { plan, table, points, digits: &digits, control };
            for (first, sums) in self.passes(&passes, &mut timings)? {
                for (window, sum) in windows[first as usize..].iter_mut().zip(sums) {
                    *window = formulas.add(window, &sum);
                }
            }
            control.reach(range.end as u64 * digits_per_base)?;
            *data = digits.into_data();
        }
        let sum = timed(&mut timings.combine, || {
            formulas.to_point(&combine(&windows, shape.window_bits, formulas))
        });
        Ok(((!is_infinity(&sum)).then(|| sum.to_vec()), timings))
    }

    /// The stored points of a chunk: a part of the resident table, or a table made now for these digits.
    fn chunk<'a>(
        &'a self,
        plan: &Plan,
        source: Option<&dyn BaseSource>,
        range: Range<usize>,
        digits: &Decomposed,
        streamed: &'a mut Room,
    ) -> Result<(Table, &'a [Point<W>]), Error> {
        match (source, &self.resident) {
            (Some(source), _) => {
                let table = plan.table();
                let length = range.len() * table.stored();
                let out = streamed.reserve(length)?;
                let threads = plan.device.threads;
                table::fill(&*self.kernel, &table, source, range, Some(digits), threads, out);
                Ok((table, streamed.points(length)))
            }
            (None, Some(Resident { table, room, length })) => {
                let stored = table.stored();
                let points = room.points(*length);
                Ok((*table, &points[range.start * stored..range.end * stored]))
            }
            (None, None) => Err(Error::Internal("a run before its bases".into())),
        }
    }

    /// All bucket sets of a chunk, pass by pass: its first set, and one point for each. Every worker takes passes
    /// of its own and waits for nobody; only where a worker runs out of them does it help with another's slices, if
    /// these are worth it.
    fn passes(
        &self,
        passes: &Passes<'_, W>,
        timings: &mut Timings,
    ) -> Result<Vec<(u32, Vec<Wide<W>>)>, Error> {
        let plan = passes.plan;
        // Of short scalars the upper windows are empty.
        let sets = plan.shape.bucket_sets.min(passes.digits.windows());
        let started = Instant::now();
        let next = AtomicUsize::new(0);
        let flight = |_| {
            let mut spent = Timings::default();
            let mut sums = Vec::new();
            loop {
                let Some(own) = passes.pass(next.fetch_add(1, Relaxed), sets) else {
                    return Ok((sums, spent));
                };
                let points = PASSES.with(|memory| self.pass(passes, &own, memory, &mut spent))?;
                sums.push((own.sets.start, points));
            }
        };
        let done = parallel::map(plan.passes_in_flight, flight);
        let done = done.into_iter().collect::<Result<Vec<_>, Error>>()?;
        let (sums, spent): (Vec<_>, Vec<_>) = done.into_iter().unzip();
        timings.share(started.elapsed(), &spent);
        Ok(sums.into_iter().flatten().collect())
    }

    /// Group, accumulate and reduce some bucket sets: one point for each.
    fn pass(
        &self,
        passes: &Passes<'_, W>,
        pass: &Pass,
        memory: &mut PassMemory,
        timings: &mut Timings,
    ) -> Result<Vec<Wide<W>>, Error> {
        let &Passes { plan, control, .. } = passes;
        let PassMemory { grouped, sums } = memory;
        let (kernel, buckets, count) = (&*self.kernel, plan.shape.buckets, pass.sets.len());
        let alone = plan.accumulate == Accumulate::InPlace;
        let (workers, helped) = if alone { (1, false) } else { (plan.workers(), plan.helping) };
        let slices = Slices { most: plan.slice, workers, helped };
        let digits = PassDigits { digits: passes.digits, plan, table: passes.table, pass };
        let (partial, entries) = if alone {
            let entries = timed(&mut timings.accumulate, || {
                let keys = &mut grouped.keys;
                in_place::sum(kernel, passes.points, &digits, slices, control, sums, keys)
            })?;
            (None, entries)
        } else {
            timed(&mut timings.group, || group(&digits, grouped))?;
            let grouped = &*grouped;
            let entry = |position| grouped.entry(position);
            let starts = &grouped.starts;
            let list = List { points: passes.points, entry, starts, scattered: true };
            let partial = timed(&mut timings.accumulate, || match plan.accumulate {
                // The others do not come here.
                Accumulate::Slices | Accumulate::InPlace | Accumulate::Straus => {
                    sum_runs(kernel, &list, slices, control, sums).map(|()| None)
                }
                Accumulate::PerBucket => {
                    sum_runs_plainly(kernel, &list, control, sums).map(|()| None)
                }
                Accumulate::FusedSweep => {
                    sweep(kernel, &list, &grouped.keys, buckets, plan.slice, control).map(Some)
                }
            })?;
            (partial, list.entries() as u64)
        };
        let grouped = &*grouped;
        // Digits that were zero are done as well; where the others are shared, after the last pass.
        if plan.ranges == 1 {
            let digits = |set| passes.digits_of(set, pass.segment.len());
            let digits: u64 = pass.sets.clone().map(digits).sum();
            control.advance(digits - entries)?;
        }
        timed(&mut timings.reduce, || {
            if let Some(partial) = partial {
                return Ok(self.add_up(partial, count));
            }
            let sets = by_set(&grouped.keys, &plan.shape, count, sums.points(grouped.keys.len()));
            match plan.reduce {
                Reduce::WindowSplitting => window_splitting(kernel, sets, slices, control),
                Reduce::RunningSum => Ok(running_sums(kernel, &sets, 1)),
                Reduce::SlicedRunningSum { slices } => {
                    Ok(running_sums(kernel, &sets, slices.max(1) as usize))
                }
            }
        })
    }

    /// What is left to reduce after a fused sweep: the partial sums of each window.
    fn add_up(&self, partial: Vec<(usize, Wide<W>)>, count: usize) -> Vec<Wide<W>> {
        let mut windows = vec![Wide::INFINITY; count];
        for (set, sum) in partial {
            windows[set] = self.kernel.formulas().add(&windows[set], &sum);
        }
        windows
    }
}

/// Cuts the runs of a pass into its bucket sets.
fn by_set<'a, const W: usize>(
    keys: &[u32],
    shape: &Shape,
    count: usize,
    sums: &'a [Point<W>],
) -> Vec<Buckets<'a, W>> {
    let (buckets, mut rest) = (shape.buckets, keys);
    (0..count as u64)
        .map(|set| {
            let end = rest.partition_point(|&key| u64::from(key) < (set + 1) * buckets);
            let (own, after) = rest.split_at(end);
            rest = after;
            let weights =
                own.iter().map(|&key| shape.weight((u64::from(key) - set * buckets) as u32));
            Buckets { weights: weights.collect(), sums }
        })
        .collect()
}

pub(super) fn timed<R>(total: &mut Duration, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    *total += start.elapsed();
    result
}

//! The five stages in order, for points of any width.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::accumulate::{List, sum_runs, sum_runs_plainly, sweep};
use super::combine::combine;
use super::decompose::{Decomposed, decompose};
use super::group::{Grouped, group};
use super::kernel::{AnyKernel, Kernel, Point, Wide, is_infinity};
use super::pool::{Pool, Pooled};
use super::reduce::{Buckets, running_sums, window_splitting};
use super::room::Room;
use super::table::{self, BaseSource};
use crate::control::Control;
use crate::engine::Timings;
use crate::plan::{Accumulate, Plan, Reduce, Table};
use crate::platform::Instant;
use crate::scalars::ScalarSource;
use crate::{CurveSpec, Error};

/// A sum's coordinates in arkworks' words, x then y; `None` is infinity.
pub(super) type Sum = Option<Vec<u64>>;

/// An engine that has forgotten its curve's type.
pub(super) trait Stages: Send + Sync {
    /// Makes and keeps the table that the plan asks for.
    fn load(&mut self, plan: &Plan, source: &dyn BaseSource);

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
    fn boxed<const W: usize>(kernel: Box<dyn Kernel<W>>, curve: Arc<CurveSpec>) -> Box<dyn Stages> {
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
    kernel: Box<dyn Kernel<W>>,
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
    grouped: Grouped,
    sums: Room,
}

impl Pooled for Memory {
    fn bytes(&self) -> usize {
        let rooms = self.streamed.bytes() + self.sums.bytes();
        rooms + 8 * self.scalars.capacity() + self.grouped.bytes()
    }
}

static MEMORY: Pool<Memory> = Pool::new();

impl<const W: usize> Stages for OnKernel<W> {
    fn load(&mut self, plan: &Plan, source: &dyn BaseSource) {
        let table = plan.shape.table();
        let length = plan.n * table::copies(&table);
        let mut room = Room::default();
        table::fill(&*self.kernel, &table, source, 0..plan.n, room.reserve(length));
        self.resident = Some(Resident { table, room, length });
    }

    fn run(
        &self,
        plan: &Plan,
        source: Option<&dyn BaseSource>,
        scalars: &dyn ScalarSource,
        n: usize,
        control: &Control,
    ) -> Result<(Sum, Timings), Error> {
        MEMORY.with(|memory| self.run_in(memory, plan, source, scalars, n, control))
    }
}

/// Everything the stages of one pass need.
struct Pass<'a, const W: usize> {
    plan: &'a Plan,
    table: Table,
    points: &'a [Point<W>],
    digits: &'a Decomposed,
    sets: Range<u32>,
    control: &'a Control,
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
        let Memory { streamed, scalars: data, grouped, sums } = memory;
        let digits_per_base = u64::from(shape.windows) * shape.halves() as u64;
        for start in (0..n).step_by(plan.chunk) {
            let range = start..(start + plan.chunk).min(n);
            let (table, points) =
                timed(&mut timings.load, || self.chunk(plan, source, range.clone(), streamed));
            let digits = timed(&mut timings.decompose, || {
                decompose(scalars, range.clone(), shape, &self.curve, std::mem::take(data))
            })?;
            for first in (0..shape.bucket_sets).step_by(plan.sets_per_pass as usize) {
                let sets = first..(first + plan.sets_per_pass).min(shape.bucket_sets);
                let pass =
                    Pass { plan, table, points, digits: &digits, sets: sets.clone(), control };
                let sums = self.pass(&pass, grouped, sums, &mut timings)?;
                for (set, sum) in sets.clone().zip(sums) {
                    let window = &mut windows[set as usize];
                    *window = formulas.add(window, &sum);
                }
                let in_chunk = range.len() as u64 * digits_per_base;
                let within = in_chunk * u64::from(sets.end) / u64::from(shape.bucket_sets);
                control.reach(start as u64 * digits_per_base + within)?;
            }
            *data = digits.into_data();
        }
        let sum = timed(&mut timings.combine, || {
            formulas.to_point(&combine(&windows, shape.window_bits, formulas))
        });
        Ok(((!is_infinity(&sum)).then(|| sum.to_vec()), timings))
    }

    /// The stored points of a chunk: a part of the resident table, or a table made now.
    fn chunk<'a>(
        &'a self,
        plan: &Plan,
        source: Option<&dyn BaseSource>,
        range: Range<usize>,
        streamed: &'a mut Room,
    ) -> (Table, &'a [Point<W>]) {
        match (source, &self.resident) {
            (Some(source), _) => {
                let table = plan.shape.table();
                let length = range.len() * table::copies(&table);
                table::fill(&*self.kernel, &table, source, range, streamed.reserve(length));
                (table, streamed.points(length))
            }
            (None, Some(Resident { table, room, length })) => {
                let copies = table::copies(table);
                let points = room.points(*length);
                (*table, &points[range.start * copies..range.end * copies])
            }
            (None, None) => unreachable!("load comes before a resident run"),
        }
    }

    /// Group, accumulate and reduce some bucket sets: one point for each.
    fn pass(
        &self,
        pass: &Pass<'_, W>,
        grouped: &mut Grouped,
        sums: &mut Room,
        timings: &mut Timings,
    ) -> Result<Vec<Wide<W>>, Error> {
        let &Pass { plan, control, .. } = pass;
        timed(&mut timings.group, || {
            group(pass.digits, plan, pass.table, pass.sets.clone(), grouped);
        });
        let grouped = &*grouped;
        let entry = |position| grouped.entry(position);
        let list = List { points: pass.points, entry, starts: &grouped.starts, scattered: true };
        let (kernel, buckets, count) = (&*self.kernel, plan.shape.buckets, pass.sets.len());
        let partial = timed(&mut timings.accumulate, || match plan.accumulate {
            Accumulate::Slices => sum_runs(kernel, &list, plan.slice, control, sums).map(|()| None),
            Accumulate::PerBucket => sum_runs_plainly(kernel, &list, control, sums).map(|()| None),
            Accumulate::FusedSweep => {
                sweep(kernel, &list, &grouped.keys, buckets, plan.slice, control).map(Some)
            }
        })?;
        timed(&mut timings.reduce, || {
            if let Some(partial) = partial {
                return Ok(self.add_up(partial, count));
            }
            let sets = by_set(&grouped.keys, buckets, count, sums.points(grouped.keys.len()));
            match plan.reduce {
                Reduce::WindowSplitting => window_splitting(kernel, sets, plan.slice, control),
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
    buckets: u64,
    count: usize,
    sums: &'a [Point<W>],
) -> Vec<Buckets<'a, W>> {
    let mut rest = keys;
    (0..count as u64)
        .map(|set| {
            let end = rest.partition_point(|&key| u64::from(key) < (set + 1) * buckets);
            let (own, after) = rest.split_at(end);
            rest = after;
            let weights = own.iter().map(|&key| (u64::from(key) - set * buckets) as u32 + 1);
            Buckets { weights: weights.collect(), sums }
        })
        .collect()
}

fn timed<R>(total: &mut Duration, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    *total += start.elapsed();
    result
}

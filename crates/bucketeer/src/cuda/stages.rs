//! The five stages in order, for any curve: everything here is words and addresses.
//!
//! Scalars are copied and decomposed in one stream while the bases of the chunk before are added in
//! another. Where one pass holds all bucket sets, buckets are carried from chunk to chunk and reduced once.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::accumulate::{Sums, accumulate};
use super::decompose::{Target, decompose};
use super::driver::{Address, Context, DeviceMemory, Event};
use super::group::{Digits, Integers, Lists, group};
use super::launch::Setup;
use super::program::{Program, Source};
use super::reduce::reduce;
use super::table::{self, Place};
use super::workspace::{Buffers, Need, Pool, Workspace};
use crate::control::Control;
use crate::engine::Timings;
use crate::gpu::{AffineSource, Part, Raw};
use crate::plan::{Accumulate, Layout, Plan, Reduce};
use crate::{CurveSpec, Error};

/// Bases that stay on the device.
pub(crate) struct Resident {
    memory: DeviceMemory,
    n: usize,
}

/// Where a run's bases come from.
pub(crate) enum Points<'a> {
    Resident(&'a Resident),
    Borrowed(&'a dyn AffineSource),
}

/// A device's share of a run.
pub(crate) struct Stages<'a> {
    pub context: &'a Arc<Context>,
    pub pool: &'a Pool,
    pub program: &'a Program,
    pub curve: &'a CurveSpec,
}

/// Stages that are timed, in the order of [`Timings`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Load,
    Decompose,
    Group,
    Accumulate,
    Reduce,
}

/// Marks around the stages of a run.
struct Marks<'a> {
    context: &'a Arc<Context>,
    spans: Vec<(Stage, Event, Event)>,
}

impl Marks<'_> {
    fn around(
        &mut self,
        stage: Stage,
        workspace: &mut Workspace,
        work: impl FnOnce(&mut Workspace) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (start, end) = (Event::new(self.context)?, Event::new(self.context)?);
        let stream = |workspace: &Workspace, event: &Event| match stage {
            Stage::Decompose => event.record(&workspace.input),
            _ => event.record(&workspace.compute),
        };
        stream(workspace, &start)?;
        work(workspace)?;
        stream(workspace, &end)?;
        self.spans.push((stage, start, end));
        Ok(())
    }

    /// Adds up the spans; all must have ended.
    fn timings(&self) -> Result<Timings, Error> {
        let mut timings = Timings::default();
        for (stage, start, end) in &self.spans {
            let total = match stage {
                Stage::Load => &mut timings.load,
                Stage::Decompose => &mut timings.decompose,
                Stage::Group => &mut timings.group,
                Stage::Accumulate => &mut timings.accumulate,
                Stage::Reduce => &mut timings.reduce,
            };
            *total += Duration::from_secs_f64(f64::from(end.since(start)?) / 1e3);
        }
        Ok(timings)
    }
}

impl Stages<'_> {
    /// The sources a plan's kernels are in.
    fn sources(plan: &Plan, tables: bool) -> Vec<Source> {
        let mut sources = Source::USUAL.to_vec();
        let plain = plan.accumulate == Accumulate::FusedSweep;
        if plain || plan.reduce != Reduce::WindowSplitting {
            sources.push(Source::Running);
        }
        if tables {
            sources.push(Source::Table);
        }
        sources
    }

    fn events(&self) -> Result<[Event; 2], Error> {
        Ok([Event::new(self.context)?, Event::new(self.context)?])
    }

    fn need(plan: &Plan, layout: &Layout) -> Need {
        Need {
            device: plan.bytes(),
            limited: plan.memory_limit.is_some(),
            staging: layout.staging.max(1 << 16) as usize,
            results: layout.reduction.results() * 4 * layout.sum_words,
        }
    }

    /// Loads bases into a table of their own, and the time it took to compile.
    pub(crate) fn load(
        &self,
        plan: &Plan,
        source: &dyn AffineSource,
    ) -> Result<(Resident, Duration), Error> {
        let compiled = self.program.prepare(&Self::sources(plan, true))?;
        let layout = plan.gpu_layout(self.curve);
        let table = plan.table();
        let points = plan.n as u64 * u64::from(table.precompute);
        let bytes = points * 4 * layout.base_words as u64;
        let memory = self.pool.allocate(|| DeviceMemory::new(self.context, bytes))?;
        let per_point = layout.loading_bytes();
        let run = plan.bytes() - plan.table_bytes();
        // At least one base with all its copies at a time.
        let copies = u64::from(table.precompute.max(2) - 1);
        let all = copies * plan.n.max(1) as u64;
        let scratch_points = (run / per_point).clamp(1 << 12, 1 << 22).max(copies).min(all);
        let affine = 4 * layout.sum_words / 2;
        let need = Need {
            device: scratch_points * per_point,
            limited: plan.memory_limit.is_some(),
            staging: (scratch_points as usize * affine).min(32 << 20),
            results: 0,
        };
        self.pool.with(self.context, &need, |workspace| {
            let place = Place {
                table: memory.address,
                stride: plan.n as u64,
                copies: table.precompute,
                doublings: table.window_bits * table.bucket_sets,
                scratch: workspace.start(),
                scratch_points,
            };
            let (range, copied) = (0..plan.n, self.events()?);
            let setup = Setup { program: self.program, plan, layout: &layout };
            table::fill(setup, source, range, &place, workspace, &copied)?;
            workspace.compute.wait()
        })?;
        Ok((Resident { memory, n: plan.n }, compiled))
    }

    /// Carries a plan out: one MSM, or as many as `raw` has parts.
    pub(crate) fn run(
        &self,
        plan: &Plan,
        points: &Points<'_>,
        raw: &Raw<'_>,
        control: &Control,
    ) -> Result<(Vec<Part>, Timings), Error> {
        self.context.bind()?;
        let borrowed = matches!(points, Points::Borrowed(_));
        let compile = self.program.prepare(&Self::sources(plan, borrowed))?;
        let layout = plan.gpu_layout(self.curve);
        let need = Self::need(plan, &layout);
        let (parts, mut timings) = self.pool.with(self.context, &need, |workspace| {
            let buffers = workspace.buffers(&plan.buffers);
            let run = Run { stages: self, plan, layout: &layout, points, raw, control, buffers };
            run.carry_out(workspace)
        })?;
        timings.compile = compile;
        Ok((parts, timings))
    }
}

/// One run in a workspace.
struct Run<'a> {
    stages: &'a Stages<'a>,
    plan: &'a Plan,
    layout: &'a Layout,
    points: &'a Points<'a>,
    raw: &'a Raw<'a>,
    control: &'a Control,
    buffers: Buffers,
}

impl Run<'_> {
    fn setup(&self) -> Setup<'_> {
        Setup { program: self.stages.program, plan: self.plan, layout: self.layout }
    }

    fn carry_out(&self, workspace: &mut Workspace) -> Result<(Vec<Part>, Timings), Error> {
        let Self { plan, raw, .. } = self;
        let context = self.stages.context;
        let mut marks = Marks { context, spans: Vec::new() };
        let (copied, grouped, summed) =
            (self.stages.events()?, self.stages.events()?, self.stages.events()?);
        let ready = Event::new(context)?;
        let too_large = self.counters()?.3;
        workspace.input.upload(too_large, &u32::MAX.to_le_bytes())?;
        let batch = raw.parts.len() > 1;
        let carried = plan.carries_buckets();
        let digits_per_base = u64::from(plan.shape.windows);
        let mut parts = Vec::new();
        let n = raw.len();
        for (turn, range) in plan.ranges(n, self.layout).into_iter().enumerate() {
            let half = if plan.double_buffered() { turn % 2 } else { 0 };
            let table = self.table(&range, workspace, &mut marks, &copied)?;
            let target = self.target(half, too_large)?;
            let words = target.words;
            workspace.input.after(&grouped[half])?;
            marks.around(Stage::Decompose, workspace, |workspace| {
                let range = range.clone();
                decompose(self.setup(), raw, range, &target, workspace, &copied)
            })?;
            ready.record(&workspace.input)?;
            workspace.compute.after(&ready)?;
            let integers = Integers {
                words,
                count: range.len() as u32,
                length: plan.chunk as u32,
                copy_stride: table.1,
                // MSMs over resident bases share them.
                segment_stride: match self.points {
                    Points::Resident(_) if batch => 0,
                    _ => plan.chunk as u32,
                },
            };
            for first_set in (0..plan.shape.bucket_sets).step_by(plan.sets_per_pass as usize) {
                let first = !carried || turn == 0;
                let last = !carried || range.end == n;
                let pass = Pass { integers: &integers, first_set, table: table.0, first, last };
                let part = self.pass(&pass, workspace, &mut marks, &range)?;
                parts.extend(part);
            }
            grouped[half].record(&workspace.compute)?;
            summed[half].record(&workspace.compute)?;
            if turn > 0 {
                // The chunk before; this one stays in flight.
                summed[1 - half].wait()?;
                self.control.reach(range.start as u64 * digits_per_base)?;
            }
        }
        workspace.compute.wait()?;
        workspace.input.wait()?;
        let mut found = [0u8; 4];
        workspace.compute.download(&mut found, too_large)?;
        workspace.compute.wait()?;
        match u32::from_le_bytes(found) {
            u32::MAX => {}
            index => return Err(raw.too_large(index as usize)),
        }
        self.control.reach(n as u64 * digits_per_base)?;
        Ok((parts, marks.timings()?))
    }

    /// The address of the first base of a range, and the distance of its copies.
    fn table(
        &self,
        range: &Range<usize>,
        workspace: &mut Workspace,
        marks: &mut Marks<'_>,
        copied: &[Event; 2],
    ) -> Result<(Address, u32), Error> {
        let base = 4 * self.layout.base_words as u64;
        match self.points {
            Points::Resident(resident) => {
                let first = if self.raw.parts.len() > 1 { 0 } else { range.start as u64 };
                Ok((resident.memory.address + first * base, resident.n as u32))
            }
            Points::Borrowed(source) => {
                let (shape, layout) = (&self.plan.shape, self.layout);
                let table = self.buffers.at("bases")?;
                let place = Place {
                    table,
                    stride: layout.scalars,
                    copies: shape.precompute,
                    doublings: shape.window_bits * shape.bucket_sets,
                    scratch: self.buffers.at("loading")?,
                    scratch_points: layout.loading,
                };
                marks.around(Stage::Load, workspace, |workspace| {
                    let range = range.clone();
                    table::fill(self.setup(), *source, range, &place, workspace, copied)
                })?;
                Ok((table, layout.scalars as u32))
            }
        }
    }

    /// Addresses in the buffer of counters: starts, cursors, bins, and the index of a faulty scalar.
    fn counters(&self) -> Result<(Address, Address, Address, Address), Error> {
        let (keys, bins) = (self.layout.keys(), u64::from(self.layout.bins));
        let starts = self.buffers.at("counters")?;
        let cursors = starts + 4 * (keys + 1);
        let bin_counts = cursors + 4 * keys;
        Ok((starts, cursors, bin_counts, bin_counts + 4 * 3 * (bins + 1)))
    }

    fn target(&self, half: usize, too_large: Address) -> Result<Target, Error> {
        let layout = self.layout;
        let raw = self.buffers.at("raw scalars")?;
        let words = layout.scalars * u64::from(layout.scalar_words) * 4;
        Ok(Target {
            raw: [raw, raw + layout.staging],
            staging: layout.staging,
            words: self.buffers.at("scalars")? + half as u64 * words,
            word_count: layout.scalar_words,
            stride: layout.scalars,
            too_large,
        })
    }

    fn lists(&self) -> Result<Lists, Error> {
        let (starts, cursors, bin_counts, _) = self.counters()?;
        let bins = u64::from(self.layout.bins) + 1;
        Ok(Lists {
            starts,
            cursors,
            bin_counts,
            bin_starts: bin_counts + 4 * bins,
            tile_starts: bin_counts + 8 * bins,
            binned: self.buffers.at("binned entries")?,
            entries: self.buffers.at("entries")?,
        })
    }

    fn sums(&self) -> Result<Sums, Error> {
        let layout = self.layout;
        let tasks = self.buffers.at("tasks")?;
        let splits = tasks + 16 * layout.tasks;
        let large = splits + 16 * layout.splits;
        Ok(Sums {
            counters: large + 16 * layout.large,
            tasks,
            splits,
            large,
            slots: self.buffers.at("partial sums")?,
            buckets: self.buffers.at("bucket sums")?,
        })
    }

    /// Group, accumulate and, after the last chunk, reduce some bucket sets.
    fn pass(
        &self,
        pass: &Pass<'_>,
        workspace: &mut Workspace,
        marks: &mut Marks<'_>,
        range: &Range<usize>,
    ) -> Result<Option<Part>, Error> {
        let Self { plan, layout, raw, .. } = *self;
        let setup = self.setup();
        let (lists, sums) = (self.lists()?, self.sums()?);
        let digits = Digits::new(plan, layout, pass.integers, pass.first_set);
        marks.around(Stage::Group, workspace, |workspace| {
            let shared = self.stages.context.facts.shared_memory;
            group(&workspace.compute, setup, digits, &lists, shared)
        })?;
        if plan.accumulate != Accumulate::FusedSweep {
            marks.around(Stage::Accumulate, workspace, |workspace| {
                let stream = &workspace.compute;
                if pass.first {
                    stream.zero(sums.buckets, layout.keys() * 4 * layout.sum_words as u64)?;
                }
                let add = !pass.first;
                accumulate(stream, setup, &lists, pass.table, add, &sums)
            })?;
        }
        if !pass.last {
            return Ok(None);
        }
        let out = self.buffers.at("reduce")?;
        marks.around(Stage::Reduce, workspace, |workspace| {
            let (stream, buckets) = (&workspace.compute, sums.buckets);
            reduce(stream, setup, &lists, pass.table, buckets, out)
        })?;
        let bytes = layout.reduction.results() * 4 * layout.sum_words;
        let results = &mut workspace.results.as_mut_slice()[..bytes];
        workspace.compute.download(results, out)?;
        workspace.compute.wait()?;
        let words =
            results.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap_or([0; 8])));
        let batch = raw.parts.len() > 1;
        Ok(Some(Part {
            first_msm: if batch { range.start / plan.chunk.max(1) } else { 0 },
            msms: if batch { range.len() / plan.chunk.max(1) } else { 1 },
            first_set: pass.first_set,
            sets: plan.sets_per_pass as usize,
            words: words.collect(),
        }))
    }
}

/// What differs from pass to pass.
struct Pass<'a> {
    integers: &'a Integers,
    first_set: u32,
    table: Address,
    /// Whether buckets start empty.
    first: bool,
    /// Whether they are complete afterwards.
    last: bool,
}

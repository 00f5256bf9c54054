//! The five stages in order, for any curve: everything here is words and buffers.

use std::ops::Range;
use std::time::Duration;

use super::Gpu;
use super::group::Integers;
use super::program::{Program, Source};
use super::recorder::{Recorder, Tape, finished, read};
use super::table::{self, Place};
use super::workspace::{RESULTS, Workspace, storage};
use crate::control::Control;
use crate::engine::Timings;
use crate::gpu::{AffineSource, Part, Raw};
use crate::plan::{Accumulate, BASES, Group, Layout, Plan, Reduce, ScalarBound};
use crate::{CurveSpec, Error};

/// Bases that stay on the device, `piece` to a buffer.
pub(super) struct Resident {
    pieces: Vec<wgpu::Buffer>,
    piece: usize,
    n: usize,
}

/// Where a run's bases come from.
pub(super) enum Points<'a> {
    Resident(&'a Resident),
    Borrowed(&'a dyn AffineSource),
}

/// Loads bases into buffers of their own, and the time it took to compile.
pub(super) async fn load(
    gpu: &Gpu,
    program: &Program,
    curve: &CurveSpec,
    plan: &Plan,
    source: &dyn AffineSource,
) -> Result<(Resident, Duration), Error> {
    let compiled = program.prepare(gpu, &table::sources(plan)).await?;
    let layout = plan.gpu_layout(curve);
    let piece = usize::try_from(layout.piece).unwrap_or(usize::MAX).min(plan.n.max(1));
    let shape = plan.table();
    let points = layout.loading.min(plan.n.max(1) as u64 * u64::from(shape.precompute)).max(1);
    let points = points.max(u64::from(shape.precompute));
    let scratch = storage(gpu, "loading", points * layout.loading_bytes()).await?;
    let tape = Tape::new(gpu);
    let mut recorder = Recorder::new(gpu, &tape);
    let mut pieces = Vec::new();
    for start in (0..plan.n).step_by(piece) {
        let range = start..(start + piece).min(plan.n);
        let copies = range.len() as u64 * u64::from(shape.precompute);
        let table = storage(gpu, "bases", copies * 4 * layout.base_words as u64).await?;
        let place = Place {
            table: &table,
            stride: range.len() as u64,
            copies: shape.precompute,
            doublings: shape.window_bits * shape.bucket_sets,
            scratch: &scratch,
            points,
        };
        table::fill(gpu, program, &mut recorder, &layout, source, range, &place).await?;
        recorder.send().await?;
        pieces.push(table);
    }
    recorder.finish().await?;
    Ok((Resident { pieces, piece, n: plan.n }, compiled))
}

/// The shaders a plan needs.
fn sources(plan: &Plan, borrowed: bool) -> Vec<Source> {
    let mut sources = vec![Source::Decompose, Source::Scan, Source::Reduce];
    sources.push(match plan.group {
        Group::Csr => Source::Group,
        Group::Sort => Source::Sort,
    });
    if plan.accumulate == Accumulate::FusedSweep {
        sources.push(Source::Sweep);
    } else {
        sources.extend([Source::Tasks, Source::Accumulate, Source::Fold]);
        if plan.reduce != Reduce::WindowSplitting {
            sources.push(Source::Running);
        }
    }
    if borrowed {
        sources.extend(table::sources(plan));
    }
    sources
}

/// Carries a plan out: one MSM, or as many as `raw` has parts.
pub(super) async fn run(
    gpu: &Gpu,
    program: &Program,
    curve: &CurveSpec,
    plan: &Plan,
    points: &Points<'_>,
    raw: &Raw<'_>,
    control: &Control,
) -> Result<(Vec<Part>, Timings), Error> {
    gpu.faults.check()?;
    let compile =
        program.prepare(gpu, &sources(plan, matches!(points, Points::Borrowed(_)))).await?;
    let layout = plan.gpu_layout(curve);
    let results = layout.reduction.results() as u64 * 4 * layout.sum_words as u64;
    let limited = plan.memory_limit.is_some();
    let workspace = gpu.pool.take(gpu, &plan.buffers, results.max(8), limited).await?;
    let recorder = Recorder::new(gpu, &workspace.tape);
    let mut run =
        Run { gpu, program, plan, layout: &layout, points, raw, workspace: &workspace, recorder };
    let parts = run.carry_out(control).await;
    let timings = match parts {
        Ok(_) => run.recorder.finish().await,
        Err(_) => finished(gpu).await.map(|()| Timings::default()),
    };
    let (parts, mut timings) = (parts?, timings?);
    // After a failure its buffers may still be mapped: it is dropped, and made again.
    if !limited {
        gpu.pool.give(workspace);
    }
    timings.compile = compile;
    Ok((parts, timings))
}

/// One run in a workspace.
pub(super) struct Run<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) program: &'a Program,
    pub(super) plan: &'a Plan,
    pub(super) layout: &'a Layout,
    points: &'a Points<'a>,
    pub(super) raw: &'a Raw<'a>,
    pub(super) workspace: &'a Workspace,
    pub(super) recorder: Recorder<'a>,
}

impl Run<'_> {
    async fn carry_out(&mut self, control: &Control) -> Result<Vec<Part>, Error> {
        let (plan, raw) = (self.plan, self.raw);
        let batch = raw.parts.len() > 1;
        let carried = plan.carries_buckets();
        let digits_per_base = u64::from(plan.shape.windows);
        let (too_large, n) = (self.counters().too_large, raw.len());
        let flag = self.workspace.at("counters")?;
        self.gpu.queue.write_buffer(flag, 4 * u64::from(too_large), &u32::MAX.to_le_bytes());
        let mut parts = Vec::new();
        for range in plan.ranges(n, self.layout) {
            control.reach(range.start as u64 * digits_per_base)?;
            let table = self.table(&range).await?;
            self.decompose(range.clone(), too_large).await?;
            let integers = Integers {
                count: range.len() as u32,
                length: plan.chunk as u32,
                copy_stride: table.copy_stride,
                first_base: table.first_base,
                // MSMs over resident bases share them.
                segment_stride: match self.points {
                    Points::Resident(_) if batch => 0,
                    _ => plan.chunk as u32,
                },
            };
            for first_set in (0..plan.shape.bucket_sets).step_by(plan.sets_per_pass as usize) {
                let (first, last) = (!carried || range.start == 0, !carried || range.end == n);
                self.group(&integers, first_set).await?;
                if plan.accumulate != Accumulate::FusedSweep {
                    self.accumulate(&table.buffer, !first).await?;
                }
                if last {
                    self.reduce(&table.buffer).await?;
                    parts.push(self.part(&range, first_set).await?);
                }
            }
            self.recorder.send().await?;
        }
        self.check_scalars(too_large).await?;
        control.reach(n as u64 * digits_per_base)?;
        Ok(parts)
    }

    /// Reads what a pass leaves to the host.
    async fn part(&mut self, range: &Range<usize>, first_set: u32) -> Result<Part, Error> {
        let (plan, layout) = (self.plan, self.layout);
        let bytes = layout.reduction.results() as u64 * 4 * layout.sum_words as u64;
        let results = self.workspace.at(RESULTS)?;
        self.recorder.copy(self.workspace.at("reduce")?, 0, results, bytes);
        self.recorder.send().await?;
        let words = read(self.gpu, results, bytes).await?;
        let batch = self.raw.parts.len() > 1;
        Ok(Part {
            first_msm: if batch { range.start / plan.chunk.max(1) } else { 0 },
            msms: if batch { range.len() / plan.chunk.max(1) } else { 1 },
            first_set,
            sets: plan.sets_per_pass as usize,
            words,
        })
    }

    /// Fails if a scalar was not below its bound.
    async fn check_scalars(&mut self, too_large: u32) -> Result<(), Error> {
        if self.raw.bound == ScalarBound::Order {
            return Ok(());
        }
        let results = self.workspace.at(RESULTS)?;
        let counters = self.workspace.at("counters")?;
        self.recorder.copy(counters, 4 * u64::from(too_large), results, 4);
        self.recorder.send().await?;
        let words = read(self.gpu, results, 8).await?;
        match words.first().map(|word| *word as u32) {
            Some(u32::MAX) | None => Ok(()),
            Some(index) => Err(self.raw.too_large(index as usize)),
        }
    }

    /// The buffer that holds the bases of a range.
    async fn table(&mut self, range: &Range<usize>) -> Result<Table, Error> {
        match self.points {
            Points::Resident(resident) => {
                let first = if self.raw.parts.len() > 1 { 0 } else { range.start };
                let index = first / resident.piece;
                let start = index * resident.piece;
                let missing = || Error::Internal("a range beyond the bases".into());
                Ok(Table {
                    buffer: resident.pieces.get(index).ok_or_else(missing)?.clone(),
                    copy_stride: resident.piece.min(resident.n - start) as u32,
                    first_base: (first - start) as u32,
                })
            }
            Points::Borrowed(source) => {
                let (shape, layout) = (&self.plan.shape, self.layout);
                let table = self.workspace.at(BASES)?;
                let place = Place {
                    table,
                    stride: layout.scalars,
                    copies: shape.precompute,
                    doublings: shape.window_bits * shape.bucket_sets,
                    scratch: self.workspace.at("loading")?,
                    points: layout.loading,
                };
                let (gpu, program) = (self.gpu, self.program);
                let recorder = &mut self.recorder;
                table::fill(gpu, program, recorder, layout, *source, range.clone(), &place).await?;
                let copy_stride = layout.scalars as u32;
                Ok(Table { buffer: table.clone(), copy_stride, first_base: 0 })
            }
        }
    }
}

/// Bases of a range.
struct Table {
    buffer: wgpu::Buffer,
    /// Points between two copies of a base.
    copy_stride: u32,
    /// The place of the first.
    first_base: u32,
}

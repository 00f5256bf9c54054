//! Bases on the device: copy j of base i at j·stride + i.

use std::ops::Range;

use super::Cuda;
use super::driver::{DeviceMemory, Event, Stream};
use super::launch::{Grid, Out, Pointer, kernels};
use super::program::Program;
use super::run::{CudaRun, events};
use super::workspace::{Need, Workspace};
use crate::Error;
use crate::gpu::{AffineSource, Chunk, Job, Place, Points, Stage};
use crate::plan::{BufferKind, Form, Plan};

const TABLE_BLOCK: u32 = 128;
/// Bases that share an inversion when they are brought into the Edwards form: 2^18 of them, which
/// are imported at a time, give each of an H200's schedulers a warp. More would leave some idle,
/// fewer invert more often.
const IMPORTED_TOGETHER: u64 = 16;

/// The constants of `table.cu`.
pub(super) const CONSTANTS: &[(&str, u32)] = &[("TABLE_BLOCK", TABLE_BLOCK)];

kernels! {
    /// Brings uploaded bases into the Edwards form.
    ImportBases = "import_bases" in Table(
        scratch: Out<u32>,
        count: u32,
        table: Out<u32>,
        first: u64,
    )

    /// The shifted copies of some bases.
    ShiftBases = "shift_bases" in Table(
        table: Out<u32>,
        first: u64,
        stride: u64,
        count: u32,
        copies: u32,
        doublings: u32,
        scratch: Out<u32>,
    )
}

/// Bases that stay on the device.
pub(crate) struct Table {
    memory: DeviceMemory,
    n: usize,
}

/// Bases of a chunk.
pub(crate) struct Bases {
    /// The first.
    pub(super) table: Pointer<u32>,
    /// Points between two copies of a base.
    pub(super) copy_stride: u32,
}

/// Loads bases into a table of their own.
pub(super) fn load(cuda: &Cuda, plan: &Plan, source: &dyn AffineSource) -> Result<Table, Error> {
    let (context, pool) = (&cuda.gpu.context, &cuda.gpu.pool);
    let layout = &plan.gpu()?.layout;
    let copies = plan.shape.precompute;
    let points = plan.n as u64 * u64::from(copies);
    let bytes = points * 4 * layout.base_words as u64;
    let memory = pool.allocate(|| DeviceMemory::new(context, bytes))?;
    let per_point = layout.loading_bytes();
    let run = plan.bytes() - plan.table_bytes();
    // At least one base with all its copies at a time.
    let copies = u64::from(copies.max(2) - 1);
    let all = copies * plan.n.max(1) as u64;
    let scratch_points = (run / per_point).clamp(1 << 12, 1 << 22).max(copies).min(all);
    let affine = 4 * layout.sum_words / 2;
    let need = Need {
        device: scratch_points * per_point,
        limited: plan.memory_limit.is_some(),
        staging: (scratch_points as usize * affine).min(32 << 20),
        results: 0,
    };
    let mut workspace = pool.workspace(context, &need)?;
    let scratch = (Pointer::new(workspace.start()), scratch_points);
    let place = Place::new(plan, Pointer::new(memory.address), scratch, plan.n as u64);
    let copied = events(context)?;
    fill(&cuda.program, plan, source, 0..plan.n, &place, &mut workspace, &copied)?;
    workspace.compute.wait()?;
    Ok(Table { memory, n: plan.n })
}

/// The bases of a chunk; borrowed ones are uploaded in the compute stream.
pub(super) fn bases(run: &mut CudaRun<'_>, chunk: &Chunk) -> Result<Bases, Error> {
    let Job { plan, schedule, points, .. } = run.job;
    let layout = &schedule.layout;
    match points {
        Points::Resident { table, .. } => {
            let first = run.job.first_base(chunk) as u64 * layout.base_words as u64;
            let start: Pointer<u32> = Pointer::new(table.memory.address);
            Ok(Bases { table: start.at(first), copy_stride: table.n as u32 })
        }
        Points::Borrowed(source) => {
            let table = run.buffers.at(BufferKind::Bases)?;
            let scratch = (run.buffers.at(BufferKind::Loading)?, layout.loading);
            let place = Place::new(plan, table, scratch, layout.scalars);
            run.timed(Stage::Load, |run| {
                let (program, range) = (&run.cuda.program, chunk.range.clone());
                fill(program, plan, source, range, &place, &mut run.workspace, &run.copied)
            })?;
            Ok(Bases { table, copy_stride: layout.scalars as u32 })
        }
    }
}

/// Uploads bases and computes their copies, in the compute stream.
fn fill(
    program: &Program,
    plan: &Plan,
    source: &dyn AffineSource,
    range: Range<usize>,
    place: &Place<Pointer<u32>>,
    workspace: &mut Workspace,
    copied: &[Event; 2],
) -> Result<(), Error> {
    let layout = &plan.gpu()?.layout;
    let affine = 4 * layout.sum_words / 2;
    let most = (workspace.staging[0].bytes / affine).min(place.fitting()).max(1);
    for (turn, start) in range.clone().step_by(most).enumerate() {
        let piece = start..(start + most).min(range.end);
        let slot = turn % 2;
        copied[slot].wait()?;
        let bytes = &mut workspace.staging[slot].as_mut_slice()[..piece.len() * affine];
        source.write(piece.clone(), bytes);
        let (first, count) = ((start - range.start) as u64, piece.len() as u32);
        let stream = &workspace.compute;
        match plan.form {
            Form::Weierstrass => {
                let table = place.table.at(first * layout.base_words as u64);
                stream.upload(table.address(), bytes)?;
            }
            Form::Edwards => {
                stream.upload(place.scratch.address(), bytes)?;
                let threads = u64::from(count).div_ceil(IMPORTED_TOGETHER);
                let (scratch, table) = (place.scratch.into(), place.table.into());
                ImportBases { scratch, count, table, first }.launch(
                    stream,
                    program,
                    Grid::per_item(threads, TABLE_BLOCK),
                )?;
            }
        }
        copied[slot].record(stream)?;
        shift(stream, program, place, first, count)?;
    }
    Ok(())
}

/// Computes the copies of some bases from the first.
fn shift(
    stream: &Stream,
    program: &Program,
    place: &Place<Pointer<u32>>,
    first: u64,
    count: u32,
) -> Result<(), Error> {
    if place.copies < 2 {
        return Ok(());
    }
    ShiftBases {
        table: place.table.into(),
        first,
        stride: place.stride,
        count,
        copies: place.copies,
        doublings: place.doublings,
        scratch: place.scratch.into(),
    }
    .launch(stream, program, Grid::per_item(place.copying_threads(count), TABLE_BLOCK))
}

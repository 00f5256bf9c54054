//! Bases on the device: copy j of base i at j·stride + i.
//!
//! 1. The host writes bases to staging memory in pieces, and the copy stream uploads them: into the
//!    table, or beside it where they are stored in another form.
//! 2. Batch by batch, the convert stream brings them into that form and computes their copies.
//!    There are two halves beside the table, so that a batch is uploaded while the one before is
//!    converted.

use std::ops::Range;

use super::Cuda;
use super::driver::{DeviceMemory, Stream};
use super::launch::{Grid, Out, Pointer, kernels};
use super::program::Program;
use super::run::CudaRun;
use super::staging::LARGEST_SLOT;
use super::workspace::{Need, Workspace};
use crate::Error;
#[cfg(feature = "faults")]
use crate::faults::flips::Flip;
use crate::gpu::{AffineSource, Chunk, Job, Place, Points};
use crate::plan::{BufferKind, Form, Layout, Plan};

const TABLE_BLOCK: u32 = 128;
/// Most bases that share an inversion when they are brought into the Edwards form. Fewer share one
/// where that occupies more threads.
const IMPORTED_TOGETHER: u64 = 16;
/// Blocks per multiprocessor that import bases: a warp for each scheduler. More would invert more
/// often.
const IMPORT_BLOCKS: u64 = 1;
/// Blocks per multiprocessor that compute copies. As many as two, three or four at a time take in
/// whole turns, so that none runs out of work long before the others.
const SHIFT_BLOCKS: u64 = 12;
/// Most bytes that loading a table takes beside it.
const MOST_SCRATCH: u64 = 1 << 30;

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

#[cfg(feature = "faults")]
impl Table {
    /// Flips a bit, as a fault on purpose.
    pub(super) fn flip(&self, stream: &Stream, flip: Flip) -> Result<(), Error> {
        let words = self.memory.bytes / 4;
        stream.flip(self.memory.address + 4 * (flip.word as u64 % words), flip.bit)
    }
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
    let points = plan.n as u64 * u64::from(plan.shape.precompute);
    let bytes = points * 4 * layout.base_words as u64;
    let memory = pool.allocate(|| DeviceMemory::new(context, bytes))?;
    let scratch_points = Batches::scratch_points(plan, layout);
    let need = Need {
        device: scratch_points * layout.loading_bytes(),
        limited: plan.memory_limit.is_some(),
        staging: (plan.n * affine_words(layout) * 8).clamp(1 << 16, LARGEST_SLOT),
        results: 0,
    };
    let mut workspace = pool.workspace(context, &need)?;
    let scratch = (Pointer::new(workspace.start()), scratch_points);
    let place = Place::new(plan, Pointer::new(memory.address), scratch, plan.n as u64);
    fill(&cuda.program, plan, source, 0..plan.n, &place, &mut workspace)?;
    workspace.bases.copy.wait()?;
    Ok(Table { memory, n: plan.n })
}

/// Where the bases of a chunk are; borrowed ones are not there yet.
pub(super) fn bases(run: &CudaRun<'_>, chunk: &Chunk) -> Result<Bases, Error> {
    let Job { plan, schedule, points, .. } = run.job;
    let layout = &schedule.layout;
    match points {
        Points::Resident { table, .. } => {
            let first = run.job.first_base(chunk) as u64 * layout.base_words as u64;
            let start: Pointer<u32> = Pointer::new(table.memory.address);
            Ok(Bases { table: start.at(first), copy_stride: table.n as u32 })
        }
        Points::Borrowed(_) => {
            let start: Pointer<u32> = run.buffers.at(BufferKind::Bases)?;
            let half = layout.scalars * u64::from(plan.shape.precompute) * layout.base_words as u64;
            let table = start.at(chunk.half as u64 * half);
            Ok(Bases { table, copy_stride: layout.scalars as u32 })
        }
    }
}

/// Brings the borrowed bases of a chunk to the device.
pub(super) fn load_chunk(
    run: &mut CudaRun<'_>,
    chunk: &Chunk,
    source: &dyn AffineSource,
) -> Result<(), Error> {
    let Job { plan, schedule, .. } = run.job;
    let layout = &schedule.layout;
    let scratch = (run.buffers.at(BufferKind::Loading)?, layout.loading);
    let place = Place::new(plan, bases(run, chunk)?.table, scratch, layout.scalars);
    fill(&run.cuda.program, plan, source, chunk.range.clone(), &place, &mut run.workspace)
}

/// 64-bit words of a base as it is uploaded.
fn affine_words(layout: &Layout) -> usize {
    layout.sum_words / 4
}

/// How bases are converted: how many at a time, and where.
struct Batches {
    bases: usize,
    /// Parts of the memory for uploaded coordinates, which batches take in turn.
    halves: u64,
    /// 32-bit words of such a part: coordinates, and a field element for each base.
    half_words: u64,
    multiprocessors: u64,
}

impl Batches {
    /// Scratch words of a base: to import it, and for all its copies but the first.
    fn words(plan: &Plan, layout: &Layout) -> [u64; 2] {
        let element = layout.sum_words as u64 / 4;
        let copy = layout.loading_bytes() / 4;
        let import = if plan.form == Form::Edwards { 3 * element } else { 0 };
        [import, copy * u64::from(plan.shape.precompute - 1)]
    }

    fn new(plan: &Plan, layout: &Layout, count: usize, scratch_points: u64) -> Self {
        let room = scratch_points * layout.loading_bytes() / 4;
        let [import, copies] = Self::words(plan, layout);
        let fitting = |halves: u64| room / (halves * import + copies).max(1);
        let halves = if fitting(1) >= count as u64 || fitting(2) == 0 { 1 } else { 2 };
        let multiprocessors = plan.device.threads as u64;
        let whole = multiprocessors * SHIFT_BLOCKS * u64::from(TABLE_BLOCK);
        let bases = match fitting(halves) {
            all if all >= count as u64 => count.max(1) as u64,
            // Every thread has equally many.
            most if most > whole => most - most % whole,
            most => most.max(1),
        };
        Self { bases: bases as usize, halves, half_words: bases * import, multiprocessors }
    }

    /// Scratch of a table that is loaded, as points: for enough bases at a time to occupy the
    /// device, if the memory beside the table suffices.
    fn scratch_points(plan: &Plan, layout: &Layout) -> u64 {
        let (threads, point) = (plan.device.threads as u64, layout.loading_bytes());
        let [import, copies] = Self::words(plan, layout);
        let occupying = (threads * SHIFT_BLOCKS * u64::from(TABLE_BLOCK)).min(plan.n as u64);
        let available = plan.memory_limit.unwrap_or(plan.device.memory);
        let beside = available.saturating_sub(plan.table_bytes()).min(MOST_SCRATCH);
        let wanted = (occupying * 4 * (2 * import + copies)).div_ceil(point);
        // At least one base with all its copies.
        wanted.min(beside / point).max((4 * (import + copies)).div_ceil(point))
    }

    fn import_grid(&self, count: u64) -> Grid {
        let occupying = self.multiprocessors * IMPORT_BLOCKS * u64::from(TABLE_BLOCK);
        let threads = count.div_ceil(IMPORTED_TOGETHER).max(count.min(occupying));
        Grid::per_item(threads, TABLE_BLOCK)
    }

    fn shift_grid(&self, count: u64) -> Grid {
        Grid::per_item(count, TABLE_BLOCK).at_most(self.multiprocessors * SHIFT_BLOCKS)
    }
}

/// Uploads bases and brings them into their stored form, with their copies. Work that is put into
/// the copy stream afterwards waits for all of it.
fn fill(
    program: &Program,
    plan: &Plan,
    source: &dyn AffineSource,
    range: Range<usize>,
    place: &Place<Pointer<u32>>,
    workspace: &mut Workspace,
) -> Result<(), Error> {
    let layout = &plan.gpu()?.layout;
    let Workspace { staging, bases, .. } = workspace;
    let length = affine_words(layout);
    let write = |piece, words: &mut [u64]| source.write(piece, words);
    let converts = plan.form == Form::Edwards;
    if !converts && place.copies < 2 {
        return staging.upload(&bases.copy, place.table.address(), range, length, write);
    }
    let batches = Batches::new(plan, layout, range.len(), place.scratch_points);
    let copies_scratch = place.scratch.at(batches.halves * batches.half_words);
    for (turn, start) in range.clone().step_by(batches.bases).enumerate() {
        let batch = start..(start + batches.bases).min(range.end);
        let (first, count) = ((start - range.start) as u64, batch.len() as u32);
        let half = turn % batches.halves as usize;
        let uploaded = match plan.form {
            Form::Weierstrass => place.table.at(first * layout.base_words as u64),
            Form::Edwards => place.scratch.at(half as u64 * batches.half_words),
        };
        if converts && turn >= batches.halves as usize {
            bases.copy.after(&bases.imported[half])?;
        }
        staging.upload(&bases.copy, uploaded.address(), batch, length, write)?;
        bases.copied.record(&bases.copy)?;
        bases.convert.after(&bases.copied)?;
        if converts {
            ImportBases { scratch: uploaded.into(), count, table: place.table.into(), first }
                .launch(&bases.convert, program, batches.import_grid(count.into()))?;
            bases.imported[half].record(&bases.convert)?;
        }
        if place.copies > 1 {
            let grid = batches.shift_grid(count.into());
            shift(&bases.convert, program, place, copies_scratch, [first, count.into()], grid)?;
        }
    }
    bases.converted.record(&bases.convert)?;
    bases.copy.after(&bases.converted)
}

/// Computes the copies of some bases from the first.
fn shift(
    stream: &Stream,
    program: &Program,
    place: &Place<Pointer<u32>>,
    scratch: Pointer<u32>,
    [first, count]: [u64; 2],
    grid: Grid,
) -> Result<(), Error> {
    ShiftBases {
        table: place.table.into(),
        first,
        stride: place.stride,
        count: count as u32,
        copies: place.copies,
        doublings: place.doublings,
        scratch: scratch.into(),
    }
    .launch(stream, program, grid)
}

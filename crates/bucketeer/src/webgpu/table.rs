//! Bases on the device, in pieces that one binding reaches. Copy j of base i of a piece is at
//! j·stride + i.

use std::ops::Range;

use super::WebGpu;
use super::launch::{Grid, kernels};
use super::recorder::{Recorder, Tape};
use super::run::WebGpuRun;
use super::workspace::storage;
use crate::Error;
use crate::gpu::interface::records;
use crate::gpu::{AffineSource, Chunk, Job, Place, Points};
use crate::plan::{BufferKind, Layout, Plan};

/// Bases that share an inversion when they are imported.
const SHARED_INVERSION: u64 = 32;

records! {
    /// Parameters of `import.wgsl`.
    ImportParameters {
        count,
        /// The place of the first base in the table.
        first,
        invocations,
    }

    /// Parameters of `shift.wgsl`.
    ShiftParameters {
        count,
        /// The place of the first base in the table.
        first,
        /// Points between two copies of a base.
        stride,
        copies,
        /// Doublings from one copy to the next.
        doublings,
        invocations,
    }
}

kernels! {
    // The raw coordinates, and room for a field element more for each base.
    const IMPORT_SHADER in Import, Load: ImportParameters { raw: Write, table: Write }

    /// Brings uploaded bases into their stored form.
    ImportBases = "import_bases" { raw, table }
}

kernels! {
    const SHIFT_SHADER in Shift, Load: ShiftParameters { table: Write, scratch: Write }

    /// The shifted copies of some bases.
    ShiftBases = "shift_bases" { table, scratch }
}

/// Bases that stay on the device, `piece` to a buffer.
pub(crate) struct Table {
    pieces: Vec<wgpu::Buffer>,
    piece: usize,
    n: usize,
}

#[cfg(feature = "faults")]
impl Table {
    pub(super) fn first_piece(&self) -> &wgpu::Buffer {
        &self.pieces[0]
    }
}

/// Bases of a chunk.
pub(crate) struct Bases {
    pub(super) buffer: wgpu::Buffer,
    /// Points between two copies of a base.
    pub(super) copy_stride: u32,
    /// The place of the first.
    pub(super) first: u32,
}

/// Loads bases into buffers of their own.
pub(super) async fn load(
    webgpu: &WebGpu,
    plan: &Plan,
    source: &dyn AffineSource,
) -> Result<Table, Error> {
    let gpu = &*webgpu.gpu;
    let layout = &plan.gpu()?.layout;
    let piece = usize::try_from(layout.bases_per_buffer).unwrap_or(usize::MAX).min(plan.n.max(1));
    let copies = u64::from(plan.shape.precompute);
    let points = layout.loading.min(plan.n.max(1) as u64 * copies).max(copies).max(1);
    let scratch = storage(gpu, BufferKind::Loading, points * layout.loading_bytes()).await?;
    let tape = Tape::new(gpu);
    let mut recorder = Recorder::new(gpu, &tape);
    let mut pieces = Vec::new();
    for start in (0..plan.n).step_by(piece) {
        let range = start..(start + piece).min(plan.n);
        let bytes = range.len() as u64 * copies * 4 * layout.base_words as u64;
        let table = storage(gpu, BufferKind::Bases, bytes).await?;
        let place = Place::new(plan, &table, (&scratch, points), range.len() as u64);
        fill(webgpu, &mut recorder, layout, source, range, &place).await?;
        recorder.send().await?;
        pieces.push(table);
    }
    recorder.finish().await?;
    Ok(Table { pieces, piece, n: plan.n })
}

/// The bases of a chunk; borrowed ones are uploaded.
pub(super) async fn bases(run: &mut WebGpuRun<'_>, chunk: &Chunk) -> Result<Bases, Error> {
    let Job { plan, schedule, points, .. } = run.job;
    let layout = &schedule.layout;
    match points {
        Points::Resident { table, .. } => {
            let first = run.job.first_base(chunk);
            let index = first / table.piece;
            let start = index * table.piece;
            let missing = || Error::Internal("a range beyond the bases".into());
            Ok(Bases {
                buffer: table.pieces.get(index).ok_or_else(missing)?.clone(),
                copy_stride: table.piece.min(table.n - start) as u32,
                first: (first - start) as u32,
            })
        }
        Points::Borrowed(source) => {
            let table = run.workspace.at(BufferKind::Bases)?;
            let scratch = (run.workspace.at(BufferKind::Loading)?, layout.loading);
            let place = Place::new(plan, table, scratch, layout.scalars);
            let range = chunk.range.clone();
            fill(run.webgpu, &mut run.recorder, layout, source, range, &place).await?;
            let copy_stride = layout.scalars as u32;
            Ok(Bases { buffer: table.clone(), copy_stride, first: 0 })
        }
    }
}

/// Uploads bases and computes their copies.
async fn fill(
    webgpu: &WebGpu,
    recorder: &mut Recorder<'_>,
    layout: &Layout,
    source: &dyn AffineSource,
    range: Range<usize>,
    place: &Place<&wgpu::Buffer>,
) -> Result<(), Error> {
    let (gpu, program) = (&webgpu.gpu, &webgpu.program);
    let affine = 2 * layout.sum_words;
    let most = place.fitting();
    for start in range.clone().step_by(most) {
        let piece = start..(start + most).min(range.end);
        let (first, count) = ((start - range.start) as u32, piece.len() as u32);
        let mut words = vec![0; piece.len() * affine / 8];
        source.write(piece, &mut words);
        // SAFETY: words have no padding, and a byte may have any value.
        let bytes: &[u8] =
            unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), 8 * words.len()) };
        // Recorded commands may still use the scratch memory.
        recorder.send().await?;
        gpu.queue.write_buffer(place.scratch, 0, bytes);
        let each = if program.inverts_on_import() { SHARED_INVERSION } else { 1 };
        let invocations = u64::from(count).div_ceil(each);
        let parameters = ImportParameters { count, first, invocations: invocations as u32 };
        ImportBases { parameters, raw: place.scratch, table: place.table }
            .dispatch(program, recorder, Grid::Items(invocations))
            .await?;
        if place.copies > 1 {
            let invocations = place.copying_threads(count);
            let parameters = ShiftParameters {
                count,
                first,
                stride: place.stride as u32,
                copies: place.copies,
                doublings: place.doublings,
                invocations: invocations as u32,
            };
            ShiftBases { parameters, table: place.table, scratch: place.scratch }
                .dispatch(program, recorder, Grid::Items(invocations))
                .await?;
        }
    }
    Ok(())
}

//! Bases on the device, in pieces that one binding reaches: copy j of a piece's base i at j·stride + i.

use std::ops::Range;

use super::Gpu;
use super::program::{Program, Source};
use super::recorder::{Recorder, Stage};
use crate::Error;
use crate::gpu::AffineSource;
use crate::plan::{Layout, Plan};

/// Points that share an inversion when bases are imported and when copies are computed.
const SHARED_INVERSION: u64 = 32;

/// Where bases go.
pub(super) struct Place<'a> {
    pub table: &'a wgpu::Buffer,
    /// Points between two copies of a base.
    pub stride: u64,
    pub copies: u32,
    /// Doublings from one copy to the next.
    pub doublings: u32,
    /// A buffer to work in, for `points` points.
    pub scratch: &'a wgpu::Buffer,
    pub points: u64,
}

/// Uploads bases and computes their copies.
pub(super) async fn fill(
    gpu: &Gpu,
    program: &Program,
    recorder: &mut Recorder<'_>,
    layout: &Layout,
    source: &dyn AffineSource,
    range: Range<usize>,
    place: &Place<'_>,
) -> Result<(), Error> {
    let affine = 2 * layout.sum_words;
    // Every copy but the first takes scratch.
    let most = (place.points / u64::from(place.copies - 1).max(1)).max(1) as usize;
    for start in range.clone().step_by(most) {
        let piece = start..(start + most).min(range.end);
        let (first, count) = ((start - range.start) as u32, piece.len() as u32);
        let mut bytes = vec![0; piece.len() * affine];
        source.write(piece, &mut bytes);
        // What was recorded may still work there.
        recorder.send().await?;
        gpu.queue.write_buffer(place.scratch, 0, &bytes);
        let kernel = program.kernel(Source::Import, "import_bases")?;
        let bound = [(1, place.scratch), (2, place.table)];
        let each = if program.inverts_on_import() { SHARED_INVERSION } else { 1 };
        let invocations = u64::from(count).div_ceil(each);
        let (parameters, groups) =
            ([count, first, invocations as u32], (invocations.div_ceil(64), 1));
        recorder.dispatch(Stage::Load, kernel, &parameters, &bound, groups).await?;
        if place.copies > 1 {
            let kernel = program.kernel(Source::Shift, "shift_bases")?;
            let each = SHARED_INVERSION.div_ceil(u64::from(place.copies - 1));
            let invocations = u64::from(count).div_ceil(each);
            let parameters = [
                count,
                first,
                place.stride as u32,
                place.copies,
                place.doublings,
                invocations as u32,
            ];
            let bound = [(1, place.table), (2, place.scratch)];
            let groups = (invocations.div_ceil(64), 1);
            recorder.dispatch(Stage::Load, kernel, &parameters, &bound, groups).await?;
        }
    }
    Ok(())
}

/// The shaders that loading needs.
pub(super) fn sources(plan: &Plan) -> Vec<Source> {
    let mut sources = vec![Source::Import];
    if plan.stored > 1 {
        sources.push(Source::Shift);
    }
    sources
}

//! Bases on the device: copy j of base i at j·stride + i.

use std::ops::Range;

use super::driver::{Address, Event, Stream};
use super::launch::{Setup, blocks, launch};
use super::program::{Program, Source};
use super::workspace::Workspace;
use crate::Error;
use crate::gpu::AffineSource;
use crate::plan::Form;

const THREADS: u32 = 128;
/// Points that share an inversion when copies are computed.
const SHARED_INVERSION: u64 = 32;
/// Bases that share an inversion when they are brought into the Edwards form: 2^18 of them, which are imported at a
/// time, give each of an H200's schedulers a warp. More would leave some idle, fewer invert more often.
const IMPORTED_TOGETHER: u64 = 16;

/// Where a table goes.
pub(crate) struct Place {
    pub table: Address,
    /// Points between two copies of a base.
    pub stride: u64,
    pub copies: u32,
    /// Doublings from one copy to the next.
    pub doublings: u32,
    /// Memory to work in, for `scratch_points` points.
    pub scratch: Address,
    pub scratch_points: u64,
}

/// Uploads bases and computes their copies, in the compute stream.
pub(crate) fn fill(
    setup: Setup<'_>,
    source: &dyn AffineSource,
    range: Range<usize>,
    place: &Place,
    workspace: &mut Workspace,
    copied: &[Event; 2],
) -> Result<(), Error> {
    let Setup { program, plan, layout } = setup;
    let affine = 4 * layout.sum_words / 2;
    // Every copy but the first takes scratch.
    let fitting = place.scratch_points / u64::from(place.copies - 1).max(1);
    let most = (workspace.staging[0].bytes / affine).min(fitting as usize).max(1);
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
                stream.upload(place.table + first * 4 * layout.base_words as u64, bytes)?;
            }
            Form::Edwards => {
                stream.upload(place.scratch, bytes)?;
                let grid = blocks(u64::from(count).div_ceil(IMPORTED_TOGETHER), THREADS);
                launch!(stream, program, Source::Table, "import_bases", grid, THREADS, 0;
                    place.scratch, count, place.table, first)?;
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
    place: &Place,
    first: u64,
    count: u32,
) -> Result<(), Error> {
    if place.copies < 2 {
        return Ok(());
    }
    let each = SHARED_INVERSION.div_ceil(u64::from(place.copies - 1));
    let grid = blocks(u64::from(count).div_ceil(each), THREADS);
    launch!(stream, program, Source::Table, "shift_bases", grid, THREADS, 0;
        place.table, first, place.stride, count, place.copies, place.doublings, place.scratch)
}

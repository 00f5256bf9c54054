//! Stage 1, decompose: scalars as the caller has them → biased integers on the device.

use std::ops::Range;

use super::driver::is_page_locked;
use super::launch::{Grid, In, Out, Pointer, kernels};
use super::run::CudaRun;
use crate::Error;
use crate::gpu::interface::Bias;
use crate::gpu::{Chunk, Job, Raw};
use crate::plan::{BufferKind, ScalarBound};

const THREADS: u32 = 256;

kernels! {
    /// Residues, in Montgomery form or as integers, one per thread; `first` is the index of the
    /// first.
    DecomposeResidues = "decompose_residues" in Decompose(
        raw: In<u32>,
        count: u32,
        out: Out<u32>,
        stride: u64,
        words: u32,
        montgomery: u32,
        negate: u32,
        bias: Bias,
        first: u32,
        too_large: Out<u32>,
    )

    /// Integers of `bytes` bytes, one per thread; `first` is the index of the first.
    DecomposeIntegers = "decompose_integers" in Decompose(
        raw: In<u8>,
        bytes: u32,
        bits: u32,
        is_signed: u32,
        count: u32,
        out: Out<u32>,
        stride: u64,
        words: u32,
        bias: Bias,
        first: u32,
        too_large: Out<u32>,
    )
}

/// The bytes of a range where they are already as they must arrive.
fn direct<'a>(raw: &Raw<'a>, range: &Range<usize>) -> Option<&'a [u8]> {
    let [part] = raw.parts[..] else { return None };
    let bytes = &part[range.start * raw.bytes..range.end * raw.bytes];
    is_page_locked(bytes.as_ptr()).then_some(bytes)
}

/// Puts the copying and decomposing of a chunk's scalars into the input stream.
pub(super) fn decompose(run: &mut CudaRun<'_>, chunk: &Chunk) -> Result<(), Error> {
    let Job { plan, schedule, raw, .. } = run.job;
    let (layout, range, program) = (&schedule.layout, &chunk.range, &run.cuda.program);
    let buffer: Pointer<u8> = run.buffers.at(BufferKind::RawScalars)?;
    let (integers, too_large) = (integers(run, chunk)?, run.too_large()?);
    let workspace = &mut *run.workspace;
    let (stride, words) = (layout.scalars, layout.scalar_words);
    let bias = Bias::of(&plan.shape);
    let most = (layout.staging as usize / raw.bytes).max(1);
    for (turn, start) in range.clone().step_by(most).enumerate() {
        let piece = start..(start + most).min(range.end);
        let slot = turn % 2;
        let from = buffer.at(slot as u64 * layout.staging);
        if let Some(bytes) = direct(raw, &piece) {
            workspace.input.upload(from.address(), bytes)?;
        } else {
            let fill = |own, bytes: &mut [u8]| raw.fill(&own, bytes);
            let (staging, stream) = (&mut workspace.staging, &workspace.input);
            staging.upload(stream, from.address(), piece.clone(), raw.bytes, fill)?;
        }
        let stream = &workspace.input;
        let count = piece.len() as u32;
        let out = integers.at((piece.start - range.start) as u64).into();
        let (first, too_large) = (piece.start as u32, too_large.into());
        let grid = Grid::per_item(count.into(), THREADS);
        match raw.bound {
            ScalarBound::Order => DecomposeResidues {
                raw: from.cast().into(),
                count,
                out,
                stride,
                words,
                montgomery: raw.montgomery.into(),
                negate: plan.shape.negate.into(),
                bias,
                first,
                too_large,
            }
            .launch(stream, program, grid)?,
            ScalarBound::Bits(_) | ScalarBound::Signed(_) => DecomposeIntegers {
                raw: from.into(),
                bytes: raw.bytes as u32,
                bits: raw.bound.value_bits(),
                is_signed: raw.bound.is_signed().into(),
                count,
                out,
                stride,
                words,
                bias,
                first,
                too_large,
            }
            .launch(stream, program, grid)?,
        }
    }
    Ok(())
}

/// Where a chunk's biased integers are.
pub(super) fn integers(run: &CudaRun<'_>, chunk: &Chunk) -> Result<Pointer<u32>, Error> {
    let layout = &run.job.schedule.layout;
    let words: Pointer<u32> = run.buffers.at(BufferKind::Scalars)?;
    let length = layout.scalars * u64::from(layout.scalar_words);
    Ok(words.at(chunk.half as u64 * length))
}

//! Stage 1, decompose: scalars as the caller has them → biased integers on the device.

use super::launch::{Grid, kernels};
use super::run::WebGpuRun;
use crate::Error;
use crate::gpu::interface::{Bias, records};
use crate::gpu::{Chunk, Job};
use crate::plan::{BufferKind, ScalarBound};

records! {
    /// Parameters of `decompose.wgsl`; the bias follows.
    ScalarParameters {
        count,
        /// The place of the first integer.
        at,
        /// Distance of the words of an integer.
        stride,
        /// Words of an integer.
        words,
        /// Whether residues are in Montgomery form, not integers.
        montgomery,
        /// Whether residues above r/2 become the negatives of r − k.
        negate,
        /// Bytes of an integer.
        bytes,
        /// Bits of an integer without its sign.
        bits,
        /// Whether integers are in two's complement.
        is_signed,
        /// The caller's index of the first integer.
        first,
        /// The place among the counters for the smallest index of an integer that is too large.
        too_large,
    }
}

kernels! {
    const DECOMPOSE_SHADER in Decompose, Decompose: (ScalarParameters, Bias) {
        raw: Read,
        integers: Write,
        counters: Atomic,
    }

    /// Residues, in Montgomery form or as integers, one per invocation.
    DecomposeResidues = "decompose_residues" { raw, integers, counters }
    /// Integers, one per invocation.
    DecomposeIntegers = "decompose_integers" { raw, integers, counters }
}

/// Uploads and decomposes the scalars of a chunk.
pub(super) async fn decompose(run: &mut WebGpuRun<'_>, chunk: &Chunk) -> Result<(), Error> {
    let Job { plan, schedule, raw, .. } = run.job;
    let (program, layout, range) = (&run.webgpu.program, &schedule.layout, &chunk.range);
    let bias = Bias::of(&plan.shape);
    let piece = (layout.staging as usize / raw.bytes).max(4) / 4 * 4;
    for start in range.clone().step_by(piece) {
        let own = start..(start + piece).min(range.end);
        // Copies are of whole words.
        let mut bytes = vec![0; (own.len() * raw.bytes).next_multiple_of(4)];
        raw.fill(&own, &mut bytes[..own.len() * raw.bytes]);
        // Recorded commands may still read the last piece.
        run.recorder.send().await?;
        let from = run.workspace.at(BufferKind::RawScalars)?;
        run.webgpu.gpu.queue.write_buffer(from, 0, &bytes);
        let scalars = ScalarParameters {
            count: own.len() as u32,
            at: (own.start - range.start) as u32,
            stride: layout.scalars as u32,
            words: layout.scalar_words,
            montgomery: raw.montgomery.into(),
            negate: plan.shape.negate.into(),
            bytes: raw.bytes as u32,
            bits: raw.bound.value_bits(),
            is_signed: raw.bound.is_signed().into(),
            first: own.start as u32,
            too_large: run.places().too_large as u32,
        };
        let parameters = (scalars, bias);
        let integers = run.workspace.at(BufferKind::Scalars)?;
        let counters = run.workspace.at(BufferKind::Counters)?;
        let (recorder, grid) = (&mut run.recorder, Grid::Items(own.len() as u64));
        match raw.bound {
            ScalarBound::Order => {
                DecomposeResidues { parameters, raw: from, integers, counters }
                    .dispatch(program, recorder, grid)
                    .await?;
            }
            ScalarBound::Bits(_) | ScalarBound::Signed(_) => {
                DecomposeIntegers { parameters, raw: from, integers, counters }
                    .dispatch(program, recorder, grid)
                    .await?;
            }
        }
    }
    Ok(())
}

//! Stage 4, reduce: bucket sums → the few points per set that the host combines.

use super::driver::{Address, Stream};
use super::group::Lists;
use super::launch::{Setup, blocks, launch};
use super::program::Source;
use crate::Error;
use crate::plan::{Accumulate, Input};

const THREADS: u32 = 128;

/// Reduces the buckets of a pass, or sweeps its lists. The points for the host come first in `out`.
pub(crate) fn reduce(
    stream: &Stream,
    setup: Setup<'_>,
    lists: &Lists,
    table: Address,
    buckets: Address,
    out: Address,
) -> Result<(), Error> {
    let Setup { program, plan, layout } = setup;
    let reduction = &layout.reduction;
    let sum = 4 * layout.sum_words as u64;
    let (bits, slices, sets) = (layout.bits, reduction.slices, layout.sets as u32);
    if slices > 0 {
        // The first step adds up the slices' sums, wherever it reads them.
        let Some(Input::At(at)) = reduction.steps.first().map(|step| step.input) else {
            return Err(Error::Internal("slices are not added up".into()));
        };
        let partial = out + at * sum;
        let grid = blocks(layout.sets * u64::from(slices), THREADS);
        if plan.accumulate == Accumulate::FusedSweep {
            launch!(stream, program, Source::Running, "sweep", grid, THREADS, 0;
                table, lists.entries, lists.starts, bits, slices, sets, partial)?;
        } else {
            launch!(stream, program, Source::Running, "running_sums", grid, THREADS, 0;
                buckets, bits, slices, sets, partial)?;
        }
    }
    for step in &reduction.steps {
        let input = match step.input {
            Input::Buckets => buckets,
            Input::At(at) => out + at * sum,
        };
        let output = out + step.output * sum;
        let [outputs, count, inner, pieces] =
            [step.outputs, step.count, step.inner, step.pieces].map(|value| value as u32);
        let (mode, width) = (step.mode as u32, step.width);
        let grid = blocks(step.outputs * step.pieces * u64::from(width), THREADS);
        launch!(stream, program, Source::Reduce, "sums", grid, THREADS, 0;
            input, mode, outputs, count, inner, pieces, width, output)?;
    }
    Ok(())
}

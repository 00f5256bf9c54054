//! Stage 4, reduce: bucket sums → the few points per set that the host combines.

use super::group::Lists;
use super::launch::{Grid, In, Out, Pointer, kernels};
use super::run::CudaRun;
use super::table::Bases;
use crate::Error;
use crate::plan::{BufferKind, SumInput, SumLists};

const REDUCE_BLOCK: u32 = 128;

/// The constants of `reduce.cu` and `running.cu`.
pub(super) const CONSTANTS: &[(&str, u32)] = &[("REDUCE_BLOCK", REDUCE_BLOCK)];

kernels! {
    /// Sums of elements of a list, by `pieces` groups of `width` lanes for each output.
    AddUp = "sums" in Reduce(
        from: In<u32>,
        affine: u32,
        mode: u32,
        outputs: u32,
        count: u32,
        inner: u32,
        pieces: u32,
        width: u32,
        out: Out<u32>,
    )

    /// Running sums, a slice of a set's buckets per thread.
    RunningSums = "running_sums" in Running(
        buckets: In<u32>,
        affine: u32,
        bits: u32,
        slices: u32,
        sets: u32,
        out: Out<u32>,
    )

    /// Accumulate and reduce in one sweep, a slice of a set's list per thread.
    Sweep = "sweep" in Running(
        table: In<u32>,
        entries: In<u32>,
        starts: In<u32>,
        bits: u32,
        slices: u32,
        sets: u32,
        out: Out<u32>,
    )
}

/// Reduces the buckets of a pass, or sweeps its lists. The points for the host come first.
pub(super) fn reduce(run: &CudaRun<'_>, bases: &Bases) -> Result<(), Error> {
    let schedule = run.job.schedule;
    let (layout, program, stream) = (&schedule.layout, &run.cuda.program, &run.workspace.compute);
    let (buckets, out): (Pointer<u32>, Pointer<u32>) =
        (run.buffers.at(BufferKind::BucketSums)?, run.buffers.at(BufferKind::Reduce)?);
    let lists = Lists::new(run)?;
    let reduction = &layout.reduction;
    let sum = |index: u64| out.at(index * layout.sum_words as u64);
    // Whether buckets are bases.
    let affine = u32::from(layout.affine.is_some());
    let (bits, slices, sets) = (layout.bits, reduction.slices, layout.sets as u32);
    if slices > 0 {
        // The first step adds up the slices' sums, wherever it reads them.
        let Some(SumInput::At(at)) = reduction.steps.first().map(|step| step.input) else {
            return Err(Error::Internal("slices are not added up".into()));
        };
        let out = sum(at).into();
        let grid = Grid::per_item(layout.sets * u64::from(slices), REDUCE_BLOCK);
        if schedule.accumulate == SumLists::FusedSweep {
            let (entries, starts) = (lists.entries.into(), lists.starts.into());
            Sweep { table: bases.table.into(), entries, starts, bits, slices, sets, out }
                .launch(stream, program, grid)?;
        } else {
            RunningSums { buckets: buckets.into(), affine, bits, slices, sets, out }
                .launch(stream, program, grid)?;
        }
    }
    for step in &reduction.steps {
        let (from, affine) = match step.input {
            SumInput::Buckets => (buckets, affine),
            SumInput::At(at) => (sum(at), 0),
        };
        let threads = step.outputs * step.pieces * u64::from(step.width);
        AddUp {
            from: from.into(),
            affine,
            mode: step.mode as u32,
            outputs: step.outputs as u32,
            count: step.count as u32,
            inner: step.inner as u32,
            pieces: step.pieces as u32,
            width: step.width,
            out: sum(step.output).into(),
        }
        .launch(stream, program, Grid::per_item(threads, REDUCE_BLOCK))?;
    }
    Ok(())
}

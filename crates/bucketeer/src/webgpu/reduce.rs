//! Stage 4, reduce: bucket sums → the points of each set that are left for the host.

use super::launch::{Grid, kernels};
use super::run::WebGpuRun;
use super::table::Bases;
use crate::Error;
use crate::gpu::interface::records;
use crate::plan::{BufferKind, SumInput, SumLists};

records! {
    /// Parameters of `reduce.wgsl`.
    AddParameters {
        mode,
        outputs,
        count,
        inner,
        pieces,
        /// Whether elements are bucket sums; otherwise they are in the buffer of results.
        from_buckets,
        /// Places in the buffer of results: of the elements,
        input,
        /// of the sums.
        output,
    }

    /// Parameters of `running.wgsl` and `sweep.wgsl`.
    SliceParameters {
        bits,
        /// Slices of a set.
        slices,
        sets,
        /// The place of the sums in the buffer of results.
        output,
    }
}

kernels! {
    const REDUCE_SHADER in Reduce, Reduce: AddParameters { buckets: Read, sums: Write }

    /// Sums of elements of a list, a piece of an output per invocation.
    AddUp = "add_up" { buckets, sums }
}

kernels! {
    const RUNNING_SHADER in Running, Reduce: SliceParameters { buckets: Read, sums: Write }

    /// Running sums, a slice of a set's buckets per invocation.
    RunningSums = "running_sums" { buckets, sums }
}

kernels! {
    const SWEEP_SHADER in Sweep, Reduce: SliceParameters {
        table: Read,
        entries: Read,
        starts: Read,
        sums: Write,
    }

    /// Accumulate and reduce in one sweep, a slice of a set's list per invocation.
    Sweep = "sweep" { table, entries, starts, sums }
}

/// Reduces the buckets of a pass, or sweeps its lists. The points for the host come first.
pub(super) async fn reduce(run: &mut WebGpuRun<'_>, bases: &Bases) -> Result<(), Error> {
    let schedule = run.job.schedule;
    let (program, layout) = (&run.webgpu.program, &schedule.layout);
    let reduction = &layout.reduction;
    let [buckets, sums, entries, counters] =
        [BufferKind::BucketSums, BufferKind::Reduce, BufferKind::Entries, BufferKind::Counters]
            .map(|kind| run.workspace.at(kind));
    let (buckets, sums, entries, starts) = (buckets?, sums?, entries?, counters?);
    let table = &bases.buffer;
    let recorder = &mut run.recorder;
    let (slices, sets) = (reduction.slices, layout.sets as u32);
    if slices > 0 {
        // The first step adds up the slices' sums, wherever it reads them.
        let Some(SumInput::At(at)) = reduction.steps().next().map(|step| step.input) else {
            return Err(Error::Internal("slices are not added up".into()));
        };
        let parameters = SliceParameters { bits: layout.bits, slices, sets, output: at as u32 };
        let grid = Grid::Items(layout.sets * u64::from(slices));
        if schedule.accumulate == SumLists::FusedSweep {
            Sweep { parameters, table, entries, starts, sums }
                .dispatch(program, recorder, grid)
                .await?;
        } else {
            RunningSums { parameters, buckets, sums }.dispatch(program, recorder, grid).await?;
        }
    }
    for step in reduction.steps() {
        let (from_buckets, input) = match step.input {
            SumInput::Buckets => (1, 0),
            SumInput::At(at) => (0, at as u32),
        };
        let parameters = AddParameters {
            mode: step.mode as u32,
            outputs: step.outputs as u32,
            count: step.count as u32,
            inner: step.inner as u32,
            pieces: step.pieces as u32,
            from_buckets,
            input,
            output: step.output as u32,
        };
        AddUp { parameters, buckets, sums }
            .dispatch(program, recorder, Grid::Items(step.outputs * step.pieces))
            .await?;
    }
    Ok(())
}

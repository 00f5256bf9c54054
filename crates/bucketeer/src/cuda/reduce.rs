//! Stage 4, reduce: bucket sums → the few points per set that the host combines.

use super::group::Lists;
use super::launch::{Grid, In, Out, Parameter, Pointer, kernels};
use super::run::CudaRun;
use super::table::Bases;
use crate::Error;
use crate::gpu::interface;
use crate::plan::{BufferKind, SumInput, SumLists, SumStep, TREE_BLOCK};

const REDUCE_BLOCK: u32 = 128;

/// Most steps of a launch.
const STEPS_TOGETHER: usize = 3;

/// The constants of `reduce.cu`, `tree.cuh` and `running.cu`.
pub(super) const CONSTANTS: &[(&str, u32)] =
    &[("REDUCE_BLOCK", REDUCE_BLOCK), ("TREE_BLOCK", TREE_BLOCK as u32)];

kernels! {
    /// Sums of elements of lists, by `pieces` groups of `width` lanes for each output.
    AddUp = "sums" in Reduce(steps: SumSteps)

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

/// A step of the reduction as the kernel takes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Step {
    from: In<u32>,
    out: Out<u32>,
    affine: u32,
    mode: u32,
    outputs: u32,
    count: u32,
    inner: u32,
    pieces: u32,
    width: u32,
    first_block: u32,
}

/// The steps of a launch.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct SumSteps {
    steps: [Step; STEPS_TOGETHER],
    count: u32,
    unused: u32,
}

impl Parameter for SumSteps {
    fn in_cuda() -> String {
        "SumSteps".into()
    }
}

/// The structures of `sums` in CUDA.
pub(super) fn structures() -> String {
    let [from, out] = [<In<u32>>::in_cuda(), <Out<u32>>::in_cuda()];
    let step = format!(
        "struct SumStep {{\n    {from}from;\n    {out}out;\n    u32 affine, mode, outputs, count, \
         inner, pieces, width, first_block;\n}};\n"
    );
    let name = SumSteps::in_cuda();
    let steps = format!(
        "struct {name} {{\n    SumStep steps[{STEPS_TOGETHER}];\n    u32 count, unused;\n}};\n"
    );
    step + &interface::cuda_size("SumStep", size_of::<Step>())
        + &steps
        + &interface::cuda_size(&name, size_of::<SumSteps>())
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
        let Some(SumInput::At(at)) = reduction.steps().next().map(|step| step.input) else {
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
    for launch in &reduction.launches {
        let mut blocks = 0;
        let mut step = |step: &SumStep| {
            let (from, affine) = match step.input {
                SumInput::Buckets => (buckets, affine),
                SumInput::At(at) => (sum(at), 0),
            };
            let first_block = blocks;
            blocks += step.lanes().div_ceil(TREE_BLOCK);
            Step {
                from: from.into(),
                out: sum(step.output).into(),
                affine,
                mode: step.mode as u32,
                outputs: step.outputs as u32,
                count: step.count as u32,
                inner: step.inner as u32,
                pieces: step.pieces as u32,
                width: step.width,
                first_block: first_block as u32,
            }
        };
        let Some((first, others)) = launch.split_first() else { continue };
        let mut steps = [step(first); STEPS_TOGETHER];
        for (place, other) in steps[1..].iter_mut().zip(others) {
            *place = step(other);
        }
        let steps = SumSteps { steps, count: launch.len() as u32, unused: 0 };
        AddUp { steps }.launch(stream, program, Grid::new(blocks, TREE_BLOCK as u32))?;
    }
    Ok(())
}

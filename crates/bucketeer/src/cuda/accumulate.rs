//! Stage 3, accumulate: lists → bucket sums.

use super::affine;
use super::group::Lists as Groups;
use super::launch::{Grid, In, Out, Pointer, kernels};
use super::run::CudaRun;
use super::table::Bases;
use super::tasks::{Lists, RoundTasks};
use crate::Error;
use crate::gpu::Job;
use crate::gpu::interface::{Split, Task, TaskCounter};
use crate::plan::{ACCUMULATE_BLOCK, BufferKind, FOLD, SumLists, TREE_BLOCK};

/// Threads of a block of the accumulate kernel.
const BLOCK: u32 = ACCUMULATE_BLOCK as u32;
const FOLD_BLOCK: u32 = TREE_BLOCK as u32;

/// The constants of `accumulate.cu` and `fold.cu`.
pub(super) const CONSTANTS: &[(&str, u32)] =
    &[("ACCUMULATE_BLOCK", BLOCK), ("FOLD", FOLD as u32), ("FOLD_BLOCK", FOLD_BLOCK)];

kernels! {
    /// Sums tasks, one per thread.
    SumTasks = "accumulate" in Accumulate(
        table: In<u32>,
        entries: In<u32>,
        tasks: In<Task>,
        task_count: In<u32>,
        add: u32,
        buckets: Out<u32>,
        slots: Out<u32>,
    )

    /// Folds `FOLD` pieces of a large bucket into one, a warp per result.
    FoldLarge = "fold_large" in Fold(
        large: In<Split>,
        count: In<u32>,
        round: u32,
        slots: Out<u32>,
    )

    /// Folds the remaining pieces of split buckets, `width` lanes to a bucket.
    Fold = "fold" in Fold(
        splits: In<Split>,
        count: In<u32>,
        rounds: u32,
        width: u32,
        add: u32,
        affine: u32,
        slots: In<u32>,
        buckets: Out<u32>,
    )
}

/// Sums the list of every bucket; with `add`, onto what the buckets hold.
pub(super) fn accumulate(run: &CudaRun<'_>, bases: &Bases, add: bool) -> Result<(), Error> {
    let schedule = run.job.schedule;
    if schedule.accumulate == SumLists::BatchedAffine {
        return affine::accumulate(run, bases, add);
    }
    let (layout, program, stream) = (&schedule.layout, &run.cuda.program, &run.workspace.compute);
    let lists = Groups::new(run)?;
    let (slots, buckets): (Pointer<u32>, Pointer<u32>) =
        (run.buffers.at(BufferKind::PartialSums)?, run.buffers.at(BufferKind::BucketSums)?);
    if !add {
        stream.zero(buckets.address(), layout.keys() * 4 * layout.sum_words as u64)?;
    }
    let round = &layout.first;
    let tasks = RoundTasks::new(round, run.buffers.at(BufferKind::Tasks)?);
    tasks.make(run, round, Lists::of_keys(lists.starts, layout.keys()), 2, false)?;
    SumTasks {
        table: bases.table.into(),
        entries: lists.entries.into(),
        tasks: tasks.tasks.into(),
        task_count: tasks.counter(TaskCounter::Tasks).into(),
        add: add.into(),
        buckets: buckets.into(),
        slots: slots.into(),
    }
    .launch(stream, program, Grid::per_item(round.tasks, BLOCK))?;
    fold(run, &tasks, add)
}

/// Folds the slots that the last round has left into their buckets.
pub(super) fn fold(run: &CudaRun<'_>, tasks: &RoundTasks, add: bool) -> Result<(), Error> {
    let Job { plan, schedule, .. } = run.job;
    let (layout, program, stream) = (&schedule.layout, &run.cuda.program, &run.workspace.compute);
    let (slots, buckets): (Pointer<u32>, Pointer<u32>) =
        (run.buffers.at(BufferKind::PartialSums)?, run.buffers.at(BufferKind::BucketSums)?);
    // The most pieces that one bucket can have decides how often they are folded.
    let mut pieces = layout.most_pieces();
    if pieces <= 1 {
        return Ok(());
    }
    let mut rounds = 0;
    let blocks = 4 * plan.device.threads as u64;
    while pieces > FOLD {
        let count = tasks.counter(TaskCounter::Large).into();
        FoldLarge { large: tasks.large.into(), count, round: rounds, slots: slots.into() }.launch(
            stream,
            program,
            Grid::new(blocks, FOLD_BLOCK),
        )?;
        pieces = pieces.div_ceil(FOLD);
        rounds += 1;
    }
    let (width, splits) = (layout.fold_width, layout.last().splits);
    let grid = Grid::per_item(splits * u64::from(width), FOLD_BLOCK).at_most(16 * blocks);
    Fold {
        splits: tasks.splits.into(),
        count: tasks.counter(TaskCounter::Splits).into(),
        rounds,
        width,
        add: add.into(),
        affine: layout.affine.is_some().into(),
        slots: slots.into(),
        buckets: buckets.into(),
    }
    .launch(stream, program, grid)
}

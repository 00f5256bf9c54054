//! Stage 3, accumulate: lists → bucket sums.

use super::group::Lists;
use super::launch::{Grid, In, Out, Pointer, kernels};
use super::run::CudaRun;
use super::table::Bases;
use crate::Error;
use crate::gpu::interface::{CLASSES, Split, Task, TaskCounter};
use crate::gpu::{Job, TaskPlaces};
use crate::plan::{BufferKind, FOLD, TASK_COUNTERS};

const THREADS: u32 = 256;
/// Threads of a block of the accumulate kernel.
const ACCUMULATE_BLOCK: u32 = 128;
const FOLD_BLOCK: u32 = 128;

/// The constants of `tasks.cu`, `accumulate.cu` and `fold.cu`.
pub(super) const CONSTANTS: &[(&str, u32)] =
    &[("ACCUMULATE_BLOCK", ACCUMULATE_BLOCK), ("FOLD", FOLD as u32), ("FOLD_BLOCK", FOLD_BLOCK)];

kernels! {
    /// Tasks of every class of length.
    CountClasses = "count_classes" in Tasks(
        starts: In<u32>,
        keys: u32,
        slice: u32,
        counters: Out<u32>,
    )

    /// Where the tasks of each class start; one block.
    ScanClasses = "scan_classes" in Tasks(counters: Out<u32>)

    /// Cuts lists into tasks, a key per thread.
    MakeTasks = "make_tasks" in Tasks(
        starts: In<u32>,
        keys: u32,
        slice: u32,
        counters: Out<u32>,
        tasks: Out<Task>,
        splits: Out<Split>,
        large: Out<Split>,
    )

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
        slots: In<u32>,
        buckets: Out<u32>,
    )
}

/// Sums the list of every bucket; with `add`, onto what the buckets hold.
pub(super) fn accumulate(run: &CudaRun<'_>, bases: &Bases, add: bool) -> Result<(), Error> {
    let Job { plan, schedule, .. } = run.job;
    let (layout, program, stream) = (&schedule.layout, &run.cuda.program, &run.workspace.compute);
    let lists = Lists::new(run)?;
    let words: Pointer<u32> = run.buffers.at(BufferKind::Tasks)?;
    let (slots, buckets): (Pointer<u32>, Pointer<u32>) =
        (run.buffers.at(BufferKind::PartialSums)?, run.buffers.at(BufferKind::BucketSums)?);
    let places = TaskPlaces::new(layout, layout.large * size_of::<Split>() as u64 / 4);
    let tasks: Pointer<Task> = words.cast();
    let splits: Pointer<Split> = words.at(places.splits).cast();
    let large: Pointer<Split> = words.at(places.folding).cast();
    let counters = words.at(places.totals);
    if !add {
        stream.zero(buckets.address(), layout.keys() * 4 * layout.sum_words as u64)?;
    }
    let (keys, slice, add) = (layout.keys() as u32, layout.task_entries, u32::from(add));
    stream.zero(counters.address(), 4 * TASK_COUNTERS)?;
    let per_key = Grid::per_item(keys.into(), THREADS);
    CountClasses { starts: lists.starts.into(), keys, slice, counters: counters.into() }.launch(
        stream,
        program,
        per_key.at_most(8 * plan.device.threads as u64),
    )?;
    ScanClasses { counters: counters.into() }.launch(stream, program, Grid::new(1, CLASSES))?;
    MakeTasks {
        starts: lists.starts.into(),
        keys,
        slice,
        counters: counters.into(),
        tasks: tasks.into(),
        splits: splits.into(),
        large: large.into(),
    }
    .launch(stream, program, per_key)?;
    SumTasks {
        table: bases.table.into(),
        entries: lists.entries.into(),
        tasks: tasks.into(),
        task_count: counters.at(TaskCounter::Tasks as u64).into(),
        add,
        buckets: buckets.into(),
        slots: slots.into(),
    }
    .launch(stream, program, Grid::per_item(layout.tasks, ACCUMULATE_BLOCK))?;
    if layout.entries <= slice.into() {
        return Ok(());
    }
    // The most pieces that one bucket can have decides how often they are folded.
    let mut pieces = layout.entries.div_ceil(slice.into());
    let mut rounds = 0;
    let blocks = 4 * plan.device.threads as u64;
    while pieces > FOLD {
        let count = counters.at(TaskCounter::Large as u64).into();
        FoldLarge { large: large.into(), count, round: rounds, slots: slots.into() }.launch(
            stream,
            program,
            Grid::new(blocks, FOLD_BLOCK),
        )?;
        pieces = pieces.div_ceil(FOLD);
        rounds += 1;
    }
    let width = layout.fold_width;
    let grid = Grid::per_item(layout.splits * u64::from(width), FOLD_BLOCK).at_most(16 * blocks);
    Fold {
        splits: splits.into(),
        count: counters.at(TaskCounter::Splits as u64).into(),
        rounds,
        width,
        add,
        slots: slots.into(),
        buckets: buckets.into(),
    }
    .launch(stream, program, grid)
}

//! Stage 3, accumulate: lists → bucket sums.

use super::driver::{Address, Stream};
use super::group::Lists;
use super::launch::{Setup, blocks, launch};
use super::prelude::ACCUMULATE_BLOCK;
use super::program::Source;
use crate::Error;
use crate::plan::{FOLD, TASK_COUNTERS};

const THREADS: u32 = 256;
const FOLD_BLOCK: u32 = 128;

/// Buffers of the stage.
pub(crate) struct Sums {
    pub counters: Address,
    pub tasks: Address,
    pub splits: Address,
    pub large: Address,
    pub slots: Address,
    pub buckets: Address,
}

/// Places of the counters, in words, as in the kernels.
const SPLITS: u64 = 2;
const LARGE: u64 = 3;

/// Sums the list of every bucket; with `add`, onto what the buckets hold.
pub(crate) fn accumulate(
    stream: &Stream,
    setup: Setup<'_>,
    lists: &Lists,
    table: Address,
    add: bool,
    sums: &Sums,
) -> Result<(), Error> {
    let Setup { program, plan, layout } = setup;
    let &Sums { counters, tasks, splits, large, slots, buckets } = sums;
    let (starts, entries, add) = (lists.starts, lists.entries, u32::from(add));
    let (keys, slice) = (layout.keys() as u32, layout.slice);
    stream.zero(counters, 4 * TASK_COUNTERS)?;
    let per_key = blocks(keys.into(), THREADS);
    let resident = per_key.min(8 * plan.device.threads as u64);
    launch!(stream, program, Source::Tasks, "count_classes", resident, THREADS, 0;
        starts, keys, slice, counters)?;
    launch!(stream, program, Source::Tasks, "scan_classes", 1, 1024, 0; counters)?;
    launch!(stream, program, Source::Tasks, "make_tasks", per_key, THREADS, 0;
        starts, keys, slice, counters, tasks, splits, large)?;
    let grid = blocks(layout.tasks, ACCUMULATE_BLOCK);
    launch!(stream, program, Source::Accumulate, "accumulate", grid, ACCUMULATE_BLOCK, 0;
        table, entries, tasks, counters, add, buckets, slots)?;
    if layout.entries <= slice.into() {
        return Ok(());
    }
    // The most pieces that one bucket can have decides how often they are folded.
    let mut pieces = layout.entries.div_ceil(slice.into());
    let mut rounds = 0u32;
    let grid = 4 * plan.device.threads as u64;
    while pieces > FOLD {
        let count = counters + 4 * LARGE;
        launch!(stream, program, Source::Fold, "fold_large", grid, FOLD_BLOCK, 0;
            large, count, rounds, slots)?;
        pieces = pieces.div_ceil(FOLD);
        rounds += 1;
    }
    let (count, width) = (counters + 4 * SPLITS, layout.fold_width);
    let grid = blocks(layout.splits * u64::from(width), FOLD_BLOCK).min(16 * grid);
    launch!(stream, program, Source::Fold, "fold", grid, FOLD_BLOCK, 0;
        splits, count, rounds, width, add, slots, buckets)
}

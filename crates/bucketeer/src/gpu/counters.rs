//! The layout of the two buffers that kernels count in.

use super::interface::{Split, Task};
use crate::plan::{Layout, Round, TASK_COUNTERS};

/// Places in the buffer of counters, in words. It begins with the starts of the keys' lists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counters {
    /// Counts of the keys' entries, which become cursors.
    pub cursors: u64,
    /// Counts of the bins' entries, which become cursors.
    pub bin_counts: u64,
    pub bin_starts: u64,
    /// Tiles before each bin; CUDA only.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA sorts in tiles"))]
    pub tile_starts: u64,
    /// The smallest index of a scalar that is too large. All before it is zero when a pass begins.
    pub too_large: u64,
}

impl Counters {
    pub(crate) fn new(layout: &Layout) -> Self {
        let (keys, bins) = (layout.keys(), u64::from(layout.bins));
        let cursors = keys + 1;
        let bin_counts = cursors + keys;
        let bin_starts = bin_counts + bins + 1;
        let tile_starts = bin_starts + bins + 1;
        let too_large = tile_starts + bins + 1;
        Self { cursors, bin_counts, bin_starts, tile_starts, too_large }
    }
}

/// Places in the buffer of tasks, in words. It begins with the tasks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskPlaces {
    pub splits: u64,
    /// What folding reads: CUDA's list of large split buckets, WebGPU's owners of slots.
    pub folding: u64,
    /// The counters ([`TaskCounter`](super::interface::TaskCounter)).
    pub totals: u64,
    /// The first word after them.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA has rounds"))]
    pub end: u64,
}

impl TaskPlaces {
    /// Those of a round, with `folding_words` words that folding reads.
    pub(crate) fn new(round: &Round, folding_words: u64) -> Self {
        let words = |bytes: usize| bytes as u64 / 4;
        let splits = round.tasks * words(size_of::<Task>());
        let folding = splits + round.splits * words(size_of::<Split>());
        let totals = folding + folding_words;
        Self { splits, folding, totals, end: totals + TASK_COUNTERS }
    }
}

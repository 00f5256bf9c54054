//! The order of a run: chunks of the scalars one after the other, and for each chunk the passes
//! over its bucket sets.

use std::ops::Range;

use crate::plan::{GpuSchedule, Plan};

/// Scalars that are handled together.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "only CUDA overlaps chunks"))]
pub(crate) struct Chunk {
    /// Counted from 0.
    pub index: usize,
    pub range: Range<usize>,
    /// Which half of a double buffer its integers are in.
    pub half: usize,
    /// Whether its buckets start empty.
    first: bool,
    /// Whether its buckets are complete after it.
    last: bool,
}

/// Group, accumulate and reduce of some bucket sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pass {
    pub first_set: u32,
    /// Bucket sets of this pass.
    pub sets: u32,
    /// Whether buckets start empty; otherwise they hold the sums of earlier chunks.
    pub first: bool,
    /// Whether buckets are complete afterwards and are reduced.
    pub last: bool,
}

/// The chunks of `n` scalars, whose bases begin at place `first` of their table.
pub(crate) fn chunks(
    plan: &Plan,
    schedule: &GpuSchedule,
    first: usize,
    n: usize,
) -> impl Iterator<Item = Chunk> {
    let GpuSchedule { double_buffered, carries_buckets, .. } = *schedule;
    let ranges = plan.scalar_ranges(schedule, first, n).into_iter().enumerate();
    ranges.map(move |(index, range)| Chunk {
        index,
        half: if double_buffered { index % 2 } else { 0 },
        first: !carries_buckets || index == 0,
        last: !carries_buckets || range.end == n,
        range,
    })
}

impl Chunk {
    /// The passes over this chunk.
    pub(crate) fn passes(&self, plan: &Plan, schedule: &GpuSchedule) -> impl Iterator<Item = Pass> {
        let (all, most) = (plan.shape.bucket_sets, schedule.sets_per_pass);
        let (first, last) = (self.first, self.last);
        (0..all).step_by(most as usize).map(move |first_set| {
            let sets = most.min(all - first_set);
            Pass { first_set, sets, first, last }
        })
    }
}

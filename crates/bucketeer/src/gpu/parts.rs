//! Results of passes.

use super::{Chunk, Job, Pass};

/// Points that the device leaves to the host: for some sets a total and a point for each bit.
pub(crate) struct Part {
    /// The MSM of a batch whose segment comes first.
    pub first_msm: usize,
    /// MSMs, each with `sets` sets.
    pub msms: usize,
    pub first_set: u32,
    pub sets: usize,
    /// Words of the sums: totals, low bits, high bits.
    pub words: Vec<u64>,
}

impl Part {
    pub(crate) fn new<T>(job: &Job<'_, T>, chunk: &Chunk, pass: Pass, words: Vec<u64>) -> Self {
        let length = job.plan.chunk.max(1);
        let (first_msm, msms) = match job.batch() {
            true => (chunk.range.start / length, chunk.range.len() / length),
            false => (0, 1),
        };
        // The layout has room for as many sets in every pass; the last one may have fewer.
        let sets = job.schedule.sets_per_pass as usize;
        Self { first_msm, msms, first_set: pass.first_set, sets, words }
    }
}

//! Stage 2, group: digits → for each bucket the list of its bases.

use super::program::Source;
use super::recorder::Stage;
use super::stages::Run;
use crate::Error;
use crate::plan::{Digits, Group};

const THREADS: u64 = 256;
/// Digits that a workgroup moves to their bins, as in the shader.
const TILE: u64 = 2048;

/// A kernel with its parameters, buffers and workgroups.
type Step<'a> = (Source, &'a str, &'a [u32], &'a [(u32, &'a wgpu::Buffer)], (u64, u32));

/// Where a pass's integers come from.
pub(super) struct Integers {
    pub count: u32,
    /// Integers of a segment.
    pub length: u32,
    /// Points between two copies of a base.
    pub copy_stride: u32,
    /// Bases between two segments.
    pub segment_stride: u32,
    /// The base of the first integer.
    pub first_base: u32,
}

/// Places in the buffer of counters, in words; the keys' starts come first.
#[derive(Clone, Copy)]
pub(super) struct Counters {
    pub cursors: u32,
    pub bin_counts: u32,
    pub bin_starts: u32,
    /// The index of a faulty scalar.
    pub too_large: u32,
    /// All before that.
    pub bytes: u64,
}

impl Run<'_> {
    pub(super) fn counters(&self) -> Counters {
        let (keys, bins) = (self.layout.keys() as u32, self.layout.bins);
        let cursors = keys + 1;
        let bin_counts = cursors + keys;
        let bin_starts = bin_counts + bins + 1;
        let too_large = bin_starts + bins + 1;
        Counters { cursors, bin_counts, bin_starts, too_large, bytes: 4 * u64::from(too_large) }
    }

    /// Groups the digits of a pass.
    pub(super) async fn group(&mut self, integers: &Integers, first_set: u32) -> Result<(), Error> {
        let (plan, layout) = (self.plan, self.layout);
        let shape = &plan.shape;
        let at = self.counters();
        let pass_sets = plan.sets_per_pass.min(shape.bucket_sets - first_set);
        let rows = pass_sets * shape.windows.div_ceil(shape.bucket_sets);
        let zero = match shape.digits {
            Digits::Unsigned => 0,
            Digits::Signed => 1 << (shape.window_bits - 1),
        };
        let digits = [
            layout.scalars as u32,
            integers.count,
            integers.length,
            layout.scalar_words,
            shape.window_bits,
            shape.last_window_bits,
            shape.windows,
            zero,
            shape.bucket_sets,
            first_set,
            pass_sets,
            plan.sets_per_pass,
            layout.bits,
            integers.copy_stride,
            integers.segment_stride,
            integers.first_base,
            rows,
            layout.low,
            layout.bins,
            at.cursors,
            at.bin_counts,
            at.bin_starts,
        ];
        let scan = [layout.low, layout.bins, at.cursors, at.bin_counts, at.bin_starts];
        let [scalars, counters, binned, entries] =
            ["scalars", "counters", "binned entries", "entries"]
                .map(|name| self.workspace.at(name));
        let (scalars, counters, binned, entries) = (scalars?, counters?, binned?, entries?);
        self.recorder.clear(counters, at.bytes);
        let all = u64::from(integers.count) * u64::from(rows);
        let per_digit = (u64::from(integers.count).div_ceil(THREADS), rows);
        let (per_tile, per_entry) = ((all.div_ceil(TILE), 1), (all.div_ceil(THREADS), 1));
        let (one, per_bin) = ((1, 1), (u64::from(layout.bins), 1));
        let read = [(1, scalars), (2, counters)];
        let steps: &[Step<'_>] = match plan.group {
            Group::Csr => &[
                (Source::Group, "count_keys", &digits, &read, per_digit),
                (Source::Scan, "total_bins", &scan, &[(1, counters)], per_bin),
                (Source::Scan, "scan_bins", &scan, &[(1, counters)], one),
                (Source::Scan, "scan_buckets", &scan, &[(1, counters)], per_bin),
                (
                    Source::Group,
                    "scatter_keys",
                    &digits,
                    &[(1, scalars), (2, counters), (3, entries)],
                    per_digit,
                ),
            ],
            Group::Sort => &[
                (Source::Sort, "count_bins", &digits, &read, per_tile),
                (Source::Scan, "scan_bins", &scan, &[(1, counters)], one),
                (
                    Source::Sort,
                    "scatter_bins",
                    &digits,
                    &[(1, scalars), (2, counters), (3, binned)],
                    per_tile,
                ),
                (Source::Sort, "count_binned", &digits, &[(2, counters), (3, binned)], per_entry),
                (Source::Scan, "scan_buckets", &scan, &[(1, counters)], per_bin),
                (
                    Source::Sort,
                    "scatter_binned",
                    &digits,
                    &[(2, counters), (3, binned), (4, entries)],
                    per_entry,
                ),
            ],
        };
        for (source, name, parameters, buffers, groups) in steps {
            let kernel = self.program.kernel(*source, name)?;
            self.recorder.dispatch(Stage::Group, kernel, parameters, buffers, *groups).await?;
        }
        Ok(())
    }
}

//! Stage 2, group: digits → for each bucket the list of its bases.

use super::launch::{Grid, kernels};
use super::run::WebGpuRun;
use super::table::Bases;
use crate::Error;
use crate::gpu::interface::{Digits, records};
use crate::gpu::{Chunk, Job, Pass};
use crate::plan::{BufferKind, Group, MAX_WEBGPU_BIN_BITS};

/// Digits that a workgroup moves to their bins.
const TILE: u64 = 2048;

/// The constants of `sort.wgsl`.
pub(super) const CONSTANTS: &[(&str, u32)] =
    &[("TILE", TILE as u32), ("MAX_BINS", 1 << MAX_WEBGPU_BIN_BITS)];

records! {
    /// Parameters of `group.wgsl` and `sort.wgsl` beside the digits.
    KeyParameters {
        /// The base of the first integer.
        first_base,
        /// Digits of an integer in this pass.
        rows,
        /// 2^low keys share a bin.
        low,
        bins,
        /// Places in the buffer of counters: of the keys' cursors,
        cursors,
        /// of the bins' counts,
        bin_counts,
        /// of the bins' starts.
        bin_starts,
    }

    /// Parameters of `scan.wgsl`.
    ScanParameters {
        /// 2^low keys share a bin.
        low,
        bins,
        /// Places in the buffer of counters, which begins with the keys' starts: of the keys'
        /// counts, which become cursors,
        cursors,
        /// of the bins' counts, which become cursors,
        bin_counts,
        /// of the bins' starts.
        bin_starts,
    }
}

kernels! {
    const GROUP_SHADER in Group, Group: (Digits, KeyParameters) {
        integers: Read,
        counters: Atomic,
        entries: Write,
    }

    /// Csr: entries of every bucket, a digit per invocation.
    CountKeys = "count_keys" { integers, counters }
    /// Csr: entries to their buckets, a digit per invocation.
    ScatterKeys = "scatter_keys" { integers, counters, entries }
}

kernels! {
    const SORT_SHADER in Sort, Group: (Digits, KeyParameters) {
        integers: Read,
        counters: Atomic,
        binned: Pairs,
        entries: Write,
    }

    /// Sort: entries of every bin, a tile per workgroup.
    CountBins = "count_bins" { integers, counters }
    /// Sort: entries to their bins, a tile per workgroup.
    ScatterBins = "scatter_bins" { integers, counters, binned }
    /// Sort: entries of every bucket, one per invocation.
    CountBinned = "count_binned" { counters, binned }
    /// Sort: entries to their buckets, one per invocation.
    ScatterBinned = "scatter_binned" { counters, binned, entries }
}

kernels! {
    const SCAN_SHADER in Scan, Group: ScanParameters { counters: Write }

    /// Entries of every bin, a bin per workgroup.
    TotalBins = "total_bins" { counters }
    /// Where each bin starts; one workgroup.
    ScanBins = "scan_bins" { counters }
    /// Where each bucket's list starts, a bin per workgroup.
    ScanBuckets = "scan_buckets" { counters }
}

/// Groups the digits of a pass.
pub(super) async fn group(
    run: &mut WebGpuRun<'_>,
    chunk: &Chunk,
    pass: Pass,
    bases: &Bases,
) -> Result<(), Error> {
    let Job { plan, schedule, .. } = run.job;
    let (program, layout) = (&run.webgpu.program, &schedule.layout);
    let digits = Digits::new(&run.job, chunk, pass, bases.copy_stride);
    let rows = pass.sets * plan.shape.windows.div_ceil(plan.shape.bucket_sets);
    let places = run.places();
    let [cursors, bin_counts, bin_starts] =
        [places.cursors, places.bin_counts, places.bin_starts].map(|place| place as u32);
    let (low, bins, first_base) = (layout.low, layout.bins, bases.first);
    let keys = KeyParameters { first_base, rows, low, bins, cursors, bin_counts, bin_starts };
    let scan = ScanParameters { low, bins, cursors, bin_counts, bin_starts };
    let [scalars, counters, binned, entries] =
        [BufferKind::Scalars, BufferKind::Counters, BufferKind::BinnedEntries, BufferKind::Entries]
            .map(|kind| run.workspace.at(kind));
    let count = u64::from(digits.count);
    let (integers, counters, binned, entries) = (scalars?, counters?, binned?, entries?);
    let recorder = &mut run.recorder;
    recorder.clear(counters, 4 * places.too_large);
    let parameters = (digits, keys);
    let (one, per_bin) = (Grid::Groups(1), Grid::Groups(bins.into()));
    let all = count * u64::from(rows);
    let (per_tile, per_entry) = (Grid::Groups(all.div_ceil(TILE)), Grid::Items(all));
    let per_digit = Grid::Rows(count, rows);
    let scan_bins = ScanBins { parameters: scan, counters };
    let scan_buckets = ScanBuckets { parameters: scan, counters };
    match schedule.group {
        Group::Csr => {
            CountKeys { parameters, integers, counters }
                .dispatch(program, recorder, per_digit)
                .await?;
            TotalBins { parameters: scan, counters }.dispatch(program, recorder, per_bin).await?;
            scan_bins.dispatch(program, recorder, one).await?;
            scan_buckets.dispatch(program, recorder, per_bin).await?;
            ScatterKeys { parameters, integers, counters, entries }
                .dispatch(program, recorder, per_digit)
                .await
        }
        Group::Sort => {
            CountBins { parameters, integers, counters }
                .dispatch(program, recorder, per_tile)
                .await?;
            scan_bins.dispatch(program, recorder, one).await?;
            ScatterBins { parameters, integers, counters, binned }
                .dispatch(program, recorder, per_tile)
                .await?;
            CountBinned { parameters, counters, binned }
                .dispatch(program, recorder, per_entry)
                .await?;
            scan_buckets.dispatch(program, recorder, per_bin).await?;
            ScatterBinned { parameters, counters, binned, entries }
                .dispatch(program, recorder, per_entry)
                .await
        }
    }
}

//! Stage 2, group: digits → for each bucket the list of its bases.

use super::decompose;
use super::launch::{Grid, In, Out, Parameter, Pointer, kernels};
use super::run::CudaRun;
use super::table::Bases;
use crate::Error;
use crate::gpu::interface::{self, Digits};
use crate::gpu::{Chunk, Counters, Job, Pass};
use crate::plan::{BufferKind, Group, Layout, Plan};

const THREADS: u32 = 256;
/// Threads of a block that sorts a tile in shared memory, or scans all bins.
const TILE_BLOCK: u32 = 1024;

/// The constants of `group.cu`.
pub(super) const CONSTANTS: &[(&str, u32)] = &[("TILE_BLOCK", TILE_BLOCK)];

kernels! {
    /// Sort: entries of every bin.
    CountBins = "count_bins" in Group(
        reader: DigitReader,
        low: u32,
        bins: u32,
        bin_counts: Out<u32>,
    )

    /// Where each bin and its tiles start; one block.
    ScanBins = "scan_bins" in Group(
        bin_counts: Out<u32>,
        bins: u32,
        tile: u32,
        bin_starts: Out<u32>,
        tile_starts: Out<u32>,
    )

    /// Sort: entries to their bins; a block sorts those of `per_block` integers first.
    ScatterBins = "scatter_bins" in Group(
        reader: DigitReader,
        low: u32,
        bins: u32,
        per_block: u32,
        bin_cursors: Out<u32>,
        out: Out<u64>,
    )

    /// Sort: entries of every bucket, a tile of a bin per block.
    CountBuckets = "count_buckets" in Group(
        binned: In<u64>,
        bin_starts: In<u32>,
        tile_starts: In<u32>,
        bins: u32,
        tile: u32,
        low: u32,
        counts: Out<u32>,
    )

    /// Sort: entries to their buckets, a tile of a bin per block.
    ScatterBuckets = "scatter_buckets" in Group(
        binned: In<u64>,
        bin_starts: In<u32>,
        tile_starts: In<u32>,
        bins: u32,
        tile: u32,
        low: u32,
        cursors: Out<u32>,
        out: Out<u32>,
    )

    /// Where each bucket's list starts, a bin per block.
    ScanBuckets = "scan_buckets" in Group(
        counts: Out<u32>,
        low: u32,
        bin_starts: In<u32>,
        starts: Out<u32>,
    )

    /// Csr: entries of every bucket, an integer per thread.
    CountKeys = "count_keys" in Group(reader: DigitReader, counts: Out<u32>)

    /// Csr: entries of every bin, a bin per block.
    TotalBins = "total_bins" in Group(counts: In<u32>, low: u32, bin_counts: Out<u32>)

    /// Csr: entries to their buckets, an integer per thread.
    ScatterKeys = "scatter_keys" in Group(
        reader: DigitReader,
        cursors: Out<u32>,
        entries: Out<u32>,
    )
}

/// Biased integers, word-major, and how their digits are read.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct DigitReader {
    pub words: In<u32>,
    pub digits: Digits,
}

impl Parameter for DigitReader {
    fn in_cuda() -> String {
        "DigitReader".into()
    }
}

/// The structure [`DigitReader`] in CUDA.
pub(super) fn structures() -> String {
    let fields = [<In<u32>>::in_cuda() + " words", "Digits digits".into()];
    let name = DigitReader::in_cuda();
    let text = format!("struct {name} {{\n    {};\n}};\n", fields.join(";\n    "));
    text + &interface::cuda_size(&name, size_of::<DigitReader>())
}

/// Buffers of the stage.
pub(super) struct Lists {
    /// For each key the start of its list, and the end of the last.
    pub starts: Pointer<u32>,
    pub cursors: Pointer<u32>,
    pub bin_counts: Pointer<u32>,
    pub bin_starts: Pointer<u32>,
    pub tile_starts: Pointer<u32>,
    /// Entries in their bins, each with its key above it.
    pub binned: Pointer<u64>,
    pub entries: Pointer<u32>,
}

impl Lists {
    pub(super) fn new(run: &CudaRun<'_>) -> Result<Self, Error> {
        let layout = &run.job.schedule.layout;
        let half = |kind, bytes: u64| -> Result<Pointer<u32>, Error> {
            Ok(run.buffers.at::<u32>(kind)?.at(run.lists as u64 * bytes / 4))
        };
        let starts = half(BufferKind::Counters, layout.counters_bytes())?;
        let places = Counters::new(layout);
        Ok(Self {
            starts,
            cursors: starts.at(places.cursors),
            bin_counts: starts.at(places.bin_counts),
            bin_starts: starts.at(places.bin_starts),
            tile_starts: starts.at(places.tile_starts),
            binned: run.buffers.at(BufferKind::BinnedEntries)?,
            entries: half(BufferKind::Entries, layout.entries_bytes())?,
        })
    }
}

/// How entries are cut into tiles that fit in a block's shared memory.
struct Tiles {
    /// Integers whose digits one block moves to their bins, and the shared memory it needs.
    per_block: u32,
    bin_bytes: u32,
    /// Entries of a bin that one block moves to their buckets, and the shared memory it needs.
    tile: u32,
    bucket_bytes: u32,
}

impl Tiles {
    /// As large as shared memory allows, and small enough that every multiprocessor has some.
    fn new(plan: &Plan, layout: &Layout, digits: &Digits, shared: u32) -> Self {
        // A word for each warp's share of a scan, and one for the total, beside the rest.
        let room = shared.saturating_sub(256);
        let wanted =
            (layout.entries / (2 * plan.device.threads as u64)).clamp(1 << 11, 1 << 15) as u32;
        let (bins, buckets) = (8 * layout.bins, 8 << layout.low);
        let per_integer = digits.windows.div_ceil(digits.sets) * digits.pass_sets;
        let fitting = wanted.min(room.saturating_sub(bins) / 8);
        let per_block = (fitting / per_integer).max(1);
        let tile = wanted.min(room.saturating_sub(buckets) / 6).max(1 << 10);
        Self {
            per_block,
            bin_bytes: bins + 8 * per_block * per_integer,
            tile,
            bucket_bytes: buckets + 6 * tile,
        }
    }
}

/// Groups the digits of a pass.
pub(super) fn group(
    run: &CudaRun<'_>,
    chunk: &Chunk,
    pass: Pass,
    bases: &Bases,
) -> Result<(), Error> {
    let Job { plan, schedule, .. } = run.job;
    let (layout, program, stream) = (&schedule.layout, &run.cuda.program, run.grouping());
    let shared = run.cuda.gpu.context.facts.shared_memory;
    let digits = Digits::new(&run.job, chunk, pass, bases.copy_stride);
    let reader = DigitReader { words: decompose::integers(run, chunk)?.into(), digits };
    let (low, bins, count) = (layout.low, layout.bins, reader.digits.count);
    let Lists { starts, cursors, bin_counts, bin_starts, tile_starts, binned, entries } =
        Lists::new(run)?;
    let Tiles { per_block, bin_bytes, tile, bucket_bytes } =
        Tiles::new(plan, layout, &digits, shared);
    // The same for every launch: the setting is the kernel's, and other runs launch it too.
    let most = shared.saturating_sub(256);
    stream.zero(cursors.address(), 4 * layout.keys())?;
    stream.zero(bin_counts.address(), 4 * u64::from(bins))?;
    let per_integer = Grid::per_item(count.into(), THREADS);
    let per_bin = Grid::new(bins.into(), THREADS);
    // Tiles are cut per bin, so each bin may leave one unfilled.
    let tiles = layout.entries.div_ceil(tile.into()) + u64::from(bins);
    let scan_bins = ScanBins {
        bin_counts: bin_counts.into(),
        bins,
        tile,
        bin_starts: bin_starts.into(),
        tile_starts: tile_starts.into(),
    };
    let one_block = Grid::new(1, TILE_BLOCK);
    match schedule.group {
        Group::Sort => {
            let grid = per_integer.at_most(8 * plan.device.threads as u64).shared(4 * bins);
            CountBins { reader, low, bins, bin_counts: bin_counts.into() }
                .launch(stream, program, grid)?;
            scan_bins.launch(stream, program, one_block)?;
            let grid = Grid::new(u64::from(count).div_ceil(per_block.into()), TILE_BLOCK);
            let bin_cursors = bin_counts.into();
            ScatterBins::kernel(program)?.allow_shared(most)?;
            ScatterBins { reader, low, bins, per_block, bin_cursors, out: binned.into() }.launch(
                stream,
                program,
                grid.shared(bin_bytes),
            )?;
            CountBuckets::kernel(program)?.allow_shared(most)?;
            CountBuckets {
                binned: binned.into(),
                bin_starts: bin_starts.into(),
                tile_starts: tile_starts.into(),
                bins,
                tile,
                low,
                counts: cursors.into(),
            }
            .launch(stream, program, Grid::new(tiles, THREADS).shared(4 << low))?;
        }
        Group::Csr => {
            CountKeys { reader, counts: cursors.into() }.launch(stream, program, per_integer)?;
            TotalBins { counts: cursors.into(), low, bin_counts: bin_counts.into() }
                .launch(stream, program, per_bin)?;
            scan_bins.launch(stream, program, one_block)?;
        }
    }
    let (counts, starts) = (cursors.into(), starts.into());
    ScanBuckets { counts, low, bin_starts: bin_starts.into(), starts }
        .launch(stream, program, per_bin)?;
    match schedule.group {
        Group::Sort => {
            ScatterBuckets::kernel(program)?.allow_shared(most)?;
            ScatterBuckets {
                binned: binned.into(),
                bin_starts: bin_starts.into(),
                tile_starts: tile_starts.into(),
                bins,
                tile,
                low,
                cursors: cursors.into(),
                out: entries.into(),
            }
            .launch(stream, program, Grid::new(tiles, TILE_BLOCK).shared(bucket_bytes))
        }
        Group::Csr => ScatterKeys { reader, cursors: cursors.into(), entries: entries.into() }
            .launch(stream, program, per_integer),
    }
}

#[cfg(all(test, feature = "curves"))]
mod tests {
    use super::*;
    use crate::gpu::{Points, Raw, chunks};
    use crate::plan::{Digits as DigitRange, MAX_WINDOW_BITS, Request, ScalarBound, Settings};
    use crate::{CurveSpec, DeviceFacts};

    /// Tiles of every width fit in the shared memory of every architecture: 99, 163 or 227 KiB.
    #[test]
    fn tiles_fit_in_shared_memory() {
        let curve = CurveSpec::of::<ark_bls12_381::G1Affine>();
        for shared in [99 << 10, 163 << 10, 227 << 10] {
            for window_bits in 1..=MAX_WINDOW_BITS {
                for n in [33, 1 << 20] {
                    let settings = Settings {
                        window_bits: Some(window_bits),
                        digits: Some(DigitRange::Unsigned),
                        precompute: Some(1),
                        ..Settings::default()
                    };
                    let device = DeviceFacts::cuda(132, 140 << 30);
                    let request = Request::new(&curve, n, device).resident(true);
                    let plan = Plan::new(&request.settings(&settings)).expect("a plan");
                    let schedule = plan.gpu().expect("a GPU's plan");
                    let layout = &schedule.layout;
                    let raw = Raw {
                        parts: vec![&[]],
                        bytes: 1,
                        montgomery: true,
                        length: n,
                        bound: ScalarBound::Order,
                    };
                    let points = Points::Resident { table: &(), first: 0 };
                    let job = Job { plan: &plan, schedule, points, raw: &raw };
                    let chunk = chunks(&plan, schedule, 0, n).next().expect("a chunk");
                    let pass = chunk.passes(&plan, schedule).next().expect("a pass");
                    let digits = Digits::new(&job, &chunk, pass, 1);
                    let tiles = Tiles::new(&plan, layout, &digits, shared);
                    let scratch = 33 * 4;
                    assert!(tiles.bin_bytes + scratch <= shared, "{window_bits} {n} {shared}");
                    assert!(tiles.bucket_bytes + scratch <= shared, "{window_bits} {n} {shared}");
                    assert!(4 * layout.bins <= 48 << 10 && tiles.tile <= 1 << 15);
                }
            }
        }
    }
}

//! Stage 2, group: digits → for each bucket the list of its bases.

use super::driver::{Address, Stream};
use super::launch::{Setup, blocks, launch};
use super::program::Source;
use crate::Error;
use crate::plan::{Digits as Form, Group, Layout, Plan};

const THREADS: u32 = 256;
/// Threads of a block that sorts a tile in shared memory.
const TILE_THREADS: u32 = 1024;

/// What turns a digit into a key and an entry; as in the kernels.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Digits {
    words: Address,
    stride: u32,
    count: u32,
    length: u32,
    word_count: u32,
    window_bits: u32,
    last_bits: u32,
    windows: u32,
    zero: u32,
    sets: u32,
    first_set: u32,
    pass_sets: u32,
    set_stride: u32,
    bits: u32,
    copy_stride: u32,
    segment_stride: u32,
}

/// Where a pass's integers are and which bases they belong to.
pub(crate) struct Integers {
    pub words: Address,
    pub count: u32,
    /// Integers of a segment.
    pub length: u32,
    /// Points between two copies of a base.
    pub copy_stride: u32,
    /// Bases between two segments.
    pub segment_stride: u32,
}

impl Digits {
    pub(crate) fn new(plan: &Plan, layout: &Layout, integers: &Integers, first_set: u32) -> Self {
        let shape = &plan.shape;
        Self {
            words: integers.words,
            stride: layout.scalars as u32,
            count: integers.count,
            length: integers.length,
            word_count: layout.scalar_words,
            window_bits: shape.window_bits,
            last_bits: shape.last_window_bits,
            windows: shape.windows,
            zero: match shape.digits {
                Form::Unsigned => 0,
                Form::Signed => 1 << (shape.window_bits - 1),
            },
            sets: shape.bucket_sets,
            first_set,
            pass_sets: plan.sets_per_pass.min(shape.bucket_sets - first_set),
            set_stride: plan.sets_per_pass,
            bits: layout.bits,
            copy_stride: integers.copy_stride,
            segment_stride: integers.segment_stride,
        }
    }
}

/// Buffers of the stage.
pub(crate) struct Lists {
    /// For each key the start of its list, and the end of the last.
    pub starts: Address,
    pub cursors: Address,
    pub bin_counts: Address,
    pub bin_starts: Address,
    pub tile_starts: Address,
    pub binned: Address,
    pub entries: Address,
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

/// Groups the digits of a pass. A block may use `shared` bytes of shared memory.
pub(crate) fn group(
    stream: &Stream,
    setup: Setup<'_>,
    digits: Digits,
    lists: &Lists,
    shared: u32,
) -> Result<(), Error> {
    let Setup { program, plan, layout } = setup;
    let (low, bins) = (layout.low, layout.bins);
    let &Lists { starts, cursors, bin_counts, bin_starts, tile_starts, binned, entries } = lists;
    let source = Source::Group;
    let Tiles { per_block, bin_bytes, tile, bucket_bytes } =
        Tiles::new(plan, layout, &digits, shared);
    // The same for every launch: the setting is the kernel's, and other runs launch it too.
    let most = shared.saturating_sub(256);
    stream.zero(cursors, 4 * layout.keys())?;
    stream.zero(bin_counts, 4 * u64::from(bins))?;
    let per_key = blocks(digits.count.into(), THREADS);
    // Tiles are cut per bin, so each bin may leave one unfilled.
    let tiles = layout.entries.div_ceil(tile.into()) + u64::from(bins);
    match plan.group {
        Group::Sort => {
            let resident = per_key.min(8 * plan.device.threads as u64);
            launch!(stream, program, source, "count_bins", resident, THREADS, 4 * bins;
                digits, low, bins, bin_counts)?;
            launch!(stream, program, source, "scan_bins", 1, 1024, 0;
                bin_counts, bins, tile, bin_starts, tile_starts)?;
            let grid = blocks(digits.count.into(), per_block);
            program.kernel(source, "scatter_bins")?.allow_shared(most)?;
            launch!(stream, program, source, "scatter_bins", grid, TILE_THREADS, bin_bytes;
                digits, low, bins, per_block, bin_counts, binned)?;
            program.kernel(source, "count_buckets")?.allow_shared(most)?;
            launch!(stream, program, source, "count_buckets", tiles, THREADS, 4 << low;
                binned, bin_starts, tile_starts, bins, tile, low, cursors)?;
        }
        Group::Csr => {
            launch!(stream, program, source, "count_keys", per_key, THREADS, 0; digits, cursors)?;
            launch!(stream, program, source, "total_bins", bins.into(), THREADS, 0;
                cursors, low, bin_counts)?;
            launch!(stream, program, source, "scan_bins", 1, 1024, 0;
                bin_counts, bins, tile, bin_starts, tile_starts)?;
        }
    }
    launch!(stream, program, source, "scan_buckets", bins.into(), THREADS, 0;
        cursors, low, bin_starts, starts)?;
    match plan.group {
        Group::Sort => {
            program.kernel(source, "scatter_buckets")?.allow_shared(most)?;
            launch!(stream, program, source, "scatter_buckets", tiles, TILE_THREADS, bucket_bytes;
                binned, bin_starts, tile_starts, bins, tile, low, cursors, entries)
        }
        Group::Csr => launch!(stream, program, source, "scatter_keys", per_key, THREADS, 0;
            digits, cursors, entries),
    }
}

#[cfg(all(test, feature = "curves"))]
mod tests {
    use super::*;
    use crate::plan::{MAX_WINDOW_BITS, Request, ScalarBound, Settings};
    use crate::{CurveSpec, DeviceFacts};

    /// Tiles of every width fit in the shared memory of every architecture: 99 KiB, 163 KiB, 227 KiB.
    #[test]
    fn tiles_fit_in_shared_memory() {
        let curve = CurveSpec::of::<ark_bls12_381::G1Affine>();
        for shared in [99 << 10, 163 << 10, 227 << 10] {
            for window_bits in 1..=MAX_WINDOW_BITS {
                for (n, digits) in [(33, Form::Unsigned), (1 << 20, Form::Unsigned)] {
                    let settings = Settings {
                        window_bits: Some(window_bits),
                        digits: Some(digits),
                        precompute: Some(1),
                        ..Settings::default()
                    };
                    let plan = Plan::new(&Request {
                        curve: &curve,
                        n,
                        batch: 1,
                        scalars: ScalarBound::Order,
                        resident: true,
                        table: None,
                        device: DeviceFacts::cuda(132, 140 << 30),
                        settings: &settings,
                    })
                    .expect("a plan");
                    let layout = plan.gpu_layout(&curve);
                    let integers = Integers {
                        words: 0,
                        count: 1,
                        length: 1,
                        copy_stride: 1,
                        segment_stride: 0,
                    };
                    let digits = Digits::new(&plan, &layout, &integers, 0);
                    let tiles = Tiles::new(&plan, &layout, &digits, shared);
                    let scratch = 33 * 4;
                    assert!(tiles.bin_bytes + scratch <= shared, "{window_bits} {n} {shared}");
                    assert!(tiles.bucket_bytes + scratch <= shared, "{window_bits} {n} {shared}");
                    assert!(4 * layout.bins <= 48 << 10 && tiles.tile <= 1 << 15);
                }
            }
        }
    }
}

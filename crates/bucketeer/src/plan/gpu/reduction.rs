//! The reduce stage of a GPU: launches of the kernel `sums` over one buffer of sums.
//!
//! 1. *Window splitting.* The buckets of a set are a matrix of `2^high` rows and `2^low` columns.
//!    Rows and columns are summed; then, for each bit of a row's or column's index, the sums that
//!    have the bit set. The host gets the total and these sums:
//!    `Σ (i + 1)·Sᵢ = total + Σ 2^bit·sum`. *Running sums* and the *fused sweep* leave a partial
//!    sum for each slice of a set, which are added up here.
//! 2. Chunks of one MSM in one pass: the points that they leave are added up.
//!
//! The buffer begins with the points for the host; every step reserves room after them for its
//! outputs. Steps that do not depend on each other share a launch on CUDA.

use super::layout::FUSED_SLICE;
use crate::facts::DeviceKind;
use crate::plan::draft::Draft;
use crate::plan::{GpuSchedule, Reduce, SumLists};

/// Lanes of a warp, which add up their sums among themselves.
pub(super) const WARP: u64 = 32;
/// Threads of a block that adds up the sums of its threads on CUDA.
pub(crate) const TREE_BLOCK: u64 = 128;
/// Products of an addition by one thread, one after the other, and by four lanes of a tree. In the
/// Edwards form both are about two thirds of that.
const SERIAL: f64 = 14.0;
const SHARED: f64 = 4.0;
/// Additions of a tree that a warp does at a time.
const QUADS: u64 = 8;
/// Additions that take as long as another launch.
const LAUNCH: f64 = 0.6;
/// Bits of a bucket index up to which there is only one column.
const UNSPLIT_BITS: u32 = 6;

/// The steps of the reduce stage.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reduction {
    /// Slices per set of running sums or of the fused sweep; 0 for window splitting.
    pub slices: u32,
    /// In order, each with the steps that it carries out.
    pub launches: Vec<Vec<SumStep>>,
    /// Points of a set for the host, less its total: one for each bit of the bucket index.
    pub bits: u32,
    /// Sets for the host.
    pub sets: u64,
    /// Sums the buffer holds.
    pub length: u64,
}

/// Where a step reads from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SumInput {
    /// The buckets.
    Buckets,
    /// The buffer of sums, from this one on.
    At(u64),
}

/// Which elements output `o = outer·inner + within` adds up, for `k < count`; numbered as in the
/// kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// `o·count + k`
    Runs = 0,
    /// `(outer·count + k)·inner + within`
    Columns = 1,
    /// Those of `outer·2·count …` whose bit `within` is set.
    Bits = 2,
}

/// One launch of the kernel `sums`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SumStep {
    pub input: SumInput,
    /// Where the outputs go.
    pub output: u64,
    pub mode: Mode,
    pub outputs: u64,
    /// Elements of each output.
    pub count: u64,
    pub inner: u64,
    /// Parts of each output, which a later step adds up.
    pub pieces: u64,
    /// Lanes for each part.
    pub width: u32,
}

impl SumStep {
    /// Threads that add.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "shaders have invocations"))]
    pub(crate) fn lanes(&self) -> u64 {
        self.outputs.saturating_mul(self.pieces * u64::from(self.width.max(1)))
    }

    /// Additions one after the other: those of a lane, then those of the tree, of which each takes
    /// less time.
    pub(super) fn chain(&self) -> f64 {
        let width = u64::from(self.width.max(1));
        chain(self.count.div_ceil(self.pieces.max(1)), width)
    }

    /// Additions of all lanes, idle ones included.
    pub(super) fn additions(&self) -> f64 {
        self.lanes() as f64 * self.chain()
    }
}

/// Additions one after the other in a sum of `count` elements by `width` lanes.
pub(super) fn chain(count: u64, width: u64) -> f64 {
    count.div_ceil(width).saturating_sub(1) as f64 + tree(width)
}

/// The time of adding up what `width` lanes hold, over that of an addition by one lane.
fn tree(width: u64) -> f64 {
    // The lanes of a warp belong to as many groups as it has room for.
    let in_warp = width.min(WARP);
    let levels = (0..in_warp.ilog2()).map(|level| (WARP >> (level + 1)).div_ceil(QUADS));
    let among_warps = (width / in_warp).ilog2();
    (levels.sum::<u64>() as f64 + f64::from(among_warps)) * (SHARED / SERIAL)
}

impl Reduction {
    /// All steps in order.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &SumStep> {
        self.launches.iter().flatten()
    }

    /// For passes of `sets` bucket sets of `2^bits` buckets that receive `entries` entries, on
    /// `lanes` concurrent threads.
    pub(super) fn new(
        draft: &Draft<'_>,
        schedule: &GpuSchedule,
        [sets, entries, lanes]: [u64; 3],
        bits: u32,
    ) -> Self {
        let exchange = draft.request.device.kind == DeviceKind::Cuda;
        let sliced = |slices: u64| Self { slices: slices as u32, ..Self::default() };
        let mut out = match (schedule.accumulate, schedule.reduce) {
            (SumLists::FusedSweep, _) => {
                // Shaders compute a share of a list in 32 bits, so that slices have at most 15.
                let most = if exchange { 1 << 20 } else { 1 << 15 };
                let per_set = entries.div_ceil(sets);
                sliced(per_set.div_ceil(FUSED_SLICE).clamp(1, most / sets.min(most)))
            }
            (_, Reduce::RunningSum) => sliced(1),
            (_, Reduce::SlicedRunningSum { slices }) => {
                sliced(1 << u64::from(slices.max(1)).min(1 << bits).ilog2())
            }
            (_, Reduce::WindowSplitting) => Self { bits, ..Self::default() },
        };
        // The chunks of a pass belong to one MSM unless it is a batch.
        let chunks = if draft.request.batch <= 1 { schedule.chunks_per_pass as u64 } else { 1 };
        out.sets = sets / chunks;
        let points = 1 + u64::from(out.bits);
        out.length = out.sets * points;
        let warps = 4 * draft.request.device.threads as u64;
        let mut steps = Steps { reduction: out, lanes, warps, exchange };
        let first = if chunks > 1 { steps.reserve(sets * points) } else { 0 };
        match u64::from(steps.reduction.slices) {
            0 => steps.split_windows(sets, first),
            slices => {
                let partial = SumInput::At(steps.reserve(sets * slices));
                steps.together(&[Sums::runs(partial, sets, slices, first)]);
            }
        }
        if chunks > 1 {
            steps.add_chunks(sets, chunks, first);
        }
        steps.reduction
    }

    /// Points that are left for the host.
    pub(crate) fn results(&self) -> usize {
        self.sets as usize * (1 + self.bits as usize)
    }

    /// The bits of a bucket index that number columns and rows.
    pub(crate) fn split_bits(&self) -> (u32, u32) {
        let low = if self.bits > UNSPLIT_BITS { self.bits / 2 } else { 0 };
        (low, self.bits - low)
    }
}

/// A sum that is to be carried out in steps: `inner` as in [`Mode`].
struct Sums {
    input: SumInput,
    mode: Mode,
    inner: u64,
    outputs: u64,
    count: u64,
    output: u64,
}

impl Sums {
    fn runs(input: SumInput, outputs: u64, count: u64, output: u64) -> Self {
        Self { input, mode: Mode::Runs, inner: 1, outputs, count, output }
    }

    fn columns(input: SumInput, columns: u64, outputs: u64, count: u64, output: u64) -> Self {
        Self { input, mode: Mode::Columns, inner: columns, outputs, count, output }
    }

    /// For every set and each bit of an index the sum of the elements that have it set.
    fn bits(input: SumInput, sets: u64, bits: u32, output: u64) -> Self {
        let inner = u64::from(bits);
        let count = 1 << bits.saturating_sub(1);
        Self { input, mode: Mode::Bits, inner, outputs: sets * inner, count, output }
    }
}

/// The steps as they are listed.
struct Steps {
    reduction: Reduction,
    /// Threads that run concurrently.
    lanes: u64,
    /// Warps of which each has a scheduler for itself.
    warps: u64,
    /// Whether the lanes of a warp exchange sums.
    exchange: bool,
}

impl Steps {
    /// Room for some sums at the end of the buffer.
    fn reserve(&mut self, sums: u64) -> u64 {
        let at = self.reduction.length;
        self.reduction.length += sums;
        at
    }

    /// Window splitting: totals, then low bits, then high bits of every set, from `first` on.
    fn split_windows(&mut self, sets: u64, first: u64) {
        let (low, high) = self.reduction.split_bits();
        let mut rows = SumInput::Buckets;
        let mut last = Vec::new();
        if low > 0 {
            let (row_sums, column_sums) = (sets << high, sets << low);
            let at = self.reserve(row_sums);
            rows = SumInput::At(at);
            let columns = self.reserve(column_sums);
            self.together(&[
                Sums::runs(SumInput::Buckets, row_sums, 1 << low, at),
                Sums::columns(SumInput::Buckets, 1 << low, column_sums, 1 << high, columns),
            ]);
            last.push(Sums::bits(SumInput::At(columns), sets, low, first + sets));
        }
        last.push(Sums::runs(rows, sets, 1 << high, first));
        last.push(Sums::bits(rows, sets, high, first + sets * (1 + u64::from(low))));
        self.together(&last);
    }

    /// The points of all chunks, from `first` on, added up at the start of the buffer.
    fn add_chunks(&mut self, sets: u64, chunks: u64, first: u64) {
        let (low, high) = self.reduction.split_bits();
        let (mut from, mut to) = (first, 0);
        let mut all = Vec::new();
        for width in [1, low, high].map(u64::from).into_iter().filter(|width| *width > 0) {
            let outputs = self.reduction.sets * width;
            all.push(Sums::columns(SumInput::At(from), outputs, outputs, chunks, to));
            from += sets * width;
            to += outputs;
        }
        self.together(&all);
    }

    /// Sums that do not depend on each other. Those of many elements take a second step, which adds
    /// up the pieces of each output.
    fn together(&mut self, all: &[Sums]) {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for sums in all {
            let &Sums { input, mode, inner, outputs, count, output } = sums;
            let (width, pieces) = self.split(outputs, count);
            let target = if pieces > 1 { self.reserve(outputs * pieces) } else { output };
            first.push(SumStep {
                input,
                output: target,
                mode,
                outputs,
                count,
                inner,
                pieces,
                width: width as u32,
            });
            if pieces > 1 {
                second.push(Sums::runs(SumInput::At(target), outputs, pieces, output));
            }
        }
        self.reduction.launches.push(first);
        if !second.is_empty() {
            self.together(&second);
        }
    }

    /// Lanes that add up each piece of an output, and pieces.
    fn split(&self, outputs: u64, count: u64) -> (u64, u64) {
        if !self.exchange {
            // Invocations of WebGPU do not exchange sums: each adds up at least eight.
            let wanted = (2 * self.lanes / outputs).clamp(1, count.div_ceil(8));
            return (1, 1 << wanted.ilog2());
        }
        let most = count.next_power_of_two().min(TREE_BLOCK).ilog2();
        let pieces =
            (0..=5).map(|log| 1u64 << log).filter(|pieces| *pieces == 1 || 2 * pieces <= count);
        let choices = pieces.flat_map(|pieces| (0..=most).map(move |log| (1u64 << log, pieces)));
        // Lanes take turns where they outnumber those that run at full speed.
        let time = |&(width, pieces): &(u64, u64)| {
            let warps = (outputs * pieces * width).div_ceil(WARP);
            let turns = (warps as f64 / self.warps as f64).max(1.0);
            let second = if pieces > 1 { LAUNCH + tree(pieces.min(WARP)) } else { 0.0 };
            chain(count.div_ceil(pieces), width) * turns + second
        };
        choices.min_by(|a, b| time(a).total_cmp(&time(b))).unwrap_or((1, 1))
    }
}

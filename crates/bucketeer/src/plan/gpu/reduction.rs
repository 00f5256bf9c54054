//! The reduce stage of a GPU: launches of the kernel `sums` over one buffer of sums.
//!
//! 1. *Window splitting.* The buckets of a set are a matrix of `2^high` rows and `2^low` columns.
//!    Rows and columns are summed; then, for each bit of a row's or column's index, the sums that
//!    have the bit set. The host gets the total and these sums:
//!    `Σ (i + 1)·Sᵢ = total + Σ 2^bit·sum`. *Running sums* and the *fused sweep* leave a partial
//!    sum for each slice of a set, which are added up here.
//! 2. Chunks of one MSM in one pass: the points that they leave are added up.
//!
//! The buffer begins with the points for the host; every step reserves room for its outputs behind.

use super::layout::FUSED_SLICE;
use crate::facts::DeviceKind;
use crate::plan::draft::Draft;
use crate::plan::{GpuSchedule, Reduce, SumLists};

/// Lanes of a warp, which add up their sums among themselves.
pub(super) const WARP: u64 = 32;
/// Bits of a bucket index up to which there is only one column.
const UNSPLIT_BITS: u32 = 6;

/// The steps of the reduce stage.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reduction {
    /// Slices per set of running sums or of the fused sweep; 0 for window splitting.
    pub slices: u32,
    /// In order.
    pub steps: Vec<SumStep>,
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
    /// Additions one after the other: those of a lane, then those among its warp.
    pub(super) fn chain(&self) -> u64 {
        let width = u64::from(self.width.max(1));
        chain(self.count.div_ceil(self.pieces.max(1)), width)
    }

    /// Additions of all lanes, idle ones included.
    pub(super) fn additions(&self) -> u64 {
        let lanes = self.outputs.saturating_mul(self.pieces * u64::from(self.width.max(1)));
        lanes.saturating_mul(self.chain())
    }
}

/// Additions one after the other in a sum of `count` elements by `width` lanes.
pub(super) fn chain(count: u64, width: u64) -> u64 {
    count.div_ceil(width).saturating_sub(1) + u64::from(width.ilog2())
}

impl Reduction {
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
        let mut steps = Steps { reduction: out, lanes, exchange };
        let first = if chunks > 1 { steps.reserve(sets * points) } else { 0 };
        match u64::from(steps.reduction.slices) {
            0 => steps.split_windows(sets, first),
            slices => {
                let partial = SumInput::At(steps.reserve(sets * slices));
                steps.runs(partial, sets, slices, first);
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

/// The steps as they are listed.
struct Steps {
    reduction: Reduction,
    /// Threads that run concurrently.
    lanes: u64,
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
        if low > 0 {
            let (row_sums, column_sums) = (sets << high, sets << low);
            let at = self.reserve(row_sums);
            self.runs(SumInput::Buckets, row_sums, 1 << low, at);
            rows = SumInput::At(at);
            let columns = self.reserve(column_sums);
            let column = (Mode::Columns, 1 << low);
            self.sum(SumInput::Buckets, column, column_sums, 1 << high, columns);
            self.bits(SumInput::At(columns), sets, low, first + sets);
        }
        self.runs(rows, sets, 1 << high, first);
        self.bits(rows, sets, high, first + sets * (1 + u64::from(low)));
    }

    /// The points of all chunks, from `first` on, added up at the start of the buffer.
    fn add_chunks(&mut self, sets: u64, chunks: u64, first: u64) {
        let (low, high) = self.reduction.split_bits();
        let (mut from, mut to) = (first, 0);
        for width in [1, low, high].map(u64::from).into_iter().filter(|width| *width > 0) {
            let outputs = self.reduction.sets * width;
            self.sum(SumInput::At(from), (Mode::Columns, outputs), outputs, chunks, to);
            from += sets * width;
            to += outputs;
        }
    }

    fn runs(&mut self, input: SumInput, outputs: u64, count: u64, output: u64) {
        self.sum(input, (Mode::Runs, 1), outputs, count, output);
    }

    /// For every set and each bit of an index the sum of the elements that have it set.
    fn bits(&mut self, input: SumInput, sets: u64, bits: u32, output: u64) {
        let inner = u64::from(bits);
        self.sum(input, (Mode::Bits, inner), sets * inner, 1 << (bits - 1), output);
    }

    /// One sum for each output, by as many lanes as are free for it: up to a warp, or several warps
    /// whose results are added up in a second step.
    fn sum(
        &mut self,
        input: SumInput,
        (mode, inner): (Mode, u64),
        outputs: u64,
        count: u64,
        output: u64,
    ) {
        // Invocations of WebGPU do not exchange sums: each adds up at least eight.
        let least = if self.exchange { 2 } else { 8 };
        let wanted = (2 * self.lanes / outputs).clamp(1, count.div_ceil(least));
        let share = 1 << wanted.ilog2();
        let (width, pieces) = match self.exchange {
            true => (share.min(WARP), (share / WARP).clamp(1, WARP)),
            false => (1, share),
        };
        let width = width as u32;
        let target = if pieces > 1 { self.reserve(outputs * pieces) } else { output };
        let step = SumStep { input, output: target, mode, outputs, count, inner, pieces, width };
        self.reduction.steps.push(step);
        if pieces == 1 {
            return;
        }
        let input = SumInput::At(target);
        match self.exchange {
            false => self.runs(input, outputs, pieces, output),
            true => self.reduction.steps.push(SumStep {
                input,
                output,
                mode: Mode::Runs,
                outputs,
                count: pieces,
                inner: 1,
                pieces: 1,
                width: pieces as u32 / 2,
            }),
        }
    }
}

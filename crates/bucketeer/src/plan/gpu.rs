//! Plans for GPUs: what one pass over the device holds, in detail.
//!
//! A pass takes `segments` ranges of `chunk` scalars each, and `sets_per_pass` bucket sets for each of
//! them. A *key* numbers the buckets of a pass, 2^bits to a set. The sizes in [`Layout`] are what the
//! engine allocates and launches with; the buffers of the plan are their bytes.

#![cfg_attr(
    not(any(feature = "cuda", feature = "webgpu")),
    allow(dead_code, reason = "the engine reads the layouts")
)]

use super::memory::BASES;
use super::{Accumulate, Buffer, Cost, Digits, Form, Group, Plan, Reduce, Request, Unfit};
use crate::CurveSpec;
use crate::device::DeviceKind;

/// Keys of a pass: at most 2^13 bins of 2^13 buckets, whose counters fit in any NVIDIA GPU's shared memory.
const MAX_KEY_BITS: u32 = 26;
const MAX_LOW_BITS: u32 = 13;
const MAX_BIN_BITS: u32 = 12;
/// With WebGPU 2^11 bins, whose counters fit in the workgroup memory that every adapter has.
const MAX_WEBGPU_BIN_BITS: u32 = 11;
/// Integers that one dispatch of 256 invocations per workgroup reaches in one dimension.
const MAX_WEBGPU_CHUNK: usize = 65_535 * 256;
/// Positions in a grouped list are 32-bit.
const MAX_ENTRIES: u64 = u32::MAX as u64;
/// Entries refer to points with 31 bits.
const MAX_POINTS: u64 = 1 << 31;
/// More segments than this have more keys than a pass can have.
const MAX_SEGMENTS: usize = 1 << MAX_KEY_BITS;
/// Bytes of one transfer of scalars; two are in flight.
pub(crate) const STAGING: u64 = 32 << 20;
/// Pieces of a split bucket that one warp folds at a time, as in the kernels.
pub(crate) const FOLD: u64 = 256;
/// Counters of the tasks: four totals and 1024 classes of length.
pub(crate) const TASK_COUNTERS: u64 = 4 + 1024;
/// From this many bases on, copying scalars takes long enough to be hidden behind additions.
pub(crate) const GROWING: usize = 1 << 22;
/// Below this many bases per chunk the reduction outweighs everything else.
const MIN_CHUNK: usize = 1 << 10;

/// Sizes of a pass.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// 32-bit words of a stored base and of an accumulator.
    pub base_words: usize,
    pub sum_words: usize,
    /// 32-bit words of a biased scalar.
    pub scalar_words: u32,
    /// Buckets of a set, as a power of two.
    pub bits: u32,
    /// Bucket sets of a pass: segments · sets per pass.
    pub sets: u64,
    /// Keys below 2^low share a bin.
    pub low: u32,
    pub bins: u32,
    /// Scalars of a pass.
    pub scalars: u64,
    /// Most entries of a pass.
    pub entries: u64,
    /// Entries of a task.
    pub slice: u32,
    pub tasks: u64,
    pub slots: u64,
    pub splits: u64,
    pub large: u64,
    /// Lanes that fold the pieces of a split bucket.
    pub fold_width: u32,
    /// Bytes of a buffer of raw scalars.
    pub staging: u64,
    /// Borrowed bases that are brought into their stored form at a time.
    pub loading: u64,
    /// How bucket sums become window points.
    pub reduction: Reduction,
    /// Bases, with all their copies, in one buffer of the table: a table of WebGPU may take several.
    pub piece: u64,
}

/// The steps of the reduce stage over one buffer of sums.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reduction {
    /// Slices per set of running sums or of the fused sweep; 0 for window splitting.
    pub slices: u32,
    pub steps: Vec<SumStep>,
    /// Points per set that are left for the host: a total, and one for each bit of the bucket index.
    pub bits: u32,
    /// Sets that are left for the host.
    pub sets: u64,
    /// Sums the buffer holds.
    pub length: u64,
    /// Lanes that can exchange sums.
    group: u32,
}

/// Where a step reads from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    Buckets,
    At(u64),
}

/// Which elements an output adds up; numbered as in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Runs = 0,
    Columns = 1,
    Bits = 2,
}

/// One launch of the kernel `sums`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SumStep {
    pub input: Input,
    pub output: u64,
    pub mode: Mode,
    pub outputs: u64,
    pub count: u64,
    pub inner: u64,
    pub pieces: u64,
    pub width: u32,
}

impl Layout {
    pub(crate) fn new(plan: &Plan, curve: &CurveSpec) -> Self {
        let shape = &plan.shape;
        let element = 2 * curve.limbs * curve.degree;
        let bits = match shape.digits {
            Digits::Unsigned => shape.window_bits.max(shape.last_window_bits),
            Digits::Signed => shape.window_bits - 1,
        };
        let sets = plan.segments as u64 * u64::from(plan.sets_per_pass);
        let keys = sets << bits;
        let key_bits = keys.max(2).next_power_of_two().ilog2();
        let webgpu = plan.device.kind == DeviceKind::WebGpu;
        let low = match webgpu {
            true => key_bits.div_ceil(2).max(key_bits.saturating_sub(MAX_WEBGPU_BIN_BITS)),
            false => {
                let low = key_bits.div_ceil(2).max(key_bits.saturating_sub(MAX_BIN_BITS));
                low.min(MAX_LOW_BITS)
            }
        };
        let scalars = plan.segments as u64 * plan.chunk as u64;
        let copies = u64::from(shape.precompute);
        let windows = (u64::from(plan.sets_per_pass) * copies).min(u64::from(shape.windows));
        // Far beyond what is possible, and far from overflowing.
        let entries = scalars.saturating_mul(windows).clamp(1, 1 << 48);
        let lanes = lanes(plan, curve);
        let slice = slice(plan, entries, keys, lanes);
        let (cut, mean) = (u64::from(slice), entries.div_ceil(keys));
        let split = entries / cut;
        let base_words = element * if plan.form == Form::Edwards { 3 } else { 2 };
        let sum_words = element * 4;
        let binding = plan.device.binding;
        // Bases are brought into their form as fit beside everything else, and at least one with its copies.
        let loading = (binding / (5 * sum_words as u64)).min(1 << 18);
        Self {
            base_words,
            sum_words,
            scalar_words: (shape.digit_bits() + 1).div_ceil(32),
            bits,
            sets,
            low,
            // Too many to be possible stay too many.
            bins: keys.div_ceil(1 << low).try_into().unwrap_or(u32::MAX),
            scalars,
            entries,
            slice,
            tasks: keys.min(entries) + split,
            // A list of more than `cut` entries is cut into fewer than 2·length/cut pieces.
            slots: 2 * split + 1,
            splits: split + 1,
            large: split / FOLD + 1,
            // Where a usual bucket is whole, those that are split are few and long.
            fold_width: match mean.div_ceil(cut) {
                1 => 32,
                pieces => pieces.next_power_of_two().min(32) as u32,
            },
            // Longest scalars have 128 bytes.
            staging: (scalars.saturating_mul(128)).min(STAGING).min(binding / 2 / 256 * 256),
            loading: scalars.min(loading).max(copies),
            reduction: Reduction::new(plan, sets, bits, entries, lanes),
            piece: piece(plan.stored, base_words, binding),
        }
    }

    /// Keys of a pass, whole bins.
    pub(crate) fn keys(&self) -> u64 {
        u64::from(self.bins) << self.low
    }

    /// Bytes that loading a base takes beside its table: a sum and a field element for each copy that is computed
    /// from it; to import it, its coordinates and a field element, which is less.
    pub(crate) fn loading_bytes(&self) -> u64 {
        5 * self.sum_words as u64
    }

    /// The buffers of a run, in the order the engine lays them out.
    pub(crate) fn buffers(&self, plan: &Plan) -> Vec<Buffer> {
        let sum = 4 * self.sum_words as u64;
        let halves = 1 + u64::from(plan.double_buffered());
        let webgpu = plan.device.kind == DeviceKind::WebGpu;
        let converts = webgpu || plan.form == Form::Edwards || plan.shape.precompute > 1;
        let loads = !plan.resident && converts;
        let loading = if loads { self.loading * self.loading_bytes() } else { 0 };
        // CUDA folds from a list of large buckets, WebGPU from the owners of slots.
        let folds = if webgpu { 4 * self.slots } else { 16 * self.large };
        let tasks = 16 * (self.tasks + self.splits) + folds + 4 * TASK_COUNTERS;
        let binned = if plan.group == Group::Sort { 8 } else { 0 };
        let fused = plan.accumulate == Accumulate::FusedSweep;
        let buckets = if fused { 0 } else { self.keys() * sum };
        let slots = if fused { 0 } else { self.slots * sum };
        [
            ("loading", loading),
            ("raw scalars", 2 * self.staging),
            ("scalars", halves * self.scalars * u64::from(self.scalar_words) * 4),
            ("counters", 2 * self.keys() * 4 + 3 * (u64::from(self.bins) + 1) * 4 + 1024),
            ("binned entries", self.entries * binned),
            ("entries", self.entries * 4),
            ("tasks", if fused { 0 } else { tasks }),
            ("bucket sums", buckets),
            ("partial sums", slots),
            ("reduce", self.reduction.length * sum),
        ]
        .into_iter()
        .map(|(name, bytes)| Buffer { name, bytes: align(bytes) })
        .collect()
    }
}

/// Bases of a table with so many stored copies that fit in one binding.
fn piece(stored: u32, base_words: usize, binding: u64) -> u64 {
    (binding / (u64::from(stored) * 4 * base_words as u64)).max(1)
}

/// Buffers start at multiples of 256 bytes.
fn align(bytes: u64) -> u64 {
    bytes.div_ceil(256) * 256
}

/// Threads that the device runs side by side in the accumulate stage: as many as registers allow.
fn lanes(plan: &Plan, curve: &CurveSpec) -> u64 {
    plan.device.threads as u64 * 128 * u64::from(accumulate_blocks(curve, plan.form))
}

/// Blocks of 128 threads per multiprocessor for the accumulate kernel of a curve: as many as leave its
/// threads the registers they need.
pub(crate) fn accumulate_blocks(curve: &CurveSpec, form: Form) -> u32 {
    let full = curve.modulus.bits() == 64 * curve.limbs as u64;
    let plain = curve.weierstrass[0].iter().all(|part| part.bits() == 0);
    match (curve.limbs * curve.degree, form) {
        (0..=4, Form::Weierstrass) if full || !plain => 3,
        (0..=4, _) => 4,
        (5..=6, Form::Weierstrass) if curve.modulus.iter_u32_digits().next() == Some(1) => 2,
        (5..=6, _) => 3,
        _ => 2,
    }
}

/// Entries of a task: short enough to occupy the device, long enough that most buckets are not split
/// where there are more buckets than threads.
fn slice(plan: &Plan, entries: u64, keys: u64, lanes: u64) -> u32 {
    match plan.accumulate {
        Accumulate::PerBucket => u32::MAX,
        Accumulate::FusedSweep => 256,
        // The others are refused for GPUs.
        Accumulate::Slices | Accumulate::InPlace | Accumulate::Straus => {
            let mean = entries.div_ceil(keys);
            let even = (entries + entries / 8).div_ceil(lanes);
            // A long task must not outlast all others together.
            let wanted = if keys >= 2 * lanes { (2 * mean).max(even / 4) } else { even };
            wanted.clamp(8, 1 << 12) as u32
        }
    }
}

impl Reduction {
    fn new(plan: &Plan, sets: u64, bits: u32, entries: u64, lanes: u64) -> Self {
        // Chunks side by side belong to one MSM, whose window points are added up at the end.
        let folded = plan.segments > 1 && plan.batch <= 1;
        let own = if folded { u64::from(plan.sets_per_pass) } else { sets };
        let group = if plan.device.kind == DeviceKind::WebGpu { 1 } else { 32 };
        let sliced = |slices: u64| Self { slices: slices as u32, group, ..Self::default() };
        let mut r = match (plan.accumulate, plan.reduce) {
            (Accumulate::FusedSweep, _) => {
                // Shaders compute a share of a list in 32 bits, so that slices have at most 15.
                let most = if group == 1 { 1 << 15 } else { 1 << 20 };
                let per_set = entries.div_ceil(sets);
                sliced(per_set.div_ceil(256).clamp(1, most / sets.min(most)))
            }
            (_, Reduce::RunningSum) => sliced(1),
            (_, Reduce::SlicedRunningSum { slices }) => {
                sliced(1 << u64::from(slices.max(1)).min(1 << bits).ilog2())
            }
            (_, Reduce::WindowSplitting) => Self { bits, group, ..Self::default() },
        };
        r.sets = own;
        // The first region is what the host reads.
        let points = 1 + u64::from(r.bits);
        r.length = own * points;
        let first = if folded { r.reserve(sets * points) } else { 0 };
        if r.slices > 0 {
            let partial = r.reserve(sets * u64::from(r.slices));
            r.sum(Input::At(partial), Mode::Runs, sets, u64::from(r.slices), 1, first, lanes);
        } else {
            r.split(sets, bits, first, lanes);
        }
        if folded {
            let (low, high) = r.halves();
            let (mut from, mut to) = (first, 0);
            for width in [1, low, high].map(u64::from).into_iter().filter(|w| *w > 0) {
                let inner = own * width;
                let count = plan.segments as u64;
                r.sum(Input::At(from), Mode::Columns, inner, count, inner, to, lanes);
                from += sets * width;
                to += inner;
            }
        }
        r
    }

    /// Points that are left for the host.
    pub(crate) fn results(&self) -> usize {
        self.sets as usize * (1 + self.bits as usize)
    }

    /// The bits of a bucket index that go to columns and to rows.
    pub(crate) fn halves(&self) -> (u32, u32) {
        let low = if self.bits > 6 { self.bits / 2 } else { 0 };
        (low, self.bits - low)
    }

    /// Window splitting: totals, low bits and high bits of every set, one after the other.
    fn split(&mut self, sets: u64, bits: u32, first: u64, lanes: u64) {
        let (low, high) = self.halves();
        let mut rows = Input::Buckets;
        if low > 0 {
            let (row_sums, column_sums) = (sets << high, sets << low);
            let at = self.reserve(row_sums);
            self.sum(Input::Buckets, Mode::Runs, row_sums, 1 << low, 1, at, lanes);
            rows = Input::At(at);
            let columns = self.reserve(column_sums);
            let inner = 1 << low;
            self.sum(Input::Buckets, Mode::Columns, column_sums, 1 << high, inner, columns, lanes);
            let (outputs, inner) = (sets * u64::from(low), u64::from(low));
            let columns = Input::At(columns);
            self.sum(columns, Mode::Bits, outputs, 1 << (low - 1), inner, first + sets, lanes);
        }
        let high_bits = first + sets * (1 + u64::from(low));
        let (outputs, inner) = (sets * u64::from(high), u64::from(high));
        self.sum(rows, Mode::Runs, sets, 1 << high, 1, first, lanes);
        self.sum(rows, Mode::Bits, outputs, 1 << (high - 1), inner, high_bits, lanes);
        debug_assert_eq!(low + high, bits);
    }

    fn reserve(&mut self, sums: u64) -> u64 {
        let at = self.length;
        self.length += sums;
        at
    }

    /// One sum for each output, by as many lanes as are free for it: a group of up to 32, or several
    /// groups whose results are added up in a second step.
    #[expect(clippy::too_many_arguments, reason = "the parameters of one launch")]
    fn sum(
        &mut self,
        input: Input,
        mode: Mode,
        outputs: u64,
        count: u64,
        inner: u64,
        output: u64,
        lanes: u64,
    ) {
        // Invocations of WebGPU do not exchange sums: each adds up at least eight.
        let alone = self.group == 1;
        let least = if alone { 8 } else { 2 };
        let wanted = (2 * lanes / outputs).clamp(1, count.div_ceil(least));
        let share = 1 << wanted.ilog2();
        let (width, pieces) = match alone {
            true => (1, share),
            false => (share.min(32), (share / 32).clamp(1, 32)),
        };
        let target = if pieces > 1 { self.reserve(outputs * pieces) } else { output };
        let width = width as u32;
        self.steps.push(SumStep {
            input,
            output: target,
            mode,
            outputs,
            count,
            inner,
            pieces,
            width,
        });
        if pieces > 1 && alone {
            self.sum(Input::At(target), Mode::Runs, outputs, pieces, 1, output, lanes);
        } else if pieces > 1 {
            let (input, mode, width) = (Input::At(target), Mode::Runs, pieces as u32 / 2);
            let (count, inner, pieces) = (pieces, 1, 1);
            self.steps.push(SumStep { input, output, mode, outputs, count, inner, pieces, width });
        }
    }
}

/// Decides passes and chunks, and lists the buffers. `Err` says what the smallest variant
/// lacks.
pub(super) fn fit(plan: &mut Plan, request: &Request<'_>, available: u64) -> Result<(), Unfit> {
    let stored = request.table.map_or(plan.shape.precompute, |table| table.precompute);
    let most = (MAX_POINTS / u64::from(stored)) as usize;
    if plan.n > most && request.resident {
        // More points than entries can refer to: no memory is enough to hold them at once.
        let point = u64::from(stored) * request.curve.point_bytes();
        let table = (plan.n as u64).saturating_mul(point);
        return Err(Unfit::Memory(table.max(available.saturating_add(1))));
    }
    let cuda = request.device.kind == DeviceKind::Cuda;
    plan.chunk = plan.chunk.min(most);
    plan.stored = stored;
    if !cuda {
        let piece = Layout::new(plan, request.curve).piece as usize;
        plan.chunk = plan.chunk.min(piece).min(MAX_WEBGPU_CHUNK);
    }
    let growing = cuda && request.settings.chunk.is_none() && request.resident;
    let grows = growing && plan.n >= GROWING;
    if grows {
        plan.chunk = plan.n.div_ceil(2);
    }
    // MSMs side by side need all bases in one buffer.
    let pieces = request.resident && plan.n as u64 > Layout::new(plan, request.curve).piece;
    let smallest = MIN_CHUNK.min(plan.chunk);
    loop {
        plan.growing = grows && plan.chunk == plan.n.div_ceil(2);
        plan.chunks = if plan.growing { 3 } else { plan.n.div_ceil(plan.chunk).max(1) };
        plan.sets_per_pass = plan.shape.bucket_sets;
        plan.segments = match (plan.batch, plan.chunks, request.settings.chunk) {
            (batch @ 2.., 1, _) if !pieces => batch.min(MAX_SEGMENTS),
            (_, chunks @ 2.., Some(_)) if !pieces => chunks.min(MAX_SEGMENTS),
            _ => 1,
        };
        loop {
            let layout = Layout::new(plan, request.curve);
            let keys = if plan.segments > 1 { 24 } else { MAX_KEY_BITS };
            if layout.entries <= MAX_ENTRIES && layout.keys() <= 1 << keys {
                plan.slice = layout.slice as usize;
                plan.buffers = vec![bases(plan, request, &layout)];
                plan.buffers.extend(layout.buffers(plan));
                // Resident bases are in buffers of their own, as many as it takes.
                let bound = &plan.buffers[usize::from(request.resident)..];
                let bound = bound.iter().all(|buffer| buffer.bytes <= request.device.binding);
                if bound && plan.bytes() <= available {
                    plan.cost = estimate(plan, request.curve);
                    return Ok(());
                }
            }
            if plan.segments > 1 {
                plan.segments = plan.segments.div_ceil(2);
            } else if plan.sets_per_pass > 1 {
                plan.sets_per_pass = plan.sets_per_pass.div_ceil(2);
            } else {
                break;
            }
        }
        if plan.chunk <= smallest {
            let largest = plan.buffers.iter().map(|buffer| buffer.bytes).max();
            return Err(match plan.bytes() {
                bytes if bytes > available => Unfit::Memory(bytes),
                _ => Unfit::Buffer(largest.unwrap_or(0)),
            });
        }
        plan.chunk = plan.chunk.div_ceil(2).max(smallest);
    }
}

fn bases(plan: &Plan, request: &Request<'_>, layout: &Layout) -> Buffer {
    let held = match (request.table, plan.resident) {
        (Some(_), _) => 0,
        (None, true) => plan.n as u64,
        (None, false) => layout.scalars,
    };
    let points = held.saturating_mul(u64::from(plan.shape.precompute));
    Buffer { name: BASES, bytes: align(points.saturating_mul(4 * layout.base_words as u64)) }
}

/// Additions × products ÷ the rate of the multipliers, plus bytes ÷ bandwidth, plus what a chain of
/// additions takes by itself. Rates are an H200's, per multiprocessor.
fn estimate(plan: &Plan, curve: &CurveSpec) -> Cost {
    const WIDE_PRODUCTS: f64 = 29.0 * 1.75; // 32-bit products per ns and multiprocessor
    const BANDWIDTH: f64 = 20.0; // bytes per ns and multiprocessor
    const ENTRY: f64 = 0.03; // ns to group an entry, with 132 multiprocessors
    const WEBGPU: f64 = 6.0; // times as long as with CUDA
    let layout = Layout::new(plan, curve);
    let shape = &plan.shape;
    let words = 2.0 * curve.limbs as f64;
    let slower = if plan.device.kind == DeviceKind::WebGpu { WEBGPU } else { 1.0 };
    let products = slower * if curve.degree == 1 { 1.0 } else { 3.2 };
    let wide = 2.0 * words * words * products;
    let device = plan.device.threads as f64;
    let product = wide / (WIDE_PRODUCTS * device);
    let (add_base, add) = match plan.form {
        Form::Edwards => (7.0, 9.0),
        Form::Weierstrass => (10.0, 14.0),
    };
    let chunks = plan.chunks as f64;
    let entries = plan.n as f64 * f64::from(shape.windows);
    let passes = f64::from(shape.bucket_sets.div_ceil(plan.sets_per_pass));
    let reductions = if plan.carries_buckets() { 1.0 } else { chunks };
    let buckets = f64::from(shape.bucket_sets) * (1u64 << layout.bits) as f64;
    let bucket_additions = entries;
    let reduce_additions = 2.0 * buckets * reductions;
    // One addition at a time: the latency of its products.
    let step = 4.4 * wide / 2.0 / 1.75;
    let longest = f64::from(layout.slice).min(entries / buckets.min(entries) * 2.0 + 8.0);
    let accumulate = (bucket_additions + 2.0 * buckets * chunks) * add_base * product
        + longest * add_base * step
        + chunks * buckets * 8.0 * layout.sum_words as f64 / BANDWIDTH / device;
    let reduce = reduce_additions * add * product * 1.2 + 40.0 * add * step;
    let group =
        entries * slower * ENTRY * 132.0 / device + buckets * chunks * 0.01 * 132.0 / device;
    let doublings = f64::from(shape.bucket_sets * shape.window_bits) * reductions;
    let launches = 30.0 * 4000.0 * chunks * passes / plan.segments as f64;
    let nanoseconds = accumulate + reduce + group + launches + doublings * 300.0;
    Cost { bucket_additions, reduce_additions, doublings, nanoseconds }
}

#[cfg(all(test, feature = "curves", any(feature = "cuda", feature = "webgpu")))]
mod tests;

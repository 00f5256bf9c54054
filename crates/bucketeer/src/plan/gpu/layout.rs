//! The sizes of everything that one pass holds on a GPU.
//!
//! A pass takes `chunks_per_pass` chunks of scalars and `sets_per_pass` bucket sets of each of
//! them.
//!
//! 1. Every digit becomes an *entry* of a bucket's list. A *key* numbers the buckets of a pass,
//!    `2^bits` to a set. Entries are grouped in two steps, by *bin* and by key within the bin.
//! 2. A *task* is a list, or a part of one, that one thread sums. Sums of whole lists go to the
//!    buckets; those of split lists go to *slots*, which are then folded into the buckets.
//! 3. The reduce stage works in one more buffer of sums ([`Reduction`]).

use super::reduction::{Reduction, WARP, chain};
use crate::CurveSpec;
use crate::facts::DeviceKind;
use crate::plan::buffer::BufferKind;
use crate::plan::draft::Draft;
use crate::plan::{Buffer, Digits, Form, GpuSchedule, Group, Request, SumLists};

/// Bits of a key within its bin: counters of 2^13 keys fit in any NVIDIA GPU's shared memory.
pub(super) const MAX_LOW_BITS: u32 = 13;
/// Bits of a bin's number, as long as keys leave a choice.
const MAX_BIN_BITS: u32 = 12;
/// The same with WebGPU: counters of 2^11 bins fit in the workgroup memory of every adapter.
pub(crate) const MAX_WEBGPU_BIN_BITS: u32 = 11;
/// Bytes of one transfer of scalars; two are in flight.
const STAGING: u64 = 32 << 20;
/// Bytes of the longest scalar.
const MAX_SCALAR_BYTES: u64 = 128;
/// Most borrowed bases that are converted at a time.
const MAX_LOADING: u64 = 1 << 18;
/// Slots of a split bucket that one warp folds at a time.
pub(crate) const FOLD: u64 = 256;
/// The same for an invocation of WebGPU.
pub(crate) const WEBGPU_FOLD: u64 = 16;
/// Classes of length that tasks are ordered by; the last one holds all longer tasks.
pub(crate) const CLASSES: u32 = 1024;
/// Counters of the tasks: four totals and the classes.
pub(crate) const TASK_COUNTERS: u64 = 4 + CLASSES as u64;
/// Bounds of the steps of batched affine additions: one for each class, one more, and two pairs.
pub(crate) const STEP_BOUNDS: u64 = CLASSES as u64 + 5;
/// Longest task of batched affine additions, whose length must be a class of its own.
const MAX_STEPS: u64 = 512;
/// Threads of a block of batched affine additions.
pub(crate) const AFFINE_BLOCK: u64 = 128;
/// Up to this many entries in a mean list, batched affine additions do not cut it.
const UNCUT: u64 = 16;
/// A step of batched affine additions takes as long as this many tasks beyond their additions:
/// 35 µs and 0.165 ns on BN254, on one H200.
const TASKS_PER_STEP: u64 = 212_000;
/// Entries of a slice of the fused sweep.
pub(super) const FUSED_SLICE: u64 = 256;
/// Threads of a block of the accumulate kernel.
pub(crate) const ACCUMULATE_BLOCK: u64 = 128;

/// Sizes of a pass.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Layout {
    /// 32-bit words of a stored base.
    pub base_words: usize,
    /// 32-bit words of a sum.
    pub sum_words: usize,
    /// 32-bit words of a biased scalar.
    pub scalar_words: u32,
    /// Buckets of a set: 2^bits.
    pub bits: u32,
    /// Bucket sets of all chunks.
    pub sets: u64,
    /// Keys of a bin: 2^low.
    pub low: u32,
    pub bins: u32,
    pub scalars: u64,
    /// Most entries there can be.
    pub entries: u64,
    /// The tasks of the lists.
    pub first: Round,
    /// The tasks of the slots that those leave, where there is a second round.
    pub second: Option<Round>,
    /// What batched affine additions need.
    pub affine: Option<AffineLayout>,
    /// Lanes that fold the slots of a split list.
    pub fold_width: u32,
    /// Entries of a bucket that digits of the top window lead to, with uniform scalars.
    pub longest: u64,
    /// Bytes of a buffer of raw scalars.
    pub staging: u64,
    /// Borrowed bases that are converted to their stored form at a time.
    pub loading: u64,
    /// How bucket sums become window points.
    pub reduction: Reduction,
    /// Bases, with all their copies, in one buffer of the table; with WebGPU it may take several.
    pub bases_per_buffer: u64,
}

/// How lists are cut into tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Round {
    /// Most lists there can be.
    pub lists: u64,
    /// Most entries of a task.
    pub task_entries: u32,
    /// Most tasks there can be.
    pub tasks: u64,
    /// Most tasks of split lists, with a slot each.
    pub slots: u64,
    /// Most split lists.
    pub splits: u64,
    /// Most split lists of more than [`FOLD`] slots.
    pub large: u64,
}

impl Round {
    /// With `all`, lists of one task are split too.
    fn new(lists: u64, entries: u64, task_entries: u32, all: bool) -> Self {
        // A split list has more than `task_entries` entries, unless all are split, and at most one
        // task more than they fill.
        let full = entries / u64::from(task_entries);
        let splits = if all { lists.min(entries) } else { full.min(lists) };
        Self {
            lists,
            task_entries,
            tasks: lists.min(entries) + full,
            slots: full + splits + 1,
            splits: splits + 1,
            large: full / FOLD + 1,
        }
    }
}

/// Sizes of batched affine additions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AffineLayout {
    /// Sums of a plane.
    pub stride: u64,
    /// Threads that share the tasks of a step.
    pub threads: u64,
    /// Entries in the order of the steps.
    pub entries: u64,
}

impl Layout {
    /// The most pieces of one bucket that are folded.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "shaders fold all slots"))]
    pub(crate) fn most_pieces(&self) -> u64 {
        let rounds = [Some(&self.first), self.second.as_ref()].into_iter().flatten();
        rounds.fold(self.entries, |entries, round| entries.div_ceil(round.task_entries.into()))
    }

    /// The round whose slots are folded.
    pub(crate) fn last(&self) -> &Round {
        self.second.as_ref().unwrap_or(&self.first)
    }

    pub(super) fn new(draft: &Draft<'_>, schedule: &GpuSchedule) -> Self {
        let (shape, curve, device) = (&draft.shape, draft.request.curve, &draft.request.device);
        let bits = match shape.digits {
            Digits::Unsigned => shape.window_bits.max(shape.last_window_bits),
            Digits::Signed => shape.window_bits - 1,
        };
        let sets = schedule.chunks_per_pass as u64 * u64::from(schedule.sets_per_pass);
        let keys = sets << bits;
        let key_bits = keys.max(2).next_power_of_two().ilog2();
        let webgpu = device.kind == DeviceKind::WebGpu;
        let low = match webgpu {
            true => key_bits.div_ceil(2).max(key_bits.saturating_sub(MAX_WEBGPU_BIN_BITS)),
            false => {
                let low = key_bits.div_ceil(2).max(key_bits.saturating_sub(MAX_BIN_BITS));
                low.min(MAX_LOW_BITS)
            }
        };
        let scalars = schedule.chunks_per_pass as u64 * draft.chunk as u64;
        let copies = u64::from(shape.precompute);
        let windows = (u64::from(schedule.sets_per_pass) * copies).min(u64::from(shape.windows));
        // Clamped far above what is possible, and far below an overflow.
        let entries = scalars.saturating_mul(windows).clamp(1, 1 << 48);
        let lanes = lanes(draft);
        let mean = entries.div_ceil(keys);
        let longest = mean + draft.chunk as u64 / shape.top_buckets().min(1 << bits);
        let (first, second) = task_entries(schedule.accumulate, entries, keys, lanes);
        // Later chunks add what the buckets hold in the second round, which then needs all lists.
        let all = second.is_some() && schedule.carries_buckets && draft.chunks > 1;
        let first = Round::new(keys, entries, first, all);
        let second = second.map(|second| Round::new(first.splits, first.slots, second, false));
        let affine = (schedule.accumulate == SumLists::BatchedAffine).then(|| AffineLayout {
            stride: second.map_or(0, |round| round.tasks).max(first.tasks).next_multiple_of(32),
            threads: affine_lanes(draft),
            entries: entries.max(first.slots),
        });
        let cut =
            u64::from(first.task_entries) * second.map_or(1, |round| u64::from(round.task_entries));
        let (base_words, sum_words) = (base_words(draft), element_words(curve) * 4);
        let binding = device.binding;
        let loading = (binding / loading_bytes(sum_words)).min(MAX_LOADING);
        Self {
            base_words,
            sum_words,
            scalar_words: (shape.digit_bits() + 1).div_ceil(32),
            bits,
            sets,
            low,
            // More than can be counted are too many in any case.
            bins: keys.div_ceil(1 << low).try_into().unwrap_or(u32::MAX),
            scalars,
            entries,
            first,
            second,
            affine,
            fold_width: fold_width(mean.div_ceil(cut), longest.div_ceil(cut), keys, lanes),
            longest,
            staging: (scalars.saturating_mul(MAX_SCALAR_BYTES))
                .min(STAGING)
                .min(binding / 2 / ALIGNMENT * ALIGNMENT),
            // At least one base with all its copies.
            loading: scalars.min(loading).max(copies),
            reduction: Reduction::new(draft, schedule, [sets, entries, lanes], bits),
            bases_per_buffer: bases_per_buffer(draft, schedule.stored_copies),
        }
    }

    /// Keys of a pass, whole bins.
    pub(crate) fn keys(&self) -> u64 {
        u64::from(self.bins) << self.low
    }

    /// Bytes of the counters of the group stage.
    pub(crate) fn counters_bytes(&self) -> u64 {
        align(2 * self.keys() * 4 + 3 * (u64::from(self.bins) + 1) * 4 + 1024)
    }

    /// Bytes of the lists of a pass.
    pub(crate) fn entries_bytes(&self) -> u64 {
        align(self.entries * 4)
    }

    /// Bytes beside the table that converting a base takes for each of its copies.
    pub(crate) fn loading_bytes(&self) -> u64 {
        loading_bytes(self.sum_words)
    }

    /// The buffers of a run, in the order the engine lays them out.
    pub(super) fn buffers(&self, draft: &Draft<'_>, schedule: &GpuSchedule) -> Vec<Buffer> {
        let sum = 4 * self.sum_words as u64;
        let scalar_buffers = 1 + u64::from(schedule.double_buffered);
        let lists = 1 + u64::from(schedule.groups_ahead);
        let webgpu = draft.request.device.kind == DeviceKind::WebGpu;
        let converts = webgpu || draft.form == Form::Edwards || draft.shape.precompute > 1;
        let loads = !draft.request.resident && converts;
        let loading = if loads { self.loading * self.loading_bytes() } else { 0 };
        // CUDA folds from a list of large buckets, WebGPU from the owners of slots.
        let tasks = |round: &Round| {
            let folds = if webgpu { 4 * round.slots } else { 16 * round.large };
            let steps = if self.affine.is_some() { 4 * (STEP_BOUNDS + round.tasks) } else { 0 };
            16 * (round.tasks + round.splits) + folds + 4 * TASK_COUNTERS + steps
        };
        let tasks = tasks(&self.first) + self.second.as_ref().map_or(0, tasks);
        let point = sum / 2;
        let (step_entries, affine_sums) = self.affine.map_or((0, 0), |affine| {
            (4 * affine.entries, (3 * affine.stride + affine.threads) * point / 2)
        });
        let pieces = if self.second.is_some() { self.first.slots * point } else { 0 };
        let binned = if schedule.group == Group::Sort { 8 } else { 0 };
        let fused = schedule.accumulate == SumLists::FusedSweep;
        let bucket = if self.affine.is_some() { point } else { sum };
        let buckets = if fused { 0 } else { self.keys() * bucket };
        let slots = if fused { 0 } else { self.last().slots * sum };
        [
            (BufferKind::Loading, loading),
            (BufferKind::RawScalars, 2 * self.staging),
            (BufferKind::Scalars, scalar_buffers * self.scalars * u64::from(self.scalar_words) * 4),
            (BufferKind::Counters, lists * self.counters_bytes()),
            (BufferKind::BinnedEntries, self.entries * binned),
            (BufferKind::Entries, lists * self.entries_bytes()),
            (BufferKind::Tasks, if fused { 0 } else { tasks }),
            (BufferKind::StepEntries, step_entries),
            (BufferKind::AffineSums, affine_sums),
            (BufferKind::Pieces, pieces),
            (BufferKind::BucketSums, buckets),
            (BufferKind::PartialSums, slots),
            (BufferKind::Reduce, self.reduction.length * sum),
        ]
        .into_iter()
        .map(|(kind, bytes)| Buffer::new(kind, align(bytes)))
        .collect()
    }
}

/// 32-bit words of a coordinate.
fn element_words(curve: &CurveSpec) -> usize {
    2 * curve.limbs * curve.degree
}

/// 32-bit words of a stored base.
fn base_words(draft: &Draft<'_>) -> usize {
    element_words(draft.request.curve) * if draft.form == Form::Edwards { 3 } else { 2 }
}

/// Bytes beside the table for a copy of a base: a sum and a field element, of four bytes a word. To
/// import the base takes less, its coordinates and a field element.
fn loading_bytes(sum_words: usize) -> u64 {
    5 * sum_words as u64
}

/// Bases of a table with this many stored copies that fit in one binding.
pub(super) fn bases_per_buffer(draft: &Draft<'_>, stored_copies: u32) -> u64 {
    let base = u64::from(stored_copies) * 4 * base_words(draft) as u64;
    (draft.request.device.binding / base).max(1)
}

/// Buffers start at multiples of this many bytes.
const ALIGNMENT: u64 = 256;

pub(super) fn align(bytes: u64) -> u64 {
    bytes.next_multiple_of(ALIGNMENT)
}

/// Threads that the device runs concurrently in the accumulate stage: as many as registers allow.
fn lanes(draft: &Draft<'_>) -> u64 {
    let blocks = accumulate_blocks(draft.request.curve, draft.form);
    draft.request.device.threads as u64 * ACCUMULATE_BLOCK * u64::from(blocks)
}

/// The same with batched affine additions.
fn affine_lanes(draft: &Draft<'_>) -> u64 {
    let blocks = affine_blocks(draft.request.curve);
    draft.request.device.threads as u64 * AFFINE_BLOCK * u64::from(blocks)
}

/// Blocks per multiprocessor for batched affine additions on a curve, as in `accumulate_blocks`.
pub(crate) fn affine_blocks(curve: &CurveSpec) -> u32 {
    match curve.limbs * curve.degree {
        0..=6 => 4,
        _ => 2,
    }
}

/// Blocks per multiprocessor for the accumulate kernel of a curve: as many as leave its threads
/// enough registers not to spill.
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

/// Whether a block of the device has the shared memory for batched affine additions.
pub(in crate::plan) fn affine_fits(request: &Request<'_>) -> bool {
    affine_shared_bytes(element_words(request.curve)) <= request.device.shared_memory
}

/// Bytes of shared memory of a block of batched affine additions whose coordinates have this many
/// words: planes, and three coordinates an odd number of vectors apart.
pub(crate) fn affine_shared_bytes(words: usize) -> u32 {
    let vector = if words.is_multiple_of(4) { 4 } else { 2 };
    let vectors = words / vector;
    let planes = if words > 16 { 5 } else { 4 };
    ((planes * vectors + 3 * (vectors | 1)) * 4 * vector * AFFINE_BLOCK as usize) as u32
}

/// Entries of a task in each round of batched affine additions.
///
/// A step costs as much as [`TASKS_PER_STEP`] tasks beyond their additions, since nothing hides its
/// inversion. So with tasks of L entries, E/L tasks and L + mean/L steps, L is best near the root
/// of E/[`TASKS_PER_STEP`] + mean. Where that is about the length of the lists they are not cut.
fn affine_rounds(entries: u64, keys: u64) -> (u32, Option<u32>) {
    let mean = entries.div_ceil(keys);
    let best = (entries / TASKS_PER_STEP + mean).isqrt();
    if mean <= UNCUT || 4 * best >= 3 * mean {
        return ((mean + 6 * mean.isqrt() + 8).min(MAX_STEPS) as u32, None);
    }
    let first = best.min(MAX_STEPS);
    // Steps without tasks cost little.
    let second = (2 * mean.div_ceil(first) + 4).min(MAX_STEPS);
    (first as u32, Some(second as u32))
}

/// Lanes that fold the tasks of a split list, so that lists of `mean` and of `longest` tasks are
/// folded soonest. The top window may have few bits; its buckets then hold the longest lists.
fn fold_width(mean: u64, longest: u64, keys: u64, lanes: u64) -> u32 {
    // If the mean list is whole, few lists are split.
    let splits = if mean > 1 { keys } else { 1 };
    let time = |width: &u64| {
        let rounds = splits.saturating_mul(*width).div_ceil(lanes) as f64;
        (rounds * chain(mean, *width)).max(chain(longest.min(FOLD), *width))
    };
    let widths = (0..=WARP.ilog2()).rev().map(|bit| 1 << bit);
    widths.min_by(|a, b| time(a).total_cmp(&time(b))).unwrap_or(WARP) as u32
}

/// Additions one after the other when a list of `tasks` tasks is folded.
pub(super) fn fold_chain(kind: DeviceKind, tasks: u64, width: u32) -> f64 {
    let rounds = |each: u64| u64::from(tasks.max(1).ilog(each)) + u64::from(tasks > 1);
    match kind {
        // Invocations fold this many slots each, round by round.
        DeviceKind::WebGpu => (rounds(WEBGPU_FOLD) * (WEBGPU_FOLD - 1)) as f64,
        _ if tasks > FOLD => chain(FOLD, WARP) + chain(tasks.div_ceil(FOLD).min(FOLD), WARP),
        _ if tasks > 1 => chain(tasks, u64::from(width)),
        _ => 0.0,
    }
}

/// Most entries of a task in the first round, and in the second if there is one.
///
/// Without rounds, few enough to occupy all threads, and enough that most lists stay whole where
/// there are more buckets than threads. Batched affine additions have as many steps as the longest
/// task has entries, and each step an inversion that nothing hides. So they cut lists near the
/// square root of their length, and what that leaves is whole lists of a second round.
fn task_entries(accumulate: SumLists, entries: u64, keys: u64, lanes: u64) -> (u32, Option<u32>) {
    let mean = entries.div_ceil(keys);
    match accumulate {
        SumLists::PerBucket => (u32::MAX, None),
        SumLists::FusedSweep => (FUSED_SLICE as u32, None),
        SumLists::BatchedAffine => affine_rounds(entries, keys),
        SumLists::Slices => {
            let even = (entries + entries / 8).div_ceil(lanes);
            // A long task must not outlast all others together.
            let wanted = if keys >= 2 * lanes { (2 * mean).max(even / 4) } else { even };
            (wanted.clamp(8, 1 << 12) as u32, None)
        }
    }
}

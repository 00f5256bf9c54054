//! Schedules for GPUs.
//!
//! 1. All bucket sets in one pass, and all bases in one chunk; or three growing chunks where
//!    copying the inputs of a large MSM can be hidden behind additions. The MSMs of a batch, or
//!    chunks of a size the user chose, share a pass.
//! 2. While the buffers do not fit: fewer chunks per pass, then fewer bucket sets per pass, then
//!    smaller chunks.
//! 3. The sizes of everything in a pass ([`Layout`]) are what the engine allocates and launches
//!    with; the buffers of the plan are their bytes.

#![cfg_attr(
    not(any(feature = "cuda", feature = "webgpu")),
    allow(dead_code, reason = "the engines read the layout")
)]

mod layout;
mod reduction;

pub(crate) use layout::Layout;
pub(super) use layout::affine_fits;
#[cfg(feature = "cuda")]
pub(crate) use layout::{
    ACCUMULATE_BLOCK, AFFINE_BLOCK, AffineLayout, FOLD, STEP_BOUNDS, accumulate_blocks,
    affine_blocks, affine_shared_bytes,
};
#[cfg(any(feature = "cuda", feature = "webgpu"))]
pub(crate) use layout::{CLASSES, Round, TASK_COUNTERS};
#[cfg(feature = "webgpu")]
pub(crate) use layout::{MAX_WEBGPU_BIN_BITS, WEBGPU_FOLD};
pub(crate) use reduction::SumStep;
#[cfg(feature = "cuda")]
pub(crate) use reduction::TREE_BLOCK;
#[cfg(any(feature = "cuda", feature = "webgpu"))]
pub(crate) use reduction::{Mode, SumInput};

use super::buffer::{BufferKind, total};
use super::draft::{Draft, Shortage};
use super::{Buffer, Cost, Form, GpuSchedule, Plan, Reduce, Schedule, SumLists};
use crate::facts::DeviceKind;
use layout::{align, bases_per_buffer, fold_chain};

/// Bits of the keys of a pass: 2^13 bins of 2^13 keys.
const MAX_KEY_BITS: u32 = 26;
/// The same for passes of several chunks.
const MAX_SHARED_KEY_BITS: u32 = 24;
/// Scalars that one dispatch of 256 invocations per workgroup reaches in one dimension.
const MAX_WEBGPU_CHUNK: usize = 65_535 * 256;
/// Positions in a grouped list are 32-bit, and a block looks up to 1024 of them ahead.
const MAX_ENTRIES: u64 = u32::MAX as u64 - 1024;
/// Entries refer to points with 31 bits. All ones with a sign is no entry.
const MAX_POINTS: u64 = (1 << 31) - 1;
/// More chunks than this have more keys than a pass can have.
const MAX_CHUNKS_PER_PASS: usize = 1 << MAX_KEY_BITS;
/// From this many bases on, copying scalars takes long enough to be hidden behind additions.
pub(crate) const GROWING: usize = 1 << 20;
/// The same with batched affine additions, where every chunk has steps of its own.
pub(crate) const GROWING_AFFINE: usize = 1 << 22;
/// From this many bytes of borrowed bases on, copying them does: 64 MiB take 1.2 ms at the 55 GB/s
/// of a PCIe 5.0 link.
const GROWING_BYTES: u64 = 64 << 20;
/// Below this many bases per chunk the reduction outweighs everything else.
const MIN_CHUNK: usize = 1 << 10;

/// Chooses passes and chunks, lists the buffers and prices the plan. `Err` says what the smallest
/// variant lacks.
pub(super) fn fit(draft: Draft<'_>, accumulate: SumLists) -> Result<Plan, Shortage> {
    let (request, available) = (draft.request, draft.available);
    let stored_copies = request.table.map_or(draft.shape.precompute, |table| table.precompute);
    let most = (MAX_POINTS / u64::from(stored_copies)) as usize;
    if request.n > most && request.resident {
        // More points than entries can refer to: no memory is enough to hold them at once.
        let point = u64::from(stored_copies) * request.curve.point_bytes();
        let table = (request.n as u64).saturating_mul(point);
        return Err(Shortage::Memory(table.max(available.saturating_add(1))));
    }
    let cuda = request.device.kind == DeviceKind::Cuda;
    let per_buffer = bases_per_buffer(&draft, stored_copies);
    let mut chunk = draft.chunk.min(most);
    if !cuda {
        chunk = chunk.min(per_buffer as usize).min(MAX_WEBGPU_CHUNK);
    }
    let long_copy = match request.resident {
        // In a batch the copy for one MSM is hidden behind the additions of the one before.
        true if accumulate == SumLists::BatchedAffine || request.batch > 1 => {
            request.n >= GROWING_AFFINE
        }
        true => request.n >= GROWING,
        false => {
            let bytes = (request.n as u64).saturating_mul(request.curve.point_bytes());
            request.batch <= 1 && bytes >= GROWING_BYTES
        }
    };
    let half = request.n.div_ceil(2);
    let growing = cuda && request.settings.chunk.is_none() && long_copy && half <= most;
    if growing {
        chunk = half;
    }
    // Chunks or MSMs in one pass need all bases in one buffer.
    let one_buffer = !request.resident || request.n as u64 <= per_buffer;
    let smallest = MIN_CHUNK.min(chunk);
    let mut schedule = GpuSchedule {
        group: draft.group(),
        accumulate,
        reduce: request.settings.reduce.unwrap_or(Reduce::WindowSplitting),
        growing_chunks: false,
        chunks_per_pass: 1,
        sets_per_pass: 1,
        task_entries: 0,
        stored_copies,
        double_buffered: false,
        carries_buckets: false,
        groups_ahead: false,
        layout: Box::default(),
    };
    let mut buffers = Vec::new();
    loop {
        let mut draft = draft.with_chunk(chunk);
        schedule.growing_chunks = growing && chunk == half;
        if schedule.growing_chunks {
            draft.chunks = 3;
        }
        schedule.sets_per_pass = draft.shape.bucket_sets;
        schedule.chunks_per_pass = match (request.batch, draft.chunks, request.settings.chunk) {
            (batch @ 2.., 1, _) if one_buffer => batch.min(MAX_CHUNKS_PER_PASS),
            (_, chunks @ 2.., Some(_)) if one_buffer => chunks.min(MAX_CHUNKS_PER_PASS),
            _ => 1,
        };
        loop {
            schedule.lay_out(&draft);
            let layout = &schedule.layout;
            let key_bits =
                if schedule.chunks_per_pass > 1 { MAX_SHARED_KEY_BITS } else { MAX_KEY_BITS };
            if layout.entries <= MAX_ENTRIES && layout.keys() <= 1 << key_bits {
                buffers = vec![bases(&draft, &schedule)];
                buffers.extend(layout.buffers(&draft, &schedule));
                // Resident bases are in buffers of their own, as many as it takes.
                let bound = &buffers[usize::from(request.resident)..];
                let bound = bound.iter().all(|buffer| buffer.bytes <= request.device.binding);
                if bound && total(&buffers) <= available {
                    let cost = estimate(&draft, &schedule);
                    return Ok(draft.finish(Schedule::Gpu(schedule), buffers, cost));
                }
            }
            if schedule.chunks_per_pass > 1 {
                schedule.chunks_per_pass = schedule.chunks_per_pass.div_ceil(2);
            } else if schedule.sets_per_pass > 1 {
                schedule.sets_per_pass = schedule.sets_per_pass.div_ceil(2);
            } else {
                break;
            }
        }
        if chunk <= smallest {
            let largest = buffers.iter().map(|buffer| buffer.bytes).max();
            return Err(match total(&buffers) {
                bytes if bytes > available => Shortage::Memory(bytes),
                _ => Shortage::Buffer(largest.unwrap_or(0)),
            });
        }
        chunk = chunk.div_ceil(2).max(smallest);
    }
}

impl GpuSchedule {
    /// Derives what follows from the chunks and bucket sets of a pass.
    fn lay_out(&mut self, draft: &Draft<'_>) {
        let request = draft.request;
        self.double_buffered = request.device.kind == DeviceKind::Cuda
            && draft.chunks.max(request.batch) > self.chunks_per_pass;
        // One pass must hold the buckets of all sets of one MSM. A fused sweep leaves no buckets
        // that could be carried.
        self.carries_buckets = self.sets_per_pass >= draft.shape.bucket_sets
            && self.chunks_per_pass == 1
            && request.batch <= 1
            && self.accumulate != SumLists::FusedSweep;
        self.groups_ahead = self.double_buffered && self.carries_buckets;
        *self.layout = Layout::new(draft, self);
        self.task_entries = self.layout.first.task_entries;
    }
}

/// All resident bases, or those of a pass: of two, where the next are copied while the GPU adds.
fn bases(draft: &Draft<'_>, schedule: &GpuSchedule) -> Buffer {
    let layout = &schedule.layout;
    let halves = 1 + u64::from(schedule.double_buffered && !draft.request.resident);
    let points =
        (halves * draft.held_bases(layout.scalars)).saturating_mul(draft.shape.precompute.into());
    Buffer::new(BufferKind::Bases, align(points.saturating_mul(4 * layout.base_words as u64)))
}

/// The time of a plan, in four terms.
///
/// 1. Throughput: additions × products, and bytes of bucket sums.
/// 2. Latency: the longest chain of additions of each kernel, which prevails in small MSMs.
/// 3. Grouping: entries and buckets.
/// 4. Launches, and the additions of the host.
fn estimate(draft: &Draft<'_>, schedule: &GpuSchedule) -> Cost {
    let (shape, layout) = (&draft.shape, &schedule.layout);
    let (curve, device) = (draft.request.curve, &draft.request.device);
    let rates = match device.kind {
        DeviceKind::WebGpu => &device.rates.webgpu,
        _ => &device.rates.cuda,
    };
    let words = 2.0 * curve.limbs as f64;
    let extension = if curve.degree == 1 { 1.0 } else { rates.extension };
    let wide = 2.0 * words * words * extension;
    let processors = device.threads as f64;
    let product = wide * rates.product / processors;
    // Products of adding a base and of adding two sums: 7M and 9M, 8M + 2S and 12M + 2S, where CUDA
    // shares a reduction between two products and has squares of its own. Batched affine additions
    // take 5M + 1S.
    let (add_base, add) = match (draft.form, layout.affine) {
        (Form::Edwards, _) => (7.0, 9.0),
        (Form::Weierstrass, None) if device.kind == DeviceKind::Cuda => (9.0, 13.0),
        (Form::Weierstrass, None) => (10.0, 14.0),
        (Form::Weierstrass, Some(_)) => (5.75 * rates.affine, 13.0),
    };
    let chunks = draft.chunks as f64;
    let passes = f64::from(shape.bucket_sets.div_ceil(schedule.sets_per_pass)) * chunks
        / schedule.chunks_per_pass as f64;
    let reductions = if schedule.carries_buckets { passes / chunks } else { passes };
    let bucket_additions = draft.request.n as f64 * f64::from(shape.windows);
    let buckets = f64::from(shape.bucket_sets) * (1u64 << layout.bits) as f64 * chunks;
    let launches = &layout.reduction.launches;
    let reduce_additions: f64 = layout.reduction.steps().map(SumStep::additions).sum();
    let reduce_additions = reduce_additions * reductions;
    let together = device.kind == DeviceKind::Cuda;
    let chains = launches.iter().map(|steps| {
        let chains = steps.iter().map(SumStep::chain);
        if together { chains.fold(0.0, f64::max) } else { chains.sum() }
    });
    let reduce_chain: f64 = chains.sum();
    // Tasks of batched affine additions are listed, loaded and stored.
    let rounds = || [Some(layout.first), layout.second].into_iter().flatten();
    let listed = match layout.affine {
        Some(_) => passes * rounds().map(|round| round.tasks).sum::<u64>() as f64 * rates.task,
        None => 0.0,
    };
    let throughput = (bucket_additions + listed) * add_base * product
        + reduce_additions * add * product * rates.reduction
        + buckets * 8.0 * layout.sum_words as f64 * rates.byte / processors;
    // One addition at a time: the latency of its products.
    let tasks: Vec<_> = rounds().map(|round| u64::from(round.task_entries)).collect();
    let (longest, cut) = (layout.longest, tasks.iter().product::<u64>());
    let fold = fold_chain(device.kind, longest.div_ceil(cut), layout.fold_width);
    let (tasks, steps) = match layout.affine {
        Some(_) => (0.0, tasks.iter().sum::<u64>() as f64),
        None => (longest.min(cut) as f64, 0.0),
    };
    let accumulate = tasks * add_base + fold * add;
    let latency = (passes * accumulate + reductions * reduce_chain * add) * wide * rates.latency
        + passes * steps * words * words * rates.step;
    let group = (bucket_additions * rates.entry + buckets * rates.bucket) / processors;
    // On the host, Horner's rule over the bits: a doubling and an addition for each.
    let doublings = f64::from(shape.bucket_sets * shape.window_bits) * reductions.max(1.0);
    let host = doublings * 24.0 * wide * rates.host_product;
    let nanoseconds = throughput + latency + group + passes * rates.pass + host;
    Cost { bucket_additions, reduce_additions, doublings, nanoseconds }
}

#[cfg(all(test, feature = "curves", any(feature = "cuda", feature = "webgpu")))]
mod tests;

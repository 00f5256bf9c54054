//! Schedules for CPUs with buckets, and the bytes of their buffers.
//!
//! 1. All bases in one chunk, in the passes that are cheapest (`passes`).
//! 2. While the buffers do not fit: fewer concurrent passes, then fewer bucket sets per pass, then
//!    smaller chunks.

use super::buffer::{Buffer, BufferKind, total};
use super::draft::{Draft, Shortage};
use super::validate::Valid;
use super::{CpuAccumulate, CpuSchedule, Group, Plan, Reduce, Schedule, SumLists, cost, passes};
use crate::CurveSpec;
use crate::facts::DeviceFacts;
use crate::rates::Reach;

/// Entries in a grouped list are 32-bit: 31 bits of index and a sign.
const MAX_POINTS: usize = 1 << 31;
/// Positions in a grouped list are 32-bit, and there are some slots past its end.
pub(super) const MAX_ENTRIES: usize = u32::MAX as usize - (1 << 16);
/// Below this many bases per chunk the reduction outweighs everything else.
const MIN_CHUNK: usize = 1 << 10;

/// Additions of a batch in place: enough to amortise an inversion, few enough to be to different
/// buckets.
pub(crate) const IN_PLACE_BATCH: usize = 1 << 10;
/// Most deferred additions in place.
pub(crate) const MAX_DEFERRED: usize = 8 * IN_PLACE_BATCH;
/// Digits that are listed at a time for additions in place.
pub(crate) const LISTED_DIGITS: usize = 1 << 11;
/// Fewest bases whose digits are listed at a time.
pub(crate) const MIN_LISTED_BASES: usize = 16;

/// Bytes of a part of L2.
fn part_of_l2(device: &DeviceFacts, part: impl Fn(&Reach) -> f64) -> usize {
    (part(&device.rates.reach) * device.caches.l2 as f64) as usize
}

/// Most entries that one thread sums at a time: a power of two, by the bytes of their points.
pub(super) fn slice_entries(request: &Valid<'_>) -> usize {
    let fitting = request.device.rates.reach.slice as usize / request.curve.point_bytes() as usize;
    (1 << fitting.max(1).ilog2()).clamp(1 << 10, 1 << 13)
}

/// Chooses passes and chunks, lists the buffers and prices the plan. `Err` says what the smallest
/// variant lacks.
pub(super) fn fit(draft: Draft<'_>, accumulate: CpuAccumulate) -> Result<Plan, Shortage> {
    let request = draft.request;
    let mut schedule = CpuSchedule {
        accumulate,
        reduce: request.settings.reduce.unwrap_or(Reduce::WindowSplitting),
        base_segments: 1,
        bucket_ranges: 1,
        sets_per_pass: 1,
        passes_in_flight: 1,
        work_stealing: false,
        split_last_passes: false,
        slice_entries: slice_entries(request),
        prefetch_points_above: part_of_l2(&request.device, |reach| reach.prefetched_points),
        // Entries of a list have four bytes.
        prefetch_slots_above: part_of_l2(&request.device, |reach| reach.prefetched_list) / 4,
    };
    let stored = request.table.map_or(draft.shape.stored(), |table| table.stored());
    let mut draft = draft.with_chunk(draft.chunk.min(MAX_POINTS / stored.max(1)));
    let smallest_chunk = MIN_CHUNK.min(draft.chunk);
    loop {
        let mut cost = passes::choose(&draft, &mut schedule);
        let bytes = loop {
            let buffers = buffers(&draft, &schedule);
            let bytes = total(&buffers);
            if bytes <= draft.available {
                return Ok(draft.finish(Schedule::Cpu(schedule), buffers, cost));
            }
            if schedule.passes_in_flight > 1 {
                schedule.passes_in_flight /= 2;
            } else if schedule.sets_per_pass > 1 {
                schedule.sets_per_pass = schedule.sets_per_pass.div_ceil(2);
            } else {
                break bytes;
            }
            cost = cost::price(&draft, &mut schedule);
        };
        if draft.chunk <= smallest_chunk {
            return Err(Shortage::Memory(bytes));
        }
        draft = draft.with_chunk(draft.chunk.div_ceil(2).max(smallest_chunk));
    }
}

fn buffers(draft: &Draft<'_>, schedule: &CpuSchedule) -> Vec<Buffer> {
    let (shape, curve) = (&draft.shape, draft.request.curve);
    let point = stored_point_bytes(curve);
    let flights = schedule.passes_in_flight as u64;
    let sets = u64::from(schedule.sets_per_pass) * flights;
    let copies = shape.copies() as u64;
    let entries = sets.saturating_mul(draft.segment(schedule) as u64).saturating_mul(copies);
    let buckets = sets * shape.buckets.div_ceil(schedule.bucket_ranges as u64);
    let mut out = Vec::new();
    let mut push = |kind, bytes| out.push(Buffer::new(kind, bytes));
    let stored = shape.stored() as u64;
    let bases = draft.held_bases(draft.chunk as u64);
    push(BufferKind::Bases, bases.saturating_mul(stored).saturating_mul(point));
    push(BufferKind::Scalars, scalar_bytes(draft));
    let slice = schedule.slice_entries as u64;
    let (occupied, slices) = match schedule.accumulate {
        CpuAccumulate::InPlace => {
            let listed =
                (LISTED_DIGITS as u64 * flights).max(MIN_LISTED_BASES as u64 * sets * copies);
            push(BufferKind::Entries, entries.min(listed) * 12 + 4 * buckets);
            // Every bucket has a sum.
            (buckets, 1)
        }
        CpuAccumulate::Grouped(group, _) => {
            // Sorting takes the keys with their entries, in parts and as a whole, digits and
            // entries.
            let entry = if group == Group::Sort { 24 } else { 4 };
            push(BufferKind::Entries, entries.saturating_mul(entry) + 64 * sets);
            if group == Group::Csr {
                push(BufferKind::Digits, (entries + sets * copies).saturating_mul(4));
                push(BufferKind::Counters, (buckets + sets) * 4);
            }
            (buckets.min(entries), entries / slice + 1)
        }
    };
    push(BufferKind::Runs, occupied * 8 + 64 * sets + slices * 2 * (point + 64));
    let width = shape.window_bits.max(shape.last_window_bits);
    let reduce = reduce_bytes(occupied, sets, width, point);
    match schedule.accumulate {
        CpuAccumulate::Grouped(_, SumLists::FusedSweep) => {
            push(BufferKind::PartialWindowSums, entries.div_ceil(slice) * 3 * point);
        }
        CpuAccumulate::Grouped(_, SumLists::PerBucket) => {
            push(BufferKind::BucketSums, occupied * point);
            // Sums arrive longest run first, from every thread, and are then sorted by bucket.
            push(BufferKind::UnorderedSums, 2 * occupied * (point + 16));
            push(BufferKind::Reduce, reduce);
        }
        CpuAccumulate::Grouped(_, SumLists::Slices | SumLists::BatchedAffine) => {
            push(BufferKind::BucketSums, occupied * point);
            push(BufferKind::Reduce, reduce);
        }
        CpuAccumulate::InPlace => {
            push(BufferKind::BucketSums, occupied * point);
            push(BufferKind::Reduce, reduce);
            // Deferred additions: their sums and lists of them; two batches, and what the kernel
            // keeps of a pair. The first points of buckets are in no pair.
            let most = MAX_DEFERRED as u64;
            let deferred = most.min(buckets) * (point + 12) + most * 16;
            let batch = IN_PLACE_BATCH as u64 * (48 + PAIR_ELEMENTS * element_bytes(curve));
            push(BufferKind::Deferred, flights * (deferred + batch) + 16 * buckets);
        }
    }
    // In XYZZ coordinates: those of the run, and of the passes until they are added to these.
    let passed = (schedule.base_segments * schedule.bucket_ranges) as u64;
    let sums = u64::from(shape.bucket_sets) * (1 + 2 * passed);
    push(BufferKind::WindowSums, sums * (2 * point + 32));
    let threads = draft.request.device.threads as u64;
    push(BufferKind::Workspaces, threads * workspace_bytes(draft, schedule, point));
    out
}

/// Bytes of the decomposed scalars of a chunk.
pub(super) fn scalar_bytes(draft: &Draft<'_>) -> u64 {
    (draft.chunk * draft.shape.halves() * draft.shape.scalar_words * 8) as u64
}

/// Window splitting: an index and a sort key per bucket, and two planes of about `2^(c/2)` points
/// for each set, at most as many as there are buckets.
fn reduce_bytes(occupied: u64, sets: u64, window_bits: u32, point: u64) -> u64 {
    let plane = (sets << (window_bits.div_ceil(2) + 1)).min(2 * occupied);
    occupied * 2 * 20 + 3 * plane * (point + 16)
}

/// Working memory of one thread. To sum a slice: two generations of points, two thirds of its
/// length each, runs, pairs, and what the kernel keeps of a pair. To load bases: a block of 512
/// with what the kernel keeps of a doubling, and ten rows of odd multiples with what it keeps of a
/// pair.
fn workspace_bytes(draft: &Draft<'_>, schedule: &CpuSchedule, point: u64) -> u64 {
    let longest = (draft.shape.entries_per_set(draft.segment(schedule)) as u64)
        .saturating_mul(u64::from(schedule.sets_per_pass));
    let slice = (schedule.slice_entries as u64).min(longest) + 16;
    let element = element_bytes(draft.request.curve);
    let forms = if draft.shape.odd_multiples > 1 { 18 } else { 6 };
    let blocks = (draft.chunk as u64).min(512) * forms * point;
    let pairs = slice / 2 * PAIR_ELEMENTS * element;
    slice * 4 / 3 * point + slice * 20 + pairs + blocks + (64 << 10)
}

/// Elements that a kernel keeps of a pair: x of the first point, the denominator, and the product
/// of the denominators before.
const PAIR_ELEMENTS: u64 = 3;

/// Most bytes of a field element in a kernel's own form: limbs of 52 bits, in whole vectors.
fn element_bytes(curve: &CurveSpec) -> u64 {
    (curve.limbs * curve.degree) as u64 * 8 * 3 / 2
}

/// Bytes of one point as the kernels store it: two coordinates in the narrowest width that exists.
pub(crate) fn stored_point_bytes(curve: &CurveSpec) -> u64 {
    let words = 2 * (curve.limbs * curve.degree) as u64;
    8 * [8, 12, 16, 24].into_iter().find(|&width| words <= width).unwrap_or(48)
}

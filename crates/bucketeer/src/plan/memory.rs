//! The bytes of every buffer, and the passes and chunks that make them fit.

use super::{Accumulate, Group, Plan, Request, Unfit, cost, passes};
use crate::CurveSpec;

/// One buffer of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Buffer {
    /// What it holds.
    pub name: &'static str,
    /// Its size.
    pub bytes: u64,
}

/// Name of the buffer of stored bases.
pub(crate) const BASES: &str = "bases";

/// Entries in a grouped list are 32-bit: 31 bits of index and a sign.
const MAX_POINTS: usize = 1 << 31;
/// Positions in a grouped list are 32-bit, and some lie behind it.
pub(super) const MAX_ENTRIES: usize = u32::MAX as usize - (1 << 16);
/// Below this many bases per chunk the reduction outweighs everything else.
const MIN_CHUNK: usize = 1 << 10;

/// Additions of a batch in place: enough to share an inversion, few enough to meet different buckets.
pub(crate) const BATCH: usize = 1 << 10;
/// Additions that may wait for another batch.
pub(crate) const WAITING: usize = 8 * BATCH;
/// Digits listed at a time for it, and fewest bases they are of.
pub(crate) const LISTED: usize = 1 << 11;
pub(crate) const LISTED_BASES: usize = 16;

/// Most entries one worker sums at a time: a power of two whose points fill about a quarter of a
/// second-level cache of 1–2 MiB, so that all rounds of a tree but the first stay in it.
pub(super) fn slice_entries(request: &Request<'_>) -> usize {
    let fitting = (768 << 10) / request.curve.point_bytes() as usize;
    (1 << fitting.ilog2()).clamp(1 << 10, 1 << 13)
}

/// Chooses passes and `chunk`, lists the buffers and prices the plan. `Err` says what the
/// smallest variant lacks.
pub(super) fn fit(plan: &mut Plan, request: &Request<'_>, available: u64) -> Result<(), Unfit> {
    let stored = request.table.map_or(plan.shape.stored(), |table| table.stored());
    plan.chunk = plan.chunk.min(MAX_POINTS / stored.max(1));
    let smallest_chunk = MIN_CHUNK.min(plan.chunk);
    loop {
        plan.chunks = plan.n.div_ceil(plan.chunk).max(1);
        passes::choose(plan, request.curve);
        loop {
            plan.buffers = buffers(plan, request);
            if plan.bytes() <= available {
                return Ok(());
            }
            if plan.passes_in_flight > 1 {
                plan.passes_in_flight /= 2;
            } else if plan.sets_per_pass > 1 {
                plan.sets_per_pass = plan.sets_per_pass.div_ceil(2);
            } else {
                break;
            }
            cost::price(plan, request.curve);
        }
        if plan.chunk <= smallest_chunk {
            return Err(Unfit::Memory(plan.bytes()));
        }
        plan.chunk = plan.chunk.div_ceil(2).max(smallest_chunk);
    }
}

fn buffers(plan: &Plan, request: &Request<'_>) -> Vec<Buffer> {
    let shape = &plan.shape;
    let point = stored_point_bytes(request.curve);
    let sets = u64::from(plan.sets_per_pass) * plan.passes_in_flight as u64;
    let copies = shape.copies() as u64;
    let in_place = plan.accumulate == Accumulate::InPlace;
    let entries = sets.saturating_mul(plan.segment() as u64).saturating_mul(copies);
    let buckets = sets * shape.buckets.div_ceil(plan.ranges as u64);
    // Those added to in place are all there.
    let occupied = if in_place { buckets } else { buckets.min(entries) };
    let mut out = Vec::new();
    let mut push = |name, bytes| out.push(Buffer { name, bytes });
    let stored = shape.stored() as u64;
    push(BASES, held_bases(plan, request).saturating_mul(stored).saturating_mul(point));
    push("scalars", scalar_bytes(plan));
    // Sorting: keys with their entries in parts and in one piece, digits, and the entries.
    let entry = if plan.group == Group::Sort { 24 } else { 4 };
    if in_place {
        let flights = plan.passes_in_flight as u64;
        let listed = (LISTED as u64 * flights).max(LISTED_BASES as u64 * sets * copies);
        push("entries", entries.min(listed) * 12 + 4 * buckets);
    } else {
        push("entries", entries.saturating_mul(entry) + 64 * sets);
    }
    if plan.group == Group::Csr && !in_place {
        push("digits", (entries + sets * copies).saturating_mul(4));
        push("counters", (buckets + sets) * 4);
    }
    let slices = if in_place { 1 } else { entries / plan.slice as u64 + 1 };
    push("runs", occupied * 8 + 64 * sets + slices * 2 * (point + 64));
    if plan.accumulate == Accumulate::FusedSweep {
        push("partial window sums", entries.div_ceil(plan.slice as u64) * 3 * point);
    } else {
        push("bucket sums", occupied * point);
        if plan.accumulate == Accumulate::PerBucket {
            // Sums arrive longest run first, from every worker, and are then put in order.
            push("unordered sums", 2 * occupied * (point + 16));
        }
        push(
            "reduce",
            reduce_bytes(occupied, sets, shape.window_bits.max(shape.last_window_bits), point),
        );
    }
    if in_place {
        // Their sums and lists of them; two batches, and what their kernel leaves itself of a pair. The first
        // points of buckets are in no pair.
        let waiting = (WAITING as u64).min(buckets) * (point + 12) + WAITING as u64 * 16;
        let batch = BATCH as u64 * (48 + PAIR_ELEMENTS * element_bytes(request.curve));
        push("waiting", plan.passes_in_flight as u64 * (waiting + batch) + 16 * buckets);
    }
    // In XYZZ coordinates: those of the run, and of its passes until they are added to them.
    let passed = u64::from(shape.bucket_sets) * (plan.segments * plan.ranges) as u64;
    push("window sums", (u64::from(shape.bucket_sets) + 2 * passed) * (2 * point + 32));
    push("workspaces", plan.device.threads as u64 * workspace_bytes(plan, request.curve, point));
    out
}

/// Bases that a plan brings into the device's form at once: none where their table is there already, which is
/// the limit's business no more.
pub(super) fn held_bases(plan: &Plan, request: &Request<'_>) -> u64 {
    match (request.table, plan.resident) {
        (Some(_), _) => 0,
        (None, true) => plan.n as u64,
        (None, false) => plan.chunk as u64,
    }
}

/// Bytes of the decomposed scalars of a chunk.
pub(super) fn scalar_bytes(plan: &Plan) -> u64 {
    (plan.chunk * plan.shape.halves() * plan.shape.scalar_words * 8) as u64
}

/// Window splitting: an index and a sort key per bucket, and two planes of about `2^(c/2)` points
/// for each set, at most as many as there are buckets.
fn reduce_bytes(occupied: u64, sets: u64, window_bits: u32, point: u64) -> u64 {
    let plane = (sets << (window_bits.div_ceil(2) + 1)).min(2 * occupied);
    occupied * 2 * 20 + 3 * plane * (point + 16)
}

/// What one worker needs: for a slice two generations of points, two thirds of its length each, its runs
/// and pairs, and what the kernel leaves itself of a pair; to load bases, a block of 512 in several forms.
fn workspace_bytes(plan: &Plan, curve: &CurveSpec, point: u64) -> u64 {
    let longest = (plan.shape.entries_per_set(plan.segment()) as u64)
        .saturating_mul(u64::from(plan.sets_per_pass));
    let slice = (plan.slice as u64).min(longest) + 16;
    let element = element_bytes(curve);
    let blocks = (plan.chunk as u64).min(512) * 6 * point;
    let pairs = slice / 2 * PAIR_ELEMENTS * element;
    slice * 4 / 3 * point + slice * 20 + pairs + blocks + (64 << 10)
}

/// Elements that a kernel leaves itself of a pair: x of the first point, the denominator, and the product of
/// those before.
const PAIR_ELEMENTS: u64 = 3;

/// Bytes of a field element in a kernel's own form, at most: limbs of 52 bits, and those of whole lanes.
fn element_bytes(curve: &CurveSpec) -> u64 {
    (curve.limbs * curve.degree) as u64 * 8 * 3 / 2
}

/// Bytes of one point as the kernels store it: two coordinates in the narrowest width there is.
pub(crate) fn stored_point_bytes(curve: &CurveSpec) -> u64 {
    let words = 2 * (curve.limbs * curve.degree) as u64;
    8 * [8, 12, 16, 24].into_iter().find(|&width| words <= width).unwrap_or(48)
}

//! The passes of a CPU: which bases, bucket sets and buckets each takes, so that all threads have
//! the same amount of work.
//!
//! 1. Bucket sets are spread evenly over the threads, several to a pass where they are small.
//! 2. Where threads outnumber the sets, a chunk is cut into segments of its bases, which have
//!    buckets of their own to reduce, or into ranges of buckets, which all read every digit.
//! 3. Every cut is priced; the cheapest wins.

use super::draft::Draft;
use super::{Cost, CpuAccumulate, CpuSchedule, Group, cost, cpu};

/// One way to cut a chunk into passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cut {
    base_segments: usize,
    bucket_ranges: usize,
    sets_per_pass: u32,
}

/// Chooses how a chunk is cut into passes, how many of them run concurrently and whether threads
/// share them, and prices the plan.
pub(super) fn choose(draft: &Draft<'_>, schedule: &mut CpuSchedule) -> Cost {
    let mut best: Option<(Cost, CpuSchedule)> = None;
    for cut in cuts(draft, schedule) {
        let mut own = *schedule;
        (own.base_segments, own.bucket_ranges) = (cut.base_segments, cut.bucket_ranges);
        own.sets_per_pass = cut.sets_per_pass;
        own.passes_in_flight = draft.request.device.threads.min(cost::passes(draft, &own));
        let cost = cost::price(draft, &mut own);
        if best.is_none_or(|(least, _)| cost.nanoseconds < least.nanoseconds) {
            best = Some((cost, own));
        }
    }
    let (cost, own) = best.unwrap_or((Cost::default(), *schedule));
    *schedule = own;
    cost
}

/// Cuts worth pricing: one segment and range, and more while threads lack passes.
fn cuts(draft: &Draft<'_>, schedule: &CpuSchedule) -> Vec<Cut> {
    let (threads, sets) = (draft.request.device.threads, draft.shape.bucket_sets as usize);
    let entries = draft.shape.entries_per_set(draft.chunk);
    let most = if threads == 1 { 1 } else { (4 * threads).div_ceil(sets) };
    let powers = |most: usize| (0..usize::BITS).map(|bit| 1 << bit).take_while(move |&k| k <= most);
    let counted = matches!(schedule.accumulate, CpuAccumulate::Grouped(Group::Csr, _));
    let rates = &draft.request.device.rates.passes;
    let most_segments = (entries as f64 / rates.least_segment) as usize;
    let mut cuts = Vec::new();
    for base_segments in powers(most.min(most_segments).max(1)) {
        let ranged = counted && (entries / base_segments) as f64 >= rates.least_ranged;
        let most = if ranged { most / base_segments } else { 1 };
        for bucket_ranges in powers(most.max(1)) {
            let sets = sets_per_pass(draft, schedule, base_segments, bucket_ranges);
            let cut = |sets_per_pass| Cut { base_segments, bucket_ranges, sets_per_pass };
            cuts.extend(sets.map(cut));
        }
    }
    cuts
}

/// Numbers of bucket sets worth pricing: as many as fill two slices, so that inversions are shared
/// widely, but spread over all threads evenly; and one.
fn sets_per_pass(
    draft: &Draft<'_>,
    schedule: &CpuSchedule,
    base_segments: usize,
    bucket_ranges: usize,
) -> impl Iterator<Item = u32> + use<> {
    let (threads, sets) = (draft.request.device.threads, draft.shape.bucket_sets as usize);
    let entries = draft.shape.entries_per_set(draft.chunk.div_ceil(base_segments)).max(1);
    let together =
        (2 * schedule.slice_entries).div_ceil(entries).min((cpu::MAX_ENTRIES / entries).max(1));
    let passes = (base_segments * sets.div_ceil(together)).next_multiple_of(threads);
    let even = match bucket_ranges {
        1 => (base_segments * sets).div_ceil(passes).max(1) as u32,
        _ => 1,
    };
    std::iter::once(even).chain((even > 1 && threads > 1).then_some(1))
}

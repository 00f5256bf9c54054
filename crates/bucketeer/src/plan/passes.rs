//! The passes of a CPU: which bases, bucket sets and buckets each takes, so that all threads have equally much to do.

use super::{Accumulate, Group, Plan, cost, memory};
use crate::CurveSpec;

/// Fewest entries of a segment in one bucket set, and where there is to be more than one range of buckets.
const LEAST_ENTRIES: usize = 1 << 8;
const LEAST_FOR_RANGES: usize = 1 << 15;

/// Chooses `segments`, `ranges`, `sets_per_pass`, `passes_in_flight` and `helping`, and prices the plan.
pub(super) fn choose(plan: &mut Plan, curve: &CurveSpec) {
    let mut best: Option<(f64, [usize; 2], u32)> = None;
    let set = |plan: &mut Plan, [segments, ranges]: [usize; 2], sets| {
        (plan.segments, plan.ranges, plan.sets_per_pass) = (segments, ranges, sets);
        plan.passes_in_flight = plan.device.threads.min(cost::passes(plan));
        cost::price(plan, curve);
    };
    for cut in cuts(plan) {
        for sets in sets_per_pass(plan, cut) {
            set(plan, cut, sets);
            if best.is_none_or(|(least, ..)| plan.cost.nanoseconds < least) {
                best = Some((plan.cost.nanoseconds, cut, sets));
            }
        }
    }
    // The last one priced is set already.
    if let Some((_, cut, sets)) = best
        && (cut, sets) != ([plan.segments, plan.ranges], plan.sets_per_pass)
    {
        set(plan, cut, sets);
    }
}

/// Numbers of segments and of ranges worth pricing: one, and more while threads lack passes.
fn cuts(plan: &Plan) -> Vec<[usize; 2]> {
    let (threads, sets) = (plan.device.threads, plan.shape.bucket_sets as usize);
    let entries = plan.shape.entries_per_set(plan.chunk);
    let most = if threads == 1 { 1 } else { (4 * threads).div_ceil(sets) };
    let powers = |most: usize| (0..usize::BITS).map(|bit| 1 << bit).take_while(move |&k| k <= most);
    let mut cuts = Vec::new();
    for segments in powers(most.min(entries / LEAST_ENTRIES).max(1)) {
        let ranged = plan.group == Group::Csr
            && plan.accumulate != Accumulate::InPlace
            && entries / segments >= LEAST_FOR_RANGES;
        let most = if ranged { most / segments } else { 1 };
        cuts.extend(powers(most.max(1)).map(|ranges| [segments, ranges]));
    }
    cuts
}

/// Numbers of bucket sets worth pricing: as many as fill a few slices, so that inversions are shared widely, but
/// spread over all threads evenly; and one.
fn sets_per_pass(plan: &Plan, [segments, ranges]: [usize; 2]) -> impl Iterator<Item = u32> + use<> {
    let (threads, sets) = (plan.device.threads, plan.shape.bucket_sets as usize);
    let entries = plan.shape.entries_per_set(plan.chunk.div_ceil(segments)).max(1);
    let together = (2 * plan.slice).div_ceil(entries).min((memory::MAX_ENTRIES / entries).max(1));
    let passes = (segments * sets.div_ceil(together)).next_multiple_of(threads);
    let even = match ranges {
        1 => (segments * sets).div_ceil(passes).max(1) as u32,
        _ => 1,
    };
    std::iter::once(even).chain((even > 1 && threads > 1).then_some(1))
}

//! The passes of a CPU: how many bucket sets each takes, and of which bases, so that all threads have equally much
//! to do.

use super::{Plan, cost, memory};
use crate::CurveSpec;

/// Fewest entries of a segment in one bucket set.
const LEAST_ENTRIES: usize = 256;

/// Passes shorter than this, in nanoseconds, are not shared: whoever waits for a helper loses more.
const WORTH_HELP: f64 = 1e6;

/// Chooses `segments`, `sets_per_pass`, `passes_in_flight` and `helping`.
pub(super) fn choose(plan: &mut Plan, curve: &CurveSpec) {
    let mut best: Option<(f64, usize, u32)> = None;
    for segments in segments(plan) {
        for sets in sets_per_pass(plan, segments) {
            set(plan, curve, segments, sets);
            let cost = cost::estimate(plan, curve).nanoseconds;
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, segments, sets));
            }
        }
    }
    if let Some((_, segments, sets)) = best {
        set(plan, curve, segments, sets);
    }
}

fn set(plan: &mut Plan, curve: &CurveSpec, segments: usize, sets: u32) {
    (plan.segments, plan.sets_per_pass) = (segments, sets);
    let passes = segments * plan.shape.bucket_sets.div_ceil(sets) as usize;
    plan.passes_in_flight = plan.device.threads.min(passes);
    plan.parts = memory::parts(plan);
    plan.helping = plan.device.threads > 1
        && (plan.workers() > 1 || cost::pass_nanoseconds(plan, curve) > WORTH_HELP);
}

/// Numbers of segments worth pricing: one, and more while threads lack passes.
fn segments(plan: &Plan) -> impl Iterator<Item = usize> + use<> {
    let (threads, sets) = (plan.device.threads, plan.shape.bucket_sets as usize);
    let most = plan.shape.entries_per_set(plan.chunk) / LEAST_ENTRIES;
    let most = if threads == 1 { 1 } else { most.min((4 * threads).div_ceil(sets)) };
    std::iter::successors(Some(1), |s| Some(s * 2)).take_while(move |&s| s == 1 || s <= most)
}

/// Numbers of bucket sets worth pricing: as many as fill a few slices, so that inversions are shared widely, but
/// spread over all threads evenly; and one.
fn sets_per_pass(plan: &Plan, segments: usize) -> impl Iterator<Item = u32> + use<> {
    let (threads, sets) = (plan.device.threads, plan.shape.bucket_sets as usize);
    let entries = plan.shape.entries_per_set(plan.chunk.div_ceil(segments)).max(1);
    let together = (2 * plan.slice).div_ceil(entries).min((memory::MAX_ENTRIES / entries).max(1));
    let passes = (segments * sets.div_ceil(together)).next_multiple_of(threads);
    let even = (segments * sets).div_ceil(passes).max(1) as u32;
    std::iter::once(even).chain((even > 1 && threads > 1).then_some(1))
}

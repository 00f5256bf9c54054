//! What it costs an addition to read its points from beyond the caches.

use super::Plan;
use super::memory::stored_point_bytes;
use crate::CurveSpec;

/// What an addition in place costs more where more threads than these share caches.
const CROWD: usize = 4;
const CROWDED: f64 = 15.0;

/// What an addition costs more each time the table of bases doubles beyond `NEAR_BYTES`, and twice that after so many
/// doublings.
const FAR_READ: f64 = 2.0;
const NEAR_BYTES: f64 = (8 << 20) as f64;
const BEYOND: f64 = 4.0;

/// What an addition in place costs more, where the table lies beyond the caches, for every line of a point each time
/// its odd multiples double, and each time they double a page; and each time buckets double what a second cache holds.
const LINE_READ: f64 = 2.0;
const PAGE_READ: f64 = 6.0;
const PAGE: f64 = 4096.0;
const FAR_BUCKET: f64 = 10.0;
const NEAR_BUCKET_BYTES: f64 = (5 << 18) as f64;

/// How many times the table of so many bases doubles what is near.
fn doublings(plan: &Plan, curve: &CurveSpec, bases: usize) -> f64 {
    let bytes = plan.shape.stored() as f64 * stored_point_bytes(curve) as f64 * bases as f64;
    (bytes / NEAR_BYTES).log2().clamp(0.0, 8.0)
}

/// What reads of bases at random cost an addition: for the first bucket set from wherever the table is, then from where
/// its segment has found room.
pub(super) fn at_random(plan: &Plan, curve: &CurveSpec) -> f64 {
    let read = |bases: usize| {
        let doublings = doublings(plan, curve, bases);
        FAR_READ * (doublings + (doublings - BEYOND).max(0.0))
    };
    let sets = f64::from(plan.shape.bucket_sets);
    (read(plan.n) + (sets - 1.0) * read(plan.segment())) / sets
}

/// What reads of bases in their order and of buckets at random cost an addition.
pub(super) fn in_order(plan: &Plan, curve: &CurveSpec) -> f64 {
    let point = stored_point_bytes(curve);
    let buckets = plan.shape.buckets * u64::from(plan.sets_per_pass) * point;
    let far_buckets = (buckets as f64 / NEAR_BUCKET_BYTES).log2().max(0.0) * FAR_BUCKET;
    let odd_multiples = f64::from(plan.shape.odd_multiples);
    let lines = odd_multiples.log2() * point.div_ceil(64) as f64;
    let pages = (odd_multiples * point as f64 / PAGE).log2().max(0.0);
    let multiples = LINE_READ * lines + PAGE_READ * pages;
    let crowded = if plan.device.threads > CROWD { CROWDED } else { 0.0 };
    crowded + far_buckets + multiples * (doublings(plan, curve, plan.n) / BEYOND).min(1.0)
}

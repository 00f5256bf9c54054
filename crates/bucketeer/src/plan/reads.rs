//! What an addition costs more where its points are not in L2.

use super::CpuSchedule;
use super::cpu::stored_point_bytes;
use super::draft::Draft;

/// Bytes of a page of memory.
const PAGE: f64 = 4096.0;

/// How far from the cores the table of some bases lies.
struct Distance {
    /// How many times it doubles what is near.
    doublings: f64,
    /// How many times DRAM doubles what is near.
    dram: f64,
}

impl Distance {
    fn of(plan: &Draft<'_>, bases: usize) -> Self {
        let (reach, caches) = (&plan.request.device.rates.reach, plan.request.device.caches);
        let near = reach.table * caches.l2 as f64;
        let dram = (reach.dram * caches.llc as f64 / near).log2().max(1.0);
        let point = stored_point_bytes(plan.request.curve);
        let bytes = plan.shape.stored() as f64 * point as f64 * bases as f64;
        Self { doublings: (bytes / near).log2().clamp(0.0, 8.0), dram }
    }
}

/// What random reads of bases cost an addition: for the first bucket set from wherever the table
/// is, then from where its segment has found room.
pub(super) fn at_random(plan: &Draft<'_>, schedule: &CpuSchedule) -> f64 {
    let read = |bases: usize| {
        let Distance { doublings, dram } = Distance::of(plan, bases);
        plan.request.device.rates.reach.far_read * (doublings + (doublings - dram).max(0.0))
    };
    let sets = f64::from(plan.shape.bucket_sets);
    (read(plan.request.n) + (sets - 1.0) * read(plan.segment(schedule))) / sets
}

/// What sequential reads of bases and random ones of buckets cost an addition.
pub(super) fn in_order(plan: &Draft<'_>, schedule: &CpuSchedule) -> f64 {
    let device = &plan.request.device;
    let rates = &device.rates.in_place;
    let point = stored_point_bytes(plan.request.curve);
    let buckets = plan.shape.buckets * u64::from(schedule.sets_per_pass) * point;
    let near = device.rates.reach.bucket_sums * device.caches.l2 as f64;
    let far_buckets = (buckets as f64 / near).log2().max(0.0) * rates.far_bucket;
    let odd_multiples = f64::from(plan.shape.odd_multiples);
    let lines = odd_multiples.log2() * point.div_ceil(64) as f64;
    let pages = (odd_multiples * point as f64 / PAGE).log2().max(0.0);
    let multiples = rates.line * lines + rates.page * pages;
    let crowded = if device.threads as f64 > rates.crowd { rates.crowded } else { 0.0 };
    let Distance { doublings, dram } = Distance::of(plan, plan.request.n);
    crowded + far_buckets + multiples * (doublings / dram).min(1.0)
}

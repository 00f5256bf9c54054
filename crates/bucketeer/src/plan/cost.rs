//! The cost model: additions × the cost of one, plus what each stage spends per entry and bucket.
//!
//! ```text
//! accumulate   entries − occupied buckets          additions
//! reduce       2 · occupied buckets                additions
//! combine      sets · c                            doublings, on one core
//! load         bases · copies                      products and copies, unless they are resident
//! decompose    scalars                             reductions, and splits along the endomorphism
//! group        entries                             digit extractions and scattered writes
//! ```
//! entries = bases · copies · sets, less the zero digits; with uniform digits a set of `B` buckets
//! that receives `E` entries has `B·(1 − e^(−E/B))` occupied ones. Costs per operation are the
//! device's [`Rates`](crate::Rates); only their ratios matter for the choices.

use super::cpu::IN_PLACE_BATCH;
use super::draft::Draft;
use super::shape::TableOperations;
use super::{CpuAccumulate, CpuSchedule, Digits, Plan, SumLists, Weights, reads};
use crate::CurveSpec;
use crate::facts::{Arithmetic, DeviceFacts};
use crate::rates::Kernel;

/// Predicted work of one MSM.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Cost {
    /// Additions of bases into buckets.
    pub bucket_additions: f64,
    /// Additions that turn buckets into window sums.
    pub reduce_additions: f64,
    /// Doublings when windows are combined.
    pub doublings: f64,
    /// Predicted time on the planned device.
    pub nanoseconds: f64,
}

/// Rates of batched additions over a curve's field on a device.
fn kernel(curve: &CurveSpec, device: &DeviceFacts) -> Kernel {
    let kernels = match Arithmetic::choose(curve, device) {
        Arithmetic::Ifma => &device.rates.ifma,
        // WebAssembly takes two to three times as long for everything: only ratios matter.
        Arithmetic::Simd128 | Arithmetic::Portable => &device.rates.portable,
    };
    kernels.of(curve).copied().unwrap_or_else(|| device.rates.other_fields.kernel(curve))
}

/// Nanoseconds of one projective addition or doubling.
fn projective(curve: &CurveSpec, device: &DeviceFacts) -> f64 {
    let rates = &device.rates.arkworks;
    rates.projective * rates.product_of(curve)
}

/// Additions into buckets, and to reduce them, over all passes.
struct Additions {
    entries: f64,
    buckets: f64,
    bucket: f64,
    reduce: f64,
}

impl Additions {
    fn of(plan: &Draft<'_>, schedule: &CpuSchedule) -> Self {
        let shape = &plan.shape;
        let buckets = shape.buckets as f64;
        let bases = plan.request.n as f64 * shape.halves() as f64;
        let zero_digits = match shape.digits {
            Digits::Unsigned => 1.0 / (buckets + 1.0),
            Digits::Signed => (-f64::from(shape.window_bits)).exp2(),
        };
        let entries = bases * f64::from(shape.windows) * (1.0 - zero_digits);
        let parts = (plan.chunks * schedule.base_segments) as f64;
        let sets = f64::from(shape.bucket_sets) * parts;
        let filled = |buckets: f64, entries: f64| buckets * (1.0 - (-entries / buckets).exp());
        let occupied = match Weights::of(shape) {
            // The last window has buckets of its own.
            Some(weights) => {
                let shared = f64::from(weights.count());
                let last = (buckets - shared) * parts;
                filled(shared * sets, entries - bases) + filled(last, bases)
            }
            None => filled(buckets * sets, entries),
        };
        let bucket = (entries - occupied).max(0.0);
        Self { entries, buckets: sets * buckets, bucket, reduce: 2.0 * occupied }
    }
}

/// Passes of one chunk.
pub(super) fn passes(plan: &Draft<'_>, schedule: &CpuSchedule) -> usize {
    let per_segment = plan.shape.bucket_sets.div_ceil(schedule.sets_per_pass) as usize;
    schedule.base_segments * schedule.bucket_ranges * per_segment
}

/// Predicted time of the largest pass on one thread.
fn pass_nanoseconds(plan: &Draft<'_>, schedule: &CpuSchedule, additions: &Additions) -> f64 {
    let (shape, device, rates) = (&plan.shape, &plan.request.device, plan.request.device.rates);
    let kernel = kernel(plan.request.curve, device);
    let projective = projective(plan.request.curve, device);
    let workers = schedule.threads_per_pass(device) as f64;
    let ranges = schedule.bucket_ranges as f64;
    // A tree over runs of this length takes that many rounds, each with one inversion per slice;
    // and the trees of the reduction one for every bit of the window and a few more.
    let rounds = (additions.entries / additions.buckets).max(1.0).log2() + 2.0;
    let reduce_rounds = workers * f64::from(shape.window_bits + 3);
    // The share of a pass in all of them.
    let sets = f64::from(shape.bucket_sets) * (plan.chunks * schedule.base_segments) as f64;
    let share = f64::from(schedule.sets_per_pass) / (sets * ranges);
    let slices = (share * additions.entries / schedule.slice_entries as f64).max(workers);
    let (per_addition, inversions) = match schedule.accumulate {
        CpuAccumulate::Grouped(_, SumLists::Slices | SumLists::BatchedAffine) => {
            (kernel.addition, slices * rounds + reduce_rounds)
        }
        CpuAccumulate::InPlace => {
            let buckets = shape.buckets as f64 * f64::from(schedule.sets_per_pass);
            // On average half of the batch is filled when an addition comes.
            let deferred = (0.5 * IN_PLACE_BATCH as f64 / buckets).min(1.0);
            let batches = share * additions.bucket / IN_PLACE_BATCH as f64 + 1.0;
            (kernel.addition + rates.in_place.deferred * deferred, batches + reduce_rounds)
        }
        CpuAccumulate::Grouped(_, SumLists::PerBucket | SumLists::FusedSweep) => (projective, 0.0),
    };
    let far = match schedule.accumulate {
        CpuAccumulate::InPlace => reads::in_order(plan, schedule),
        CpuAccumulate::Grouped(..) => reads::at_random(plan, schedule),
    };
    let list = additions.entries / (sets * ranges);
    // Entries of lists and counters have four bytes.
    let far_list = 4.0 * list > rates.reach.list * device.caches.l2 as f64;
    let counters = 4.0 * shape.buckets as f64;
    let far_counters = counters > rates.reach.counters * device.caches.l1d as f64;
    let other = (ranges - 1.0) * rates.group.other_entry;
    let entry = match schedule.accumulate {
        CpuAccumulate::InPlace => rates.in_place.digit,
        CpuAccumulate::Grouped(..) if far_list || far_counters => rates.group.far_entry + other,
        CpuAccumulate::Grouped(..) => rates.group.near_entry + other,
    };
    // In every pass up to 2·c points of each bucket set are put together, one at a time.
    let single = sets * ranges * 2.0 * f64::from(shape.window_bits) * projective;
    let all = additions.bucket * (per_addition + far)
        + additions.reduce * kernel.reduction
        + additions.entries * entry
        + additions.buckets * rates.group.bucket
        + single;
    share * all + inversions * kernel.inversion
}

/// How long all passes of a chunk take where the largest takes `pass`.
fn makespan(plan: &Draft<'_>, schedule: &CpuSchedule, pass: f64) -> f64 {
    let (passes, flights) = (passes(plan, schedule), schedule.passes_in_flight);
    let device = &plan.request.device;
    let rates = &device.rates.passes;
    let in_place = schedule.accumulate == CpuAccumulate::InPlace;
    if schedule.threads_per_pass(device) > 1 && !in_place {
        let workers = device.threads as f64 / flights as f64;
        return pass
            * (rates.shared / workers + rates.serial)
            * (passes as f64 / flights as f64).ceil();
    }
    let left = (passes % flights) as f64;
    let last = match schedule.work_stealing || schedule.split_last_passes {
        true => (rates.shared * left / flights as f64).min(1.0),
        false => left.min(1.0),
    };
    pass * ((passes / flights) as f64 + last)
}

/// What a table that the plan chose adds to the time of a run: its making, divided among many.
pub(super) fn share_of_table(plan: &Plan, curve: &CurveSpec) -> f64 {
    let (table, device) = (plan.table(), &plan.device);
    let (rates, kernel) = (&device.rates.tables, kernel(curve, device));
    let TableOperations { doublings, additions, images } = table.operations(plan.n);
    let operations = rates.doubling * doublings + additions + rates.image * images;
    let written = rates.byte * plan.table_bytes() as f64;
    (operations * kernel.addition + written) / (device.threads as f64 * rates.runs)
}

/// Prices a plan whose passes are set, and says whether threads share them.
pub(super) fn price(plan: &Draft<'_>, schedule: &mut CpuSchedule) -> Cost {
    let (shape, device) = (&plan.shape, &plan.request.device);
    let (rates, kernel) = (device.rates, kernel(plan.request.curve, device));
    let additions = Additions::of(plan, schedule);
    let pass = pass_nanoseconds(plan, schedule, &additions);
    let long = pass > rates.passes.stealing;
    let shared = device.threads > 1 && (schedule.threads_per_pass(device) > 1 || long);
    schedule.split_last_passes = shared && schedule.accumulate == CpuAccumulate::InPlace;
    schedule.work_stealing = shared && !schedule.split_last_passes;
    let (n, threads) = (plan.request.n as f64, device.threads as f64);
    let loaded = if plan.request.resident { 0.0 } else { n * shape.copies() as f64 };
    let more = loaded * f64::from(shape.odd_multiples - 1);
    let recode = match Weights::of(shape) {
        Some(_) => rates.decompose.odd_digit * f64::from(shape.windows) * shape.halves() as f64,
        None => 0.0,
    };
    let decompose = if shape.endomorphism { rates.decompose.split } else { rates.decompose.scalar };
    let spread = n * (recode + decompose) + loaded * kernel.load + more * kernel.addition;
    // Windows are put together by one thread.
    let doublings = f64::from(shape.bucket_sets * shape.window_bits);
    let projective = projective(plan.request.curve, device);
    let serial = (doublings + f64::from(shape.bucket_sets)) * projective;
    let start = rates.passes.start + rates.passes.thread * schedule.passes_in_flight as f64;
    let passes = plan.chunks as f64 * makespan(plan, schedule, pass);
    Cost {
        bucket_additions: additions.bucket,
        reduce_additions: additions.reduce,
        doublings,
        nanoseconds: start + spread / threads + passes + serial,
    }
}

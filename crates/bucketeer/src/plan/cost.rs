//! The cost model: additions × the cost of one, plus what each stage spends per entry and per bucket.
//!
//! ```text
//! accumulate   entries − occupied buckets          additions
//! reduce       2 · occupied buckets                additions
//! combine      sets · c                            doublings, on one core
//! load         bases · copies                      products and copies, unless the bases are there
//! decompose    scalars                             reductions, and splits along the endomorphism
//! group        entries                             digit extractions and scattered writes
//! ```
//! entries = bases · copies · sets, less the zero digits; with uniform digits a set of `B` buckets that
//! receives `E` entries has `B·(1 − e^(−E/B))` occupied ones. Costs per operation are measured
//! (docs/benchmarks); only their ratios matter for the choices.

use super::memory::BATCH;
use super::{Accumulate, Digits, Plan, Weights, reads};
use crate::CurveSpec;
use crate::device::{Arithmetic, DeviceFacts};

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

/// Measured cost of single operations on one core, in nanoseconds.
pub(super) struct Rates {
    /// One addition inside a batch of affine additions, with its share of the lists but not of the inversion.
    pub addition: f64,
    /// One of the reduce stage.
    pub reduction: f64,
    /// One inversion, shared by a batch.
    pub inversion: f64,
    /// One projective addition or doubling.
    pub projective: f64,
    /// One base brought into the kernel's form.
    pub load: f64,
}

/// One scalar through decompose: as it is or negated, and split along the endomorphism.
const DECOMPOSE: [f64; 2] = [55.0, 150.0];

/// One digit with odd multiples.
const RECODE: f64 = 2.5;

/// One entry through group, where counters stay in a first cache and the list in a second, and beyond; and a digit
/// that belongs to another range of buckets.
const ENTRY: [f64; 2] = [7.5, 12.0];
const OTHER_ENTRY: f64 = 8.0;

/// Buckets whose counters fill a first cache, and entries whose list fills a second one.
const NEAR_BUCKETS: u64 = 1 << 13;
const NEAR_ENTRIES: f64 = (1 << 18) as f64;

/// What an addition of the reduce stage costs more than one of accumulate with IFMA: its lists are made by one
/// thread, and its batches are smaller. On words additions outweigh that.
const REDUCE_OVERHEAD: f64 = 30.0;

/// One digit listed to be added in place, and what it costs to let it wait for another batch.
const LISTED: f64 = 8.0;
const WAITING: f64 = 45.0;

/// What a run with buckets costs beyond its stages, and more for each thread that is woken.
const START: [f64; 2] = [50e3, 2e3];

/// Measured cost of single operations in arkworks' own coordinates, in nanoseconds.
pub(super) struct StrausRates {
    pub doubling: f64,
    /// Of an affine point.
    pub addition: f64,
    /// One multiple of a base, its share of the common inversion included but not the inversion itself.
    pub multiple: f64,
    /// The image of a multiple under the endomorphism.
    pub image: f64,
    pub inversion: f64,
}

pub(super) fn straus_rates(curve: &CurveSpec) -> StrausRates {
    let product = scalar_product(curve);
    let words = curve.limbs as f64;
    StrausRates {
        doubling: 11.0 * product,
        addition: 15.0 * product,
        multiple: 30.0 * product,
        image: 1.5 * product,
        inversion: 575.0 * words * words.sqrt(),
    }
}

/// One product of arkworks' field.
fn scalar_product(curve: &CurveSpec) -> f64 {
    let words = curve.limbs as f64;
    (words * words + 3.0) * if curve.degree == 1 { 1.0 } else { 3.2 }
}

impl Rates {
    pub(super) fn of(curve: &CurveSpec, device: &DeviceFacts) -> Self {
        let words = curve.limbs as f64;
        let (degree, power) = (curve.degree as f64, words * words.sqrt());
        let projective = 18.0 * scalar_product(curve);
        match Arithmetic::choose(curve, device) {
            Arithmetic::Ifma => {
                let product = 0.26 * words * words - 0.6;
                let product = product * if curve.degree == 1 { 1.0 } else { 4.2 };
                let addition = 5.9 * product + 5.0 * words * degree.sqrt();
                Self {
                    addition,
                    reduction: addition + REDUCE_OVERHEAD,
                    inversion: 125.0 * power + 12.0 * product,
                    projective,
                    load: 10.0 * words * degree,
                }
            }
            // On words; arkworks' fields of other shapes are slower throughout.
            Arithmetic::Portable => {
                let product = words * words * if curve.degree == 1 { 1.0 } else { 3.2 };
                let addition = 6.0 * product + 15.0 + 5.0 * words * degree;
                Self {
                    addition,
                    reduction: addition,
                    inversion: 125.0 * power + 4.0 * product,
                    projective,
                    load: 10.0 * words * degree,
                }
            }
        }
    }
}

/// Additions into buckets, and to reduce them, over all passes.
struct Additions {
    entries: f64,
    buckets: f64,
    bucket: f64,
    reduce: f64,
}

impl Additions {
    fn of(plan: &Plan) -> Self {
        let shape = &plan.shape;
        let buckets = shape.buckets as f64;
        let bases = plan.n as f64 * shape.halves() as f64;
        let zero_digits = match shape.digits {
            Digits::Unsigned => 1.0 / (buckets + 1.0),
            Digits::Signed => (-f64::from(shape.window_bits)).exp2(),
        };
        let entries = bases * f64::from(shape.windows) * (1.0 - zero_digits);
        let parts = (plan.chunks * plan.segments) as f64;
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
pub(super) fn passes(plan: &Plan) -> usize {
    plan.segments * plan.ranges * plan.shape.bucket_sets.div_ceil(plan.sets_per_pass) as usize
}

/// Predicted time of the largest pass on one thread.
fn pass_nanoseconds(plan: &Plan, curve: &CurveSpec, rates: &Rates, additions: &Additions) -> f64 {
    let shape = &plan.shape;
    // A tree over runs of this length takes that many rounds, each with one inversion per slice; and the
    // trees of the reduction one for every bit of the window and a few more.
    let rounds = (additions.entries / additions.buckets).max(1.0).log2() + 2.0;
    let reduce_rounds = plan.workers() as f64 * f64::from(shape.window_bits + 3);
    // The share of a pass in all of them.
    let sets = f64::from(shape.bucket_sets) * (plan.chunks * plan.segments) as f64;
    let share = f64::from(plan.sets_per_pass) / (sets * plan.ranges as f64);
    let slices = (share * additions.entries / plan.slice as f64).max(plan.workers() as f64);
    let (per_addition, inversions) = match plan.accumulate {
        Accumulate::Slices => (rates.addition, slices * rounds + reduce_rounds),
        Accumulate::InPlace => {
            let buckets = shape.buckets as f64 * f64::from(plan.sets_per_pass);
            let waiting = (0.5 * BATCH as f64 / buckets).min(1.0);
            let batches = share * additions.bucket / BATCH as f64 + 1.0;
            (rates.addition + WAITING * waiting, batches + reduce_rounds)
        }
        Accumulate::PerBucket | Accumulate::FusedSweep | Accumulate::Straus => {
            (rates.projective, 0.0)
        }
    };
    let far = match plan.accumulate {
        Accumulate::InPlace => reads::in_order(plan, curve),
        _ => reads::at_random(plan, curve),
    };
    let list = additions.entries / (sets * plan.ranges as f64);
    let other = (plan.ranges - 1) as f64 * OTHER_ENTRY;
    let far_lists = list > NEAR_ENTRIES || shape.buckets > NEAR_BUCKETS;
    let entry = match plan.accumulate {
        Accumulate::InPlace => LISTED,
        _ => ENTRY[usize::from(far_lists)] + other,
    };
    // In every pass up to 2·c points of each bucket set are put together, one at a time.
    let single = sets * plan.ranges as f64 * 2.0 * f64::from(shape.window_bits) * rates.projective;
    let all = additions.bucket * (per_addition + far)
        + additions.reduce * rates.reduction
        + additions.entries * entry
        + additions.buckets * 1.5
        + single;
    share * all + inversions * rates.inversion
}

/// How many times as much work a pass is that threads share, since they wait for each other; and what part of it
/// only one of them can do.
const SHARED: f64 = 1.4;
const ALONE: f64 = 0.1;

/// How long all passes of a chunk take where the largest takes `pass`.
fn makespan(plan: &Plan, pass: f64) -> f64 {
    let (passes, flights) = (passes(plan), plan.passes_in_flight);
    if plan.workers() > 1 && plan.accumulate != Accumulate::InPlace {
        let workers = plan.device.threads as f64 / flights as f64;
        return pass * (SHARED / workers + ALONE) * (passes as f64 / flights as f64).ceil();
    }
    let left = (passes % flights) as f64;
    let last = match plan.helping {
        true => (SHARED * left / flights as f64).min(1.0),
        false => left.min(1.0),
    };
    pass * ((passes / flights) as f64 + last)
}

/// Passes shorter than this, in nanoseconds, are not shared: whoever waits for a helper loses more.
const WORTH_HELP: f64 = 1e6;

/// Prices a plan whose passes are set, and says whether they are worth helping with.
pub(super) fn price(plan: &mut Plan, curve: &CurveSpec) {
    let rates = Rates::of(curve, &plan.device);
    let additions = Additions::of(plan);
    let pass = pass_nanoseconds(plan, curve, &rates, &additions);
    plan.helping = plan.device.threads > 1 && (plan.workers() > 1 || pass > WORTH_HELP);
    let shape = &plan.shape;
    let threads = plan.device.threads as f64;
    let loaded = if plan.resident { 0.0 } else { plan.n as f64 * shape.copies() as f64 };
    let more = loaded * f64::from(shape.odd_multiples - 1);
    let decompose = match Weights::of(shape) {
        Some(_) => RECODE * f64::from(shape.windows) * shape.halves() as f64,
        None => 0.0,
    };
    let decompose = decompose + DECOMPOSE[usize::from(shape.endomorphism)];
    let spread = plan.n as f64 * decompose + loaded * rates.load + more * rates.addition;
    // Windows are put together by one thread.
    let doublings = f64::from(shape.bucket_sets * shape.window_bits);
    let serial = (doublings + f64::from(shape.bucket_sets)) * rates.projective;
    let start = START[0] + START[1] * plan.passes_in_flight as f64;
    let passes = plan.chunks as f64 * makespan(plan, pass);
    plan.cost = Cost {
        bucket_additions: additions.bucket,
        reduce_additions: additions.reduce,
        doublings,
        nanoseconds: start + spread / threads + passes + serial,
    };
}

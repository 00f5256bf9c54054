//! The cost model: additions × the cost of one, plus what each stage spends per entry and per bucket.
//!
//! ```text
//! accumulate   entries − occupied buckets          additions
//! reduce       2 · occupied buckets                additions
//! combine      windows · c                         doublings, on one core
//! group        entries                             digit extractions and scattered writes
//! ```
//! entries = bases · copies · sets, less the zero digits; with uniform digits a set of `B` buckets that
//! receives `E` entries has `B·(1 − e^(−E/B))` occupied ones. Costs per operation are measured
//! (docs/benchmarks) and scale with the square of the limbs; only their ratios matter for the choices.

use super::{Accumulate, Digits, Plan};
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
    /// One addition inside a batch of affine additions, the shared inversion apart.
    pub addition: f64,
    /// One inversion, shared by a batch.
    pub inversion: f64,
    /// One projective addition or doubling.
    pub projective: f64,
    /// One entry through decompose and group.
    pub entry: f64,
}

impl Rates {
    pub(super) fn of(curve: &CurveSpec, device: &DeviceFacts) -> Self {
        let words = curve.limbs as f64;
        // Products of an extension field cost three of its prime field.
        let products = if curve.degree == 1 { 1.0 } else { 3.2 };
        let scalar_product = (1.0 * words * words + 3.0) * products;
        let product = match Arithmetic::choose(curve, device) {
            Arithmetic::Ifma => (0.42 * words * words + 3.0) * products,
            Arithmetic::Portable => scalar_product,
        };
        Self {
            addition: 6.0 * product + 30.0 + 8.0 * words * curve.degree as f64,
            inversion: 600.0 * words * words.sqrt() + 12.0 * product,
            projective: 14.0 * scalar_product,
            entry: 25.0,
        }
    }
}

/// An addition of the reduce stage costs more than one of accumulate: its batches are smaller and its
/// lists are made by one thread. Measured 1.0 to 1.5.
const REDUCE_FACTOR: f64 = 1.4;

pub(super) fn estimate(plan: &Plan, curve: &CurveSpec) -> Cost {
    let rates = Rates::of(curve, &plan.device);
    let shape = &plan.shape;
    let (buckets, sets) = (shape.buckets as f64, f64::from(shape.bucket_sets));
    let bases = plan.n as f64 * shape.halves() as f64;
    let zero_digits = match shape.digits {
        Digits::Unsigned => 1.0 / (buckets + 1.0),
        Digits::Signed => 0.5 / buckets,
    };
    let entries = bases * f64::from(shape.windows) * (1.0 - zero_digits);
    let chunks = plan.chunks as f64;
    let per_set = entries / (sets * chunks);
    let occupied = buckets * (1.0 - (-per_set / buckets).exp()) * sets * chunks;
    let bucket_additions = (entries - occupied).max(0.0);
    let reduce_additions = 2.0 * occupied;
    let doublings = f64::from(shape.windows * shape.window_bits) * chunks;
    // A tree over runs of this length takes that many rounds, each with one inversion per slice.
    let rounds = (per_set / buckets).max(1.0).log2() + 2.0;
    let slices = (entries / plan.slice as f64).max(chunks * sets / f64::from(plan.sets_per_pass));
    let (per_addition, inversions) = match plan.accumulate {
        Accumulate::Slices => (rates.addition, slices * rounds),
        Accumulate::PerBucket | Accumulate::FusedSweep => (rates.projective, 0.0),
    };
    let parallel = bucket_additions * per_addition
        + reduce_additions * REDUCE_FACTOR * rates.addition
        + inversions * rates.inversion
        + entries * rates.entry
        + sets * chunks * buckets * 1.0;
    // Per bucket set: up to 2·c points put together with doublings, sets side by side; then Horner.
    let serial = doublings * rates.projective;
    let threads = plan.device.threads as f64;
    let nanoseconds = (parallel + 2.0 * serial) / threads + serial;
    Cost { bucket_additions, reduce_additions, doublings, nanoseconds }
}

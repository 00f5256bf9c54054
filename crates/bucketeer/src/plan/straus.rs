//! Plans without buckets, for a few bases: when they are considered, what they cost and hold.

use super::cost::straus_rates;
use super::memory::{BASES, held_bases, scalar_bytes};
use super::{Accumulate, Buffer, Cost, Plan, Request, ScalarBound, Unfit};
use crate::device::DeviceKind;
use crate::{CurveSpec, Model};

/// Most bases for which a way without buckets is priced beside those with.
const MOST: usize = 128;

/// Most bases of a chunk: as many scalars as one worker decomposes at a time, so that a run needs no other
/// thread.
const MOST_OF_CHUNK: usize = 512;

/// Possible widths: 2 to 128 odd multiples of every base.
pub(super) const BITS: std::ops::RangeInclusive<u32> = 2..=8;

/// Up to so many bases buckets are not even priced.
const ALWAYS: usize = 3;

/// Whether to plan without buckets.
pub(super) enum Wanted {
    No,
    /// Where it costs less.
    Also,
    /// By the user's wish, or because the loaded table was made for it.
    Only,
}

pub(super) fn wanted(request: &Request<'_>) -> Wanted {
    let settings = request.settings;
    match (request.table, settings.accumulate) {
        (Some(table), _) if table.multiples > 0 => Wanted::Only,
        (Some(_), _) => Wanted::No,
        (None, Some(Accumulate::Straus)) => Wanted::Only,
        (None, Some(_)) => Wanted::No,
        // Whoever wishes something of windows or buckets wants buckets.
        (None, None) => {
            let free = settings.window_bits.is_none()
                && settings.group.is_none()
                && settings.reduce.is_none();
            let usable = request.device.kind == DeviceKind::Cpu && possible(request);
            match request.n {
                0..=ALWAYS if free && usable => Wanted::Only,
                0..=MOST if free && usable => Wanted::Also,
                _ => Wanted::No,
            }
        }
    }
}

/// Whether additions in arkworks' own coordinates are right for all bases that may come.
pub(super) fn possible(request: &Request<'_>) -> bool {
    !request.settings.any_point || adds_any_point(request.curve)
}

/// Whether they are right for every point of the curve: Edwards additions are on complete curves only.
pub(crate) fn adds_any_point(curve: &CurveSpec) -> bool {
    let complete = curve.edwards.as_ref().is_some_and(|edwards| edwards.complete);
    complete || matches!(curve.model, Model::ShortWeierstrass { .. })
}

/// The widths worth pricing: multiples and additions balance at 4 and 5 bits, and before for short scalars.
pub(super) fn widths(request: &Request<'_>) -> std::ops::RangeInclusive<u32> {
    let fixed = request.table.map(|table| table.window_bits).or(request.settings.window_bits);
    match (fixed, request.scalars) {
        (Some(bits), _) => bits..=bits,
        (None, ScalarBound::Order) => 4..=5,
        (None, ScalarBound::Bits(_)) => 2..=5,
    }
}

/// Chooses the chunk, lists the buffers and prices the plan.
pub(super) fn fit(plan: &mut Plan, request: &Request<'_>, available: u64) -> Result<(), Unfit> {
    plan.sets_per_pass = plan.shape.bucket_sets;
    plan.chunk = plan.chunk.min(MOST_OF_CHUNK);
    loop {
        plan.chunks = plan.n.div_ceil(plan.chunk).max(1);
        plan.buffers = buffers(plan, request);
        if plan.bytes() <= available {
            plan.cost = estimate(plan, request.curve);
            return Ok(());
        }
        if plan.chunk == 1 {
            return Err(Unfit::Memory(plan.bytes()));
        }
        plan.chunk = plan.chunk.div_ceil(2);
    }
}

fn buffers(plan: &Plan, request: &Request<'_>) -> Vec<Buffer> {
    let shape = &plan.shape;
    // Affine points with a flag for infinity.
    let point = request.curve.point_bytes() + 8;
    let held = held_bases(plan, request);
    let multiples = held.saturating_mul(u64::from(shape.precompute)).saturating_mul(shape.buckets);
    let halves = shape.halves() as u64;
    let streams = plan.chunk as u64 * shape.copies() as u64;
    // Two bytes for every bit of a scalar.
    let digits = streams * (2 * u64::from(shape.window_bits * shape.bucket_sets + 1) + 8);
    vec![
        Buffer { name: BASES, bytes: multiples.saturating_mul(halves).saturating_mul(point) },
        Buffer { name: "scalars", bytes: scalar_bytes(plan) + digits },
        // While the table is made: multiples in up to four coordinates, their inverses, and affine ones.
        Buffer { name: "multiples", bytes: multiples.saturating_mul(4 * point) },
        Buffer { name: "workspaces", bytes: 16 << 10 },
    ]
}

fn estimate(plan: &Plan, curve: &CurveSpec) -> Cost {
    let shape = &plan.shape;
    let rates = straus_rates(curve);
    let halves = shape.halves() as f64;
    // In the non-adjacent form one digit in c + 2 is not zero.
    let digits = f64::from(shape.scalar_bits) / f64::from(shape.window_bits + 2);
    let additions = plan.n as f64 * halves * digits;
    let chunks = plan.chunks as f64;
    let doublings = f64::from(shape.bucket_sets * shape.window_bits) * chunks;
    let mut nanoseconds = doublings * rates.doubling + additions * rates.addition;
    let made = match plan.resident {
        true => 0.0,
        false => plan.n as f64 * f64::from(shape.precompute) * shape.buckets as f64,
    };
    if !plan.resident {
        let shifted = plan.n as f64 * f64::from(shape.precompute - 1);
        nanoseconds += made * (rates.multiple + (halves - 1.0) * rates.image)
            + shifted * f64::from(shape.bucket_sets * shape.window_bits) * rates.doubling
            + chunks * rates.inversion;
    }
    Cost { bucket_additions: additions + made, reduce_additions: 0.0, doublings, nanoseconds }
}

//! Plans without buckets, for a few bases: when they are considered, what they cost and hold.

use super::buffer::{BufferKind, total};
use super::cpu::scalar_bytes;
use super::draft::{Draft, Shortage};
use super::validate::Valid;
use super::{
    Accumulate, Buffer, Cost, Digits, Plan, Request, ScalarBound, Schedule, Shape, StrausSchedule,
};
use crate::facts::DeviceKind;
use crate::{CurveSpec, Model};

/// Most bases of a chunk: as many scalars as one thread decomposes at a time, so that a run needs
/// no other thread.
const MOST_OF_CHUNK: usize = 512;

/// Possible widths: 2 to 128 odd multiples of every base.
pub(super) const BITS: std::ops::RangeInclusive<u32> = 2..=8;

/// Whether to plan without buckets.
pub(super) enum Wanted {
    No,
    /// Where it costs less.
    Also,
    /// The user chose it, or the loaded table was made for it.
    Only,
}

pub(super) fn wanted(request: &Valid<'_>) -> Wanted {
    let settings = &request.settings;
    match (request.table, settings.accumulate) {
        (Some(table), _) if table.multiples > 0 => Wanted::Only,
        (Some(_), _) => Wanted::No,
        (None, Some(Accumulate::Straus)) => Wanted::Only,
        (None, Some(_)) => Wanted::No,
        // Settings for windows, digits or buckets imply buckets.
        (None, None) => {
            let free = settings.window_bits.is_none()
                && settings.odd_multiples.is_none()
                && settings.digits != Some(Digits::Unsigned)
                && settings.group.is_none()
                && settings.reduce.is_none();
            let usable = request.device.kind == DeviceKind::Cpu && possible(request);
            let (rates, n) = (&request.device.rates.straus, request.n as f64);
            match free && usable {
                true if n <= rates.always => Wanted::Only,
                true if n <= rates.most => Wanted::Also,
                _ => Wanted::No,
            }
        }
    }
}

/// Whether additions in arkworks' own coordinates are right for all bases that may come.
pub(super) fn possible(request: &Request<'_>) -> bool {
    !request.settings.any_point || adds_any_point(request.curve)
}

/// Whether they are right for every point of the curve: Edwards additions are on complete curves
/// only.
pub(crate) fn adds_any_point(curve: &CurveSpec) -> bool {
    let complete = curve.edwards.as_ref().is_some_and(|edwards| edwards.complete);
    complete || matches!(curve.model, Model::ShortWeierstrass { .. })
}

/// The widths worth pricing: multiples and additions balance at 4 and 5 bits, and before for short
/// scalars.
pub(super) fn widths(request: &Valid<'_>) -> std::ops::RangeInclusive<u32> {
    let fixed = request.table.map(|table| table.window_bits).or(request.settings.window_bits);
    match (fixed, request.scalars) {
        (Some(bits), _) => bits..=bits,
        (None, ScalarBound::Order) => 4..=5,
        (None, ScalarBound::Bits(_) | ScalarBound::Signed(_)) => 2..=5,
    }
}

/// Chooses the chunk, lists the buffers and prices the plan.
pub(super) fn fit(draft: Draft<'_>) -> Result<Plan, Shortage> {
    // Odd numbers below 2^c, the digits of the non-adjacent form.
    let schedule = StrausSchedule { multiples: 1 << (draft.shape.window_bits - 1) };
    let shape = Shape { buckets: 0, ..draft.shape };
    let mut draft = Draft { shape, ..draft }.with_chunk(draft.chunk.min(MOST_OF_CHUNK));
    loop {
        let buffers = buffers(&draft, &schedule);
        let bytes = total(&buffers);
        if bytes <= draft.available {
            let cost = estimate(&draft, &schedule);
            return Ok(draft.finish(Schedule::Straus(schedule), buffers, cost));
        }
        if draft.chunk == 1 {
            return Err(Shortage::Memory(bytes));
        }
        draft = draft.with_chunk(draft.chunk.div_ceil(2));
    }
}

fn buffers(draft: &Draft<'_>, schedule: &StrausSchedule) -> Vec<Buffer> {
    let shape = &draft.shape;
    // Affine points with a flag for infinity.
    let point = draft.request.curve.point_bytes() + 8;
    let held = draft.held_bases(draft.chunk as u64);
    let copies = held.saturating_mul(u64::from(shape.precompute));
    let multiples = copies.saturating_mul(schedule.multiples);
    let halves = shape.halves() as u64;
    let streams = draft.chunk as u64 * shape.copies() as u64;
    // Two bytes for every bit of a scalar.
    let digits = streams * (2 * u64::from(shape.window_bits * shape.bucket_sets + 1) + 8);
    vec![
        Buffer::new(BufferKind::Bases, multiples.saturating_mul(halves).saturating_mul(point)),
        Buffer::new(BufferKind::Scalars, scalar_bytes(draft) + digits),
        // To make the table: multiples in up to four coordinates, their inverses, and affine ones.
        Buffer::new(BufferKind::Multiples, multiples.saturating_mul(4 * point)),
        Buffer::new(BufferKind::Workspaces, 16 << 10),
    ]
}

fn estimate(draft: &Draft<'_>, schedule: &StrausSchedule) -> Cost {
    let (shape, n) = (&draft.shape, draft.request.n as f64);
    let rates = &draft.request.device.rates.arkworks;
    let halves = shape.halves() as f64;
    // In the non-adjacent form one digit in c + 2 is not zero.
    let digits = f64::from(shape.scalar_bits) / f64::from(shape.window_bits + 2);
    let additions = n * halves * digits;
    let chunks = draft.chunks as f64;
    let doublings = f64::from(shape.bucket_sets * shape.window_bits) * chunks;
    let mut products = doublings * rates.doubling + additions * rates.addition;
    let mut inversions = 0.0;
    let made = match draft.request.resident {
        true => 0.0,
        false => n * f64::from(shape.precompute) * schedule.multiples as f64,
    };
    if !draft.request.resident {
        let shifted = n * f64::from(shape.precompute - 1);
        products += made * (rates.multiple + (halves - 1.0) * rates.image)
            + shifted * f64::from(shape.bucket_sets * shape.window_bits) * rates.doubling;
        inversions = chunks;
    }
    let curve = draft.request.curve;
    let nanoseconds = products * rates.product_of(curve) + inversions * rates.inversion_of(curve);
    Cost { bucket_additions: additions + made, reduce_additions: 0.0, doublings, nanoseconds }
}

//! The shapes worth pricing: for every way to accumulate, how many copies and odd multiples of the
//! bases, how wide the windows, which digits, with or without the endomorphism.

use std::ops::RangeInclusive;

use super::cpu::stored_point_bytes;
use super::odd::{MAX_ODD_MULTIPLES, Weights};
use super::shape::{Copies, DigitForm, MAX_PRECOMPUTE, MAX_WINDOW_BITS, Shape, Table};
use super::validate::{Valid, needs_all_weights};
use super::{Accumulate, Digits, Form, ScalarBound, Settings, draft, straus};
use crate::facts::{Arithmetic, DeviceKind};

/// All shapes that the request allows with this precompute factor, each with its way to accumulate.
/// None if a loaded table has fewer copies, or if memory cannot hold the table of a plan that may
/// choose another.
pub(super) fn candidates(
    request: &Valid<'_>,
    precompute: u32,
    widths: Widths,
) -> Vec<(Accumulate, Shape)> {
    let mut ways = match request.settings.accumulate {
        Some(way) => vec![way],
        None if affine_pays(request) => vec![Accumulate::Slices, Accumulate::BatchedAffine],
        None => vec![Accumulate::Slices, Accumulate::InPlace],
    };
    match straus::wanted(request) {
        straus::Wanted::No => {}
        straus::Wanted::Also => ways.push(Accumulate::Straus),
        straus::Wanted::Only => ways = vec![Accumulate::Straus],
    }
    let mut candidates = Vec::new();
    let mut add = |way, widths, copies, digits| {
        let shapes = shapes(request, copies, widths, digits);
        candidates.extend(shapes.into_iter().map(|shape| (way, shape)));
    };
    for way in ways {
        if way == Accumulate::Straus && widths == Widths::Narrow {
            continue;
        }
        if way == Accumulate::Straus {
            let copies = Copies { precompute, odd_multiples: 1 };
            add(way, straus::widths(request), copies, Some(Digits::Signed));
            continue;
        }
        for odd_multiples in odd_multiples(request) {
            let copies = Copies { precompute, odd_multiples };
            let chosen = request.settings.accumulate.is_some();
            if way == Accumulate::InPlace && !chosen && !in_place_pays(request, copies) {
                continue;
            }
            let digits = if odd_multiples > 1 { Some(Digits::Signed) } else { None };
            let bits = widths.bits(request, copies);
            add(way, bits, copies, digits.or(request.settings.digits));
        }
    }
    if chooses_table(request) {
        let available = request.available();
        let point = stored_point_bytes(request.curve).saturating_mul(request.n as u64);
        let fits = |shape: &Shape| point.saturating_mul(shape.stored() as u64) <= available;
        // The smallest stays, so that the error says how much memory it needs. Without buckets it
        // has no odd multiples, requested or not.
        let least = odd_multiples(request)[0];
        let smallest = |shape: &Shape| shape.precompute == 1 && shape.odd_multiples <= least;
        candidates.retain(|(_, shape)| smallest(shape) || fits(shape));
    }
    candidates
}

/// Whether additions in place are worth pricing: on tables that are large because of their bases,
/// their copies or their odd multiples.
fn in_place_pays(request: &Valid<'_>, copies: Copies) -> bool {
    let precompute = request.table.map_or(copies.precompute, |table| table.precompute);
    let rates = &request.device.rates.in_place;
    let least = match Arithmetic::choose(request.curve, &request.device) {
        Arithmetic::Ifma => rates.least_ifma,
        Arithmetic::Simd128 | Arithmetic::Portable => rates.least_portable,
    };
    request.device.kind == DeviceKind::Cpu
        && request.settings.group.is_none()
        && (precompute > 1 || copies.odd_multiples > 1 || request.n as f64 >= least)
}

/// Fewest bases for which batched affine additions are priced beside others, over prime fields and
/// over extensions: with fewer an H200 was slower with them (`./bench-gpu FOLDER affine`).
const MIN_AFFINE: [usize; 2] = [1 << 23, 1 << 19];

/// Whether batched affine additions are worth pricing: in large MSMs on NVIDIA GPUs, unless the
/// curve has an Edwards form there.
fn affine_pays(request: &Valid<'_>) -> bool {
    request.device.kind == DeviceKind::Cuda
        && request.n >= MIN_AFFINE[usize::from(request.curve.degree > 1)]
        && request.batch <= 1
        && draft::form(request) == Form::Weierstrass
        && super::gpu::affine_fits(request)
}

/// Numbers of odd multiples worth pricing.
fn odd_multiples(request: &Valid<'_>) -> Vec<u32> {
    if let Some(requested) = request.settings.odd_multiples {
        return vec![requested];
    }
    if request.device.kind != DeviceKind::Cpu || needs_all_weights(&request.settings).is_some() {
        return vec![1];
    }
    match request.table {
        Some(Table { odd_multiples, .. }) if odd_multiples > 1 => vec![1, odd_multiples],
        None if chooses_table(request) => {
            (0..=MAX_ODD_MULTIPLES.ilog2()).map(|log| 1 << log).collect()
        }
        _ => vec![1],
    }
}

/// The shapes with these copies and widths; with these digits, or all that are worth pricing.
fn shapes(
    request: &Valid<'_>,
    copies: Copies,
    widths: RangeInclusive<u32>,
    form: Option<Digits>,
) -> Vec<Shape> {
    let settings = &request.settings;
    let residues = request.scalars == ScalarBound::Order && !settings.any_point;
    let splittable = residues
        && request.device.kind == DeviceKind::Cpu
        && request.curve.endomorphism.is_some()
        && request.table.is_none_or(|table| table.endomorphism);
    let endomorphisms = match settings.endomorphism {
        Some(requested) => vec![requested && splittable],
        None if splittable => vec![false, true],
        None => vec![false],
    };
    let digits = match (form, request.scalars) {
        (Some(digits), _) => vec![digits],
        // For short integers the carry out of the top signed digit may need a window of its own.
        (None, ScalarBound::Bits(_) | ScalarBound::Signed(_)) => {
            vec![Digits::Signed, Digits::Unsigned]
        }
        (None, ScalarBound::Order) => vec![Digits::Signed],
    };
    let mut shapes = Vec::new();
    for window_bits in widths {
        for &digits in &digits {
            // Signed one-bit digits would be −1 and 0, which no positive number can be written in.
            let digits = match (window_bits, form) {
                (1, Some(Digits::Signed)) => continue,
                (1, _) => Digits::Unsigned,
                _ => digits,
            };
            for &endomorphism in &endomorphisms {
                let negate = residues
                    && !endomorphism
                    && settings.negate.unwrap_or(digits == Digits::Signed);
                let digits = DigitForm { digits, endomorphism, negate };
                shapes.extend(Shape::new(request, digits, window_bits, copies));
            }
        }
    }
    shapes
}

/// Which window widths to price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Widths {
    /// Those around log₂ of the bases, where additions and buckets balance.
    Usual,
    /// The narrower ones, whose buckets take less memory.
    Narrow,
}

impl Widths {
    fn bits(self, request: &Valid<'_>, copies: Copies) -> RangeInclusive<u32> {
        let table = request.table.filter(|table| table.precompute > 1);
        let fixed = table.map(|t| t.window_bits).or(request.settings.window_bits);
        let (least, usual) = match fixed {
            Some(bits) => (bits, bits..=bits),
            None => usual_widths(request, copies),
        };
        match self {
            Self::Usual => usual,
            Self::Narrow => least..=usual.start() - 1,
        }
    }
}

/// Narrowest windows that are priced for a GPU.
const MIN_GPU_WINDOW_BITS: u32 = 5;

/// The narrowest possible width, and the widths worth pricing.
fn usual_widths(request: &Valid<'_>, copies: Copies) -> (u32, RangeInclusive<u32>) {
    let Copies { precompute, odd_multiples } = copies;
    // Tables on NVIDIA GPUs fold all windows of a usual scalar unless the user chooses otherwise.
    let copies = if folds(request) { precompute.min(16) } else { precompute.min(64) };
    let points = request.n.saturating_mul(copies as usize).saturating_mul(odd_multiples as usize);
    let log = points.max(1).ilog2();
    let (least, widest) = match odd_multiples {
        1 => (1, MAX_WINDOW_BITS),
        _ => Weights::widths(odd_multiples).into_inner(),
    };
    // On a GPU the counters of fewer buckets are contended.
    let gpu = request.device.kind != DeviceKind::Cpu;
    let narrow = if gpu { MIN_GPU_WINDOW_BITS } else { least };
    let most = (log + 3).min(widest).min(MAX_WINDOW_BITS).max(narrow);
    // Many threads favour narrow windows, and more so with copies.
    let below = if copies > 1 { 10 } else { 7 };
    (least, log.saturating_sub(below).clamp(narrow, most)..=most)
}

/// The requested window width less one bit, for devices whose buffers are too small for it.
pub(super) fn narrower(request: &Valid<'_>) -> Option<Settings> {
    let settings = &request.settings;
    let fixed = request.table.is_some_and(|table| table.precompute > 1);
    let bits = settings.window_bits.filter(|bits| *bits > 2 && !fixed)?;
    let last = settings.last_window_bits.map(|bits| (bits - 1).max(1));
    (request.device.kind == DeviceKind::WebGpu).then(|| Settings {
        window_bits: Some(bits - 1),
        last_window_bits: last,
        ..settings.clone()
    })
}

/// Whether the plan chooses the copies and odd multiples of a table by their cost.
pub(super) fn chooses_table(request: &Valid<'_>) -> bool {
    request.settings.auto_precompute && chooses_factor(request)
}

/// Whether a table is to be made and the user has not chosen how many copies it holds.
fn chooses_factor(request: &Valid<'_>) -> bool {
    request.settings.precompute.is_none() && request.resident && request.table.is_none()
}

/// Whether the plan folds all windows onto one bucket set by default: for bases that stay on an
/// NVIDIA GPU.
fn folds(request: &Valid<'_>) -> bool {
    chooses_factor(request) && request.device.kind == DeviceKind::Cuda
}

/// The requested precompute factor, and smaller ones in case memory does not suffice: alternatives
/// in the order of preference, each a set of factors among which the cost decides.
pub(super) fn factors(request: &Valid<'_>) -> Vec<Vec<u32>> {
    if chooses_table(request) {
        return vec![vec![1, 2, 3, 4, 6, 8, 12, 16, 24, 32]];
    }
    let automatic = if folds(request) { MAX_PRECOMPUTE } else { 1 };
    let largest = request.settings.precompute.unwrap_or(automatic);
    let factors = std::iter::successors(Some(largest), |&f| match f {
        0 | 1 => None,
        // Factors above the number of windows are equivalent.
        64.. => Some(8),
        _ => Some(f / 2),
    });
    factors.map(|factor| vec![factor]).collect()
}

//! The shape of a run: how scalars become digits and how many bucket sets there are.

use num_bigint::BigUint;

use super::memory::stored_point_bytes;
use super::odd::{MAX_ODD_MULTIPLES, Weights};
use super::{Accumulate, Digits, Request, ScalarBound, Settings, straus, validate};
use crate::device::{Arithmetic, DeviceKind};

/// Widest window. Its signed digits fill 2^25 buckets.
pub const MAX_WINDOW_BITS: u32 = 26;

/// Largest precompute factor: one copy of a base for every bit of a 1024-bit scalar.
pub const MAX_PRECOMPUTE: u32 = 1024;

/// Fewest bases of which each is there once that may be added in place, with IFMA and on words.
const LEAST_IN_PLACE: [usize; 2] = [1 << 17, 1 << 16];

/// Longest integer scalars.
pub const MAX_SCALAR_BITS: u32 = 1024;

/// What a table of resident bases holds; runs on it must fit it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Table {
    /// Bits of the windows it was made for.
    pub window_bits: u32,
    /// Bucket sets it was made for: copy j holds `2^(j·window_bits·bucket_sets)·P`.
    pub bucket_sets: u32,
    /// Copies of each base.
    pub precompute: u32,
    /// Whether φ(P) stands beside each P.
    pub endomorphism: bool,
    /// Odd multiples P, 3P, 5P … of each of these points, for runs with buckets.
    pub odd_multiples: u32,
    /// Multiples of each of these points, for runs without buckets; 0 for runs with buckets.
    pub multiples: u64,
}

impl Table {
    /// Stored points per base, for runs with buckets.
    pub(crate) fn stored(&self) -> usize {
        let halves = 1 + usize::from(self.endomorphism);
        halves * (self.precompute * self.odd_multiples) as usize
    }
}

/// Windows, bucket sets and the form of the digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shape {
    /// Signed or unsigned digits.
    pub digits: Digits,
    /// Whether scalars are split along the endomorphism.
    pub endomorphism: bool,
    /// Whether residues above r/2 are replaced by their negatives.
    pub negate: bool,
    /// Bits of one scalar, or of one half of it, after negation.
    pub scalar_bits: u32,
    /// Bits `c` of a window.
    pub window_bits: u32,
    /// Bits of the last window.
    pub last_window_bits: u32,
    /// Digit positions of one (half) scalar.
    pub windows: u32,
    /// Copies of each base that are stored, `2^(j·c·bucket_sets)·P` for `j < f`.
    pub precompute: u32,
    /// Odd multiples of each copy that are stored.
    pub odd_multiples: u32,
    /// Bucket sets: windows folded by the precompute factor.
    pub bucket_sets: u32,
    /// Buckets in each set.
    pub buckets: u64,
    /// 64-bit words that hold one (half) scalar, with its sign in the top bit; or its digits, where odd multiples are
    /// stored.
    pub scalar_words: usize,
}

impl Shape {
    /// Halves of a scalar: 2 with the endomorphism, 1 without.
    pub fn halves(&self) -> usize {
        1 + usize::from(self.endomorphism)
    }

    /// Copies and images of a base: digits that it has in one bucket set.
    pub fn copies(&self) -> usize {
        self.halves() * self.precompute as usize
    }

    /// Stored points per base.
    pub fn stored(&self) -> usize {
        self.copies() * self.odd_multiples as usize
    }

    /// What the sum of a bucket is multiplied by.
    pub(crate) fn weight(&self, bucket: u32) -> u32 {
        match Weights::of(self) {
            None => bucket + 1,
            Some(weights) if bucket < weights.count() => weights.weight(bucket),
            Some(weights) => bucket - weights.count() + 1,
        }
    }

    /// Most entries that `bases` bases put into one bucket set.
    pub fn entries_per_set(&self, bases: usize) -> usize {
        bases.saturating_mul(self.copies())
    }

    /// Bits of all digits of a scalar together.
    pub fn digit_bits(&self) -> u32 {
        (self.windows - 1) * self.window_bits + self.last_window_bits
    }

    /// Added to every scalar so that each window's digit is `bits − 2^(c−1)` without carries:
    /// Σ 2^(c−1)·2^(jc) over the windows. Zero for unsigned digits.
    pub fn bias(&self) -> BigUint {
        bias(self.digits, self.window_bits, self.windows)
    }
}

fn bias(digits: Digits, window_bits: u32, windows: u32) -> BigUint {
    match digits {
        Digits::Unsigned => BigUint::ZERO,
        Digits::Signed => {
            let mut words = vec![0u32; (windows * window_bits).div_ceil(32) as usize];
            for bit in (1..=windows).map(|j| j * window_bits - 1) {
                words[(bit / 32) as usize] |= 1 << (bit % 32);
            }
            BigUint::new(words)
        }
    }
}

/// All shapes the request allows with this precompute factor, for each way to accumulate: odd multiples × window
/// widths × forms of the digits × endomorphism. Without any where a loaded table has fewer copies, or memory cannot hold
/// the table of a plan that may choose another.
pub(super) fn candidates(
    request: &Request<'_>,
    precompute: u32,
    widths: Widths,
) -> Vec<(Accumulate, Shape)> {
    let mut ways = match request.settings.accumulate {
        Some(way) => vec![way],
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
            add(way, straus::widths(request), (precompute, 1), Some(Digits::Signed));
            continue;
        }
        for odd_multiples in odd_multiples(request) {
            let copies = (precompute, odd_multiples);
            let chosen = request.settings.accumulate.is_some();
            if way == Accumulate::InPlace && !chosen && !in_place_pays(request, copies) {
                continue;
            }
            let digits = if odd_multiples > 1 { Some(Digits::Signed) } else { None };
            let bits = widths.bits(request, copies);
            add(way, bits, copies, digits.or(request.settings.digits));
        }
    }
    if request.settings.auto_precompute && chooses_factor(request) {
        let available = request.settings.memory_limit.unwrap_or(request.device.memory);
        let point = stored_point_bytes(request.curve).saturating_mul(request.n as u64);
        let fits = |shape: &Shape| point.saturating_mul(shape.stored() as u64) <= available;
        // The smallest stays, so that the error says how much memory it needs; without buckets it has no odd multiples,
        // requested or not.
        let least = odd_multiples(request)[0];
        let smallest = |shape: &Shape| shape.precompute == 1 && shape.odd_multiples <= least;
        candidates.retain(|(_, shape)| smallest(shape) || fits(shape));
    }
    candidates
}

/// Whether it is worth pricing to add in place: with a large table, by itself or for its copies.
fn in_place_pays(request: &Request<'_>, (precompute, odd_multiples): (u32, u32)) -> bool {
    let copies = request.table.map_or(precompute, |table| table.precompute);
    let least = match Arithmetic::choose(request.curve, &request.device) {
        Arithmetic::Ifma => LEAST_IN_PLACE[0],
        Arithmetic::Portable => LEAST_IN_PLACE[1],
    };
    request.device.kind == DeviceKind::Cpu
        && request.settings.group.is_none()
        && (copies > 1 || odd_multiples > 1 || request.n >= least)
}

/// Numbers of odd multiples worth pricing.
fn odd_multiples(request: &Request<'_>) -> Vec<u32> {
    if let Some(wish) = request.settings.odd_multiples {
        return vec![wish];
    }
    if request.device.kind != DeviceKind::Cpu
        || validate::needs_all_weights(request.settings).is_some()
    {
        return vec![1];
    }
    match request.table {
        Some(Table { odd_multiples, .. }) if odd_multiples > 1 => vec![1, odd_multiples],
        None if request.settings.auto_precompute && chooses_factor(request) => {
            (0..=MAX_ODD_MULTIPLES.ilog2()).map(|log| 1 << log).collect()
        }
        _ => vec![1],
    }
}

fn shapes(
    request: &Request<'_>,
    copies: (u32, u32),
    widths: std::ops::RangeInclusive<u32>,
    form: Option<Digits>,
) -> Vec<Shape> {
    let settings = request.settings;
    let residues = request.scalars == ScalarBound::Order && !settings.any_point;
    let splittable = residues
        && request.device.kind == DeviceKind::Cpu
        && request.curve.endomorphism.is_some()
        && request.table.is_none_or(|table| table.endomorphism);
    let endomorphisms = match settings.endomorphism {
        Some(wish) => vec![wish && splittable],
        None if splittable => vec![false, true],
        None => vec![false],
    };
    let digits = match (form, request.scalars) {
        (Some(digits), _) => vec![digits],
        // The carry of signed digits is a window of its own for short integers.
        (None, ScalarBound::Bits(_)) => vec![Digits::Signed, Digits::Unsigned],
        (None, ScalarBound::Order) => vec![Digits::Signed],
    };
    let mut shapes = Vec::new();
    for window_bits in widths {
        for &digits in &digits {
            // Signed one-bit digits would be −1 and 0, which express no positive number.
            let digits = match (window_bits, form) {
                (1, Some(Digits::Signed)) => continue,
                (1, _) => Digits::Unsigned,
                _ => digits,
            };
            for &endomorphism in &endomorphisms {
                let negate = residues
                    && !endomorphism
                    && settings.negate.unwrap_or(digits == Digits::Signed);
                let shape = shape(request, digits, endomorphism, negate, window_bits, copies);
                shapes.extend(shape);
            }
        }
    }
    shapes
}

/// Which widths of windows to price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Widths {
    /// Those around log₂ of the bases, where additions and buckets balance.
    Usual,
    /// The narrower ones, whose buckets take less memory.
    Narrow,
}

impl Widths {
    fn bits(self, request: &Request<'_>, copies: (u32, u32)) -> std::ops::RangeInclusive<u32> {
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

/// The narrowest possible width, and those worth pricing.
fn usual_widths(
    request: &Request<'_>,
    (precompute, odd_multiples): (u32, u32),
) -> (u32, std::ops::RangeInclusive<u32>) {
    // Tables of GPUs fold all windows of a usual scalar unless told otherwise.
    let copies = if folds(request) { precompute.min(16) } else { precompute.min(64) };
    let points = request.n.saturating_mul(copies as usize).saturating_mul(odd_multiples as usize);
    let log = points.max(1).ilog2();
    let (least, widest) = match odd_multiples {
        1 => (1, MAX_WINDOW_BITS),
        _ => Weights::widths(odd_multiples).into_inner(),
    };
    let most = (log + 3).min(widest).min(MAX_WINDOW_BITS).max(least);
    // Many threads favour narrow windows, and more so with copies.
    let below = if copies > 1 { 10 } else { 7 };
    (least, log.saturating_sub(below).clamp(least, most)..=most)
}

/// The wished width of the windows less one bit, for devices whose buffers are too small for it.
pub(super) fn narrower(request: &Request<'_>) -> Option<Settings> {
    let settings = request.settings;
    let fixed = request.table.is_some_and(|table| table.precompute > 1);
    let bits = settings.window_bits.filter(|bits| *bits > 2 && !fixed)?;
    let last = settings.last_window_bits.map(|bits| (bits - 1).max(1));
    (request.device.kind == DeviceKind::WebGpu).then(|| Settings {
        window_bits: Some(bits - 1),
        last_window_bits: last,
        ..settings.clone()
    })
}

/// Whether a table is to be made and nobody has said how many copies it holds.
fn chooses_factor(request: &Request<'_>) -> bool {
    request.settings.precompute.is_none() && request.resident && request.table.is_none()
}

/// Whether the plan folds all windows onto one bucket set of its own accord: bases that stay on a GPU.
fn folds(request: &Request<'_>) -> bool {
    chooses_factor(request) && request.device.kind == DeviceKind::Cuda
}

/// The wished precompute factor and, should memory forbid it, the smaller ones: alternatives in the order of
/// preference, each a set of factors among which the cost decides.
pub(super) fn factors(request: &Request<'_>) -> Vec<Vec<u32>> {
    if request.settings.auto_precompute && chooses_factor(request) {
        return vec![vec![1, 2, 3, 4, 6, 8, 12, 16, 24, 32]];
    }
    let automatic = if folds(request) { MAX_PRECOMPUTE } else { 1 };
    let wish = request.settings.precompute.unwrap_or(automatic);
    let smaller = std::iter::successors(Some(wish), |&f| match f {
        0 | 1 => None,
        // Above the number of windows all factors are alike.
        64.. => Some(8),
        _ => Some(f / 2),
    });
    smaller.map(|factor| vec![factor]).collect()
}

fn shape(
    request: &Request<'_>,
    digits: Digits,
    endomorphism: bool,
    negate: bool,
    window_bits: u32,
    (precompute, odd_multiples): (u32, u32),
) -> Option<Shape> {
    let largest = match (&request.curve.endomorphism, request.scalars) {
        (Some(e), _) if endomorphism => (BigUint::from(1u32) << e.bits) - 1u32,
        (_, ScalarBound::Order) if negate => &request.curve.order >> 1,
        (_, ScalarBound::Order) => &request.curve.order - 1u32,
        (_, ScalarBound::Bits(bits)) => (BigUint::from(1u32) << bits) - 1u32,
    };
    let last_window_bits = request.settings.last_window_bits.unwrap_or(window_bits);
    let weights = (odd_multiples > 1).then(|| Weights::new(window_bits, odd_multiples));
    let (windows, buckets) = match (weights, request.settings.last_window_bits) {
        (Some(weights), _) => {
            let (windows, last) = weights?.windows(&largest);
            (windows, u64::from(weights?.count()) + last)
        }
        (None, Some(last)) => {
            let others = (largest.bits() as u32).saturating_sub(last).div_ceil(window_bits);
            (1 + others, (1u64 << window_bits.max(last)) - 1)
        }
        (None, None) => {
            let windows = windows_for(&largest, digits, window_bits);
            match digits {
                Digits::Unsigned => (windows, (1u64 << window_bits) - 1),
                Digits::Signed => (windows, 1u64 << (window_bits - 1)),
            }
        }
    };
    let (bucket_sets, precompute) = match request.table.filter(|t| t.precompute > 1) {
        Some(table) => {
            let sets = table.bucket_sets.min(windows);
            match windows.div_ceil(sets) {
                copies if copies <= table.precompute => (sets, copies),
                // Longer scalars than the table was made for: the bases themselves serve all windows.
                _ => (windows, 1),
            }
        }
        None => {
            let sets = windows.div_ceil(precompute);
            (sets, windows.div_ceil(sets))
        }
    };
    let missing = |table: Table| {
        precompute > table.precompute
            || odd_multiples > table.odd_multiples
            || (table.multiples > 0 && buckets > table.multiples)
    };
    if request.table.is_some_and(missing) {
        return None;
    }
    Some(Shape {
        digits,
        endomorphism,
        negate,
        scalar_bits: largest.bits() as u32,
        window_bits,
        last_window_bits,
        windows,
        precompute,
        odd_multiples,
        bucket_sets,
        buckets,
        scalar_words: match weights {
            Some(_) => windows.div_ceil(2) as usize,
            None => ((windows - 1) * window_bits + last_window_bits + 1).div_ceil(64) as usize,
        },
    })
}

/// The fewest windows that hold `largest` plus the bias: a window for the carry out of the top digit
/// is added only where such a carry can happen.
fn windows_for(largest: &BigUint, digits: Digits, window_bits: u32) -> u32 {
    let mut windows = (largest.bits() as u32).div_ceil(window_bits).max(1);
    // With two bits to spare, bias < 2^(wc)·2/3 leaves room for anything.
    while digits == Digits::Signed
        && largest.bits() + 2 > u64::from(windows * window_bits)
        && (largest + bias(digits, window_bits, windows)).bits() > u64::from(windows * window_bits)
    {
        windows += 1;
    }
    windows
}

//! The shape of a run: how scalars become digits and how many bucket sets there are.

use num_bigint::BigUint;

use super::odd::Weights;
use super::validate::Valid;
use super::{Digits, ScalarBound};

/// Widest window. Its signed digits fill 2^25 buckets.
pub const MAX_WINDOW_BITS: u32 = 26;

/// Largest precompute factor: one copy of a base for every bit of a 1024-bit scalar.
pub const MAX_PRECOMPUTE: u32 = 1024;

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
    /// Whether φ(P) is stored beside each P.
    pub endomorphism: bool,
    /// Odd multiples P, 3P, 5P … of each of these points, for runs with buckets.
    pub odd_multiples: u32,
    /// Multiples of each of these points, for runs without buckets; 0 for runs with buckets.
    pub multiples: u64,
}

impl Table {
    /// Every base as it is.
    #[cfg(any(feature = "any", feature = "io"))]
    pub(crate) fn plain() -> Self {
        Self {
            window_bits: 1,
            bucket_sets: 1,
            precompute: 1,
            endomorphism: false,
            odd_multiples: 1,
            multiples: 0,
        }
    }

    /// Stored points per base, for runs with buckets.
    pub(crate) fn stored(&self) -> usize {
        let halves = 1 + usize::from(self.endomorphism);
        halves * (self.precompute * self.odd_multiples) as usize
    }

    /// What makes the table of `n` bases.
    pub(super) fn operations(&self, n: usize) -> TableOperations {
        let (bases, copies) = (n as f64, f64::from(self.precompute));
        let shift = f64::from(self.window_bits) * f64::from(self.bucket_sets);
        let multiples = f64::from(self.odd_multiples).max(1.0);
        let twice = if self.odd_multiples > 1 { copies } else { 0.0 };
        TableOperations {
            doublings: bases * (shift * (copies - 1.0) + twice),
            additions: bases * copies * (multiples - 1.0),
            images: if self.endomorphism { bases * copies * multiples } else { 0.0 },
        }
    }
}

/// How many operations make a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TableOperations {
    /// From one copy to the next `window_bits·bucket_sets`, and one for the multiples of a copy.
    pub doublings: f64,
    /// One for each odd multiple of a copy but the first.
    pub additions: f64,
    /// One for each point, with the endomorphism.
    pub images: f64,
}

/// What each stored base comes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Copies {
    /// Shifted copies.
    pub precompute: u32,
    /// Odd multiples of each copy.
    pub odd_multiples: u32,
}

/// How scalars become digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DigitForm {
    pub digits: Digits,
    pub endomorphism: bool,
    pub negate: bool,
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
    /// Buckets in each set; 0 in a plan without buckets.
    pub buckets: u64,
    /// 64-bit words that hold one (half) scalar, with its sign in the top bit; or its digits, if
    /// odd multiples are stored.
    pub scalar_words: usize,
}

impl Shape {
    /// Buckets that digits of the top window lead to: it has the bits that the others leave.
    pub(crate) fn top_buckets(&self) -> u64 {
        let others = (self.windows - 1) * self.window_bits;
        1 << self.scalar_bits.saturating_sub(others).min(MAX_WINDOW_BITS)
    }

    /// The shape with these digits, window width and copies; `None` if a loaded table lacks what it
    /// needs.
    pub(super) fn new(
        request: &Valid<'_>,
        form: DigitForm,
        window_bits: u32,
        copies: Copies,
    ) -> Option<Self> {
        let DigitForm { digits, endomorphism, negate } = form;
        let Copies { precompute, odd_multiples } = copies;
        let largest = match (&request.curve.endomorphism, request.scalars) {
            (Some(e), _) if endomorphism => (BigUint::from(1u32) << e.bits) - 1u32,
            (_, ScalarBound::Order) if negate => &request.curve.order >> 1,
            (_, ScalarBound::Order) => &request.curve.order - 1u32,
            (_, ScalarBound::Bits(bits)) => (BigUint::from(1u32) << bits) - 1u32,
            // The absolute value of the lowest.
            (_, ScalarBound::Signed(bits)) => BigUint::from(1u32) << bits.saturating_sub(1),
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
                    // Scalars longer than the table was made for use only the bases themselves.
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
        Some(Self {
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

/// The fewest windows that hold `largest` plus the bias: a window for the carry out of the top
/// digit is added only where such a carry is possible.
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

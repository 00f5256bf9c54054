//! Cases as data.

use std::fmt;

use num_bigint::{BigInt as Integer, BigUint};

use crate::plan::Settings;
use crate::random::Distribution;

/// One MSM, or one batch of them, and its expected outcome.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub bases: Bases,
    pub scalars: Scalars,
    pub settings: Settings,
    pub run: Run,
    pub outcome: Outcome,
}

/// Where bases come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bases {
    /// Known bases in an arrangement, as many as there are scalars.
    Known(Arrangement),
    /// Points of the whole curve, as many as there are scalars, summed one by one.
    WholeCurve,
    /// For each a multiple 1 or −1 of the generator and whether H is added, a point of order two
    /// that the affine model of an incomplete twisted Edwards curve cannot express.
    BesideInfinity(&'static [(i8, bool)]),
}

/// How known bases relate to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrangement {
    Distinct,
    /// Every third is the point at infinity.
    Infinities,
    AllInfinite,
    /// Every base comes five times in a row.
    Repeats,
    /// P, −P, P', −P', …
    Opposites,
    AllEqual,
    /// P, P, −P, infinity, P', …
    Mixed,
}

impl Arrangement {
    pub(super) const ALL: [Self; 7] = [
        Self::Distinct,
        Self::Infinities,
        Self::AllInfinite,
        Self::Repeats,
        Self::Opposites,
        Self::AllEqual,
        Self::Mixed,
    ];

    /// Base `i` as the index of a known base and a factor 1, −1 or 0.
    pub(super) fn place(self, i: usize) -> (usize, i8) {
        match self {
            Self::Distinct => (i, 1),
            Self::Infinities => (i, if i % 3 == 2 { 0 } else { 1 }),
            Self::AllInfinite => (i, 0),
            Self::Repeats => (i / 5, 1),
            Self::Opposites => (i / 2, if i.is_multiple_of(2) { 1 } else { -1 }),
            Self::AllEqual => (0, 1),
            Self::Mixed => (i / 4, [1, 1, -1, 0][i % 4]),
        }
    }
}

/// Scalars, in one of the forms the library takes.
#[derive(Debug, Clone)]
pub(super) enum Scalars {
    /// Residues of one kind.
    Kind(Distribution, usize),
    /// These residues.
    Residues(Vec<BigUint>),
    Bools(Vec<bool>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    /// Integers of some words each, below a bound that is stated or the type's own.
    Words {
        data: Vec<u64>,
        words: usize,
        bits: Option<u32>,
    },
    /// Signed integers of the type with `type_bits` bits, within a bound that is stated or the
    /// type's own.
    Signed {
        data: Vec<i128>,
        type_bits: u32,
        bits: Option<u32>,
    },
    /// Four words each, as arkworks' integers.
    BigInt(Vec<[u64; 4]>),
    /// Residues as integers of as many words as the order has.
    Canonical {
        data: Vec<u64>,
        words: usize,
    },
}

impl Scalars {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Kind(_, n) => *n,
            Self::Residues(s) => s.len(),
            Self::Bools(s) => s.len(),
            Self::U8(s) => s.len(),
            Self::U16(s) => s.len(),
            Self::U32(s) => s.len(),
            Self::Words { data, words, .. } | Self::Canonical { data, words } => data.len() / words,
            Self::Signed { data, .. } => data.len(),
            Self::BigInt(s) => s.len(),
        }
    }

    /// The integers, for the oracle; `None` where they are residues of a kind.
    pub(super) fn integers(&self) -> Option<Vec<Integer>> {
        let small = |k: u32| Integer::from(k);
        Some(match self {
            Self::Kind(..) => return None,
            Self::Residues(s) => s.iter().cloned().map(Into::into).collect(),
            Self::Bools(s) => s.iter().map(|&k| small(k.into())).collect(),
            Self::U8(s) => s.iter().map(|&k| small(k.into())).collect(),
            Self::U16(s) => s.iter().map(|&k| small(k.into())).collect(),
            Self::U32(s) => s.iter().map(|&k| small(k)).collect(),
            Self::Words { data, words, .. } | Self::Canonical { data, words } => {
                data.chunks_exact(*words).map(|k| integer(k).into()).collect()
            }
            Self::Signed { data, .. } => data.iter().map(|&k| k.into()).collect(),
            Self::BigInt(s) => s.iter().map(|k| integer(k).into()).collect(),
        })
    }
}

/// Little-endian words as an integer.
pub(super) fn integer(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |sum, &word| (sum << 64) + word)
}

/// How a case is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Run {
    /// Over borrowed bases, and over the same bases loaded.
    Both,
    Borrowed,
    /// Loaded for scalars of this many bits, or for residues.
    Loaded(Option<u32>),
    /// As a batch over the loaded bases: all scalars, none of them, the first, the first half, …
    SharedBatch,
    /// As a batch in which every MSM brings its own bases.
    OwnBatch,
    /// As a batch of scalars that lie in memory in different ways, over loaded bases and over own.
    MixedBatch,
    /// Over ranges of loaded bases, one by one and as a batch.
    Slices,
    /// Over ranges of two sets of loaded bases, in one call.
    SeveralBases,
    /// As jobs, several of them in flight.
    Jobs,
    /// Cancelled by its hook, then once more to the end.
    CancelledFirst,
    /// With scalars in the memory that the device copies from fastest.
    Pinned,
}

/// The expected outcome of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Sum,
    /// The sum in at least this many chunks, by a plan within the memory limit.
    SumInChunks(usize),
    /// The sum by a plan within the memory limit, or `OutOfMemory`.
    SumWithinLimit,
    OutOfMemory,
    /// `ScalarTooLarge` that names this scalar.
    TooLarge(usize),
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bases, scalars, settings, run, outcome } = self;
        let n = scalars.len();
        let kind = match scalars {
            Scalars::Kind(kind, _) => format!("{kind:?} residues"),
            Scalars::Residues(_) => "given residues".into(),
            Scalars::Bools(_) => "bool".into(),
            Scalars::U8(_) => "u8".into(),
            Scalars::U16(_) => "u16".into(),
            Scalars::U32(_) => "u32".into(),
            Scalars::Words { words, bits, .. } => format!("[u64; {words}] below 2^{bits:?}"),
            Scalars::Signed { type_bits, bits: None, .. } => format!("i{type_bits}"),
            Scalars::Signed { type_bits, bits: Some(bits), .. } => {
                format!("i{type_bits} of {bits} bits")
            }
            Scalars::BigInt(_) => "BigInt<4>".into(),
            Scalars::Canonical { .. } => "canonical residues".into(),
        };
        write!(f, "n = {n}, {kind}, {bases:?} bases, {run:?}, expecting {outcome:?}; ")?;
        describe(settings, f)
    }
}

/// The settings that were set, in words.
fn describe(settings: &Settings, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Settings {
        window_bits,
        last_window_bits,
        precompute,
        odd_multiples,
        auto_precompute,
        endomorphism,
        negate,
        digits,
        group,
        accumulate,
        reduce,
        chunk,
        memory_limit,
        any_point,
        verify,
        preset,
    } = settings;
    let text = |name: &str, value: Option<String>| value.map(|value| format!("{name} {value}"));
    let parts = [
        text("preset", preset.map(Into::into)),
        text("window bits", window_bits.map(|v| v.to_string())),
        text("last window bits", last_window_bits.map(|v| v.to_string())),
        text("precompute factor", precompute.map(|v| v.to_string())),
        text("odd multiples", odd_multiples.map(|v| v.to_string())),
        auto_precompute.then(|| "automatic precompute factor".into()),
        text("endomorphism", endomorphism.map(|v| v.to_string())),
        text("negate", negate.map(|v| v.to_string())),
        digits.map(|v| v.to_string()),
        group.map(|v| v.to_string()),
        accumulate.map(|v| v.to_string()),
        reduce.map(|v| v.to_string()),
        text("chunk", chunk.map(|v| v.to_string())),
        text("memory limit", memory_limit.map(|v| v.to_string())),
        any_point.then(|| "any point".into()),
        verify.then(|| "verified".into()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    f.write_str(if parts.is_empty() { "automatic settings" } else { "" })?;
    f.write_str(&parts.join(", "))
}

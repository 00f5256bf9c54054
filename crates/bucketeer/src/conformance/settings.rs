//! Row groups that vary the settings: every choice a plan can be told.

use num_bigint::BigUint;

use super::Filter;
use super::case::{Arrangement, Case, Scalars};
use super::rows::case;
use super::subject::Subject;
use crate::plan::{Accumulate, Digits, Group, MAX_WINDOW_BITS, PRESETS, Reduce, Settings};
use crate::random::Distribution;
use crate::{CurveSpec, DeviceKind};

const DIGITS: [Digits; 2] = [Digits::Signed, Digits::Unsigned];

/// Without the endomorphism, and with it where the curve has one and the device uses it.
pub(super) fn endomorphisms(subject: &dyn Subject) -> &'static [bool] {
    let used = subject.curve().endomorphism.is_some() && subject.device().kind == DeviceKind::Cpu;
    if used { &[false, true] } else { &[false] }
}

/// The ways to accumulate into buckets and, where the device has it and no preset's windows are too
/// wide, the way without them.
pub(super) fn ways(subject: &dyn Subject, filter: &Filter) -> Vec<Accumulate> {
    let mut ways = with_buckets(subject).to_vec();
    let narrow = filter.preset.is_none_or(|preset| preset.settings(1).window_bits.is_none());
    if subject.device().kind == DeviceKind::Cpu && narrow {
        ways.push(Accumulate::Straus);
    }
    ways
}

/// The ways to accumulate into buckets that the device has.
fn with_buckets(subject: &dyn Subject) -> &'static [Accumulate] {
    use Accumulate::{BatchedAffine, FusedSweep, InPlace, PerBucket, Slices};
    match subject.device().kind {
        DeviceKind::Cpu => &[Slices, PerBucket, FusedSweep, InPlace],
        DeviceKind::Cuda => &[Slices, PerBucket, FusedSweep, BatchedAffine],
        DeviceKind::WebGpu => &[Slices, PerBucket, FusedSweep],
    }
}

/// Signed digits of one bit express no positive number.
fn possible(window_bits: u32, digits: Digits) -> bool {
    window_bits > 1 || digits == Digits::Unsigned
}

/// Scalars that windows of this width, negation and splitting find difficult: around half a window
/// and a whole one, in one window and in all, around r/2, around 0 and r; then pseudo-random ones.
fn edges(curve: &CurveSpec, window_bits: u32, n: usize) -> Scalars {
    let one = BigUint::from(1u32);
    let order = &curve.order;
    let digit = &one << (window_bits - 1);
    let full = (&one << window_bits) - 1u32;
    let windows = 0..curve.scalar_bits().div_ceil(window_bits);
    let in_all = |value: &BigUint| windows.clone().map(|j| value << (j * window_bits)).sum();
    let (halves, fulls): (BigUint, BigUint) = (in_all(&digit), in_all(&full));
    let mut scalars = vec![BigUint::ZERO, one.clone(), order - 1u32, order - 2u32];
    scalars.extend([order >> 1u32, (order >> 1u32) + 1u32, one << (curve.scalar_bits() - 1)]);
    scalars.extend([&digit - 1u32, digit.clone(), &digit + 1u32, full.clone(), full + 1u32]);
    scalars.extend([&halves - 1u32, halves, fulls.clone(), fulls >> (window_bits / 2)]);
    // Powers of 3 spread over all residues.
    let mut power = BigUint::from(3u32);
    while scalars.len() < n {
        power = &power * &power % order;
        scalars.push(power.clone());
    }
    Scalars::Residues(scalars.into_iter().map(|k| k % order).collect())
}

/// Memory limit of cases with wide windows. A software adapter is slow on many buckets: in a quick
/// table it gets so little that windows stay narrow.
fn memory_limit(subject: &dyn Subject, filter: &Filter) -> Option<u64> {
    (filter.quick && subject.is_software_adapter()).then_some(1 << 18)
}

/// Every width from 1 to 26, with both kinds of digits, split and whole scalars, and both ways to
/// group as long as the counters of one window stay small. Of widths that the device has too little
/// room for, and that all come to the same plan, only the last.
pub(super) fn window_widths(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let widest_csr = if filter.quick { 4 } else { 14 };
    let mut cases = Vec::new();
    for bits in 1..=MAX_WINDOW_BITS {
        let scalars = edges(subject.curve(), bits, 33);
        for digits in DIGITS.into_iter().filter(|d| possible(bits, *d)) {
            for &endomorphism in endomorphisms(subject) {
                for group in [Group::Sort, Group::Csr] {
                    let settings = Settings {
                        window_bits: Some(bits),
                        digits: Some(digits),
                        endomorphism: Some(endomorphism),
                        group: Some(group),
                        memory_limit: memory_limit(subject, filter),
                        ..Settings::default()
                    };
                    let case = case(Arrangement::Distinct, scalars.clone(), settings);
                    let as_requested = subject.planned(&case).is_none_or(|s| s.window_bits == bits);
                    let wanted = as_requested || bits == MAX_WINDOW_BITS;
                    if wanted && (group == Group::Sort || bits <= widest_csr) {
                        cases.push(case);
                    }
                }
            }
        }
    }
    cases
}

/// Scalars of at most `bits` bits, the largest of them and smaller ones.
fn short(curve: &CurveSpec, bits: u32) -> Scalars {
    let most = (BigUint::from(1u32) << bits) - 1u32;
    let shorter = (0..9u32).map(|k| (&most >> k) % &curve.order);
    Scalars::Residues(shorter.collect())
}

/// Digits, negation and splitting in every combination, on scalars around r/2 and r; and short
/// scalars, of which the upper windows are empty but for a carry.
pub(super) fn decompositions(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let mut cases = Vec::new();
    for bits in if filter.quick { vec![5] } else { vec![2, 5, 8, 16] } {
        let scalars = edges(subject.curve(), bits, 65);
        for digits in DIGITS {
            for negate in [None, Some(false), Some(true)] {
                for endomorphism in [None, Some(false)] {
                    let settings = Settings {
                        window_bits: Some(bits),
                        digits: Some(digits),
                        negate,
                        endomorphism,
                        ..Settings::default()
                    };
                    cases.push(case(Arrangement::Distinct, scalars.clone(), settings));
                }
            }
        }
        for length in bits - 1..=2 * bits + 1 {
            let settings = Settings { window_bits: Some(bits), ..Settings::default() };
            let scalars = short(subject.curve(), length);
            cases.push(case(Arrangement::Distinct, scalars, settings));
        }
    }
    cases
}

/// Last windows narrower and wider than the others. A software adapter has small buffers, which do
/// not hold the buckets of 14 bits where points are long.
pub(super) fn last_windows(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let widest = if subject.is_software_adapter() { (11, 12) } else { (13, 14) };
    let pairs =
        if filter.quick { vec![(5, 7)] } else { vec![(1, 9), (5, 1), (7, 8), (8, 3), widest] };
    let mut cases = Vec::new();
    for (bits, last) in pairs {
        for precompute in [None, Some(3)] {
            let settings = Settings {
                window_bits: Some(bits),
                last_window_bits: Some(last),
                digits: Some(Digits::Unsigned),
                precompute,
                ..Settings::default()
            };
            let scalars = edges(subject.curve(), bits, 65);
            cases.push(case(Arrangement::Distinct, scalars, settings));
        }
    }
    cases
}

/// Odd multiples of the bases: few and many in narrow and wide windows, without and with copies, of
/// whole, split and short scalars, with bases of every sort.
pub(super) fn odd_multiples(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let usual = filter.preset.is_none_or(|preset| preset.settings(1).digits.is_none());
    if subject.device().kind != DeviceKind::Cpu || !usual {
        return Vec::new();
    }
    let (pairs, factors) = match filter.quick {
        true => (vec![(3, 2), (9, 16)], vec![1, 1024]),
        false => (vec![(3, 2), (6, 16), (8, 4), (12, 1024), (13, 2), (16, 64)], vec![1, 3, 1024]),
    };
    let mut cases = Vec::new();
    for (bits, multiples) in pairs {
        let whole = edges(subject.curve(), bits, 33);
        let settings = Settings {
            window_bits: Some(bits),
            odd_multiples: Some(multiples),
            ..Settings::default()
        };
        // Copies of this many multiples take long to make.
        let many = if filter.quick { 2 } else { 64 };
        let most = if multiples > many { 1 } else { factors.len() };
        for &factor in &factors[..most] {
            for &endomorphism in endomorphisms(subject) {
                for accumulate in [None, Some(Accumulate::InPlace)] {
                    let settings = Settings {
                        precompute: Some(factor),
                        endomorphism: Some(endomorphism),
                        accumulate,
                        ..settings.clone()
                    };
                    cases.push(case(Arrangement::Distinct, whole.clone(), settings.clone()));
                    cases.push(case(Arrangement::Mixed, whole.clone(), settings));
                }
            }
            let settings = Settings { precompute: Some(factor), ..settings.clone() };
            let any_point = Settings { any_point: true, ..settings.clone() };
            cases.push(case(Arrangement::Mixed, whole.clone(), any_point));
            let chunked = Settings { chunk: Some(7), negate: Some(false), ..settings.clone() };
            cases.push(case(Arrangement::Distinct, whole.clone(), chunked));
            for length in [1, bits - 1, bits, 2 * bits + 1] {
                let scalars = short(subject.curve(), length);
                cases.push(case(Arrangement::Distinct, scalars, settings.clone()));
            }
            let small = Scalars::U16((0..300).map(|i| (i * i) as u16).collect());
            cases.push(case(Arrangement::Distinct, small, settings.clone()));
            let data = (0..300).map(|i| (i * i * i) as i16).map(i128::from).collect();
            let signed = Scalars::Signed { data, type_bits: 16, bits: None };
            cases.push(case(Arrangement::Distinct, signed, settings));
        }
    }
    cases
}

/// Every factor from 1 to 8, factors above the number of windows, and the plan's own choice, with a
/// memory limit: a table that fills what is free takes seconds to make.
pub(super) fn precompute_factors(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let (widths, factors) = match filter.quick {
        true => (vec![9], vec![2, 3, 1024]),
        false => (vec![1, 6, 13], vec![1, 2, 3, 4, 5, 6, 7, 8, 31, 1024]),
    };
    let mut cases = Vec::new();
    for bits in widths {
        let scalars = edges(subject.curve(), bits, 33);
        for &factor in &factors {
            for digits in DIGITS.into_iter().filter(|d| possible(bits, *d)) {
                for &endomorphism in endomorphisms(subject) {
                    let settings = Settings {
                        window_bits: Some(bits),
                        precompute: Some(factor),
                        digits: Some(digits),
                        endomorphism: Some(endomorphism),
                        ..Settings::default()
                    };
                    cases.push(case(Arrangement::Distinct, scalars.clone(), settings));
                }
            }
        }
    }
    for n in [1, 33, 300] {
        let memory_limit = Some(if filter.quick { 1 << 24 } else { 1 << 28 });
        let settings = Settings { auto_precompute: true, memory_limit, ..Settings::default() };
        let scalars = Scalars::Kind(Distribution::Uniform, n);
        cases.push(case(Arrangement::Distinct, scalars, settings));
    }
    cases
}

/// Group × accumulate × reduce, on bases that include all special ones.
pub(super) fn stages(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    use Distribution::{Equal, Skewed, Uniform};
    let sliced = |slices| Reduce::SlicedRunningSum { slices };
    let reduces = [Reduce::RunningSum, sliced(1), sliced(7), sliced(1024), Reduce::WindowSplitting];
    let (n, kinds, widths) = match filter.quick {
        true => (33, vec![Skewed], vec![5]),
        false => (65, vec![Uniform, Equal], vec![3, 9]),
    };
    let mut cases = Vec::new();
    for kind in kinds {
        for group in [Group::Sort, Group::Csr] {
            for &accumulate in with_buckets(subject) {
                for reduce in reduces {
                    for &bits in &widths {
                        let settings = Settings {
                            window_bits: Some(bits),
                            group: Some(group),
                            accumulate: Some(accumulate),
                            reduce: Some(reduce),
                            ..Settings::default()
                        };
                        cases.push(case(Arrangement::Mixed, Scalars::Kind(kind, n), settings));
                    }
                }
            }
        }
    }
    cases
}

/// Few bases, for which a plan may do without buckets: with and without them, in every width,
/// copies, chunks.
pub(super) fn few(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let (sizes, widths) = match filter.quick {
        true => (vec![1, 3], vec![4]),
        false => (vec![0, 1, 2, 3, 4, 8, 17], vec![2, 3, 4, 5, 8]),
    };
    let mut cases = Vec::new();
    for &n in &sizes {
        for accumulate in [None, Some(Accumulate::Slices)] {
            for precompute in [None, Some(3)] {
                for auto_precompute in [false, true] {
                    let settings =
                        Settings { accumulate, precompute, auto_precompute, ..Settings::default() };
                    let scalars = Scalars::Kind(Distribution::Uniform, n);
                    cases.push(case(Arrangement::Mixed, scalars, settings));
                }
            }
        }
    }
    if !ways(subject, filter).contains(&Accumulate::Straus) {
        return cases;
    }
    for &bits in &widths {
        let scalars = edges(subject.curve(), bits, 33);
        // A copy for every window, each with all its multiples, is much for wide ones.
        let most = if bits <= 4 { 1024 } else { 2 };
        for &endomorphism in endomorphisms(subject) {
            for (precompute, chunk) in [(1, None), (1, Some(7)), (3, None), (most, Some(11))] {
                let settings = Settings {
                    accumulate: Some(Accumulate::Straus),
                    window_bits: Some(bits),
                    endomorphism: Some(endomorphism),
                    precompute: Some(precompute),
                    chunk,
                    ..Settings::default()
                };
                cases.push(case(Arrangement::Mixed, scalars.clone(), settings.clone()));
                cases.push(case(Arrangement::Distinct, scalars.clone(), settings));
            }
        }
    }
    cases
}

/// Every preset, or the one under test.
pub(super) fn presets(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    use Distribution::{Skewed, Uniform};
    let (sizes, kinds) = match filter.quick {
        true => (vec![1, 33], vec![Uniform]),
        false => (vec![0, 1, 33, 237], vec![Uniform, Skewed]),
    };
    let mut cases = Vec::new();
    for preset in PRESETS.iter().filter(|own| filter.preset.is_none_or(|only| only == *own)) {
        for &n in &sizes {
            for &kind in &kinds {
                let scalars = Scalars::Kind(kind, n);
                let memory_limit = memory_limit(subject, filter);
                let settings = Settings { memory_limit, ..Settings::default() };
                let settings = settings.over(preset, n);
                cases.push(case(Arrangement::Mixed, scalars, settings));
            }
        }
    }
    cases
}

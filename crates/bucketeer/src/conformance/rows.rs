//! Row groups that vary the input and leave the plan to itself.

use ark_std::rand::{RngCore, SeedableRng};
use num_bigint::{BigInt as Integer, BigUint};
use rand_chacha::ChaCha20Rng;

use super::Filter;
use super::case::{Arrangement, Bases, Case, Outcome, Run, Scalars, integer};
use super::settings::{endomorphisms, ways};
use super::subject::{Subject, WHOLE};
use crate::plan::{Accumulate, Digits, MAX_SCALAR_BITS, Settings, adds_any_point};
use crate::random::Distribution;

/// A case that must yield its sum over borrowed and over loaded bases.
pub(super) fn case(how: Arrangement, scalars: Scalars, settings: Settings) -> Case {
    Case { bases: Bases::Known(how), scalars, settings, run: Run::Both, outcome: Outcome::Sum }
}

/// Every size at which something begins: none, one, warps and words and their neighbours, powers of
/// two and theirs.
pub(super) fn sizes(_: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let mut sizes = vec![0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 237];
    let largest = if filter.quick { 8 } else { 12 };
    sizes.extend((7..=largest).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1]));
    let scalars = |n| Scalars::Kind(Distribution::Uniform, n);
    let of_size = |n| case(Arrangement::Distinct, scalars(n), Settings::default());
    sizes.into_iter().map(of_size).collect()
}

/// Every kind of scalars, also with narrow windows, where buckets are long, and without the
/// endomorphism.
pub(super) fn scalars(_: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let narrow = |digits| Settings {
        window_bits: Some(4),
        digits: Some(digits),
        endomorphism: Some(false),
        ..Settings::default()
    };
    let settings = [Settings::default(), narrow(Digits::Signed), narrow(Digits::Unsigned)];
    let mut cases = Vec::new();
    for (_, kind) in Distribution::ALL {
        for n in if filter.quick { vec![65] } else { vec![1, 65, 300] } {
            let with =
                |s: &Settings| case(Arrangement::Distinct, Scalars::Kind(kind, n), s.clone());
            cases.extend(settings.iter().map(with));
        }
    }
    cases
}

/// Every arrangement of bases, with scalars that bring equal and opposite points into one bucket,
/// for each way to accumulate.
pub(super) fn bases(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    use Distribution::{Bits, MinusOne, One, Skewed, Uniform};
    let (n, kinds) = match filter.quick {
        true => (33, vec![One, Skewed]),
        false => (67, vec![One, Bits(2), MinusOne, Skewed, Uniform]),
    };
    let ways = ways(subject, filter);
    let mut cases = Vec::new();
    for how in Arrangement::ALL {
        for &kind in &kinds {
            for accumulate in ways.iter().copied().map(Some) {
                for window_bits in [None, Some(3)] {
                    let settings = Settings { accumulate, window_bits, ..Settings::default() };
                    cases.push(case(how, Scalars::Kind(kind, n), settings));
                }
            }
        }
        cases.extend(unused(subject, how, n));
    }
    cases
}

/// Zeros and short scalars, whose bases or images are not even converted: alone, in copies, in
/// chunks.
fn unused(subject: &dyn Subject, how: Arrangement, n: usize) -> Vec<Case> {
    let endomorphism = endomorphisms(subject).last().copied();
    let settings = [
        Settings { endomorphism, ..Settings::default() },
        Settings { endomorphism, precompute: Some(3), ..Settings::default() },
        Settings { endomorphism, chunk: Some(7), ..Settings::default() },
    ];
    let kinds = [Distribution::Zero, Distribution::Skewed, Distribution::MostlyZero];
    let cases = kinds.into_iter().flat_map(|kind| settings.clone().map(|s| (kind, s)));
    let borrowed = |(kind, settings)| Case {
        run: Run::Borrowed,
        ..case(how, Scalars::Kind(kind, n), settings)
    };
    cases.map(borrowed).collect()
}

/// Every integer type with the bound of its type, tighter bounds, bounds that do not hold, and
/// integers at and above the order.
pub(super) fn integers(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let mut rng = ChaCha20Rng::seed_from_u64(0x1179);
    // The extremes of every type come first.
    let mut words = vec![0, 1, u64::MAX, 1 << 63];
    words.resize_with(if filter.quick { 17 } else { 67 }, || rng.next_u64());
    let order = &subject.curve().order;
    let four: Vec<[u64; 4]> =
        wide(order, 4, &mut rng).chunks_exact(4).filter_map(|k| k.try_into().ok()).collect();
    let mut forms = vec![
        Scalars::Bools(words.iter().map(|w| w & 1 == 1).collect()),
        Scalars::U8(words.iter().map(|&w| w as u8).collect()),
        Scalars::U16(words.iter().map(|&w| w as u16).collect()),
        Scalars::U32(words.iter().map(|&w| w as u32).collect()),
        Scalars::BigInt(four),
    ];
    for words in [1, 2, 4, 7, MAX_SCALAR_BITS as usize / 64] {
        forms.push(Scalars::Words { data: wide(order, words, &mut rng), words, bits: None });
    }
    forms.extend([8, 16, 32, 64, 128].map(|type_bits| signed(&words, type_bits)));
    let mut cases: Vec<Case> =
        forms.into_iter().flat_map(|form| integer_cases(&form, filter)).collect();
    cases.extend(bounds(&words, filter));
    cases.extend(signed_bounds(&words, filter));
    cases.extend(canonical(order, &mut rng));
    cases
}

/// These residues as integers of so many words.
pub(super) fn canonical_form(values: &[BigUint], words: usize) -> Scalars {
    let digits = values.iter().flat_map(|value| {
        let mut digits = value.to_u64_digits();
        digits.resize(words, 0);
        digits
    });
    Scalars::Canonical { data: digits.collect(), words }
}

/// Residues as integers: those around 0, r/2 and r, and random ones; and the order itself and the
/// largest integer, which are named.
fn canonical(order: &BigUint, rng: &mut ChaCha20Rng) -> Vec<Case> {
    let words = order.to_u64_digits().len();
    let half = order >> 1u32;
    let mut values = vec![BigUint::ZERO, 1u32.into(), half.clone(), half + 1u32, order - 1u32];
    values.extend(wide(order, words, rng).chunks_exact(words).map(|k| integer(k) % order));
    let form = |values: &[BigUint]| canonical_form(values, words);
    let precomputed = Settings { precompute: Some(3), ..Settings::default() };
    let mut cases = vec![
        case(Arrangement::Mixed, form(&values), Settings::default()),
        case(Arrangement::Distinct, form(&values), precomputed),
        case(Arrangement::Distinct, form(&values[..5]), Settings::default()),
    ];
    let largest = (BigUint::from(1u32) << (64 * words)) - 1u32;
    for large in [order.clone(), largest] {
        values[7] = large;
        let too_large = case(Arrangement::Distinct, form(&values), Settings::default());
        cases.push(Case { outcome: Outcome::TooLarge(7), ..too_large });
    }
    cases
}

/// Integers of some words each: those around the order and its double, the largest, and random
/// ones.
fn wide(order: &BigUint, words: usize, rng: &mut ChaCha20Rng) -> Vec<u64> {
    let largest = (BigUint::from(1u32) << (64 * words)) - 1u32;
    let mut data = Vec::new();
    for special in [order - 1u32, order.clone(), order + 1u32, order * 2u32, largest] {
        let mut digits = special.to_u64_digits();
        if digits.len() <= words {
            digits.resize(words, 0);
            data.extend(digits);
        }
    }
    data.extend((0..30 * words).map(|_| rng.next_u64()));
    data
}

/// One form of integers under several settings, over borrowed bases and over bases loaded for them.
fn integer_cases(form: &Scalars, filter: &Filter) -> Vec<Case> {
    let values = form.integers().unwrap_or_default();
    let bits = values.iter().map(Integer::bits).max().unwrap_or(1).max(1) as u32;
    let narrow =
        |digits| Settings { window_bits: Some(5), digits: Some(digits), ..Settings::default() };
    let mut all = vec![
        Settings { precompute: Some(3), ..Settings::default() },
        Settings::default(),
        narrow(Digits::Signed),
        narrow(Digits::Unsigned),
    ];
    all.truncate(if filter.quick { 1 } else { all.len() });
    let mut cases = Vec::new();
    for settings in all {
        for run in [Run::Borrowed, Run::Loaded(Some(bits))] {
            cases.push(Case { run, ..case(Arrangement::Mixed, form.clone(), settings.clone()) });
        }
    }
    cases
}

/// A stated bound of every width: values just below pass, the first one at it is named.
fn bounds(words: &[u64], filter: &Filter) -> Vec<Case> {
    let mut cases = Vec::new();
    let widths = if filter.quick { vec![1, 31, 63] } else { (1..64).collect() };
    for bits in widths {
        let mut data: Vec<u64> = words.iter().map(|w| w >> (64 - bits)).collect();
        let form = |data| Scalars::Words { data, words: 1, bits: Some(bits) };
        cases.push(case(Arrangement::Distinct, form(data.clone()), Settings::default()));
        let last = data.len() - 1;
        data[last] = 1 << bits;
        let outcome = Outcome::TooLarge(last);
        let too_large = case(Arrangement::Distinct, form(data), Settings::default());
        cases.push(Case { outcome, ..too_large });
    }
    cases
}

/// Signed integers of a type: its extremes, −1, 0, 1, and random ones.
fn signed(words: &[u64], type_bits: u32) -> Scalars {
    let shift = 128 - type_bits;
    let mut data = vec![i128::MIN >> shift, i128::MAX >> shift, -1, 0, 1];
    data.extend(words.windows(2).map(|w| (i128::from(w[0]) << 64 | i128::from(w[1])) >> shift));
    Scalars::Signed { data, type_bits, bits: None }
}

/// A stated bound of every width in two's complement: the lowest and the highest value pass, the
/// first one beyond either is named.
fn signed_bounds(words: &[u64], filter: &Filter) -> Vec<Case> {
    let mut cases = Vec::new();
    let widths = if filter.quick { vec![1, 32, 63] } else { (1..64).collect() };
    for bits in widths {
        let (lowest, highest) = (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1);
        let mut data = vec![lowest, highest];
        data.extend(words.iter().map(|&w| i128::from(w as i64 >> (64 - bits))));
        let form = |data| Scalars::Signed { data, type_bits: 64, bits: Some(bits) };
        cases.push(case(Arrangement::Distinct, form(data.clone()), Settings::default()));
        let last = data.len() - 1;
        for beyond in [lowest - 1, highest + 1] {
            data[last] = beyond;
            let too_large = case(Arrangement::Distinct, form(data.clone()), Settings::default());
            cases.push(Case { outcome: Outcome::TooLarge(last), ..too_large });
        }
    }
    cases
}

/// Points of the whole curve with residues, integers longer than the order and negative ones, under
/// every setting that treats points or scalars in another way.
pub(super) fn any_point(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    const WORDS: usize = 7;
    let n = if filter.quick { 11 } else { WHOLE };
    let mut rng = ChaCha20Rng::seed_from_u64(0xa12);
    let data = wide(&subject.curve().order, WORDS, &mut rng)[..n.min(30) * WORDS].to_vec();
    let integers = Scalars::Words { data, words: WORDS, bits: None };
    let words: Vec<u64> = (4..n).map(|_| rng.next_u64()).collect();
    let signed = signed(&words, 128);
    let mut cases = beside_infinity(subject);
    for settings in any_point_settings(subject, filter) {
        let residues = Scalars::Kind(Distribution::Uniform, n);
        let last = Scalars::Kind(Distribution::MinusOne, n);
        let skewed = Scalars::Kind(Distribution::Skewed, n);
        for (scalars, run) in [
            (residues, Run::Both),
            (last, Run::Borrowed),
            (skewed, Run::Borrowed),
            (integers.clone(), Run::Borrowed),
            (signed.clone(), Run::Borrowed),
            (integers.clone(), Run::Loaded(Some(64 * WORDS as u32))),
        ] {
            let settings = settings.clone();
            let case = case(Arrangement::Distinct, scalars, settings);
            cases.push(Case { bases: Bases::WholeCurve, run, ..case });
        }
    }
    cases
}

/// Sums of two points that differ by a point at infinity of an incomplete Edwards model, for which
/// its additions are wrong; sums at infinity; and sums with a partial sum at infinity, where bases
/// are shared among devices or cut into chunks.
fn beside_infinity(subject: &dyn Subject) -> Vec<Case> {
    const SUMS: [&[(i8, bool)]; 5] = [
        &[(1, false), (1, true)],
        &[(1, true), (-1, false)],
        &[(1, true), (-1, false), (1, false), (1, false)],
        &[(1, true), (1, true)],
        &[(1, true), (-1, true), (1, false)],
    ];
    if !subject.has_points_at_infinity() {
        return Vec::new();
    }
    let mut cases = Vec::new();
    for points in SUMS {
        for chunk in [None, Some(1)] {
            for run in [Run::Both, Run::SharedBatch, Run::OwnBatch] {
                let settings = Settings { any_point: true, chunk, ..Settings::default() };
                let scalars = Scalars::Kind(Distribution::One, points.len());
                let case = case(Arrangement::Distinct, scalars, settings);
                cases.push(Case { bases: Bases::BesideInfinity(points), run, ..case });
            }
        }
    }
    cases
}

fn any_point_settings(subject: &dyn Subject, filter: &Filter) -> Vec<Settings> {
    let any = || Settings { any_point: true, ..Settings::default() };
    let mut all = vec![
        any(),
        Settings { window_bits: Some(3), digits: Some(Digits::Signed), ..any() },
        Settings { window_bits: Some(11), digits: Some(Digits::Unsigned), ..any() },
        Settings { precompute: Some(5), ..any() },
        Settings { negate: Some(true), endomorphism: Some(false), ..any() },
        Settings { accumulate: Some(Accumulate::PerBucket), window_bits: Some(2), ..any() },
        Settings { accumulate: Some(Accumulate::FusedSweep), window_bits: Some(2), ..any() },
        Settings { chunk: Some(5), ..any() },
    ];
    all.truncate(if filter.quick { 2 } else { all.len() });
    let ways = ways(subject, filter);
    if ways.contains(&Accumulate::BatchedAffine) {
        let accumulate = Some(Accumulate::BatchedAffine);
        all.push(Settings { accumulate, window_bits: Some(2), ..any() });
    }
    if ways.contains(&Accumulate::Straus) && adds_any_point(subject.curve()) {
        all.push(Settings { accumulate: Some(Accumulate::Straus), ..any() });
    }
    all
}

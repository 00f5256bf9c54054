//! Row groups that vary the settings: every choice a plan can be told.

use super::Distribution;
use super::checker::Checker;
use super::input::Arrangement;
use crate::plan::{Accumulate, Digits, Group, MAX_WINDOW_BITS, PRESETS, Reduce, Settings};
use crate::{Curve, CurveSpec};

const DIGITS: [Digits; 2] = [Digits::Signed, Digits::Unsigned];

/// Without the endomorphism, and with it where the curve has one.
fn endomorphisms<C: Curve>() -> &'static [bool] {
    if CurveSpec::of::<C>().endomorphism.is_some() { &[false, true] } else { &[false] }
}

/// Signed digits of one bit express no positive number.
fn possible(window_bits: u32, digits: Digits) -> bool {
    window_bits > 1 || digits == Digits::Unsigned
}

/// Every width from 1 to 26, with both kinds of digits, split and whole scalars, and both ways to
/// group as long as the counters of one window stay small.
pub(super) fn window_widths<C: Curve>(checker: &mut Checker<'_, C>) {
    for bits in 1..=MAX_WINDOW_BITS {
        let input = checker.known.edges(33, bits);
        for digits in DIGITS.into_iter().filter(|d| possible(bits, *d)) {
            for &endomorphism in endomorphisms::<C>() {
                for group in [Group::Sort, Group::Csr] {
                    if group == Group::Csr && bits > checker.full_or(14, 4) {
                        continue;
                    }
                    checker.case(
                        &input,
                        &Settings {
                            window_bits: Some(bits),
                            digits: Some(digits),
                            endomorphism: Some(endomorphism),
                            group: Some(group),
                            ..Settings::default()
                        },
                    );
                }
            }
        }
    }
}

/// Digits, negation and splitting in every combination, on scalars around r/2 and r.
pub(super) fn decompositions<C: Curve>(checker: &mut Checker<'_, C>) {
    for bits in checker.full_or(vec![2, 5, 8, 16], vec![5]) {
        let input = checker.known.edges(65, bits);
        for digits in DIGITS {
            for negate in [None, Some(false), Some(true)] {
                for endomorphism in [None, Some(false)] {
                    checker.case(
                        &input,
                        &Settings {
                            window_bits: Some(bits),
                            digits: Some(digits),
                            negate,
                            endomorphism,
                            ..Settings::default()
                        },
                    );
                }
            }
        }
    }
}

/// Every factor from 1 to 8 and factors above the number of windows.
pub(super) fn precompute_factors<C: Curve>(checker: &mut Checker<'_, C>) {
    let factors = checker.full_or(vec![1, 2, 3, 4, 5, 6, 7, 8, 31, 1024], vec![2, 3, 1024]);
    for bits in checker.full_or(vec![1, 6, 13], vec![9]) {
        let input = checker.known.edges(33, bits);
        for &factor in &factors {
            for digits in DIGITS.into_iter().filter(|d| possible(bits, *d)) {
                for &endomorphism in endomorphisms::<C>() {
                    checker.case(
                        &input,
                        &Settings {
                            window_bits: Some(bits),
                            precompute: Some(factor),
                            digits: Some(digits),
                            endomorphism: Some(endomorphism),
                            ..Settings::default()
                        },
                    );
                }
            }
        }
    }
}

/// Group × accumulate × reduce, on bases that include all special ones.
pub(super) fn stages<C: Curve>(checker: &mut Checker<'_, C>) {
    let sliced = |slices| Reduce::SlicedRunningSum { slices };
    let reduces = [Reduce::RunningSum, sliced(1), sliced(7), sliced(1024), Reduce::WindowSplitting];
    let kinds = checker.full_or(
        vec![Distribution::Uniform, Distribution::Skewed, Distribution::Equal],
        vec![Distribution::Skewed],
    );
    for kind in kinds {
        let input = checker.known.input(checker.full_or(129, 33), Arrangement::Mixed, kind);
        for group in [Group::Sort, Group::Csr] {
            for accumulate in [Accumulate::Slices, Accumulate::PerBucket, Accumulate::FusedSweep] {
                for reduce in reduces {
                    for bits in checker.full_or(vec![2, 9], vec![5]) {
                        checker.case(
                            &input,
                            &Settings {
                                window_bits: Some(bits),
                                group: Some(group),
                                accumulate: Some(accumulate),
                                reduce: Some(reduce),
                                ..Settings::default()
                            },
                        );
                    }
                }
            }
        }
    }
}

/// Every preset, or the one under test.
pub(super) fn presets<C: Curve>(checker: &mut Checker<'_, C>) {
    use Distribution::{Equal, MinusOne, Skewed, Uniform};
    let filter = checker.filter;
    for preset in PRESETS.iter().filter(|own| filter.preset.is_none_or(|only| only == *own)) {
        for n in checker.full_or(vec![0, 1, 2, 33, 237], vec![1, 33]) {
            for kind in checker.full_or(vec![Uniform, Skewed, Equal, MinusOne], vec![Uniform]) {
                let input = checker.known.input(n, Arrangement::Mixed, kind);
                checker.case(&input, &preset.settings(n));
            }
        }
    }
}

//! Row groups that vary the input and leave the plan to itself.

use super::Distribution;
use super::checker::Checker;
use super::input::{Arrangement, Known};
use crate::Curve;
use crate::plan::{Accumulate, Digits, Settings};

/// Every size at which something begins: none, one, warps and words and their neighbours, powers of two
/// and theirs.
pub(super) fn sizes<C: Curve>(checker: &mut Checker<'_, C>) {
    let mut sizes = vec![0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 237];
    let largest = checker.full_or(12, 8);
    sizes.extend((7..=largest).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1]));
    for n in sizes {
        assert!(n <= Known::<C>::LENGTH);
        let input = checker.known.input(n, Arrangement::Distinct, Distribution::Uniform);
        checker.case(&input, &Settings::default());
    }
}

/// Every kind of scalars, also with narrow windows, where buckets are long, and without the endomorphism.
pub(super) fn scalars<C: Curve>(checker: &mut Checker<'_, C>) {
    let narrow = |digits| Settings {
        window_bits: Some(4),
        digits: Some(digits),
        endomorphism: Some(false),
        ..Settings::default()
    };
    let settings = [Settings::default(), narrow(Digits::Signed), narrow(Digits::Unsigned)];
    for (_, kind) in Distribution::ALL {
        for n in checker.full_or(vec![1, 65, 600], vec![65]) {
            let input = checker.known.input(n, Arrangement::Distinct, kind);
            for settings in &settings {
                checker.case(&input, settings);
            }
        }
    }
}

/// Every arrangement of bases, with scalars that bring equal and opposite points into one bucket, for
/// each way to accumulate.
pub(super) fn bases<C: Curve>(checker: &mut Checker<'_, C>) {
    use Distribution::{Bits, Equal, MinusOne, One, Skewed, Uniform};
    let kinds =
        checker.full_or(vec![One, Equal, Bits(2), MinusOne, Skewed, Uniform], vec![One, Skewed]);
    let ways = [Accumulate::Slices, Accumulate::PerBucket, Accumulate::FusedSweep];
    for how in Arrangement::ALL {
        for &kind in &kinds {
            let input = checker.known.input(checker.full_or(131, 33), how, kind);
            for accumulate in ways {
                for window_bits in [None, Some(3)] {
                    let accumulate = Some(accumulate);
                    checker
                        .case(&input, &Settings { accumulate, window_bits, ..Settings::default() });
                }
            }
        }
    }
}

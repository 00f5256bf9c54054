//! MSMs over curves whose groups are tiny, where equal, opposite and infinite sums are common,
//! against sums known by their coefficients; on vectors, where the processor has them, and without.
#![no_main]

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::PrimeField;
use bucketeer::conformance::on_weierstrass;
use bucketeer::{Bases, Curve, Device, Error, Scalars};
use bucketeer_fuzz::curves::{tiny, tiny_glv};
use bucketeer_fuzz::small_order::*;
use bucketeer_fuzz::{AnySettings, Combination, Combinations};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Case {
    curve: u8,
    device: u8,
    form: Form,
    settings: AnySettings,
    /// How often the pairs are repeated beyond the first time.
    repeated: u8,
    pairs: Vec<(u8, u128)>,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum Form {
    Residues,
    Words,
    Signed,
}

/// A few threads and many, each with the arithmetic of the processor at its best and portably.
static DEVICES: LazyLock<Vec<[Device; 2]>> = LazyLock::new(|| {
    let devices = [1, 2, 7].map(|threads| Device::cpu_with_threads(threads).expect("a pool"));
    devices.map(|device| [device.clone(), device.portable().expect("a CPU")]).into()
});

fn check<C: Curve>(combinations: &Combinations<C>, case: &Case) {
    let settings = &case.settings.0;
    let times = 1 + usize::from(case.repeated) % 32;
    let pairs = case.pairs.repeat(times);
    let terms: Vec<&Combination<C>> =
        pairs.iter().map(|(seed, _)| combinations.get(*seed, settings.any_point)).collect();
    let mut points: Vec<C> = terms.iter().map(|term| term.point).collect();
    let words: Vec<u64> = pairs.iter().flat_map(|(_, k)| [*k as u64, (*k >> 64) as u64]).collect();
    let residues: Vec<C::ScalarField> = pairs.iter().map(|(_, k)| (*k).into()).collect();
    let signed: Vec<i128> = pairs.iter().map(|(_, k)| *k as i128).collect();
    let (scalars, amounts): (_, Vec<u128>) = match case.form {
        Form::Residues => {
            let amount = |k: &C::ScalarField| k.into_bigint().as_ref()[0].into();
            (Scalars::residues(&residues), residues.iter().map(amount).collect())
        }
        Form::Words => (Scalars::words(&words, 2), pairs.iter().map(|(_, k)| *k).collect()),
        // k·P with k < 0 is |k|·(−P), so the sum over points with the signs of k is that of |k|.
        Form::Signed => {
            for (point, _) in points.iter_mut().zip(&signed).filter(|(_, k)| **k < 0) {
                *point = (-point.into_group()).into_affine();
            }
            (Scalars::from(&signed), signed.iter().map(|k| k.unsigned_abs()).collect())
        }
    };
    let expected = combinations.expected(terms.into_iter().zip(amounts));
    let builder = Bases::builder().settings(settings.clone());
    for device in &DEVICES[usize::from(case.device) % DEVICES.len()] {
        let loaded = || builder.load(device, &points)?.msm(scalars);
        for sum in [builder.msm(device, &points, scalars), loaded()] {
            match sum {
                Ok(sum) => assert_eq!(on_weierstrass::<C>(&sum), Some(expected), "{device}"),
                Err(Error::InvalidSetting { .. } | Error::OutOfMemory { .. }) => {}
                Err(Error::NotRepresentable) => assert!(C::from_weierstrass(expected).is_none()),
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Checks a case on one of these curves.
macro_rules! on_one_of {
    ($case:expr, $($curve:ident)*) => {{
        const CHECKS: &[fn(&Case)] = &[$(|case| {
            static POINTS: LazyLock<Combinations<$curve::Affine>> =
                LazyLock::new(Combinations::new);
            check(&POINTS, case);
        }),*];
        CHECKS[usize::from($case.curve) % CHECKS.len()]($case);
    }};
}

#[cfg(feature = "every-curve")]
fuzz_target!(|case: Case| {
    on_one_of!(
        &case,
        tiny tiny_glv two three four_full four_one_spare four_glv four_edwards four_quadratic five
        six_full six_glv six_quadratic twelve_glv
    );
});

// One for each kernel shape and form: every curve takes a while to compile.
#[cfg(not(feature = "every-curve"))]
fuzz_target!(|case: Case| {
    on_one_of!(
        &case,
        tiny tiny_glv four_full four_glv four_edwards four_quadratic six_glv six_quadratic
        twelve_glv
    );
});

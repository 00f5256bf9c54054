//! Random small MSMs under random settings against sums made one multiplication at a time.

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field};
use bucketeer::plan::{Accumulate, Digits, Group, Reduce, Settings};
use bucketeer::{Bases, Curve, CurveSpec, Device, Scalars, msm};
use num_bigint::BigUint;
use proptest::prelude::*;

/// A base as a small multiple of the generator, so that equal and opposite bases are common.
type Base = i8;

/// A scalar as an amount and what is made of it.
#[derive(Debug, Clone)]
enum Scalar {
    Small(u8),
    MinusSmall(u8),
    Power(u16),
    PowerMinusOne(u16),
    Any([u64; 12]),
}

fn scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        any::<u8>().prop_map(Scalar::Small),
        any::<u8>().prop_map(Scalar::MinusSmall),
        (0u16..760).prop_map(Scalar::Power),
        (0u16..760).prop_map(Scalar::PowerMinusOne),
        any::<[u64; 12]>().prop_map(Scalar::Any),
    ]
}

impl Scalar {
    fn value<F: ark_ff::PrimeField>(&self) -> F {
        let power = |e: u16| F::from(2u64).pow([u64::from(e)]);
        match *self {
            Self::Small(k) => F::from(k),
            Self::MinusSmall(k) => -F::from(k),
            Self::Power(e) => power(e),
            Self::PowerMinusOne(e) => power(e) - F::ONE,
            Self::Any(words) => F::from(BigUint::from_bytes_le(bytes(&words).as_slice())),
        }
    }
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn settings() -> impl Strategy<Value = Settings> {
    let stages = (
        proptest::option::of(prop_oneof![Just(Group::Sort), Just(Group::Csr)]),
        proptest::option::of(prop_oneof![
            Just(Accumulate::Slices),
            Just(Accumulate::PerBucket),
            Just(Accumulate::FusedSweep),
            Just(Accumulate::InPlace),
            Just(Accumulate::Straus),
        ]),
        proptest::option::of(prop_oneof![
            Just(Reduce::RunningSum),
            (1u32..40).prop_map(|slices| Reduce::SlicedRunningSum { slices }),
            Just(Reduce::WindowSplitting),
        ]),
    );
    let digits = proptest::option::of(prop_oneof![Just(Digits::Signed), Just(Digits::Unsigned)]);
    let shape = (
        proptest::option::of(2u32..14),
        proptest::option::of(1u32..9),
        digits,
        any::<(bool, Option<bool>)>(),
        proptest::option::of(1usize..12),
        proptest::option::of(1u32..7),
    );
    (shape, stages).prop_map(
        |((window, factor, digits, (no_split, negate), chunk, multiples), stages)| {
            let mut settings = Settings::default();
            settings.window_bits = window;
            settings.precompute = factor;
            settings.digits = digits;
            settings.negate = negate;
            settings.endomorphism = no_split.then_some(false);
            settings.chunk = chunk;
            (settings.group, settings.accumulate, settings.reduce) = stages;
            // Odd multiples where the other settings allow them.
            let ways = [None, Some(Accumulate::Slices), Some(Accumulate::InPlace)];
            let split = [None, Some(Reduce::WindowSplitting)].contains(&settings.reduce);
            if ways.contains(&settings.accumulate) && split && digits != Some(Digits::Unsigned) {
                settings.odd_multiples =
                    multiples.filter(|log| window.is_none_or(|c| c >= log + 2)).map(|log| 1 << log);
            }
            if settings.accumulate == Some(Accumulate::Straus) {
                settings.window_bits = window.map(|bits| bits.min(8));
                settings.digits = None;
            }
            settings
        },
    )
}

fn points<C: Curve>(bases: &[Base]) -> Vec<C> {
    let multiple = |&k: &Base| {
        let positive = C::GENERATOR * C::ScalarField::from(k.unsigned_abs());
        if k < 0 { (-positive).into_affine() } else { positive.into_affine() }
    };
    bases.iter().map(multiple).collect()
}

fn equals_the_naive_sum<C: Curve>(pairs: &[(Base, Scalar)], settings: Settings) {
    let (bases, scalars): (Vec<Base>, Vec<Scalar>) = pairs.iter().cloned().unzip();
    let points = points::<C>(&bases);
    let scalars: Vec<C::ScalarField> = scalars.iter().map(Scalar::value).collect();
    let expected: C::Group = points.iter().zip(&scalars).map(|(p, k)| *p * k).sum();
    let builder = Bases::builder().settings(settings);
    let residues = Scalars::residues(&scalars);
    let device = Device::cpu();
    assert_eq!(builder.msm(&device, &points, residues).unwrap(), expected);
    assert_eq!(builder.load(&device, &points).unwrap().msm(residues).unwrap(), expected);
}

/// (k·P)ᵢ and the same with every pair split in two give one sum: Σ kᵢ·Pᵢ = Σ (kᵢ−1)·Pᵢ + Σ Pᵢ.
fn is_linear<C: Curve>(pairs: &[(Base, Scalar)]) {
    let (bases, scalars): (Vec<Base>, Vec<Scalar>) = pairs.iter().cloned().unzip();
    let points = points::<C>(&bases);
    let scalars: Vec<C::ScalarField> = scalars.iter().map(Scalar::value).collect();
    let less: Vec<C::ScalarField> = scalars.iter().map(|k| *k - C::ScalarField::ONE).collect();
    let whole = msm(&points, Scalars::residues(&scalars)).unwrap();
    let rest = msm(&points, Scalars::residues(&less)).unwrap();
    let ones = points.iter().fold(C::Group::ZERO, |sum, p| sum + p);
    assert_eq!(whole, rest + ones);
}

fn pairs() -> impl Strategy<Value = Vec<(Base, Scalar)>> {
    prop::collection::vec((-12i8..12, scalar()), 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn bls12_377_g1(pairs in pairs(), settings in settings()) {
        equals_the_naive_sum::<ark_bls12_377::G1Affine>(&pairs, settings);
    }

    #[test]
    fn bls12_381_g2(pairs in pairs(), settings in settings()) {
        equals_the_naive_sum::<ark_bls12_381::G2Affine>(&pairs, settings);
    }

    #[test]
    fn ed_on_bls12_377(pairs in pairs(), settings in settings()) {
        equals_the_naive_sum::<ark_ed_on_bls12_377::EdwardsAffine>(&pairs, settings);
    }

    #[test]
    fn secp256r1(pairs in pairs(), settings in settings()) {
        equals_the_naive_sum::<ark_secp256r1::Affine>(&pairs, settings);
    }

    #[test]
    fn tiny(pairs in pairs(), settings in settings()) {
        equals_the_naive_sum::<crate::curves::tiny::Affine>(&pairs, settings);
    }

    #[test]
    fn small_orders(pairs in pairs(), settings in settings()) {
        macro_rules! check {
            ($($curve:ident)*) => {
                $(equals_the_naive_sum::<crate::small_order::$curve::Affine>(
                    &pairs,
                    settings.clone(),
                );)*
            };
        }
        crate::small_order::with_all!(check);
    }

    #[test]
    fn sums_are_linear(pairs in pairs()) {
        is_linear::<ark_bls12_377::G1Affine>(&pairs);
        is_linear::<ark_ed_on_bls12_377::EdwardsAffine>(&pairs);
    }

    /// The endomorphism's promise: λ·P has x-coordinate β·x.
    #[test]
    fn splitting_agrees_with_its_constants(k in scalar()) {
        let curve = CurveSpec::of::<ark_bls12_377::G1Affine>();
        let split = curve.endomorphism.as_ref().unwrap();
        let lambda = ark_bls12_377::Fr::from(split.lambda.clone());
        let beta = ark_bls12_377::Fq::from(split.beta.clone());
        let point = (ark_bls12_377::G1Affine::GENERATOR * k.value::<ark_bls12_377::Fr>()).into_affine();
        let image = (point * lambda).into_affine();
        prop_assert_eq!((image.x, image.y), (beta * point.x, point.y));
    }
}

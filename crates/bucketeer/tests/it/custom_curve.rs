//! The curves defined in these tests are what they claim to be, and the library reads them right.

use crate::curves::{TinyFq, secp192k1, small, tiny, tiny_glv, wide};
use crate::small_order::*;
use crate::tiny_curves::*;
use ark_ec::{CurveConfig, CurveGroup};
use ark_ff::{AdditiveGroup, Field, One, PrimeField, Zero};
use bucketeer::conformance::reference_sum;
use bucketeer::{Bases, Curve, CurveSpec, Device, Error, PointFault, Scalars};
use num_bigint::BigUint;

fn generator_has_the_order<C: Curve>() {
    let g = C::GENERATOR;
    assert!(g.on_curve() && !g.is_zero());
    assert!(g.mul_bigint(C::ScalarField::MODULUS).is_zero(), "r·G is not zero");
    let CurveSpec { order, cofactor, .. } = &*CurveSpec::of::<C>();
    let inverse = <C::Config as CurveConfig>::COFACTOR_INV;
    assert!((C::ScalarField::from(cofactor.clone()) * inverse).is_one());
    // Twice in the order of the curve, r would make points of order r outside the subgroup
    // possible.
    assert!(!(cofactor % order).is_zero());
    let points = (0..=u8::MAX).filter_map(|byte| C::from_random_bytes(&[byte; 193]));
    let points: Vec<C> = points.take(8).collect();
    assert_eq!(points.len(), 8);
    let words = (order * cofactor).to_u64_digits();
    for point in points {
        assert!(point.on_curve());
        assert_eq!(reference_sum(&[point], &words, words.len()), None, "h·r·P is not zero");
    }
}

#[test]
fn generators_have_the_stated_order() {
    generator_has_the_order::<secp192k1::Affine>();
    generator_has_the_order::<tiny::Affine>();
    generator_has_the_order::<tiny_glv::Affine>();
    macro_rules! check {
        ($($curve:ident)*) => {
            $(generator_has_the_order::<$curve::Affine>();)*
        };
    }
    with_all!(check);
    with_tiny!(check);
}

/// Multiples of the generator against sums of single ones.
fn sums_are_right<C: Curve>() {
    assert!(C::GENERATOR.on_curve() && !C::GENERATOR.is_zero());
    assert!(C::GENERATOR.mul_bigint(C::ScalarField::MODULUS).is_zero());
    let order = C::ScalarField::MODULUS.as_ref()[0];
    for device in [Device::cpu(), Device::cpu().portable().unwrap()] {
        for n in [1, 5, 300, 3000] {
            // arkworks does not find random elements of such fields.
            let steps =
                std::iter::successors(Some(C::GENERATOR.into_group()), |p| Some(*p + C::GENERATOR));
            let points = C::Group::normalize_batch(&steps.take(n).collect::<Vec<_>>());
            let scalars: Vec<_> =
                (0..n as u64).map(|i| C::ScalarField::from((i * 12345 + 7) % order)).collect();
            let expected: C::Group = points.iter().zip(&scalars).map(|(p, k)| *p * *k).sum();
            let scalars = Scalars::residues(&scalars);
            let sum = Bases::builder().msm(&device, &points, scalars).unwrap();
            assert!(sum == expected, "{n} on {device}");
            let loaded = Bases::builder().precompute(2).load(&device, &points).unwrap();
            assert!(loaded.msm(scalars).unwrap() == expected, "{n} on {device}, loaded");
        }
    }
}

/// Used to panic inside arkworks.
#[test]
fn fields_with_more_words_than_their_modulus_needs() {
    sums_are_right::<wide::Affine>();
}

/// Used to fail an assertion about the alignment of the elements.
#[test]
fn extensions_of_fields_smaller_than_a_word() {
    sums_are_right::<small::Affine>();
}

/// On WebGPU every product in a field of one limb used to be zero.
#[cfg(feature = "webgpu")]
#[test]
fn fields_of_one_limb_on_webgpu() {
    for portable in [false, true] {
        let opened = Device::webgpu(0);
        let opened = if portable { opened.and_then(|device| device.portable()) } else { opened };
        let Ok(device) = opened else { return eprintln!("NOT RUN: no adapter") };
        let generator = <eight_prime::Affine as ark_ec::AffineRepr>::GENERATOR;
        let points: Vec<_> =
            (1..=100u8).map(|k| (generator * eight_prime::Fr::from(k)).into_affine()).collect();
        let scalars: Vec<u64> = (1..=100).map(|i| i * i * 0x9e37_79b9_7f4a).collect();
        let terms =
            points.iter().zip(&scalars).map(|(point, k)| *point * eight_prime::Fr::from(*k));
        let expected = terms.reduce(|sum, term| sum + term);
        let sum = Bases::builder().msm(&device, &points, &scalars).unwrap();
        assert_eq!(Some(sum), expected, "{device}");
    }
}

/// All affine points of a curve over the tiny field.
fn all_points<C: Curve<BaseField = TinyFq>>() -> Vec<C> {
    let mut roots = vec![Vec::new(); 65497];
    for y in 0..65497u64 {
        roots[(y * y % 65497) as usize].push(y);
    }
    let [a, b] = CurveSpec::of::<C>().weierstrass.clone().map(|c| TinyFq::from(c[0].clone()));
    let xs = (0..65497u64).map(TinyFq::from);
    xs.flat_map(|x| {
        let square = x.square() * x + a * x + b;
        let ys = &roots[square.into_bigint().0[0] as usize];
        ys.iter().map(|&y| C::from_coordinates(x, TinyFq::from(y))).collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn tiny_curves_have_the_stated_number_of_points() {
    assert_eq!(all_points::<tiny::Affine>().len() + 1, 4 * 16411);
    assert_eq!(all_points::<tiny_glv::Affine>().len() + 1, 3 * 22003);
}

/// The sum of all points of a group is the point of order 2 where there is exactly one, else zero.
#[test]
fn the_sum_of_all_points_of_a_curve() {
    let points = all_points::<tiny::Affine>();
    let ones = vec![true; points.len()];
    let sum = Bases::builder().any_point().msm(&Device::cpu(), &points, &ones).unwrap();
    assert!(!sum.is_zero() && sum.double().is_zero());
    let points = all_points::<tiny_glv::Affine>();
    let ones = vec![true; points.len()];
    let sum = Bases::builder().any_point().msm(&Device::cpu(), &points, &ones).unwrap();
    assert!(sum.is_zero());
}

#[test]
fn the_subgroup_check_finds_exactly_the_points_outside() {
    let device = Device::cpu();
    let points = all_points::<tiny::Affine>();
    let inside: Vec<_> = points.iter().copied().filter(Curve::in_subgroup).collect();
    assert_eq!(inside.len() + 1, 16411);
    let checked = Bases::builder().check_subgroup();
    checked.load(&device, &inside).expect("all in the subgroup");
    let outside = points.iter().position(|point| !point.in_subgroup()).unwrap();
    let error = checked.load(&device, &points).unwrap_err();
    assert_eq!(error, Error::InvalidBase { index: outside, reason: PointFault::NotInSubgroup });
}

#[test]
fn descriptions_are_read_off_the_configuration() {
    let spec = CurveSpec::of::<secp192k1::Affine>();
    assert_eq!((spec.limbs, spec.degree, spec.scalar_bits()), (3, 1, 192));
    assert!(spec.endomorphism.is_some() && spec.montgomery);
    let spec = CurveSpec::of::<tiny::Affine>();
    assert_eq!((spec.limbs, spec.degree, spec.scalar_bits()), (1, 1, 15));
    assert!(spec.endomorphism.is_none());
    assert_eq!(spec.cofactor, 4u32.into());
    assert!(CurveSpec::of::<tiny_glv::Affine>().endomorphism.is_some());
    let spec = CurveSpec::of::<four_quadratic::Affine>();
    assert_eq!((spec.limbs, spec.degree, spec.scalar_bits()), (4, 2, 5));
    assert_eq!(spec.non_residue, Some(&spec.modulus - 2u32));
    assert!(spec.endomorphism.is_some());
    for spec in [CurveSpec::of::<four_one_spare::Affine>(), CurveSpec::of::<six_glv::Affine>()] {
        assert!(spec.endomorphism.is_some() && spec.order == BigUint::from(7u32));
    }
}

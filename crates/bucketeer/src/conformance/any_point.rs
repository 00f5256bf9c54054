//! Points of the whole curve, inside the prime-order subgroup or not.
//!
//! Nothing modulo the order holds for them, so the oracle is double-and-add on integers, one base at a
//! time.

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field};
use ark_std::rand::{RngCore, SeedableRng};
use num_bigint::BigUint;
use num_traits::Zero;
use rand_chacha::ChaCha20Rng;

use super::checker::Checker;
use crate::plan::{Accumulate, Digits, Settings};
use crate::{Curve, CurveSpec, Model, Scalars};

/// Words of the longest scalars here: longer than any named curve's order.
const WORDS: usize = 7;

/// Points outside the subgroup with residues and with long integers, under every setting that treats
/// points or scalars in another way.
pub(super) fn any_point<C: Curve>(checker: &mut Checker<'_, C>) {
    let mut rng = ChaCha20Rng::seed_from_u64(0xa11);
    let points = points::<C>(checker.full_or(33, 9), &mut rng);
    assert_some_outside::<C>(checker, &points);
    let mut residues: Vec<C::ScalarField> = vec![-C::ScalarField::ONE, C::ScalarField::ONE];
    residues.resize_with(points.len(), || ark_std::UniformRand::rand(&mut rng));
    let integers: Vec<[u64; WORDS]> =
        points.iter().map(|_| [(); WORDS].map(|()| rng.next_u64())).collect();
    let of_residues = naive(&points, residues.iter().map(|k| (*k).into()));
    let of_integers = naive(&points, integers.iter().map(|k| integer(k)));
    for settings in settings(checker.filter.quick) {
        let builder = checker.builder(&settings);
        let device = checker.device;
        let (residues, integers) = (Scalars::residues(&residues), Scalars::from(&integers));
        checker.sum("residues, borrowed", &settings, &of_residues, || {
            builder.msm(device, &points, residues)
        });
        checker.sum("residues, loaded", &settings, &of_residues, || {
            builder.load(device, &points)?.msm(residues)
        });
        checker.sum("integers, borrowed", &settings, &of_integers, || {
            builder.msm(device, &points, integers)
        });
        checker.sum("integers, loaded", &settings, &of_integers, || {
            builder.clone().scalar_bits(64 * WORDS as u32).load(device, &points)?.msm(integers)
        });
    }
}

fn settings(quick: bool) -> Vec<Settings> {
    let any = Settings { any_point: true, ..Settings::default() };
    let mut all = vec![
        any.clone(),
        Settings { window_bits: Some(3), digits: Some(Digits::Signed), ..any.clone() },
        Settings { window_bits: Some(11), digits: Some(Digits::Unsigned), ..any.clone() },
        Settings { precompute: Some(5), ..any.clone() },
        Settings { negate: Some(true), endomorphism: Some(false), ..any.clone() },
        Settings { accumulate: Some(Accumulate::PerBucket), window_bits: Some(2), ..any.clone() },
        Settings { accumulate: Some(Accumulate::FusedSweep), window_bits: Some(2), ..any.clone() },
        Settings { chunk: Some(5), ..any },
    ];
    all.truncate(if quick { 2 } else { all.len() });
    all
}

/// A curve with a cofactor must be tested with points outside its subgroup.
fn assert_some_outside<C: Curve>(checker: &mut Checker<'_, C>, points: &[C]) {
    let outside = points.iter().filter(|point| !point.in_subgroup()).count();
    let expected = CurveSpec::of::<C>().cofactor != BigUint::from(1u32);
    checker.check(
        "points of the whole curve",
        &Settings::default(),
        || Ok(points.iter().all(C::on_curve) && (outside > 0) == expected),
        |right| (!matches!(right, Ok(true))).then(|| format!("{outside} outside the subgroup")),
    );
}

/// Random points of the curve; then, where the curve has a cofactor, points of small order, their sums
/// with the generator, and pairs that differ by such a point.
fn points<C: Curve>(n: usize, rng: &mut ChaCha20Rng) -> Vec<C> {
    let mut points = torsion::<C>(rng);
    let shifted: Vec<C> = points.iter().map(|t| (C::GENERATOR + *t).into_affine()).collect();
    points.extend(shifted);
    while points.len() < n - 2 {
        points.push(random_point(rng));
    }
    points.truncate(n - 2);
    points.push(C::zero());
    points.push((-points[points.len() / 2].into_group()).into_affine());
    points
}

/// Points whose order divides the cofactor, among them one of order 2 where there is one.
fn torsion<C: Curve>(rng: &mut ChaCha20Rng) -> Vec<C> {
    let spec = CurveSpec::of::<C>();
    if let Model::TwistedEdwards { .. } = spec.model {
        // Multiples by the order could meet points at infinity, which arkworks' formulas cannot.
        let (zero, one) = (C::BaseField::ZERO, C::BaseField::ONE);
        return vec![C::from_coordinates(zero, -one)];
    }
    let small = multiple(&random_point::<C>(rng), &spec.order);
    let odd_part = &spec.cofactor >> spec.cofactor.trailing_zeros().unwrap_or(0);
    let mut even = multiple(&small.into_affine(), &odd_part);
    while !even.double().is_zero() {
        even.double_in_place();
    }
    let points = [small, even].into_iter().filter(|point| !point.is_zero());
    points.map(CurveGroup::into_affine).collect()
}

fn random_point<C: Curve>(rng: &mut ChaCha20Rng) -> C {
    loop {
        let mut bytes = vec![0; 2 * 96];
        rng.fill_bytes(&mut bytes);
        if let Some(point) = C::from_random_bytes(&bytes).filter(|point| !point.is_zero()) {
            return point;
        }
    }
}

fn integer(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |sum, &word| (sum << 64) + word)
}

/// `k·P` by double-and-add, with nothing taken modulo anything.
fn multiple<C: Curve>(point: &C, k: &BigUint) -> C::Group {
    (0..k.bits()).rev().fold(C::Group::ZERO, |sum, bit| {
        let doubled = sum.double();
        if k.bit(bit) { doubled + point } else { doubled }
    })
}

fn naive<C: Curve>(points: &[C], scalars: impl Iterator<Item = BigUint>) -> C::Group {
    points.iter().zip(scalars).map(|(point, k)| multiple(point, &k)).sum()
}

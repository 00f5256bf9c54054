//! Small MSMs over tiny curves, where equal, opposite and infinite sums are common, against sums made
//! one multiplication at a time.
#![no_main]

use arbitrary::Arbitrary;
use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;
use bucketeer::{Bases, Curve, Device, Error, Scalars};
use bucketeer_fuzz::AnySettings;
use bucketeer_fuzz::curves::{tiny, tiny_glv};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Case {
    pairs: Vec<(u16, u128)>,
    residues: bool,
    settings: AnySettings,
}

/// `k·P` by double-and-add, with nothing taken modulo anything.
fn multiple<C: Curve>(point: C, k: u128) -> C::Group {
    (0..u128::BITS - k.leading_zeros()).rev().fold(C::Group::ZERO, |sum, bit| {
        let doubled = sum.double();
        if k >> bit & 1 == 1 { doubled + point } else { doubled }
    })
}

/// A point of the whole curve if the settings allow it, else one of the subgroup.
fn point<C: Curve>(seed: u16, whole: bool) -> C {
    let mut bytes = [0; 8];
    bytes[..2].copy_from_slice(&seed.to_le_bytes());
    let point = C::from_random_bytes(&bytes).filter(|_| whole);
    point.unwrap_or_else(|| multiple(C::GENERATOR, seed.into()).into_affine())
}

fn check<C: Curve>(case: &Case) {
    let settings = &case.settings.0;
    let points: Vec<C> = case.pairs.iter().map(|(p, _)| point(*p, settings.any_point)).collect();
    let words: Vec<u64> =
        case.pairs.iter().flat_map(|(_, k)| [*k as u64, (*k >> 64) as u64]).collect();
    let residues: Vec<C::ScalarField> = case.pairs.iter().map(|(_, k)| (*k).into()).collect();
    let integer = |k: &C::ScalarField| -> num_bigint::BigUint { (*k).into() };
    let amount = |i: usize| match case.residues {
        true => integer(&residues[i]).try_into().expect("the order has 15 bits"),
        false => case.pairs[i].1,
    };
    let expected: C::Group = (0..points.len()).map(|i| multiple(points[i], amount(i))).sum();
    let scalars = match case.residues {
        true => Scalars::residues(&residues),
        false => Scalars::words(&words, 2),
    };
    let builder = Bases::builder().settings(settings.clone());
    let device = Device::cpu();
    let loaded = || builder.load(&device, &points)?.msm(scalars);
    for sum in [builder.msm(&device, &points, scalars), loaded()] {
        match sum {
            Ok(sum) => assert_eq!(sum, expected),
            Err(Error::InvalidSetting { .. } | Error::OutOfMemory { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fuzz_target!(|case: Case| {
    check::<tiny::Affine>(&case);
    check::<tiny_glv::Affine>(&case);
});

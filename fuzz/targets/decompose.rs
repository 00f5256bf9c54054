//! One to four full-size scalars under arbitrary settings: Σ digits·2^(jc) must be the scalar,
//! which shows as a right sum over a real curve.
#![no_main]

use arbitrary::Arbitrary;
use ark_bls12_377::{Fr, G1Affine, G1Projective};
use ark_ec::AffineRepr;
use bucketeer::{Bases, Device, Error, Scalars};
use bucketeer_fuzz::AnySettings;
use libfuzzer_sys::fuzz_target;
use num_bigint::BigUint;

#[derive(Debug, Arbitrary)]
struct Case {
    first: [u64; 4],
    rest: [Option<[u64; 4]>; 3],
    bits: Option<u16>,
    residues: bool,
    settings: AnySettings,
}

fn residue(words: &[u64; 4]) -> Fr {
    Fr::from(words.iter().rev().fold(BigUint::ZERO, |sum, &word| (sum << 64) + word))
}

fuzz_target!(|case: Case| {
    let integers: Vec<[u64; 4]> =
        [Some(case.first)].into_iter().chain(case.rest).flatten().collect();
    let residues: Vec<Fr> = integers.iter().map(residue).collect();
    let points: Vec<G1Affine> = vec![G1Affine::generator(); integers.len()];
    let expected: G1Projective = G1Affine::generator() * residues.iter().sum::<Fr>();
    let scalars = match (case.residues, case.bits) {
        (true, _) => Scalars::from(&residues),
        (false, None) => Scalars::from(&integers),
        (false, Some(bits)) => Scalars::from(&integers).with_bits(bits.into()),
    };
    let builder = Bases::builder().settings(case.settings.0);
    let device = Device::cpu();
    let loaded = || builder.load(&device, &points)?.msm(scalars);
    for sum in [builder.msm(&device, &points, scalars), loaded()] {
        match sum {
            Ok(sum) => assert_eq!(sum, expected),
            Err(Error::InvalidSetting { .. } | Error::OutOfMemory { .. }) => {}
            Err(Error::ScalarTooLarge { index, .. }) => {
                let bits = case.bits.expect("only stated bounds can be broken");
                let value = integers[index].iter().rev().fold(BigUint::ZERO, |n, &w| (n << 64) + w);
                assert!(value.bits() > bits.into());
            }
            Err(error) => panic!("{error}"),
        }
    }
});

//! Scalars of up to 1024 bits as digits of odd multiples, over tables of every shape: Σ digits must
//! be the scalar, which shows as a right sum over a real curve.
#![no_main]

use arbitrary::Arbitrary;
use ark_bls12_377::{Fr, G1Affine, G1Projective};
use ark_ec::AffineRepr;
use bucketeer::{Bases, Error, Scalars};
use bucketeer_fuzz::DEVICES;
use libfuzzer_sys::fuzz_target;
use num_bigint::BigUint;

#[derive(Debug, Arbitrary)]
struct Case {
    first: [u64; 16],
    second: [u64; 16],
    /// Words of a scalar.
    words: u8,
    bits: Option<u16>,
    residues: bool,
    any_point: bool,
    device: u8,
    window_bits: u8,
    odd_multiples: u8,
    copies: u8,
}

fn residue(words: &[u64]) -> Fr {
    Fr::from(words.iter().rev().fold(BigUint::ZERO, |sum, &word| (sum << 64) + word))
}

fuzz_target!(|case: Case| {
    let words = 1 + usize::from(case.words) % 16;
    let integers = [&case.first[..words], &case.second[..words]];
    let residues = integers.map(residue);
    let expected: G1Projective = G1Affine::generator() * (residues[0] + residues[1]);
    let flat = integers.concat();
    let scalars = match (case.residues, case.bits) {
        (true, _) => Scalars::residues(&residues),
        (false, None) => Scalars::words(&flat, words),
        (false, Some(bits)) => Scalars::words(&flat, words).with_bits(bits.into()),
    };
    let mut builder = Bases::builder()
        .window_bits(1 + u32::from(case.window_bits) % 13)
        .odd_multiples(1 << (case.odd_multiples % 7))
        .precompute(1 + u32::from(case.copies) % 8);
    if case.any_point {
        builder = builder.any_point();
    }
    let device = &DEVICES[usize::from(case.device) % DEVICES.len()];
    let points = [G1Affine::generator(); 2];
    match builder.load(device, &points).and_then(|bases| bases.msm(scalars)) {
        Ok(sum) => assert_eq!(sum, expected),
        Err(Error::InvalidSetting { .. } | Error::OutOfMemory { .. }) => {}
        Err(Error::ScalarTooLarge { index, .. }) => {
            let bits = case.bits.expect("only stated bounds can be broken");
            let value = integers[index].iter().rev().fold(BigUint::ZERO, |n, &w| (n << 64) + w);
            assert!(value.bits() > bits.into());
        }
        Err(error) => panic!("{error}"),
    }
});

//! Everything that can be wrong with a key.

use ark_bls12_381::{Bls12_381, G1Affine};
use ark_bn254::Bn254;
use ark_ec::AffineRepr;
use ark_ff::{Field, PrimeField};
use bucketeer::io::{Malformed, ReadOptions, Zkey, parse_zkey};
use bucketeer_groth16::SnarkjsPairing;

use crate::circuit::chain;
use crate::setup::{Sections, container, encode_point, padded, zkey};

fn parse<E: SnarkjsPairing>(bytes: &[u8]) -> Result<Zkey<E>, Malformed> {
    parse_zkey(bytes, &ReadOptions::default())
}

fn reason<E: SnarkjsPairing>(sections: &Sections) -> String {
    let bytes = container("zkey", 1, sections);
    parse::<E>(&bytes).expect_err("a bad key").reason
}

/// A good key, changed in one section.
fn changed<E: SnarkjsPairing>(kind: u32, change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut sections = zkey::<E>(&chain(5, 2));
    let section = sections.iter_mut().find(|(own, _)| *own == kind).expect("the section");
    change(&mut section.1);
    reason::<E>(&sections)
}

/// Where the counts of signals, public signals and the domain are in the header of BN254.
const COUNTS: usize = 2 * (4 + 32);

#[test]
fn sections_that_are_cut_or_missing() {
    let good = zkey::<Bn254>(&chain(5, 2));
    assert!(parse::<Bn254>(&container("zkey", 1, &good)).is_ok());
    for kind in 1..=9 {
        let found = changed::<Bn254>(kind, |bytes| bytes.truncate(bytes.len() - 1));
        assert!(found.contains("truncated"), "section {kind}: {found}");
        if kind > 1 {
            let found = changed::<Bn254>(kind, |bytes| bytes.push(0));
            assert!(found.contains("trailing bytes"), "section {kind}: {found}");
        }
        let mut without = good.clone();
        without.retain(|(own, _)| *own != kind);
        let found = reason::<Bn254>(&without);
        assert!(found.contains(&format!("no section {kind}")), "{found}");
        let twice = good.iter().find(|(own, _)| *own == kind).expect("the section").clone();
        let found = reason::<Bn254>(&[good.clone(), vec![twice]].concat());
        assert!(found.contains(&format!("more than one section {kind}")), "{found}");
    }
    let bytes = container("zkey", 1, &good);
    for end in (0..bytes.len()).step_by(37) {
        assert!(parse::<Bn254>(&bytes[..end]).is_err(), "{end} bytes");
    }
}

#[test]
fn headers() {
    let good = zkey::<Bn254>(&chain(5, 2));
    let found = parse::<Bn254>(&container("wtns", 1, &good)).expect_err("magic");
    assert!(found.reason.contains("does not begin with \"zkey\""), "{found}");
    let found = parse::<Bn254>(&container("zkey", 2, &good)).expect_err("version");
    assert!(found.reason.contains("version 2 of .zkey, expected 1"), "{found}");
    let found = changed::<Bn254>(1, |bytes| bytes[0] = 2);
    assert_eq!(found, "protocol 2, expected 1 (Groth16)");
    let found = reason::<Bls12_381>(&good);
    assert!(found.starts_with("wrong curve: coordinates modulo"), "{found}");
    let found = changed::<Bn254>(2, |bytes| bytes[4 + 32 + 4] ^= 1);
    assert!(found.starts_with("wrong curve: coefficients modulo"), "{found}");
}

#[test]
fn inconsistent_counts() {
    let set = |at: usize, value: u32| {
        changed::<Bn254>(2, |bytes| {
            bytes[COUNTS + at..][..4].copy_from_slice(&value.to_le_bytes());
        })
    };
    // 9 signals, 2 of them public, and a domain of 8.
    assert!(set(0, 10).contains("10·64 bytes expected in section \"a\""));
    assert!(set(0, u32::MAX).contains("4294967295·64 bytes expected in section \"a\""));
    assert_eq!(set(0, 0), "2 public of 0 variables in the header");
    assert_eq!(set(4, 9), "9 public of 9 variables in the header");
    assert_eq!(set(4, u32::MAX), "4294967295 public of 9 variables in the header");
    assert!(set(4, 1).contains("trailing bytes: 2·64 bytes expected in section \"ic\""));
    assert!(set(8, 16).contains("16·64 bytes expected in section \"h\""));
    for domain in [0, 7, 1 << 29, u32::MAX] {
        let found = set(8, domain);
        assert!(found.contains(&format!("a domain of {domain} in the header")), "{found}");
    }
}

#[test]
fn coefficients() {
    let set = |at: usize, value: u32| {
        changed::<Bn254>(4, |bytes| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes()))
    };
    let second = 4 + 12 + 32;
    let place = "section \"coefficients\": coefficient 1: ";
    assert_eq!(set(second, 2), format!("{place}matrix 2, expected 0 or 1"));
    assert_eq!(set(second + 4, 8), format!("{place}constraint 8 of 8"));
    assert_eq!(set(second + 8, 9), format!("{place}signal 9 of 9"));
    assert!(set(0, u32::MAX).contains("4294967295·44 bytes expected in section \"coefficients\""));
    let order = padded(&ark_bn254::Fr::MODULUS.into(), 32);
    let found = changed::<Bn254>(4, |bytes| bytes[second + 12..][..32].copy_from_slice(&order));
    assert_eq!(found, format!("{place}its value is not below the prime"));
}

#[test]
fn points() {
    for (kind, name) in [(3, "ic"), (5, "a"), (6, "b1"), (8, "c"), (9, "h")] {
        // Point 1 of each section: its y is changed, then its x is the prime.
        let found = changed::<Bn254>(kind, |bytes| bytes[64 + 32] ^= 1);
        assert_eq!(found, format!("section \"{name}\": point 1: not on the curve"));
        let prime = padded(&ark_bn254::Fq::MODULUS.into(), 32);
        let found = changed::<Bn254>(kind, |bytes| bytes[64..96].copy_from_slice(&prime));
        assert_eq!(found, format!("section \"{name}\": point 1: x is not below the modulus"));
    }
    let found = changed::<Bn254>(7, |bytes| bytes[2 * 128 + 64] ^= 1);
    assert_eq!(found, "section \"b2\": point 2: not on the curve");
    let names = ["alpha in G1", "beta in G1", "beta in G2", "gamma in G2"];
    let starts = [0, 64, 128, 256].map(|start| COUNTS + 12 + start);
    for (name, start) in names.iter().zip(starts) {
        let found = changed::<Bn254>(2, |bytes| bytes[start] ^= 1);
        assert_eq!(found, format!("{name}, in the header: point 0: not on the curve"));
    }
}

#[test]
fn points_outside_the_subgroup() {
    let candidates = (1u64..).map(ark_bls12_381::Fq::from);
    let points = candidates.filter_map(|x| G1Affine::get_point_from_x_unchecked(x, true));
    let mut outside = points.filter(|point| !point.is_in_correct_subgroup_assuming_on_curve());
    let bytes = encode_point(outside.next().expect("the cofactor is not 1"));
    let mut sections = zkey::<Bls12_381>(&chain(5, 2));
    let section = sections.iter_mut().find(|(own, _)| *own == 9).expect("H");
    section.1[3 * 96..4 * 96].copy_from_slice(&bytes);
    let found = reason::<Bls12_381>(&sections);
    assert!(found.starts_with("section \"h\": "), "{found}");
    assert!(found.ends_with(" 3: not in the prime-order subgroup"), "{found}");
    let unchecked = ReadOptions { subgroup_check: false, ..ReadOptions::default() };
    let key = parse_zkey::<Bls12_381>(&container("zkey", 1, &sections), &unchecked);
    assert!(key.is_ok());
}

/// (0, 0) is how some curves of arkworks represent infinity; in a file it is all zeros, too.
#[test]
fn zeros_are_infinity() {
    let mut sections = zkey::<Bn254>(&chain(5, 2));
    sections.iter_mut().find(|(own, _)| *own == 5).expect("A").1[64..128].fill(0);
    let bytes = container("zkey", 1, &sections);
    let key = parse::<Bn254>(&bytes).expect("a key");
    assert!(key.a_g1[1].is_zero() && !key.a_g1[0].is_zero());
    assert_eq!(key.coefficients[0].value, ark_bn254::Fr::ONE);
}

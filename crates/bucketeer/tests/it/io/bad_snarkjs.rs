//! Everything that can be wrong with a snarkjs file.

use ark_bn254::{G1Affine, G2Affine};
use bucketeer::io;

use super::builders::*;

fn sample() -> (Vec<G1Affine>, Vec<G2Affine>) {
    (points(8), points(4))
}

#[track_caller]
fn ptau_reason(bytes: &[u8], section: Option<&str>) -> String {
    let (_directory, path) = file(bytes);
    reason(io::read_bases::<G1Affine>(&path, named("bn254"), section, &CHECKED))
}

#[test]
fn truncated_and_trailing_bytes() {
    let (g1, g2) = sample();
    let bytes = ptau(&g1[..3], &g2[..2]);
    let found = ptau_reason(&bytes[..bytes.len() - 1], None);
    assert_says(&found, &["truncated: 256 more bytes expected in section 3 of 3, 255 found"]);
    assert_says(&ptau_reason(&bytes[..10], None), &["truncated", "the file's header"]);
    let longer = [bytes.clone(), vec![0; 3]].concat();
    assert_says(&ptau_reason(&longer, None), &["trailing bytes: 3 after the last of 3 sections"]);
    let found = ptau_reason(&ptau(&g1[..2], &g2[..2]), None);
    assert_says(&found, &["truncated: 3·64 bytes expected in section \"tau-g1\", 128 found"]);
    let found = ptau_reason(&ptau(&g1[..4], &g2[..2]), None);
    assert_says(&found, &["trailing bytes: 3·64 bytes expected in section \"tau-g1\", 256 found"]);
    for end in 0..bytes.len() {
        let found = io::parse_bases::<G1Affine>(&bytes[..end], named("bn254"), None, &CHECKED);
        assert!(found.is_err(), "{end} bytes");
    }
}

#[test]
fn absurd_sizes_allocate_nothing() {
    let (g1, _) = sample();
    let mut bytes = b"ptau".to_vec();
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(u32::MAX.to_le_bytes());
    assert_says(&ptau_reason(&bytes, None), &["truncated", "section 1 of 4294967295"]);
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(u64::MAX.to_le_bytes());
    assert_says(&ptau_reason(&bytes, None), &["truncated: 18446744073709551615 more bytes"]);
    let sections = [ptau_header::<G1Affine>(u32::MAX), (2, montgomery(&g1))];
    assert_says(&ptau_reason(&container("ptau", &sections), None), &["a power of 4294967295"]);
}

#[test]
fn versions_and_sections() {
    let (g1, g2) = sample();
    let mut bytes = ptau(&g1[..3], &g2[..2]);
    assert_says(&ptau_reason(&bytes, Some("a")), &["no section \"a\"", "tau-g1, tau-g2"]);
    let found = ptau_reason(&bytes, Some("tau-g2"));
    assert_says(&found, &["section \"tau-g2\" holds points of G2, but bn254-g1 is G1"]);
    bytes[4] = 2;
    assert_says(&ptau_reason(&bytes, None), &["version 2"]);
    let header = ptau_header::<G1Affine>(1);
    let missing = container("ptau", std::slice::from_ref(&header));
    assert_says(&ptau_reason(&missing, None), &["no section 2 (tau-g1)"]);
    let twice = container("ptau", &[header.clone(), header]);
    assert_says(&ptau_reason(&twice, None), &["more than one section 1 (header)"]);
}

#[test]
fn wrong_curves() {
    let (g1, g2) = sample();
    let (_directory, path) = file(ptau(&g1[..3], &g2[..2]));
    let found = reason(io::read_bases::<ark_bls12_381::G1Affine>(
        &path,
        named("bls12-381"),
        None,
        &CHECKED,
    ));
    assert_eq!(found, "wrong curve: the file's prime is that of bn254-g1, not of bls12-381-g1");
    let found =
        reason(io::read_bases::<ark_pallas::Affine>(&path, named("pallas"), None, &CHECKED));
    assert_says(&found, &["a .ptau file cannot hold points of pallas", "bn254-g1", "bls12-381-g2"]);
    let found = reason(io::read_scalars::<G1Affine>(&path, named("bn254"), &CHECKED));
    assert_eq!(found, "a file of format ptau has no scalars; it has bases");
}

#[test]
fn bad_points() {
    let (g1, g2) = sample();
    let modulus = padded(&prime::<G1Affine>(), 32);
    let mut bytes = ptau(&g1[..3], &g2[..2]);
    let position = bytes.windows(64).position(|w| w == montgomery(&g1[1..2])).unwrap();
    bytes[position + 32..position + 64].copy_from_slice(&modulus);
    assert_eq!(ptau_reason(&bytes, None), "base 1: y is not below the modulus");

    let mut bases = g1[..3].to_vec();
    bases[0] = G1Affine::new_unchecked(1.into(), 3.into());
    assert_eq!(ptau_reason(&ptau(&bases, &g2[..2]), None), "base 0: not on the curve");

    let outside = [g2[0], outside_subgroup::<G2Affine>()];
    let (_directory, path) = file(ptau(&g1[..3], &outside));
    let curve = named("bn254-g2");
    let found = reason(io::read_bases::<G2Affine>(&path, curve, None, &CHECKED));
    assert_eq!(found, "base 1: not in the prime-order subgroup");
    let read = io::read_bases::<G2Affine>(&path, curve, None, &NO_SUBGROUP_CHECK);
    assert_eq!(read.as_deref(), Ok(&outside[..]));
}

#[test]
fn lagrange_sections() {
    let bytes = prepared_ptau::<G1Affine, G2Affine>(1);
    for end in (0..bytes.len()).step_by(7) {
        assert!(!ptau_reason(&bytes[..end], Some("lagrange-g1")).is_empty());
    }
    let (g1, g2) = sample();
    let found = ptau_reason(&ptau(&g1[..3], &g2[..2]), Some("lagrange-g1"));
    assert_says(&found, &["prepare phase2", "no section 12 (lagrange-g1)"]);
    let sections = [ptau_header::<G1Affine>(1), (12, montgomery(&g1[..5]))];
    let found = ptau_reason(&container("ptau", &sections), Some("lagrange-g1"));
    assert_eq!(found, "320 bytes in section \"lagrange-g1\", expected 7·64");
    // Files that were prepared before there was a basis of twice the size.
    let sections = [ptau_header::<G1Affine>(1), (12, montgomery(&g1[..3]))];
    let (_directory, path) = file(container("ptau", &sections));
    let read = io::read_bases(&path, named("bn254"), Some("lagrange-g1"), &CHECKED);
    assert_eq!(read.as_deref(), Ok(&g1[1..3]));
}

#[test]
fn proving_keys() {
    let (g1, g2) = sample();
    let read = |sections: &[(u32, Vec<u8>)], section| {
        let (_directory, path) = file(container("zkey", sections));
        reason(io::read_bases::<G1Affine>(&path, named("bn254"), section, &CHECKED))
    };
    let sections = zkey_sections(&g1, &g2);
    assert_says(&read(&sections, Some("tau-g1")), &["no section \"tau-g1\"", "a, b1, b2, c, h"]);
    assert_says(&read(&sections, Some("b2")), &["\"b2\" holds points of G2"]);

    let mut unknown = sections.clone();
    unknown[0].1[0] = 3;
    assert_says(&read(&unknown, None), &["protocol 3, expected 1 (Groth16), 2 (PLONK)"]);
    let mut header = sections.clone();
    header[1].1.truncate(2 * (4 + 32) + 12 + 64);
    assert_says(&read(&header, Some("beta-g1")), &["truncated: no \"beta-g1\" in the header"]);

    let mut short = sections.clone();
    short[4].1.truncate(100);
    let found = read(&short, Some("a"));
    assert_eq!(found, "truncated: 4·64 bytes expected in section \"a\", 100 found");

    // More public variables than there are: the number of private ones must not wrap around.
    let mut public = sections;
    let counts = 2 * (4 + 32);
    public[1].1[counts + 4] = 4;
    assert_says(&read(&public, Some("c")), &["4 public of 4 variables"]);
}

//! Points of gnark, of bellman and of the Ignition ceremony, and files that hold none, built by
//! hand from the formats' descriptions.

use ark_bls12_377 as bls377;
use ark_bls12_381 as bls381;
use ark_bn254 as bn;
use ark_ff::{BigInteger, Field, PrimeField};
use bucketeer::io::{self, Format};
use bucketeer::{Curve, curves::NamedCurve};

use super::builders::*;

/// gnark's raw encoding: a count of four bytes, then x and y big-endian, c1 before c0.
fn gnark<C: Curve>(points: &[C], infinity: u8) -> Vec<u8> {
    let mut bytes = (points.len() as u32).to_be_bytes().to_vec();
    let degree = C::BaseField::extension_degree() as usize;
    for point in points {
        let Some((x, y)) = point.xy() else {
            bytes.push(infinity);
            bytes.resize(bytes.len() + 2 * degree * width::<C>() - 1, 0);
            continue;
        };
        for element in [x, y] {
            let parts: Vec<_> = element.to_base_prime_field_elements().collect();
            for part in parts.iter().rev() {
                bytes.extend(part.into_bigint().to_bytes_be());
            }
        }
    }
    bytes
}

#[track_caller]
fn reads<C: Curve>(name: &str, bytes: &[u8], expected: &[C]) {
    let (curve, (_directory, path)) = (named(name), file(bytes));
    assert_eq!(io::detect(&path, curve), Ok(Format::Gnark), "{name}");
    let read = io::read_bases::<C>(&path, curve, None, &CHECKED);
    assert_eq!(read.as_deref(), Ok(expected), "{name}");
}

fn written_and_read<C: Curve>(name: &str, infinity: u8) {
    let points = points::<C>(5);
    reads(name, &gnark(&points, infinity), &points);
}

#[test]
fn raw_points_of_gnark() {
    written_and_read::<bn::G1Affine>("bn254", 0);
    written_and_read::<bn::G2Affine>("bn254-g2", 0);
    written_and_read::<bls377::G1Affine>("bls12-377", 0x40);
    written_and_read::<bls377::G2Affine>("bls12-377-g2", 0x40);
    written_and_read::<bls381::G1Affine>("bls12-381", 0x40);
    written_and_read::<bls381::G2Affine>("bls12-381-g2", 0x40);
}

/// The uncompressed generator of BLS12-381 as published with the format of Zcash, which gnark
/// follows: it starts with 17f1d3a7 and has no flags.
#[test]
fn the_generator_of_bls12_381() {
    let x = "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
    let y = "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1";
    let hex = |text: &str| -> Vec<u8> {
        let digit = |i: usize| u8::from_str_radix(&text[i..i + 2], 16).unwrap();
        (0..text.len()).step_by(2).map(digit).collect()
    };
    let bytes = [vec![0, 0, 0, 1], hex(x), hex(y)].concat();
    reads("bls12-381", &bytes, &points::<bls381::G1Affine>(1));
}

#[test]
fn bad_points_of_gnark() {
    let fault = |name: &str, bytes: &[u8]| {
        let (_directory, path) = file(bytes);
        reason(io::read_bases::<bls381::G1Affine>(&path, named(name), None, &CHECKED))
    };
    let good = gnark(&points::<bls381::G1Affine>(4), 0x40);
    for flags in [0x80, 0xa0, 0x20, 0x60] {
        let mut bytes = good.clone();
        bytes[4] |= flags;
        assert_says(&fault("bls12-381", &bytes), &["base 0: its flags"]);
    }
    let mut infinity = good.clone();
    infinity[4 + 3 * 96 - 1] = 1;
    assert_says(&fault("bls12-381", &infinity), &["base 2: its flags"]);
    let mut off = good.clone();
    *off.last_mut().unwrap() ^= 1;
    assert_eq!(fault("bls12-381", &off), "base 3: not on the curve");
    let outside = gnark(&[points(1)[0], outside_subgroup::<bls381::G1Affine>()], 0x40);
    assert_eq!(fault("bls12-381", &outside), "base 1: not in the prime-order subgroup");
    let compressed = [vec![0, 0, 0, 2], vec![0x80; 96]].concat();
    assert_says(&fault("bls12-381", &compressed), &["2 compressed points", "WriteRawTo"]);
    for end in 0..good.len() {
        let read =
            io::parse_bases::<bls381::G1Affine>(&good[..end], named("bls12-381"), None, &CHECKED);
        assert!(read.is_err(), "{end} bytes");
    }
}

/// Parameters of bellman: six single points, then vectors with big-endian counts, all points
/// uncompressed; after a ceremony a hash, a count, and 544 bytes per contribution.
fn bellman(lengths: [usize; 6], contributions: Option<u32>) -> Vec<u8> {
    let g1 = |first: usize, n: usize| gnark(&points::<bls381::G1Affine>(first + n)[first..], 0x40);
    let g2 = |first: usize, n: usize| gnark(&points::<bls381::G2Affine>(first + n)[first..], 0x40);
    let mut bytes = Vec::new();
    // Without infinity, which is the third of `points`.
    for single in [g1(3, 1), g1(4, 1), g2(3, 1), g2(4, 1), g1(5, 1), g2(5, 1)] {
        bytes.extend(&single[4..]);
    }
    let [ic, h, l, a, b1, b2] = lengths;
    for vector in [g1(0, ic), g1(1, h), g1(2, l), g1(3, a), g1(4, b1), g2(1, b2)] {
        bytes.extend(vector);
    }
    if let Some(count) = contributions {
        bytes.extend([7; 64]);
        bytes.extend(count.to_be_bytes());
        bytes.resize(bytes.len() + 544 * count as usize, 7);
    }
    bytes
}

#[test]
fn parameters_of_bellman() {
    let (g1, g2) = (points::<bls381::G1Affine>(16), points::<bls381::G2Affine>(16));
    for contributions in [None, Some(0), Some(2)] {
        let (_directory, path) = file(bellman([2, 5, 3, 6, 0, 4], contributions));
        let curve = named("bls12-381");
        assert_eq!(io::detect(&path, curve), Ok(Format::Bellman));
        let read =
            |section| io::read_bases::<bls381::G1Affine>(&path, curve, section, &CHECKED).unwrap();
        assert_eq!(read(Some("ic")), g1[..2]);
        assert_eq!(read(Some("h")), g1[1..6]);
        assert_eq!(read(Some("l")), g1[2..5]);
        assert_eq!(read(None), g1[3..9]);
        assert!(read(Some("b1")).is_empty());
        assert_eq!(read(Some("delta-g1")), g1[5..6]);
        let read = |section| {
            let curve = named("bls12-381-g2");
            io::read_bases::<bls381::G2Affine>(&path, curve, section, &CHECKED).unwrap()
        };
        assert_eq!(read(None), g2[1..5]);
        assert_eq!(read(Some("gamma-g2")), g2[4..5]);
        let found = io::inspect(&path).unwrap();
        assert_eq!(found.format, "bellman");
        let listed = |name: &str| {
            found.contents.iter().find(|part| part.name == Some(name)).and_then(|part| part.count)
        };
        assert_eq!((listed("h"), listed("beta-g2"), listed("b2")), (Some(5), Some(1), Some(4)));
        let counted = contributions.map(|count| ("contributions", count.to_string()));
        assert_eq!(found.facts, Vec::from_iter(counted));
    }
}

#[test]
fn bad_parameters_of_bellman() {
    let good = bellman([2, 5, 3, 6, 1, 4], Some(1));
    let fault = |bytes: &[u8], section: Option<&str>| {
        let (_directory, path) = file(bytes);
        let curve = named("bls12-381");
        reason(io::read_bases::<bls381::G1Affine>(&path, curve, section, &CHECKED))
    };
    assert_says(&fault(&good, Some("b2")), &["\"b2\" holds points of G2"]);
    assert_says(&fault(&good, Some("x")), &["no section \"x\"", "ic, h, l, a, b1, b2"]);
    let mut off = good.clone();
    // The first point of h: six single points, then two of ic, and two counts.
    off[864 + 4 + 2 * 96 + 4 + 95] ^= 1;
    assert_eq!(fault(&off, Some("h")), "base 0: not on the curve");
    assert_says(&fault(&off, Some("ic:3")), &["has no powers"]);
    // At 544 bytes less, with the hash and the count, the file would end a contribution early.
    for end in (0..good.len()).step_by(37) {
        let read =
            io::parse_bases::<bls381::G1Affine>(&good[..end], named("bls12-381"), None, &CHECKED);
        assert!(read.is_err(), "{end} bytes");
    }
}

/// A transcript: seven big-endian integers, points as words, least significant first and each
/// big-endian, and a hash, which is not checked.
fn transcript(numbers: [u32; 7], points: &[bn::G1Affine], g2: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
    for point in points {
        for coordinate in [point.x, point.y] {
            let integer = coordinate.into_bigint();
            bytes.extend(integer.0.iter().flat_map(|word| word.to_be_bytes()));
        }
    }
    bytes.resize(bytes.len() + 128 * g2 + 64, 0x5a);
    bytes
}

fn without_infinity(n: usize) -> Vec<bn::G1Affine> {
    let mut points = points(n);
    points[2] = points[0];
    points
}

#[test]
fn transcripts_of_ignition() {
    let points = without_infinity(5);
    for (numbers, g2) in [([0, 20, 100, 1, 5, 2, 0], 2), ([3, 20, 100, 1, 5, 0, 15], 0)] {
        let (_directory, path) = file(transcript(numbers, &points, g2));
        assert_eq!(io::detect(&path, named("bn254")), Ok(Format::Ignition));
        let read = io::read_bases(&path, named("bn254"), None, &CHECKED);
        assert_eq!(read.as_ref(), Ok(&points));
        let g2 = reason(io::read_bases::<bn::G2Affine>(&path, named("bn254-g2"), None, &CHECKED));
        assert_says(&g2, &["those of bn254-g1 can be read"]);
        let scalars = reason(io::read_scalars::<bn::G1Affine>(&path, named("bn254"), &CHECKED));
        assert_says(&scalars, &["format ignition has no scalars"]);
    }
}

/// (1, 2) written down byte by byte.
#[test]
fn the_generator_in_a_transcript() {
    let mut bytes = transcript([0, 1, 1, 1, 1, 0, 0], &[], 0);
    let mut point = [0; 64];
    (point[7], point[39]) = (1, 2);
    bytes.splice(28..28, point);
    let read = io::parse_bases::<bn::G1Affine>(&bytes, named("bn254"), None, &CHECKED).unwrap();
    assert_eq!(io::point_to_json(&read[0]), serde_json::json!(["0x1", "0x2"]));
}

#[test]
fn bad_transcripts() {
    let good = transcript([0, 20, 100, 1, 5, 2, 0], &without_infinity(5), 2);
    let fault = |bytes: &[u8]| {
        let (_directory, path) = file(bytes);
        reason(io::read_bases::<bn::G1Affine>(&path, named("bn254"), None, &CHECKED))
    };
    assert_says(&fault(&good[..good.len() - 1]), &["truncated: a transcript of 5 points of G1"]);
    assert_says(&fault(&[&good[..], &[0]].concat()), &["trailing bytes: a transcript"]);
    let mut bytes = good.clone();
    bytes[28 + 64 + 7] ^= 1;
    assert_eq!(fault(&bytes), "base 1: not on the curve");
    bytes[28 + 24..28 + 32].fill(0xff);
    assert_eq!(fault(&bytes), "base 0: x is not below the modulus");
    for end in 0..good.len() {
        let read = io::parse_bases::<bn::G1Affine>(&good[..end], named("bn254"), None, &CHECKED);
        assert!(read.is_err(), "{end} bytes");
    }
}

/// Circuits used to be "truncated: 8 + 10526553207·32 bytes expected".
#[test]
fn files_without_bases_or_scalars() {
    let curve: &'static NamedCurve = named("bn254");
    let circuit = container("r1cs", &[(1, vec![0; 64])]);
    let program = b"\0asm\x01\0\0\0\x01\x11".to_vec();
    for (bytes, words) in [(circuit, "a circuit (.r1cs)"), (program, "a WebAssembly program")] {
        let (_directory, path) = file(bytes);
        let bases = reason(io::read_bases::<bn::G1Affine>(&path, curve, None, &CHECKED));
        assert_says(&bases, &[words, ".zkey"]);
        let scalars = reason(io::read_scalars::<bn::G1Affine>(&path, curve, &CHECKED));
        assert_says(&scalars, &[words, ".wtns"]);
        let bases = reason(io::read_bases::<bn::G1Affine>(&path, curve, Some("a"), &CHECKED));
        assert_says(&bases, &[words]);
    }
    let (_directory, path) = file(container("wtns", &[(1, vec![0; 40])]));
    let bases = reason(io::read_bases::<bn::G1Affine>(&path, curve, None, &CHECKED));
    assert_says(&bases, &["a witness (.wtns) has scalars, no bases", ".zkey or .ptau"]);
}

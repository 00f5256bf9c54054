//! Everything that can be wrong with an arkworks file.

use ark_bls12_377 as bls377;
use ark_bls12_381 as bls381;
use ark_ec::AffineRepr;
use ark_ff::{BigInteger, Field, PrimeField};
use ark_serialize::CanonicalSerialize;
use bucketeer::curves::{CURVES, NamedCurve, Visitor};
use bucketeer::io::{self, Encoding, ReadOptions, ScalarVec};
use bucketeer::{Curve, Error};
use num_bigint::BigUint;

use super::builders::*;

fn uncompressed<C: Curve>(points: &[C]) -> Vec<u8> {
    let mut bytes = Vec::new();
    points.serialize_uncompressed(&mut bytes).unwrap();
    bytes
}

fn compressed<C: Curve>(points: &[C]) -> Vec<u8> {
    let mut bytes = Vec::new();
    points.serialize_compressed(&mut bytes).unwrap();
    bytes
}

#[track_caller]
fn bases_reason<C: Curve>(bytes: &[u8], curve: &str, options: &ReadOptions) -> String {
    let (_directory, path) = file(bytes);
    reason(io::read_bases::<C>(&path, named(curve), None, options))
}

#[track_caller]
fn scalars_reason<C: Curve>(bytes: &[u8], curve: &str) -> String {
    let (_directory, path) = file(bytes);
    reason(io::read_scalars::<C>(&path, named(curve), &CHECKED))
}

#[test]
fn empty_and_tiny_files() {
    type Point = bls377::G1Affine;
    assert_eq!(bases_reason::<Point>(&[], "bls12-377", &CHECKED), "the file is empty");
    assert_eq!(scalars_reason::<Point>(&[], "bls12-377"), "the file is empty");
    let expected = "truncated: 8 bytes for the number of elements expected, 3 found";
    assert_eq!(bases_reason::<Point>(&[1, 0, 0], "bls12-377", &CHECKED), expected);
}

#[test]
fn errors_name_the_file() {
    let (_directory, path) = file([]);
    let found = io::read_bases::<bls377::G1Affine>(&path, named("bls12-377"), None, &CHECKED);
    assert!(found.unwrap_err().to_string().starts_with(&path.display().to_string()));
    let missing = path.with_file_name("missing");
    let found = io::read_scalars::<bls377::G1Affine>(&missing, named("bls12-377"), &CHECKED);
    assert!(matches!(found, Err(Error::File { path, .. }) if path == missing));
}

#[test]
fn truncated_and_trailing_bytes_are_told_apart() {
    type Point = bls377::G1Affine;
    let bytes = uncompressed(&points::<Point>(5));
    let found = bases_reason::<Point>(&bytes[..400], "bls12-377", &CHECKED);
    assert_says(&found, &["truncated: 8 + 5·96 bytes expected, 400 found", "48 bytes compressed"]);
    let mut longer = bytes.clone();
    longer.push(0);
    let found = bases_reason::<Point>(&longer, "bls12-377", &CHECKED);
    assert_says(&found, &["trailing bytes: 8 + 5·96 bytes expected, 489 found"]);
    let mut longer = compressed(&points::<Point>(5));
    longer.push(0);
    let found = bases_reason::<Point>(&longer, "bls12-377", &CHECKED);
    assert_says(&found, &["trailing bytes: 8 + 5·48 bytes expected, 249 found"]);

    let mut scalars = Vec::new();
    residues::<bls377::Fr>(3).serialize_compressed(&mut scalars).unwrap();
    let found = scalars_reason::<Point>(&scalars[..100], "bls12-377");
    assert_eq!(found, "truncated: 8 + 3·32 bytes expected, 100 found");
    scalars.extend([0; 2]);
    let found = scalars_reason::<Point>(&scalars, "bls12-377");
    assert_eq!(found, "trailing bytes: 8 + 3·32 bytes expected, 106 found");
}

#[test]
fn huge_length_prefixes_allocate_nothing() {
    for count in [1u64 << 40, 1 << 48, u64::MAX] {
        let mut bytes = count.to_le_bytes().to_vec();
        bytes.extend([0; 100]);
        let found = bases_reason::<bls377::G1Affine>(&bytes, "bls12-377", &CHECKED);
        assert_says(&found, &[&count.to_string()]);
        scalars_reason::<bls377::G1Affine>(&bytes, "bls12-377");
    }
    let found = bases_reason::<bls377::G1Affine>(b"some words", "bls12-377", &CHECKED);
    assert_says(&found, &["nor arkworks serialisation"]);
}

#[test]
fn another_curve_is_recognised_by_its_size() {
    let bytes = compressed(&points::<ark_bn254::G1Affine>(5));
    let found = bases_reason::<bls377::G1Affine>(&bytes, "bls12-377", &CHECKED);
    assert_says(&found, &["wrong curve? 32 bytes is the size on", "bn254-g1", "48 bytes"]);
    let mut scalars = Vec::new();
    residues::<ark_bw6_761::Fr>(5).serialize_compressed(&mut scalars).unwrap();
    let found = scalars_reason::<bls377::G1Affine>(&scalars, "bls12-377");
    assert_says(&found, &["8 + 5·32 bytes expected", "48 bytes is the size on bw6-761-g1"]);
}

#[test]
fn another_curve_of_the_same_size_is_not_on_the_curve() {
    let bytes = uncompressed(&points::<bls377::G1Affine>(2));
    let found = bases_reason::<bls381::G1Affine>(&bytes, "bls12-381", &CHECKED);
    assert_says(&found, &["base 0: "]);
}

/// Puts p in place of a coordinate and finds it named, on every curve and in either encoding.
struct NotBelowModulus;

impl Visitor for NotBelowModulus {
    type Output = ();

    fn visit<C: Curve>(self, curve: &'static NamedCurve) {
        type Prime<C> = <<C as AffineRepr>::BaseField as Field>::BasePrimeField;
        let modulus = Prime::<C>::MODULUS;
        let width = (Prime::<C>::MODULUS_BIT_SIZE as usize).div_ceil(8);
        let degree = C::BaseField::extension_degree() as usize;
        // bls12-381 writes big-endian integers and the second component first.
        let big_endian = curve.name.starts_with("bls12-381");
        let integer = match big_endian {
            true => modulus.to_bytes_be()[modulus.to_bytes_be().len() - width..].to_vec(),
            false => modulus.to_bytes_le()[..width].to_vec(),
        };
        let edwards = matches!(C::model(), bucketeer::Model::TwistedEdwards { .. });
        let cases = [
            (uncompressed::<C> as fn(&[C]) -> Vec<u8>, 0, "x"),
            (uncompressed::<C>, 2 * degree - 1, "y"),
            (compressed::<C>, 0, if edwards { "y" } else { "x" }),
        ];
        for (encode, component, name) in cases {
            let mut bytes = encode(&points::<C>(300));
            let size = (bytes.len() - 8) / 300;
            let start = 8 + 270 * size + component * width;
            // Flags share a byte with the integer: they are put over it, not in its place.
            for (byte, part) in bytes[start..start + width].iter_mut().zip(&integer) {
                *byte = *part;
            }
            if big_endian && size == degree * width {
                bytes[start] |= 0x80;
            }
            let found = bases_reason::<C>(&bytes, curve.name, &CHECKED);
            assert_eq!(found, format!("base 270: {name} is not below the modulus"), "{curve}");
        }
    }
}

/// Changes single bits where flags are, and finds that no point is accepted in other bytes than its
/// own.
struct OtherFlags;

impl Visitor for OtherFlags {
    type Output = ();

    fn visit<C: Curve>(self, curve: &'static NamedCurve) {
        for encoding in [Encoding::Uncompressed, Encoding::Compressed] {
            let encode = match encoding {
                Encoding::Compressed => compressed::<C>,
                _ => uncompressed::<C>,
            };
            for point in points::<C>(4) {
                let bytes = encode(&[point]);
                for place in [8, bytes.len() - 1] {
                    for bit in 0..8 {
                        let mut changed = bytes.clone();
                        changed[place] ^= 1 << bit;
                        let read = io::parse_arkworks_bases(&changed, curve, encoding, &CHECKED);
                        let other = read.is_ok_and(|read: Vec<C>| encode(&read) != changed);
                        assert!(!other, "{curve}, {encoding:?}, bit {bit} of byte {place}");
                    }
                }
            }
        }
    }
}

#[test]
fn flags_are_those_of_the_point() {
    CURVES.iter().for_each(|curve| curve.visit(OtherFlags));
    // The sign of y, which is redundant beside y.
    type Point = ark_bn254::G1Affine;
    let mut bytes = uncompressed(&points::<Point>(3));
    *bytes.last_mut().unwrap() ^= 0x80;
    let found = bases_reason::<Point>(&bytes, "bn254", &CHECKED);
    assert_says(&found, &["base 2: not a valid encoding: its flag"]);
}

#[test]
fn coordinates_not_below_the_modulus_are_named() {
    CURVES.iter().for_each(|curve| curve.visit(NotBelowModulus));
}

fn points_off_the_curve<C: Curve>(curve: &str) {
    let mut bases = points::<C>(5);
    let (x, y) = bases[3].xy().unwrap();
    bases[3] = C::from_coordinates(x, y + C::BaseField::ONE);
    let bytes = uncompressed(&bases);
    assert_eq!(bases_reason::<C>(&bytes, curve, &CHECKED), "base 3: not on the curve");
    assert_eq!(bases_reason::<C>(&bytes, curve, &NO_SUBGROUP_CHECK), "base 3: not on the curve");
}

#[test]
fn points_off_the_curve_are_refused_with_and_without_subgroup_check() {
    points_off_the_curve::<bls377::G1Affine>("bls12-377");
    points_off_the_curve::<bls381::G2Affine>("bls12-381-g2");
    points_off_the_curve::<ark_ed_on_bls12_377::EdwardsAffine>("ed-on-bls12-377");
    points_off_the_curve::<ark_secp256k1::Affine>("secp256k1");
}

fn abscissa_of_no_point<C: Curve>(curve: &str) {
    let mut bases = points::<C>(5);
    bases[1] = C::from_coordinates(x_of_no_point::<C>(), C::BaseField::ONE);
    let found = bases_reason::<C>(&compressed(&bases), curve, &NO_SUBGROUP_CHECK);
    assert_eq!(found, "base 1: not on the curve");
}

#[test]
fn compressed_abscissas_of_no_point_are_not_on_the_curve() {
    abscissa_of_no_point::<bls377::G1Affine>("bls12-377");
    abscissa_of_no_point::<bls381::G1Affine>("bls12-381");
    abscissa_of_no_point::<ark_pallas::Affine>("pallas");
}

fn outside<C: Curve>(curve: &str) {
    let mut bases = points::<C>(5);
    bases[4] = outside_subgroup::<C>();
    for bytes in [uncompressed(&bases), compressed(&bases)] {
        let found = bases_reason::<C>(&bytes, curve, &CHECKED);
        assert_eq!(found, "base 4: not in the prime-order subgroup");
        let (_directory, path) = file(&bytes);
        let read = io::read_bases::<C>(&path, named(curve), None, &NO_SUBGROUP_CHECK);
        assert_eq!(read.as_ref(), Ok(&bases));
    }
}

#[test]
fn points_outside_the_subgroup_are_refused_unless_the_check_is_off() {
    outside::<bls377::G1Affine>("bls12-377");
    outside::<bls381::G1Affine>("bls12-381");
    outside::<bls377::G2Affine>("bls12-377-g2");
    outside::<ark_bw6_761::G1Affine>("bw6-761");
}

#[test]
fn edwards_point_of_order_two_is_outside_the_subgroup() {
    type Point = ark_ed_on_bls12_377::EdwardsAffine;
    let mut bases = points::<Point>(2);
    bases[1] = Point::new_unchecked(0.into(), (-1).into());
    let found = bases_reason::<Point>(&uncompressed(&bases), "ed-on-bls12-377", &CHECKED);
    assert_eq!(found, "base 1: not in the prime-order subgroup");
}

/// Enough points for the sums of random subsets, in two blocks.
fn outside_among_thousands<C: Curve>(curve: &str, bad: C) {
    let good = points::<C>(9000);
    let (_directory, path) = file(uncompressed(&good));
    assert_eq!(io::read_bases(&path, named(curve), None, &CHECKED).as_ref(), Ok(&good));
    for first in [0, 4321, 8999] {
        let mut bases = good.clone();
        bases[first] = bad;
        *bases.last_mut().unwrap() = bad;
        let found = bases_reason::<C>(&uncompressed(&bases), curve, &CHECKED);
        assert_eq!(found, format!("base {first}: not in the prime-order subgroup"));
    }
}

/// Points of order two are the hardest to catch: half of all sums miss a single one.
#[test]
fn points_outside_the_subgroup_are_found_among_thousands() {
    let order_two = bls377::G1Affine::new_unchecked((-1).into(), 0.into());
    assert!(order_two.is_on_curve());
    outside_among_thousands("bls12-377", order_two);
    let order_two = ark_ed_on_bls12_377::EdwardsAffine::new_unchecked(0.into(), (-1).into());
    outside_among_thousands("ed-on-bls12-377", order_two);
    outside_among_thousands("bls12-381", outside_subgroup::<bls381::G1Affine>());
}

#[test]
fn flags_that_contradict_each_other() {
    let mut bytes = uncompressed(&points::<bls377::G1Affine>(2));
    *bytes.last_mut().unwrap() |= 0xc0;
    let found = bases_reason::<bls377::G1Affine>(&bytes, "bls12-377", &CHECKED);
    assert_says(&found, &["base 1: not a valid encoding", "flag bits"]);
    // A compressed point of BLS12-381 that claims not to be compressed.
    let mut bytes = compressed(&points::<bls381::G1Affine>(2));
    bytes[8] &= 0x7f;
    let found = bases_reason::<bls381::G1Affine>(&bytes, "bls12-381", &CHECKED);
    assert_says(&found, &["base 0: not a valid encoding", "flag bits"]);
}

#[test]
fn infinity_has_one_encoding() {
    // Without its flag, (0, 0) would still be taken for infinity by arkworks.
    let mut bytes = uncompressed(&points::<bls377::G1Affine>(3));
    *bytes.last_mut().unwrap() = 0;
    let found = bases_reason::<bls377::G1Affine>(&bytes, "bls12-377", &CHECKED);
    assert_says(&found, &["base 2: the identity, but not in its canonical encoding"]);
    // With its flag, coordinates would be ignored.
    let mut bytes = uncompressed(&points::<bls377::G1Affine>(3));
    bytes[8 + 2 * 96] = 1;
    let found = bases_reason::<bls377::G1Affine>(&bytes, "bls12-377", &CHECKED);
    assert_says(&found, &["base 2: the identity, but not in its canonical encoding"]);
}

#[test]
fn unused_bits_beside_the_flags_must_be_zero() {
    let mut bytes = compressed(&points::<ark_secp256k1::Affine>(2));
    *bytes.last_mut().unwrap() |= 1;
    let found = bases_reason::<ark_secp256k1::Affine>(&bytes, "secp256k1", &CHECKED);
    assert_says(&found, &["base 1: not a valid encoding: unused bits are set"]);
}

#[test]
fn the_first_of_several_faults_is_reported() {
    let mut bases = points::<bls377::G1Affine>(2000);
    let off = bls377::G1Affine::new_unchecked(1.into(), 1.into());
    for index in [700, 701, 1300, 1999] {
        bases[index] = off;
    }
    let found = bases_reason::<bls377::G1Affine>(&uncompressed(&bases), "bls12-377", &CHECKED);
    assert_eq!(found, "base 700: not on the curve");
}

#[test]
fn scalars_not_below_the_order() {
    type Point = bls377::G1Affine;
    let order: BigUint = bls377::Fr::MODULUS.into();
    let mut bytes = 3u64.to_le_bytes().to_vec();
    for integer in [&order - 1u8, &order + 5u8, BigUint::from(7u8)] {
        bytes.extend(padded(&integer, 32));
    }
    let found = scalars_reason::<Point>(&bytes, "bls12-377");
    assert_eq!(found, "scalar 1: not below the group order");
    let (_directory, path) = file(&bytes);
    let read = io::read_scalars::<Point>(&path, named("bls12-377"), &REDUCE).unwrap();
    let expected = [-1i64, 5, 7].map(bls377::Fr::from);
    assert_eq!(read, ScalarVec::Residues(expected.to_vec()));
}

#[test]
fn integer_scalars_not_below_their_bound() {
    type Point = ark_ed_on_bls12_377::EdwardsAffine;
    let order: BigUint = ark_ed_on_bls12_377::Fr::MODULUS.into();
    let bound: BigUint = BigUint::from(1u8) << 253;
    let mut bytes = 3u64.to_le_bytes().to_vec();
    for integer in [&order + 5u8, &bound - 1u8, bound.clone()] {
        bytes.extend(padded(&integer, 32));
    }
    assert_eq!(scalars_reason::<Point>(&bytes, "ed-on-bls12-377"), "scalar 2: not below 2^253");
    let (_directory, path) = file(&bytes);
    let read = io::read_scalars::<Point>(&path, named("ed-on-bls12-377"), &REDUCE).unwrap();
    let expected = [&order + 5u8, &bound - 1u8, bound % &order];
    let words: Vec<u64> = expected
        .iter()
        .flat_map(|integer| {
            let mut digits = integer.to_u64_digits();
            digits.resize(4, 0);
            digits
        })
        .collect();
    assert_eq!(read, ScalarVec::Integers { words, words_each: 4, bits: 253 });
}

#[test]
fn sections_are_of_snarkjs_files_only() {
    let (_directory, path) = file(uncompressed(&points::<bls377::G1Affine>(2)));
    let curve = named("bls12-377");
    let found = io::read_bases::<bls377::G1Affine>(&path, curve, Some("tau-g1"), &CHECKED);
    assert_says(&reason(found), &["section \"tau-g1\"", "arkworks-uncompressed", "no sections"]);
}

#[test]
fn a_stated_encoding_is_held_to() {
    let bytes = compressed(&points::<bls377::G1Affine>(2));
    let found = io::parse_arkworks_bases::<bls377::G1Affine>(
        &bytes,
        named("bls12-377"),
        Encoding::Uncompressed,
        &CHECKED,
    );
    assert_says(&found.unwrap_err().reason, &["truncated: 8 + 2·96 bytes expected, 104 found"]);
}

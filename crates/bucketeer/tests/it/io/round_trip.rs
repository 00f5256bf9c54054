//! What is written is read back, and is what arkworks itself writes.

use ark_ec::AffineRepr;
use ark_serialize::CanonicalSerialize;
use bucketeer::curves::{CURVES, NamedCurve, Visitor};
use bucketeer::io::{self, Encoding, Format, ScalarVec};
use bucketeer::{Curve, msm};
use num_bigint::BigUint;
use tempfile::TempDir;

use super::builders::*;

/// More than one block of elements, and not a multiple of it.
const LENGTHS: [usize; 4] = [0, 1, 5, 300];

struct RoundTrip;

impl Visitor for RoundTrip {
    type Output = ();

    fn visit<C: Curve>(self, curve: &'static NamedCurve) {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("file");
        for n in LENGTHS {
            let (bases, scalars) = (points::<C>(n), scalars::<C>(curve, n));
            for encoding in [Encoding::Compressed, Encoding::Uncompressed] {
                io::write_bases(&path, &bases, encoding).unwrap();
                let read: Vec<C> = io::read_bases(&path, curve, None, &CHECKED).unwrap();
                assert_eq!(read, bases, "{curve}, {n}, {encoding}");
                if n > 0 {
                    assert_eq!(io::detect(&path, curve), Ok(Format::Arkworks(encoding)));
                }
            }
            io::write_scalars(&path, &scalars).unwrap();
            assert_eq!(io::read_scalars::<C>(&path, curve, &CHECKED).as_ref(), Ok(&scalars));

            io::write_json(&path, curve, &bases, &scalars).unwrap();
            assert_eq!(io::detect(&path, curve), Ok(Format::Json));
            assert_eq!(io::json_curve(&path), Ok(curve));
            assert_eq!(io::read_bases(&path, curve, None, &CHECKED).as_ref(), Ok(&bases));
            assert_eq!(io::read_scalars::<C>(&path, curve, &CHECKED).as_ref(), Ok(&scalars));
            let input = io::read_json::<C>(&path, None, &CHECKED).unwrap();
            assert_eq!((&input.bases, &input.scalars), (&bases, &scalars));
        }
    }
}

#[test]
fn every_curve_survives_every_format() {
    CURVES.iter().for_each(|curve| curve.visit(RoundTrip));
}

struct SameAsArkworks;

impl Visitor for SameAsArkworks {
    type Output = ();

    fn visit<C: Curve>(self, curve: &'static NamedCurve) {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("file");
        let bases = points::<C>(4);
        for (encoding, compressed) in
            [(Encoding::Compressed, true), (Encoding::Uncompressed, false)]
        {
            let mut expected = Vec::new();
            match compressed {
                true => bases.serialize_compressed(&mut expected).unwrap(),
                false => bases.serialize_uncompressed(&mut expected).unwrap(),
            }
            io::write_bases(&path, &bases, encoding).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), expected, "{curve}");
        }
        let scalars = residues::<C::ScalarField>(4);
        let mut expected = Vec::new();
        scalars.serialize_compressed(&mut expected).unwrap();
        io::write_scalars(&path, &ScalarVec::Residues(scalars)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), expected, "{curve}");
    }
}

#[test]
fn files_are_those_of_arkworks() {
    CURVES.iter().for_each(|curve| curve.visit(SameAsArkworks));
}

/// 123 is the code of an opening brace.
#[test]
fn a_file_of_123_elements_is_not_json() {
    type Point = ark_pallas::Affine;
    let bases = points::<Point>(123);
    let mut bytes = Vec::new();
    bases.serialize_compressed(&mut bytes).unwrap();
    assert_eq!(bytes[0], b'{');
    let (_directory, path) = file(&bytes);
    assert_eq!(io::read_bases(&path, named("pallas"), None, &CHECKED), Ok(bases));
    bytes.pop();
    let (_directory, path) = file(&bytes);
    let found = io::read_bases::<Point>(&path, named("pallas"), None, &CHECKED);
    assert_says(&reason(found), &["truncated: 8 + 123·"]);
}

#[test]
fn integers_above_the_order_are_taken_as_they_are() {
    type Point = ark_ed_on_bls12_377::EdwardsAffine;
    let curve = named("ed-on-bls12-377");
    let bases = points::<Point>(2);
    let scalars = scalars::<Point>(curve, 2);
    let sum = msm(&bases, &scalars).unwrap();
    let top: BigUint = (BigUint::from(1u8) << 253) - 1u8;
    let expected =
        bases[0].mul_bigint(top.to_u64_digits()) + bases[1].mul_bigint((top - 1u8).to_u64_digits());
    assert_eq!(sum, expected);
}

#[test]
fn both_forms_of_the_edwards_identity_are_read() {
    type Point = ark_ed_on_bls12_377::EdwardsAffine;
    let (_directory, path) = file(
        r#" {"curve":"ed-on-bls12-377","bases":[null,["0","0x1"]],"scalars":["1","0x01"],"by":7}"#,
    );
    let input = io::read_json::<Point>(&path, None, &CHECKED).unwrap();
    assert_eq!(input.bases, [Point::zero(); 2]);
    assert_eq!(io::point_to_json(&input.bases[1]), serde_json::Value::Null);
}

#[test]
fn json_coordinates_of_g2_are_pairs() {
    type Point = ark_bn254::G2Affine;
    let generator = Point::generator();
    // The generator of EIP-197, imaginary parts second.
    let x = [
        "0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed",
        "0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2",
    ];
    let y = [
        "0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
        "0x90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b",
    ];
    assert_eq!(io::point_to_json(&generator), serde_json::json!([x, y]));
    let decimal = BigUint::parse_bytes(&x[0].as_bytes()[2..], 16).unwrap().to_string();
    let bases = serde_json::json!([[x, y], [[decimal, x[1]], y]]);
    let document = serde_json::json!({"bases": bases, "scalars": ["1", "2"]});
    let (_directory, path) = file(document.to_string());
    let input = io::read_json::<Point>(&path, Some(named("bn254-g2")), &CHECKED).unwrap();
    assert_eq!(input.bases, [generator; 2]);
}

#[test]
fn format_names_are_those_displayed() {
    for (name, format) in Format::ALL {
        assert_eq!(format.to_string(), name);
        assert_eq!(name.parse(), Ok(format));
    }
}

//! blst's own MSM on BLS12-381, compared by bytes.

use ark_bls12_381::{Fr, G1Affine, G2Affine};
use ark_ec::CurveGroup;
use ark_ff::{BigInteger, PrimeField};
use ark_serialize::CanonicalSerialize;
use blst::{MultiPoint, blst_p1_affine, blst_p2_affine};
use bucketeer::msm;
use bucketeer::random::{Distribution, KnownBases};

const KINDS: [Distribution; 4] =
    [Distribution::Uniform, Distribution::Skewed, Distribution::MinusOne, Distribution::Equal];

fn uncompressed(point: &impl CanonicalSerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    point.serialize_uncompressed(&mut bytes).unwrap();
    bytes
}

fn little_endian(scalars: &[Fr]) -> Vec<u8> {
    scalars.iter().flat_map(|k| k.into_bigint().to_bytes_le()).collect()
}

fn blst_g1(points: &[G1Affine], scalars: &[Fr]) -> Vec<u8> {
    let points: Vec<blst_p1_affine> = points
        .iter()
        .map(|point| {
            let mut out = blst_p1_affine::default();
            // SAFETY: the pointer is to 96 bytes, the length of an uncompressed point.
            let code = unsafe { blst::blst_p1_deserialize(&mut out, uncompressed(point).as_ptr()) };
            assert_eq!(code, blst::BLST_ERROR::BLST_SUCCESS);
            out
        })
        .collect();
    let sum = points.mult(&little_endian(scalars), 255);
    let mut bytes = vec![0; 96];
    // SAFETY: there is room for the 96 bytes of an uncompressed point.
    unsafe { blst::blst_p1_serialize(bytes.as_mut_ptr(), &sum) };
    bytes
}

fn blst_g2(points: &[G2Affine], scalars: &[Fr]) -> Vec<u8> {
    let points: Vec<blst_p2_affine> = points
        .iter()
        .map(|point| {
            let mut out = blst_p2_affine::default();
            // SAFETY: the pointer is to 192 bytes, the length of an uncompressed point.
            let code = unsafe { blst::blst_p2_deserialize(&mut out, uncompressed(point).as_ptr()) };
            assert_eq!(code, blst::BLST_ERROR::BLST_SUCCESS);
            out
        })
        .collect();
    let sum = points.mult(&little_endian(scalars), 255);
    let mut bytes = vec![0; 192];
    // SAFETY: there is room for the 192 bytes of an uncompressed point.
    unsafe { blst::blst_p2_serialize(bytes.as_mut_ptr(), &sum) };
    bytes
}

#[test]
fn blst_agrees_on_g1() {
    for n in [1, 2, 33, 1000, 5000] {
        let points = KnownBases::<G1Affine>::new(n, 381).points;
        for kind in KINDS {
            let scalars: Vec<Fr> = kind.scalars(n, 381);
            let sum = msm(&points, &scalars).unwrap().into_affine();
            assert_eq!(uncompressed(&sum), blst_g1(&points, &scalars), "n = {n}, {kind:?}");
        }
    }
}

#[test]
fn blst_agrees_on_g2() {
    for n in [1, 2, 33, 1000, 2000] {
        let points = KnownBases::<G2Affine>::new(n, 382).points;
        for kind in KINDS {
            let scalars: Vec<Fr> = kind.scalars(n, 382);
            let sum = msm(&points, &scalars).unwrap().into_affine();
            assert_eq!(uncompressed(&sum), blst_g2(&points, &scalars), "n = {n}, {kind:?}");
        }
    }
}

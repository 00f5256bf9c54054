//! Points and scalars as packed bytes, against arkworks' own conversions and sums.

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField, UniformRand, Zero};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use bucketeer::packed::{
    PackedPoints, PackedScalars, Representation, point_bytes, scalar_bytes, write_point,
};
use bucketeer::{Bases, Curve, Device, Error, Model, PointFault};

const ALL: [Representation; 3] =
    [Representation::Montgomery, Representation::LittleEndian, Representation::BigEndian];

/// Points with the neutral element among them.
fn points<C: Curve>(n: usize) -> Vec<C> {
    let mut rng = StdRng::seed_from_u64(7);
    let mut points: Vec<C> = (0..n).map(|_| C::Group::rand(&mut rng).into_affine()).collect();
    points[n / 2] = C::zero();
    points
}

/// The bytes of an integer, by the representation's definition.
fn integer<F: PrimeField>(value: F, representation: Representation) -> Vec<u8> {
    let radix = F::from(2u64).pow([64 * F::BigInt::NUM_LIMBS as u64]);
    match representation {
        Representation::Montgomery => (value * radix).into_bigint().to_bytes_le(),
        Representation::LittleEndian => value.into_bigint().to_bytes_le(),
        Representation::BigEndian => value.into_bigint().to_bytes_be(),
    }
}

fn packed<C: Curve>(point: &C, representation: Representation) -> Vec<u8> {
    let (x, y) = match (point.xy(), C::model()) {
        (Some(coordinates), _) => coordinates,
        (None, Model::TwistedEdwards { .. }) => (C::BaseField::ZERO, C::BaseField::ONE),
        (None, Model::ShortWeierstrass { .. }) => return vec![0; point_bytes::<C>()],
    };
    [x, y]
        .iter()
        .flat_map(Field::to_base_prime_field_elements)
        .flat_map(|component| integer(component, representation))
        .collect()
}

fn points_come_back<C: Curve>() {
    let points = points::<C>(2100);
    for representation in ALL {
        let bytes: Vec<u8> =
            points.iter().flat_map(|point| packed(point, representation)).collect();
        assert_eq!(PackedPoints::new(&bytes, representation).to_affine::<C>(), Ok(points.clone()));
        // Nine bytes of something else after each, from an odd address on.
        let size = point_bytes::<C>();
        let mut apart = vec![1];
        for point in bytes.chunks_exact(size) {
            apart.extend_from_slice(point);
            apart.extend_from_slice(&[255; 9]);
        }
        for end in [apart.len(), apart.len() - 9] {
            let apart = PackedPoints::new(&apart[1..end], representation).stride(size + 9);
            assert_eq!(apart.to_affine::<C>(), Ok(points.clone()));
        }
        let mut out = vec![77; size];
        for point in &points[..100] {
            write_point(point, representation, &mut out).unwrap();
            assert_eq!(out, packed(point, representation));
        }
    }
}

#[test]
fn points_of_every_representation() {
    points_come_back::<ark_bn254::G1Affine>();
    points_come_back::<ark_bls12_381::G2Affine>();
    points_come_back::<ark_ed_on_bls12_377::EdwardsAffine>();
    points_come_back::<ark_bw6_761::G1Affine>();
}

fn reason(result: Result<Vec<ark_bn254::G1Affine>, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn points_that_are_refused() {
    let points = points::<ark_bn254::G1Affine>(3000);
    for representation in ALL {
        let good: Vec<u8> = points.iter().flat_map(|point| packed(point, representation)).collect();
        let read = |bytes: &[u8]| PackedPoints::new(bytes, representation).to_affine();
        // The first of two bad points is named, also where they are in different blocks.
        let mut bad = good.clone();
        bad[64 * 2900 + 5] ^= 1;
        bad[64 * 1100 + 32 + 5] ^= 1;
        let index = 1100;
        let off_curve = Error::InvalidBase { index, reason: PointFault::NotOnCurve };
        assert_eq!(read(&bad), Err(off_curve));
        assert!(
            PackedPoints::new(&bad, representation)
                .trusted()
                .to_affine::<ark_bn254::G1Affine>()
                .is_ok()
        );
        let mut bad = good.clone();
        bad[64 * 7 + 32..64 * 8].fill(255);
        assert_eq!(reason(read(&bad)), "base 7: y is not below the modulus");
        let length = "the bases have 65 bytes, which is not a multiple of the 64 of a point";
        assert_eq!(reason(read(&good[..65])), length);
        let narrow = PackedPoints::new(&good, representation).stride(63);
        assert_eq!(reason(narrow.to_affine()), "a stride of 63 bytes is below the 64 of a point");
        let wide = PackedPoints::new(&good[..100], representation).stride(80);
        assert!(reason(wide.to_affine()).ends_with("at every 80 bytes"));
    }
    let mut short = [0; 63];
    assert!(write_point(&points[0], Representation::BigEndian, &mut short).is_err());
}

#[test]
fn the_modulus_itself_is_refused() {
    let mut bytes = ark_bn254::Fq::MODULUS.to_bytes_le();
    bytes.extend([0; 32]);
    for representation in [Representation::Montgomery, Representation::LittleEndian] {
        let points = PackedPoints::new(&bytes, representation).to_affine();
        assert_eq!(reason(points), "base 0: x is not below the modulus");
    }
    let order = ark_bn254::Fr::MODULUS.to_bytes_le();
    let bases = Bases::load(&Device::cpu(), &[ark_bn254::G1Affine::generator()]).unwrap();
    for representation in [Representation::Montgomery, Representation::LittleEndian] {
        let scalars = PackedScalars::residues(&order, representation).unpack();
        let error = scalars.and_then(|scalars| bases.msm(&scalars)).unwrap_err();
        assert_eq!(error.to_string(), "scalar 0 is not below the group order");
    }
}

/// `Σ kᵢ·Pᵢ` one by one.
fn naive<C: Curve>(points: &[C], scalars: &[C::ScalarField]) -> C::Group {
    points.iter().zip(scalars).map(|(point, scalar)| *point * scalar).sum()
}

fn residues<C: Curve>() {
    let points = points::<C>(40);
    let mut rng = StdRng::seed_from_u64(8);
    let mut scalars: Vec<_> = (0..40).map(|_| C::ScalarField::rand(&mut rng)).collect();
    (scalars[3], scalars[4]) = (C::ScalarField::zero(), -C::ScalarField::ONE);
    let expected = naive(&points, &scalars);
    let bases = Bases::load(&Device::cpu(), &points).unwrap();
    let size = scalar_bytes::<C::ScalarField>();
    for representation in ALL {
        let bytes: Vec<u8> = scalars.iter().flat_map(|k| integer(*k, representation)).collect();
        // Wherever the bytes begin, and with a gap after each.
        for offset in 0..9 {
            let mut moved = vec![0; offset];
            moved.extend_from_slice(&bytes);
            let packed = PackedScalars::residues(&moved[offset..], representation);
            assert_eq!(bases.msm(&packed.unpack().unwrap()), Ok(expected));
        }
        let gap = |k: &[u8]| [k, &[255; 8]].concat();
        let apart: Vec<u8> = bytes.chunks_exact(size).flat_map(gap).collect();
        let packed = PackedScalars::residues(&apart, representation).stride(size + 8);
        let owned = packed.unpack().unwrap().into_owned().unwrap();
        assert_eq!(bases.msm(&owned), Ok(expected));
    }
}

#[test]
fn residues_of_every_representation() {
    residues::<ark_bn254::G1Affine>();
    residues::<ark_bls12_381::G2Affine>();
    residues::<ark_bw6_761::G1Affine>();
    residues::<ark_ed_on_bls12_377::EdwardsAffine>();
}

#[test]
fn a_residue_in_any_block_is_checked() {
    let mut words = vec![0u64; 4 * 40_000];
    for index in [39_999, 20_000] {
        words[4 * index + 3] = u64::MAX;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let packed = PackedScalars::residues(&bytes, Representation::Montgomery);
        let error = packed.unpack::<ark_bn254::Fr>().unwrap_err();
        assert_eq!(error.to_string(), format!("scalar {index} is not below the group order"));
    }
}

/// Integers of every size in place and moved to other addresses, against small multiples.
#[test]
fn integers_of_every_size() {
    type Point = ark_bls12_381::G1Affine;
    let bases = Bases::load(&Device::cpu(), &points::<Point>(5)).unwrap();
    let multiple = |factors: [i64; 5]| {
        let field = |k: i64| match k < 0 {
            true => -ark_bls12_381::Fr::from(k.unsigned_abs()),
            false => ark_bls12_381::Fr::from(k.unsigned_abs()),
        };
        naive(&points::<Point>(5), &factors.map(field))
    };
    for size in [1, 2, 4, 8, 16, 24, 32, 64, 128] {
        for (signed, factors) in [(false, [0, 1, 127, 100, 3]), (true, [-1, -128, 127, 5, 0])] {
            for offset in 0..5 {
                let mut bytes = vec![0; offset];
                for factor in factors {
                    let fill = if factor < 0 { 255 } else { 0 };
                    bytes.push(factor as u8);
                    bytes.extend(vec![fill; size - 1]);
                }
                let packed = match signed {
                    true => PackedScalars::signed(&bytes[offset..], size),
                    false => PackedScalars::unsigned(&bytes[offset..], size),
                };
                let expected = multiple(factors);
                assert_eq!(bases.msm(&packed.unpack().unwrap()), Ok(expected), "{size} {offset}");
                let bounded = packed.with_bits(8).unpack().unwrap().into_owned().unwrap();
                assert_eq!(bases.msm(&bounded), Ok(expected), "{size} {offset}");
                assert!(bases.msm(&packed.with_bits(6).unpack().unwrap()).is_err());
            }
        }
    }
    for size in [0, 3, 5, 12, 136, usize::MAX] {
        let error = PackedScalars::unsigned(&[0; 24], size).unpack::<ark_bn254::Fr>().unwrap_err();
        assert!(error.to_string().contains("1, 2, 4 or a multiple of 8"), "{error}");
    }
    assert!(PackedScalars::unsigned(&[], 8).unpack::<ark_bn254::Fr>().unwrap().is_empty());
}

/// blst's points are read where they lie.
#[test]
fn points_of_blst() {
    // SAFETY: blst returns a pointer to a constant of its own.
    let generator = unsafe { *blst::blst_p1_affine_generator() };
    let points = [generator, blst::blst_p1_affine::default(), generator];
    // SAFETY: blst's affine points are 96 bytes of words.
    let bytes = unsafe { std::slice::from_raw_parts(points.as_ptr().cast::<u8>(), 3 * 96) };
    let points: Vec<ark_bls12_381::G1Affine> =
        PackedPoints::new(bytes, Representation::Montgomery).to_affine().unwrap();
    let sum = Bases::load(&Device::cpu(), &points).unwrap().msm(&[5u8, 6, 7]).unwrap();
    let expected = ark_bls12_381::G1Projective::generator() * ark_bls12_381::Fr::from(12);
    assert_eq!(sum, expected);
    assert_eq!(points[1], ark_bls12_381::G1Affine::zero());
}

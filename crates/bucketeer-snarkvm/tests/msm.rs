//! The interface on snarkVM's types, against double-and-add by snarkVM.

use snarkvm_algorithms_cuda::{NTT, NTTDirection, NTTInputOutputOrder, NTTType, msm, polymul};
use snarkvm_curves::bls12_377::{G1Affine, G1Projective, G2Affine};
use snarkvm_curves::{AffineCurve, ProjectiveCurve};
use snarkvm_utilities::{BigInteger256, BigInteger384, BitIteratorBE};

type Sum = G1Projective;

fn double_and_add(points: &[G1Affine], scalars: &[BigInteger256]) -> Sum {
    let product =
        |(point, scalar): (&G1Affine, &BigInteger256)| point.mul_bits(BitIteratorBE::new(*scalar));
    points.iter().zip(scalars).map(product).fold(Sum::default(), |sum, product| sum + product)
}

/// Points and scalars that look random.
fn input(n: usize) -> (Vec<G1Affine>, Vec<BigInteger256>) {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state ^ (state >> 29)
    };
    let generator = G1Affine::prime_subgroup_generator();
    // Below 2^252, hence below the order.
    let mut scalar = || BigInteger256([next(), next(), next(), next() >> 12]);
    let multiple = |k: BigInteger256| generator.mul_bits(BitIteratorBE::new(k)).to_affine();
    let points = (0..n).map(|_| multiple(scalar())).collect();
    (points, (0..n).map(|_| scalar()).collect())
}

fn check(points: &[G1Affine], scalars: &[BigInteger256]) {
    let sum: Sum = msm(points, scalars).unwrap();
    assert_eq!(sum, double_and_add(points, scalars));
    assert_eq!(sum.to_affine(), double_and_add(points, scalars).to_affine());
}

#[test]
fn sizes() {
    let (points, scalars) = input(300);
    for n in [0, 1, 2, 3, 31, 33, 300] {
        check(&points[..n], &scalars[..n]);
        // More points than scalars.
        check(&points, &scalars[..n]);
    }
}

#[test]
fn special_values() {
    let (mut points, mut scalars) = input(60);
    points[3] = G1Affine::default();
    // Coordinates of an infinite point do not matter.
    points[5].infinity = true;
    scalars[7] = BigInteger256([0; 4]);
    scalars[9] = BigInteger256([1, 0, 0, 0]);
    points[11] = points[12];
    points[13] = -points[14];
    scalars[13] = scalars[14];
    check(&points, &scalars);
    for n in [1, 2, 60] {
        check(&vec![G1Affine::default(); n], &scalars[..n]);
        check(&points[..n], &vec![BigInteger256([0; 4]); n]);
        check(&vec![points[1]; n], &vec![scalars[1]; n]);
    }
    check(&[points[1], -points[1]], &[scalars[1]; 2]);
    // Not reduced: an integer like any other.
    scalars[20] = BigInteger256([u64::MAX; 4]);
    check(&points, &scalars);
}

#[test]
fn other_types_are_errors() {
    let (points, scalars) = input(3);
    let error = msm::<_, G1Projective, _>(&[G2Affine::default(); 3], &scalars).unwrap_err();
    assert_eq!(error.code, 2);
    assert!(error.to_string().contains("is not the"), "{error}");
    assert!(msm::<_, G1Projective, _>(&points, &[BigInteger384::default(); 3]).is_err());
    assert!(msm::<_, G1Projective, _>(&points, &[[1u64, 0, 0, 0]; 3]).is_err());
    assert!(msm::<_, G1Affine, _>(&points, &scalars).is_err());
    assert!(msm::<_, [u64; 18], _>(&points, &scalars).is_err());
}

#[test]
fn fewer_points_than_scalars_is_an_error() {
    let (points, scalars) = input(3);
    let error = msm::<_, G1Projective, _>(&points[..2], &scalars).unwrap_err();
    assert_eq!(String::from(&error), "2 points but 3 scalars");
    assert_eq!(error.code, 2);
}

#[test]
fn transforms_are_left_to_snarkvm() {
    let mut data = [1u64, 2, 3, 4];
    let (order, direction) = (NTTInputOutputOrder::NN, NTTDirection::Forward);
    assert_eq!(NTT(4, &mut data, order, direction, NTTType::Standard).unwrap_err().code, 1);
    assert_eq!(data, [1, 2, 3, 4]);
    assert_eq!(polymul(4, &vec![vec![1u64]], &vec![], &0).unwrap_err().code, 1);
}

//! Every MSM entry of arkworks' trait reaches Bucketeer and returns what arkworks returns.

use ark_ec::scalar_mul::variable_base::{ChunkedPippenger, HashMapPippenger};
use ark_ec::{AffineRepr, VariableBaseMSM};
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField, UniformRand};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use bucketeer::Curve;
use bucketeer_ark::{Affine, IntoOriginal, Projective, msm_bigint};

use crate::events::{Msms, msms};
use crate::random_bases;

const ONE_MSM: Msms = Msms { borrowed: 1, resident: 0 };

type BigInt<A> = <<A as AffineRepr>::ScalarField as PrimeField>::BigInt;

/// Runs an entry on Bucketeer and on arkworks.
fn agree<T: PartialEq + std::fmt::Debug>(
    name: &str,
    fast: impl FnOnce() -> T,
    original: impl FnOnce() -> T,
) {
    let (sum, seen) = msms(fast);
    assert_eq!(sum, original(), "{name}");
    assert_eq!(seen, ONE_MSM, "{name}");
}

/// Bases and scalars of the given numbers, of which the shorter counts.
fn entries<A: Curve>(bases: usize, scalars: usize) {
    let rng = &mut StdRng::seed_from_u64(17);
    let bases = random_bases::<A>(bases);
    let points = bases[..].into_original();
    // Zero, one and r − 1 among random ones.
    let edge = [A::ScalarField::ZERO, A::ScalarField::ONE, -A::ScalarField::ONE];
    let residues: Vec<_> = (0..scalars)
        .map(|i| edge.get(i).copied().unwrap_or_else(|| A::ScalarField::rand(rng)))
        .collect();
    let bigints: Vec<_> = residues.iter().map(|residue| residue.into_bigint()).collect();

    agree(
        "msm_unchecked",
        || Projective::msm_unchecked(&bases, &residues).0,
        || A::Group::msm_unchecked(points, &residues),
    );
    agree(
        "msm_bigint",
        || Projective::msm_bigint(&bases, &bigints).0,
        || A::Group::msm_bigint(points, &bigints),
    );
    agree(
        "the function",
        || msm_bigint(points, &bigints),
        || A::Group::msm_bigint(points, &bigints),
    );
    if bases.len() == scalars {
        agree(
            "msm",
            || Projective::msm(&bases, &residues).unwrap().0,
            || A::Group::msm(points, &residues).unwrap(),
        );
    } else {
        let shorter = bases.len().min(scalars);
        assert_eq!(Projective::msm(&bases, &residues), Err(shorter));
        assert_eq!(A::Group::msm(points, &residues), Err(shorter));
    }

    macro_rules! small {
        ($($entry:ident $integer:ty),*) => {$(
            let integers: Vec<$integer> = (0..scalars).map(|_| rng.r#gen()).collect();
            agree(
                stringify!($entry),
                || Projective::$entry(&bases, &integers).0,
                || A::Group::$entry(points, &integers),
            );
        )*};
    }
    small!(msm_u1 bool, msm_u8 u8, msm_u16 u16, msm_u32 u32, msm_u64 u64);
}

#[test]
fn all_entries() {
    type G1 = ark_bls12_381::G1Affine;
    for (bases, scalars) in [(1, 1), (2, 2), (100, 100), (100, 30), (30, 100)] {
        entries::<G1>(bases, scalars);
    }
    entries::<ark_bls12_381::G2Affine>(65, 65);
    entries::<ark_ed_on_bls12_381_bandersnatch::EdwardsAffine>(65, 70);
}

#[test]
fn nothing_sums_to_zero() {
    type G1 = ark_bls12_381::G1Affine;
    let none: &[Affine<G1>] = &[];
    let zero = Projective::<G1>::ZERO;
    assert_eq!(Projective::msm(none, &[]), Ok(zero));
    assert_eq!(Projective::msm_unchecked(none, &[]), zero);
    assert_eq!(Projective::msm_bigint(none, &[]), zero);
    assert_eq!(Projective::msm_u1(none, &[]), zero);
    assert_eq!(Projective::msm_u8(none, &[1]), zero);
    assert_eq!(Projective::msm_u64(&random_bases::<G1>(3), &[]), zero);
    assert_eq!(Projective::msm_u16(&random_bases::<G1>(3), &[0; 3]), zero);
    assert_eq!(Projective::msm_u32(&[Affine(G1::identity()); 9], &[7; 9]), zero);
}

/// arkworks' streams chop the bases from the front and end in `msm_bigint`.
#[test]
fn streams() {
    type G1 = ark_bls12_381::G1Affine;
    let rng = &mut StdRng::seed_from_u64(2);
    let bases = random_bases::<G1>(40);
    let points = bases[..].into_original();
    let scalars: Vec<_> = (0..30).map(|_| ark_bls12_381::Fr::rand(rng)).collect();
    agree(
        "msm_chunks",
        || Projective::msm_chunks(&&bases[..], &&scalars[..]).0,
        || ark_bls12_381::G1Projective::msm_chunks(&points, &&scalars[..]),
    );

    let expected = ark_bls12_381::G1Projective::msm_unchecked(points, &scalars);
    let mut chunked = ChunkedPippenger::<Projective<G1>>::new(64);
    let mut hashed = HashMapPippenger::<Projective<G1>>::new(64);
    for (base, scalar) in bases.iter().zip(&scalars) {
        chunked.add(base, scalar.into_bigint());
        hashed.add(base, scalar);
    }
    for sum in [msms(|| chunked.finalize()), msms(|| hashed.finalize())] {
        assert_eq!(sum, (Projective(expected), ONE_MSM));
    }
}

/// Integers that are not reduced are taken as they are; arkworks truncates the largest of them.
#[test]
fn integers_at_and_above_the_order() {
    type G1 = ark_bls12_381::G1Affine;
    let bases = random_bases::<G1>(20);
    let order = ark_bls12_381::Fr::MODULUS;
    let mut above = order;
    above.add_with_carry(&7u64.into());
    let mut bigints: Vec<BigInt<G1>> = vec![9u64.into(); 20];
    bigints[0] = order;
    bigints[10] = above;
    let mut residues = vec![ark_bls12_381::Fr::from(9u64); 20];
    residues[0] = 0u64.into();
    residues[10] = 7u64.into();
    let expected = ark_bls12_381::G1Projective::msm(bases[..].into_original(), &residues).unwrap();
    assert_eq!(Projective::msm_bigint(&bases, &bigints).0, expected);
}

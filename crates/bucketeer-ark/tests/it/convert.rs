//! Points, slices and vectors of arkworks' types and of fast ones are the same memory.

use std::collections::HashSet;

use ark_bls12_381::{Bls12_381 as Original, G1Affine, G1Projective, G2Affine};
use ark_ec::pairing::{Pairing, prepare_g1, prepare_g2};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{UniformRand, Zero};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Valid, Validate};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use bucketeer_ark::{Affine, Bls12_381, IntoFast, IntoOriginal, Projective};

#[test]
fn vectors_keep_their_memory() {
    let mut points = Vec::with_capacity(7);
    points.extend([G1Affine::generator(), G1Affine::identity(), -G1Affine::generator()]);
    let expected = points.clone();
    let (memory, capacity) = (points.as_ptr().addr(), points.capacity());
    let fast = points.into_fast();
    assert_eq!((fast.as_ptr().addr(), fast.capacity()), (memory, capacity));
    assert_eq!(fast[..].into_original(), expected);
    let mut points: Vec<G1Affine> = fast.into_original();
    assert_eq!((points.as_ptr().addr(), points.capacity()), (memory, capacity));
    points.extend_from_slice(&expected);
    points.shrink_to_fit();
    assert_eq!(points[3..], expected);
    assert_eq!(Vec::<G1Projective>::new().into_fast(), []);
    assert_eq!(G1Affine::generator().into_fast().into_original(), G1Affine::generator());
    let group = G1Affine::generator().into_group();
    assert_eq!(group.into_fast().into_original(), group);
}

#[test]
fn bytes_are_arkworks() {
    let rng = &mut StdRng::seed_from_u64(8);
    let random: Vec<G2Affine> = (0..4).map(|_| G2Affine::rand(rng)).collect();
    for point in [&random[..], &[G2Affine::identity()]].concat() {
        for compress in [Compress::Yes, Compress::No] {
            let mut expected = Vec::new();
            point.serialize_with_mode(&mut expected, compress).unwrap();
            for bytes in [bytes(&Affine(point), compress), bytes(&point.into_group(), compress)] {
                assert_eq!(bytes, expected);
            }
            assert_eq!(bytes(&Projective::<G2Affine>(point.into()), compress), expected);
            let read =
                Affine::deserialize_with_mode(&expected[..], compress, Validate::Yes).unwrap();
            assert_eq!(read, Affine(point));
            assert_eq!(read.serialized_size(compress), expected.len());
        }
    }
    // A point of the curve outside the subgroup is refused, as by arkworks.
    let outside = (0u64..)
        .find_map(|x| G1Affine::get_point_from_x_unchecked(x.into(), true))
        .filter(|point| point.check().is_err())
        .unwrap();
    let bytes = bytes(&outside, Compress::Yes);
    assert!(Affine::<G1Affine>::deserialize_compressed(&bytes[..]).is_err());
    assert!(Affine::<G1Affine>::deserialize_compressed_unchecked(&bytes[..]).is_ok());
    assert!(Affine::batch_check([Affine(outside)].iter()).is_err());
}

fn bytes<T: CanonicalSerialize>(value: &T, compress: Compress) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.serialize_with_mode(&mut bytes, compress).unwrap();
    bytes
}

/// The same randomness gives the same points, and the arithmetic is arkworks'.
#[test]
fn arithmetic_is_arkworks() {
    let rng = || StdRng::seed_from_u64(9);
    let p = Projective::<G1Affine>::rand(&mut rng());
    let original = G1Projective::rand(&mut rng());
    assert_eq!(p.0, original);
    assert_eq!(Affine::<G1Affine>::rand(&mut rng()).0, G1Affine::rand(&mut rng()));
    let q = Affine(G1Affine::generator());
    assert_eq!((p + q - p).0, q.0);
    assert_eq!((q + q).into_affine(), (q * ark_bls12_381::Fr::from(2u64)).into_affine());
    assert_eq!((q - q, -p + p), (Projective::zero(), Projective::zero()));
    assert_eq!([p, q.into()].iter().sum::<Projective<_>>().0, original + q.0);
    assert_eq!(Projective::normalize_batch(&[p])[0].0, original.into_affine());
    let points: HashSet<_> = [q, q, Affine(p.0.into())].into();
    assert_eq!(points.len(), 2);
    assert_eq!(format!("{q} {q:?}"), format!("{} {:?}", q.0, q.0));
}

#[test]
fn pairings_are_arkworks() {
    let rng = &mut StdRng::seed_from_u64(10);
    let (p, q) = (G1Affine::rand(rng), G2Affine::rand(rng));
    let expected = Original::pairing(p, q);
    assert_eq!(Bls12_381::pairing(Affine(p), Affine(q)).0, expected.0);
    let (p, q) = (prepare_g1::<Bls12_381>(Affine(p)), prepare_g2::<Bls12_381>(Affine(q)));
    assert_eq!(Bls12_381::multi_pairing([p], [q]).0, expected.0);
}

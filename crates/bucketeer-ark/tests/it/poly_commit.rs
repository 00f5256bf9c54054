//! ark-poly-commit, unchanged, on a fast pairing: KZG10, and Marlin over it.

use ark_bls12_381::{Bls12_381 as Original, Fr};
use ark_crypto_primitives::sponge::CryptographicSponge;
use ark_crypto_primitives::sponge::poseidon::{
    PoseidonConfig, PoseidonSponge, find_poseidon_ark_and_mds,
};
use ark_ec::pairing::Pairing;
use ark_ff::{UniformRand, Zero};
use ark_poly::univariate::DensePolynomial;
use ark_poly::{DenseUVPolynomial, Polynomial};
use ark_poly_commit::kzg10::{KZG10, Powers, UniversalParams, VerifierKey};
use ark_poly_commit::marlin_pc::MarlinKZG10;
use ark_poly_commit::{LabeledPolynomial, PolynomialCommitment};
use ark_serialize::CanonicalSerialize;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use bucketeer_ark::{Bls12_381, IntoFast, IntoOriginal, Resident};

use crate::events::{Msms, msms};

const DEGREE: usize = 200;

type Poly = DensePolynomial<Fr>;

fn powers<E: Pairing>(parameters: &UniversalParams<E>) -> Powers<'_, E> {
    Powers {
        powers_of_g: (&parameters.powers_of_g[..]).into(),
        powers_of_gamma_g: (0..=DEGREE).map(|i| parameters.powers_of_gamma_g[&i]).collect(),
    }
}

#[test]
fn kzg10() {
    let rng = || StdRng::seed_from_u64(4);
    let parameters = KZG10::<Original, Poly>::setup(DEGREE, true, &mut rng()).unwrap();
    // Leading zeros make KZG10 skip bases.
    let mut coefficients = vec![Fr::zero(); 20];
    let random = &mut StdRng::seed_from_u64(14);
    coefficients.extend((20..=DEGREE).map(|_| Fr::rand(random)));
    let polynomial = Poly::from_coefficients_vec(coefficients);
    let point = Fr::rand(&mut rng());

    let original = powers(&parameters);
    let commit = |powers| {
        KZG10::<Original, Poly>::commit(powers, &polynomial, Some(3), Some(&mut rng())).unwrap()
    };
    let (expected, randomness) = commit(&original);
    let expected_proof =
        KZG10::<Original, Poly>::open(&original, &polynomial, point, &randomness).unwrap();

    let fast = parameters.clone().into_fast();
    assert!(fast.clone().into_original() == parameters);
    let powers = powers(&fast);
    let memory = powers.powers_of_g.as_ptr();
    let back = powers.clone().into_original();
    assert_eq!(back.powers_of_g.as_ptr().addr(), memory.addr(), "borrowed powers stay borrowed");
    assert!(back.into_fast() == powers);

    let commit_and_open = || {
        let hiding = Some(3);
        let (commitment, randomness) =
            KZG10::<Bls12_381, Poly>::commit(&powers, &polynomial, hiding, Some(&mut rng()))
                .unwrap();
        let proof =
            KZG10::<Bls12_381, Poly>::open(&powers, &polynomial, point, &randomness).unwrap();
        (commitment.into_original(), proof.into_original())
    };
    // Two MSMs each: of the polynomial and of what hides it.
    let ((commitment, proof), seen) = msms(commit_and_open);
    assert_eq!((commitment, &proof), (expected, &expected_proof));
    assert_eq!(seen, Msms { borrowed: 4, resident: 0 });
    let resident = Resident::of(&powers).unwrap();
    let ((commitment, proof), seen) = msms(|| resident.scope(commit_and_open));
    assert_eq!((commitment, &proof), (expected, &expected_proof));
    assert_eq!(seen, Msms { borrowed: 0, resident: 4 });

    let key = VerifierKey {
        g: parameters.powers_of_g[0],
        gamma_g: parameters.powers_of_gamma_g[&0],
        h: parameters.h,
        beta_h: parameters.beta_h,
        prepared_h: parameters.prepared_h.clone(),
        prepared_beta_h: parameters.prepared_beta_h.clone(),
    };
    let value = polynomial.evaluate(&point);
    let check = |value| KZG10::<Original, Poly>::check(&key, &commitment, point, value, &proof);
    assert!(check(value).unwrap());
    assert!(!check(value + Fr::from(1u64)).unwrap());
    let (fast, commitment, proof) =
        (key.clone().into_fast(), commitment.into_fast(), proof.into_fast());
    let check = |value| KZG10::<Bls12_381, Poly>::check(&fast, &commitment, point, value, &proof);
    assert!(check(value).unwrap());
    assert!(!check(value + Fr::from(1u64)).unwrap());
    assert!(fast.into_original() == key);
}

fn sponge() -> PoseidonSponge<Fr> {
    let (ark, mds) = find_poseidon_ark_and_mds(255, 2, 8, 31, 0);
    PoseidonSponge::new(&PoseidonConfig::new(8, 31, 17, mds, ark, 2, 1))
}

/// Commits to two polynomials, one of them with a degree bound, opens both and checks: the bytes
/// of commitments and proof. `scope` runs the work, given the committer key.
fn marlin<E: Pairing<ScalarField = Fr>>(
    scope: impl FnOnce(
        &<MarlinKZG10<E, Poly> as PolynomialCommitment<Fr, Poly>>::CommitterKey,
        &mut dyn FnMut(),
    ),
) -> Vec<u8> {
    type Scheme<E> = MarlinKZG10<E, Poly>;
    let rng = &mut StdRng::seed_from_u64(5);
    let parameters = Scheme::<E>::setup(DEGREE, None, rng).unwrap();
    let (ck, vk) = Scheme::<E>::trim(&parameters, DEGREE, 1, Some(&[90])).unwrap();
    let polynomials = [
        LabeledPolynomial::new("a".into(), Poly::rand(DEGREE, rng), None, Some(1)),
        LabeledPolynomial::new("b".into(), Poly::rand(80, rng), Some(90), None),
    ];
    let point = Fr::rand(rng);
    let mut bytes = Vec::new();
    scope(&ck, &mut || {
        let (commitments, states) = Scheme::<E>::commit(&ck, &polynomials, Some(rng)).unwrap();
        let proof = Scheme::<E>::open(
            &ck,
            &polynomials,
            &commitments,
            &point,
            &mut sponge(),
            &states,
            Some(rng),
        )
        .unwrap();
        for commitment in &commitments {
            commitment.commitment().serialize_compressed(&mut bytes).unwrap();
        }
        proof.serialize_compressed(&mut bytes).unwrap();
        let mut check = |values: [Fr; 2]| {
            let sponge = &mut sponge();
            Scheme::<E>::check(&vk, &commitments, &point, values, &proof, sponge, Some(rng))
        };
        let [a, b] = polynomials.each_ref().map(|polynomial| polynomial.evaluate(&point));
        assert!(check([a, b]).unwrap());
        assert!(!check([b, a]).unwrap());
    });
    bytes
}

#[test]
fn marlin_kzg10() {
    let expected = marlin::<Original>(|_, work| work());
    let (bytes, plain) = msms(|| marlin::<Bls12_381>(|_, work| work()));
    assert_eq!(bytes, expected);
    assert!(plain.borrowed > 0 && plain.resident == 0, "{plain:?}");
    let (bytes, resident) =
        msms(|| marlin::<Bls12_381>(|ck, work| Resident::of(ck).unwrap().scope(work)));
    assert_eq!(bytes, expected);
    assert_eq!(resident, Msms { borrowed: 0, resident: plain.borrowed });
}

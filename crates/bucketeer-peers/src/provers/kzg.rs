//! Commitments of ark-poly-commit's KZG10.

use ark_ec::pairing::Pairing;
use ark_poly::DenseUVPolynomial;
use ark_poly::univariate::DensePolynomial;
use ark_poly_commit::kzg10::{KZG10, Powers};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use bucketeer::Curve;
use bucketeer_ark::{Fast, IntoFast, IntoOriginal};
use serde_json::Value;

use super::{Options, Outcome, rounds};

type Poly<E> = DensePolynomial<<E as Pairing>::ScalarField>;

/// Commits to a random polynomial, without hiding.
pub fn run<E: Pairing<G1Affine: Curve, G2Affine: Curve>>(
    options: &Options,
    name: &str,
    threads: u16,
) -> Outcome<Value> {
    let rng = &mut StdRng::seed_from_u64(1);
    let degree = options.constraints - 1;
    let parameters = KZG10::<E, Poly<E>>::setup(degree, false, rng)?;
    let polynomial = Poly::<E>::rand(degree, rng);
    let powers = Powers::<E> {
        powers_of_g: (&parameters.powers_of_g[..]).into(),
        powers_of_gamma_g: Vec::new().into(),
    };
    let fast = powers.clone().into_fast();
    let resident = options.residence().load(&fast)?;

    let commit = || KZG10::<Fast<E>, Poly<E>>::commit(&fast, &polynomial, None, None);
    let table_bytes = resident.table_bytes();
    rounds::run(
        options,
        name,
        threads,
        table_bytes,
        [
            &mut || Ok(KZG10::<E, Poly<E>>::commit(&powers, &polynomial, None, None)?.0),
            &mut || Ok(commit()?.0.into_original()),
            &mut || Ok(resident.scope(commit)?.0.into_original()),
        ],
    )
}

//! Proofs of ark-groth16.

use ark_ec::pairing::Pairing;
use ark_ff::Field;
use ark_groth16::Groth16;
use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError};
use ark_relations::lc;
use ark_snark::SNARK;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use bucketeer::Curve;
use bucketeer_ark::{Fast, IntoFast, IntoOriginal};
use serde_json::Value;

use super::{Options, Outcome, rounds};

/// Squares a number this often, one constraint each.
#[derive(Clone, Copy)]
struct Squares<F>(F, usize);

impl<F: Field> ConstraintSynthesizer<F> for Squares<F> {
    fn generate_constraints(self, cs: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        let Self(mut value, constraints) = self;
        let mut x = cs.new_input_variable(|| Ok(value))?;
        for _ in 0..constraints {
            value.square_in_place();
            let square = cs.new_witness_variable(|| Ok(value))?;
            cs.enforce_r1cs_constraint(|| lc!() + x, || lc!() + x, || lc!() + square)?;
            x = square;
        }
        Ok(())
    }
}

/// Proves with the same randomness in every run, so proofs are equal; synthesis is part of it.
pub fn run<E: Pairing<G1Affine: Curve, G2Affine: Curve>>(
    options: &Options,
    name: &str,
    threads: u16,
) -> Outcome<Value> {
    let rng = || StdRng::seed_from_u64(1);
    // Synthesis adds a constraint per input; the domain is the power of two at or above.
    let circuit = Squares(E::ScalarField::from(3u64), options.constraints - 2);
    let (pk, vk) = Groth16::<E>::circuit_specific_setup(circuit, &mut rng())?;
    let fast = pk.clone().into_fast();
    let resident = options.residence().load(&fast)?;

    let prove = || Groth16::<Fast<E>>::prove(&fast, circuit, &mut rng());
    let proof = prove()?.into_original();
    if !Groth16::<E>::verify(&vk, &[circuit.0], &proof)? {
        return Err(format!("{name}: the proof is not valid").into());
    }
    let table_bytes = resident.table_bytes();
    rounds::run(
        options,
        name,
        threads,
        table_bytes,
        [
            &mut || Ok(Groth16::<E>::prove(&pk, circuit, &mut rng())?),
            &mut || Ok(prove()?.into_original()),
            &mut || Ok(resident.scope(prove)?.into_original()),
        ],
    )
}

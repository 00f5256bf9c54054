//! ark-groth16, unchanged, on Bucketeer: `Bn254` comes from this crate, all else from arkworks.
//!
//! `cargo run --release -p bucketeer-ark --features bn254,groth16 --example groth16`

use ark_bn254::Fr;
use ark_groth16::Groth16;
use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError, Variable};
use ark_relations::lc;
use ark_snark::SNARK;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use bucketeer_ark::{Bn254, IntoOriginal, Resident};

/// Squares a secret number a thousand times; the last square is public.
struct Squares(Fr);

impl ConstraintSynthesizer<Fr> for Squares {
    fn generate_constraints(self, cs: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
        let (mut value, mut x) = (self.0, cs.new_witness_variable(|| Ok(self.0))?);
        for _ in 0..1000 {
            value *= value;
            let square = cs.new_witness_variable(|| Ok(value))?;
            cs.enforce_r1cs_constraint(|| lc!() + x, || lc!() + x, || lc!() + square)?;
            x = square;
        }
        let last = cs.new_input_variable(|| Ok(value))?;
        cs.enforce_r1cs_constraint(|| lc!() + x, || lc!() + Variable::One, || lc!() + last)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rng = &mut StdRng::seed_from_u64(1);
    let secret = Fr::from(3);
    let (pk, vk) = Groth16::<Bn254>::circuit_specific_setup(Squares(secret), rng)?;

    let resident = Resident::of(&pk)?; // tables, for many proofs with this key
    let proof = resident.scope(|| Groth16::<Bn254>::prove(&pk, Squares(secret), rng))?;

    // The verifier has arkworks' own types.
    let (vk, proof) = (vk.into_original(), proof.into_original());
    let last = (0..1000).fold(secret, |value, _| value * value);
    assert!(Groth16::<ark_bn254::Bn254>::verify(&vk, &[last], &proof)?);
    Ok(())
}

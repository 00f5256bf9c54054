//! ark-groth16, unchanged, on fast pairings: the proofs are arkworks' own.

use ark_crypto_primitives::snark::SNARK;
use ark_ec::pairing::Pairing;
use ark_ff::Field;
use ark_groth16::{Groth16, Proof, ProvingKey, prepare_verifying_key};
use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError, Variable};
use ark_relations::lc;
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use bucketeer::Curve;
use bucketeer_ark::{Fast, IntoFast, IntoOriginal, Resident};

use crate::events::{Msms, msms};

const STEPS: usize = 150;

/// Squares a secret number and adds three, again and again; the result is public.
#[derive(Clone, Copy)]
struct Chain<F>(F);

impl<F: Field> Chain<F> {
    fn public(self) -> F {
        (0..STEPS).fold(self.0, |x, _| x * x + F::from(3u64))
    }
}

impl<F: Field> ConstraintSynthesizer<F> for Chain<F> {
    fn generate_constraints(self, cs: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        let (mut value, mut x) = (self.0, cs.new_witness_variable(|| Ok(self.0))?);
        let public = cs.new_input_variable(|| Ok(self.public()))?;
        for step in 1..=STEPS {
            value = value * value + F::from(3u64);
            let next = if step == STEPS { public } else { cs.new_witness_variable(|| Ok(value))? };
            let constant = (F::from(3u64), Variable::One);
            cs.enforce_r1cs_constraint(|| lc!() + x, || lc!() + x, || lc!() + next - constant)?;
            x = next;
        }
        Ok(())
    }
}

/// Proves with arkworks and with Bucketeer, plain and resident, and verifies with arkworks.
fn proofs_agree<E: Pairing<G1Affine: Curve, G2Affine: Curve>>() {
    let rng = || StdRng::seed_from_u64(3);
    let circuit = Chain(E::ScalarField::from(5u64));
    let (pk, vk) = Groth16::<E>::circuit_specific_setup(circuit, &mut rng()).unwrap();
    let expected = Groth16::<E>::prove(&pk, circuit, &mut rng()).unwrap();

    let mut bytes = Vec::new();
    pk.serialize_compressed(&mut bytes).unwrap();
    let memory = pk.a_query.as_ptr().addr();
    let pk = pk.into_fast();
    assert_eq!(pk.a_query.as_ptr().addr(), memory, "keys are moved, not copied");
    let read = ProvingKey::<Fast<E>>::deserialize_compressed(&bytes[..]).unwrap();
    assert_eq!(read, pk);
    let prove = || Groth16::<Fast<E>>::prove(&pk, circuit, &mut rng()).unwrap().into_original();

    let five = |borrowed, resident| Msms { borrowed, resident };
    assert_eq!(msms(prove), (expected.clone(), five(5, 0)));
    let resident = Resident::of(&pk).unwrap();
    assert!(resident.table_bytes() > 0);
    assert_eq!(msms(prove).1, five(5, 0), "outside the scope nothing is resident");
    assert_eq!(msms(|| resident.scope(prove)), (expected.clone(), five(0, 5)));
    assert_eq!(msms(prove), (expected.clone(), five(5, 0)));

    let public = [circuit.public()];
    assert!(Groth16::<E>::verify(&vk, &public, &expected).unwrap());
    assert!(!Groth16::<E>::verify(&vk, &[circuit.0], &expected).unwrap());
    // Verification on the fast pairing, with a proof read from arkworks' bytes.
    let mut bytes = Vec::new();
    expected.serialize_uncompressed(&mut bytes).unwrap();
    let proof = Proof::<Fast<E>>::deserialize_uncompressed(&bytes[..]).unwrap();
    assert_eq!(proof, expected.into_fast());
    let prepared = prepare_verifying_key(&vk);
    let vk = prepared.clone().into_fast();
    assert!(Groth16::<Fast<E>>::verify_with_processed_vk(&vk, &public, &proof).unwrap());
    assert!(!Groth16::<Fast<E>>::verify_with_processed_vk(&vk, &[circuit.0], &proof).unwrap());
    assert_eq!(vk.into_original().vk, prepared.vk);
    assert_eq!(pk.clone().into_original().into_fast(), pk);
}

#[test]
fn bn254() {
    proofs_agree::<ark_bn254::Bn254>();
}

#[test]
fn bls12_381() {
    proofs_agree::<ark_bls12_381::Bls12_381>();
}

#[test]
fn bw6_761() {
    proofs_agree::<ark_bw6_761::BW6_761>();
}

#[test]
fn bls12_377() {
    proofs_agree::<ark_bls12_377::Bls12_377>();
}

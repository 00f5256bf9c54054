//! Proofs of satisfied circuits, verified by ark-groth16; those of others, refused.

use ark_bls12_381::Bls12_381;
use ark_bn254::Bn254;
use ark_groth16::Groth16;
use bucketeer::Device;
use bucketeer::io::{ReadOptions, Zkey, parse_witness, parse_zkey};
use bucketeer_groth16::{Error, Proof, Prover, SnarkjsPairing, VerifyingKey, public_to_json};
use serde_json::{Value, json};

use crate::circuit::{Circuit, all_public, chain};
use crate::setup::{container, wtns, zkey};

pub fn key_of<E: SnarkjsPairing>(circuit: &Circuit<E::ScalarField>) -> Zkey<E> {
    let bytes = container("zkey", 1, &zkey::<E>(circuit));
    parse_zkey(&bytes, &ReadOptions::default()).expect("a key")
}

/// By arkworks' verifier, with the key's points.
fn arkworks_accepts<E: SnarkjsPairing>(
    key: &VerifyingKey<E>,
    proof: &Proof<E>,
    public: &[E::ScalarField],
) -> bool {
    let key = ark_groth16::VerifyingKey::<E> {
        alpha_g1: key.alpha_g1,
        beta_g2: key.beta_g2,
        gamma_g2: key.gamma_g2,
        delta_g2: key.delta_g2,
        gamma_abc_g1: key.public_g1.clone(),
    };
    let prepared = ark_groth16::prepare_verifying_key(&key);
    let proof = ark_groth16::Proof { a: proof.a, b: proof.b, c: proof.c };
    Groth16::<E>::verify_proof(&prepared, &proof, public).expect("as many signals as points")
}

fn proves<E: SnarkjsPairing>() {
    let circuits = [chain(1, 0), chain(1, 1), chain(6, 3), chain(200, 2), all_public()];
    for circuit in circuits {
        let key = key_of::<E>(&circuit);
        let prover = Prover::load(&Device::cpu(), key).expect("a prover");
        let bytes = container("wtns", 2, &wtns(&circuit.witness));
        let witness = parse_witness(&bytes).expect("a witness");
        let public = prover.public_signals(&witness);
        assert_eq!(public, &circuit.witness[1..=circuit.public]);
        let proofs = [0, 1].map(|_| prover.prove(&witness).expect("a proof"));
        assert_ne!(proofs[0], proofs[1], "the masks are random");
        for proof in &proofs {
            assert!(arkworks_accepts(prover.verifying_key(), proof, public));
        }
        let Some(first) = public.first() else { continue };
        let wrong = [&[*first + first], &public[1..]].concat();
        assert!(!prover.verifying_key().verify(&proofs[0], &wrong));
        assert!(!prover.verifying_key().verify(&proofs[0], &public[1..]));
    }
}

#[test]
fn proofs_on_bn254() {
    proves::<Bn254>();
}

#[test]
fn proofs_on_bls12_381() {
    proves::<Bls12_381>();
}

/// Tables and chunks change nothing but the time.
#[test]
fn memory_limits_and_tables() {
    let circuit = chain(100, 1);
    for builder in [
        Prover::<Bn254>::builder().memory_limit(4 << 20),
        Prover::<Bn254>::builder().auto_precompute().memory_limit(64 << 20),
    ] {
        let prover = builder.load(&Device::cpu(), key_of::<Bn254>(&circuit)).expect("a prover");
        let proof = prover.prove(&circuit.witness).expect("a proof");
        let public = prover.public_signals(&circuit.witness);
        assert!(arkworks_accepts(prover.verifying_key(), &proof, public));
    }
    let builder = Prover::<Bn254>::builder().memory_limit(1);
    let error = builder.load(&Device::cpu(), key_of::<Bn254>(&circuit)).err();
    assert!(matches!(error, Some(Error::Library(bucketeer::Error::OutOfMemory { .. }))));
}

#[test]
fn witnesses_that_do_not_satisfy_the_circuit() {
    let circuit = chain(20, 2);
    let prover = Prover::load(&Device::cpu(), key_of::<Bn254>(&circuit)).expect("a prover");
    for signal in 1..circuit.witness.len() {
        let mut witness = circuit.witness.clone();
        witness[signal] += circuit.witness[0];
        assert_eq!(prover.prove(&witness), Err(Error::Unsatisfied), "signal {signal}");
        let unverified = prover.prove_unverified(&witness).expect("an invalid proof").proof;
        let public = prover.public_signals(&witness);
        assert!(!arkworks_accepts(prover.verifying_key(), &unverified, public));
    }
    let mut witness = circuit.witness.clone();
    witness[0] += circuit.witness[0];
    assert_eq!(prover.prove(&witness), Err(Error::NoConstantOne));
    let (expected, found) = (circuit.witness.len(), circuit.witness.len() - 1);
    let shorter = prover.prove(&circuit.witness[1..]);
    assert_eq!(shorter, Err(Error::WitnessLength { expected, found }));
    assert!(prover.prove(&[]).is_err());
}

/// Keys made by hand are checked where they are loaded.
#[test]
fn inconsistent_keys() {
    let circuit = chain(4, 1);
    let changes: [fn(&mut Zkey<Bn254>); 6] = [
        |key| key.b_g1.truncate(2),
        |key| key.public = 3,
        |key| key.domain = 6,
        |key| key.h_g1.truncate(1),
        |key| key.coefficients[0].signal = 100,
        |key| key.coefficients[0].constraint = 100,
    ];
    for change in changes {
        let mut key = key_of::<Bn254>(&circuit);
        change(&mut key);
        let error = Prover::load(&Device::cpu(), key).err();
        assert!(matches!(error, Some(Error::InconsistentKey { .. })), "{error:?}");
    }
}

#[test]
fn json_as_snarkjs_writes_it() {
    let circuit = chain(3, 2);
    let prover = Prover::load(&Device::cpu(), key_of::<Bls12_381>(&circuit)).expect("a prover");
    let proof = prover.prove(&circuit.witness).expect("a proof");
    let text = proof.to_json();
    assert!(text.starts_with("{\n \"pi_a\": [\n  \""), "{text}");
    assert!(text.ends_with("\n \"protocol\": \"groth16\",\n \"curve\": \"bls12381\"\n}"), "{text}");
    let found: Value = serde_json::from_str(&text).expect("JSON");
    let (b, c) = (proof.b, proof.c);
    assert_eq!(found["pi_a"], json!([proof.a.x.to_string(), proof.a.y.to_string(), "1"]));
    let pair = |x: ark_bls12_381::Fq2| json!([x.c0.to_string(), x.c1.to_string()]);
    assert_eq!(found["pi_b"], json!([pair(b.x), pair(b.y), ["1", "0"]]));
    assert_eq!(found["pi_c"], json!([c.x.to_string(), c.y.to_string(), "1"]));
    let public = public_to_json(prover.public_signals(&circuit.witness));
    assert_eq!(public, "[\n \"1001\",\n \"1002\"\n]");
    assert_eq!(public_to_json::<ark_bn254::Fr>(&[]), "[]");
}

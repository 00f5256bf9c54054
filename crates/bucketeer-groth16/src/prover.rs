//! Proofs of witnesses, with a key on a device.
//!
//! With the queries A, B, C and H of the key, the witness w, its private part p, the numerator h of
//! the quotient and the random masks r and s, the proof is
//!
//! 1. `A = α + Σ wᵢ·Aᵢ + r·δ`,
//! 2. `B = β + Σ wᵢ·Bᵢ + s·δ`, in G2 and, for C, in G1,
//! 3. `C = Σ pᵢ·Cᵢ + Σ hᵢ·Hᵢ + s·A + r·B − r·s·δ`.

use std::time::{Duration, Instant};

use ark_ec::CurveGroup;
use ark_ff::{Field, PrimeField};
use bucketeer::io::Zkey;
use bucketeer::{Bases, Batch, Device, Scalars};

use crate::domain::Domain;
use crate::matrices::Matrices;
use crate::{Builder, Error, Proof, SnarkjsPairing, VerifyingKey};

/// A proving key on a device, ready for any number of witnesses.
pub struct Prover<E: SnarkjsPairing> {
    pub(crate) domain: Domain<E::ScalarField>,
    pub(crate) matrices: Matrices<E::ScalarField>,
    pub(crate) fixed: Fixed<E>,
    pub(crate) queries: Queries<E>,
    pub(crate) verifying_key: VerifyingKey<E>,
}

/// The points that every proof contains.
pub(crate) struct Fixed<E: SnarkjsPairing> {
    pub(crate) alpha_g1: E::G1Affine,
    pub(crate) beta_g1: E::G1Affine,
    pub(crate) beta_g2: E::G2Affine,
    pub(crate) delta_g1: E::G1Affine,
    pub(crate) delta_g2: E::G2Affine,
}

/// The points that are multiplied by values of the witness, and H.
pub(crate) struct Queries<E: SnarkjsPairing> {
    pub(crate) a_g1: Bases<E::G1Affine>,
    pub(crate) b_g1: Bases<E::G1Affine>,
    pub(crate) b_g2: Bases<E::G2Affine>,
    pub(crate) c_g1: Bases<E::G1Affine>,
    pub(crate) h_g1: Bases<E::G1Affine>,
}

/// A step of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// The products of the matrices A and B with the witness.
    Products,
    /// The transforms of three polynomials.
    Transforms,
    /// The five sums, and the masks.
    Sums,
}

impl Stage {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Products => "products",
            Self::Transforms => "transforms",
            Self::Sums => "sums",
        }
    }
}

/// A proof that was not verified, and the time of each stage.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report<E: SnarkjsPairing> {
    /// The proof.
    pub proof: Proof<E>,
    /// Time per stage, in order.
    pub stages: [(Stage, Duration); 3],
}

impl<E: SnarkjsPairing> Prover<E> {
    /// Loads a key onto a device.
    pub fn load(device: &Device, key: Zkey<E>) -> Result<Self, Error> {
        Self::builder().load(device, key)
    }

    /// Settings for a prover.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The key that verifies the proofs.
    pub fn verifying_key(&self) -> &VerifyingKey<E> {
        &self.verifying_key
    }

    /// Number of signals, the constant 1 included: the values of a witness.
    pub fn signals(&self) -> usize {
        self.queries.a_g1.len()
    }

    /// Size of the evaluation domain, at least the number of constraints.
    pub fn domain(&self) -> usize {
        self.queries.h_g1.len()
    }

    /// The public signals of a witness.
    pub fn public_signals<'a>(&self, witness: &'a [E::ScalarField]) -> &'a [E::ScalarField] {
        let public = self.verifying_key.public_g1.len();
        witness.get(1..public).unwrap_or_default()
    }

    /// Proves a witness and verifies the proof.
    pub fn prove(&self, witness: &[E::ScalarField]) -> Result<Proof<E>, Error> {
        let proof = self.prove_unverified(witness)?.proof;
        self.verify(&proof, witness)?;
        Ok(proof)
    }

    /// Fails if the proof of this witness is not valid.
    pub fn verify(&self, proof: &Proof<E>, witness: &[E::ScalarField]) -> Result<(), Error> {
        let valid = self.verifying_key.verify(proof, self.public_signals(witness));
        if valid { Ok(()) } else { Err(Error::Unsatisfied) }
    }

    /// Proves a witness. The proof of one that does not satisfy the circuit is invalid.
    pub fn prove_unverified(&self, witness: &[E::ScalarField]) -> Result<Report<E>, Error> {
        self.check(witness)?;
        let started = Instant::now();
        let [a, b] = self.matrices.times(witness);
        let multiplied = Instant::now();
        let numerator = self.domain.numerator(a, b);
        let transformed = Instant::now();
        let masks = [random()?, random()?];
        let proof = self.sums(witness, &numerator, masks)?;
        let stages = [
            (Stage::Products, multiplied - started),
            (Stage::Transforms, transformed - multiplied),
            (Stage::Sums, transformed.elapsed()),
        ];
        Ok(Report { proof, stages })
    }

    fn check(&self, witness: &[E::ScalarField]) -> Result<(), Error> {
        let (expected, found) = (self.signals(), witness.len());
        if expected != found {
            return Err(Error::WitnessLength { expected, found });
        }
        match witness.first() {
            Some(first) if *first == E::ScalarField::ONE => Ok(()),
            _ => Err(Error::NoConstantOne),
        }
    }

    fn sums(
        &self,
        witness: &[E::ScalarField],
        numerator: &[E::ScalarField],
        [r, s]: [E::ScalarField; 2],
    ) -> Result<Proof<E>, Error> {
        let (fixed, queries) = (&self.fixed, &self.queries);
        let private = Scalars::residues(&witness[self.verifying_key.public_g1.len()..]);
        let (witness, numerator) = (Scalars::residues(witness), Scalars::residues(numerator));
        let mut batch = Batch::new();
        let b_g2 = batch.add(&queries.b_g2, witness);
        let a_g1 = batch.add(&queries.a_g1, witness);
        let b_g1 = batch.add(&queries.b_g1, witness);
        let c_g1 = batch.add(&queries.c_g1, private);
        let h_g1 = batch.add(&queries.h_g1, numerator);
        let mut sums = batch.run()?;

        let a = sums.take(a_g1)? + fixed.alpha_g1 + fixed.delta_g1 * r;
        let b = sums.take(b_g2)? + fixed.beta_g2 + fixed.delta_g2 * s;
        let b_g1 = sums.take(b_g1)? + fixed.beta_g1 + fixed.delta_g1 * s;
        let c = sums.take(c_g1)? + sums.take(h_g1)? + a * s + b_g1 * r - fixed.delta_g1 * (r * s);
        Ok(Proof { a: a.into_affine(), b: b.into_affine(), c: c.into_affine() })
    }
}

/// A uniform element from the system's random numbers: 512 bits, so that the bias is below 2^−256.
fn random<F: PrimeField>() -> Result<F, Error> {
    let mut bytes = [0; 64];
    let filled = getrandom::fill(&mut bytes);
    filled.map_err(|error| Error::NoRandomness { reason: error.to_string() })?;
    Ok(F::from_le_bytes_mod_order(&bytes))
}

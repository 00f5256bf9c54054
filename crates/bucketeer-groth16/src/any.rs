//! Provers without their curve's type, for programs that learn it from a file: the command-line
//! tool.

use std::path::Path;
use std::time::Duration;

use ark_bls12_381::Bls12_381;
use ark_bn254::Bn254;
use bucketeer::Device;
use bucketeer::io::{ReadOptions, Zkey, ZkeyFile, read_witness};

use crate::{Builder, Error, Proof, Prover, SnarkjsPairing, Stage, public_to_json};

/// A key of one of the curves, read and checked.
pub trait AnyKey {
    /// Bucketeer's name of the curve.
    fn curve(&self) -> &'static str;

    /// Loads the key onto a device.
    fn load(
        self: Box<Self>,
        device: &Device,
        builder: &Builder,
    ) -> Result<Box<dyn AnyProver>, Error>;
}

/// A key on a device, of one of the curves.
pub trait AnyProver {
    /// Signals of the circuit.
    fn signals(&self) -> usize;

    /// Public ones among them, without the constant 1.
    fn public(&self) -> usize;

    /// Size of the evaluation domain.
    fn domain(&self) -> usize;

    /// Reads a `.wtns` file.
    fn read(&self, path: &Path) -> Result<Box<dyn AnyWitness + '_>, Error>;
}

/// A witness of a circuit whose key is loaded.
pub trait AnyWitness {
    /// Proves it.
    fn prove(&self) -> Result<Box<dyn AnyProof + '_>, Error>;
}

/// A proof with the witness it is of.
pub trait AnyProof {
    /// Time per stage.
    fn stages(&self) -> [(Stage, Duration); 3];

    /// Fails if the proof is not valid.
    fn verify(&self) -> Result<(), Error>;

    /// The contents of `proof.json` and of `public.json`.
    fn to_json(&self) -> [String; 2];
}

/// Reads the key in an opened file. The file says which curve it is for.
pub fn read_key(file: &ZkeyFile, options: &ReadOptions) -> Result<Box<dyn AnyKey>, Error> {
    fn read<E: SnarkjsPairing>(
        file: &ZkeyFile,
        options: &ReadOptions,
        curve: &'static str,
    ) -> Result<Box<dyn AnyKey>, Error> {
        let key = file.read::<E>(options)?;
        Ok(Box::new(Key { key, curve }))
    }
    match file.curve()?.name {
        "bls12-381-g1" => read::<Bls12_381>(file, options, "bls12-381"),
        _ => read::<Bn254>(file, options, "bn254"),
    }
}

struct Key<E: SnarkjsPairing> {
    key: Zkey<E>,
    curve: &'static str,
}

impl<E: SnarkjsPairing> AnyKey for Key<E> {
    fn curve(&self) -> &'static str {
        self.curve
    }

    fn load(
        self: Box<Self>,
        device: &Device,
        builder: &Builder,
    ) -> Result<Box<dyn AnyProver>, Error> {
        Ok(Box::new(builder.load(device, self.key)?))
    }
}

impl<E: SnarkjsPairing> AnyProver for Prover<E> {
    fn signals(&self) -> usize {
        Self::signals(self)
    }

    fn public(&self) -> usize {
        self.verifying_key().public_g1.len() - 1
    }

    fn domain(&self) -> usize {
        Self::domain(self)
    }

    fn read(&self, path: &Path) -> Result<Box<dyn AnyWitness + '_>, Error> {
        Ok(Box::new(Witness { prover: self, values: read_witness(path)? }))
    }
}

struct Witness<'a, E: SnarkjsPairing> {
    prover: &'a Prover<E>,
    values: Vec<E::ScalarField>,
}

impl<E: SnarkjsPairing> AnyWitness for Witness<'_, E> {
    fn prove(&self) -> Result<Box<dyn AnyProof + '_>, Error> {
        let report = self.prover.prove_unverified(&self.values)?;
        Ok(Box::new(Proved { witness: self, proof: report.proof, stages: report.stages }))
    }
}

struct Proved<'a, E: SnarkjsPairing> {
    witness: &'a Witness<'a, E>,
    proof: Proof<E>,
    stages: [(Stage, Duration); 3],
}

impl<E: SnarkjsPairing> AnyProof for Proved<'_, E> {
    fn stages(&self) -> [(Stage, Duration); 3] {
        self.stages
    }

    fn verify(&self) -> Result<(), Error> {
        self.witness.prover.verify(&self.proof, &self.witness.values)
    }

    fn to_json(&self) -> [String; 2] {
        let public = self.witness.prover.public_signals(&self.witness.values);
        [self.proof.to_json(), public_to_json(public)]
    }
}

//! Writes the proving key and a witness of a circuit of any size, for benchmarks: a setup with
//! snarkjs takes minutes from 2^15 constraints on. Whoever runs this knows the secrets of the key.
//!
//! `cargo run --release -p bucketeer-groth16 --example make_circuit -- bn254 14 FOLDER` writes
//! `circuit.zkey` and `witness.wtns` with 2^14 as size of the domain.

#[allow(dead_code)]
#[path = "../tests/it/circuit.rs"]
mod circuit;
#[allow(dead_code)]
#[path = "../tests/it/setup.rs"]
mod setup;

use std::error::Error;
use std::path::Path;

use ark_bls12_381::Bls12_381;
use ark_bn254::Bn254;
use ark_ec::pairing::Pairing;

const PUBLIC: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [curve, power, folder] = &arguments[..] else {
        return Err("expected: CURVE POWER FOLDER".into());
    };
    let power: u32 = power.parse()?;
    if !(3..=24).contains(&power) {
        return Err(format!("a power of {power}, expected 3 to 24").into());
    }
    // The rows of the public signals fill the domain.
    let length = (1 << power) - PUBLIC - 1;
    match curve.as_str() {
        "bn254" => write::<Bn254>(length, folder.as_ref()),
        "bls12-381" => write::<Bls12_381>(length, folder.as_ref()),
        other => Err(format!("curve {other}, expected bn254 or bls12-381").into()),
    }
}

fn write<E: Pairing>(length: usize, folder: &Path) -> Result<(), Box<dyn Error>> {
    let circuit = circuit::chain::<E::ScalarField>(length, PUBLIC);
    let (key, witness) = (setup::zkey::<E>(&circuit), setup::wtns(&circuit.witness));
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("circuit.zkey"), setup::container("zkey", 1, &key))?;
    std::fs::write(folder.join("witness.wtns"), setup::container("wtns", 2, &witness))?;
    Ok(())
}

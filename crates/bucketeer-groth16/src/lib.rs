//! A Groth16 prover for snarkjs files: a proving key (`.zkey`) and a witness (`.wtns`) in, a proof
//! in snarkjs' JSON out, on BN254 and BLS12-381. Sums over the points of the key are computed by
//! [`bucketeer`] on any of its devices.
//!
//! ```
//! use ark_bn254::{Bn254, Fr};
//! use bucketeer::Device;
//! use bucketeer::io::{ReadOptions, ZkeyFile, read_witness};
//! use bucketeer_groth16::{Prover, public_to_json};
//!
//! // Of a circuit with one constraint, 3·11 = 33, made by circom and snarkjs.
//! let file = ZkeyFile::open("examples/data/multiplier.zkey".as_ref())?;
//! let key = file.read::<Bn254>(&ReadOptions::default())?;
//! let prover = Prover::load(&Device::cpu(), key)?; // once for many witnesses
//!
//! let mut witness: Vec<Fr> = read_witness("examples/data/multiplier.wtns".as_ref())?;
//! let proof = prover.prove(&witness)?; // verified
//! println!("{}", proof.to_json());
//! assert_eq!(public_to_json(prover.public_signals(&witness)), "[\n \"33\"\n]");
//!
//! witness[2] = Fr::from(4); // 4·11 is not 33
//! assert_eq!(prover.prove(&witness), Err(bucketeer_groth16::Error::Unsatisfied));
//! # Ok::<(), bucketeer_groth16::Error>(())
//! ```
//!
//! A proof takes four steps:
//!
//! 1. `matrices.rs`: the products `A·w` and `B·w`, row by row.
//! 2. `domain.rs`: three polynomials from their values on the domain to those on a coset of it.
//! 3. `prover.rs`: five sums over the points of the key, one of them in G2, and the random masks.
//! 4. `verify.rs`: the pairing equation, which a witness that does not satisfy the circuit fails.
//!
//! As in Bucketeer itself, nothing is constant time: do not prove where someone who must not learn
//! the witness can measure running time or memory access.

pub mod any;
mod builder;
mod domain;
mod error;
mod matrices;
mod pairing;
mod proof;
mod prover;
mod verify;

pub use builder::Builder;
pub use error::Error;
pub use pairing::SnarkjsPairing;
pub use proof::{Proof, public_to_json};
pub use prover::{Prover, Report, Stage};
pub use verify::VerifyingKey;

/// Compiles the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

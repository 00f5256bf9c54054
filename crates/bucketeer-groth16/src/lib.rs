//! A Groth16 prover for snarkjs files: a proving key (`.zkey`) and a witness (`.wtns`) in, a proof
//! in snarkjs' JSON out, on BN254 and BLS12-381. Sums over the points of the key are computed by
//! [`bucketeer`] on any of its devices.
//!
//! ```no_run
//! use ark_bn254::Bn254;
//! use bucketeer::Device;
//! use bucketeer::io::{ReadOptions, ZkeyFile, read_witness};
//! use bucketeer_groth16::{Prover, public_to_json};
//!
//! let key = ZkeyFile::open("circuit.zkey".as_ref())?.read::<Bn254>(&ReadOptions::default())?;
//! let prover = Prover::load(&Device::best(), key)?; // once for many witnesses
//! let witness = read_witness("witness.wtns".as_ref())?;
//! let proof = prover.prove(&witness)?; // verified
//! println!("{}", proof.to_json());
//! println!("{}", public_to_json(prover.public_signals(&witness)));
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

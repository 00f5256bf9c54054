//! arkworks provers, unchanged, on Bucketeer's multi-scalar multiplication.
//!
//! [`Fast<E>`] is the pairing `E` of arkworks with Bucketeer's MSMs. It takes the place of `E` in
//! ark-groth16 0.6, ark-poly-commit 0.6 and everything else that is generic over `Pairing`;
//! [`Projective<A>`] and [`Affine<A>`] do so where code is generic over `CurveGroup`, `AffineRepr`
//! or `VariableBaseMSM`. Scalars and bytes are the same, and keys, proofs and slices of points
//! [convert](IntoFast) without copying.
//!
//! ```
//! use ark_bls12_381::{Fr, G1Affine};
//! use ark_ec::{AffineRepr, VariableBaseMSM};
//! use bucketeer_ark::{IntoFast, IntoOriginal, Projective};
//!
//! let bases = vec![G1Affine::generator(); 1000];
//! let scalars: Vec<Fr> = (0..1000u64).map(Fr::from).collect();
//! let sum = Projective::msm(bases[..].into_fast(), &scalars).unwrap();
//! assert_eq!(sum.into_original(), G1Affine::generator() * Fr::from(499_500));
//! ```
//!
//! # The device
//!
//! MSMs run on one device per process: the one that [`Settings`] install, otherwise the one that
//! the environment variable `BUCKETEER_DEVICE` names (`auto`, `cpu`, `cuda:0`, `webgpu:0`, …),
//! otherwise the one predicted to end first. [`with_device`] overrides it while a closure runs.
//!
//! # Resident keys
//!
//! [`Resident::of`] loads the bases of a proving key onto the device once, with precomputed tables,
//! and borrows the key. In its [`scope`](Resident::scope) MSMs use them.
//!
//! # Errors
//!
//! arkworks' traits have no room for errors. An MSM that fails, because its device failed, cannot
//! be opened or has too little memory, **panics** with the error's text. With
//! [`Settings::allow_cpu_fallback`] it is computed on the CPU instead, with a warning through
//! `tracing`. [`device`] tells in advance whether the chosen device can be opened.
//!
//! # Features
//!
//! | feature | brings |
//! | --- | --- |
//! | `bls12-377`, `bls12-381`, `bn254`, `bw6-761` | a name for the fast pairing of this curve |
//! | `groth16` | conversions and residence for the keys and proofs of ark-groth16 |
//! | `poly-commit` | the same for KZG10 and Marlin in ark-poly-commit |
//! | `cuda`, `webgpu` | GPUs, as in `bucketeer` |
//!
//! Points are trusted to lie in the prime-order subgroup, as arkworks' traits say;
//! [`Settings::any_point`] lifts that. Nothing here is constant time.

mod convert;
mod device;
#[cfg(feature = "groth16")]
mod groth16;
mod group;
mod pairing;
#[cfg(feature = "poly-commit")]
mod poly_commit;
mod resident;
mod run;
mod serialize;

pub use convert::{IntoFast, IntoOriginal, Original, Wrapper};
pub use device::{DEVICE_VARIABLE, Settings, device, with_device};
pub use group::{Affine, Projective, msm_bigint};
pub use pairing::{Fast, G1Prepared, G2Prepared};
pub use resident::{Queries, QueryList, Resident, ResidentBuilder, TABLE_FACTOR};

/// BLS12-377 with Bucketeer's MSMs.
#[cfg(feature = "bls12-377")]
pub type Bls12_377 = Fast<ark_bls12_377::Bls12_377>;

/// BLS12-381 with Bucketeer's MSMs.
#[cfg(feature = "bls12-381")]
pub type Bls12_381 = Fast<ark_bls12_381::Bls12_381>;

/// BN254 with Bucketeer's MSMs.
#[cfg(feature = "bn254")]
pub type Bn254 = Fast<ark_bn254::Bn254>;

/// BW6-761 with Bucketeer's MSMs.
#[cfg(feature = "bw6-761")]
pub type Bw6_761 = Fast<ark_bw6_761::BW6_761>;

/// Compiles the README's example.
#[cfg(all(doctest, feature = "bn254", feature = "groth16"))]
#[doc = include_str!("../README.md")]
struct Readme;

//! Bucketeer computes multi-scalar multiplications, `Q = k₁·P₁ + … + kₙ·Pₙ`, over elliptic curves.
//!
//! ```
//! use ark_ec::AffineRepr;
//! use ark_bls12_377::{Fr, G1Affine};
//!
//! let bases = vec![G1Affine::generator(); 1000];
//! let scalars: Vec<Fr> = (0..1000u64).map(Fr::from).collect();
//! let sum = bucketeer::msm(&bases, &scalars)?;
//! assert_eq!(sum, G1Affine::generator() * Fr::from(499_500));
//! # Ok::<(), bucketeer::Error>(())
//! ```
//!
//! The types are arkworks 0.6's; any short Weierstrass or twisted Edwards curve over a prime field or its
//! quadratic extension works. [`msm`] is the whole library for most callers. [`Bases`] keeps bases on
//! a [`Device`], with precomputation, batches and background [`Job`]s; a [`plan::Plan`] says beforehand
//! what a run will do and how much memory it takes.
//!
//! Nothing here is constant time: do not use it where scalars must stay secret from someone who can
//! measure its running time.

pub mod plan;

mod bases;
mod control;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod curve;
mod device;
mod engine;
mod error;
#[cfg(not(target_family = "wasm"))]
mod free_memory;
#[cfg(any(feature = "cuda", feature = "webgpu"))]
mod gpu;
mod job;
mod msm;
#[doc(hidden)]
pub mod parallel;
mod pinned;
mod platform;
mod scalars;
#[cfg(feature = "curves")]
#[doc(hidden)]
pub mod subgroup;
mod sum;
mod threads;
mod wait;
#[cfg(feature = "webgpu")]
mod webgpu;

#[cfg(feature = "curves")]
pub use curve::named as curves;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "io")]
pub mod io;

pub use bases::{Bases, Builder, Report};
pub use control::{CancelToken, Hook, Progress};
pub use curve::{Curve, CurveSpec, EdwardsForm, Endomorphism, Model, Weierstrass, WordField};
pub use device::{Device, DeviceFacts, DeviceKind};
pub use engine::Timings;
pub use error::{Error, PointFault};
pub use job::Job;
pub use msm::{msm, msm_batch};
pub use pinned::PinnedVec;
pub use plan::Plan;
pub use scalars::{AsScalars, ScalarElement, Scalars};

/// Frees the memory that runs on CPUs have left for the next ones, and overwrites what in it tells
/// something of scalars: decomposed scalars, digits and lists of buckets. Runs keep it for the life of the
/// process because fresh memory would cost a small MSM more than its arithmetic. Runs under way keep theirs,
/// and memory that was too large to be kept was freed without being overwritten. GPUs keep theirs until
/// their [`Device`] and all [`Bases`] on it are dropped.
///
/// ```
/// # use ark_ec::AffineRepr;
/// # use ark_bls12_377::{Fr, G1Affine};
/// let sum = bucketeer::msm(&[G1Affine::generator(); 100], &[Fr::from(7); 100])?;
/// bucketeer::release_workspaces();
/// # Ok::<(), bucketeer::Error>(())
/// ```
pub fn release_workspaces() {
    cpu::release();
}

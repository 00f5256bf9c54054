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
//! The types are arkworks 0.6's. Any short Weierstrass or twisted Edwards curve over a prime field
//! or its quadratic extension works. Most callers need only [`msm`]. [`Bases`] keeps bases on a
//! [`Device`], with precomputation, batches and background [`Job`]s. A [`plan::Plan`] tells in
//! advance what a run does and how much memory it takes.
//!
//! | feature | brings |
//! | --- | --- |
//! | none | the CPU engine, for any curve |
//! | `cuda` | NVIDIA GPUs; the driver and NVRTC are loaded at run time |
//! | `webgpu` | any GPU through Vulkan, Metal, Direct3D 12 or the browser |
//! | `curves` | curves by name |
//! | `any` | named curves as objects; implies `curves` |
//! | `io` | file formats; implies `curves` |
//! | `conformance` | the conformance table, to test a device; implies `curves` |
//! | `ranks` | [MSMs over the ranks](ranks) of a parallel program |
//!
//! Nothing here is constant time. Do not use it where scalars must stay secret from someone who can
//! measure its running time.

pub mod plan;

mod bases;
mod caches;
mod control;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod curve;
mod device;
mod engine;
mod error;
mod facts;
#[cfg(feature = "faults")]
#[doc(hidden)]
pub mod faults;
#[cfg(not(target_family = "wasm"))]
mod free_memory;
#[cfg(any(feature = "cuda", feature = "webgpu"))]
mod gpu;
mod job;
mod msm;
pub mod packed;
mod parallel;
mod pinned;
mod platform;
pub mod random;
#[cfg(feature = "ranks")]
pub mod ranks;
mod rates;
#[cfg(any(test, feature = "any", feature = "conformance"))]
mod reference;
mod report;
#[cfg(any(feature = "any", feature = "io"))]
mod scalar_vec;
mod scalars;
#[cfg(feature = "ranks")]
pub mod scale;
#[cfg(any(feature = "any", feature = "io"))]
mod subgroup;
mod sum;
#[cfg(any(feature = "cuda", feature = "io"))]
mod temporary;
mod threads;
mod vectors;
mod verify;
mod wait;
#[cfg(feature = "webgpu")]
mod webgpu;

#[cfg(feature = "curves")]
pub use curve::named as curves;
// Unit tests do without: compiling every named curve takes longer than all of them.
#[cfg(all(feature = "any", not(test)))]
pub mod any;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "io")]
pub mod io;

/// arkworks' curves, in the version that this crate takes its types from.
///
/// ```
/// # #[cfg(feature = "curves")]
/// use bucketeer::{ark_ec::AffineRepr, curves::ark_bn254::G1Affine};
/// # #[cfg(feature = "curves")]
/// assert_eq!(bucketeer::msm(&[G1Affine::generator()], &[1u8])?, G1Affine::generator());
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[doc(no_inline)]
pub extern crate ark_ec;
/// arkworks' fields, likewise.
#[doc(no_inline)]
pub extern crate ark_ff;
/// arkworks' serialisation, likewise.
#[doc(no_inline)]
pub extern crate ark_serialize;
/// arkworks' random numbers and other helpers, likewise.
#[doc(no_inline)]
pub extern crate ark_std;

pub use bases::{Bases, BasesSlice, Batch, Builder, Sums, Ticket, msm_resident};
pub use caches::Caches;
pub use control::{CancelToken, Hook, Progress};
pub use curve::{Curve, CurveSpec, EdwardsForm, Endomorphism, Model, Weierstrass, WordField};
pub use device::Device;
pub use error::{Error, PointFault};
pub use facts::{DeviceFacts, DeviceKind};
pub use job::Job;
pub use msm::{msm, msm_batch, msm_with_report};
pub use pinned::PinnedVec;
pub use plan::Plan;
pub use rates::{Rate, Rates};
pub use report::{Report, Timings};
#[cfg(any(feature = "any", feature = "io"))]
pub use scalar_vec::ScalarVec;
pub use scalars::{AsScalars, ScalarElement, Scalars};

/// Compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Frees the working memory that CPU runs keep for later runs, and overwrites what depends on
/// scalars: decomposed scalars, digits and bucket lists.
///
/// Runs keep this memory for the life of the process, because fresh pages would cost a small MSM
/// more than its arithmetic. Active runs are not affected. Memory that was too large to keep was
/// freed without being overwritten. GPU memory is kept until the [`Device`] and all [`Bases`] on it
/// are dropped.
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

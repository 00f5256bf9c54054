//! halo2's `msm_best` on Bucketeer, for the points of halo2curves and pasta_curves.
//!
//! [`msm_best`] has the signature of halo2curves' function, [`msm`] returns errors, [`Bases`] stay
//! on a device for many MSMs. [`Resident`] makes the MSMs of an unchanged prover use bases that
//! stay on a device.
//!
//! ```
//! use bucketeer_halo2::msm_best;
//! use halo2curves::bn256::{Fr, G1, G1Affine};
//!
//! let scalars: Vec<Fr> = (0..1000).map(Fr::from).collect();
//! let sum = msm_best(&scalars, &[G1Affine::generator(); 1000]);
//! assert_eq!(sum, G1::generator() * Fr::from(499_500));
//! ```
//!
//! # Points in memory
//!
//! Points of these crates are the Montgomery words of x, then y, in memory, and scalars those of
//! their value. That is not part of their interface. So it is checked on values when a curve is
//! first used; if it is not so, points and scalars go through the public interface, which takes
//! longer and gives the same results.
//!
//! # The device
//!
//! MSMs run on one device per process: the one that [`Settings`] install, otherwise the one that
//! the environment variable `BUCKETEER_DEVICE` names (`auto`, `cpu`, `cuda:0`, `webgpu:0`, …),
//! otherwise the best there is. [`with_device`] overrides it while a closure runs. All of these are
//! those of `bucketeer-ark`.
//!
//! # Errors
//!
//! [`msm_best`] has no room for errors and **panics** with the error's text, unless
//! [`Settings::allow_cpu_fallback`] lets the CPU compute what the device could not. [`device`]
//! tells in advance whether the chosen device can be opened.
//!
//! # Trusted points
//!
//! Points are trusted to be on the curve, as halo2curves trusts them; [`Bases`] and [`Resident`]
//! check it when they are loaded. Points of bn256's second group are trusted to lie in the
//! prime-order subgroup; [`Settings::any_point`] lifts that for [`msm_best`]. Nothing here is
//! constant time.

mod bases;
mod layout;
mod msm;
mod point;
mod resident;
mod versions;

pub use bases::Bases;
pub use bucketeer::{Device, Error};
pub use bucketeer_ark::{DEVICE_VARIABLE, Settings, device, with_device};
pub use msm::{msm, msm_best};
pub use point::Point;
pub use resident::Resident;

/// Compiles and runs the README's example.
#[cfg(all(doctest, feature = "halo2curves"))]
#[doc = include_str!("../README.md")]
struct Readme;

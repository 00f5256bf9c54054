//! snarkVM's interface to GPUs, computed by Bucketeer.
//!
//! snarkVM calls a crate of this name, `snarkvm-algorithms-cuda`, if its feature `cuda` is on. This
//! one has the same functions and takes its place by `[patch.crates-io]`; `docs/snarkvm.md` in the
//! repository has the lines.
//!
//! [`msm`] runs on the device that `bucketeer_ark::device` names: the environment variable
//! `BUCKETEER_DEVICE`, otherwise the best there is, an NVIDIA GPU or the CPU. [`NTT`] and
//! [`polymul`] return an error, after which snarkVM computes on the CPU itself.
//!
//! The functions are generic without any bound, because the crate they replace casts their
//! arguments to untyped memory. Here nothing is cast unless the types are exactly snarkVM's
//! (`g1.rs`).

mod error;
mod g1;

pub use error::cuda;

use cuda::Error;

/// `Σ kᵢ·Pᵢ` over BLS12-377's first group. More points than scalars use the first points.
///
/// Types must be `G1Affine`, `G1Projective` and `BigInteger256` of snarkVM 4.12.0. Others are an
/// error, and so are fewer points than scalars and a device that fails. snarkVM computes on the CPU
/// itself after an error; `tracing` gets a warning.
pub fn msm<Affine, Projective, Scalar>(
    points: &[Affine],
    scalars: &[Scalar],
) -> Result<Projective, Error> {
    g1::msm(points, scalars).inspect_err(|error| {
        tracing::warn!(%error, "Bucketeer did not compute an MSM of snarkVM");
    })
}

/// The order of input and output of an [`NTT`]: natural or bit-reversed.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NTTInputOutputOrder {
    /// Natural to natural.
    NN = 0,
    /// Natural to reversed.
    NR = 1,
    /// Reversed to natural.
    RN = 2,
    /// Reversed to reversed.
    RR = 3,
}

/// The direction of an [`NTT`].
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NTTDirection {
    /// Coefficients to evaluations.
    Forward = 0,
    /// Evaluations to coefficients.
    Inverse = 1,
}

/// The domain of an [`NTT`].
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NTTType {
    /// The subgroup.
    Standard = 0,
    /// A coset of it.
    Coset = 1,
}

/// Not computed here: an error, with the data unchanged.
#[allow(non_snake_case)]
pub fn NTT<T>(
    _domain_size: usize,
    _inout: &mut [T],
    _ntt_order: NTTInputOutputOrder,
    _ntt_direction: NTTDirection,
    _ntt_type: NTTType,
) -> Result<(), Error> {
    Err(Error::unsupported("Bucketeer has no Fourier transforms"))
}

/// Not computed here: an error.
#[allow(clippy::ptr_arg)]
pub fn polymul<T: Clone>(
    _domain: usize,
    _polynomials: &Vec<Vec<T>>,
    _evaluations: &Vec<Vec<T>>,
    _zero: &T,
) -> Result<Vec<T>, Error> {
    Err(Error::unsupported("Bucketeer has no products of polynomials"))
}

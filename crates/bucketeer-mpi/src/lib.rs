//! [Bucketeer](bucketeer) across machines, over MPI: every MSM is shared among the ranks of a
//! communicator.
//!
//! ```no_run
//! use ark_bn254::{Fr, G1Affine};
//! use ark_ec::AffineRepr;
//! use bucketeer::Device;
//! use bucketeer_mpi::{Bases, Source};
//!
//! let universe = mpi::initialize().expect("MPI is not initialised yet");
//! let points = vec![G1Affine::generator(); 1000];
//! let bases = Bases::load(&universe.world(), Device::cpu(), Source::Slice(&points))?;
//! let sum = bases.msm(&[Fr::from(3); 1000])?;
//! # Ok::<(), bucketeer::Error>(())
//! ```
//!
//! 1. [`Mpi`] makes a communicator of MPI to one of [`bucketeer::ranks`], which shares the bases
//!    among the ranks, exchanges their sums and lets no rank wait for one that has failed.
//! 2. [`device`] makes the devices of all ranks to one [`Device`]; whatever takes a device of
//!    Bucketeer takes that one.
//! 3. [`Bases`] are on such a device. Each rank holds its share of them: a range of a slice, or of
//!    a file, of which it then reads no other part.
//!
//! **Collective calls.** All ranks make all of these calls, with the same arguments and in the same
//! order: [`Mpi::new`], [`device`], [`Bases::load`], `msm` and its variants, `msm_batch`, `submit`,
//! and `wait` of a job. Ranks that make other calls than rank 0 are an error on all of them. An
//! error of one rank — a file it cannot read, memory it does not have, a panic in its computation —
//! is [`Error::Rank`] on all of them, once the others are done with their part.
//!
//! A rank that fails between such calls says so with [`fail`]; until it does, or ends, the others
//! wait for it.

mod bases;

pub use bases::{Bases, Source};
pub use bucketeer::ranks::{agree, fail};

use std::sync::Arc;

use bucketeer::ranks::Ranks;
use bucketeer::{Device, Error};
use bucketeer_mpi_connector::Connection;
use mpi::topology::Communicator;

/// The ranks of an MPI communicator.
///
/// It must be dropped before MPI is finalised, on all ranks; later, its resources are left to MPI.
pub struct Mpi(Connection);

impl Mpi {
    /// The ranks of a communicator, which is duplicated: messages of the caller's are apart.
    /// Collective.
    ///
    /// Unless MPI was initialised with [`Serialized`](mpi::Threading::Serialized) or
    /// [`Multiple`](mpi::Threading::Multiple), only the calling thread can use it.
    pub fn new(communicator: &impl Communicator) -> Arc<Self> {
        Arc::new(Self(Connection::new(communicator)))
    }
}

impl Ranks for Mpi {
    fn rank(&self) -> usize {
        self.0.rank
    }

    fn size(&self) -> usize {
        self.0.size
    }

    fn local_rank(&self) -> usize {
        self.0.local_rank
    }

    fn local_size(&self) -> usize {
        self.0.local_size
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        self.0.all_gather(own).map_err(|reason| Error::Internal(format!("MPI: {reason}")))
    }
}

/// The devices of all ranks as one; `local` is that of this rank.
/// [`Device::named_for_rank`] gives each rank its own GPU. Collective.
pub fn device(communicator: &impl Communicator, local: Device) -> Device {
    Device::over_ranks(Mpi::new(communicator), local)
}

/// The threads of a CPU for this rank, for [`Device::cpu_with_threads`]: the processors that it may
/// run on, divided by the ranks of the machine that may run on the same. Collective.
pub fn threads_per_rank(communicator: &impl Communicator) -> Result<usize, Error> {
    let threads = bucketeer_mpi_connector::threads_per_rank(communicator);
    threads.map_err(|reason| Error::Internal(format!("MPI: {reason}")))
}

/// The README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! Bases over the ranks of a communicator.

use std::ops::Deref;
use std::sync::Arc;

use bucketeer::io::BasesFile;
use bucketeer::ranks::Ranks;
use bucketeer::{Builder, Curve, Device, Error, Scalars};
use mpi::topology::Communicator;

use crate::Mpi;

/// Where bases are loaded from.
#[derive(Clone, Copy)]
pub enum Source<'a, C> {
    /// All bases, which every rank has in memory; it loads its share of them.
    Slice(&'a [C]),
    /// A file that every rank can open; it reads and checks only its share.
    File(&'a BasesFile<C>),
}

/// Bases over the ranks of a communicator: each holds a share in proportion to its device's speed.
///
/// It is used like [`bucketeer::Bases`]: `msm`, `msm_batch`, `submit`, `slice`, … with the same
/// scalars on all ranks, of which each reads its share; `msm_of_shares` with those of its
/// [`share`](bucketeer::Bases::share) only. All ranks get the sum; all these calls are collective.
pub struct Bases<C: Curve> {
    bases: bucketeer::Bases<C>,
    ranks: Arc<Mpi>,
}

impl<C: Curve> Bases<C> {
    /// Loads bases with default settings; `local` is this rank's device. Collective.
    pub fn load(
        communicator: &impl Communicator,
        local: Device,
        source: Source<'_, C>,
    ) -> Result<Self, Error> {
        Self::load_with(&bucketeer::Bases::builder(), communicator, local, source)
    }

    /// Loads bases with settings, of which limits on memory are those of each rank. Collective.
    pub fn load_with(
        builder: &Builder<C>,
        communicator: &impl Communicator,
        local: Device,
        source: Source<'_, C>,
    ) -> Result<Self, Error> {
        let ranks = Mpi::new(communicator);
        let device = Device::over_ranks(ranks.clone(), local);
        let bases = match source {
            Source::Slice(points) => builder.load(&device, points),
            Source::File(file) => file.load(&device, builder),
        };
        Ok(Self { bases: bases?, ranks })
    }

    /// The sum on rank `root`, `None` on the others. It is as fast as `msm`: sums of ranks are a
    /// hundred bytes each, and what all ranks must know anyway is whether each of them has one.
    /// Collective.
    pub fn msm_at<'a>(
        &self,
        root: usize,
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<Option<C::Group>, Error> {
        let sum = self.bases.msm(scalars)?;
        Ok((self.ranks.rank() == root).then_some(sum))
    }

    /// The ranks.
    pub fn ranks(&self) -> &Arc<Mpi> {
        &self.ranks
    }
}

impl<C: Curve> Deref for Bases<C> {
    type Target = bucketeer::Bases<C>;

    fn deref(&self) -> &Self::Target {
        &self.bases
    }
}

//! What a GPU backend provides. The engine of all GPUs (`engine.rs`) calls it in this order:
//!
//! 1. [`Backend::load`] makes a table of bases that stay.
//! 2. [`Backend::prepare`] compiles kernels for a run, [`Backend::start`] takes a workspace for it.
//! 3. For each chunk [`Run::bases`] and [`Run::decompose`]; for each pass of the chunk
//!    [`Run::group`], [`Run::accumulate`] and, once its buckets are complete, [`Run::reduce`] and
//!    [`Run::results`]. Grouping needs no coordinates, so [`Run::load`] comes after the first group
//!    of a chunk. [`Run::end_chunk`] ends a chunk.
//! 4. [`Run::too_large`] and [`Run::finish`].
//!
//! The methods are asynchronous because WebGPU must not block a browser. CUDA's never wait in that
//! sense: they put work into streams and are ready when they return.

use std::time::Duration;

use super::{AffineSource, Chunk, Pass, Raw};
#[cfg(feature = "faults")]
use crate::faults::flips::Flip;
#[cfg(feature = "faults")]
use crate::plan::BufferKind;
use crate::plan::{GpuSchedule, Plan};
use crate::report::Timings;
use crate::{Error, WordField};

/// A GPU with the kernels of one curve in one form.
pub(crate) trait Backend: Send + Sync + Sized {
    /// Bases that stay on the device.
    type Table: Send + Sync;
    /// A run in a workspace of its own.
    type Run<'a>: Run
    where
        Self: 'a;

    /// Compiles the kernels that a schedule needs and that are not there yet; with `loads`, those
    /// that bring bases into their form too. Returns the time it took.
    async fn prepare(&self, schedule: &GpuSchedule, loads: bool) -> Result<Duration, Error>;

    /// Makes the plan's table of `plan.n` bases. Also returns the time that compiling took.
    async fn load(
        &self,
        plan: &Plan,
        bases: &dyn AffineSource,
    ) -> Result<(Self::Table, Duration), Error>;

    /// Starts a run.
    async fn start<'a>(&'a self, job: Job<'a, Self::Table>) -> Result<Self::Run<'a>, Error>;

    /// Flips a bit of the words of a table, as a fault on purpose.
    #[cfg(feature = "faults")]
    async fn flip(&self, table: &Self::Table, flip: Flip) -> Result<(), Error>;

    /// Brings field elements of the results into arkworks' Montgomery form.
    fn to_arkworks<F: WordField>(&self, _words: &mut [u64]) -> Result<(), Error> {
        Ok(())
    }
}

/// A run on a device.
pub(crate) trait Run: Sized {
    /// Bases of a chunk on the device.
    type Bases;

    /// Where the bases of a chunk are, or will be if [`load`](Self::load) brings them there.
    async fn bases(&mut self, chunk: &Chunk) -> Result<Self::Bases, Error>;

    /// Stage 1: scalars of a chunk → biased integers.
    async fn decompose(&mut self, chunk: &Chunk) -> Result<(), Error>;

    /// Stage 2: digits of a pass → for each bucket the list of its bases.
    async fn group(&mut self, chunk: &Chunk, pass: Pass, bases: &Self::Bases) -> Result<(), Error>;

    /// Brings borrowed bases to the device, unless [`bases`](Self::bases) has done so.
    async fn load(&mut self, _chunk: &Chunk) -> Result<(), Error> {
        Ok(())
    }

    /// Stage 3: lists → bucket sums; with `add`, onto what the buckets hold.
    async fn accumulate(&mut self, bases: &Self::Bases, add: bool) -> Result<(), Error>;

    /// Flips a bit of a buffer, as a fault on purpose.
    #[cfg(feature = "faults")]
    async fn flip(&mut self, buffer: BufferKind, flip: Flip) -> Result<(), Error>;

    /// Stage 4: bucket sums → the points of each set that are left for the host.
    async fn reduce(&mut self, bases: &Self::Bases) -> Result<(), Error>;

    /// The words of these points.
    async fn results(&mut self) -> Result<Vec<u64>, Error>;

    /// Ends a chunk, which may stay in flight. Returns how many scalars are done.
    async fn end_chunk(&mut self, chunk: &Chunk) -> Result<usize, Error>;

    /// The smallest index of a scalar that was not below its bound.
    async fn too_large(&mut self) -> Result<Option<usize>, Error>;

    /// Ends the run, and the time of each stage.
    async fn finish(self) -> Result<Timings, Error>;

    /// Ends a run that failed.
    async fn abandon(self) {}
}

/// Where a run's bases come from.
pub(crate) enum Points<'a, T> {
    /// A table, of which a run takes the bases from `first` on.
    Resident {
        table: &'a T,
        first: usize,
    },
    Borrowed(&'a dyn AffineSource),
}

impl<T> Clone for Points<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Points<'_, T> {}

/// The inputs of a run.
pub(crate) struct Job<'a, T> {
    pub plan: &'a Plan,
    pub schedule: &'a GpuSchedule,
    pub points: Points<'a, T>,
    pub raw: &'a Raw<'a>,
}

impl<T> Clone for Job<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Job<'_, T> {}

impl<T> Job<'_, T> {
    /// Whether there are several MSMs.
    pub(crate) fn batch(&self) -> bool {
        self.raw.parts.len() > 1
    }

    /// The place in the table of the run's first base.
    pub(crate) fn first(&self) -> usize {
        match self.points {
            Points::Resident { first, .. } => first,
            Points::Borrowed(_) => 0,
        }
    }

    /// The place in the table of a chunk's first base. MSMs over resident bases share them.
    pub(crate) fn first_base(&self, chunk: &Chunk) -> usize {
        self.first() + if self.batch() { 0 } else { chunk.range.start }
    }

    /// Bases between those of two segments.
    pub(crate) fn segment_stride(&self) -> u32 {
        match self.points {
            Points::Resident { .. } if self.batch() => 0,
            _ => self.plan.chunk as u32,
        }
    }

    /// Bytes of the points that a pass leaves to the host.
    pub(crate) fn result_bytes(&self) -> usize {
        let layout = &self.schedule.layout;
        layout.reduction.results() * 4 * layout.sum_words
    }
}

/// Stages whose time a device measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Load,
    Decompose,
    Group,
    Accumulate,
    Reduce,
}

impl Stage {
    /// Its time.
    pub(crate) fn of(self, timings: &mut Timings) -> &mut Duration {
        match self {
            Self::Load => &mut timings.load,
            Self::Decompose => &mut timings.decompose,
            Self::Group => &mut timings.group,
            Self::Accumulate => &mut timings.accumulate,
            Self::Reduce => &mut timings.reduce,
        }
    }
}

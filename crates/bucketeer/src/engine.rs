//! The seam between the library and its backends.
//!
//! A backend implements [`Engine`] for a curve. Its methods return futures because WebGPU must not
//! block a browser; a CPU and an NVIDIA GPU do the work when the future is first polled. Blocking
//! functions of the library wait for these futures in `wait.rs`.

use crate::control::Control;
#[cfg(feature = "io")]
use crate::plan::Table;
use crate::plan::{BatchPlan, Plan};
use crate::report::Timings;
use crate::sum::Sum;
use crate::wait::Pending;
use crate::{Curve, Error, Scalars};

/// Where the bases of an MSM are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Placement<'a, C> {
    /// In the caller's memory, converted chunk by chunk.
    Borrowed(&'a [C]),
    /// In the engine, since [`Engine::load`]: as many as there are scalars, from `first` on.
    Resident { first: usize },
}

/// One MSM of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Msm<'a, C: Curve> {
    pub bases: Placement<'a, C>,
    pub scalars: Scalars<'a, C::ScalarField>,
}

/// A backend, for one curve.
pub(crate) trait Engine<C: Curve>: Send + Sync {
    /// Makes the table of `points` that the plan asks for and keeps it.
    fn load<'a>(&'a mut self, plan: &'a Plan, points: &'a [C]) -> Pending<'a, Result<(), Error>>;

    /// The words of the table that was made, where they can be kept in a file.
    #[cfg(feature = "io")]
    fn table_words(&self) -> Option<&[u64]> {
        None
    }

    /// Has `read` fill a table of this many bases with its words, and keeps it.
    #[cfg(feature = "io")]
    fn restore(
        &mut self,
        _table: &Table,
        _bases: usize,
        _read: &mut dyn FnMut(&mut [u64]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Err(Error::Internal("a table from a file on a GPU".into()))
    }

    /// Carries out the plan of one MSM.
    fn run<'a>(
        &'a self,
        plan: &'a Plan,
        msm: Msm<'a, C>,
        control: &'a Control,
    ) -> Pending<'a, Result<(Sum<C>, Timings), Error>>;

    /// Carries out the plan of a batch; an error names the MSM.
    fn run_batch<'a>(
        &'a self,
        plan: &'a BatchPlan,
        msms: &'a [Msm<'a, C>],
        control: &'a Control,
    ) -> Pending<'a, Result<Vec<Sum<C>>, Error>>;
}

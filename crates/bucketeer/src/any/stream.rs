//! MSMs of a named curve over files that are larger than memory.

use std::path::Path;
use std::time::Duration;

use super::{AnySum, RunOptions};
use crate::io::{StreamPlan, StreamReport, Streamed};
use crate::{Curve, Device, Error, Timings};

/// Bases and scalars of a named curve in files; see [`Streamed`].
pub trait AnyStream: Send + Sync {
    /// How many bases there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// [`Streamed::with_checkpoint`].
    fn with_checkpoint(self: Box<Self>, folder: &Path) -> Result<Box<dyn AnyStream>, Error>;

    /// [`Streamed::bytes_in_memory`].
    fn bytes_in_memory(&self) -> u64;

    /// [`Streamed::plan`].
    fn plan(&self, device: &Device, options: &RunOptions) -> Result<StreamPlan, Error>;

    /// [`Streamed::msm_with_report`].
    fn msm_with_report(
        &self,
        device: &Device,
        options: &RunOptions,
    ) -> Result<AnyStreamReport, Error>;
}

/// A sum with the plan that produced it and the time each step took; see [`StreamReport`].
#[derive(Debug)]
#[non_exhaustive]
pub struct AnyStreamReport {
    /// The sum.
    pub sum: AnySum,
    /// The plan carried out.
    pub plan: StreamPlan,
    /// Chunks whose sums an earlier run has kept.
    pub kept: usize,
    /// Time spent waiting for the disk.
    pub wait: Duration,
    /// Time to parse and to check bases and scalars.
    pub parse: Duration,
    /// Time per stage, all chunks together.
    pub timings: Timings,
}

impl<C: Curve> AnyStream for Streamed<C> {
    fn len(&self) -> usize {
        Streamed::len(self)
    }

    fn with_checkpoint(self: Box<Self>, folder: &Path) -> Result<Box<dyn AnyStream>, Error> {
        Ok(Box::new(Streamed::with_checkpoint(*self, folder)?))
    }

    fn bytes_in_memory(&self) -> u64 {
        Streamed::bytes_in_memory(self)
    }

    fn plan(&self, device: &Device, options: &RunOptions) -> Result<StreamPlan, Error> {
        Streamed::plan(self, device, &options.builder())
    }

    fn msm_with_report(
        &self,
        device: &Device,
        options: &RunOptions,
    ) -> Result<AnyStreamReport, Error> {
        let report = Streamed::msm_with_report(self, device, &options.builder())?;
        let StreamReport { result, plan, kept, wait, parse, timings } = report;
        Ok(AnyStreamReport { sum: AnySum::new::<C>(result), plan, kept, wait, parse, timings })
    }
}

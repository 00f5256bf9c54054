//! The seam between the library and its backends.

use std::future::ready;
use std::time::Duration;

use crate::control::Control;
use crate::plan::Plan;
use crate::sum::Sum;
use crate::wait::Pending;
use crate::{Curve, Error, Scalars};

/// Where a run's bases are.
pub(crate) enum Source<'a, C> {
    /// In the caller's memory, converted chunk by chunk.
    Borrowed(&'a [C]),
    /// In the engine, since [`Engine::load`].
    Resident,
}

/// A backend, for one curve.
pub(crate) trait Engine<C: Curve>: Send + Sync {
    /// Makes the table of `points` that the plan asks for and keeps it.
    fn load(&mut self, plan: &Plan, points: &[C]) -> Result<(), Error>;

    /// Carries out a plan.
    fn run(
        &self,
        plan: &Plan,
        source: Source<'_, C>,
        scalars: &Scalars<'_, C::ScalarField>,
        control: &Control,
    ) -> Result<(Sum<C>, Timings), Error>;

    /// Carries out a plan for a batch: over the resident bases, or over borrowed ones of which each MSM has
    /// `plan.n` of its own, one after the other. `None` if the engine is better off with one MSM at a
    /// time.
    fn run_batch(
        &self,
        _plan: &Plan,
        _source: Source<'_, C>,
        _batch: &[Scalars<'_, C::ScalarField>],
        _control: &Control,
    ) -> Option<Result<Vec<Sum<C>>, Error>> {
        None
    }

    /// [`load`](Self::load) for engines that must be waited for.
    fn load_async<'a>(
        &'a mut self,
        plan: &'a Plan,
        points: &'a [C],
    ) -> Pending<'a, Result<(), Error>> {
        Box::pin(ready(self.load(plan, points)))
    }

    /// [`run`](Self::run) for engines that must be waited for.
    fn run_async<'a>(
        &'a self,
        plan: &'a Plan,
        source: Source<'a, C>,
        scalars: &'a Scalars<'a, C::ScalarField>,
        control: &'a Control,
    ) -> Pending<'a, Result<(Sum<C>, Timings), Error>> {
        Box::pin(ready(self.run(plan, source, scalars, control)))
    }

    /// [`run_batch`](Self::run_batch) for engines that must be waited for.
    fn run_batch_async<'a>(
        &'a self,
        plan: &'a Plan,
        source: Source<'a, C>,
        batch: &'a [Scalars<'a, C::ScalarField>],
        control: &'a Control,
    ) -> Option<Pending<'a, Result<Vec<Sum<C>>, Error>>> {
        Some(Box::pin(ready(self.run_batch(plan, source, batch, control)?)))
    }
}

/// Wall-clock time of each stage of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timings {
    /// Kernels compiled for a GPU, where they were not in the cache.
    pub compile: Duration,
    /// Bases brought into the device's form, where they were not resident.
    pub load: Duration,
    /// Scalars to digits.
    pub decompose: Duration,
    /// Digits to lists.
    pub group: Duration,
    /// Lists to bucket sums.
    pub accumulate: Duration,
    /// Bucket sums to window points.
    pub reduce: Duration,
    /// Window points to the result.
    pub combine: Duration,
}

impl Timings {
    /// The stages by name, in order.
    pub fn stages(&self) -> [(&'static str, Duration); 7] {
        [
            ("compile", self.compile),
            ("load", self.load),
            ("decompose", self.decompose),
            ("group", self.group),
            ("accumulate", self.accumulate),
            ("reduce", self.reduce),
            ("combine", self.combine),
        ]
    }

    /// Adds the stages of passes that ran side by side for as long as `wall`, in proportion to what each took.
    pub(crate) fn share(&mut self, wall: Duration, passes: &[Self]) {
        let total = |stage: fn(&Self) -> Duration| -> f64 {
            passes.iter().map(|pass| stage(pass).as_secs_f64()).sum()
        };
        let (group, accumulate) = (total(|pass| pass.group), total(|pass| pass.accumulate));
        let reduce = total(|pass| pass.reduce);
        let all = (group + accumulate + reduce).max(f64::MIN_POSITIVE);
        self.group += wall.mul_f64(group / all);
        self.accumulate += wall.mul_f64(accumulate / all);
        self.reduce += wall.mul_f64(reduce / all);
    }

    /// The longer of each stage, for runs side by side.
    pub(crate) fn max(&self, other: &Self) -> Self {
        Self {
            compile: self.compile.max(other.compile),
            load: self.load.max(other.load),
            decompose: self.decompose.max(other.decompose),
            group: self.group.max(other.group),
            accumulate: self.accumulate.max(other.accumulate),
            reduce: self.reduce.max(other.reduce),
            combine: self.combine.max(other.combine),
        }
    }

    /// All stages together.
    pub fn total(&self) -> Duration {
        self.stages().iter().map(|(_, duration)| *duration).sum()
    }
}

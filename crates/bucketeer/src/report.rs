//! Reports: a result with its plan and timings.

use std::time::Duration;

use crate::plan::Choice;
use crate::{Curve, Plan};

/// A result with the plan that produced it and the time each stage took.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report<C: Curve> {
    /// The sum.
    pub result: C::Group,
    /// The plan carried out.
    pub plan: Plan,
    /// Time per stage.
    pub timings: Timings,
    /// How the device was chosen, where the caller named none and there were several.
    pub choice: Option<Choice>,
}

/// Wall-clock time of each stage of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timings {
    /// Compilation of GPU kernels that were not in the cache.
    pub compile: Duration,
    /// Conversion of bases to the device's form, if they were not resident.
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

    /// Times of the stages in the order of [`stages`](Self::stages).
    #[cfg(feature = "ranks")]
    pub(crate) fn of_stages(times: [Duration; 7]) -> Self {
        let [compile, load, decompose, group, accumulate, reduce, combine] = times;
        Self { compile, load, decompose, group, accumulate, reduce, combine }
    }

    /// Adds the wall time of concurrent passes, split by the time that passes spent in each stage.
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

    /// The time of both, for runs one after the other.
    #[cfg(feature = "io")]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self {
            compile: self.compile + other.compile,
            load: self.load + other.load,
            decompose: self.decompose + other.decompose,
            group: self.group + other.group,
            accumulate: self.accumulate + other.accumulate,
            reduce: self.reduce + other.reduce,
            combine: self.combine + other.combine,
        }
    }

    /// The longer of each stage, for concurrent runs.
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

//! A sum, with what is known of how it came about.

use std::time::Duration;

use bucketeer::any::{AnyCurve, AnyReport, AnyShare, Coordinates};
use bucketeer::{Plan, Timings};
use wasm_bindgen::prelude::*;

/// The result of an MSM.
#[wasm_bindgen(getter_with_clone)]
pub struct Outcome {
    /// x as little-endian bytes; nothing at infinity.
    pub x: Option<Vec<u8>>,
    /// y likewise.
    pub y: Option<Vec<u8>>,
    /// Instead of both, the sum of a share: bytes for `totalOf`.
    pub share: Option<Vec<u8>>,
    /// Milliseconds in all.
    pub milliseconds: f64,
    /// Milliseconds of each stage, in the order of `stages`.
    pub timings: Vec<f64>,
    /// The names of the stages.
    pub stages: Vec<String>,
    /// The plan in words.
    pub plan: String,
}

impl Outcome {
    pub(crate) fn of(curve: &dyn AnyCurve, report: &AnyReport, total: Duration) -> Self {
        let point = Self::of_point(curve, report.sum.coordinates());
        point.timed(&report.plan, &report.timings, total)
    }

    /// Of bases that are a share of those of an MSM.
    pub(crate) fn of_share(share: AnyShare, total: Duration) -> Self {
        Self::of_bytes(share.sum).timed(&share.plan, &share.timings, total)
    }

    fn timed(self, plan: &Plan, timings: &Timings, total: Duration) -> Self {
        let stages = timings.stages();
        Self {
            milliseconds: 1e3 * total.as_secs_f64(),
            timings: stages.iter().map(|(_, time)| 1e3 * time.as_secs_f64()).collect(),
            stages: stages.iter().map(|(name, _)| (*name).into()).collect(),
            plan: plan.to_string(),
            ..self
        }
    }

    /// A sum that came about without a plan.
    pub(crate) fn of_point(curve: &dyn AnyCurve, sum: Coordinates) -> Self {
        let [x, y] = curve.layout().to_bytes(&sum).map_or([None, None], |xy| xy.map(Some));
        Self { x, y, ..Self::empty() }
    }

    /// The sum of a share that came about without a plan of its own.
    pub(crate) fn of_bytes(share: Vec<u8>) -> Self {
        Self { share: Some(share), ..Self::empty() }
    }

    fn empty() -> Self {
        let (timings, stages, plan) = (Vec::new(), Vec::new(), String::new());
        Self { x: None, y: None, share: None, milliseconds: 0.0, timings, stages, plan }
    }
}

//! A sum, with what is known of how it came about.

use std::time::Duration;

use bucketeer::any::{AnyCurve, AnyReport, Coordinates};
use wasm_bindgen::prelude::*;

/// The result of an MSM.
#[wasm_bindgen(getter_with_clone)]
pub struct Outcome {
    /// x as little-endian bytes; nothing at infinity.
    pub x: Option<Vec<u8>>,
    /// y likewise.
    pub y: Option<Vec<u8>>,
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
        let stages = report.timings.stages();
        Self {
            milliseconds: 1e3 * total.as_secs_f64(),
            timings: stages.iter().map(|(_, time)| 1e3 * time.as_secs_f64()).collect(),
            stages: stages.iter().map(|(name, _)| (*name).into()).collect(),
            plan: report.plan.to_string(),
            ..Self::of_point(curve, report.sum.coordinates())
        }
    }

    /// A sum that came about without a plan.
    pub(crate) fn of_point(curve: &dyn AnyCurve, sum: Coordinates) -> Self {
        let [x, y] = curve.layout().to_bytes(&sum).map_or([None, None], |xy| xy.map(Some));
        let (timings, stages) = (Vec::new(), Vec::new());
        Self { x, y, milliseconds: 0.0, timings, stages, plan: String::new() }
    }
}

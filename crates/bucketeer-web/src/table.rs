//! The conformance table on a device.

use bucketeer::conformance::{self, CaseResult, Filter};
use bucketeer::curves::NamedCurve;
use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

use crate::failure::Failure;
use crate::processor::Processor;

#[wasm_bindgen]
impl Processor {
    /// Runs the conformance table on one curve, or all. `report` gets curve, row group, cases
    /// passed and an array of the failed ones; the sum of both is returned.
    pub async fn conformance(
        &self,
        curve: Option<String>,
        quick: bool,
        report: Function,
    ) -> Result<Vec<usize>, JsValue> {
        let curve =
            curve.map(|name| NamedCurve::named(&name)).transpose().map_err(Failure::from)?;
        let filter = Filter { curve, quick, ..Filter::default() };
        let mut report = |row: &CaseResult| {
            let failed: Array = row.failed.iter().map(JsValue::from).collect();
            let cells: [JsValue; 4] =
                [row.curve.into(), (&row.group).into(), row.passed.into(), failed.into()];
            let cells: Array = cells.iter().collect();
            // A listener that throws does not change what the table finds.
            drop(report.apply(&JsValue::NULL, &cells));
        };
        let summary = conformance::run_async(&self.0, &filter, &mut report).await;
        Ok(vec![summary.passed, summary.failed])
    }
}

//! Plans: what a run does and how much memory it takes.

use bucketeer::Error;
use bucketeer::plan::Request;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::call;
use crate::curve::Facts;
use crate::device::Device;
use crate::options::{Precompute, run_options};

/// Every decision of a run; `str(plan)` explains them.
#[pyclass(frozen, module = "bucketeer")]
pub struct Plan(pub bucketeer::Plan);

#[pymethods]
impl Plan {
    /// The most that a run allocates beyond its inputs, table included.
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// Bytes of the bases on the device, with their precomputed multiples.
    #[getter]
    fn table_bytes(&self) -> u64 {
        self.0.table_bytes()
    }

    /// Bytes of each buffer.
    #[getter]
    fn buffers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let buffers = PyDict::new(py);
        for buffer in &self.0.buffers {
            buffers.set_item(buffer.name, buffer.bytes)?;
        }
        Ok(buffers)
    }

    /// Predicted time of a run.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.cost.nanoseconds / 1e9
    }

    /// Bits of a window.
    #[getter]
    fn window_bits(&self) -> u32 {
        self.0.shape.window_bits
    }

    /// Shifted copies of each base.
    #[getter]
    fn precompute(&self) -> u32 {
        self.0.shape.precompute
    }

    /// Whether the bases stay on the device; they do not where their table is too large.
    #[getter]
    fn resident(&self) -> bool {
        self.0.resident
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Plan for {} bases: {} bytes>", self.0.n, self.0.bytes())
    }
}

/// What MSMs over `n` bases would do and how much memory they would take, without loading anything.
/// `resident=False`: one MSM over points that are not kept.
#[pyfunction]
#[pyo3(signature = (
    curve, n, *, device = None, batch = 1, resident = true, precompute = None, window_bits = None,
    memory_limit = None, any_point = false,
))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn plan(
    py: Python<'_>,
    curve: &str,
    n: usize,
    device: Option<&Bound<'_, PyAny>>,
    batch: usize,
    resident: bool,
    precompute: Option<Precompute>,
    window_bits: Option<u32>,
    memory_limit: Option<u64>,
    any_point: bool,
) -> PyResult<Plan> {
    let (curve, device) = (Facts::named(py, curve)?, Device::of(py, device)?);
    let options = run_options(precompute, window_bits, memory_limit, any_point);
    call(py, || {
        let request =
            Request::new(&curve.spec, n, device.facts()).batch(batch).settings(&options.settings);
        let plan = bucketeer::Plan::new(&request.clone().resident(resident));
        // As bases are loaded: without a table where it does not fit.
        plan.or_else(|error| match error {
            Error::OutOfMemory { .. } if resident => bucketeer::Plan::new(&request),
            other => Err(other),
        })
    })
    .map(Plan)
}

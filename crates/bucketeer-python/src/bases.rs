//! Bases on a device, and MSMs over them.

use std::sync::Arc;

use bucketeer::any::AnyBases;
use pyo3::prelude::*;

use crate::call::call;
use crate::curve::Facts;
use crate::device::Device;
use crate::job::Job;
use crate::options::{Check, Form, Precompute, run_options};
use crate::plan::Plan;
use crate::point::Point;
use crate::points::Points;
use crate::scalars::Scalars;

/// Points on a device, for many MSMs.
///
/// `points`: memory with a point in each row or with adjacent points, whose coordinates are in
/// `form` ("little-endian" by default), or a sequence of pairs (x, y), `Point` and `None`.
/// `device`: a `Device` or its name; the best one by default.
/// `check`: that points are on the "curve" or in its "subgroup" of prime order; "none" trusts.
/// `any_point`: right sums also for points outside that subgroup, a little slower.
/// `precompute`: shifted copies of each base to store, or "auto": slower to load, faster to run.
/// `window_bits`: bits of a window, 1 to 26. `memory_limit`: most bytes beyond the inputs.
/// `verify`: every run verifies its sums by a second computation; `VerificationFailed` if not.
#[pyclass(frozen, module = "bucketeer")]
pub struct Bases {
    curve: Arc<Facts>,
    device: bucketeer::Device,
    bases: Box<dyn AnyBases>,
}

#[pymethods]
impl Bases {
    #[new]
    #[pyo3(signature = (
        curve, points, *, device = None, form = None, check = "curve", any_point = false,
        precompute = None, window_bits = None, memory_limit = None, verify = false,
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        curve: &str,
        points: &Bound<'_, PyAny>,
        device: Option<&Bound<'_, PyAny>>,
        form: Option<&str>,
        check: &str,
        any_point: bool,
        precompute: Option<Precompute>,
        window_bits: Option<u32>,
        memory_limit: Option<u64>,
        verify: bool,
    ) -> PyResult<Self> {
        let (curve, device) = (Facts::named(py, curve)?, Device::of(py, device)?);
        let points = Points::new(points, Form::given(form)?, &curve)?;
        let check = Check::named(check)?;
        let mut options = run_options(precompute, window_bits, memory_limit, any_point);
        options.settings.verify = verify;
        let bases = call(py, || {
            let points = check.unpack(&curve, &points)?;
            points.load(&device, points.len(), &options)
        })?;
        Ok(Self { curve, device, bases })
    }

    fn __len__(&self) -> usize {
        self.bases.len()
    }

    /// Name of the curve.
    #[getter]
    fn curve(&self) -> &'static str {
        self.curve.name()
    }

    /// Where the bases are.
    #[getter]
    fn device(&self) -> Device {
        Device(self.device.clone())
    }

    /// The plan of one MSM over all bases.
    #[getter]
    fn plan(&self) -> Plan {
        Plan(self.bases.plan().clone())
    }

    /// The sum of the products of scalars and bases, from base `first` on.
    ///
    /// Without a `form`:
    ///
    /// - a one-dimensional array of integers or booleans has a scalar in each item;
    /// - an array of more dimensions has a little-endian scalar in each row;
    /// - `bytes` and other buffers of single bytes have adjacent little-endian scalars;
    /// - a sequence of Python's integers, which may be negative or above the order, is itself.
    ///
    /// With one, the memory of any array or buffer has scalars in this form, in rows or adjacent.
    /// Such scalars must be below the order. Fewer scalars than bases use the first bases.
    #[pyo3(signature = (scalars, *, first = 0, form = None))]
    fn msm(
        &self,
        py: Python<'_>,
        scalars: &Bound<'_, PyAny>,
        first: usize,
        form: Option<&str>,
    ) -> PyResult<Point> {
        let scalars = Scalars::new(scalars, Form::given(form)?, &self.curve)?;
        let report = call(py, || self.bases.msm_packed(first, &scalars.packed()))?;
        Point::new(&self.curve, report.sum, Some(report.timings))
    }

    /// One sum for each scalars of `batch`. Their numbers may differ.
    #[pyo3(signature = (batch, *, first = 0, form = None))]
    fn msm_batch(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        first: usize,
        form: Option<&str>,
    ) -> PyResult<Vec<Point>> {
        let form = Form::given(form)?;
        let batch = batch.try_iter()?.map(|item| Scalars::new(&item?, form, &self.curve));
        let batch = batch.collect::<PyResult<Vec<_>>>()?;
        let sums = call(py, || {
            let packed: Vec<_> = batch.iter().map(Scalars::packed).collect();
            self.bases.msm_batch_packed(first, &packed)
        })?;
        sums.into_iter().map(|sum| Point::new(&self.curve, sum, None)).collect()
    }

    /// An MSM in the background. The scalars are copied.
    #[pyo3(signature = (scalars, *, first = 0, form = None))]
    fn submit(
        &self,
        py: Python<'_>,
        scalars: &Bound<'_, PyAny>,
        first: usize,
        form: Option<&str>,
    ) -> PyResult<Job> {
        let scalars = Scalars::new(scalars, Form::given(form)?, &self.curve)?;
        let job = call(py, || self.bases.submit_packed(first, &scalars.packed()))?;
        Ok(Job::new(&self.curve, job))
    }

    fn __repr__(&self) -> String {
        let (n, curve) = (self.bases.len(), self.curve.name());
        format!("<Bases: {n} of {curve} on {}>", self.device)
    }
}

/// One MSM over points that are not kept. `form` is that of the points; arguments are those of
/// `Bases` and `Bases.msm`.
#[pyfunction]
#[pyo3(signature = (
    curve, points, scalars, *, device = None, form = None, scalar_form = None,
    check = "curve", any_point = false, window_bits = None, memory_limit = None, verify = false,
))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn msm(
    py: Python<'_>,
    curve: &str,
    points: &Bound<'_, PyAny>,
    scalars: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    form: Option<&str>,
    scalar_form: Option<&str>,
    check: &str,
    any_point: bool,
    window_bits: Option<u32>,
    memory_limit: Option<u64>,
    verify: bool,
) -> PyResult<Point> {
    let (curve, device) = (Facts::named(py, curve)?, Device::of(py, device)?);
    let points = Points::new(points, Form::given(form)?, &curve)?;
    let scalars = Scalars::new(scalars, Form::given(scalar_form)?, &curve)?;
    let check = Check::named(check)?;
    let mut options = run_options(None, window_bits, memory_limit, any_point);
    options.settings.verify = verify;
    let report = call(py, || {
        check.unpack(&curve, &points)?.msm_packed(&device, &options, &scalars.packed())
    })?;
    Point::new(&curve, report.sum, Some(report.timings))
}

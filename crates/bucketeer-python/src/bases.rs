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
        curve, points, *, device = None, form = None, check = Check::Curve, any_point = false,
        precompute = None, window_bits = None, memory_limit = None,
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        curve: &str,
        points: &Bound<'_, PyAny>,
        device: Option<&Bound<'_, PyAny>>,
        form: Option<Form>,
        check: Check,
        any_point: bool,
        precompute: Option<Precompute>,
        window_bits: Option<u32>,
        memory_limit: Option<u64>,
    ) -> PyResult<Self> {
        let (curve, device) = (Facts::named(py, curve)?, Device::of(py, device)?);
        let points = Points::new(points, form, &curve)?;
        let options = run_options(precompute, window_bits, memory_limit, any_point);
        let bases = call(py, || {
            let points = check.unpack(&curve, &points)?;
            points.load(&device, points.len(), &options)
        })?;
        Ok(Self { curve, device, bases })
    }

    fn __len__(&self) -> usize {
        self.bases.len()
    }

    #[getter]
    fn curve(&self) -> &'static str {
        self.curve.name()
    }

    #[getter]
    fn device(&self) -> Device {
        Device(self.device.clone())
    }

    #[getter]
    fn plan(&self) -> Plan {
        Plan(self.bases.plan().clone())
    }

    #[pyo3(signature = (scalars, *, first = 0, form = None))]
    fn msm(
        &self,
        py: Python<'_>,
        scalars: &Bound<'_, PyAny>,
        first: usize,
        form: Option<Form>,
    ) -> PyResult<Point> {
        let scalars = Scalars::new(scalars, form, &self.curve)?;
        let report = call(py, || self.bases.msm_packed(first, &scalars.packed()))?;
        Point::new(&self.curve, report.sum, Some(report.timings))
    }

    #[pyo3(signature = (batch, *, first = 0, form = None))]
    fn msm_batch(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        first: usize,
        form: Option<Form>,
    ) -> PyResult<Vec<Point>> {
        let batch = batch.try_iter()?.map(|item| Scalars::new(&item?, form, &self.curve));
        let batch = batch.collect::<PyResult<Vec<_>>>()?;
        let sums = call(py, || {
            let packed: Vec<_> = batch.iter().map(Scalars::packed).collect();
            self.bases.msm_batch_packed(first, &packed)
        })?;
        sums.into_iter().map(|sum| Point::new(&self.curve, sum, None)).collect()
    }

    #[pyo3(signature = (scalars, *, first = 0, form = None))]
    fn submit(
        &self,
        py: Python<'_>,
        scalars: &Bound<'_, PyAny>,
        first: usize,
        form: Option<Form>,
    ) -> PyResult<Job> {
        let scalars = Scalars::new(scalars, form, &self.curve)?;
        let job = call(py, || self.bases.submit_packed(first, &scalars.packed()))?;
        Ok(Job::new(&self.curve, job))
    }

    fn __repr__(&self) -> String {
        let (n, curve) = (self.bases.len(), self.curve.name());
        format!("<Bases: {n} of {curve} on {}>", self.device)
    }
}

/// One MSM over points that are not kept.
#[pyfunction]
#[pyo3(signature = (
    curve, points, scalars, *, device = None, form = None, scalar_form = None,
    check = Check::Curve, any_point = false, window_bits = None, memory_limit = None,
))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn msm(
    py: Python<'_>,
    curve: &str,
    points: &Bound<'_, PyAny>,
    scalars: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    form: Option<Form>,
    scalar_form: Option<Form>,
    check: Check,
    any_point: bool,
    window_bits: Option<u32>,
    memory_limit: Option<u64>,
) -> PyResult<Point> {
    let (curve, device) = (Facts::named(py, curve)?, Device::of(py, device)?);
    let points = Points::new(points, form, &curve)?;
    let scalars = Scalars::new(scalars, scalar_form, &curve)?;
    let options = run_options(None, window_bits, memory_limit, any_point);
    let report = call(py, || {
        check.unpack(&curve, &points)?.msm_packed(&device, &options, &scalars.packed())
    })?;
    Point::new(&curve, report.sum, Some(report.timings))
}

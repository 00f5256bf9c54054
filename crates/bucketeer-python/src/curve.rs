//! Named curves.

use std::sync::Arc;

use bucketeer::CurveSpec;
use bucketeer::any::{AnyCurve, Layout};
use bucketeer::curves::{CURVES, NamedCurve};
use num_bigint::BigUint;
use pyo3::prelude::*;

use crate::call::call;

/// What is known of a curve, shared by everything on it.
pub struct Facts {
    /// Its functions.
    pub any: Box<dyn AnyCurve>,
    /// Sizes of its points and scalars.
    pub layout: Layout,
    /// What a plan needs to know of it.
    pub spec: Arc<CurveSpec>,
}

impl Facts {
    /// The curve with this name.
    pub fn named(py: Python<'_>, name: &str) -> PyResult<Arc<Self>> {
        call(py, || {
            let any = NamedCurve::named(name)?.any();
            let (layout, spec) = (any.layout(), any.spec());
            Ok(Arc::new(Self { any, layout, spec }))
        })
    }

    /// Its full name.
    pub fn name(&self) -> &'static str {
        self.any.named().name
    }
}

/// A named curve. Case, hyphens and underscores of the name do not matter.
#[pyclass(frozen, module = "bucketeer")]
pub struct Curve(Arc<Facts>);

#[pymethods]
impl Curve {
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        Facts::named(py, name).map(Self)
    }

    /// Full name.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Prime order of the group: scalars are integers modulo it.
    #[getter]
    fn order(&self) -> BigUint {
        self.0.spec.order.clone()
    }

    /// Characteristic of the field of coordinates.
    #[getter]
    fn modulus(&self) -> BigUint {
        self.0.spec.modulus.clone()
    }

    /// Bytes of a packed point.
    #[getter]
    fn point_bytes(&self) -> usize {
        self.0.layout.point()
    }

    /// Bytes of a packed scalar.
    #[getter]
    fn scalar_bytes(&self) -> usize {
        self.0.layout.scalar
    }

    fn __repr__(&self) -> String {
        format!("Curve(\"{}\")", self.name())
    }
}

/// The names of all curves.
#[pyfunction]
pub fn curves() -> Vec<&'static str> {
    CURVES.iter().map(|curve| curve.name).collect()
}

//! Sums, with coordinates as Python's integers.

use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use bucketeer::any::{AnySum, Coordinates};
use bucketeer::{Error, Timings};
use num_bigint::BigUint;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::call::{call, exception, invalid};
use crate::curve::Facts;
use crate::options::Form;

/// The sum of an MSM. Points are equal if their curves and coordinates are.
#[pyclass(frozen, eq, hash, module = "bucketeer")]
#[derive(PartialEq, Hash)]
pub struct Point(pub Arc<Sum>);

/// A sum. Its affine coordinates, which take an inversion, are computed when they are needed.
pub struct Sum {
    curve: Arc<Facts>,
    sum: AnySum,
    coordinates: OnceLock<Coordinates>,
    timings: Option<Timings>,
}

impl Point {
    /// The sum of a run; `timings` where they are known.
    pub fn new(curve: &Arc<Facts>, sum: AnySum, timings: Option<Timings>) -> PyResult<Self> {
        Sum::new(curve, sum, timings).map(Arc::new).map(Self).map_err(exception)
    }
}

impl Sum {
    /// The sum of a run; `timings` where they are known.
    pub fn new(curve: &Arc<Facts>, sum: AnySum, timings: Option<Timings>) -> Result<Self, Error> {
        let sum = Self { curve: curve.clone(), sum, coordinates: OnceLock::new(), timings };
        // Only Edwards curves have sums without affine coordinates.
        if curve.layout.edwards && *sum.coordinates() == Coordinates::None {
            return Err(Error::NotRepresentable);
        }
        Ok(sum)
    }

    fn coordinates(&self) -> &Coordinates {
        self.coordinates.get_or_init(|| self.sum.coordinates())
    }

    /// Writes it as a packed point of `curve`, with little-endian coordinates.
    pub fn write(&self, curve: &Facts, index: usize, out: &mut [u8]) -> PyResult<()> {
        if curve.name() != self.curve.name() {
            let (own, other) = (self.curve.name(), curve.name());
            return Err(invalid(format!("point {index} is of {own}, not of {other}")));
        }
        self.sum.write(Form::LittleEndian.representation(), out).map_err(exception)
    }

    /// A coordinate: an integer, or a pair of them over a quadratic extension.
    fn coordinate<'py>(
        &self,
        py: Python<'py>,
        choose: for<'a> fn(&'a [BigUint], &'a [BigUint]) -> &'a [BigUint],
        neutral: u32,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let parts = match self.coordinates() {
            Coordinates::Affine { x, y } => choose(x, y),
            Coordinates::Identity if self.curve.layout.edwards => &[BigUint::from(neutral)],
            Coordinates::Identity | Coordinates::None => return Ok(None),
        };
        Ok(Some(match parts {
            [one] => one.into_pyobject(py)?.into_any(),
            parts => PyTuple::new(py, parts)?.into_any(),
        }))
    }
}

impl PartialEq for Sum {
    fn eq(&self, other: &Self) -> bool {
        self.curve.name() == other.curve.name()
            && self.coordinates().agree_with(other.coordinates())
    }
}

impl Hash for Sum {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.curve.name().hash(state);
        if let Coordinates::Affine { x, y } = self.coordinates() {
            (x, y).hash(state);
        }
    }
}

#[pymethods]
impl Point {
    /// Name of the curve.
    #[getter]
    fn curve(&self) -> &'static str {
        self.0.curve.name()
    }

    /// The coordinate x, a pair over a quadratic extension; `None` at infinity.
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.coordinate(py, |x, _| x, 0)
    }

    /// The coordinate y, a pair over a quadratic extension; `None` at infinity.
    #[getter]
    fn y<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.coordinate(py, |_, y| y, 1)
    }

    /// Whether it is the neutral element: infinity, or (0, 1) on an Edwards curve.
    #[getter]
    fn is_infinity(&self) -> bool {
        *self.0.coordinates() == Coordinates::Identity
    }

    /// x, then y; all zeros at infinity.
    #[pyo3(signature = (form = "little-endian"))]
    fn to_bytes<'py>(&self, py: Python<'py>, form: &str) -> PyResult<Bound<'py, PyBytes>> {
        let representation = Form::named(form)?.representation();
        let mut bytes = vec![0; self.0.curve.layout.point()];
        call(py, || self.0.sum.write(representation, &mut bytes))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Seconds in each stage of the run that made it; empty after a batch.
    #[getter]
    fn timings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let timings = PyDict::new(py);
        for (stage, time) in self.0.timings.iter().flat_map(Timings::stages) {
            timings.set_item(stage, time.as_secs_f64())?;
        }
        Ok(timings)
    }

    fn __repr__(&self) -> String {
        let mut text = format!("Point(\"{}\"", self.0.curve.name());
        let coordinate = |parts: &[BigUint]| {
            let parts: Vec<_> = parts.iter().map(|part| format!("{part:#x}")).collect();
            match &parts[..] {
                [one] => one.clone(),
                parts => format!("({})", parts.join(", ")),
            }
        };
        let written = match self.0.coordinates() {
            Coordinates::Affine { x, y } => {
                write!(text, ", x={}, y={})", coordinate(x), coordinate(y))
            }
            Coordinates::Identity if self.0.curve.layout.edwards => {
                text.write_str(", x=0x0, y=0x1)")
            }
            Coordinates::Identity | Coordinates::None => text.write_str(", infinity)"),
        };
        // Writing to a string does not fail.
        written.map_or_else(|_| String::new(), |()| text)
    }
}

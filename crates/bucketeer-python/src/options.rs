//! Arguments that several functions share.

use bucketeer::any::{AnyPoints, RunOptions};
use bucketeer::packed::Representation;
use bucketeer::plan::Settings;
use bucketeer::{Error, PointFault};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::call::invalid;
use crate::curve::Facts;
use crate::points::Points;

/// How the bytes of coordinates and residues are integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Montgomery form, lowest byte first.
    Montgomery,
    /// The value, lowest byte first.
    LittleEndian,
    /// The value, highest byte first.
    BigEndian,
}

impl Form {
    /// The library's name of it.
    pub fn representation(self) -> Representation {
        match self {
            Self::Montgomery => Representation::Montgomery,
            Self::LittleEndian => Representation::LittleEndian,
            Self::BigEndian => Representation::BigEndian,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Form {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        one_of(
            &object,
            "form",
            &[
                ("montgomery", Self::Montgomery),
                ("little-endian", Self::LittleEndian),
                ("big-endian", Self::BigEndian),
            ],
        )
    }
}

/// What is checked of points before they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// That they are on the curve.
    Curve,
    /// That they are in its subgroup of prime order as well.
    Subgroup,
    /// Nothing.
    Nothing,
}

impl<'py> FromPyObject<'_, 'py> for Check {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let names = [("curve", Self::Curve), ("subgroup", Self::Subgroup), ("none", Self::Nothing)];
        one_of(&object, "check", &names)
    }
}

impl Check {
    /// The points for the library, checked.
    pub fn unpack(self, curve: &Facts, points: &Points) -> Result<Box<dyn AnyPoints>, Error> {
        let packed = points.packed();
        let points = match self {
            Self::Nothing => curve.any.unpack_points(&packed.trusted())?,
            Self::Curve | Self::Subgroup => curve.any.unpack_points(&packed)?,
        };
        if self == Self::Subgroup {
            let mut seed = [0; 32];
            getrandom::fill(&mut seed).map_err(|error| Error::Internal(error.to_string()))?;
            if let Some(index) = points.first_outside(Some(seed)) {
                return Err(Error::InvalidBase { index, reason: PointFault::NotInSubgroup });
            }
        }
        Ok(points)
    }
}

/// The value with this name.
fn one_of<T: Copy>(object: &Bound<'_, PyAny>, what: &str, names: &[(&str, T)]) -> PyResult<T> {
    let Ok(name) = object.cast::<PyString>() else {
        let kind = object.get_type();
        return Err(PyTypeError::new_err(format!("{what}: expected a str, not {kind}")));
    };
    let name = name.to_cow()?;
    let found = names.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<_> = names.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        invalid(format!("{what}: expected one of {}", names.join(", ")))
    })
}

/// The number of shifted copies of each base.
pub enum Precompute {
    /// As the plan chooses.
    Auto,
    /// This many.
    Copies(u32),
}

impl<'py> FromPyObject<'_, 'py> for Precompute {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(_) => one_of(&object, "precompute", &[("auto", ())]).map(|()| Self::Auto),
            Err(_) => object.extract().map(Self::Copies),
        }
    }
}

/// The options of a run.
pub fn run_options(
    precompute: Option<Precompute>,
    window_bits: Option<u32>,
    memory_limit: Option<u64>,
    any_point: bool,
) -> RunOptions {
    let mut settings = Settings::default();
    match precompute {
        Some(Precompute::Auto) => settings.auto_precompute = true,
        Some(Precompute::Copies(copies)) => settings.precompute = Some(copies),
        None => {}
    }
    settings.window_bits = window_bits;
    settings.memory_limit = memory_limit;
    settings.any_point = any_point;
    RunOptions { settings, hook: None }
}

//! Arguments that several functions share.

use bucketeer::any::{AnyPoints, RunOptions};
use bucketeer::packed::Representation;
use bucketeer::plan::Settings;
use bucketeer::{Error, PointFault};
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

impl Form {
    const NAMES: [(&'static str, Self); 3] = [
        ("montgomery", Self::Montgomery),
        ("little-endian", Self::LittleEndian),
        ("big-endian", Self::BigEndian),
    ];

    /// The form with this name.
    pub fn named(name: &str) -> PyResult<Self> {
        one_of(name, "form", &Self::NAMES)
    }

    /// The form with this name, if there is a name.
    pub fn given(name: Option<&str>) -> PyResult<Option<Self>> {
        name.map(Self::named).transpose()
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

impl Check {
    /// The check with this name.
    pub fn named(name: &str) -> PyResult<Self> {
        let names = [("curve", Self::Curve), ("subgroup", Self::Subgroup), ("none", Self::Nothing)];
        one_of(name, "check", &names)
    }

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
fn one_of<T: Copy>(name: &str, what: &str, names: &[(&str, T)]) -> PyResult<T> {
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
            Ok(name) if name.to_cow()? == "auto" => Ok(Self::Auto),
            Ok(_) => Err(invalid("precompute: expected an integer or \"auto\"")),
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

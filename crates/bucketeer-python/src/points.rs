//! Points that bases are loaded from: memory of a Python object, or coordinates as integers.

use bucketeer::packed::{PackedPoints, Representation};
use num_bigint::BigUint;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::call::invalid;
use crate::curve::Facts;
use crate::options::Form;
use crate::point::Point;
use crate::view::View;

/// Points, and how their bytes are read.
pub enum Points {
    /// Memory of a Python object.
    View {
        /// The memory.
        view: View,
        /// The form of coordinates.
        form: Form,
        /// Bytes from one point to the next.
        stride: usize,
    },
    /// Little-endian coordinates.
    Own(Vec<u8>),
}

impl Points {
    /// The points that `object` holds: bytes in a form, little-endian by default, or a sequence of
    /// pairs (x, y), of [`Point`]s and of `None` for the neutral element.
    pub fn new(object: &Bound<'_, PyAny>, form: Option<Form>, curve: &Facts) -> PyResult<Self> {
        if let Some(view) = View::of(object, "points")? {
            let stride = view.stride_of(curve.layout.point(), ["points", "point"])?;
            return Ok(Self::View { view, form: form.unwrap_or(Form::LittleEndian), stride });
        }
        if form.is_some() {
            return Err(invalid("form is for bytes: Python's integers are values already"));
        }
        let items = object.try_iter().map_err(|_| {
            let kind = object.get_type();
            PyTypeError::new_err(format!(
                "points: expected an array, bytes or a sequence of pairs (x, y), not {kind}"
            ))
        })?;
        let mut packed = Vec::new();
        for (index, item) in items.enumerate() {
            pack(&item?, index, curve, &mut packed)?;
        }
        Ok(Self::Own(packed))
    }

    /// The points for the library, which copies them.
    pub fn packed(&self) -> PackedPoints<'_> {
        match self {
            Self::View { view, form, stride } => {
                PackedPoints::new(view.bytes(), form.representation()).stride(*stride)
            }
            Self::Own(bytes) => PackedPoints::new(bytes, Representation::LittleEndian),
        }
    }
}

/// Appends one point of a sequence.
fn pack(
    item: &Bound<'_, PyAny>,
    index: usize,
    curve: &Facts,
    packed: &mut Vec<u8>,
) -> PyResult<()> {
    let start = packed.len();
    packed.resize(start + curve.layout.point(), 0);
    let Some(bytes) = packed.get_mut(start..) else { return Ok(()) };
    if let Ok(point) = item.cast::<Point>() {
        return point.get().0.write(curve, index, bytes);
    }
    let (x, y) = bytes.split_at_mut(curve.layout.point() / 2);
    if item.is_none() {
        if let (true, Some(lowest)) = (curve.layout.edwards, y.first_mut()) {
            *lowest = 1;
        }
        return Ok(());
    }
    let Ok((own_x, own_y)) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
        let kind = item.get_type();
        let message = format!("point {index} is not a pair (x, y), Point or None but {kind}");
        return Err(PyTypeError::new_err(message));
    };
    coordinate(&own_x, [index, curve.layout.component], "x", x)?;
    coordinate(&own_y, [index, curve.layout.component], "y", y)
}

/// Writes a coordinate: an integer, or a pair of them over a quadratic extension.
fn coordinate(
    value: &Bound<'_, PyAny>,
    [index, component]: [usize; 2],
    name: &str,
    out: &mut [u8],
) -> PyResult<()> {
    let components = out.len() / component;
    let expected = match components {
        1 => "an integer",
        _ => "a pair of integers",
    };
    let wrong = || {
        let kind = value.get_type();
        PyTypeError::new_err(format!("point {index}: {name} is not {expected} but {kind}"))
    };
    let parts = match components {
        1 => vec![value.clone()],
        _ => value.cast::<PyTuple>().map_err(|_| wrong())?.iter().collect(),
    };
    if parts.len() != components {
        return Err(wrong());
    }
    for (part, out) in parts.iter().zip(out.chunks_exact_mut(component)) {
        let integer = part.extract::<num_bigint::BigInt>().map_err(|_| wrong())?;
        let outside = || invalid(format!("point {index}: {name} is not from 0 to the modulus"));
        let bytes = BigUint::try_from(integer).map_err(|_| outside())?.to_bytes_le();
        out.get_mut(..bytes.len()).ok_or_else(outside)?.copy_from_slice(&bytes);
    }
    Ok(())
}

//! Scalars of an MSM: memory of a Python object, or Python's integers.

use bucketeer::packed::PackedScalars;
use num_bigint::{BigInt, Sign};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::call::invalid;
use crate::curve::Facts;
use crate::options::Form;
use crate::view::{Items, View};

/// Bytes of the largest integer that is a scalar.
const MAX_BYTES: usize = 128;

/// Scalars, and how their bytes are read.
pub struct Scalars {
    memory: Memory,
    kind: Kind,
    stride: Option<usize>,
}

enum Memory {
    View(View),
    Own(Vec<u8>),
}

#[derive(Clone, Copy)]
enum Kind {
    Residues(Form),
    Unsigned(usize),
    Signed(usize),
    Booleans,
}

impl Scalars {
    /// The scalars that `object` holds. With a form its bytes are residues. Without one, integers
    /// are taken as they are, and bytes and rows are little-endian residues.
    pub fn new(object: &Bound<'_, PyAny>, form: Option<Form>, curve: &Facts) -> PyResult<Self> {
        let Some(view) = View::of(object, "scalars")? else {
            return match form {
                None => Self::of_integers(&integers(object)?, curve),
                Some(_) => Err(invalid("form is for bytes: Python's integers are values already")),
            };
        };
        let kind = match (form, view.items) {
            (Some(form), _) => Kind::Residues(form),
            (None, _) if view.big_endian && view.items != Items::Bytes && view.row > 1 => {
                return Err(invalid(
                    "scalars: items have their highest byte first; say which form",
                ));
            }
            (None, _) if !view.flat => Kind::Residues(Form::LittleEndian),
            (None, Items::Opaque) => Kind::Residues(Form::LittleEndian),
            // Bytes of numpy are an array of small integers, as those of other sizes are.
            (None, Items::Bytes) if !object.hasattr("dtype")? => Kind::Residues(Form::LittleEndian),
            (None, Items::Booleans) => Kind::Booleans,
            (None, Items::Signed) => Kind::Signed(view.row),
            (None, Items::Bytes | Items::Unsigned) => Kind::Unsigned(view.row),
        };
        let stride = match kind {
            Kind::Residues(_) => view.stride_of(curve.layout.scalar, ["scalars", "scalar"])?,
            Kind::Unsigned(_) | Kind::Signed(_) | Kind::Booleans => view.stride,
        };
        Ok(Self { memory: Memory::View(view), kind, stride: Some(stride) })
    }

    /// Integers of as few bytes as all of them fit in; long ones below the order are residues, for
    /// which there are faster plans.
    fn of_integers(integers: &[BigInt], curve: &Facts) -> PyResult<Self> {
        let signed = integers.iter().any(|integer| integer.sign() == Sign::Minus);
        // A sign takes a bit more.
        let bytes = |integer: &BigInt| (integer.bits() + u64::from(signed)).div_ceil(64) * 8;
        let size = integers.iter().map(bytes).max().unwrap_or(0).max(8);
        let Some(size) = usize::try_from(size).ok().filter(|size| *size <= MAX_BYTES) else {
            let index = integers.iter().position(|integer| bytes(integer) > MAX_BYTES as u64);
            let index = index.unwrap_or_default();
            return Err(invalid(format!("scalar {index} has more than {} bits", 8 * MAX_BYTES)));
        };
        let below_order = |integer: &BigInt| integer.magnitude() < &curve.spec.order;
        let (kind, size) = match signed {
            true => (Kind::Signed(size), size),
            false if size > 8 && integers.iter().all(below_order) => {
                (Kind::Residues(Form::LittleEndian), curve.layout.scalar)
            }
            false => (Kind::Unsigned(size), size),
        };
        let mut packed = Vec::with_capacity(integers.len() * size);
        for (end, integer) in (1..).map(|count| count * size).zip(integers) {
            let bytes = integer.to_signed_bytes_le();
            let sign = if integer.sign() == Sign::Minus { 0xff } else { 0 };
            // An unsigned integer has a byte for its sign, which is not packed.
            packed.extend(bytes.into_iter().take(size));
            packed.resize(end, sign);
        }
        Ok(Self { memory: Memory::Own(packed), kind, stride: None })
    }

    /// The scalars for the library, which borrows them where they are aligned.
    pub fn packed(&self) -> PackedScalars<'_> {
        let bytes = match &self.memory {
            Memory::View(view) => view.bytes(),
            Memory::Own(bytes) => bytes,
        };
        let packed = match self.kind {
            Kind::Residues(form) => PackedScalars::residues(bytes, form.representation()),
            Kind::Unsigned(size) => PackedScalars::unsigned(bytes, size),
            Kind::Signed(size) => PackedScalars::signed(bytes, size),
            Kind::Booleans => PackedScalars::unsigned(bytes, 1).with_bits(1),
        };
        match self.stride {
            Some(stride) => packed.stride(stride),
            None => packed,
        }
    }
}

/// The items of a sequence of integers.
fn integers(object: &Bound<'_, PyAny>) -> PyResult<Vec<BigInt>> {
    let items = object.try_iter().map_err(|_| {
        let kind = object.get_type();
        let expected = "expected an array, bytes or a sequence of integers";
        PyTypeError::new_err(format!("scalars: {expected}, not {kind}"))
    })?;
    let integer = |(index, item): (usize, PyResult<Bound<'_, PyAny>>)| {
        let item = item?;
        item.extract().map_err(|_| {
            let kind = item.get_type();
            PyTypeError::new_err(format!("scalar {index} is not an integer but {kind}"))
        })
    };
    items.enumerate().map(integer).collect()
}

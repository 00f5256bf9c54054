//! Memory of a Python object as rows of bytes, without copying.
//!
//! A row is what lies at one index of the first axis: an item of a one-dimensional array, a row of
//! a matrix. Within a row, items are adjacent; rows may be apart from each other.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::call::invalid;

/// What the items of a buffer are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Items {
    /// Single bytes.
    Bytes,
    /// Booleans.
    Booleans,
    /// Unsigned integers of two, four or eight bytes.
    Unsigned,
    /// Integers in two's complement.
    Signed,
    /// Structures, whose bytes alone count.
    Opaque,
}

/// Rows of bytes that a Python object holds. The object cannot move or free them meanwhile.
pub struct View {
    buffer: PyUntypedBuffer,
    /// The number of rows.
    pub rows: usize,
    /// Bytes of a row.
    pub row: usize,
    /// Bytes from one row to the next.
    pub stride: usize,
    /// Whether the object has only one axis.
    pub flat: bool,
    /// What its items are.
    pub items: Items,
    /// Whether items of more than one byte have their highest byte first.
    pub big_endian: bool,
}

impl View {
    /// The memory of `object`; `None` if it has none, or holds Python's objects. `what` names it in
    /// messages.
    pub fn of(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Option<Self>> {
        // SAFETY: the pointer is that of an object that is borrowed.
        if unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) } == 0 {
            return Ok(None);
        }
        let buffer = PyUntypedBuffer::get(object).map_err(|error| {
            let reason = error.value(object.py());
            invalid(format!("{what}: an array is needed, or bytes: {reason}"))
        })?;
        let format = buffer.format().to_bytes();
        let (order, letters) = match format {
            [order @ (b'@' | b'=' | b'<' | b'>' | b'!'), letters @ ..] => (*order, letters),
            letters => (b'@', letters),
        };
        let items = match letters {
            b"O" => return Ok(None),
            b"B" | b"c" => Items::Bytes,
            b"?" => Items::Booleans,
            b"H" | b"I" | b"L" | b"Q" | b"N" => Items::Unsigned,
            b"b" | b"h" | b"i" | b"l" | b"q" | b"n" => Items::Signed,
            [.., b's' | b'x' | b'}'] => Items::Opaque,
            _ => {
                let format = String::from_utf8_lossy(format);
                let message = format!("{what}: items of format \"{format}\" are not integers");
                return Err(PyTypeError::new_err(message));
            }
        };
        let big_endian = match order {
            b'>' | b'!' => true,
            b'<' => false,
            _ => cfg!(target_endian = "big"),
        };
        let [rows, row, stride] = rows(&buffer, what)?;
        let flat = buffer.dimensions() == 1;
        Ok(Some(Self { buffer, rows, row, stride, flat, items, big_endian }))
    }

    /// The bytes from the first row to the end of the last.
    pub fn bytes(&self) -> &[u8] {
        let length = match self.rows {
            0 => 0,
            rows => (rows - 1) * self.stride + self.row,
        };
        match length {
            0 => &[],
            // SAFETY: the buffer's shape and strides, which `rows` checked, say that these bytes
            // are its own. It is held as long as they are borrowed. That no thread writes to them
            // during a call is the caller's part of the contract, as docs/python.md says.
            _ => unsafe {
                std::slice::from_raw_parts(self.buffer.buf_ptr().cast_const().cast(), length)
            },
        }
    }

    /// Bytes from one element to the next, where an element of `size` bytes is a row or a part of
    /// adjacent items. `what` and `one` name elements in messages.
    pub fn stride_of(&self, size: usize, [what, one]: [&str; 2]) -> PyResult<usize> {
        if self.row == size {
            return Ok(self.stride);
        }
        if self.flat && (self.stride == self.row || self.rows == 0) {
            return Ok(size);
        }
        let row = self.row;
        Err(invalid(format!("{what}: a row has {row} bytes, and a {one} has {size}")))
    }
}

/// The number of rows, the bytes of a row and those from one to the next.
fn rows(buffer: &PyUntypedBuffer, what: &str) -> PyResult<[usize; 3]> {
    let refuse = |reason: &str| Err(invalid(format!("{what}: {reason}")));
    let not_contiguous = "only the first axis may have gaps; numpy.ascontiguousarray copies";
    let (shape, strides) = (buffer.shape(), buffer.strides());
    let (Some(&rows), Some(&stride)) = (shape.first(), strides.first()) else {
        return refuse("a single item is not an array");
    };
    if buffer.suboffsets().is_some() {
        return refuse(not_contiguous);
    }
    let mut row = buffer.item_size();
    for (&length, &stride) in shape.iter().zip(strides).skip(1).rev() {
        if length > 1 && usize::try_from(stride) != Ok(row) {
            return refuse(not_contiguous);
        }
        row = row.saturating_mul(length);
    }
    match usize::try_from(stride) {
        _ if rows <= 1 => Ok([rows, row, row]),
        Ok(stride) if stride >= row => Ok([rows, row, stride]),
        _ => refuse("rows overlap or are in reverse; numpy.ascontiguousarray copies"),
    }
}

//! The coefficients of a `.zkey` file: entries of the matrices A and B.
//!
//! The section begins with their number. An entry is the matrix (0 is A, 1 is B), the constraint,
//! the signal, each in 32 bits, and the value `v`, stored as `v·R² mod r` with `R = 2^(8n)`.

use super::Malformed;
use super::blocks::Elements;
use super::montgomery;
use super::sections::{Cursor, check_length};
use super::source::ByteRange;
use crate::curve::FieldWords;
use crate::packed::montgomery_element;

/// An entry of the matrix A or B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coefficient<F> {
    /// Which matrix it belongs to.
    pub matrix: Matrix,
    /// Row.
    pub constraint: u32,
    /// Column.
    pub signal: u32,
    /// The entry.
    pub value: F,
}

/// A matrix of a constraint system `A·w ∘ B·w = C·w`. Keys do not hold C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    /// The left factors.
    A,
    /// The right factors.
    B,
}

/// Bytes of matrix, constraint and signal.
const POSITION: usize = 12;

/// The section of coefficients, of the right length.
pub(super) struct Coefficients<'a> {
    elements: Elements<'a>,
}

impl<'a> Coefficients<'a> {
    /// Checks the length of the section.
    pub(super) fn new<F: FieldWords>(section: ByteRange<'a>) -> Result<Self, Malformed> {
        let count = Cursor::new(section, "section \"coefficients\"").u32()?;
        let range = section.range(size_of::<u32>() as u64..section.length());
        let size = POSITION + 8 * F::WORDS;
        check_length(range, count.into(), size, "coefficients")?;
        Ok(Self { elements: Elements::new(range, size, "coefficient") })
    }

    /// Reads the coefficients, which must lie within these numbers of constraints and signals.
    pub(super) fn parse<F: FieldWords>(
        &self,
        constraints: u32,
        signals: u32,
    ) -> Result<Vec<Coefficient<F>>, Malformed> {
        let zero = Coefficient { matrix: Matrix::A, constraint: 0, signal: 0, value: F::ZERO };
        let unscaled = montgomery::inverse_of_radix::<F>();
        let read = self.elements.parse(1, zero, |bytes, out| {
            let (position, value) = bytes.split_at(POSITION);
            let [matrix, constraint, signal] = [0, 4, 8].map(|at| word(&position[at..at + 4]));
            let value: F = montgomery_element(value).ok_or("its value is not below the prime")?;
            out[0].matrix = match matrix {
                0 => Matrix::A,
                1 => Matrix::B,
                _ => return Err(format!("matrix {matrix}, expected 0 or 1")),
            };
            if constraint >= constraints {
                return Err(format!("constraint {constraint} of {constraints}"));
            }
            if signal >= signals {
                return Err(format!("signal {signal} of {signals}"));
            }
            (out[0].constraint, out[0].signal, out[0].value) =
                (constraint, signal, value * unscaled);
            Ok(())
        });
        read.map_err(|fault| fault.within("section \"coefficients\""))
    }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| (word << 8) | u32::from(byte))
}

//! Points and scalars as bytes: integers of either byte order, or Montgomery words.
//!
//! Points are packed as [`packed`](crate::packed) describes.

use ark_ff::{BigInteger, PrimeField};
use num_bigint::BigUint;

use super::{AnyScalars, Coordinates};
use crate::curves::NamedCurve;
use crate::packed::{PackedScalars, Representation};
use crate::{Curve, CurveSpec, Error, Model, ScalarVec};

/// Bytes of a scalar that every curve accepts.
const USUAL_SCALAR: usize = 32;

/// The sizes of a curve's points and scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// Bytes of a component of a coordinate.
    pub component: usize,
    /// Components of a coordinate: 1, or 2 over a quadratic extension.
    pub components: usize,
    /// Bytes of a scalar.
    pub scalar: usize,
    /// Whether the neutral element is the point (0, 1) and not at infinity.
    pub edwards: bool,
    /// Bytes of a point in memory.
    pub point_in_memory: usize,
    /// Bytes of a residue in memory.
    pub scalar_in_memory: usize,
    /// Bytes of a sum in memory.
    pub sum_in_memory: usize,
}

impl Layout {
    pub(super) fn of<C: Curve>() -> Self {
        let spec = CurveSpec::of::<C>();
        Self {
            component: 8 * spec.limbs,
            components: spec.degree,
            scalar: 8 * spec.scalar_bits().div_ceil(64) as usize,
            edwards: matches!(spec.model, Model::TwistedEdwards { .. }),
            point_in_memory: size_of::<C>(),
            scalar_in_memory: size_of::<C::ScalarField>(),
            sum_in_memory: size_of::<C::Group>(),
        }
    }

    /// Bytes of a packed point.
    pub fn point(&self) -> usize {
        2 * self.component * self.components
    }

    /// A sum as the bytes of x and of y; `None` if it is infinity or not a point.
    pub fn to_bytes(&self, sum: &Coordinates) -> Option<[Vec<u8>; 2]> {
        let bytes = |parts: &[BigUint]| {
            let part = |part: &BigUint| {
                let mut bytes = part.to_bytes_le();
                bytes.resize(self.component, 0);
                bytes
            };
            parts.iter().flat_map(part).collect()
        };
        match sum {
            Coordinates::Affine { x, y } => Some([bytes(x), bytes(y)]),
            Coordinates::Identity if self.edwards => {
                let mut one = vec![BigUint::ZERO; self.components];
                one[0] = BigUint::from(1u8);
                Some([bytes(&vec![BigUint::ZERO; self.components]), bytes(&one)])
            }
            _ => None,
        }
    }
}

/// The error for a wrong number of bytes.
fn wrong_length(what: &str, length: usize, size: usize, one: &str) -> Error {
    let reason =
        format!("the {what} have {length} bytes, which is not a multiple of the {size} of a {one}");
    Error::InvalidBytes { reason }
}

/// The residue with this integer, if it is below the modulus.
fn read_integer<F: PrimeField>(bytes: &[u8]) -> Option<F> {
    let mut words = words(bytes);
    words.resize(F::BigInt::NUM_LIMBS, 0);
    let mut integer = F::BigInt::default();
    integer.as_mut().copy_from_slice(&words);
    F::from_bigint(integer)
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(padded)
    };
    bytes.chunks(8).map(word).collect()
}

/// The scalars of `n` bases, of 32 bytes each or of the curve's own size.
pub(super) fn read_scalars<C: Curve>(
    curve: &'static NamedCurve,
    bytes: &[u8],
    representation: Representation,
    n: usize,
    residues: bool,
) -> Result<AnyScalars, Error> {
    let own = Layout::of::<C>().scalar;
    let of_size = |size: &usize| n.checked_mul(*size) == Some(bytes.len());
    let montgomery = representation == Representation::Montgomery;
    let sizes: &[usize] = if montgomery { &[own] } else { &[USUAL_SCALAR, own] };
    let Some(&size) = sizes.iter().find(|size| of_size(size)) else {
        if bytes.len().is_multiple_of(own) {
            return Err(Error::LengthMismatch { bases: n, scalars: bytes.len() / own });
        }
        return Err(wrong_length("scalars", bytes.len(), own, "scalar"));
    };
    match representation {
        Representation::Montgomery => {
            let packed = PackedScalars::residues(bytes, representation);
            let unpacked = packed.unpack::<C::ScalarField>()?;
            let all = unpacked.as_residues().unwrap_or_default().to_vec();
            Ok(AnyScalars::residues::<C>(curve, all))
        }
        Representation::BigEndian => {
            let reversed = bytes.chunks_exact(size).flat_map(|scalar| scalar.iter().rev());
            let reversed: Vec<u8> = reversed.copied().collect();
            Ok(read_integers::<C>(curve, &reversed, size, residues))
        }
        Representation::LittleEndian => Ok(read_integers::<C>(curve, bytes, size, residues)),
    }
}

/// Scalars of `size` little-endian bytes.
fn read_integers<C: Curve>(
    curve: &'static NamedCurve,
    bytes: &[u8],
    size: usize,
    residues: bool,
) -> AnyScalars {
    let all: Option<Vec<C::ScalarField>> = match residues {
        true => bytes.chunks_exact(size).map(read_integer).collect(),
        false => None,
    };
    if let Some(all) = all {
        return AnyScalars::residues::<C>(curve, all);
    }
    let bits = bytes.chunks_exact(size).map(bit_length).max().unwrap_or(0).max(1);
    let integers = ScalarVec::Integers { words: words(bytes), words_each: size / 8, bits };
    AnyScalars::new::<C>(curve, integers)
}

fn bit_length(bytes: &[u8]) -> u32 {
    let last = bytes.iter().rposition(|byte| *byte != 0);
    last.map_or(0, |last| 8 * last as u32 + bytes[last].ilog2() + 1)
}

//! Points and scalars as bytes: little-endian integers, not in Montgomery form.
//!
//! A point is x then y, a coordinate its components one after the other, a component whole 64-bit words. On a
//! Weierstrass curve all zeros are infinity; on an Edwards curve infinity has no bytes, for the neutral
//! element (0, 1) is a point like any other.

use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField};
use bucketeer::{Curve, CurveSpec, Error, Model, PointFault, Scalars};

use crate::failure::Failure;

/// Bytes of a scalar that every curve accepts, the usual size elsewhere.
const USUAL_SCALAR: usize = 32;

/// The sizes of a curve's points and scalars.
pub(crate) struct Layout {
    /// Bytes of a component of a coordinate.
    pub(crate) component: usize,
    /// Components of a coordinate.
    pub(crate) components: usize,
    /// Bytes of a scalar.
    pub(crate) scalar: usize,
}

impl Layout {
    pub(crate) fn of<C: Curve>() -> Self {
        let spec = CurveSpec::of::<C>();
        let scalar = 8 * spec.scalar_bits().div_ceil(64) as usize;
        Self { component: 8 * spec.limbs, components: spec.degree, scalar }
    }

    fn point(&self) -> usize {
        2 * self.component * self.components
    }
}

/// Points of the curve.
pub(crate) fn read_points<C: Curve>(bytes: &[u8]) -> Result<Vec<C>, Failure> {
    let size = Layout::of::<C>().point();
    if !bytes.len().is_multiple_of(size) {
        let length = bytes.len();
        return Err(Failure::Input(format!(
            "the bases have {length} bytes, which is not a multiple of the {size} of a point"
        )));
    }
    bytes.chunks_exact(size).enumerate().map(|(index, bytes)| read_point(index, bytes)).collect()
}

fn read_point<C: Curve>(index: usize, bytes: &[u8]) -> Result<C, Failure> {
    let weierstrass = matches!(C::model(), Model::ShortWeierstrass { .. });
    if weierstrass && bytes.iter().all(|byte| *byte == 0) {
        return Ok(C::zero());
    }
    let (x, y) = bytes.split_at(bytes.len() / 2);
    let coordinate = |name: &str, bytes| {
        let too_large = || Failure::Input(format!("base {index}: {name} is not below the modulus"));
        read_coordinate::<C>(bytes).ok_or_else(too_large)
    };
    let point = C::from_coordinates(coordinate("x", x)?, coordinate("y", y)?);
    if point.on_curve() {
        Ok(point)
    } else {
        Err(Error::InvalidBase { index, reason: PointFault::NotOnCurve }.into())
    }
}

fn read_coordinate<C: Curve>(bytes: &[u8]) -> Option<C::BaseField> {
    let parts = bytes.chunks_exact(Layout::of::<C>().component).map(read_integer);
    let parts: Option<Vec<_>> = parts.collect();
    C::BaseField::from_base_prime_field_elems(parts?)
}

/// The residue with this integer, if it is below the modulus.
fn read_integer<F: PrimeField>(bytes: &[u8]) -> Option<F> {
    let mut integer = F::BigInt::default();
    integer.as_mut().copy_from_slice(&words(bytes));
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

/// The coordinates of a point; `None` is infinity.
pub(crate) fn write_point<C: Curve>(point: &C) -> Option<[Vec<u8>; 2]> {
    let bytes = |coordinate: C::BaseField| {
        let parts = coordinate.to_base_prime_field_elements();
        parts.flat_map(|part| part.into_bigint().to_bytes_le()).collect()
    };
    match C::model() {
        // arkworks has no coordinates for the neutral element, and the curve does.
        Model::TwistedEdwards { .. } if point.is_zero() => {
            Some([C::BaseField::ZERO, C::BaseField::ONE].map(bytes))
        }
        _ => point.xy().map(|(x, y)| [bytes(x), bytes(y)]),
    }
}

/// Scalars as the library takes them.
pub(crate) enum ScalarList<F> {
    Residues(Vec<F>),
    Integers { words: Vec<u64>, words_each: usize, bits: u32 },
}

impl<F> ScalarList<F> {
    pub(crate) fn as_scalars(&self) -> Scalars<'_, F> {
        match self {
            Self::Residues(scalars) => Scalars::residues(scalars),
            Self::Integers { words, words_each, bits } => {
                Scalars::words(words, *words_each).with_bits(*bits)
            }
        }
    }
}

/// The scalars of `n` bases, of 32 bytes each or of the size that the curve's own have. They may be any
/// integers. For points of the prime-order subgroup those below the order are residues, for which
/// there are faster plans.
pub(crate) fn read_scalars<C: Curve>(
    bytes: &[u8],
    n: usize,
    any_point: bool,
) -> Result<ScalarList<C::ScalarField>, Failure> {
    let own = Layout::of::<C>().scalar;
    let Some(size) = [USUAL_SCALAR, own].into_iter().find(|size| n * size == bytes.len()) else {
        if bytes.len().is_multiple_of(own) {
            let scalars = bytes.len() / own;
            return Err(Error::LengthMismatch { bases: n, scalars }.into());
        }
        let length = bytes.len();
        return Err(Failure::Input(format!(
            "the scalars have {length} bytes, which is not a multiple of the {own} of a scalar"
        )));
    };
    if !any_point && let Some(residues) = read_residues(bytes, size) {
        return Ok(ScalarList::Residues(residues));
    }
    let bits = bytes.chunks_exact(size).map(bit_length).max().unwrap_or(0).max(1);
    Ok(ScalarList::Integers { words: words(bytes), words_each: size / 8, bits })
}

/// All scalars, if all are below the order.
fn read_residues<F: PrimeField>(bytes: &[u8], size: usize) -> Option<Vec<F>> {
    let limbs = F::BigInt::NUM_LIMBS;
    let residue = |bytes: &[u8]| {
        let mut words = words(bytes);
        words.resize(limbs, 0);
        let mut integer = F::BigInt::default();
        integer.as_mut().copy_from_slice(&words);
        F::from_bigint(integer)
    };
    bytes.chunks_exact(size).map(residue).collect()
}

fn bit_length(bytes: &[u8]) -> u32 {
    let last = bytes.iter().rposition(|byte| *byte != 0);
    last.map_or(0, |last| 8 * last as u32 + bytes[last].ilog2() + 1)
}

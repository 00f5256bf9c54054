//! Points as packed bytes.

use std::sync::{Mutex, PoisonError};

use ark_ff::{AdditiveGroup, Field};

use super::{Representation, Strided, element};
use crate::curve::{FieldWords, is_montgomery};
use crate::vectors::try_with_capacity;
use crate::{Curve, Error, Model, PointFault, parallel};

/// Points that one thread reads at a time.
const BLOCK: usize = 1024;

/// Bytes of a packed point: two coordinates.
pub fn point_bytes<C: Curve>() -> usize {
    2 * 8 * <C::BaseField as FieldWords>::WORDS
}

/// Points as bytes, in the form that the [module](super) describes.
#[derive(Debug, Clone, Copy)]
pub struct PackedPoints<'a> {
    bytes: &'a [u8],
    representation: Representation,
    stride: Option<usize>,
    trusted: bool,
}

impl<'a> PackedPoints<'a> {
    /// Adjacent points.
    pub fn new(bytes: &'a [u8], representation: Representation) -> Self {
        Self { bytes, representation, stride: None, trusted: false }
    }

    /// Points at every `bytes` bytes. What follows the last point may be missing.
    #[must_use]
    pub fn stride(self, bytes: usize) -> Self {
        Self { stride: Some(bytes), ..self }
    }

    /// Leaves out the check that points satisfy the curve's equation. The caller vouches for them:
    /// the sum over points of another curve is meaningless.
    #[must_use]
    pub fn trusted(self) -> Self {
        Self { trusted: true, ..self }
    }

    /// The points as arkworks' type. Coordinates at or above the modulus are an error, and so are
    /// points that do not satisfy the curve's equation. That a point lies in the prime-order
    /// subgroup is not checked.
    pub fn to_affine<C: Curve>(&self) -> Result<Vec<C>, Error> {
        self.representation.check_field::<C::BaseField>()?;
        let size = point_bytes::<C>();
        let packed = Strided::new(self.bytes, size, self.stride, ["bases", "point"])?;
        let mut points = try_with_capacity(packed.count)?;
        points.resize(packed.count, C::zero());
        let read = |first: usize, points: &mut [C]| {
            let read = |(index, point): (usize, &mut C)| {
                *point = self.read(index, packed.get(index))?;
                Ok(())
            };
            (first..).zip(points).try_for_each(read)
        };
        if packed.count <= BLOCK {
            // Without the cost of waking another thread.
            read(0, &mut points)?;
            return Ok(points);
        }
        let first_error = Mutex::new((usize::MAX, Ok(())));
        parallel::for_blocks(&mut points, BLOCK, |block, points| {
            let result = read(block * BLOCK, points);
            let mut first = first_error.lock().unwrap_or_else(PoisonError::into_inner);
            if result.is_err() && block < first.0 {
                *first = (block, result);
            }
        });
        first_error.into_inner().unwrap_or_else(PoisonError::into_inner).1?;
        Ok(points)
    }

    fn read<C: Curve>(&self, index: usize, bytes: &[u8]) -> Result<C, Error> {
        let weierstrass = matches!(C::model(), Model::ShortWeierstrass { .. });
        if weierstrass && bytes.iter().all(|byte| *byte == 0) {
            return Ok(C::zero());
        }
        let (x, y) = bytes.split_at(bytes.len() / 2);
        let coordinate = |name: &str, bytes| {
            let too_large = || {
                let reason = format!("base {index}: {name} is not below the modulus");
                Error::InvalidBytes { reason }
            };
            element::read(bytes, self.representation).ok_or_else(too_large)
        };
        let point = C::from_coordinates(coordinate("x", x)?, coordinate("y", y)?);
        if self.trusted || point.on_curve() {
            Ok(point)
        } else {
            Err(Error::InvalidBase { index, reason: PointFault::NotOnCurve })
        }
    }
}

/// Writes a point into [`point_bytes`] bytes.
pub fn write_point<C: Curve>(
    point: &C,
    representation: Representation,
    out: &mut [u8],
) -> Result<(), Error> {
    representation.check_field::<C::BaseField>()?;
    let size = point_bytes::<C>();
    if out.len() != size {
        let reason = format!("a point has {size} bytes, and there is room for {}", out.len());
        return Err(Error::InvalidBytes { reason });
    }
    let (x, y) = match (point.xy(), C::model()) {
        (Some(coordinates), _) => coordinates,
        (None, Model::TwistedEdwards { .. }) => (C::BaseField::ZERO, C::BaseField::ONE),
        (None, Model::ShortWeierstrass { .. }) => {
            out.fill(0);
            return Ok(());
        }
    };
    let (first, second) = out.split_at_mut(size / 2);
    element::write(&x, representation, first);
    element::write(&y, representation, second);
    Ok(())
}

impl Representation {
    /// Fields that arkworks does not keep in Montgomery form have no such representation.
    pub(super) fn check_field<F: FieldWords>(self) -> Result<(), Error> {
        if self != Self::Montgomery || is_montgomery::<F>() {
            return Ok(());
        }
        let reason = "this field has no Montgomery form".into();
        Err(Error::InvalidBytes { reason })
    }
}

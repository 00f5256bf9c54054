//! Sums of a named curve, and their coordinates as integers.

use std::fmt;

use ark_ff::{Field, PrimeField};
use num_bigint::BigUint;

use crate::packed::{Representation, write_point};
use crate::reference::affine;
use crate::{Curve, Error};

/// The sum of an MSM, in the coordinates of its engine.
pub struct AnySum(Box<dyn ToCoordinates>);

trait ToCoordinates: Send + Sync {
    fn coordinates(&self) -> Coordinates;
    fn write(&self, representation: Representation, out: &mut [u8]) -> Result<(), Error>;
}

struct Sum<C: Curve>(C::Group);

impl<C: Curve> ToCoordinates for Sum<C> {
    fn coordinates(&self) -> Coordinates {
        Coordinates::of(affine::<C>(&self.0))
    }

    fn write(&self, representation: Representation, out: &mut [u8]) -> Result<(), Error> {
        let point = affine::<C>(&self.0).ok_or(Error::NotRepresentable)?;
        write_point(&point, representation, out)
    }
}

impl AnySum {
    pub(super) fn new<C: Curve>(sum: C::Group) -> Self {
        Self(Box::new(Sum::<C>(sum)))
    }

    /// The affine coordinates, which take an inversion.
    pub fn coordinates(&self) -> Coordinates {
        self.0.coordinates()
    }

    /// Writes the sum as a packed point, of [`Layout::point`](super::Layout::point) bytes.
    pub fn write(&self, representation: Representation, out: &mut [u8]) -> Result<(), Error> {
        self.0.write(representation, out)
    }
}

impl fmt::Debug for AnySum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.coordinates().fmt(f)
    }
}

/// Affine coordinates of a sum on the curve's own model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coordinates {
    /// The neutral element.
    Identity,
    /// A point; a coordinate has one component, or two over a quadratic extension.
    Affine {
        /// Components of x.
        x: Vec<BigUint>,
        /// Components of y.
        y: Vec<BigUint>,
    },
    /// Not a point of the curve's affine model: a wrong sum, or a point at infinity of an
    /// incomplete twisted Edwards curve.
    None,
}

impl Coordinates {
    pub(super) fn of<C: Curve>(point: Option<C>) -> Self {
        match point.map(|point| point.xy()) {
            None => Self::None,
            Some(None) => Self::Identity,
            Some(Some((x, y))) => Self::Affine { x: integers(&x), y: integers(&y) },
        }
    }

    /// Whether both are the same point. A result that is not a point agrees with nothing.
    pub fn agree_with(&self, other: &Self) -> bool {
        *self != Self::None && self == other
    }

    /// The point as JSON: `null` for the identity and for a result that is not a point, otherwise
    /// both coordinates in hexadecimal; see [`point_to_json`](crate::io::point_to_json).
    #[cfg(feature = "io")]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Affine { x, y } => {
                vec![crate::io::coordinate(x), crate::io::coordinate(y)].into()
            }
            Self::Identity | Self::None => serde_json::Value::Null,
        }
    }
}

fn integers<F: Field>(element: &F) -> Vec<BigUint> {
    element.to_base_prime_field_elements().map(|part| part.into_bigint().into()).collect()
}

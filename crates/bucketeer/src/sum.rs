//! Sums in the coordinates of their engines.
//!
//! The affine model of an incomplete twisted Edwards curve cannot represent every point, and
//! arkworks' addition on it is wrong for some pairs outside the prime-order subgroup. So partial
//! sums of an MSM stay on the short Weierstrass form, where additions are complete, until the end.

#[cfg(any(all(feature = "any", not(test)), feature = "io", feature = "ranks"))]
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};

use crate::curve::Weierstrass;
use crate::curve::xyzz::{Coordinates, Xyzz};
use crate::{Curve, Error};

/// A sum, in the coordinates its engine computes in.
#[derive(Clone, Copy)]
pub(crate) enum Sum<C: Curve> {
    /// In arkworks' coordinates of the curve.
    Group(C::Group),
    /// On the curve's short Weierstrass form.
    Weierstrass(Weierstrass<C::BaseField>),
}

impl<C: Curve> Sum<C> {
    /// The sum of no points.
    #[cfg(any(feature = "cuda", feature = "webgpu", feature = "io"))]
    pub(crate) fn zero() -> Self {
        Self::Weierstrass(None)
    }

    /// The sum as a point of the curve. Fails if its affine model cannot represent it.
    pub(crate) fn into_group(self) -> Result<C::Group, Error> {
        match self {
            Self::Group(point) if C::is_point(&point) => Ok(point),
            Self::Group(_) => Err(Error::NotRepresentable),
            Self::Weierstrass(point) => {
                let affine = C::from_weierstrass(point).ok_or(Error::NotRepresentable)?;
                Ok(affine.into_group())
            }
        }
    }

    /// Adds the partial sums of one MSM.
    pub(crate) fn total(sums: impl IntoIterator<Item = Self>) -> Result<Self, Error> {
        let [a, _] = C::weierstrass_coefficients();
        let law = Xyzz { a };
        let mut total = Coordinates::INFINITY;
        for sum in sums {
            total = law.sum(&total, &Coordinates::of(sum.weierstrass()?));
        }
        Ok(Self::Weierstrass(total.affine()))
    }

    /// The sum on the curve's short Weierstrass form.
    pub(crate) fn weierstrass(self) -> Result<Weierstrass<C::BaseField>, Error> {
        match self {
            Self::Weierstrass(point) => Ok(point),
            Self::Group(_) => {
                let mut out = Vec::new();
                C::to_weierstrass(&[self.into_group()?.into()], &mut out);
                Ok(out.pop().flatten())
            }
        }
    }
}

/// Appends a sum on the short Weierstrass form: 0 for infinity; 1, and arkworks' x and y.
#[cfg(any(all(feature = "any", not(test)), feature = "io", feature = "ranks"))]
pub(crate) fn write_sum<C: Curve>(
    sum: &Weierstrass<C::BaseField>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    out.push(sum.is_some().into());
    let coordinates = sum.iter().flat_map(|(x, y)| [x, y]);
    for coordinate in coordinates {
        let written = coordinate.serialize_uncompressed(&mut *out);
        written.map_err(|error| Error::Internal(error.to_string()))?;
    }
    Ok(())
}

/// Takes a sum that [`write_sum`] wrote from the front of the bytes.
#[cfg(any(all(feature = "any", not(test)), feature = "io", feature = "ranks"))]
pub(crate) fn take_sum<C: Curve>(bytes: &mut &[u8]) -> Option<Weierstrass<C::BaseField>> {
    let (kind, rest) = bytes.split_first()?;
    *bytes = rest;
    if *kind == 0 {
        return Some(None);
    }
    let mut coordinate = || C::BaseField::deserialize_uncompressed(&mut *bytes).ok();
    Some(Some((coordinate()?, coordinate()?)))
}

//! How points and scalars lie in memory, found out on values when a curve is first used.
//!
//! 1. Known multiples of the generator are read through the public interface of their crate and
//!    must be the same multiples of the same point in arkworks: this is the same group. Anything
//!    else is an error.
//! 2. If size and alignment are right and the bytes of all of these are the Montgomery words that
//!    arkworks has, x then y and zeros for the identity, points are read from memory. Otherwise
//!    they go through the public interface, slower and just as right. The same for scalars.

use std::any::type_name;
use std::borrow::Cow;
use std::sync::OnceLock;

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::PrimeField;
use bucketeer::packed::{PackedPoints, Representation, point_bytes, scalar_bytes, write_point};
use bucketeer::{Error, PointFault};
use rayon::prelude::*;

use crate::point::Api;

/// The scalar field of a curve in arkworks.
pub(crate) type ArkScalar<C> = <<C as Api>::Ark as AffineRepr>::ScalarField;

/// The group of a curve in arkworks.
pub(crate) type ArkGroup<C> = <<C as Api>::Ark as AffineRepr>::Group;

/// The result of the check of one point type.
pub type Cell = OnceLock<Result<Layout, Error>>;

/// Where points and scalars of one type are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pub(crate) points: Access,
    pub(crate) scalars: Access,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// As Montgomery words in memory.
    Memory,
    /// Through the public interface of their crate.
    Interface,
}

impl Layout {
    /// The layout of a point type, checked in the first call.
    pub(crate) fn of<C: Api>() -> Result<Self, Error> {
        C::layout().get_or_init(check::<C>).clone()
    }

    /// The points in arkworks. Coordinates must be reduced; that points are on the curve is checked
    /// if they are not `trusted`.
    pub(crate) fn points<C: Api>(&self, points: &[C], trusted: bool) -> Result<Vec<C::Ark>, Error> {
        let canonical;
        let packed = match self.points {
            Access::Memory => {
                // SAFETY: `check` has found that points have no padding.
                let bytes = unsafe { bytes(points) };
                PackedPoints::new(bytes, Representation::Montgomery)
            }
            Access::Interface => {
                canonical = canonical_points(points)?;
                PackedPoints::new(&canonical, Representation::LittleEndian)
            }
        };
        if trusted { packed.trusted().to_affine() } else { packed.to_affine() }
    }

    /// The scalars in arkworks.
    pub(crate) fn scalars<'s, C: Api>(
        &self,
        scalars: &'s [C::Scalar],
    ) -> Result<Cow<'s, [ArkScalar<C>]>, Error> {
        match self.scalars {
            Access::Memory => {
                let start = scalars.as_ptr().cast::<ArkScalar<C>>();
                // SAFETY: `check` has found the same size, alignment and words in both types. Any
                // words are a valid element in memory.
                Ok(Cow::Borrowed(unsafe { std::slice::from_raw_parts(start, scalars.len()) }))
            }
            Access::Interface => scalars.par_iter().map(scalar::<C>).collect(),
        }
    }
}

/// Bytes of elements in memory.
///
/// # Safety
///
/// The elements have no padding.
unsafe fn bytes<T>(elements: &[T]) -> &[u8] {
    // SAFETY: as many bytes as the elements have, all of them initialised as the caller promises.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// The points as canonical bytes, through the public interface.
fn canonical_points<C: Api>(points: &[C]) -> Result<Vec<u8>, Error> {
    let size = point_bytes::<C::Ark>();
    let mut canonical = vec![0; points.len() * size];
    let written = |(point, out): (&C, &mut [u8])| point.write(out);
    let bad = points.par_iter().zip(canonical.par_chunks_mut(size)).position_first(|p| !written(p));
    let fault = |index| Error::InvalidBase { index, reason: PointFault::NotOnCurve };
    bad.map_or(Ok(canonical), |index| Err(fault(index)))
}

/// A scalar through the public interface.
fn scalar<C: Api>(scalar: &C::Scalar) -> Result<ArkScalar<C>, Error> {
    let mut bytes = vec![0; scalar_bytes::<ArkScalar<C>>()];
    let written = C::write_scalar(scalar, &mut bytes);
    if !written {
        return Err(other_curve::<C>("its scalars have another size"));
    }
    Ok(ArkScalar::<C>::from_le_bytes_mod_order(&bytes))
}

/// The sum as a point of halo2's library.
pub(crate) fn sum<C: Api>(sum: ArkGroup<C>) -> Result<C::Curve, Error> {
    let mut bytes = vec![0; point_bytes::<C::Ark>()];
    write_point(&sum.into_affine(), Representation::LittleEndian, &mut bytes)?;
    C::read(&bytes).ok_or_else(|| other_curve::<C>("its library refuses a point of the curve"))
}

fn other_curve<C>(reason: &str) -> Error {
    Error::Internal(format!("{} is not the curve of Bucketeer: {reason}", type_name::<C>()))
}

fn check<C: Api>() -> Result<Layout, Error> {
    let (scalars, points): (Vec<_>, Vec<_>) = C::probes().into_iter().unzip();
    let interface = Layout { points: Access::Interface, scalars: Access::Interface };
    let ark_points = interface.points(&points, false)?;
    let ark_scalars = interface.scalars::<C>(&scalars)?;
    let Some(generator) = ark_points.get(1) else {
        return Err(other_curve::<C>("it has no generator"));
    };
    let multiples = ark_scalars.iter().map(|scalar| (*generator * scalar).into_affine());
    if !multiples.eq(ark_points.iter().copied()) {
        return Err(other_curve::<C>("its multiples of the generator are other points"));
    }
    let access = |in_memory| if in_memory { Access::Memory } else { Access::Interface };
    let layout = Layout {
        points: access(points_in_memory(&points, &ark_points)?),
        scalars: access(scalars_in_memory(&scalars, &ark_scalars)),
    };
    tracing::debug!(point = type_name::<C>(), ?layout, "checked the layout");
    Ok(layout)
}

/// Whether points are the Montgomery words of x and y in memory.
fn points_in_memory<C: Api>(points: &[C], ark_points: &[C::Ark]) -> Result<bool, Error> {
    let size = point_bytes::<C::Ark>();
    if size_of::<C>() != size || !fills_bytes::<<C::Ark as AffineRepr>::BaseField>() {
        return Ok(false);
    }
    let mut expected = vec![0; size];
    for (point, ark_point) in points.iter().zip(ark_points) {
        write_point(ark_point, Representation::Montgomery, &mut expected)?;
        // SAFETY: a point is two coordinates, whose values need every byte of their size: none is
        // padding.
        if unsafe { bytes(std::slice::from_ref(point)) } != expected {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether scalars are arkworks' in memory.
fn scalars_in_memory<S, F: PrimeField>(scalars: &[S], ark_scalars: &[F]) -> bool {
    let same_type = size_of::<S>() == size_of::<F>() && align_of::<S>() == align_of::<F>();
    // SAFETY: the values need every byte of their size: none is padding.
    same_type
        && size_of::<F>() == scalar_bytes::<F>()
        && fills_bytes::<F>()
        && unsafe { bytes(scalars) == bytes(ark_scalars) }
}

/// Whether an element of the prime field needs every byte of its words, so that a type of this size
/// that holds one has no padding.
fn fills_bytes<F: ark_ff::Field>() -> bool {
    let words = F::characteristic().len();
    F::BasePrimeField::MODULUS_BIT_SIZE as usize > 8 * (8 * words - 1)
}

#[cfg(all(test, feature = "halo2curves"))]
mod tests;

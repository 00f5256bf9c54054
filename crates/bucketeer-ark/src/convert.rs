//! Conversions between arkworks' types and the fast ones, without copying.
//!
//! Points convert in place: a wrapper is `repr(transparent)`, so slices are cast and vectors keep
//! their allocation. Structs that hold points, such as keys, are taken apart and put together
//! again: the layout of a generic Rust struct may depend on its type parameter, so nothing larger
//! than a slice is ever cast.

use std::mem::ManuallyDrop;

use ark_ec::short_weierstrass::{self, SWCurveConfig};
use ark_ec::twisted_edwards::{self, TECurveConfig};
use bucketeer::{Curve, WordField};

use crate::{Affine, Projective};

/// Points and keys of arkworks that have a fast counterpart.
///
/// Implemented for points, slices and vectors of points, and the keys, commitments and proofs of
/// ark-groth16 (feature `groth16`) and ark-poly-commit (feature `poly-commit`). Vectors keep their
/// allocation.
pub trait IntoFast {
    /// The fast counterpart.
    type Fast;

    /// The same value as its fast counterpart.
    fn into_fast(self) -> Self::Fast;
}

/// Points, keys and proofs on fast curves; the inverse of [`IntoFast`].
pub trait IntoOriginal {
    /// arkworks' own type.
    type Original;

    /// The same value in arkworks' own type.
    fn into_original(self) -> Self::Original;
}

/// A point that is another one in a struct of its own.
///
/// # Safety
///
/// The type is `repr(transparent)` over `Inner`, and every value of `Inner` is valid in it.
pub unsafe trait Wrapper: Sized {
    /// The point of arkworks.
    type Inner;

    /// Views points as wrapped ones.
    fn wrap_slice(points: &[Self::Inner]) -> &[Self] {
        // SAFETY: size, alignment and validity are the same by the contract of the trait; the
        // borrow carries over.
        unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len()) }
    }

    /// Views wrapped points as arkworks'.
    fn unwrap_slice(points: &[Self]) -> &[Self::Inner] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len()) }
    }

    /// Wraps the points of a vector in its own memory.
    fn wrap_vec(points: Vec<Self::Inner>) -> Vec<Self> {
        let mut points = ManuallyDrop::new(points);
        let (start, length, capacity) = (points.as_mut_ptr(), points.len(), points.capacity());
        // SAFETY: the parts are those of a vector that is not dropped. Its elements have the same
        // size and alignment, so the allocation has the layout that the new vector frees it with.
        unsafe { Vec::from_raw_parts(start.cast(), length, capacity) }
    }

    /// The points of a vector in its own memory.
    fn unwrap_vec(points: Vec<Self>) -> Vec<Self::Inner> {
        let mut points = ManuallyDrop::new(points);
        let (start, length, capacity) = (points.as_mut_ptr(), points.len(), points.capacity());
        // SAFETY: as above.
        unsafe { Vec::from_raw_parts(start.cast(), length, capacity) }
    }
}

/// A point type of arkworks that has a wrapper.
pub trait Original: Sized + 'static {
    /// Its wrapper.
    type Wrapper: Wrapper<Inner = Self>;

    /// The point in its wrapper.
    fn wrap(self) -> Self::Wrapper;
}

macro_rules! original {
    ($($model:ident $config:ident)*) => {$(
        impl<P: $config<BaseField: WordField, ScalarField: WordField>> Original for $model::Affine<P> {
            type Wrapper = Affine<Self>;

            fn wrap(self) -> Affine<Self> {
                Affine(self)
            }
        }

        impl<P: $config<BaseField: WordField, ScalarField: WordField>> Original for $model::Projective<P> {
            type Wrapper = Projective<$model::Affine<P>>;

            fn wrap(self) -> Self::Wrapper {
                Projective(self)
            }
        }

        impl<P: $config<BaseField: WordField, ScalarField: WordField>> IntoFast for $model::Affine<P> {
            type Fast = Affine<Self>;

            fn into_fast(self) -> Self::Fast {
                self.wrap()
            }
        }

        impl<P: $config<BaseField: WordField, ScalarField: WordField>> IntoFast for $model::Projective<P> {
            type Fast = Projective<$model::Affine<P>>;

            fn into_fast(self) -> Self::Fast {
                self.wrap()
            }
        }
    )*};
}

original!(short_weierstrass SWCurveConfig twisted_edwards TECurveConfig);

impl<T: Original> IntoFast for Vec<T> {
    type Fast = Vec<T::Wrapper>;

    fn into_fast(self) -> Self::Fast {
        Wrapper::wrap_vec(self)
    }
}

impl<'a, T: Original> IntoFast for &'a [T] {
    type Fast = &'a [T::Wrapper];

    fn into_fast(self) -> Self::Fast {
        Wrapper::wrap_slice(self)
    }
}

impl<A: Curve> IntoOriginal for Affine<A> {
    type Original = A;

    fn into_original(self) -> A {
        self.0
    }
}

impl<A: Curve> IntoOriginal for Projective<A> {
    type Original = A::Group;

    fn into_original(self) -> A::Group {
        self.0
    }
}

impl<T: Wrapper> IntoOriginal for Vec<T> {
    type Original = Vec<T::Inner>;

    fn into_original(self) -> Self::Original {
        T::unwrap_vec(self)
    }
}

impl<'a, T: Wrapper> IntoOriginal for &'a [T] {
    type Original = &'a [T::Inner];

    fn into_original(self) -> Self::Original {
        T::unwrap_slice(self)
    }
}

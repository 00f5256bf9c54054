//! The point types of each crate and version, all through the same public functions.
//!
//! `point!` implements [`Api`](crate::point::Api) with the traits that the module around it has
//! imported: every version has traits of the same names.

#[cfg(feature = "axiom")]
mod axiom;
#[cfg(feature = "halo2curves")]
mod halo2curves;
#[cfg(feature = "pasta-0-5")]
mod pasta_0_5;
#[cfg(feature = "pasta-0-6")]
mod pasta_0_6;

/// Copies bytes; returns `false` if there are more or fewer of them than places.
fn copy(bytes: &[u8], out: &mut [u8]) -> bool {
    let fits = bytes.len() == out.len();
    if fits {
        out.copy_from_slice(bytes);
    }
    fits
}

macro_rules! point {
    ($($point:ty => $ark:ty;)*) => {$(
        impl crate::point::Api for $point {
            type Scalar = <Self as CurveAffine>::ScalarExt;
            type Curve = <Self as CurveAffine>::CurveExt;
            type Ark = $ark;

            fn write(&self, out: &mut [u8]) -> bool {
                let (x, y) = out.split_at_mut(out.len() / 2);
                match Option::<Coordinates<Self>>::from(self.coordinates()) {
                    Some(coordinates) => {
                        copy(coordinates.x().to_repr().as_ref(), x)
                            && copy(coordinates.y().to_repr().as_ref(), y)
                    }
                    None => {
                        out.fill(0);
                        self.is_identity().into()
                    }
                }
            }

            fn write_scalar(scalar: &Self::Scalar, out: &mut [u8]) -> bool {
                copy(scalar.to_repr().as_ref(), out)
            }

            fn read(bytes: &[u8]) -> Option<Self::Curve> {
                type Base = <$point as CurveAffine>::Base;
                if bytes.iter().all(|byte| *byte == 0) {
                    return Some(Self::identity().to_curve());
                }
                let coordinate = |bytes: &[u8]| {
                    let mut repr = <Base as PrimeField>::Repr::default();
                    let fits = copy(bytes, repr.as_mut());
                    Option::<Base>::from(Base::from_repr(repr)).filter(|_| fits)
                };
                let (x, y) = bytes.split_at(bytes.len() / 2);
                let point = Self::from_xy(coordinate(x)?, coordinate(y)?);
                Option::<Self>::from(point).map(|point| point.to_curve())
            }

            fn probes() -> Vec<(Self::Scalar, Self)> {
                type Scalar = <$point as CurveAffine>::ScalarExt;
                let small = [0, 1, 2].map(Scalar::from);
                // k ↦ k² + 5 leaves the small integers after a few steps.
                let next = |k: &Scalar| Some(k.square() + Scalar::from(5));
                let large = std::iter::successors(Some(-Scalar::from(1)), next).step_by(3).take(5);
                let multiple = |k: Scalar| (k, (Self::generator() * k).to_affine());
                small.into_iter().chain(large).map(multiple).collect()
            }

            fn layout() -> &'static crate::layout::Cell {
                static LAYOUT: crate::layout::Cell = crate::layout::Cell::new();
                &LAYOUT
            }
        }
    )*};
}

#[cfg(any(
    feature = "axiom",
    feature = "halo2curves",
    feature = "pasta-0-5",
    feature = "pasta-0-6"
))]
use point;

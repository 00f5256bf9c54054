//! Sums and multiples of a few points, with an addition law that is right for every point of the
//! curve.

use num_bigint::BigUint;

use crate::Curve;
use crate::curve::xyzz::{Coordinates, Xyzz};
use crate::curve::{Weierstrass, WordField};

/// `y² = x³ + a·x + b`
pub(super) struct Law<F> {
    addition: Xyzz<F>,
    b: F,
}

impl<F: WordField> Law<F> {
    pub(super) fn of<C: Curve<BaseField = F>>() -> Self {
        let [a, b] = C::weierstrass_coefficients();
        Self { addition: Xyzz { a }, b }
    }

    /// Whether the coordinates are those of a point.
    pub(super) fn has(&self, point: Weierstrass<F>) -> bool {
        point.is_none_or(|(x, y)| y.square() == (x.square() + self.addition.a) * x + self.b)
    }

    /// `k·P`
    pub(super) fn times(&self, point: Weierstrass<F>, k: &BigUint) -> Weierstrass<F> {
        self.multiple(point, k).affine()
    }

    /// The sum of some points and of multiples of others.
    pub(super) fn combination(
        &self,
        points: impl IntoIterator<Item = Weierstrass<F>>,
        multiples: &[(u128, Weierstrass<F>)],
    ) -> Weierstrass<F> {
        let points = points.into_iter().map(Coordinates::of);
        let multiples = multiples.iter().map(|(k, point)| self.multiple(*point, &(*k).into()));
        let add = |total, point| self.addition.sum(&total, &point);
        points.chain(multiples).fold(Coordinates::INFINITY, add).affine()
    }

    fn multiple(&self, point: Weierstrass<F>, k: &BigUint) -> Coordinates<F> {
        let point = Coordinates::of(point);
        (0..k.bits()).rev().fold(Coordinates::INFINITY, |sum, bit| {
            let twice = self.addition.twice(&sum);
            if k.bit(bit) { self.addition.sum(&twice, &point) } else { twice }
        })
    }
}

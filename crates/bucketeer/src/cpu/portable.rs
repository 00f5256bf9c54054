//! Batched affine additions on arkworks' own fields: right on every processor and for every field.

use ark_ff::Field;

use super::arithmetic::{Arithmetic, Coordinates, Pair};
use crate::curve::Weierstrass;

/// The curve `y² = x³ + a·x + b` over `F`.
pub(crate) struct Portable<F> {
    pub a: F,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Point<F> {
    x: F,
    y: F,
    infinite: bool,
}

/// What has to be done for one pair once the denominators are inverted.
#[derive(Clone, Copy)]
enum Case {
    Add,
    Double,
    Left,
    Right,
    Infinity,
}

pub(crate) struct Scratch<F> {
    /// Denominators; inverted in place.
    denominators: Vec<F>,
    cases: Vec<Case>,
    products: Vec<F>,
}

impl<F> Default for Scratch<F> {
    fn default() -> Self {
        Self { denominators: Vec::new(), cases: Vec::new(), products: Vec::new() }
    }
}

impl<F: Field> Portable<F> {
    fn classify(p: &Point<F>, q: &Point<F>) -> (Case, F) {
        if p.infinite {
            (Case::Right, F::ONE)
        } else if q.infinite {
            (Case::Left, F::ONE)
        } else if p.x != q.x {
            (Case::Add, q.x - p.x)
        } else if p.y == q.y && p.y != F::ZERO {
            (Case::Double, p.y.double())
        } else {
            (Case::Infinity, F::ONE)
        }
    }

    /// λ = (y₂−y₁)/(x₂−x₁) or (3x²+a)/(2y); x₃ = λ²−x₁−x₂, y₃ = λ(x₁−x₃)−y₁. 2M+1S after inversion.
    #[inline(never)]
    fn finish(&self, p: &Point<F>, q: &Point<F>, case: Case, inverse: F) -> Point<F> {
        let slope = match case {
            Case::Left => return *p,
            Case::Right => return *q,
            Case::Infinity => return Self::INFINITY,
            Case::Add => (q.y - p.y) * inverse,
            Case::Double => {
                let square = p.x.square();
                (square.double() + square + self.a) * inverse
            }
        };
        let x = slope.square() - p.x - q.x;
        Point { x, y: slope * (p.x - x) - p.y, infinite: false }
    }
}

impl<F: Field> Arithmetic for Portable<F> {
    type Point = Point<F>;
    type Scratch = Scratch<F>;

    const INFINITY: Point<F> = Point { x: F::ZERO, y: F::ZERO, infinite: true };

    fn negate(&self, point: &Point<F>) -> Point<F> {
        Point { y: -point.y, ..*point }
    }

    fn add_pairs(
        &self,
        src: &[Point<F>],
        pairs: &[Pair],
        dst: &mut [Point<F>],
        scratch: &mut Scratch<F>,
    ) {
        let Scratch { denominators, cases, products } = scratch;
        denominators.clear();
        cases.clear();
        products.clear();
        // Montgomery's trick: products[i] = d₀·…·d₍ᵢ₋₁₎.
        let mut product = F::ONE;
        for pair in pairs {
            let p = self.signed(src, pair.a);
            let q = self.signed(src, pair.b);
            let (case, denominator) = Self::classify(&p, &q);
            cases.push(case);
            denominators.push(denominator);
            products.push(product);
            product *= denominator;
        }
        let mut inverse = product.inverse().expect("no denominator is zero");
        for (i, pair) in pairs.iter().enumerate().rev() {
            let own = inverse * products[i];
            inverse *= denominators[i];
            let p = self.signed(src, pair.a);
            let q = self.signed(src, pair.b);
            dst[pair.out as usize] = self.finish(&p, &q, cases[i], own);
        }
    }
}

impl<F: Field> Coordinates<F> for Portable<F> {
    fn pack(&self, points: &[Weierstrass<F>], out: &mut [Point<F>]) {
        for (point, out) in points.iter().zip(out) {
            *out = match *point {
                None => Self::INFINITY,
                Some((x, y)) => Point { x, y, infinite: false },
            };
        }
    }

    fn unpack(&self, point: &Point<F>) -> Weierstrass<F> {
        (!point.infinite).then_some((point.x, point.y))
    }
}

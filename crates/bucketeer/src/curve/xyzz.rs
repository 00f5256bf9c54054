//! Points one at a time, without inversions: XYZZ coordinates (x = X/ZZ, y = Y/ZZZ, ZZ³ = ZZZ²) on
//! `y² = x³ + a·x + b`, on arkworks' field. Formulas: EFD shortw/xyzz.

use ark_ff::Field;

/// The curve `y² = x³ + a·x + b` over `F`.
pub(crate) struct Xyzz<F> {
    pub a: F,
}

/// A point in XYZZ coordinates.
#[derive(Clone, Copy)]
pub(crate) struct Coordinates<F> {
    pub x: F,
    pub y: F,
    pub zz: F,
    pub zzz: F,
}

impl<F: Field> Coordinates<F> {
    pub(crate) const INFINITY: Self = Self { x: F::ZERO, y: F::ZERO, zz: F::ZERO, zzz: F::ZERO };

    /// An affine point; `None` is infinity.
    pub(crate) fn of(point: Option<(F, F)>) -> Self {
        point.map_or(Self::INFINITY, |(x, y)| Self { x, y, zz: F::ONE, zzz: F::ONE })
    }

    /// Affine coordinates; `None` is infinity.
    pub(crate) fn affine(&self) -> Option<(F, F)> {
        let inverse = (self.zz * self.zzz).inverse()?;
        Some((self.x * self.zzz * inverse, self.y * self.zz * inverse))
    }
}

impl<F: Field> Xyzz<F> {
    /// dbl-2008-s-1, 6M+4S and a product by a, 6M+3S where a = 0
    pub(crate) fn twice(&self, p: &Coordinates<F>) -> Coordinates<F> {
        let u = p.y.double();
        let v = u.square();
        let w = u * v;
        let s = p.x * v;
        let square = p.x.square();
        let mut m = square.double() + square;
        if self.a != F::ZERO {
            m += self.a * p.zz.square();
        }
        let x = m.square() - s.double();
        Coordinates { x, y: m * (s - x) - w * p.y, zz: v * p.zz, zzz: w * p.zzz }
    }

    /// add-2008-s, 12M+2S
    pub(crate) fn sum(&self, p1: &Coordinates<F>, p2: &Coordinates<F>) -> Coordinates<F> {
        if p1.zz == F::ZERO {
            return *p2;
        }
        if p2.zz == F::ZERO {
            return *p1;
        }
        let (u1, u2) = (p1.x * p2.zz, p2.x * p1.zz);
        let (s1, s2) = (p1.y * p2.zzz, p2.y * p1.zzz);
        let (p, r) = (u2 - u1, s2 - s1);
        if p == F::ZERO {
            return if r == F::ZERO { self.twice(p1) } else { Coordinates::INFINITY };
        }
        let pp = p.square();
        let ppp = p * pp;
        let q = u1 * pp;
        let x = r.square() - ppp - q.double();
        let y = r * (q - x) - s1 * ppp;
        Coordinates { x, y, zz: p1.zz * p2.zz * pp, zzz: p1.zzz * p2.zzz * ppp }
    }
}

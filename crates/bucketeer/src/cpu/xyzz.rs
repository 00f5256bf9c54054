//! One point at a time, without inversions: XYZZ coordinates (x = X/ZZ, y = Y/ZZZ, ZZ³ = ZZZ²) on
//! `y² = x³ + a·x + b`. Used where additions cannot be batched — the combine stage and the plain
//! variants of accumulate and reduce. Formulas: EFD shortw/xyzz. Out of line, because a formula is some
//! ten inlined field products and every stage of every curve would otherwise repeat them.

use ark_ff::Field;

use crate::curve::Weierstrass;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Xyzz<F> {
    x: F,
    y: F,
    zz: F,
    zzz: F,
}

impl<F: Field> Xyzz<F> {
    pub(crate) const INFINITY: Self = Self { x: F::ONE, y: F::ONE, zz: F::ZERO, zzz: F::ZERO };

    fn is_infinity(&self) -> bool {
        self.zz == F::ZERO
    }

    pub(crate) fn from_affine(point: &Weierstrass<F>) -> Self {
        match *point {
            None => Self::INFINITY,
            Some((x, y)) => Self { x, y, zz: F::ONE, zzz: F::ONE },
        }
    }

    #[inline(never)]
    pub(crate) fn to_affine(self) -> Weierstrass<F> {
        if self.is_infinity() {
            return None;
        }
        let inverse = (self.zz * self.zzz).inverse().expect("a finite point has ZZ ≠ 0");
        Some((self.x * self.zzz * inverse, self.y * self.zz * inverse))
    }

    /// dbl-2008-s-1, 6M+4S
    #[inline(never)]
    pub(crate) fn double(&self, a: &F) -> Self {
        let u = self.y.double();
        let v = u.square();
        let w = u * v;
        let s = self.x * v;
        let square = self.x.square();
        let mut m = square.double() + square;
        if *a != F::ZERO {
            m += *a * self.zz.square();
        }
        let x = m.square() - s.double();
        Self { x, y: m * (s - x) - w * self.y, zz: v * self.zz, zzz: w * self.zzz }
    }

    /// add-2008-s, 12M+2S
    #[inline(never)]
    pub(crate) fn add(&self, other: &Self, a: &F) -> Self {
        if self.is_infinity() {
            return *other;
        }
        if other.is_infinity() {
            return *self;
        }
        let (u1, u2) = (self.x * other.zz, other.x * self.zz);
        let (s1, s2) = (self.y * other.zzz, other.y * self.zzz);
        let (p, r) = (u2 - u1, s2 - s1);
        if p == F::ZERO {
            return if r == F::ZERO { self.double(a) } else { Self::INFINITY };
        }
        let pp = p.square();
        let ppp = p * pp;
        let q = u1 * pp;
        let x = r.square() - ppp - q.double();
        Self {
            x,
            y: r * (q - x) - s1 * ppp,
            zz: self.zz * other.zz * pp,
            zzz: self.zzz * other.zzz * ppp,
        }
    }

    /// madd-2008-s, 8M+2S
    #[inline(never)]
    pub(crate) fn add_affine(&self, other: &Weierstrass<F>, a: &F) -> Self {
        let Some((x2, y2)) = *other else { return *self };
        if self.is_infinity() {
            return Self::from_affine(other);
        }
        let (p, r) = (x2 * self.zz - self.x, y2 * self.zzz - self.y);
        if p == F::ZERO {
            return if r == F::ZERO { self.double(a) } else { Self::INFINITY };
        }
        let pp = p.square();
        let ppp = p * pp;
        let q = self.x * pp;
        let x = r.square() - ppp - q.double();
        Self { x, y: r * (q - x) - self.y * ppp, zz: self.zz * pp, zzz: self.zzz * ppp }
    }

    /// Double-and-add, for the small multiples of sliced reductions.
    #[inline(never)]
    pub(crate) fn mul(&self, k: u64, a: &F) -> Self {
        let mut sum = Self::INFINITY;
        for bit in (0..u64::BITS - k.leading_zeros()).rev() {
            sum = sum.double(a);
            if k >> bit & 1 == 1 {
                sum = sum.add(self, a);
            }
        }
        sum
    }
}

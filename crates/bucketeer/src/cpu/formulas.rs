//! Points one at a time, without inversions: XYZZ coordinates (x = X/ZZ, y = Y/ZZZ, ZZ³ = ZZZ²) on
//! `y² = x³ + a·x + b`, on arkworks' field. Formulas: EFD shortw/xyzz.

use ark_ff::Field;

use super::kernel::{Formulas, Infinity, Point, Wide, is_infinity};
use crate::WordField;

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

/// The element in the first words of half a point.
#[inline(always)]
pub(crate) fn read<F: WordField>(words: &[u64]) -> F {
    F::read_words(&words[..F::WORDS])
}

/// Writes an element into half a point.
#[inline(always)]
pub(crate) fn write<F: WordField>(element: &F, words: &mut [u64]) {
    let (used, rest) = words.split_at_mut(F::WORDS);
    element.write_words(used);
    rest.fill(0);
}

/// The point with these coordinates.
pub(crate) fn point<F: WordField, const W: usize>(x: &F, y: &F) -> Point<W> {
    let mut out = [0; W];
    write(x, &mut out[..W / 2]);
    write(y, &mut out[W / 2..]);
    out
}

fn load<F: WordField, const W: usize>(wide: &Wide<W>) -> Coordinates<F> {
    let [p, z] = &wide.0;
    Coordinates {
        x: read(&p[..W / 2]),
        y: read(&p[W / 2..]),
        zz: read(&z[..W / 2]),
        zzz: read(&z[W / 2..]),
    }
}

fn store<F: WordField, const W: usize>(c: &Coordinates<F>) -> Wide<W> {
    Wide([point(&c.x, &c.y), point(&c.zz, &c.zzz)])
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

impl<F: WordField, const W: usize> Formulas<W> for Xyzz<F> {
    fn add(&self, a: &Wide<W>, b: &Wide<W>) -> Wide<W> {
        store(&self.sum(&load(a), &load(b)))
    }

    /// madd-2008-s, 8M+2S
    fn add_point(&self, a: &Wide<W>, b: &Point<W>) -> Wide<W> {
        if is_infinity(b) {
            return *a;
        }
        let p1 = load::<F, W>(a);
        let (x2, y2): (F, F) = (read(&b[..W / 2]), read(&b[W / 2..]));
        if p1.zz == F::ZERO {
            return store(&Coordinates { x: x2, y: y2, zz: F::ONE, zzz: F::ONE });
        }
        let (p, r) = (x2 * p1.zz - p1.x, y2 * p1.zzz - p1.y);
        if p == F::ZERO {
            return if r == F::ZERO { store(&self.twice(&p1)) } else { Wide::INFINITY };
        }
        let pp = p.square();
        let ppp = p * pp;
        let q = p1.x * pp;
        let x = r.square() - ppp - q.double();
        let y = r * (q - x) - p1.y * ppp;
        store(&Coordinates { x, y, zz: p1.zz * pp, zzz: p1.zzz * ppp })
    }

    fn double(&self, a: &Wide<W>) -> Wide<W> {
        store(&self.twice(&load(a)))
    }

    fn to_point(&self, a: &Wide<W>) -> Point<W> {
        load::<F, W>(a).affine().map_or(Infinity::POINT, |(x, y)| point(&x, &y))
    }
}

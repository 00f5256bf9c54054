//! Additions of single points in XYZZ coordinates ([`Xyzz`]), on points of W words.

use super::kernel::{ArkPoint, Formulas, XyzzPoint, is_infinity};
use crate::WordField;
use crate::curve::xyzz::{Coordinates, Xyzz};
use crate::curve::{read_element as read, write_element as write};

/// Two elements as the halves of W words.
fn halves<F: WordField, const W: usize>(x: &F, y: &F) -> [u64; W] {
    let mut out = [0; W];
    write(x, &mut out[..W / 2]);
    write(y, &mut out[W / 2..]);
    out
}

/// The point with these coordinates.
pub(crate) fn point<F: WordField, const W: usize>(x: &F, y: &F) -> ArkPoint<W> {
    ArkPoint(halves(x, y))
}

fn load<F: WordField, const W: usize>(wide: &XyzzPoint<W>) -> Coordinates<F> {
    let [p, z] = &wide.0;
    Coordinates {
        x: read(&p[..W / 2]),
        y: read(&p[W / 2..]),
        zz: read(&z[..W / 2]),
        zzz: read(&z[W / 2..]),
    }
}

fn store<F: WordField, const W: usize>(c: &Coordinates<F>) -> XyzzPoint<W> {
    XyzzPoint([halves(&c.x, &c.y), halves(&c.zz, &c.zzz)])
}

impl<F: WordField, const W: usize> Formulas<W> for Xyzz<F> {
    fn add(&self, a: &XyzzPoint<W>, b: &XyzzPoint<W>) -> XyzzPoint<W> {
        store(&self.sum(&load(a), &load(b)))
    }

    /// madd-2008-s, 8M+2S
    fn add_point(&self, a: &XyzzPoint<W>, ArkPoint(b): &ArkPoint<W>) -> XyzzPoint<W> {
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
            return if r == F::ZERO { store(&self.twice(&p1)) } else { XyzzPoint::INFINITY };
        }
        let pp = p.square();
        let ppp = p * pp;
        let q = p1.x * pp;
        let x = r.square() - ppp - q.double();
        let y = r * (q - x) - p1.y * ppp;
        store(&Coordinates { x, y, zz: p1.zz * pp, zzz: p1.zzz * ppp })
    }

    fn double(&self, a: &XyzzPoint<W>) -> XyzzPoint<W> {
        store(&self.twice(&load(a)))
    }

    fn to_point(&self, a: &XyzzPoint<W>) -> ArkPoint<W> {
        load::<F, W>(a).affine().map_or(ArkPoint::INFINITY, |(x, y)| point(&x, &y))
    }
}

//! Twisted Edwards points → short Weierstrass, with one inversion for all: `curve/edwards.rs` has the map. 8M a
//! point.

use super::arithmetic::Arithmetic;
use super::{Portable, infinite};
use crate::cpu::kernel::Point;

/// Constants of the map.
pub(super) struct Edwards<E> {
    /// 1/B
    pub factor: E,
    /// A/3B
    pub offset: E,
}

impl<F: Arithmetic, const W: usize> Portable<F, W> {
    /// Carries points over, in place. Infinity stays as it is, and (0, −1) ↦ (A/3B, 0) comes out of the
    /// formulas with any denominator.
    pub(super) fn import_edwards(&self, points: &mut [Point<W>], map: &Edwards<F::Element>) {
        #[cfg(target_arch = "x86_64")]
        if F::ADX {
            // SAFETY: such a field is made only where the processor has the instructions.
            return unsafe { self.carry_over_adx(points, map) };
        }
        self.carry_over(points, map);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2,adx")]
    fn carry_over_adx(&self, points: &mut [Point<W>], map: &Edwards<F::Element>) {
        self.carry_over(points, map);
    }

    #[inline(always)]
    fn carry_over(&self, points: &mut [Point<W>], map: &Edwards<F::Element>) {
        let f = &self.field;
        let (zero, one) = (f.zero(), f.one());
        // Denominators (1 − y)·x and the products of all before.
        let mut steps = Vec::with_capacity(points.len());
        let mut product = one;
        for point in &*points {
            let d = f.mul(&f.sub(&one, &self.y(point)), &self.x(point));
            let d = if infinite(point) || d == zero { one } else { d };
            steps.push((d, product));
            product = f.mul(&product, &d);
        }
        let mut inverse = f.invert(&product);
        for (point, (d, before)) in points.iter_mut().zip(&steps).rev() {
            let own = f.mul(&inverse, before);
            inverse = f.mul(&inverse, d);
            if infinite(point) {
                continue;
            }
            let v = f.mul(&f.add(&one, &self.y(point)), &own);
            let u = f.mul(&v, &self.x(point));
            let x = f.add(&f.mul(&u, &map.factor), &map.offset);
            let y = f.mul(&v, &map.factor);
            f.write(&x, &mut point[..W / 2]);
            f.write(&y, &mut point[W / 2..]);
        }
    }
}

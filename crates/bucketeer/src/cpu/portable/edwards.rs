//! Twisted Edwards points → short Weierstrass by batch inversion, 8M per point. `curve/edwards.rs`
//! has the map.

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
    /// Maps points in place. Infinity stays as it is, and (0, −1) ↦ (A/3B, 0) follows from the
    /// formulas with any denominator.
    pub(super) fn import_edwards(&self, points: &mut [Point<W>], map: &Edwards<F::Element>) {
        #[cfg(target_arch = "x86_64")]
        if F::ADX {
            // SAFETY: such a field is built only if the processor has the instructions.
            return unsafe { self.convert_adx(points, map) };
        }
        self.convert(points, map);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2,adx")]
    fn convert_adx(&self, points: &mut [Point<W>], map: &Edwards<F::Element>) {
        self.convert(points, map);
    }

    #[inline(always)]
    fn convert(&self, points: &mut [Point<W>], map: &Edwards<F::Element>) {
        let f = &self.field;
        let mul = |a: &F::Element, b: &F::Element| f.mul(F::loose(a), F::loose(b));
        let (zero, one) = (f.zero(), f.one());
        // Denominators (1 − y)·x, and the product of all before each.
        let mut steps = Vec::with_capacity(points.len());
        let mut product = one;
        for point in &*points {
            let difference = f.sub(&one, F::loose(&self.y(point)));
            let d = mul(&difference, &self.x(point));
            let d = if infinite(point) || d == zero { one } else { d };
            steps.push((d, product));
            product = mul(&product, &d);
        }
        let mut inverse = f.invert(F::widen(F::loose(&product)));
        for (point, (d, before)) in points.iter_mut().zip(&steps).rev() {
            let own = mul(&inverse, before);
            inverse = mul(&inverse, d);
            if infinite(point) {
                continue;
            }
            let v = mul(&f.add(&one, F::loose(&self.y(point))), &own);
            let u = mul(&v, &self.x(point));
            let x = f.add(&mul(&u, &map.factor), F::loose(&map.offset));
            let y = mul(&v, &map.factor);
            f.write(&x, &mut point[..W / 2]);
            f.write(&y, &mut point[W / 2..]);
        }
    }
}

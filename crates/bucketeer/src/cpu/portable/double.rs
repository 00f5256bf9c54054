//! Repeated doublings in Jacobian coordinates: x = X/Z², y = Y/Z³. They need no inversion in
//! between; one at the end serves all points.
//!
//! With E = 3X² + a·Z⁴, S = Y² and T = 4·X·S, twice a point is X' = E² − 2T,
//! Y' = E·(T − X') − 8S², Z' = 2Y·Z: 3M+4S, and another product for a·Z⁴ if a ≠ 0.
//!
//! No case is exceptional: twice a point with y = 0 has Z' = 0, and so has every multiple of that.

use super::arithmetic::Arithmetic;
use super::{Portable, infinite};
use crate::cpu::buffer::clear_with_capacity;
use crate::cpu::kernel::{Point, infinity};

/// A point after all doublings, and the product of Z over all points before it.
pub(super) struct Step<E> {
    x: E,
    y: E,
    /// `None` if the result is infinity.
    z: Option<E>,
    before: E,
}

impl<F: Arithmetic, const W: usize> Portable<F, W> {
    #[inline(always)]
    pub(super) fn double_all(
        &self,
        points: &mut [Point<W>],
        times: u32,
        steps: &mut Vec<Step<F::Element>>,
    ) {
        let f = &self.field;
        let mul = |a: &F::Element, b: &F::Element| f.mul(F::loose(a), F::loose(b));
        clear_with_capacity(steps, points.len());
        let mut product = f.one();
        for point in &*points {
            let (x, y, z) = match self.a == f.zero() {
                true => self.double_point::<false>(point, times),
                false => self.double_point::<true>(point, times),
            };
            let z = (!infinite(point) && z != f.zero()).then_some(z);
            steps.push(Step { x, y, z, before: product });
            if let Some(z) = &z {
                product = mul(&product, z);
            }
        }
        let inverse = f.invert(F::widen(F::loose(&product)));
        let mut inverse = inverse;
        for (point, step) in points.iter_mut().zip(&*steps).rev() {
            let Some(z) = &step.z else {
                *point = infinity();
                continue;
            };
            let own = mul(&inverse, &step.before);
            inverse = mul(&inverse, z);
            let square = f.square(F::loose(&own));
            f.write(&mul(&step.x, &square), &mut point[..W / 2]);
            f.write(&mul(&step.y, &mul(&square, &own)), &mut point[W / 2..]);
        }
    }

    /// X, Y and Z after some doublings, meaningless for infinity. `A`: a ≠ 0.
    #[inline(always)]
    fn double_point<const A: bool>(
        &self,
        point: &Point<W>,
        times: u32,
    ) -> (F::Element, F::Element, F::Element) {
        let f = &self.field;
        let mul = |a: &F::Element, b: &F::Element| f.mul(F::loose(a), F::loose(b));
        let square = |a: &F::Element| f.square(F::loose(a));
        let add = |a: &F::Element, b: &F::Element| f.add(a, F::loose(b));
        let sub = |a: &F::Element, b: &F::Element| f.sub(a, F::loose(b));
        let twice = |a: &F::Element| f.add(a, F::loose(a));
        if infinite(point) {
            return (f.zero(), f.zero(), f.zero());
        }
        let (mut x, mut y, mut z) = (*self.x(point), *self.y(point), f.one());
        let mut fourth = self.a;
        for _ in 0..times {
            let (xx, s) = (square(&x), square(&y));
            let mut e = add(&twice(&xx), &xx);
            if A {
                e = add(&e, &fourth);
            }
            let t = twice(&twice(&mul(&x, &s)));
            let eight = twice(&twice(&twice(&square(&s))));
            z = twice(&mul(&y, &z));
            x = sub(&square(&e), &twice(&t));
            y = sub(&mul(&e, &sub(&t, &x)), &eight);
            if A {
                fourth = mul(&fourth, &twice(&eight));
            }
        }
        (x, y, z)
    }

    /// The same, compiled for BMI2 and ADX.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2,adx")]
    pub(super) fn double_all_adx(
        &self,
        points: &mut [Point<W>],
        times: u32,
        steps: &mut Vec<Step<F::Element>>,
    ) {
        self.double_all(points, times, steps);
    }
}

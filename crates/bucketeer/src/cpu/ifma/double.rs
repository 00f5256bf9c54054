//! Repeated doublings, eight points at a time, in Jacobian coordinates: x = X/Z², y = Y/Z³. They
//! need no inversion in between; one at the end serves all points.
//!
//! With E = (3X² + a·Z⁴)/2, S = Y² and T = X·S, twice a point is
//! X' = E² − 2T, Y' = E·(T − X') − S², Z' = Y·Z: 3M+4S, and another product for a·Z⁴ if a ≠ 0.
//!
//! No case is exceptional: twice a point with y = 0 has Z' = 0, and so has every multiple of that.

use super::extension::{Element, Product};
use super::field::{Below, Canonical, Value};
use super::vector::Curve;
use crate::cpu::buffer::clear_with_capacity;

/// Eight points.
#[derive(Clone, Copy)]
struct Jacobian<const L: usize, const D: usize> {
    x: Product<L, D>,
    y: Product<L, D>,
    z: Product<L, D>,
}

/// Eight points after all doublings.
struct Step<const L: usize, const D: usize> {
    point: Jacobian<L, D>,
    /// Product of Z over all groups before.
    before: Product<L, D>,
    /// Lanes whose result is infinity.
    infinite: u8,
}

/// Working memory, one item per group of eight points.
pub(super) struct Doublings<const L: usize, const D: usize> {
    steps: Vec<Step<L, D>>,
}

impl<const L: usize, const D: usize> Default for Doublings<L, D> {
    fn default() -> Self {
        Self { steps: Vec::new() }
    }
}

impl<const W: usize, const L: usize, const D: usize> Curve<W, L, D> {
    /// Doubles every point `times` times.
    ///
    /// # Safety
    /// AVX-512 F, DQ, VL and IFMA.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) unsafe fn double(
        &self,
        points: &mut [[u64; W]],
        times: u32,
        scratch: &mut Doublings<L, D>,
    ) {
        let groups = points.len().div_ceil(8);
        let steps = &mut scratch.steps;
        clear_with_capacity(steps, groups);
        // SAFETY: the pointers are to points of the slice, W words each.
        unsafe {
            let mut product: Product<L, D> = self.field.one().widen();
            let mut group = 0;
            while group < groups {
                if Self::PAIRED && group + 2 <= groups {
                    let pointers = [eight(points, 8 * group), eight(points, 8 * group + 8)];
                    self.double_groups(pointers, times, &mut product, steps);
                    group += 2;
                } else {
                    self.double_groups([eight(points, 8 * group)], times, &mut product, steps);
                    group += 1;
                }
            }
            let mut inverse = self.invert(&product);
            for (group, step) in steps.iter().enumerate().rev() {
                self.store_affine(step, &mut inverse, &eight(points, 8 * group));
            }
        }
    }

    /// Doubles K groups, interleaved step by step: a single group would stall on its own results.
    #[inline(always)]
    unsafe fn double_groups<const K: usize>(
        &self,
        pointers: [[*mut u64; 8]; K],
        times: u32,
        product: &mut Product<L, D>,
        steps: &mut Vec<Step<L, D>>,
    ) {
        // SAFETY: AVX-512, and pointers to the W words of a point, as the caller promises.
        unsafe {
            let f = &self.field;
            let one: Product<L, D> = f.one().widen();
            let zero: Product<L, D> = Element::zero();
            let mut points = [Jacobian { x: zero, y: zero, z: one }; K];
            let mut infinite = [0; K];
            // a·Z⁴
            let mut fourth = [zero; K];
            for k in 0..K {
                let from = pointers[k].map(<*mut u64>::cast_const);
                let x = self.load(&from, 0);
                infinite[k] = self.infinite(&x);
                (points[k].x, points[k].y) = (x.widen(), self.load(&from, 1).widen());
                fourth[k] = self.coefficient().widen();
            }
            if self.has_a {
                for _ in 0..times {
                    self.double_once::<K, true>(&mut points, &mut fourth);
                }
            } else {
                for _ in 0..times {
                    self.double_once::<K, false>(&mut points, &mut fourth);
                }
            }
            for k in 0..K {
                let mut point = points[k];
                infinite[k] |= f.equal(&f.canonical(&point.z), &Element::zero());
                point.z = f.blend(infinite[k], &point.z, &one);
                steps.push(Step { point, before: *product, infinite: infinite[k] });
                *product = f.mul(product, &point.z);
            }
        }
    }

    /// One doubling of K groups. `fourth` is a·Z⁴, and taken for zero unless `A`.
    #[inline(always)]
    unsafe fn double_once<const K: usize, const A: bool>(
        &self,
        points: &mut [Jacobian<L, D>; K],
        fourth: &mut [Product<L, D>; K],
    ) {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let f = &self.field;
            let zero: Product<L, D> = Element::zero();
            let (mut e, mut s, mut t, mut s2) = ([zero; K], [zero; K], [zero; K], [zero; K]);
            let mut x3 = [zero; K];
            for k in 0..K {
                e[k] = f.square(&points[k].x);
            }
            for k in 0..K {
                s[k] = f.square(&points[k].y);
                points[k].z = f.mul(&points[k].y, &points[k].z);
            }
            for k in 0..K {
                e[k] = f.half_tangent::<A>(&e[k], &fourth[k]);
                t[k] = f.mul(&points[k].x, &s[k]);
            }
            for k in 0..K {
                let square = f.square(&e[k]);
                let x: Element<Below<L, 4>, D> = f.trim(&f.minus_twice(&square, &t[k]));
                x3[k] = f.trim(&x);
                s2[k] = f.square(&s[k]);
            }
            for k in 0..K {
                let run: Element<Below<L, 4>, D> = f.sub(&t[k], &x3[k]);
                let run: Product<L, D> = f.trim(&run);
                let product = f.mul_loose(&e[k], &run);
                let y: Element<Below<L, 4>, D> = f.sub(&product, &s2[k]);
                (points[k].x, points[k].y) = (x3[k], f.trim(&y));
                if A {
                    fourth[k] = f.mul(&fourth[k], &s2[k]);
                }
            }
        }
    }

    /// Writes eight points in affine form. `inverse` is the inverse of the product of all Z up to
    /// this step on entry, and of all before on return.
    #[inline(always)]
    unsafe fn store_affine(
        &self,
        step: &Step<L, D>,
        inverse: &mut Product<L, D>,
        out: &[*mut u64; 8],
    ) {
        // SAFETY: AVX-512, and pointers to the W words of a point, as the caller promises.
        unsafe {
            let f = &self.field;
            let own = f.mul(inverse, &step.before);
            *inverse = f.mul(inverse, &step.point.z);
            let square = f.square(&own);
            let x = f.canonical(&f.mul(&step.point.x, &square));
            let y = f.canonical(&f.mul(&step.point.y, &f.mul(&square, &own)));
            self.store(&x, &y, out);
            for lane in 0..8 {
                if step.infinite >> lane & 1 == 1 {
                    std::slice::from_raw_parts_mut(out[lane], W).fill(u64::MAX);
                }
            }
        }
    }

    /// a in all lanes.
    #[inline(always)]
    pub(super) unsafe fn coefficient(&self) -> Element<Canonical<L>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut a = Element([Canonical::zero(); D]);
            for i in 0..D {
                a.0[i] = self.a[i].splat();
            }
            a
        }
    }
}

/// The points from `first` on; the last one is repeated if there are fewer than eight.
#[inline(always)]
pub(super) fn eight<const W: usize>(points: &mut [[u64; W]], first: usize) -> [*mut u64; 8] {
    let mut out = [std::ptr::null_mut(); 8];
    let last = points.len() - 1;
    for lane in 0..8 {
        out[lane] = points[(first + lane).min(last)].as_mut_ptr();
    }
    out
}

//! Special groups: those with an infinity, a doubling or opposite points in some lane.
//!
//! Nothing here is inlined into the loops of [`vector`](super::vector), to keep them small.

use super::extension::{Element, Product};
use super::field::{Below, Canonical};
use super::groups::Group;
use super::vector::Curve;

/// Masks of the lanes that are doublings, that keep the left or the right operand since the other
/// is infinity, or whose sum is infinity. All other lanes are plain additions.
struct Cases {
    double: u8,
    left: u8,
    right: u8,
    infinity: u8,
}

impl<const W: usize, const L: usize, const D: usize> Curve<W, L, D> {
    /// y with the signs of its lanes applied, in canonical form.
    #[inline(always)]
    unsafe fn canonical_y(
        &self,
        points: &[*const u64; 8],
        negative: u8,
    ) -> Element<Canonical<L>, D> {
        // SAFETY: AVX-512, and pointers to the W words of a point, as the caller promises.
        unsafe { self.field.canonical_signed(&self.load_y(points, negative)) }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    #[inline(never)]
    unsafe fn cases(
        &self,
        group: &Group,
        x1: &Element<Canonical<L>, D>,
        x2: &Element<Canonical<L>, D>,
    ) -> Cases {
        // SAFETY: AVX-512, and pointers to the W words of a point, as the caller promises.
        unsafe {
            let f = &self.field;
            let (right, inf2) = (self.infinite(x1), self.infinite(x2));
            let left = inf2 & !right;
            let same_x = f.equal(x1, x2) & !right & !inf2;
            let y1 = self.canonical_y(&group.a, group.negative_a);
            let y2 = self.canonical_y(&group.b, group.negative_b);
            let double = same_x & f.equal(&y1, &y2) & !f.equal(&y1, &Element::zero());
            Cases { double, left, right, infinity: same_x & !double }
        }
    }

    /// 2y for doublings, 1 in lanes without an addition, `d` in others.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    #[inline(never)]
    pub(super) unsafe fn special_denominator(
        &self,
        group: &Group,
        x1: &Element<Canonical<L>, D>,
        x2: &Element<Canonical<L>, D>,
        d: &Element<Below<L, 2>, D>,
    ) -> Element<Below<L, 2>, D> {
        // SAFETY: AVX-512, and pointers to the W words of a point, as the caller promises.
        unsafe {
            let f = &self.field;
            let cases = self.cases(group, x1, x2);
            let y = self.canonical_y(&group.a, group.negative_a);
            let twice: Element<Below<L, 2>, D> = f.add(&y, &y);
            let d: Element<Below<L, 2>, D> = f.blend(cases.double, d, &twice);
            f.blend(cases.left | cases.right | cases.infinity, &d, &f.one())
        }
    }

    /// The sums of a special group, from the inverses of its denominators.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    #[inline(never)]
    pub(super) unsafe fn finish_special(
        &self,
        group: &Group,
        inverse: &Product<L, D>,
        out: &[*mut u64; 8],
    ) {
        // SAFETY: AVX-512, and pointers to the W words of a point, as the caller promises.
        unsafe {
            let f = &self.field;
            let (x1, x2) = (self.load(&group.a, 0), self.load(&group.b, 0));
            let y1 = self.canonical_y(&group.a, group.negative_a);
            let y2 = self.canonical_y(&group.b, group.negative_b);
            let cases = self.cases(group, &x1, &x2);
            let rise: Element<Below<L, 2>, D> = f.sub(&y2, &y1);
            let rise: Element<Below<L, 2>, D> = f.blend(cases.double, &rise, &self.tangent(&x1));
            let d = f.sub(&x2, &x1);
            let slope = f.mul(&rise, inverse);
            let mut x3 = self.third_x(&f.square(&slope).loose(), &x1, &d);
            let run: Element<Below<L, 2>, D> = f.sub(&x1, &x3);
            let mut y3 = self.third_y(&f.mul(&slope, &run).loose(), &y1);
            (x3, y3) = (f.blend(cases.right, &x3, &x2), f.blend(cases.right, &y3, &y2));
            (x3, y3) = (f.blend(cases.left, &x3, &x1), f.blend(cases.left, &y3, &y1));
            self.store(&x3, &y3, out);
            for (lane, out) in out.iter().enumerate() {
                if cases.infinity >> lane & 1 == 1 {
                    std::slice::from_raw_parts_mut(*out, W).fill(u64::MAX);
                }
            }
            self.store_infinities(group, &cases, out);
        }
    }

    /// An infinite operand that is the sum keeps its encoding.
    #[inline(always)]
    unsafe fn store_infinities(&self, group: &Group, cases: &Cases, out: &[*mut u64; 8]) {
        for lane in 0..8 {
            // Both infinite: the sum is the right operand.
            if cases.right >> lane & 1 == 1 {
                // SAFETY: the pointers are valid for W words.
                unsafe {
                    if std::slice::from_raw_parts(group.b[lane], Self::N)
                        .iter()
                        .all(|&word| word == u64::MAX)
                    {
                        std::slice::from_raw_parts_mut(out[lane], W).fill(u64::MAX);
                    }
                }
            }
        }
    }

    /// 3x² + a
    #[inline(always)]
    unsafe fn tangent(&self, x: &Element<Canonical<L>, D>) -> Element<Below<L, 2>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let f = &self.field;
            let square = f.canonical(&f.square(x));
            let twice: Element<Below<L, 2>, D> = f.add(&square, &square);
            let rest: Element<Below<L, 2>, D> = f.add(&square, &self.coefficient());
            let sum: Element<Below<L, 4>, D> = f.add(&twice, &rest);
            f.trim(&sum)
        }
    }
}

//! Twisted Edwards points → short Weierstrass, eight at a time. `curve/edwards.rs` has the map:
//! v = (1 + y)/((1 − y)·x), u = v·x, and with 1/B = (a − d)/4 and A/3B = (a + d)/6 the image is
//! (u/B + (a + d)/6, v/B). Batch inversion, 8M per point.
//!
//! Coordinates come in arkworks' form, x·S with S = 2^(64·N), and leave in the kernel's form, x·R.
//! The constants absorb the factors in between: a product is a·b/R, so with d = (1 − y)·x·S²/R its
//! inverse is R²/d = R³/((1 − y)·x·S²); v comes as v·R²/S, and u as u·R.

use num_bigint::BigUint;

use super::double::eight;
use super::extension::{Element, Product};
use super::field::{Below, Canonical, Residue};
use super::lanes::LIMB_BITS;
use super::vector::Curve;
use crate::CurveSpec;

/// Constants of the map.
pub(super) struct Edwards<const L: usize> {
    /// S
    one: Residue<L>,
    /// R/B
    x_factor: Residue<L>,
    /// R·(a + d)/6
    x_offset: Residue<L>,
    /// S/B
    y_factor: Residue<L>,
}

impl<const L: usize> Edwards<L> {
    /// For twisted Edwards curves over prime fields.
    pub(super) fn new(curve: &CurveSpec) -> Option<Self> {
        let [inverse_of_b, offset] = curve.edwards_to_weierstrass()?;
        let p = &curve.modulus;
        let (own, ark) = (LIMB_BITS * L, 64 * curve.limbs);
        let scaled = |value: &BigUint, bits: usize| Residue::shifted(value, bits, p);
        Some(Self {
            one: scaled(&BigUint::from(1u32), ark),
            x_factor: scaled(&inverse_of_b, own),
            x_offset: scaled(&offset, own),
            y_factor: scaled(&inverse_of_b, ark),
        })
    }
}

/// Results of the forward loop for eight points, which the backward loop needs.
struct Step<const L: usize, const D: usize> {
    d: Product<L, D>,
    /// Product of all denominators before.
    before: Product<L, D>,
}

/// Eight points.
struct Eight<const L: usize, const D: usize> {
    x: Element<Canonical<L>, D>,
    y: Element<Canonical<L>, D>,
    infinite: u8,
}

impl<const W: usize, const L: usize, const D: usize> Curve<W, L, D> {
    /// Maps points in place. Infinity stays as it is, and (0, −1) ↦ ((a + d)/6, 0) follows from the
    /// formulas with any denominator.
    ///
    /// # Safety
    /// AVX-512 F, DQ, VL and IFMA.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) unsafe fn import_edwards(&self, points: &mut [[u64; W]], map: &Edwards<L>) {
        // SAFETY: the pointers are to points of the slice, W words each.
        unsafe {
            let f = &self.field;
            let (zero, one) = (Element::zero(), self.splat(&map.one));
            let mut steps = Vec::with_capacity(points.len().div_ceil(8));
            let mut product: Product<L, D> = f.one().widen();
            for first in (0..points.len()).step_by(8) {
                let Eight { x, y, .. } = self.load_edwards(&eight(points, first));
                let difference: Element<Below<L, 2>, D> = f.sub(&one, &y);
                let d = f.mul(&difference, &x);
                // Among points of the curve only those with x = 0 have a zero denominator.
                let without = f.equal(&x, &zero) | f.equal(&y, &one);
                let d = f.blend(without, &d, &f.one());
                steps.push(Step { d, before: product });
                product = f.mul(&product, &d);
            }
            let mut inverse = self.invert(&product);
            let (x_factor, y_factor) = (self.splat(&map.x_factor), self.splat(&map.y_factor));
            let x_offset = self.splat(&map.x_offset);
            for (group, step) in steps.iter().enumerate().rev() {
                let pointers = eight(points, 8 * group);
                let Eight { x, y, infinite } = self.load_edwards(&pointers);
                let own = f.mul(&inverse, &step.before);
                inverse = f.mul(&inverse, &step.d);
                let sum: Element<Below<L, 2>, D> = f.add(&one, &y);
                let v = f.mul(&sum, &own);
                let u = f.mul(&v, &x);
                let y = f.mul(&v, &y_factor);
                let x: Element<Below<L, 3>, D> = f.add(&f.mul(&u, &x_factor), &x_offset);
                self.store(&f.canonical(&x), &f.canonical(&y), &pointers);
                for lane in 0..8 {
                    if infinite >> lane & 1 == 1 {
                        std::slice::from_raw_parts_mut(pointers[lane], W).fill(u64::MAX);
                    }
                }
            }
        }
    }

    /// An element of the prime field in all lanes.
    #[inline(always)]
    unsafe fn splat(&self, value: &Residue<L>) -> Element<Canonical<L>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe { Element::<Canonical<L>, D>::splat(value) }
    }

    /// Coordinates of eight points, zeros for infinity.
    #[inline(always)]
    unsafe fn load_edwards(&self, pointers: &[*mut u64; 8]) -> Eight<L, D> {
        // SAFETY: AVX-512, and pointers to the W words of a point, as the caller promises.
        unsafe {
            let pointers = pointers.map(<*mut u64>::cast_const);
            let (x, y) = (self.load(&pointers, 0), self.load(&pointers, 1));
            let infinite = self.infinite(&x);
            let (f, zero) = (&self.field, Element::<Canonical<L>, D>::zero());
            let (x, y) = (f.blend(infinite, &x, &zero), f.blend(infinite, &y, &zero));
            Eight { x, y, infinite }
        }
    }
}

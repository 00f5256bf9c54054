//! Twisted Edwards points → short Weierstrass, eight at a time. `curve/edwards.rs` has the map:
//! v = (1 + y)/((1 − y)·x), u = v·x, and with 1/B = (a − d)/4 and A/3B = (a + d)/6 the image is
//! (u/B + (a + d)/6, v/B). One inversion for all points; 8M for each.
//!
//! Coordinates come in arkworks' form, x·S with S = 2^(64·N), and leave in this kernel's, x·R. The factors
//! in between are part of the constants: a product is a·b/R, so with d = (1 − y)·x·S²/R its inverse is
//! R²/d = R³/((1 − y)·x·S²), and v comes as v·R²/S, u as u·R.

use num_bigint::BigUint;

use super::extension::Element;
use super::field::{self, Lanes, limbs};
use super::lanes::{LIMB_BITS, zero};
use super::vector::Curve;
use crate::CurveSpec;

/// Constants of the map.
pub(super) struct Edwards<const L: usize> {
    /// S
    one: [u64; L],
    /// R/B
    x_factor: [u64; L],
    /// R·(a + d)/6
    x_offset: [u64; L],
    /// S/B
    y_factor: [u64; L],
}

impl<const L: usize> Edwards<L> {
    /// For twisted Edwards curves over prime fields.
    pub(super) fn new(curve: &CurveSpec) -> Option<Self> {
        let [inverse_of_b, offset] = curve.edwards_to_weierstrass()?;
        let p = &curve.modulus;
        let (own, ark) = (LIMB_BITS * L, 64 * curve.limbs);
        let scaled = |value: &BigUint, bits: usize| limbs(&((value << bits) % p));
        Some(Self {
            one: scaled(&BigUint::from(1u32), ark),
            x_factor: scaled(&inverse_of_b, own),
            x_offset: scaled(&offset, own),
            y_factor: scaled(&inverse_of_b, ark),
        })
    }
}

/// What the forward loop leaves for the backward loop, for eight points.
struct Step<const L: usize, const D: usize> {
    d: Element<L, D>,
    /// Product of all denominators before.
    before: Element<L, D>,
}

/// Eight points.
struct Eight<const L: usize, const D: usize> {
    x: Element<L, D>,
    y: Element<L, D>,
    infinite: u8,
}

impl<const W: usize, const L: usize, const D: usize> Curve<W, L, D> {
    /// Carries points over, in place. Infinity stays as it is, and (0, −1) ↦ ((a + d)/6, 0) comes out of
    /// the formulas with any denominator.
    ///
    /// # Safety
    /// AVX-512 F, DQ, VL and IFMA.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) unsafe fn import_edwards(&self, points: &mut [[u64; W]], map: &Edwards<L>) {
        // SAFETY: the pointers are to points of the slice, W words each.
        unsafe {
            let f = &self.field;
            let (nought, one) = (alike(&[0; L]), alike(&map.one));
            let mut steps = Vec::with_capacity(points.len().div_ceil(8));
            let mut product = f.one();
            for first in (0..points.len()).step_by(8) {
                let Eight { x, y, .. } = self.load_edwards(&eight(points, first));
                let d = f.mul(&f.sub(&one, &y, 0), &x);
                // Of points on the curve only those with x = 0 have none.
                let without = f.equal(&x, &nought) | f.equal(&y, &one);
                let d = f.blend(without, &d, &f.one());
                steps.push(Step { d, before: product });
                product = f.mul(&product, &d);
            }
            let mut inverse = self.invert(&product);
            let (x_factor, y_factor) = (alike(&map.x_factor), alike(&map.y_factor));
            let x_offset = alike(&map.x_offset);
            for (group, step) in steps.iter().enumerate().rev() {
                let pointers = eight(points, 8 * group);
                let Eight { x, y, infinite } = self.load_edwards(&pointers);
                let own = f.mul(&inverse, &step.before);
                inverse = f.mul(&inverse, &step.d);
                let v = f.mul(&f.add(&one, &y), &own);
                let u = f.mul(&v, &x);
                // Below 2p and 3p.
                let y = f.mul(&v, &y_factor);
                let x = f.add(&f.mul(&u, &x_factor), &x_offset);
                self.store(&f.canonical(&x, 1), &f.canonical(&y, 0), &pointers);
                for lane in 0..8 {
                    if infinite >> lane & 1 == 1 {
                        std::slice::from_raw_parts_mut(pointers[lane], W).fill(u64::MAX);
                    }
                }
            }
        }
    }

    /// Coordinates of eight points, zeros for infinity.
    #[inline(always)]
    unsafe fn load_edwards(&self, pointers: &[*mut u64; 8]) -> Eight<L, D> {
        // SAFETY: passed on.
        unsafe {
            let pointers = pointers.map(<*mut u64>::cast_const);
            let (x, y) = (self.load(&pointers, 0), self.load(&pointers, 1));
            let infinite = self.infinite(&x);
            let nought = alike(&[0; L]);
            let (x, y) =
                (self.field.blend(infinite, &x, &nought), self.field.blend(infinite, &y, &nought));
            Eight { x, y, infinite }
        }
    }
}

/// The points from `first` on; the last one again where there are fewer than eight.
#[inline(always)]
fn eight<const W: usize>(points: &mut [[u64; W]], first: usize) -> [*mut u64; 8] {
    let mut out = [std::ptr::null_mut(); 8];
    let last = points.len() - 1;
    for lane in 0..8 {
        out[lane] = points[(first + lane).min(last)].as_mut_ptr();
    }
    out
}

/// An element of the prime field in all lanes.
#[inline(always)]
unsafe fn alike<const L: usize, const D: usize>(value: &[u64; L]) -> Element<L, D> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut out = Element([Lanes([zero(); L]); D]);
        out.0[0] = field::constant(value);
        out
    }
}

//! Eight elements of a prime field (D = 1) or of its quadratic extension Fp[u]/(u² − β) (D = 2).

use core::arch::x86_64::_mm512_alignr_epi64;

use num_bigint::BigUint;

use super::field::{self, Lanes, Modulus, blend, limbs};
use super::lanes::LIMB_BITS;

/// Eight elements, component by component.
#[derive(Clone, Copy)]
pub(super) struct Element<const L: usize, const D: usize>(pub [Lanes<L>; D]);

/// Limbs of a prime-field element up to which products are left loose for a subtraction.
const LOOSE: usize = 10;

/// β, by how products with it are formed.
enum NonResidue {
    /// −k with 1 ≤ k ≤ 7.
    MinusSmall(usize),
    /// Anything else.
    Any,
}

/// The field.
pub(super) struct Field<const L: usize, const D: usize> {
    pub modulus: Modulus<L>,
    non_residue: NonResidue,
    /// β in Montgomery form.
    beta: [u64; L],
}

impl<const L: usize, const D: usize> Field<L, D> {
    pub(super) fn new(p: &BigUint, non_residue: Option<&BigUint>) -> Self {
        let beta = non_residue.cloned().unwrap_or_else(|| p - 1u32);
        let small = (p - &beta).iter_u64_digits().next().unwrap_or(0);
        // The sum that −k·v needs reaches 16p.
        let fits = p.bits() as usize + 5 <= LIMB_BITS * L || small == 1;
        let non_residue = if p - &beta <= BigUint::from(7u32) && fits {
            NonResidue::MinusSmall(small as usize)
        } else {
            NonResidue::Any
        };
        let beta = limbs(&((beta << (LIMB_BITS * L)) % p));
        Self { modulus: Modulus::new(p), non_residue, beta }
    }

    #[inline(always)]
    pub(super) unsafe fn one(&self) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let mut out = [field::constant(&[0; L]); D];
            out[0] = field::constant(&self.modulus.one);
            Element(out)
        }
    }

    /// Product of components.
    #[inline(always)]
    unsafe fn component_mul(&self, a: &Lanes<L>, b: &Lanes<L>) -> Lanes<L> {
        // SAFETY: passed on.
        unsafe { field::mul(a, b, &self.modulus) }
    }

    #[inline(always)]
    unsafe fn component_square(&self, a: &Lanes<L>) -> Lanes<L> {
        // SAFETY: passed on.
        unsafe { field::square(a, &self.modulus) }
    }

    /// Operands below 2p (D = 1: with product of bounds ≤ 16), result below 2p.
    /// D = 2 by Karatsuba: 3 products.
    #[inline(always)]
    pub(super) unsafe fn mul(&self, a: &Element<L, D>, b: &Element<L, D>) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let low = self.component_mul(&a.0[0], &b.0[0]);
            let mut out = [low; D];
            if D == 2 {
                let high = self.component_mul(&a.0[1], &b.0[1]);
                let cross = self
                    .component_mul(&field::add(&a.0[0], &a.0[1]), &field::add(&b.0[0], &b.0[1]));
                let m = &self.modulus;
                // cross < 2p, low + high < 4p, so the difference plus 4p is below 6p.
                let mixed = field::sub_two(&cross, &low, &high, 2, m);
                out[1] = field::trim(&field::trim(&mixed, 2, m), 1, m);
                out[0] = self.add_times_non_residue(&low, &high);
            }
            Element(out)
        }
    }

    /// Operand below 2p, result below 2p. D = 2: two squares and a product.
    #[inline(always)]
    pub(super) unsafe fn square(&self, a: &Element<L, D>) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let low = self.component_square(&a.0[0]);
            let mut out = [low; D];
            if D == 2 {
                let high = self.component_square(&a.0[1]);
                let mixed = self.component_mul(&a.0[0], &a.0[1]);
                out[1] = field::trim(&field::add(&mixed, &mixed), 1, &self.modulus);
                out[0] = self.add_times_non_residue(&low, &high);
            }
            Element(out)
        }
    }

    /// The product for a subtraction to follow: loose where that saves something.
    #[inline(always)]
    pub(super) unsafe fn mul_loose(&self, a: &Element<L, D>, b: &Element<L, D>) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let mut out = *a;
            if D == 1 && L <= LOOSE {
                out.0[0] = field::mul_loose(&a.0[0], &b.0[0], &self.modulus);
                return out;
            }
            self.mul(a, b)
        }
    }

    /// The square for a subtraction to follow.
    #[inline(always)]
    pub(super) unsafe fn square_loose(&self, a: &Element<L, D>) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let mut out = *a;
            if D == 1 && L <= LOOSE {
                out.0[0] = field::square_loose(&a.0[0], &self.modulus);
                return out;
            }
            self.square(a)
        }
    }

    /// low + β·high, both below 2p; result below 2p.
    #[inline(always)]
    unsafe fn add_times_non_residue(&self, low: &Lanes<L>, high: &Lanes<L>) -> Lanes<L> {
        let m = &self.modulus;
        // SAFETY: passed on.
        unsafe {
            match &self.non_residue {
                NonResidue::MinusSmall(1) => field::trim(&field::sub(low, high, 1, m), 1, m),
                NonResidue::MinusSmall(k) => {
                    let mut multiple = *high;
                    for _ in 1..*k {
                        multiple = field::add(&multiple, high);
                    }
                    // k·high < 14p, low + 16p < 18p; then down to 2p.
                    let mut out = field::sub(low, &multiple, 4, m);
                    for i in (1..=4).rev() {
                        out = field::trim(&out, i, m);
                    }
                    out
                }
                NonResidue::Any => {
                    let product = self.component_mul(high, &field::constant(&self.beta));
                    field::trim(&field::add(low, &product), 1, m)
                }
            }
        }
    }

    /// The element itself, or a₀² − β·a₁² in a quadratic extension: below 2p.
    #[inline(always)]
    pub(super) unsafe fn norm(&self, a: &Element<L, D>) -> Lanes<L> {
        // SAFETY: passed on.
        unsafe {
            if D == 1 {
                return a.0[0];
            }
            let m = &self.modulus;
            let high = field::mul(&field::square(&a.0[1], m), &field::constant(&self.beta), m);
            field::trim(&field::sub(&field::square(&a.0[0], m), &high, 1, m), 1, m)
        }
    }

    /// Lane i + BY in lane i, cyclically.
    #[inline(always)]
    pub(super) unsafe fn rotate<const BY: i32>(&self, a: &Element<L, D>) -> Element<L, D> {
        let mut out = *a;
        for component in 0..D {
            for i in 0..L {
                let v = a.0[component].0[i];
                // SAFETY: the caller runs with AVX-512F.
                out.0[component].0[i] = unsafe { _mm512_alignr_epi64::<BY>(v, v) };
            }
        }
        out
    }

    /// a − b + 2^k·p in every component, for b ≤ 2^k·p.
    #[inline(always)]
    pub(super) unsafe fn sub(
        &self,
        a: &Element<L, D>,
        b: &Element<L, D>,
        k: usize,
    ) -> Element<L, D> {
        let mut out = *a;
        for i in 0..D {
            // SAFETY: passed on.
            out.0[i] = unsafe { field::sub(&a.0[i], &b.0[i], k, &self.modulus) };
        }
        out
    }

    /// λ² − x₁ − x₂ + 2p from λ² and d = x₂ − x₁ + p, in every component.
    #[inline(always)]
    pub(super) unsafe fn third(
        &self,
        square: &Element<L, D>,
        x1: &Element<L, D>,
        d: &Element<L, D>,
    ) -> Element<L, D> {
        let mut out = *x1;
        for i in 0..D {
            // SAFETY: passed on.
            out.0[i] = unsafe { field::third(&square.0[i], &x1.0[i], &d.0[i], &self.modulus) };
        }
        out
    }

    /// p − a in the lanes of the mask and a elsewhere, loose, in every component.
    #[inline(always)]
    pub(super) unsafe fn negate(&self, mask: u8, a: &Element<L, D>) -> Element<L, D> {
        let mut out = *a;
        for i in 0..D {
            // SAFETY: passed on.
            out.0[i] = unsafe { field::negate(mask, &a.0[i], &self.modulus) };
        }
        out
    }

    #[inline(always)]
    pub(super) unsafe fn add(&self, a: &Element<L, D>, b: &Element<L, D>) -> Element<L, D> {
        let mut out = *a;
        for i in 0..D {
            // SAFETY: passed on.
            out.0[i] = unsafe { field::add(&a.0[i], &b.0[i]) };
        }
        out
    }

    /// From below 2^(k+1)·p to below p, in every component.
    #[inline(always)]
    pub(super) unsafe fn canonical(&self, a: &Element<L, D>, k: usize) -> Element<L, D> {
        let mut out = *a;
        for i in 0..D {
            // SAFETY: passed on.
            out.0[i] = unsafe { field::canonical(&a.0[i], k, &self.modulus) };
        }
        out
    }

    /// Lane by lane, `b` where the mask is set and `a` elsewhere.
    #[inline(always)]
    pub(super) unsafe fn blend(
        &self,
        mask: u8,
        a: &Element<L, D>,
        b: &Element<L, D>,
    ) -> Element<L, D> {
        let mut out = *a;
        for i in 0..D {
            // SAFETY: passed on.
            out.0[i] = unsafe { blend(mask, &a.0[i], &b.0[i]) };
        }
        out
    }

    /// Lanes in which two canonical elements are equal.
    #[inline(always)]
    pub(super) unsafe fn equal(&self, a: &Element<L, D>, b: &Element<L, D>) -> u8 {
        let mut mask = 0xff;
        for i in 0..D {
            // SAFETY: passed on.
            mask &= unsafe { field::equal(&a.0[i], &b.0[i]) };
        }
        mask
    }
}

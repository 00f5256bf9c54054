//! Eight elements of a prime field (D = 1) or of its quadratic extension Fp[u]/(u² − β) (D = 2).

use num_bigint::BigUint;

use super::field::{
    self, AtMost, Below, Canonical, Factor, Loose, Modulus, Residue, Signed, Strict, Value,
};
use super::lanes::LIMB_BITS;

/// Eight elements, component by component.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Element<T, const D: usize>(pub [T; D]);

/// A product: components below 2p.
pub(super) type Product<const L: usize, const D: usize> = Element<Below<L, 2>, D>;

impl<T, const D: usize> Element<T, D> {
    /// # Safety
    /// AVX-512F.
    #[inline(always)]
    pub(super) unsafe fn zero<const L: usize>() -> Self
    where
        T: Value<L>,
    {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        Self([unsafe { T::zero() }; D])
    }

    /// A residue in all lanes.
    ///
    /// # Safety
    /// AVX-512F.
    #[inline(always)]
    pub(super) unsafe fn splat<const L: usize>(value: &Residue<L>) -> Element<Canonical<L>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            out.0[0] = value.splat();
            out
        }
    }
}

impl<const L: usize, const B: u32, const D: usize> Element<Below<L, B>, D> {
    /// The same element under a weaker bound.
    #[inline(always)]
    pub(super) unsafe fn widen<const C: u32>(&self) -> Element<Below<L, C>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        let mut out = unsafe { Element::zero() };
        for i in 0..D {
            out.0[i] = self.0[i].widen();
        }
        out
    }

    /// The same element where carries need not have been propagated.
    #[inline(always)]
    pub(super) unsafe fn loose(&self) -> Element<Loose<L, B>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        let mut out = unsafe { Element::zero() };
        for i in 0..D {
            out.0[i] = self.0[i].loose();
        }
        out
    }
}

/// Limbs of a prime-field element up to which the carries of a product are left to the subtraction
/// that follows.
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
    beta: Residue<L>,
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
        let beta = Residue::shifted(&beta, LIMB_BITS * L, p);
        Self { modulus: Modulus::new(p), non_residue, beta }
    }

    #[inline(always)]
    pub(super) unsafe fn one(&self) -> Element<Canonical<L>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe { Element::<Canonical<L>, D>::splat(&self.modulus.one) }
    }

    /// a·b. D = 2 by Karatsuba: 3 products.
    #[inline(always)]
    pub(super) unsafe fn mul<A: Factor<L>, B: Factor<L>>(
        &self,
        a: &Element<A, D>,
        b: &Element<B, D>,
    ) -> Product<L, D> {
        let m = &self.modulus;
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let low = field::mul(&a.0[0], &b.0[0], m);
            let mut out = [low; D];
            if D == 2 {
                let high = field::mul(&a.0[1], &b.0[1], m);
                let a_sum: AtMost<L, 4> = field::add_factors(&a.0[0], &a.0[1]);
                let b_sum: AtMost<L, 4> = field::add_factors(&b.0[0], &b.0[1]);
                let cross = field::mul(&a_sum, &b_sum, m);
                let mixed: Below<L, 4> = field::trim(&field::sub_two(&cross, &low, &high, m), m);
                out[1] = field::trim(&mixed, m);
                out[0] = self.add_times_non_residue(&low, &high);
            }
            Element(out)
        }
    }

    /// a². D = 2: two squares and a product.
    #[inline(always)]
    pub(super) unsafe fn square<const A: u32>(&self, a: &Element<Below<L, A>, D>) -> Product<L, D> {
        let m = &self.modulus;
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let low = field::square(&a.0[0], m);
            let mut out = [low; D];
            if D == 2 {
                let high = field::square(&a.0[1], m);
                let mixed = field::mul(&a.0[0], &a.0[1], m);
                let twice: Below<L, 4> = field::add(&mixed, &mixed);
                out[1] = field::trim(&twice, m);
                out[0] = self.add_times_non_residue(&low, &high);
            }
            Element(out)
        }
    }

    /// The product for a subtraction to follow, carries not propagated where that saves something.
    #[inline(always)]
    pub(super) unsafe fn mul_loose<A: Factor<L>, B: Factor<L>>(
        &self,
        a: &Element<A, D>,
        b: &Element<B, D>,
    ) -> Element<Loose<L, 2>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            if D == 1 && L <= LOOSE {
                return Element([field::mul_loose(&a.0[0], &b.0[0], &self.modulus); D]);
            }
            self.mul(a, b).loose()
        }
    }

    /// The square for a subtraction to follow.
    #[inline(always)]
    pub(super) unsafe fn square_loose<const A: u32>(
        &self,
        a: &Element<Below<L, A>, D>,
    ) -> Element<Loose<L, 2>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            if D == 1 && L <= LOOSE {
                return Element([field::square_loose(&a.0[0], &self.modulus); D]);
            }
            self.square(a).loose()
        }
    }

    /// low + β·high
    #[inline(always)]
    unsafe fn add_times_non_residue(&self, low: &Below<L, 2>, high: &Below<L, 2>) -> Below<L, 2> {
        let m = &self.modulus;
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            match &self.non_residue {
                NonResidue::MinusSmall(1) => {
                    let difference: Below<L, 4> = field::sub(low, high, m);
                    field::trim(&difference, m)
                }
                NonResidue::MinusSmall(k) => {
                    let difference: Below<L, 18> = field::sub(low, &field::multiple(high, *k), m);
                    let difference: Below<L, 16> = field::trim(&difference, m);
                    let difference: Below<L, 8> = field::trim(&difference, m);
                    let difference: Below<L, 4> = field::trim(&difference, m);
                    field::trim(&difference, m)
                }
                NonResidue::Any => {
                    let product = field::mul(high, &self.beta.splat(), m);
                    let sum: Below<L, 4> = field::add(low, &product);
                    field::trim(&sum, m)
                }
            }
        }
    }

    /// The element itself, or a₀² − β·a₁² in a quadratic extension.
    #[inline(always)]
    pub(super) unsafe fn norm(&self, a: &Product<L, D>) -> Below<L, 2> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            if D == 1 {
                return a.0[0];
            }
            let m = &self.modulus;
            let high = field::mul(&field::square(&a.0[1], m), &self.beta.splat(), m);
            let difference: Below<L, 4> = field::sub(&field::square(&a.0[0], m), &high, m);
            field::trim(&difference, m)
        }
    }

    /// Lane i + BY in lane i, cyclically.
    #[inline(always)]
    pub(super) unsafe fn rotate<const BY: i32>(&self, a: &Product<L, D>) -> Product<L, D> {
        let mut out = *a;
        for i in 0..D {
            // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
            out.0[i] = unsafe { field::rotate::<BY, _, _>(&a.0[i]) };
        }
        out
    }

    /// a − b + 2^k·p in every component, with the least 2^k that is at least the bound on b.
    #[inline(always)]
    pub(super) unsafe fn sub<A: Strict<L>, B: Value<L>, const OUT: u32>(
        &self,
        a: &Element<A, D>,
        b: &Element<B, D>,
    ) -> Element<Below<L, OUT>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            for i in 0..D {
                out.0[i] = field::sub(&a.0[i], &b.0[i], &self.modulus);
            }
            out
        }
    }

    /// a − b + p in every component, as a factor.
    #[inline(always)]
    pub(super) unsafe fn sub_signed(
        &self,
        a: &Element<Signed<L>, D>,
        b: &Element<Signed<L>, D>,
    ) -> Element<AtMost<L, 2>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            for i in 0..D {
                out.0[i] = field::sub_signed(&a.0[i], &b.0[i], &self.modulus);
            }
            out
        }
    }

    /// (3a + b)/2 modulo p in every component; 3a/2 unless `B`.
    #[inline(always)]
    pub(super) unsafe fn half_tangent<const B: bool>(
        &self,
        a: &Product<L, D>,
        b: &Product<L, D>,
    ) -> Product<L, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            for i in 0..D {
                out.0[i] = field::half_tangent::<L, B>(&a.0[i], &b.0[i], &self.modulus);
            }
            out
        }
    }

    /// a − 2b + 4p in every component.
    #[inline(always)]
    pub(super) unsafe fn minus_twice(
        &self,
        a: &Product<L, D>,
        b: &Product<L, D>,
    ) -> Element<Below<L, 6>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            for i in 0..D {
                out.0[i] = field::sub_two(&a.0[i], &b.0[i], &b.0[i], &self.modulus);
            }
            out
        }
    }

    /// λ² − x₁ − x₂ + 2p from λ² and d = x₂ − x₁ + p, in every component.
    #[inline(always)]
    pub(super) unsafe fn third(
        &self,
        square: &Element<Loose<L, 2>, D>,
        x1: &Element<Canonical<L>, D>,
        d: &Element<Below<L, 2>, D>,
    ) -> Element<Below<L, 4>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            for i in 0..D {
                out.0[i] = field::third(&square.0[i], &x1.0[i], &d.0[i], &self.modulus);
            }
            out
        }
    }

    /// p − a in the lanes of the mask and a elsewhere, in every component.
    #[inline(always)]
    pub(super) unsafe fn negate(
        &self,
        mask: u8,
        a: &Element<Canonical<L>, D>,
    ) -> Element<Signed<L>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            for i in 0..D {
                out.0[i] = field::negate(mask, &a.0[i], &self.modulus);
            }
            out
        }
    }

    #[inline(always)]
    pub(super) unsafe fn add<const A: u32, const B: u32, const OUT: u32>(
        &self,
        a: &Element<Below<L, A>, D>,
        b: &Element<Below<L, B>, D>,
    ) -> Element<Below<L, OUT>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            for i in 0..D {
                out.0[i] = field::add(&a.0[i], &b.0[i]);
            }
            out
        }
    }

    /// To below the largest power of two less than A, times p, in every component.
    #[inline(always)]
    pub(super) unsafe fn trim<const A: u32, const OUT: u32>(
        &self,
        a: &Element<Below<L, A>, D>,
    ) -> Element<Below<L, OUT>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            for i in 0..D {
                out.0[i] = field::trim(&a.0[i], &self.modulus);
            }
            out
        }
    }

    /// The canonical form.
    #[inline(always)]
    pub(super) unsafe fn canonical<const A: u32>(
        &self,
        a: &Element<Below<L, A>, D>,
    ) -> Element<Canonical<L>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            for i in 0..D {
                out.0[i] = field::canonical(&a.0[i], &self.modulus);
            }
            out
        }
    }

    /// The canonical form of a coordinate with its sign applied.
    #[inline(always)]
    pub(super) unsafe fn canonical_signed(
        &self,
        a: &Element<Signed<L>, D>,
    ) -> Element<Canonical<L>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            for i in 0..D {
                out.0[i] = field::canonical_signed(&a.0[i], &self.modulus);
            }
            out
        }
    }

    /// Lane by lane, `b` where the mask is set and `a` elsewhere.
    #[inline(always)]
    pub(super) unsafe fn blend<const A: u32, const B: u32, const OUT: u32>(
        &self,
        mask: u8,
        a: &Element<Below<L, A>, D>,
        b: &Element<Below<L, B>, D>,
    ) -> Element<Below<L, OUT>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = Element::zero();
            for i in 0..D {
                out.0[i] = field::blend(mask, &a.0[i], &b.0[i]);
            }
            out
        }
    }

    /// Lanes in which two elements are equal.
    #[inline(always)]
    pub(super) unsafe fn equal(
        &self,
        a: &Element<Canonical<L>, D>,
        b: &Element<Canonical<L>, D>,
    ) -> u8 {
        let mut mask = 0xff;
        for i in 0..D {
            // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
            mask &= unsafe { field::equal(&a.0[i], &b.0[i]) };
        }
        mask
    }
}

//! Batched affine additions, eight at a time.
//!
//! 1. Forward over the groups of eight pairs: denominators d = x₂ − x₁, and their running products.
//! 2. One inversion, of the product of all eight lanes.
//! 3. Backward: 1/d from the running products; λ = (y₂ − y₁)/d, x₃ = λ² − x₁ − x₂,
//!    y₃ = λ(x₁ − x₃) − y₁. 5M+1S in all.
//!
//! Stored coordinates are canonical, so equal points have equal limbs. A group with an infinity or
//! with x₁ = x₂ in some lane is *special*: doublings replace the differences by 2y and 3x² + a, and
//! lanes without an addition have the denominator 1 and are overwritten at the end.

use core::arch::x86_64::*;
use std::ops::Range;

use super::extension::{Element, Field, Product};
use super::field::{Below, Canonical, Loose, Residue, Value};
use super::groups::{BATCH, Groups, Operand};
use super::lanes::{LIMB_MASK, broadcast};
use crate::cpu::buffer::clear_with_capacity;
use crate::cpu::inverse::Inverter;

/// How many groups ahead the forward loop prefetches points.
const PREFETCH: usize = 2;

/// Results of the forward loop for one group of eight pairs, which the backward loop needs.
struct Step<const L: usize, const D: usize> {
    x1: Element<Canonical<L>, D>,
    /// Denominators: x₂ − x₁ + p, unless the group is special.
    d: Element<Below<L, 2>, D>,
    /// Product of all denominators before.
    before: Product<L, D>,
    special: bool,
}

/// Working memory of a batch, one item per group of eight pairs.
pub(super) struct Batch<const L: usize, const D: usize> {
    steps: Vec<Step<L, D>>,
}

impl<const L: usize, const D: usize> Default for Batch<L, D> {
    fn default() -> Self {
        Self { steps: Vec::new() }
    }
}

/// The curve's field, its coefficient a and the inversion.
pub(super) struct Curve<const W: usize, const L: usize, const D: usize> {
    pub field: Field<L, D>,
    /// Coefficient a in Montgomery form.
    pub a: [Residue<L>; D],
    /// Whether a ≠ 0.
    pub has_a: bool,
    /// 2^(64·N) mod p: converts R-form to arkworks' form.
    pub to_ark: Residue<L>,
    /// 2^(2·52·L − 64·N) mod p: converts arkworks' form to R-form.
    pub from_ark: Residue<L>,
    /// R³ mod p.
    pub cube: Residue<L>,
    pub inverter: Inverter,
}

impl<const W: usize, const L: usize, const D: usize> Curve<W, L, D> {
    /// Whether two groups are finished at a time: if the limbs of both fit in the registers.
    pub(super) const PAIRED: bool = L * D <= 8;

    /// A fast test for special groups, with rare false positives.
    #[inline(always)]
    unsafe fn may_be_special(
        &self,
        x1: &Element<Canonical<L>, D>,
        x2: &Element<Canonical<L>, D>,
    ) -> bool {
        // SAFETY: the caller runs with AVX-512F.
        unsafe {
            let (low1, low2) = (x1.0[0].limbs()[0], x2.0[0].limbs()[0]);
            let ones = broadcast(LIMB_MASK);
            let equal = _mm512_cmpeq_epi64_mask(low1, low2);
            let infinite =
                _mm512_cmpeq_epi64_mask(low1, ones) | _mm512_cmpeq_epi64_mask(low2, ones);
            (equal | infinite) != 0
        }
    }

    /// dst[out] = ±src[a] ± src[b] for all pairs.
    ///
    /// # Safety
    /// AVX-512 F, DQ, VL and IFMA. All indices of the groups lie within `src` and `dst`.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) unsafe fn add_pairs(&self, groups: &Groups<'_, W>, scratch: &mut Batch<L, D>) {
        let count = groups.a.len();
        let each = if groups.beyond_l2 { BATCH } else { count };
        for start in (0..count).step_by(each.max(1)) {
            // SAFETY: as promised by the caller.
            unsafe { self.add_batch(groups, start..(start + each).min(count), scratch) }
        }
    }

    /// The same for some groups, with one inversion.
    #[inline(always)]
    unsafe fn add_batch(
        &self,
        groups: &Groups<'_, W>,
        range: Range<usize>,
        scratch: &mut Batch<L, D>,
    ) {
        // SAFETY: as promised by the caller.
        unsafe {
            let start = range.start;
            let product = self.forward(groups, range, scratch);
            let mut inverse = self.invert(&product);
            let mut steps = scratch.steps.as_slice();
            loop {
                match steps {
                    [before @ .., second, first]
                        if Self::PAIRED && !first.special && !second.special =>
                    {
                        let owns = [
                            self.next_inverse(&mut inverse, first),
                            self.next_inverse(&mut inverse, second),
                        ];
                        let g = start + before.len();
                        self.finish(groups, [g + 1, g], [first, second], &owns);
                        steps = before;
                    }
                    [before @ .., step] => {
                        let own = self.next_inverse(&mut inverse, step);
                        let g = start + before.len();
                        if step.special {
                            self.finish_special(&groups.group(g), &own, &groups.targets(g));
                        } else {
                            self.finish(groups, [g], [step], &[own]);
                        }
                        steps = before;
                    }
                    [] => break,
                }
            }
        }
    }

    /// The inverses of the denominators of a step. `inverse` is the inverse of the product up to
    /// this step on entry, and of all before on return.
    #[inline(always)]
    unsafe fn next_inverse(&self, inverse: &mut Product<L, D>, step: &Step<L, D>) -> Product<L, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let own = self.field.mul(inverse, &step.before);
            *inverse = self.field.mul(inverse, &step.d);
            own
        }
    }

    /// Computes denominators and running products; returns the product of all.
    #[inline(always)]
    unsafe fn forward(
        &self,
        groups: &Groups<'_, W>,
        range: Range<usize>,
        scratch: &mut Batch<L, D>,
    ) -> Product<L, D> {
        // SAFETY: as the caller of `add_pairs` vouches, indices are within the groups; AVX-512.
        unsafe {
            let f = &self.field;
            let count = groups.a.len();
            let steps = &mut scratch.steps;
            clear_with_capacity(steps, range.len());
            let mut product: Product<L, D> = f.one().widen();
            for g in range {
                if groups.random && g + PREFETCH < count {
                    groups.prefetch(g + PREFETCH);
                }
                let group = groups.group(g);
                let (x1, x2) = (self.load(&group.a, 0), self.load(&group.b, 0));
                let mut d = f.sub(&x2, &x1);
                let special = self.may_be_special(&x1, &x2);
                if special {
                    d = self.special_denominator(&group, &x1, &x2, &d);
                }
                steps.push(Step { x1, d, before: product, special });
                product = f.mul(&product, &d);
            }
            product
        }
    }

    /// The sums of K groups, from the inverses of their denominators. The groups are interleaved
    /// step by step: a single group would stall on its own results.
    #[inline(always)]
    unsafe fn finish<const K: usize>(
        &self,
        groups: &Groups<'_, W>,
        indices: [usize; K],
        steps: [&Step<L, D>; K],
        inverses: &[Product<L, D>; K],
    ) {
        // SAFETY: as the caller of `add_pairs` vouches, indices are within the groups; AVX-512.
        unsafe {
            let f = &self.field;
            let mut y1 = [Element::zero(); K];
            let mut rise = [Element::zero(); K];
            let mut slope = *inverses;
            let mut square: [Element<Loose<L, 2>, D>; K] = [Element::zero(); K];
            let mut x3: [Element<Canonical<L>, D>; K] = [Element::zero(); K];
            // A few at a time, between products: a core tracks at most sixteen misses.
            let prefetch = |k: usize, operand| groups.prefetch_next(indices[k], operand);
            prefetch(0, Operand::A);
            for k in 0..K {
                let group = groups.group(indices[k]);
                y1[k] = self.load_y(&group.a, group.negative_a);
                let y2 = self.load_y(&group.b, group.negative_b);
                rise[k] = f.sub_signed(&y2, &y1[k]);
            }
            for k in 0..K {
                slope[k] = f.mul(&rise[k], &inverses[k]);
            }
            prefetch(0, Operand::B);
            for k in 0..K {
                square[k] = f.square_loose(&slope[k]);
            }
            if K > 1 {
                prefetch(K - 1, Operand::A);
            }
            for k in 0..K {
                x3[k] = self.third_x(&square[k], &steps[k].x1, &steps[k].d);
            }
            let mut product = square;
            for k in 0..K {
                let run: Element<Below<L, 2>, D> = f.sub(&steps[k].x1, &x3[k]);
                product[k] = f.mul_loose(&slope[k], &run);
            }
            if K > 1 {
                prefetch(K - 1, Operand::B);
            }
            for k in 0..K {
                let y3 = self.third_y(&product[k], &y1[k]);
                self.store(&x3[k], &y3, &groups.targets(indices[k]));
            }
        }
    }

    /// x₃ = λ² − x₁ − x₂ from λ² and d = x₂ − x₁ + p.
    #[inline(always)]
    pub(super) unsafe fn third_x(
        &self,
        square: &Element<Loose<L, 2>, D>,
        x1: &Element<Canonical<L>, D>,
        d: &Element<Below<L, 2>, D>,
    ) -> Element<Canonical<L>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe { self.field.canonical(&self.field.third(square, x1, d)) }
    }

    /// y₃ = λ(x₁ − x₃) − y₁ from that product.
    #[inline(always)]
    pub(super) unsafe fn third_y<Y: Value<L>>(
        &self,
        product: &Element<Loose<L, 2>, D>,
        y1: &Element<Y, D>,
    ) -> Element<Canonical<L>, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let y3: Element<Below<L, 3>, D> = self.field.sub(product, y1);
            self.field.canonical(&y3)
        }
    }
}

//! Batched affine additions, eight at a time.
//!
//! 1. Forward over the groups of eight pairs: denominators d = x₂ − x₁, and their running products.
//! 2. One inversion, of the product of all eight lanes.
//! 3. Backward: 1/d from the running products; λ = (y₂ − y₁)/d, x₃ = λ² − x₁ − x₂,
//!    y₃ = λ(x₁ − x₃) − y₁. 5M+1S in all.
//!
//! Stored coordinates are canonical, so equal points show as equal limbs. A group with an infinity or
//! with x₁ = x₂ in some lane is *special*: doublings put 2y and 3x² + a in place of the differences, and
//! lanes without an addition put 1 and are overwritten at the end.

use core::arch::x86_64::*;
use std::ops::Range;

use super::extension::{Element, Field};
use super::field::{self, Lanes};
use super::groups::{BATCH, Group, Groups};
use super::lanes::{MAX_WORDS, broadcast, gather, scatter, to_limbs, to_words, zero};
use crate::cpu::accumulate::empty;
use crate::cpu::inverse::Inverter;

/// How many groups ahead the forward loop fetches points.
const PREFETCH: usize = 2;

/// What the forward loop leaves for the backward loop, for one group of eight pairs.
struct Step<const L: usize, const D: usize> {
    x1: Element<L, D>,
    /// Denominators: x₂ − x₁ + p, unless the group is special.
    d: Element<L, D>,
    /// Product of all denominators before.
    before: Element<L, D>,
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
    /// Coefficient a in Montgomery form, canonical.
    pub a: [[u64; L]; D],
    /// 2^(64·N) mod p: takes R-form to arkworks' form.
    pub to_ark: [u64; L],
    /// 2^(2·52·L − 64·N) mod p: takes arkworks' form to R-form.
    pub from_ark: [u64; L],
    /// R³ mod p.
    pub cube: [u64; L],
    pub inverter: Inverter,
}

/// Which lanes of a special group do what. Lanes in none of the masks add as usual.
struct Cases {
    double: u8,
    left: u8,
    right: u8,
    infinity: u8,
}

impl<const W: usize, const L: usize, const D: usize> Curve<W, L, D> {
    /// Words of one prime-field element.
    pub(super) const N: usize = W / (2 * D);

    /// Whether two groups are finished at a time: where their limbs find room in the registers.
    const SIDE_BY_SIDE: bool = L * D <= 8;

    /// One coordinate of eight points: `at` is 0 for x, 1 for y.
    #[inline(always)]
    pub(super) unsafe fn load(&self, points: &[*const u64; 8], at: usize) -> Element<L, D> {
        // SAFETY: a point has W = 2·D·N words, and the caller runs with AVX-512F.
        unsafe {
            let mut out = Element([Lanes([zero(); L]); D]);
            for component in 0..D {
                let pointers = offset(points, (at * D + component) * Self::N);
                out.0[component] = Lanes(to_limbs(&gather(&pointers, Self::N)));
            }
            out
        }
    }

    /// y with the signs of its lanes applied: at most p, loose.
    #[inline(always)]
    unsafe fn load_y(&self, points: &[*const u64; 8], negative: u8) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe { self.field.negate(negative, &self.load(points, 1)) }
    }

    /// The same in canonical form.
    #[inline(always)]
    unsafe fn canonical_y(&self, points: &[*const u64; 8], negative: u8) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let nought = Element([Lanes([zero(); L]); D]);
            let y = self.field.sub(&self.load_y(points, negative), &nought, 0);
            self.field.canonical(&y, 1)
        }
    }

    #[inline(always)]
    pub(super) unsafe fn store(
        &self,
        x: &Element<L, D>,
        y: &Element<L, D>,
        points: &[*mut u64; 8],
    ) {
        // SAFETY: a point has W = 2·D·N words, and the caller runs with AVX-512F.
        unsafe {
            let mut columns = [zero(); MAX_WORDS];
            for component in 0..D {
                let (at, after) = (component * Self::N, (D + component) * Self::N);
                to_words(&x.0[component].0, &mut columns[at..at + Self::N]);
                to_words(&y.0[component].0, &mut columns[after..after + Self::N]);
            }
            scatter(&columns, W, points);
        }
    }

    /// Lanes whose point is infinity: all words of x set, more than any canonical value.
    #[inline(always)]
    pub(super) unsafe fn infinite(&self, x: &Element<L, D>) -> u8 {
        // SAFETY: the caller runs with AVX-512F.
        unsafe {
            let mut ones = [broadcast(u64::MAX); MAX_WORDS];
            ones[Self::N..].fill(zero());
            let expected = Lanes(to_limbs::<L>(&ones));
            field::equal(&x.0[0], &expected)
        }
    }

    /// Whether a group needs a look: quick, with rare false alarms.
    #[inline(always)]
    unsafe fn suspicious(&self, x1: &Element<L, D>, x2: &Element<L, D>) -> bool {
        // SAFETY: the caller runs with AVX-512F.
        unsafe {
            let (low1, low2) = (x1.0[0].0[0], x2.0[0].0[0]);
            let ones = broadcast(super::lanes::LIMB_MASK);
            let equal = _mm512_cmpeq_epi64_mask(low1, low2);
            let infinite =
                _mm512_cmpeq_epi64_mask(low1, ones) | _mm512_cmpeq_epi64_mask(low2, ones);
            (equal | infinite) != 0
        }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    #[inline(never)]
    unsafe fn cases(&self, group: &Group, x1: &Element<L, D>, x2: &Element<L, D>) -> Cases {
        // SAFETY: passed on.
        unsafe {
            let f = &self.field;
            let (right, inf2) = (self.infinite(x1), self.infinite(x2));
            let left = inf2 & !right;
            let same_x = f.equal(x1, x2) & !right & !inf2;
            let y1 = self.canonical_y(&group.a, group.negative_a);
            let y2 = self.canonical_y(&group.b, group.negative_b);
            let nought = Element([Lanes([zero(); L]); D]);
            let double = same_x & f.equal(&y1, &y2) & !f.equal(&y1, &nought);
            Cases { double, left, right, infinity: same_x & !double }
        }
    }

    /// dst[out] = ±src[a] ± src[b] for all pairs.
    ///
    /// # Safety
    /// AVX-512 F, DQ, VL and IFMA. All indices of the groups lie within `src` and `dst`.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) unsafe fn add_pairs(&self, groups: &Groups<'_, W>, scratch: &mut Batch<L, D>) {
        let count = groups.a.len();
        let each = if groups.far { BATCH } else { count };
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
                        if Self::SIDE_BY_SIDE && !first.special && !second.special =>
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

    /// The inverses of a step's denominators, from those of the product of its and all before; which
    /// becomes that of all before.
    #[inline(always)]
    unsafe fn next_inverse(&self, inverse: &mut Element<L, D>, step: &Step<L, D>) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let own = self.field.mul(inverse, &step.before);
            *inverse = self.field.mul(inverse, &step.d);
            own
        }
    }

    /// Denominators and running products; returns the product of all.
    #[inline(always)]
    unsafe fn forward(
        &self,
        groups: &Groups<'_, W>,
        range: Range<usize>,
        scratch: &mut Batch<L, D>,
    ) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let f = &self.field;
            let count = groups.a.len();
            let steps = &mut scratch.steps;
            empty(steps, range.len());
            let mut product = f.one();
            for g in range {
                if groups.scattered && g + PREFETCH < count {
                    groups.fetch(g + PREFETCH);
                }
                let group = groups.group(g);
                let (x1, x2) = (self.load(&group.a, 0), self.load(&group.b, 0));
                let mut d = f.sub(&x2, &x1, 0);
                let special = self.suspicious(&x1, &x2);
                if special {
                    d = self.special_denominator(&group, &x1, &x2, &d);
                }
                steps.push(Step { x1, d, before: product, special });
                product = f.mul(&product, &d);
            }
            product
        }
    }

    /// 2y for doublings, 1 where nothing is added, and `d` elsewhere. Out of line, like everything
    /// about special groups, to keep the loops small.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    #[inline(never)]
    unsafe fn special_denominator(
        &self,
        group: &Group,
        x1: &Element<L, D>,
        x2: &Element<L, D>,
        d: &Element<L, D>,
    ) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let f = &self.field;
            let cases = self.cases(group, x1, x2);
            let y = self.canonical_y(&group.a, group.negative_a);
            let d = f.blend(cases.double, d, &f.add(&y, &y));
            f.blend(cases.left | cases.right | cases.infinity, &d, &f.one())
        }
    }

    /// The sums of K groups, from the inverses of their denominators. Step by step for all of them: one
    /// group alone would wait for its own results.
    #[inline(always)]
    unsafe fn finish<const K: usize>(
        &self,
        groups: &Groups<'_, W>,
        indices: [usize; K],
        steps: [&Step<L, D>; K],
        inverses: &[Element<L, D>; K],
    ) {
        // SAFETY: passed on.
        unsafe {
            let f = &self.field;
            let (mut y1, mut slope, mut square, mut x3) =
                (*inverses, *inverses, *inverses, *inverses);
            // A few at a time, between products: a core waits for no more than sixteen lines.
            let fetch = |k: usize, second| groups.fetch_later(indices[k], second);
            fetch(0, false);
            for k in 0..K {
                let group = groups.group(indices[k]);
                y1[k] = self.load_y(&group.a, group.negative_a);
                let y2 = self.load_y(&group.b, group.negative_b);
                slope[k] = f.sub(&y2, &y1[k], 0);
            }
            for k in 0..K {
                slope[k] = f.mul(&slope[k], &inverses[k]);
            }
            fetch(0, true);
            for k in 0..K {
                square[k] = f.square_loose(&slope[k]);
            }
            if K > 1 {
                fetch(K - 1, false);
            }
            for k in 0..K {
                x3[k] = self.third_x(&square[k], &steps[k].x1, &steps[k].d);
            }
            let mut product = square;
            for k in 0..K {
                product[k] = f.mul_loose(&slope[k], &f.sub(&steps[k].x1, &x3[k], 0));
            }
            if K > 1 {
                fetch(K - 1, true);
            }
            for k in 0..K {
                let y3 = self.third_y(&product[k], &y1[k]);
                self.store(&x3[k], &y3, &groups.targets(indices[k]));
            }
        }
    }

    /// x₃ = λ² − x₁ − x₂ from λ² and d = x₂ − x₁ + p.
    #[inline(always)]
    unsafe fn third_x(
        &self,
        square: &Element<L, D>,
        x1: &Element<L, D>,
        d: &Element<L, D>,
    ) -> Element<L, D> {
        // SAFETY: passed on. λ² < 2p and x₁ + x₂ < 2p, so x₃ comes out below 4p.
        unsafe { self.field.canonical(&self.field.third(square, x1, d), 1) }
    }

    /// y₃ = λ(x₁ − x₃) − y₁ from that product.
    #[inline(always)]
    unsafe fn third_y(&self, product: &Element<L, D>, y1: &Element<L, D>) -> Element<L, D> {
        // SAFETY: passed on. Below 3p before the last step.
        unsafe { self.field.canonical(&self.field.sub(product, y1, 0), 1) }
    }

    /// The same for a special group.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    #[inline(never)]
    unsafe fn finish_special(&self, group: &Group, inverse: &Element<L, D>, out: &[*mut u64; 8]) {
        // SAFETY: passed on.
        unsafe {
            let f = &self.field;
            let (x1, x2) = (self.load(&group.a, 0), self.load(&group.b, 0));
            let y1 = self.canonical_y(&group.a, group.negative_a);
            let y2 = self.canonical_y(&group.b, group.negative_b);
            let cases = self.cases(group, &x1, &x2);
            let rise = f.blend(cases.double, &f.sub(&y2, &y1, 0), &self.tangent(&x1));
            let d = f.sub(&x2, &x1, 0);
            let slope = f.mul(&rise, inverse);
            let x3 = self.third_x(&f.square(&slope), &x1, &d);
            let y3 = self.third_y(&f.mul(&slope, &f.sub(&x1, &x3, 0)), &y1);
            let x3 = f.blend(cases.left, &f.blend(cases.right, &x3, &x2), &x1);
            let y3 = f.blend(cases.left, &f.blend(cases.right, &y3, &y2), &y1);
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

    /// 3x² + a, below 2p.
    #[inline(always)]
    unsafe fn tangent(&self, x: &Element<L, D>) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let f = &self.field;
            let square = f.canonical(&f.square(x), 0);
            let mut a = square;
            for i in 0..D {
                a.0[i] = field::constant(&self.a[i]);
            }
            // Below 4p before the last step.
            let mut sum = f.add(&f.add(&square, &square), &f.add(&square, &a));
            for i in 0..D {
                sum.0[i] = field::trim(&sum.0[i], 1, &f.modulus);
            }
            sum
        }
    }

    /// Multiplies the coordinates of eight points: from one Montgomery form to another.
    ///
    /// # Safety
    /// AVX-512 F, DQ, VL and IFMA.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) unsafe fn rescale(&self, points: &mut [[u64; W]; 8], x: &[u64; L], y: &[u64; L]) {
        // SAFETY: every pointer is to one of the eight points, W words each.
        unsafe {
            let m = &self.field.modulus;
            let mut pointers = [points.as_mut_ptr().cast::<u64>(); 8];
            for lane in 0..8 {
                pointers[lane] = points.as_mut_ptr().add(lane).cast();
            }
            for coordinate in 0..2 * D {
                let at = offset_mut(&pointers, coordinate * Self::N);
                let words = gather(&at.map(<*mut u64>::cast_const), Self::N);
                let factor = field::constant(if coordinate < D { x } else { y });
                let product = field::mul(&Lanes(to_limbs(&words)), &factor, m);
                let reduced = field::canonical(&product, 0, m);
                let mut columns = [zero(); MAX_WORDS];
                to_words(&reduced.0, &mut columns[..Self::N]);
                scatter(&columns, Self::N, &at);
            }
        }
    }
}

/// The pointers, `words` further on.
#[inline(always)]
unsafe fn offset(pointers: &[*const u64; 8], words: usize) -> [*const u64; 8] {
    let mut out = *pointers;
    for pointer in &mut out {
        // SAFETY: the caller stays inside what the pointers point to.
        *pointer = unsafe { pointer.add(words) };
    }
    out
}

/// The pointers, `words` further on.
#[inline(always)]
unsafe fn offset_mut(pointers: &[*mut u64; 8], words: usize) -> [*mut u64; 8] {
    let mut out = *pointers;
    for pointer in &mut out {
        // SAFETY: the caller stays inside what the pointers point to.
        *pointer = unsafe { pointer.add(words) };
    }
    out
}

//! Batched affine additions, eight at a time.
//!
//! 1. Forward over the groups of eight pairs: denominators d = x₂ − x₁, and their running products.
//! 2. One inversion: eight lanes, inverted together.
//! 3. Backward: 1/d from the running products; λ = (y₂ − y₁)/d, x₃ = λ² − x₁ − x₂,
//!    y₃ = λ(x₁ − x₃) − y₁. 5M+1S in all.
//!
//! Stored coordinates are canonical, so equal points show as equal limbs. A group with an infinity or
//! with x₁ = x₂ in some lane is *special*: doublings put 2y and 3x² + a in place of the differences, and
//! lanes without an addition put 1 and are overwritten at the end.

use core::arch::x86_64::*;

use super::extension::{Element, Field};
use super::field::{self, Lanes};
use super::lanes::{V, broadcast, gather, scatter, to_limbs, to_words, zero};
use crate::cpu::accumulate::empty;
use crate::cpu::kernel::{NEGATIVE, Pair};

/// How many groups ahead points are fetched.
const PREFETCH: usize = 3;

/// Working memory of a batch, one item per group of eight pairs.
pub(super) struct Batch<const L: usize, const D: usize> {
    denominators: Vec<Element<L, D>>,
    products: Vec<Element<L, D>>,
    special: Vec<bool>,
}

impl<const L: usize, const D: usize> Default for Batch<L, D> {
    fn default() -> Self {
        Self { denominators: Vec::new(), products: Vec::new(), special: Vec::new() }
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
    /// Inverts eight elements in arkworks' form.
    pub inverse: fn(&mut [u64]),
}

/// Eight pairs: addresses of both operands and their signs.
struct Group {
    a: [*const u64; 8],
    b: [*const u64; 8],
    negative_a: u8,
    negative_b: u8,
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
    const N: usize = W / (2 * D);

    #[inline(always)]
    unsafe fn group(&self, src: *const [u64; W], pairs: &[Pair], group: usize) -> Group {
        // The last pair fills up the last group: it is computed twice and written twice alike.
        let pair = |lane: usize| pairs[(8 * group + lane).min(pairs.len() - 1)];
        // SAFETY: the caller checked all indices against the length of `src`.
        let address = |entry: u32| unsafe { src.add((entry & !NEGATIVE) as usize).cast::<u64>() };
        let sign = |entry: u32, lane: usize| ((entry >> 31) as u8) << lane;
        Group {
            a: std::array::from_fn(|lane| address(pair(lane).a)),
            b: std::array::from_fn(|lane| address(pair(lane).b)),
            negative_a: (0..8).fold(0, |mask, lane| mask | sign(pair(lane).a, lane)),
            negative_b: (0..8).fold(0, |mask, lane| mask | sign(pair(lane).b, lane)),
        }
    }

    /// One coordinate of eight points: `at` is 0 for x, 1 for y.
    #[inline(always)]
    unsafe fn load(&self, points: &[*const u64; 8], at: usize) -> Element<L, D> {
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

    /// y with the signs of its lanes applied: at most p.
    #[inline(always)]
    unsafe fn load_y(&self, points: &[*const u64; 8], negative: u8) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let y = self.load(points, 1);
            let nought = Element([Lanes([zero(); L]); D]);
            self.field.blend(negative, &y, &self.field.sub(&nought, &y, 0))
        }
    }

    #[inline(always)]
    unsafe fn store(&self, e: &Element<L, D>, points: &[*mut u64; 8], at: usize) {
        for component in 0..D {
            // SAFETY: a point has W = 2·D·N words, and the caller runs with AVX-512F.
            unsafe {
                let pointers = offset_mut(points, (at * D + component) * Self::N);
                scatter(&to_words(&e.0[component].0, Self::N), Self::N, &pointers);
            }
        }
    }

    /// Lanes whose point is infinity: all words of x set, more than any canonical value.
    #[inline(always)]
    unsafe fn infinite(&self, x: &Element<L, D>) -> u8 {
        // SAFETY: the caller runs with AVX-512F.
        unsafe {
            let ones: [V; 16] = [broadcast(u64::MAX); 16];
            let expected = Lanes(to_limbs::<L>(&trimmed(&ones, Self::N)));
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
            let y1 = f.canonical(&self.load_y(&group.a, group.negative_a), 0);
            let y2 = f.canonical(&self.load_y(&group.b, group.negative_b), 0);
            let nought = Element([Lanes([zero(); L]); D]);
            let double = same_x & f.equal(&y1, &y2) & !f.equal(&y1, &nought);
            Cases { double, left, right, infinity: same_x & !double }
        }
    }

    /// dst[out] = ±src[a] ± src[b] for all pairs.
    ///
    /// # Safety
    /// AVX-512 F, DQ, VL and IFMA. All indices of `pairs` lie within `src` and `dst`, and there is
    /// at least one pair.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) unsafe fn add_pairs(
        &self,
        src: *const [u64; W],
        pairs: &[Pair],
        dst: *mut [u64; W],
        scratch: &mut Batch<L, D>,
    ) {
        // SAFETY: as promised by the caller.
        unsafe {
            let product = self.forward(src, pairs, scratch);
            let mut inverse = self.invert(&product);
            for g in (0..pairs.len().div_ceil(8)).rev() {
                let group = self.group(src, pairs, g);
                let own = self.field.mul(&inverse, &scratch.products[g]);
                inverse = self.field.mul(&inverse, &scratch.denominators[g]);
                let out: [*mut u64; 8] = std::array::from_fn(|lane| {
                    dst.add(pairs[(8 * g + lane).min(pairs.len() - 1)].out as usize).cast()
                });
                if scratch.special[g] {
                    self.finish_special(&group, &own, &out);
                } else {
                    self.finish(&group, &own, &out);
                }
            }
        }
    }

    /// Denominators and running products; returns the product of all.
    #[inline(always)]
    unsafe fn forward(
        &self,
        src: *const [u64; W],
        pairs: &[Pair],
        scratch: &mut Batch<L, D>,
    ) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let f = &self.field;
            let groups = pairs.len().div_ceil(8);
            let Batch { denominators, products, special } = scratch;
            empty(denominators, groups);
            empty(products, groups);
            empty(special, groups);
            let mut product = f.one();
            for g in 0..groups {
                if 8 * (g + PREFETCH) < pairs.len() {
                    let ahead = self.group(src, pairs, g + PREFETCH);
                    for lane in 0..8 {
                        prefetch::<W>(ahead.a[lane]);
                        prefetch::<W>(ahead.b[lane]);
                    }
                }
                let group = self.group(src, pairs, g);
                let (x1, x2) = (self.load(&group.a, 0), self.load(&group.b, 0));
                let mut d = f.sub(&x2, &x1, 0);
                let look = self.suspicious(&x1, &x2);
                if look {
                    d = self.special_denominator(&group, &x1, &x2, &d);
                }
                special.push(look);
                denominators.push(d);
                products.push(product);
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
            let y = self.load_y(&group.a, group.negative_a);
            let d = f.blend(cases.double, d, &f.add(&y, &y));
            f.blend(cases.left | cases.right | cases.infinity, &d, &f.one())
        }
    }

    /// The sums of one group, from the inverses of its denominators.
    #[inline(always)]
    unsafe fn finish(&self, group: &Group, inverse: &Element<L, D>, out: &[*mut u64; 8]) {
        // SAFETY: passed on.
        unsafe {
            let (x1, x2) = (self.load(&group.a, 0), self.load(&group.b, 0));
            let y1 = self.load_y(&group.a, group.negative_a);
            let y2 = self.load_y(&group.b, group.negative_b);
            let slope = self.field.mul(&self.field.sub(&y2, &y1, 0), inverse);
            let (x3, y3) = self.third(&slope, &x1, &x2, &y1);
            self.store(&x3, out, 0);
            self.store(&y3, out, 1);
        }
    }

    /// The third point of a line, mirrored: x₃ = λ² − x₁ − x₂, y₃ = λ(x₁ − x₃) − y₁.
    #[inline(always)]
    unsafe fn third(
        &self,
        slope: &Element<L, D>,
        x1: &Element<L, D>,
        x2: &Element<L, D>,
        y1: &Element<L, D>,
    ) -> (Element<L, D>, Element<L, D>) {
        // SAFETY: passed on.
        unsafe {
            let f = &self.field;
            // λ² < 2p and x₁ + x₂ < 2p, so x₃ comes out below 4p; y₃ below 3p.
            let x3 = f.canonical(&f.sub_two(&f.square(slope), x1, x2, 1), 1);
            let product = f.mul(slope, &f.sub(x1, &x3, 0));
            (x3, f.canonical(&f.sub(&product, y1, 0), 1))
        }
    }

    /// The same for a special group.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    #[inline(never)]
    unsafe fn finish_special(&self, group: &Group, inverse: &Element<L, D>, out: &[*mut u64; 8]) {
        // SAFETY: passed on.
        unsafe {
            let f = &self.field;
            let (x1, x2) = (self.load(&group.a, 0), self.load(&group.b, 0));
            let y1 = f.canonical(&self.load_y(&group.a, group.negative_a), 0);
            let y2 = f.canonical(&self.load_y(&group.b, group.negative_b), 0);
            let cases = self.cases(group, &x1, &x2);
            let rise = f.blend(cases.double, &f.sub(&y2, &y1, 0), &self.tangent(&x1));
            let (x3, y3) = self.third(&f.mul(&rise, inverse), &x1, &x2, &y1);
            let x3 = f.blend(cases.left, &f.blend(cases.right, &x3, &x2), &x1);
            let y3 = f.blend(cases.left, &f.blend(cases.right, &y3, &y2), &y1);
            self.store(&x3, out, 0);
            self.store(&y3, out, 1);
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

    /// The inverses of eight elements, through arkworks.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    #[inline(never)]
    unsafe fn invert(&self, e: &Element<L, D>) -> Element<L, D> {
        let mut buffer = [[0u64; W]; 8];
        let words = D * Self::N;
        let m = &self.field.modulus;
        // SAFETY: elements are half as long as points, so eight of them fit the buffer.
        unsafe {
            let base = buffer.as_mut_ptr().cast::<u64>();
            let mut elements = [base; 8];
            for lane in 0..8 {
                elements[lane] = base.add(lane * words);
            }
            for component in 0..D {
                let scaled = field::mul(&e.0[component], &field::constant(&self.to_ark), m);
                let reduced = field::canonical(&scaled, 0, m);
                let out = offset_mut(&elements, component * Self::N);
                scatter(&to_words(&reduced.0, Self::N), Self::N, &out);
            }
            (self.inverse)(std::slice::from_raw_parts_mut(base, 8 * words));
            let mut out = *e;
            for component in 0..D {
                let from = offset_mut(&elements, component * Self::N).map(<*mut u64>::cast_const);
                let limbs = Lanes(to_limbs(&gather(&from, Self::N)));
                out.0[component] = field::mul(&limbs, &field::constant(&self.from_ark), m);
            }
            out
        }
    }

    /// Eight points of arkworks' words → packed points.
    ///
    /// # Safety
    /// AVX-512 F, DQ, VL and IFMA.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) unsafe fn rescale(&self, points: &mut [[u64; W]; 8], factor: &[u64; L]) {
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
                let product = field::mul(&Lanes(to_limbs(&words)), &field::constant(factor), m);
                let reduced = field::canonical(&product, 0, m);
                scatter(&to_words(&reduced.0, Self::N), Self::N, &at);
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

/// The first `words` vectors of `v`, zero beyond.
#[inline(always)]
unsafe fn trimmed(v: &[V; 16], words: usize) -> [V; 16] {
    let mut out = *v;
    for vector in &mut out[words..] {
        // SAFETY: the caller runs with AVX-512F.
        *vector = unsafe { zero() };
    }
    out
}

#[inline(always)]
unsafe fn prefetch<const W: usize>(point: *const u64) {
    // Points are 8·W bytes at multiples of 8·W: every started cache line once.
    for word in (0..W).step_by(8) {
        // SAFETY: prefetching has no effect on memory; the address is inside the point.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(point.add(word).cast()) };
    }
    if !W.is_multiple_of(8) {
        // SAFETY: as above; the last word of the point.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(point.add(W - 1).cast()) };
    }
}

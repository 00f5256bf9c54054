//! Quadratic extensions Fp[u]/(u² + k) with a small k.
//!
//! Products are summed before they are reduced: four products and two reductions per product.

use num_bigint::BigUint;

use super::arithmetic::{Arithmetic, P};
use super::prime::Prime;
use super::residues::{Loose, Reduced};

/// The extension. p leaves two bits of its words unused.
pub(super) struct Quadratic<const N: usize, const ADX: bool> {
    pub base: Prime<N, 2, ADX>,
    /// k = −u².
    k: u64,
}

type Element<const N: usize> = [Reduced<N>; 2];

/// An element that may have components of p: every product and difference is brought down to that.
type Loosely<const N: usize> = [Loose<N, P>; 2];

impl<const N: usize, const ADX: bool> Quadratic<N, ADX> {
    /// For 1 ≤ k and a p that leaves two bits unused; `ADX` only if the processor has the
    /// instructions.
    pub(super) fn new(p: &BigUint, k: u64) -> Self {
        Self { base: Prime::new(p), k }
    }

    /// k·a
    #[inline(always)]
    fn multiple(&self, a: &Loose<N, P>) -> Loose<N, P> {
        let mut out = *a;
        for _ in 1..self.k {
            out = self.base.add_loose(&out, a);
        }
        out
    }
}

impl<const N: usize, const ADX: bool> Arithmetic for Quadratic<N, ADX> {
    const ADX: bool = ADX;
    // A product already consists of independent products.
    const PAIRED: bool = false;

    type Element = Element<N>;
    type Loose<const B: u32> = Loosely<N>;
    type Base = Reduced<N>;
    type Stored<'a> = &'a Element<N>;

    fn zero(&self) -> Element<N> {
        [Reduced::ZERO; 2]
    }

    fn one(&self) -> Element<N> {
        [self.base.one(), Reduced::ZERO]
    }

    #[inline(always)]
    fn loose(a: &Element<N>) -> &Loosely<N> {
        // SAFETY: both components are their words in either type.
        unsafe { &*(&raw const *a).cast() }
    }

    #[inline(always)]
    fn widen<const A: u32, const B: u32>(a: &Loosely<N>) -> &Loosely<N> {
        a
    }

    #[inline(always)]
    fn add(&self, a: &Element<N>, b: &Loosely<N>) -> Element<N> {
        [self.base.add(&a[0], &b[0]), self.base.add(&a[1], &b[1])]
    }

    #[inline(always)]
    fn sub(&self, a: &Element<N>, b: &Loosely<N>) -> Element<N> {
        [self.base.sub(&a[0], &b[0]), self.base.sub(&a[1], &b[1])]
    }

    #[inline(always)]
    fn negate_if(&self, negative: bool, a: &Element<N>) -> Loosely<N> {
        [self.base.negate_if(negative, &a[0]), self.base.negate_if(negative, &a[1])]
    }

    /// a₀b₀ + a₁·(−k·b₁) and a₀b₁ + a₁b₀: four products, two reductions.
    #[inline(always)]
    fn mul<const A: u32, const B: u32>(&self, a: &Loosely<N>, b: &Loosely<N>) -> Element<N> {
        let f = &self.base;
        let real = f.dot(a, &[b[0], f.negative(&self.multiple(&b[1]))]);
        [real, f.dot(a, &[b[1], b[0]])]
    }

    /// (a₀ + a₁)(a₀ − k·a₁) + (k − 1)·a₀a₁ and 2·a₀a₁.
    #[inline(always)]
    fn square<const A: u32>(&self, a: &Loosely<N>) -> Element<N> {
        let f = &self.base;
        let mixed = f.mul(&a[0], &a[1]);
        let minus = f.sub_loose(&a[0], &self.multiple(&a[1]));
        let mut real = f.mul(&f.add_wide(&a[0], &a[1]), &minus);
        for _ in 1..self.k {
            real = f.add(&real, mixed.loose());
        }
        [real, f.add(&mixed, mixed.loose())]
    }

    #[inline(always)]
    fn loose_mul<const A: u32, const B: u32, const OUT: u32>(
        &self,
        a: &Loosely<N>,
        b: &Loosely<N>,
    ) -> Loosely<N> {
        *Self::loose(&self.mul::<A, B>(a, b))
    }

    #[inline(always)]
    fn loose_sub(&self, a: &Loosely<N>, b: &Loosely<N>) -> Loosely<N> {
        [self.base.sub_loose(&a[0], &b[0]), self.base.sub_loose(&a[1], &b[1])]
    }

    fn scale(&self, a: &Element<N>, k: &Reduced<N>) -> Element<N> {
        [self.base.scale(&a[0], k), self.base.scale(&a[1], k)]
    }

    /// Conjugate over norm.
    fn invert(&self, a: &Loosely<N>) -> Element<N> {
        let f = &self.base;
        let [real, imaginary] = [f.square(&a[0]), f.square(&a[1])];
        let norm = f.add(&real, &self.multiple(imaginary.loose()));
        let inverse = f.invert_words(norm.loose());
        let conjugate = f.sub(&Reduced::ZERO, &a[1]);
        [f.mul(&a[0], inverse.loose()), f.mul(conjugate.loose(), inverse.loose())]
    }

    #[inline(always)]
    fn read<'a>(&self, half: &'a [u64]) -> &'a Element<N> {
        match Reduced::stored(half.as_chunks().0).first_chunk() {
            Some(element) => element,
            None => unreachable!("half a point holds an element"),
        }
    }

    #[inline(always)]
    fn write(&self, a: &Element<N>, half: &mut [u64]) {
        self.base.write(&a[0], &mut half[..N]);
        self.base.write(&a[1], &mut half[N..]);
    }
}

//! Quadratic extensions Fp[u]/(u² + k) with a small k.
//!
//! Products are summed before they are reduced: four products and two reductions.

use num_bigint::BigUint;

use super::arithmetic::Arithmetic;
use super::prime::{Prime, Words, plus};

/// The extension. p leaves two bits of its words unused.
pub(super) struct Quadratic<const N: usize, const ADX: bool> {
    pub base: Prime<N, 2, ADX>,
    /// k = −u².
    k: u64,
}

type Element<const N: usize> = [Words<N>; 2];

impl<const N: usize, const ADX: bool> Quadratic<N, ADX> {
    /// For 1 ≤ k and a p that leaves two bits unused; `ADX` only where the processor has the instructions.
    pub(super) fn new(p: &BigUint, k: u64) -> Self {
        Self { base: Prime::new(p), k }
    }

    /// k·a
    #[inline(always)]
    fn multiple(&self, a: &Words<N>) -> Words<N> {
        let mut out = *a;
        for _ in 1..self.k {
            out = self.base.add_words(&out, a);
        }
        out
    }
}

impl<const N: usize, const ADX: bool> Arithmetic for Quadratic<N, ADX> {
    const ADX: bool = ADX;
    // Has independent products of its own.
    const PAIRED: bool = false;

    type Element = Element<N>;
    type Base = Words<N>;
    type Stored<'a> = &'a Element<N>;

    fn zero(&self) -> Element<N> {
        [[0; N]; 2]
    }

    fn one(&self) -> Element<N> {
        [self.base.one(), [0; N]]
    }

    #[inline(always)]
    fn add(&self, a: &Element<N>, b: &Element<N>) -> Element<N> {
        [self.base.add_words(&a[0], &b[0]), self.base.add_words(&a[1], &b[1])]
    }

    #[inline(always)]
    fn sub(&self, a: &Element<N>, b: &Element<N>) -> Element<N> {
        [self.base.sub_words(&a[0], &b[0]), self.base.sub_words(&a[1], &b[1])]
    }

    #[inline(always)]
    fn negate_if(&self, negative: bool, a: &Element<N>) -> Element<N> {
        [self.base.negate_if(negative, &a[0]), self.base.negate_if(negative, &a[1])]
    }

    /// a₀b₀ + a₁·(−k·b₁) and a₀b₁ + a₁b₀: four products, two reductions.
    #[inline(always)]
    fn mul(&self, a: &Element<N>, b: &Element<N>) -> Element<N> {
        let f = &self.base;
        let real = f.dot(a, &[b[0], f.negative(&self.multiple(&b[1]))]);
        [real, f.dot(a, &[b[1], b[0]])]
    }

    /// (a₀ + a₁)(a₀ − k·a₁) + (k − 1)·a₀a₁ and 2·a₀a₁.
    #[inline(always)]
    fn square(&self, a: &Element<N>) -> Element<N> {
        let f = &self.base;
        let mixed = f.mul_words(&a[0], &a[1]);
        let minus = f.sub_words(&a[0], &self.multiple(&a[1]));
        let mut real = f.mul_words(&plus(&a[0], &a[1], false).0, &minus);
        for _ in 1..self.k {
            real = f.add_words(&real, &mixed);
        }
        [real, f.add_words(&mixed, &mixed)]
    }

    fn scale(&self, a: &Element<N>, k: &Words<N>) -> Element<N> {
        [self.base.mul_words(&a[0], k), self.base.mul_words(&a[1], k)]
    }

    /// Conjugate over norm.
    fn invert(&self, a: &Element<N>) -> Element<N> {
        let f = &self.base;
        let [real, imaginary] = [f.square(&a[0]), f.square(&a[1])];
        let inverse = f.invert_words(&f.add_words(&real, &self.multiple(&imaginary)));
        [f.mul_words(&a[0], &inverse), f.mul_words(&f.sub_words(&[0; N], &a[1]), &inverse)]
    }

    #[inline(always)]
    fn read<'a>(&self, half: &'a [u64]) -> &'a Element<N> {
        match half.as_chunks().0.first_chunk() {
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

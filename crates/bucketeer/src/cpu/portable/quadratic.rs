//! Quadratic extensions Fp[u]/(u² + k) with a small k.
//!
//! Products are added up in full and reduced once per component: Karatsuba's three products and two
//! reductions.

use num_bigint::BigUint;

use super::arithmetic::Arithmetic;
use super::prime::{Prime, Words, minus, plus, select};

/// The extension. p leaves two bits of its words unused.
pub(super) struct Quadratic<const N: usize> {
    pub base: Prime<N, true>,
    /// k = −u².
    k: u64,
}

type Element<const N: usize> = [Words<N>; 2];

impl<const N: usize> Quadratic<N> {
    /// The extension by a square root of `non_residue`; `None` where that is no −k, or where k·p² would
    /// not stay below p·R.
    pub(super) fn new(p: &BigUint, non_residue: &BigUint) -> Option<Self> {
        let k = u64::try_from(p - non_residue).ok().filter(|&k| k < 8)?;
        let fits = p.bits() as usize + 3 <= 64 * N || k <= 1 && p.bits() as usize + 2 <= 64 * N;
        fits.then(|| Self { base: Prime::new(p), k })
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

impl<const N: usize> Arithmetic for Quadratic<N> {
    type Element = Element<N>;
    type Base = Words<N>;

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

    /// a₀b₀ − k·a₁b₁ and (a₀ + a₁)(b₀ + b₁) − a₀b₀ − a₁b₁, the latter at most 2p² and below p·R.
    #[inline(always)]
    fn mul(&self, a: &Element<N>, b: &Element<N>) -> Element<N> {
        let f = &self.base;
        let low = f.product(&a[0], &b[0]);
        let high = f.product(&a[1], &b[1]);
        let cross = f.product(&plus(&a[0], &a[1], false).0, &plus(&b[0], &b[1], false).0);
        let mixed = minus_long(&minus_long(&cross, &low).0, &high).0;
        let mut multiple = high;
        for _ in 1..self.k {
            multiple = plus_long(&multiple, &high);
        }
        let (mut real, borrow) = minus_long(&low, &multiple);
        real[1] = plus(&real[1], &select(borrow, &f.modulus, &[0; N]), false).0;
        [f.reduce(&real), f.reduce(&mixed)]
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
    fn read(&self, half: &[u64]) -> Element<N> {
        [self.base.read(&half[..N]), self.base.read(&half[N..])]
    }

    #[inline(always)]
    fn write(&self, a: &Element<N>, half: &mut [u64]) {
        self.base.write(&a[0], &mut half[..N]);
        self.base.write(&a[1], &mut half[N..]);
    }
}

/// a − b for products in full, and the borrow.
#[inline(always)]
fn minus_long<const N: usize>(a: &Element<N>, b: &Element<N>) -> (Element<N>, bool) {
    let (low, borrow) = minus(&a[0], &b[0], false);
    let (high, borrow) = minus(&a[1], &b[1], borrow);
    ([low, high], borrow)
}

/// a + b for products in full, which must not overflow.
#[inline(always)]
fn plus_long<const N: usize>(a: &Element<N>, b: &Element<N>) -> Element<N> {
    let (low, carry) = plus(&a[0], &b[0], false);
    [low, plus(&a[1], &b[1], carry).0]
}

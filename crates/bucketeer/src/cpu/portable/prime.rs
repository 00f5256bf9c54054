//! Prime fields of N words of 64 bits: Montgomery arithmetic, R = 2^(64·N), with the modulus known
//! only at run time, so that one copy of the code serves all curves. Words are those of arkworks.
//!
//! Everything is inlined and in loops of known length, so that elements live in registers: an
//! element that is stored word by word and copied by vectors stalls on store forwarding.

use num_bigint::BigUint;

use super::arithmetic::{Arithmetic, CHAIN, P, TWICE, product};
use super::residues::{Loose, Reduced, Words, minus, plus, select, words};
use crate::cpu::inverse::Inverter;
use crate::curve::inverse_of_odd;

/// Words up to which the rows of a product are unrolled; longer ones would overflow the µop cache.
const UNROLLED: usize = 6;

/// p, as [`adx`](super::adx) reads it.
#[repr(C)]
pub(super) struct Modulus<const N: usize> {
    pub words: Words<N>,
    /// −p⁻¹ mod 2^64
    negative_inverse: u64,
}

/// The integers modulo p.
///
/// `SPARE` counts the bits of its words that p leaves unused, up to two. With one, the sum of two
/// elements needs no further word. With two, or with a p that exceeds R/4 by next to nothing, some
/// factors of products need not be reduced. `ADX`: the processor has BMI2 and ADX.
pub(super) struct Prime<const N: usize, const SPARE: u32, const ADX: bool> {
    pub modulus: Modulus<N>,
    /// R mod p: one.
    one: Reduced<N>,
    /// R³ mod p.
    cube: Reduced<N>,
    inverter: Inverter,
    /// Equals `N`, hidden from the optimiser so that the loop is not unrolled.
    rows: usize,
}

/// A chain of borrows in assembly.
#[derive(Clone, Copy)]
enum Chain {
    Subtract,
    LooseSubtract,
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    NegateIf(bool),
}

/// a + b·c + carry, as low word and carry; never more than two words.
#[inline(always)]
fn multiply_add(a: u64, b: u64, c: u64, carry: u64) -> (u64, u64) {
    let sum = u128::from(a) + u128::from(b) * u128::from(c) + u128::from(carry);
    (sum as u64, (sum >> 64) as u64)
}

impl<const N: usize, const SPARE: u32, const ADX: bool> Prime<N, SPARE, ADX> {
    /// `ADX` only if the processor has the instructions.
    pub(super) fn new(p: &BigUint) -> Self {
        let power = |k: usize| Reduced::shifted(&BigUint::from(1u32), k, p);
        let modulus = words(p);
        Self {
            modulus: Modulus {
                words: modulus,
                negative_inverse: inverse_of_odd(modulus[0]).wrapping_neg(),
            },
            one: power(1),
            cube: power(3),
            inverter: Inverter::new(&modulus),
            rows: N,
        }
    }

    /// A value below 2p, with its carry, modulo p; 2p becomes p.
    #[inline(always)]
    fn trim(&self, a: &Words<N>, carry: bool) -> Words<N> {
        let (less, borrow) = minus(a, &self.modulus.words, false);
        select(if SPARE > 0 { borrow } else { borrow & !carry }, a, &less)
    }

    /// Σ aᵢ·bᵢ/R modulo p, for one product or, where p leaves two bits unused, two. Intermediate
    /// values never exceed a + p.
    #[inline(always)]
    pub(super) fn dot<const D: usize, const A: u32, const B: u32>(
        &self,
        a: &[Loose<N, A>; D],
        b: &[Loose<N, B>; D],
    ) -> Reduced<N> {
        const { assert!(product(D as u32 * A, B) < TWICE && (D == 1 || SPARE == 2)) };
        let (a, b) = (Loose::words(a), Loose::words(b));
        if let Some(sum) = self.dot_adx::<D, true>(a, b) {
            return Reduced(sum);
        }
        let (sum, carry) = self.dot_plain(a, b);
        Reduced(self.trim(&sum, carry))
    }

    /// The same, below 2p and with its carry. In WebAssembly a call: its products are long, and the
    /// module has to be downloaded.
    #[cfg_attr(target_family = "wasm", inline(never))]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn dot_plain<const D: usize>(&self, a: &[Words<N>; D], b: &[Words<N>; D]) -> (Words<N>, bool) {
        let (mut t, mut top) = ([0; N], 0);
        let rows = if N <= UNROLLED { N } else { self.rows.min(N) };
        for i in 0..rows {
            let mut next = 0;
            for k in 0..D - 1 {
                let mut carry = 0;
                for j in 0..N {
                    (t[j], carry) = multiply_add(t[j], a[k][j], b[k][i], carry);
                }
                next += carry;
            }
            self.row(&mut t, &mut top, next, &a[D - 1], b[D - 1][i]);
        }
        (t, top != 0)
    }

    /// One row of a product: (t + next·R + a·b + m·p)/2^64 with the m that makes it exact. Where p
    /// leaves the top bit unused, `next` is the only word above t; elsewhere `top` is.
    #[inline(always)]
    fn row(&self, t: &mut Words<N>, top: &mut u64, next: u64, a: &Words<N>, b: u64) {
        let p = &self.modulus.words;
        let (low, mut carry) = multiply_add(t[0], a[0], b, 0);
        let m = low.wrapping_mul(self.modulus.negative_inverse);
        let (_, mut carried) = multiply_add(low, m, p[0], 0);
        for j in 1..N {
            let sum;
            (sum, carry) = multiply_add(t[j], a[j], b, carry);
            (t[j - 1], carried) = multiply_add(sum, m, p[j], carried);
        }
        if SPARE > 0 {
            t[N - 1] = carry.wrapping_add(carried).wrapping_add(next);
        } else {
            let (sum, c1) = carry.overflowing_add(carried);
            let (sum, c2) = sum.overflowing_add(*top);
            (t[N - 1], *top) = (sum, u64::from(c1) + u64::from(c2));
        }
    }

    /// The same by [`adx`](super::adx), where that has it; only below 2p unless `REDUCED`.
    #[inline(always)]
    fn dot_adx<const D: usize, const REDUCED: bool>(
        &self,
        a: &[Words<N>; D],
        b: &[Words<N>; D],
    ) -> Option<Words<N>> {
        #[cfg(target_arch = "x86_64")]
        if ADX {
            use super::adx::*;
            let (a, b, p): (*const _, *const _, *const _) = (a, b, &self.modulus);
            let mut out = [0; N];
            let to: *mut Words<N> = &mut out;
            // SAFETY: the casts are between equal types; this type is built only if the processor
            // has the instructions.
            unsafe {
                match (N, D, SPARE, REDUCED) {
                    (4, 1, 2, false) => {
                        *to.cast() = loose_product4(&*a.cast(), &*b.cast(), &*p.cast())
                    }
                    (4, 1, 1.., _) => *to.cast() = product4(&*a.cast(), &*b.cast(), &*p.cast()),
                    (4, 1, 0, _) => *to.cast() = full_product4(&*a.cast(), &*b.cast(), &*p.cast()),
                    (4, 2, 2, _) => *to.cast() = two_products4(&*a.cast(), &*b.cast(), &*p.cast()),
                    (6, 1, 2, false) => {
                        *to.cast() = loose_product6(&*a.cast(), &*b.cast(), &*p.cast())
                    }
                    (6, 1, 1.., _) => *to.cast() = product6(&*a.cast(), &*b.cast(), &*p.cast()),
                    (6, 2, 2, _) => *to.cast() = two_products6(&*a.cast(), &*b.cast(), &*p.cast()),
                    (12, 1, 1.., _) => {
                        let (p, inverse) = (&*p.cast(), self.modulus.negative_inverse);
                        *to.cast() = product12(&*a.cast(), &*b.cast(), p, inverse);
                        if SPARE < 2 || REDUCED {
                            out = self.trim(&out, false);
                        }
                    }
                    _ => return None,
                }
            }
            return Some(out);
        }
        let _ = (a, b);
        None
    }

    /// a + b
    #[inline(always)]
    pub(super) fn add_words(&self, a: &Reduced<N>, b: &Loose<N, P>) -> Reduced<N> {
        let (sum, carry) = plus(&a.0, &b.0, false);
        Reduced(self.trim(&sum, carry))
    }

    /// a + b, at most p again.
    #[inline(always)]
    pub(super) fn add_loose(&self, a: &Loose<N, P>, b: &Loose<N, P>) -> Loose<N, P> {
        let (sum, carry) = plus(&a.0, &b.0, false);
        Loose(self.trim(&sum, carry))
    }

    /// a + b without reduction.
    #[inline(always)]
    pub(super) fn add_wide(&self, a: &Loose<N, P>, b: &Loose<N, P>) -> Loose<N, TWICE> {
        const { assert!(SPARE > 0) };
        Loose(plus(&a.0, &b.0, false).0)
    }

    /// a − b, at most p again.
    #[inline(always)]
    pub(super) fn sub_loose(&self, a: &Loose<N, P>, b: &Loose<N, P>) -> Loose<N, P> {
        Loose(self.sub_words(&a.0, &b.0))
    }

    /// a − b, and p more where that is negative.
    #[inline(always)]
    fn sub_words(&self, a: &Words<N>, b: &Words<N>) -> Words<N> {
        if let Some(difference) = self.in_assembly(Chain::Subtract, a, b) {
            return difference;
        }
        let (difference, borrow) = minus(a, b, false);
        let missing = select(borrow, &self.modulus.words, &[0; N]);
        plus(&difference, &missing, false).0
    }

    /// p − a
    #[inline(always)]
    pub(super) fn negative(&self, a: &Loose<N, P>) -> Loose<N, P> {
        Loose(minus(&self.modulus.words, &a.0, false).0)
    }

    /// Differences by [`chains`](super::chains), where that has them.
    #[inline(always)]
    fn in_assembly(&self, chain: Chain, a: &Words<N>, b: &Words<N>) -> Option<Words<N>> {
        #[cfg(target_arch = "x86_64")]
        if ADX {
            use super::chains::*;
            let (a, b, p): (*const _, *const _, *const _) = (a, b, &self.modulus.words);
            let mut out = [0; N];
            let to: *mut Words<N> = &mut out;
            // SAFETY: the casts are between equal types; this type is built only if the processor
            // has the instructions.
            unsafe {
                match (N, chain) {
                    (4, Chain::Subtract) => {
                        *to.cast() = subtract4(&*a.cast(), &*b.cast(), &*p.cast())
                    }
                    (6, Chain::Subtract) => {
                        *to.cast() = subtract6(&*a.cast(), &*b.cast(), &*p.cast())
                    }
                    (4, Chain::LooseSubtract) => {
                        *to.cast() = loose_subtract4(&*a.cast(), &*b.cast(), &*p.cast())
                    }
                    (6, Chain::LooseSubtract) => {
                        *to.cast() = loose_subtract6(&*a.cast(), &*b.cast(), &*p.cast())
                    }
                    (4, Chain::NegateIf(negative)) => {
                        *to.cast() = negate_if4(negative, &*a.cast(), &*p.cast())
                    }
                    (6, Chain::NegateIf(negative)) => {
                        *to.cast() = negate_if6(negative, &*a.cast(), &*p.cast())
                    }
                    _ => return None,
                }
            }
            return Some(out);
        }
        let _ = (chain, a, b);
        None
    }

    /// 1/a, and 0 for 0.
    pub(super) fn invert_words<const A: u32>(&self, a: &Loose<N, A>) -> Reduced<N> {
        const { assert!(A < TWICE) };
        let mut inverse = Reduced(self.trim(&a.0, false));
        // 1/(xR) times R³ is R/x · R.
        self.inverter.invert(&mut inverse.0);
        self.mul(inverse.loose(), self.cube.loose())
    }
}

impl<const N: usize, const SPARE: u32, const ADX: bool> Arithmetic for Prime<N, SPARE, ADX> {
    const ADX: bool = ADX;
    const PAIRED: bool = ADX && N < 12;

    type Element = Reduced<N>;
    type Loose<const B: u32> = Loose<N, B>;
    type Base = Reduced<N>;
    type Stored<'a> = &'a Reduced<N>;

    fn zero(&self) -> Reduced<N> {
        Reduced::ZERO
    }

    fn one(&self) -> Reduced<N> {
        self.one
    }

    #[inline(always)]
    fn loose(a: &Reduced<N>) -> &Loose<N, P> {
        a.loose()
    }

    #[inline(always)]
    fn widen<const A: u32, const B: u32>(a: &Loose<N, A>) -> &Loose<N, B> {
        a.widen()
    }

    #[inline(always)]
    fn add(&self, a: &Reduced<N>, b: &Loose<N, P>) -> Reduced<N> {
        self.add_words(a, b)
    }

    #[inline(always)]
    fn sub(&self, a: &Reduced<N>, b: &Loose<N, P>) -> Reduced<N> {
        Reduced(self.sub_words(&a.0, &b.0))
    }

    #[inline(always)]
    fn negate_if(&self, negative: bool, a: &Reduced<N>) -> Loose<N, P> {
        if let Some(a) = self.in_assembly(Chain::NegateIf(negative), &a.0, &a.0) {
            return Loose(a);
        }
        Loose(select(negative, &self.negative(a.loose()).0, &a.0))
    }

    #[inline(always)]
    fn mul<const A: u32, const B: u32>(&self, a: &Loose<N, A>, b: &Loose<N, B>) -> Reduced<N> {
        self.dot(std::array::from_ref(a), std::array::from_ref(b))
    }

    #[inline(always)]
    fn square<const A: u32>(&self, a: &Loose<N, A>) -> Reduced<N> {
        self.mul(a, a)
    }

    #[inline(always)]
    fn loose_mul<const A: u32, const B: u32, const OUT: u32>(
        &self,
        a: &Loose<N, A>,
        b: &Loose<N, B>,
    ) -> Loose<N, OUT> {
        const { assert!(product(A, B) <= OUT && OUT < TWICE) };
        if SPARE < 2 {
            return Loose(self.mul(a, b).0);
        }
        let [a, b] = [&a.0, &b.0].map(std::array::from_ref);
        Loose(self.dot_adx::<1, false>(a, b).unwrap_or_else(|| self.dot_plain(a, b).0))
    }

    #[inline(always)]
    fn loose_sub(&self, a: &Loose<N, P>, b: &Loose<N, P>) -> Loose<N, TWICE> {
        if SPARE < 2 {
            return Loose(self.sub_words(&a.0, &b.0));
        }
        if let Some(difference) = self.in_assembly(Chain::LooseSubtract, &a.0, &b.0) {
            return Loose(difference);
        }
        let (sum, _) = plus(&a.0, &self.modulus.words, false);
        Loose(minus(&sum, &b.0, false).0)
    }

    fn scale(&self, a: &Reduced<N>, k: &Reduced<N>) -> Reduced<N> {
        self.mul(a.loose(), k.loose())
    }

    fn invert(&self, a: &Loose<N, CHAIN>) -> Reduced<N> {
        self.invert_words(a)
    }

    #[inline(always)]
    fn read<'a>(&self, half: &'a [u64]) -> &'a Reduced<N> {
        match Reduced::stored(half.as_chunks().0) {
            [element, ..] => element,
            [] => unreachable!("half a point holds an element"),
        }
    }

    #[inline(always)]
    fn write(&self, a: &Reduced<N>, half: &mut [u64]) {
        for i in 0..N {
            half[i] = a.0[i];
        }
    }
}

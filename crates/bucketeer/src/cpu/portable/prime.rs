//! Prime fields of N words of 64 bits: Montgomery arithmetic, R = 2^(64·N), with the modulus known at run
//! time only, so that one copy of the code serves all curves. Words are those of arkworks.
//!
//! Everything is in line and in loops of known length, so that elements live in registers: an element
//! that is stored word by word and copied by vectors waits for the store buffer.

use num_bigint::BigUint;

use super::arithmetic::Arithmetic;
use crate::cpu::inverse::Inverter;
use crate::curve::inverse_of_odd;

/// An element, or its part in one component: below the modulus.
pub(super) type Words<const N: usize> = [u64; N];

/// Words up to which the rows of a product are unrolled; longer ones would overflow the cache of decoded
/// instructions.
const UNROLLED: usize = 6;

/// p, as [`adx`](super::adx) reads it.
#[repr(C)]
pub(super) struct Modulus<const N: usize> {
    pub words: Words<N>,
    /// −p⁻¹ mod 2^64
    negative_inverse: u64,
}

/// The integers modulo p. `SPARE`: bits of its words that p leaves unused, of which two count. With one, sums of two
/// elements need no further word. With two, or where p is as good as R/4, some factors of products need not be reduced.
/// `ADX`: the processor has BMI2 and ADX.
pub(super) struct Prime<const N: usize, const SPARE: u32, const ADX: bool> {
    pub modulus: Modulus<N>,
    /// R mod p: one.
    one: Words<N>,
    /// R³ mod p.
    cube: Words<N>,
    inverter: Inverter,
    /// N, which the compiler does not know to be that.
    rows: usize,
}

/// A chain of borrows.
#[derive(Clone, Copy)]
enum Chain {
    Subtract,
    LooseSubtract,
    NegateIf(bool),
}

/// The words of an integer, which must be enough.
pub(super) fn words<const N: usize>(value: &BigUint) -> Words<N> {
    let mut digits = value.iter_u64_digits();
    std::array::from_fn(|_| digits.next().unwrap_or(0))
}

/// a + b·c + carry, as low word and carry; never more than two words.
#[inline(always)]
fn multiply_add(a: u64, b: u64, c: u64, carry: u64) -> (u64, u64) {
    let sum = u128::from(a) + u128::from(b) * u128::from(c) + u128::from(carry);
    (sum as u64, (sum >> 64) as u64)
}

/// a + b + carry and the carry.
#[inline(always)]
pub(super) fn plus<const N: usize>(
    a: &Words<N>,
    b: &Words<N>,
    mut carry: bool,
) -> (Words<N>, bool) {
    let mut out = [0; N];
    for i in 0..N {
        let (sum, c1) = a[i].overflowing_add(b[i]);
        let (sum, c2) = sum.overflowing_add(u64::from(carry));
        (out[i], carry) = (sum, c1 | c2);
    }
    (out, carry)
}

/// a − b − borrow and the borrow.
#[inline(always)]
pub(super) fn minus<const N: usize>(
    a: &Words<N>,
    b: &Words<N>,
    mut borrow: bool,
) -> (Words<N>, bool) {
    let mut out = [0; N];
    for i in 0..N {
        let (difference, b1) = a[i].overflowing_sub(b[i]);
        let (difference, b2) = difference.overflowing_sub(u64::from(borrow));
        (out[i], borrow) = (difference, b1 | b2);
    }
    (out, borrow)
}

#[inline(always)]
pub(super) fn select<const N: usize>(condition: bool, yes: &Words<N>, no: &Words<N>) -> Words<N> {
    let mut out = *no;
    for i in 0..N {
        out[i] = std::hint::select_unpredictable(condition, yes[i], no[i]);
    }
    out
}

impl<const N: usize, const SPARE: u32, const ADX: bool> Prime<N, SPARE, ADX> {
    /// `ADX` only where the processor has the instructions.
    pub(super) fn new(p: &BigUint) -> Self {
        let power = |k: usize| words(&((BigUint::from(1u32) << (64 * k * N)) % p));
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

    /// A number below 2p, with its carry, modulo p.
    #[inline(always)]
    fn trim(&self, a: &Words<N>, carry: bool) -> Words<N> {
        let (less, borrow) = minus(a, &self.modulus.words, false);
        select(if SPARE > 0 { borrow } else { borrow & !carry }, a, &less)
    }

    /// Σ aᵢ·bᵢ/R modulo p, for one product or, where p leaves two bits unused, two. The factors of a single product may
    /// then be up to 2p each, as long as a·b/R is below p; on the way there is never more than a + p.
    #[inline(always)]
    pub(super) fn dot<const D: usize>(&self, a: &[Words<N>; D], b: &[Words<N>; D]) -> Words<N> {
        if let Some(sum) = self.dot_adx::<D, true>(a, b) {
            return sum;
        }
        let (sum, carry) = self.dot_plain(a, b);
        self.trim(&sum, carry)
    }

    /// The same, below 2p and with its carry.
    #[inline(always)]
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

    /// One row of a product: (t + next·R + a·b + m·p)/2^64 with the m that leaves no rest. Where p leaves the top bit
    /// unused, `next` is all there is above t; elsewhere it is `top`.
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

    /// The same by [`adx`](super::adx), where that has it; below 2p only unless `REDUCED`.
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
            // SAFETY: the casts are between equal types; this type is made only where the instructions are.
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

    #[inline(always)]
    pub(super) fn mul_words(&self, a: &Words<N>, b: &Words<N>) -> Words<N> {
        self.dot(std::array::from_ref(a), std::array::from_ref(b))
    }

    #[inline(always)]
    pub(super) fn add_words(&self, a: &Words<N>, b: &Words<N>) -> Words<N> {
        let (sum, carry) = plus(a, b, false);
        self.trim(&sum, carry)
    }

    #[inline(always)]
    pub(super) fn sub_words(&self, a: &Words<N>, b: &Words<N>) -> Words<N> {
        if let Some(difference) = self.in_assembly(Chain::Subtract, a, b) {
            return difference;
        }
        let (difference, borrow) = minus(a, b, false);
        let missing = select(borrow, &self.modulus.words, &[0; N]);
        plus(&difference, &missing, false).0
    }

    /// p − a
    #[inline(always)]
    pub(super) fn negative(&self, a: &Words<N>) -> Words<N> {
        minus(&self.modulus.words, a, false).0
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
            // SAFETY: the casts are between equal types; this type is made only where the instructions are.
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
    pub(super) fn invert_words(&self, a: &Words<N>) -> Words<N> {
        let mut inverse = self.trim(a, false);
        // 1/(xR) times R³ is R/x · R.
        self.inverter.invert(&mut inverse);
        self.mul_words(&inverse, &self.cube)
    }
}

impl<const N: usize, const SPARE: u32, const ADX: bool> Arithmetic for Prime<N, SPARE, ADX> {
    const ADX: bool = ADX;
    const PAIRED: bool = ADX && N < 12;

    type Element = Words<N>;
    type Base = Words<N>;
    type Stored<'a> = &'a Words<N>;

    fn zero(&self) -> Self::Element {
        [0; N]
    }

    fn one(&self) -> Self::Element {
        self.one
    }

    #[inline(always)]
    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.add_words(a, b)
    }

    #[inline(always)]
    fn sub(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.sub_words(a, b)
    }

    #[inline(always)]
    fn negate_if(&self, negative: bool, a: &Self::Element) -> Self::Element {
        if let Some(a) = self.in_assembly(Chain::NegateIf(negative), a, a) {
            return a;
        }
        select(negative, &self.negative(a), a)
    }

    #[inline(always)]
    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.mul_words(a, b)
    }

    #[inline(always)]
    fn square(&self, a: &Self::Element) -> Self::Element {
        self.mul_words(a, a)
    }

    /// A product is below p + a·b/R. So, with R = 4p, one by one reduced factors make products of up to 4/3 p, two such
    /// products 13/9 p, one of these with a loose difference of up to 2p makes 31/18 p, and that with another difference
    /// 67/36 p: all below 2p.
    #[inline(always)]
    fn loose_mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        if SPARE < 2 {
            return self.mul_words(a, b);
        }
        let [a, b] = [a, b].map(std::array::from_ref);
        self.dot_adx::<1, false>(a, b).unwrap_or_else(|| self.dot_plain(a, b).0)
    }

    #[inline(always)]
    fn loose_sub(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        if SPARE < 2 {
            return self.sub_words(a, b);
        }
        if let Some(difference) = self.in_assembly(Chain::LooseSubtract, a, b) {
            return difference;
        }
        let (sum, _) = plus(a, &self.modulus.words, false);
        minus(&sum, b, false).0
    }

    fn scale(&self, a: &Self::Element, k: &Self::Base) -> Self::Element {
        self.mul_words(a, k)
    }

    fn invert(&self, a: &Self::Element) -> Self::Element {
        self.invert_words(a)
    }

    #[inline(always)]
    fn read<'a>(&self, half: &'a [u64]) -> &'a Words<N> {
        match half.first_chunk() {
            Some(words) => words,
            None => unreachable!("half a point holds an element"),
        }
    }

    #[inline(always)]
    fn write(&self, a: &Self::Element, half: &mut [u64]) {
        for i in 0..N {
            half[i] = a[i];
        }
    }
}

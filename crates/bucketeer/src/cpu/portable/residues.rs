//! Values modulo p as N words of 64 bits, a type for each bound.

use num_bigint::BigUint;

use super::arithmetic::P;

/// Little-endian words.
pub(in crate::cpu) type Words<const N: usize> = [u64; N];

/// An element, or one component of it: below p.
#[derive(Clone, Copy, PartialEq)]
#[repr(transparent)]
pub(super) struct Reduced<const N: usize>(pub(super) Words<N>);

/// A value of at most `B`/36·p where p leaves two bits of its words unused, and of at most p
/// elsewhere.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Loose<const N: usize, const B: u32>(pub(super) Words<N>);

impl<const N: usize> Reduced<N> {
    pub(super) const ZERO: Self = Self([0; N]);

    /// The Montgomery form value·2^(64·N·k) mod p.
    pub(super) fn shifted(value: &BigUint, k: usize, p: &BigUint) -> Self {
        Self(words(&((value << (64 * N * k)) % p)))
    }

    /// Elements in the words of a point, which are reduced.
    #[inline(always)]
    pub(super) fn stored(words: &[Words<N>]) -> &[Self] {
        // SAFETY: the type is its words.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len()) }
    }

    #[inline(always)]
    pub(super) fn loose(&self) -> &Loose<N, P> {
        // SAFETY: both types are their words.
        unsafe { &*(&raw const *self).cast() }
    }
}

impl<const N: usize, const A: u32> Loose<N, A> {
    /// The same value under a weaker bound.
    #[inline(always)]
    pub(super) fn widen<const B: u32>(&self) -> &Loose<N, B> {
        const { assert!(A <= B) };
        // SAFETY: both types are their words.
        unsafe { &*(&raw const *self).cast() }
    }

    /// The words of several values.
    #[inline(always)]
    pub(super) fn words<const D: usize>(values: &[Self; D]) -> &[Words<N>; D] {
        // SAFETY: the type is its words.
        unsafe { &*(&raw const *values).cast() }
    }
}

/// The words of an integer; surplus ones are cut off.
pub(in crate::cpu) fn words<const N: usize>(value: &BigUint) -> Words<N> {
    let mut digits = value.iter_u64_digits();
    std::array::from_fn(|_| digits.next().unwrap_or(0))
}

/// a + b + carry and the carry.
#[inline(always)]
pub(in crate::cpu) fn plus<const N: usize>(
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
pub(in crate::cpu) fn minus<const N: usize>(
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

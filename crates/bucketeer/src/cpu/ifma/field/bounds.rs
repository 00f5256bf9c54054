//! Lazily reduced values, a type for each bound.
//!
//! | type | value | limbs | source |
//! | --- | --- | --- | --- |
//! | [`Below<L, B>`] | 0 ≤ a < B·p | below 2^52 | loads, products, differences |
//! | [`AtMost<L, B>`] | 0 ≤ a ≤ B·p | below 2^52 | sums and differences that are only multiplied |
//! | [`Loose<L, B>`] | 0 ≤ a < B·p | any size and sign | products, before carry propagation |
//! | [`Signed<L>`] | 0 ≤ a ≤ p | any size and sign | conditional negation: −0 is p |
//!
//! `Below<L, 1>` is canonical: equal values have equal limbs. Functions of [`field`](super) check
//! bounds at compile time: a product of factors that are too large does not compile, nor does a
//! result with a bound that its operands do not justify. All types are limbs and nothing else, so
//! the checks cost nothing at run time.

use num_bigint::BigUint;

use super::super::lanes::{LIMB_BITS, LIMB_MASK, V, broadcast, limbs_of, zero};

/// Eight values of at most `BOUND`·p each, limbs of any size and sign.
pub(in super::super) trait Value<const L: usize>: Copy {
    const BOUND: u32;

    fn limbs(&self) -> &[V; L];

    /// Zero, which every bound admits.
    ///
    /// # Safety
    /// AVX-512F.
    unsafe fn zero() -> Self;
}

/// A value strictly below `BOUND`·p.
pub(in super::super) trait Strict<const L: usize>: Value<L> {}

/// A value with limbs below 2^52, which is what an IFMA instruction multiplies.
pub(in super::super) trait Factor<const L: usize>: Value<L> {}

macro_rules! values {
    ($($(#[$doc:meta])* $name:ident $(<$bound:ident>)?, $at_most:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(in super::super) struct $name<const L: usize $(, const $bound: u32)?>(
            pub(super) [V; L],
        );

        impl<const L: usize $(, const $bound: u32)?> Value<L> for $name<L $(, $bound)?> {
            const BOUND: u32 = $at_most;

            #[inline(always)]
            fn limbs(&self) -> &[V; L] {
                &self.0
            }

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller runs with AVX-512F.
                Self([unsafe { zero() }; L])
            }
        }
    )*};
}

values! {
    /// Below `B`·p, limbs below 2^52.
    Below<B>, B;
    /// At most `B`·p, limbs below 2^52.
    AtMost<B>, B;
    /// Below `B`·p, carries not propagated: may be added and subtracted, not multiplied.
    Loose<B>, B;
    /// A coordinate with its sign applied: at most p, carries not propagated.
    Signed, 1;
}

impl<const L: usize, const B: u32> Strict<L> for Below<L, B> {}
impl<const L: usize, const B: u32> Strict<L> for Loose<L, B> {}
impl<const L: usize, const B: u32> Factor<L> for Below<L, B> {}
impl<const L: usize, const B: u32> Factor<L> for AtMost<L, B> {}

/// The only representative below p.
pub(in super::super) type Canonical<const L: usize> = Below<L, 1>;

impl<const L: usize> Canonical<L> {
    /// A coordinate of stored points, which are canonical. Infinity, all ones, is the exception;
    /// callers overwrite its lanes.
    #[inline(always)]
    pub(in super::super) fn stored(limbs: [V; L]) -> Self {
        Below(limbs)
    }
}

impl<const L: usize, const B: u32> Below<L, B> {
    /// The same value under a weaker bound.
    #[inline(always)]
    pub(in super::super) fn widen<const C: u32>(self) -> Below<L, C> {
        const { assert!(B <= C) };
        Below(self.0)
    }

    /// The same value where carries need not have been propagated.
    #[inline(always)]
    pub(in super::super) fn loose(self) -> Loose<L, B> {
        Loose(self.0)
    }
}

/// The exponent of the smallest power of two that is at least `bound`.
pub(super) const fn power_above(bound: u32) -> usize {
    bound.next_power_of_two().ilog2() as usize
}

/// A constant below p, as limbs.
#[derive(Clone, Copy)]
pub(in super::super) struct Residue<const L: usize>([u64; L]);

impl<const L: usize> Residue<L> {
    /// `value`·2^`bits` mod p.
    pub(in super::super) fn shifted(value: &BigUint, bits: usize, p: &BigUint) -> Self {
        Self(limbs(&((value << bits) % p)))
    }

    /// The residue with these 64-bit words, which must be below p.
    pub(in super::super) fn from_words(words: &[u64]) -> Self {
        Self(limbs_of(words))
    }

    /// The residue in all lanes.
    ///
    /// # Safety
    /// AVX-512F.
    #[inline(always)]
    pub(in super::super) unsafe fn splat(&self) -> Canonical<L> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let mut out = [zero(); L];
            for i in 0..L {
                out[i] = broadcast(self.0[i]);
            }
            Below(out)
        }
    }
}

/// An integer as limbs; surplus bits are cut off.
pub(super) fn limbs<const L: usize>(value: &BigUint) -> [u64; L] {
    let mask = BigUint::from(LIMB_MASK);
    std::array::from_fn(|i| {
        ((value >> (LIMB_BITS * i)) & &mask).iter_u64_digits().next().unwrap_or(0)
    })
}

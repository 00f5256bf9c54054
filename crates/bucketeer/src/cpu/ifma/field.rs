//! Eight prime-field elements at a time: Montgomery arithmetic on L limbs of 52 bits, R = 2^(52·L).
//!
//! Values are lazily reduced. `a < αp` below means a bound on a value whose limbs are normalised, each
//! below 2^52. With p·2^4 ≤ R, a product of a < αp and b < βp is below p·(1 + αβ/16): below 2p as long as
//! αβ ≤ 16. The product is computed in full and then reduced; interleaving the two spills registers.
//!
//! *Loose* values have limbs of any size and sign, as long as the value itself keeps its bound: what a
//! product leaves before its carries are passed on. They may be added and subtracted, not multiplied.

use core::arch::x86_64::*;

use num_bigint::BigUint;

use super::lanes::{LIMB_BITS, LIMB_MASK, V, broadcast, zero};
use crate::curve::inverse_of_odd;

/// Eight elements; limb i of all of them in vector i.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Lanes<const L: usize>(pub [V; L]);

/// Columns of a product of the longest elements.
const COLUMNS: usize = 32;

/// A modulus and its multiples, as limbs.
#[derive(Clone)]
pub(super) struct Modulus<const L: usize> {
    /// 2^i·p for i = 0 … 4; the last ones only where they fit.
    pub multiples: [[u64; L]; 5],
    /// −p⁻¹ mod 2^52
    negative_inverse: u64,
    /// 3p
    pub triple: [u64; L],
    /// R mod p: one.
    pub one: [u64; L],
}

/// An integer as limbs, which must be enough.
pub(super) fn limbs<const L: usize>(value: &BigUint) -> [u64; L] {
    let mask = BigUint::from(LIMB_MASK);
    std::array::from_fn(|i| {
        ((value >> (LIMB_BITS * i)) & &mask).iter_u64_digits().next().unwrap_or(0)
    })
}

impl<const L: usize> Modulus<L> {
    pub(super) fn new(p: &BigUint) -> Self {
        Self {
            multiples: std::array::from_fn(|i| limbs(&(p << i))),
            negative_inverse: inverse_of_odd(limbs::<L>(p)[0]).wrapping_neg() & LIMB_MASK,
            triple: limbs(&(p * 3u32)),
            one: limbs(&((BigUint::from(1u32) << (LIMB_BITS * L)) % p)),
        }
    }
}

#[inline(always)]
pub(super) unsafe fn constant<const L: usize>(value: &[u64; L]) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut out = [zero(); L];
        for i in 0..L {
            out[i] = broadcast(value[i]);
        }
        Lanes(out)
    }
}

/// Carries out of every limb into the next, arithmetically: limbs may be negative as long as the
/// value is not.
#[inline(always)]
unsafe fn normalise<const L: usize>(t: &[V; L]) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mask = broadcast(LIMB_MASK);
        let mut out = [zero(); L];
        let mut carried = t[0];
        for i in 0..L - 1 {
            out[i] = _mm512_and_si512(carried, mask);
            carried =
                _mm512_add_epi64(t[i + 1], _mm512_srai_epi64::<{ LIMB_BITS as u32 }>(carried));
        }
        out[L - 1] = carried;
        Lanes(out)
    }
}

/// The upper half of `t` after reduction modulo p: `t·R⁻¹`, below p + t/R, loose.
#[inline(always)]
unsafe fn reduce<const L: usize>(t: &mut [V; COLUMNS], m: &Modulus<L>) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512 IFMA.
    unsafe {
        let inverse = broadcast(m.negative_inverse);
        let p = &m.multiples[0];
        for i in 0..L {
            let q = _mm512_madd52lo_epu64(zero(), t[i], inverse);
            for j in 0..L {
                t[i + j] = _mm512_madd52lo_epu64(t[i + j], q, broadcast(p[j]));
                t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], q, broadcast(p[j]));
            }
            let carry = _mm512_srli_epi64::<{ LIMB_BITS as u32 }>(t[i]);
            t[i + 1] = _mm512_add_epi64(t[i + 1], carry);
        }
        let mut upper = [zero(); L];
        for i in 0..L {
            upper[i] = t[L + i];
        }
        Lanes(upper)
    }
}

/// a·b·R⁻¹, below p·(1 + αβ/16).
#[inline(always)]
pub(super) unsafe fn mul<const L: usize>(a: &Lanes<L>, b: &Lanes<L>, m: &Modulus<L>) -> Lanes<L> {
    // SAFETY: passed on.
    unsafe { normalise(&mul_loose(a, b, m).0) }
}

/// a²·R⁻¹
#[inline(always)]
pub(super) unsafe fn square<const L: usize>(a: &Lanes<L>, m: &Modulus<L>) -> Lanes<L> {
    // SAFETY: passed on.
    unsafe { normalise(&square_loose(a, m).0) }
}

/// a·b·R⁻¹, loose.
#[inline(always)]
pub(super) unsafe fn mul_loose<const L: usize>(
    a: &Lanes<L>,
    b: &Lanes<L>,
    m: &Modulus<L>,
) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512 IFMA.
    unsafe {
        let mut t = [zero(); COLUMNS];
        for i in 0..L {
            for j in 0..L {
                t[i + j] = _mm512_madd52lo_epu64(t[i + j], a.0[i], b.0[j]);
            }
            for j in 0..L {
                t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a.0[i], b.0[j]);
            }
        }
        reduce(&mut t, m)
    }
}

/// a²·R⁻¹, loose: each mixed product once, doubled.
#[inline(always)]
pub(super) unsafe fn square_loose<const L: usize>(a: &Lanes<L>, m: &Modulus<L>) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512 IFMA.
    unsafe {
        let mut t = [zero(); COLUMNS];
        for i in 0..L {
            for j in i + 1..L {
                t[i + j] = _mm512_madd52lo_epu64(t[i + j], a.0[i], a.0[j]);
                t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a.0[i], a.0[j]);
            }
        }
        for i in 0..2 * L {
            t[i] = _mm512_add_epi64(t[i], t[i]);
        }
        for i in 0..L {
            t[2 * i] = _mm512_madd52lo_epu64(t[2 * i], a.0[i], a.0[i]);
            t[2 * i + 1] = _mm512_madd52hi_epu64(t[2 * i + 1], a.0[i], a.0[i]);
        }
        reduce(&mut t, m)
    }
}

#[inline(always)]
pub(super) unsafe fn add<const L: usize>(a: &Lanes<L>, b: &Lanes<L>) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut t = [zero(); L];
        for i in 0..L {
            t[i] = _mm512_add_epi64(a.0[i], b.0[i]);
        }
        normalise(&t)
    }
}

/// a − b + 2^k·p, for b ≤ 2^k·p; both may be loose.
#[inline(always)]
pub(super) unsafe fn sub<const L: usize>(
    a: &Lanes<L>,
    b: &Lanes<L>,
    k: usize,
    m: &Modulus<L>,
) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let p = &m.multiples[k];
        let mut t = [zero(); L];
        for i in 0..L {
            t[i] = _mm512_add_epi64(_mm512_sub_epi64(a.0[i], b.0[i]), broadcast(p[i]));
        }
        normalise(&t)
    }
}

/// a − b − c + 2^k·p, for b + c ≤ 2^k·p.
#[inline(always)]
pub(super) unsafe fn sub_two<const L: usize>(
    a: &Lanes<L>,
    b: &Lanes<L>,
    c: &Lanes<L>,
    k: usize,
    m: &Modulus<L>,
) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let p = &m.multiples[k];
        let mut t = [zero(); L];
        for i in 0..L {
            let difference = _mm512_sub_epi64(_mm512_sub_epi64(a.0[i], b.0[i]), c.0[i]);
            t[i] = _mm512_add_epi64(difference, broadcast(p[i]));
        }
        normalise(&t)
    }
}

/// λ² − x₁ − x₂ + 2p from a loose λ² below 2p and d = x₂ − x₁ + p: below 4p.
#[inline(always)]
pub(super) unsafe fn third<const L: usize>(
    square: &Lanes<L>,
    x1: &Lanes<L>,
    d: &Lanes<L>,
    m: &Modulus<L>,
) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut t = [zero(); L];
        for i in 0..L {
            let twice = _mm512_add_epi64(x1.0[i], x1.0[i]);
            let rest = _mm512_sub_epi64(square.0[i], _mm512_add_epi64(twice, d.0[i]));
            t[i] = _mm512_add_epi64(rest, broadcast(m.triple[i]));
        }
        normalise(&t)
    }
}

/// p − a in the lanes of the mask and a elsewhere, loose.
#[inline(always)]
pub(super) unsafe fn negate<const L: usize>(mask: u8, a: &Lanes<L>, m: &Modulus<L>) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut t = [zero(); L];
        for i in 0..L {
            t[i] = _mm512_mask_sub_epi64(a.0[i], mask, broadcast(m.multiples[0][i]), a.0[i]);
        }
        Lanes(t)
    }
}

/// a − 2^k·p where that is not negative.
#[inline(always)]
pub(super) unsafe fn trim<const L: usize>(a: &Lanes<L>, k: usize, m: &Modulus<L>) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512DQ.
    unsafe {
        let p = &m.multiples[k];
        let mut t = [zero(); L];
        for i in 0..L {
            t[i] = _mm512_sub_epi64(a.0[i], broadcast(p[i]));
        }
        let less = normalise(&t);
        let negative = _mm512_movepi64_mask(less.0[L - 1]);
        blend(negative, &less, a)
    }
}

/// From below 2^(k+1)·p to below p.
#[inline(always)]
pub(super) unsafe fn canonical<const L: usize>(a: &Lanes<L>, k: usize, m: &Modulus<L>) -> Lanes<L> {
    let mut out = *a;
    for i in (0..=k).rev() {
        // SAFETY: passed on.
        out = unsafe { trim(&out, i, m) };
    }
    out
}

/// Lane by lane, `b` where the mask is set and `a` elsewhere.
#[inline(always)]
pub(super) unsafe fn blend<const L: usize>(mask: u8, a: &Lanes<L>, b: &Lanes<L>) -> Lanes<L> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut out = [zero(); L];
        for i in 0..L {
            out[i] = _mm512_mask_blend_epi64(mask, a.0[i], b.0[i]);
        }
        Lanes(out)
    }
}

/// Lanes in which two canonical values are equal.
#[inline(always)]
pub(super) unsafe fn equal<const L: usize>(a: &Lanes<L>, b: &Lanes<L>) -> u8 {
    let mut mask = 0xff;
    for i in 0..L {
        // SAFETY: the caller runs with AVX-512F.
        mask = unsafe { _mm512_mask_cmpeq_epi64_mask(mask, a.0[i], b.0[i]) };
    }
    mask
}

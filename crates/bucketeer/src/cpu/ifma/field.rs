//! Eight prime-field elements at a time: Montgomery arithmetic on L limbs of 52 bits, R = 2^(52·L).
//!
//! Values are lazily reduced; [`bounds`] has a type for each bound. With p·2^4 ≤ R, a product of a
//! ≤ αp and b ≤ βp is below p·(1 + αβ/16): below 2p as long as αβ ≤ 16. The product is computed in
//! full and then reduced; interleaving the two spills registers.

mod bounds;

use core::arch::x86_64::*;

use num_bigint::BigUint;

pub(super) use bounds::{AtMost, Below, Canonical, Factor, Loose, Residue, Signed, Strict, Value};
use bounds::{limbs, power_above};

use super::lanes::{LIMB_BITS, LIMB_MASK, V, broadcast, zero};
use crate::curve::inverse_of_odd;

/// Columns of a product of the longest elements.
const COLUMNS: usize = 32;

/// A modulus and its multiples, as limbs.
#[derive(Clone)]
pub(super) struct Modulus<const L: usize> {
    /// 2^i·p for i = 0 … 4; the last ones only where they fit.
    multiples: [[u64; L]; 5],
    /// −p⁻¹ mod 2^52
    negative_inverse: u64,
    /// 3p
    triple: [u64; L],
    /// R mod p: one.
    pub one: Residue<L>,
}

impl<const L: usize> Modulus<L> {
    pub(super) fn new(p: &BigUint) -> Self {
        Self {
            multiples: std::array::from_fn(|i| limbs(&(p << i))),
            negative_inverse: inverse_of_odd(limbs::<L>(p)[0]).wrapping_neg() & LIMB_MASK,
            triple: limbs(&(p * 3u32)),
            one: Residue::shifted(&BigUint::from(1u32), LIMB_BITS * L, p),
        }
    }
}

/// Propagates the carry of every limb into the next, arithmetically: limbs may be negative as long
/// as the value is not.
#[inline(always)]
unsafe fn normalise<const L: usize>(t: &[V; L]) -> [V; L] {
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
        out
    }
}

/// The upper half of `t` after reduction modulo p: `t·R⁻¹`, below p + t/R, carries not propagated.
#[inline(always)]
unsafe fn reduce<const L: usize>(t: &mut [V; COLUMNS], m: &Modulus<L>) -> [V; L] {
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
        upper
    }
}

/// a·b·R⁻¹
#[inline(always)]
pub(super) unsafe fn mul<const L: usize, A: Factor<L>, B: Factor<L>>(
    a: &A,
    b: &B,
    m: &Modulus<L>,
) -> Below<L, 2> {
    // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
    unsafe { Below(normalise(&mul_loose(a, b, m).0)) }
}

/// a²·R⁻¹
#[inline(always)]
pub(super) unsafe fn square<const L: usize, A: Factor<L>>(a: &A, m: &Modulus<L>) -> Below<L, 2> {
    // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
    unsafe { Below(normalise(&square_loose(a, m).0)) }
}

/// a·b·R⁻¹, carries not propagated.
#[inline(always)]
pub(super) unsafe fn mul_loose<const L: usize, A: Factor<L>, B: Factor<L>>(
    a: &A,
    b: &B,
    m: &Modulus<L>,
) -> Loose<L, 2> {
    const { assert!(A::BOUND * B::BOUND <= 16) };
    let (a, b) = (a.limbs(), b.limbs());
    // SAFETY: the caller runs with AVX-512 IFMA.
    unsafe {
        let mut t = [zero(); COLUMNS];
        for i in 0..L {
            for j in 0..L {
                t[i + j] = _mm512_madd52lo_epu64(t[i + j], a[i], b[j]);
            }
            for j in 0..L {
                t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a[i], b[j]);
            }
        }
        Loose(reduce(&mut t, m))
    }
}

/// a²·R⁻¹, carries not propagated: each mixed product once, doubled.
#[inline(always)]
pub(super) unsafe fn square_loose<const L: usize, A: Factor<L>>(
    a: &A,
    m: &Modulus<L>,
) -> Loose<L, 2> {
    const { assert!(A::BOUND * A::BOUND <= 16) };
    let a = a.limbs();
    // SAFETY: the caller runs with AVX-512 IFMA.
    unsafe {
        let mut t = [zero(); COLUMNS];
        for i in 0..L {
            for j in i + 1..L {
                t[i + j] = _mm512_madd52lo_epu64(t[i + j], a[i], a[j]);
                t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a[i], a[j]);
            }
        }
        for i in 0..2 * L {
            t[i] = _mm512_add_epi64(t[i], t[i]);
        }
        for i in 0..L {
            t[2 * i] = _mm512_madd52lo_epu64(t[2 * i], a[i], a[i]);
            t[2 * i + 1] = _mm512_madd52hi_epu64(t[2 * i + 1], a[i], a[i]);
        }
        Loose(reduce(&mut t, m))
    }
}

#[inline(always)]
unsafe fn sum<const L: usize>(a: &[V; L], b: &[V; L]) -> [V; L] {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut t = [zero(); L];
        for i in 0..L {
            t[i] = _mm512_add_epi64(a[i], b[i]);
        }
        normalise(&t)
    }
}

/// a − b + p, for the multiple of the modulus in `p`.
#[inline(always)]
unsafe fn difference<const L: usize>(a: &[V; L], b: &[V; L], p: &[u64; L]) -> [V; L] {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut t = [zero(); L];
        for i in 0..L {
            t[i] = _mm512_add_epi64(_mm512_sub_epi64(a[i], b[i]), broadcast(p[i]));
        }
        normalise(&t)
    }
}

/// a + b
#[inline(always)]
pub(super) unsafe fn add<const L: usize, const A: u32, const B: u32, const OUT: u32>(
    a: &Below<L, A>,
    b: &Below<L, B>,
) -> Below<L, OUT> {
    const { assert!(A + B <= OUT) };
    // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
    unsafe { Below(sum(&a.0, &b.0)) }
}

/// a + b, as a factor.
#[inline(always)]
pub(super) unsafe fn add_factors<const L: usize, F: Factor<L>, const OUT: u32>(
    a: &F,
    b: &F,
) -> AtMost<L, OUT> {
    const { assert!(2 * F::BOUND <= OUT) };
    // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
    unsafe { AtMost(sum(a.limbs(), b.limbs())) }
}

/// k·a for 1 ≤ k ≤ 7.
#[inline(always)]
pub(super) unsafe fn multiple<const L: usize>(a: &Below<L, 2>, k: usize) -> Below<L, 14> {
    debug_assert!((1..=7).contains(&k));
    let mut out = a.0;
    for _ in 1..k {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        out = unsafe { sum(&out, &a.0) };
    }
    Below(out)
}

/// a − b + 2^k·p with the least 2^k that is at least the bound on b.
#[inline(always)]
pub(super) unsafe fn sub<const L: usize, A: Strict<L>, B: Value<L>, const OUT: u32>(
    a: &A,
    b: &B,
    m: &Modulus<L>,
) -> Below<L, OUT> {
    const { assert!(A::BOUND + B::BOUND.next_power_of_two() <= OUT) };
    let p = &m.multiples[const { power_above(B::BOUND) }];
    // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
    unsafe { Below(difference(a.limbs(), b.limbs(), p)) }
}

/// a − b + p, as a factor.
#[inline(always)]
pub(super) unsafe fn sub_signed<const L: usize>(
    a: &Signed<L>,
    b: &Signed<L>,
    m: &Modulus<L>,
) -> AtMost<L, 2> {
    // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
    unsafe { AtMost(difference(&a.0, &b.0, &m.multiples[0])) }
}

/// a − b − c + 4p
#[inline(always)]
pub(super) unsafe fn sub_two<const L: usize>(
    a: &Below<L, 2>,
    b: &Below<L, 2>,
    c: &Below<L, 2>,
    m: &Modulus<L>,
) -> Below<L, 6> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let p = &m.multiples[2];
        let mut t = [zero(); L];
        for i in 0..L {
            let difference = _mm512_sub_epi64(_mm512_sub_epi64(a.0[i], b.0[i]), c.0[i]);
            t[i] = _mm512_add_epi64(difference, broadcast(p[i]));
        }
        Below(normalise(&t))
    }
}

/// 3a/2, or (3a + b)/2 with `B`, after p was added to odd values; below 5p, trimmed to 2p.
#[inline(always)]
pub(super) unsafe fn half_tangent<const L: usize, const B: bool>(
    a: &Below<L, 2>,
    b: &Below<L, 2>,
    m: &Modulus<L>,
) -> Below<L, 2> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let (one, p) = (broadcast(1), &m.multiples[0]);
        let mut t = [zero(); L];
        for i in 0..L {
            let triple = _mm512_add_epi64(_mm512_add_epi64(a.0[i], a.0[i]), a.0[i]);
            t[i] = if B { _mm512_add_epi64(triple, b.0[i]) } else { triple };
        }
        let odd = _mm512_test_epi64_mask(t[0], one);
        for i in 0..L {
            t[i] = _mm512_mask_add_epi64(t[i], odd, t[i], broadcast(p[i]));
        }
        for i in 0..L {
            let mut half = _mm512_srli_epi64::<1>(t[i]);
            if i + 1 < L {
                let low = _mm512_and_si512(t[i + 1], one);
                half = _mm512_add_epi64(half, _mm512_slli_epi64::<{ LIMB_BITS as u32 - 1 }>(low));
            }
            t[i] = half;
        }
        let half = normalise(&t);
        if B {
            let half: Below<L, 4> = trim(&Below::<L, 5>(half), m);
            trim(&half, m)
        } else {
            trim(&Below::<L, 4>(half), m)
        }
    }
}

/// λ² − x₁ − x₂ + 2p from λ² and d = x₂ − x₁ + p.
#[inline(always)]
pub(super) unsafe fn third<const L: usize>(
    square: &Loose<L, 2>,
    x1: &Canonical<L>,
    d: &Below<L, 2>,
    m: &Modulus<L>,
) -> Below<L, 4> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut t = [zero(); L];
        for i in 0..L {
            let twice = _mm512_add_epi64(x1.0[i], x1.0[i]);
            let rest = _mm512_sub_epi64(square.0[i], _mm512_add_epi64(twice, d.0[i]));
            t[i] = _mm512_add_epi64(rest, broadcast(m.triple[i]));
        }
        Below(normalise(&t))
    }
}

/// p − a in the lanes of the mask and a elsewhere.
#[inline(always)]
pub(super) unsafe fn negate<const L: usize>(
    mask: u8,
    a: &Canonical<L>,
    m: &Modulus<L>,
) -> Signed<L> {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut t = [zero(); L];
        for i in 0..L {
            t[i] = _mm512_mask_sub_epi64(a.0[i], mask, broadcast(m.multiples[0][i]), a.0[i]);
        }
        Signed(t)
    }
}

/// a − p where that is not negative, for the multiple of the modulus in `p`.
#[inline(always)]
unsafe fn subtract_once<const L: usize>(a: &[V; L], p: &[u64; L]) -> [V; L] {
    // SAFETY: the caller runs with AVX-512DQ.
    unsafe {
        let mut t = [zero(); L];
        for i in 0..L {
            t[i] = _mm512_sub_epi64(a[i], broadcast(p[i]));
        }
        let less = normalise(&t);
        let negative = _mm512_movepi64_mask(less[L - 1]);
        select(negative, &less, a)
    }
}

/// From below A·p to below the largest power of two less than A, times p.
#[inline(always)]
pub(super) unsafe fn trim<const L: usize, const A: u32, const OUT: u32>(
    a: &Below<L, A>,
    m: &Modulus<L>,
) -> Below<L, OUT> {
    const { assert!(A >= 2 && A.next_power_of_two() / 2 <= OUT) };
    let p = &m.multiples[const { power_above(A) - 1 }];
    // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
    unsafe { Below(subtract_once(&a.0, p)) }
}

/// The canonical form: a trim for every bit of the bound.
#[inline(always)]
pub(super) unsafe fn canonical<const L: usize, const A: u32>(
    a: &Below<L, A>,
    m: &Modulus<L>,
) -> Canonical<L> {
    let mut out = a.0;
    for i in (0..const { power_above(A) }).rev() {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        out = unsafe { subtract_once(&out, &m.multiples[i]) };
    }
    Below(out)
}

/// The canonical form of a coordinate with its sign applied.
#[inline(always)]
pub(super) unsafe fn canonical_signed<const L: usize>(
    a: &Signed<L>,
    m: &Modulus<L>,
) -> Canonical<L> {
    // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
    unsafe { Below(subtract_once(&normalise(&a.0), &m.multiples[0])) }
}

/// Lane by lane, `b` where the mask is set and `a` elsewhere.
#[inline(always)]
unsafe fn select<const L: usize>(mask: u8, a: &[V; L], b: &[V; L]) -> [V; L] {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut out = [zero(); L];
        for i in 0..L {
            out[i] = _mm512_mask_blend_epi64(mask, a[i], b[i]);
        }
        out
    }
}

/// Lane by lane, `b` where the mask is set and `a` elsewhere.
#[inline(always)]
pub(super) unsafe fn blend<const L: usize, const A: u32, const B: u32, const OUT: u32>(
    mask: u8,
    a: &Below<L, A>,
    b: &Below<L, B>,
) -> Below<L, OUT> {
    const { assert!(A <= OUT && B <= OUT) };
    // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
    unsafe { Below(select(mask, &a.0, &b.0)) }
}

/// Lanes in which two values are equal.
#[inline(always)]
pub(super) unsafe fn equal<const L: usize>(a: &Canonical<L>, b: &Canonical<L>) -> u8 {
    // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
    unsafe { equal_limbs(&a.0, &b.0) }
}

/// Lanes in which all limbs are equal.
#[inline(always)]
pub(super) unsafe fn equal_limbs<const L: usize>(a: &[V; L], b: &[V; L]) -> u8 {
    let mut mask = 0xff;
    for i in 0..L {
        // SAFETY: the caller runs with AVX-512F.
        mask = unsafe { _mm512_mask_cmpeq_epi64_mask(mask, a[i], b[i]) };
    }
    mask
}

/// Lane i + BY in lane i, cyclically.
#[inline(always)]
pub(super) unsafe fn rotate<const BY: i32, const L: usize, const A: u32>(
    a: &Below<L, A>,
) -> Below<L, A> {
    let mut out = a.0;
    for limb in &mut out {
        // SAFETY: the caller runs with AVX-512F.
        *limb = unsafe { _mm512_alignr_epi64::<BY>(*limb, *limb) };
    }
    Below(out)
}

//! Eight 64-bit lanes: gathers, transposes, and the conversion between 64-bit words and 52-bit
//! limbs.
//!
//! Nothing in this folder uses closures around vector code: a closure does not inherit the target
//! features of the function it is inlined into, and every intrinsic in it becomes a call (measured:
//! a hundred times slower).

use core::arch::x86_64::*;

/// Eight lanes.
pub(super) type V = __m512i;

/// Bits of a limb, the width of an IFMA operand.
pub(super) const LIMB_BITS: usize = 52;
pub(super) const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;

#[inline(always)]
pub(super) unsafe fn broadcast(x: u64) -> V {
    // SAFETY: the caller runs with AVX-512F.
    unsafe { _mm512_set1_epi64(x as i64) }
}

#[inline(always)]
pub(super) unsafe fn zero() -> V {
    // SAFETY: the caller runs with AVX-512F.
    unsafe { _mm512_setzero_si512() }
}

/// Transposes an 8 × 8 matrix of words.
#[inline(always)]
unsafe fn transpose(r: &[V; 8]) -> [V; 8] {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        // Pairs of rows, then 128-bit blocks of four rows, then of all eight.
        let (e0, o0) = (_mm512_unpacklo_epi64(r[0], r[1]), _mm512_unpackhi_epi64(r[0], r[1]));
        let (e2, o2) = (_mm512_unpacklo_epi64(r[2], r[3]), _mm512_unpackhi_epi64(r[2], r[3]));
        let (e4, o4) = (_mm512_unpacklo_epi64(r[4], r[5]), _mm512_unpackhi_epi64(r[4], r[5]));
        let (e6, o6) = (_mm512_unpacklo_epi64(r[6], r[7]), _mm512_unpackhi_epi64(r[6], r[7]));
        let (a0, a1) = (_mm512_shuffle_i64x2::<0x88>(e0, e2), _mm512_shuffle_i64x2::<0x88>(e4, e6));
        let (b0, b1) = (_mm512_shuffle_i64x2::<0x88>(o0, o2), _mm512_shuffle_i64x2::<0x88>(o4, o6));
        let (c0, c1) = (_mm512_shuffle_i64x2::<0xdd>(e0, e2), _mm512_shuffle_i64x2::<0xdd>(e4, e6));
        let (d0, d1) = (_mm512_shuffle_i64x2::<0xdd>(o0, o2), _mm512_shuffle_i64x2::<0xdd>(o4, o6));
        [
            _mm512_shuffle_i64x2::<0x88>(a0, a1),
            _mm512_shuffle_i64x2::<0x88>(b0, b1),
            _mm512_shuffle_i64x2::<0x88>(c0, c1),
            _mm512_shuffle_i64x2::<0x88>(d0, d1),
            _mm512_shuffle_i64x2::<0xdd>(a0, a1),
            _mm512_shuffle_i64x2::<0xdd>(b0, b1),
            _mm512_shuffle_i64x2::<0xdd>(c0, c1),
            _mm512_shuffle_i64x2::<0xdd>(d0, d1),
        ]
    }
}

/// Maximum number of words of a point.
pub(super) const MAX_WORDS: usize = 24;

/// Eight words of eight elements.
#[inline(always)]
unsafe fn gather_eight(pointers: &[*const u64; 8]) -> [V; 8] {
    // SAFETY: the caller's pointers are valid for reading eight words.
    unsafe {
        let mut rows = [zero(); 8];
        for lane in 0..8 {
            rows[lane] = _mm512_loadu_si512(pointers[lane].cast());
        }
        transpose(&rows)
    }
}

/// Four words of eight elements: two elements share a vector, which halves the shuffles.
#[inline(always)]
unsafe fn gather_four(p: &[*const u64; 8]) -> [V; 4] {
    // SAFETY: the caller's pointers are valid for reading four words.
    unsafe {
        let (r0, r1) = (two_of_four(p[0], p[2]), two_of_four(p[1], p[3]));
        let (r2, r3) = (two_of_four(p[4], p[6]), two_of_four(p[5], p[7]));
        let (e0, o0) = (_mm512_unpacklo_epi64(r0, r1), _mm512_unpackhi_epi64(r0, r1));
        let (e1, o1) = (_mm512_unpacklo_epi64(r2, r3), _mm512_unpackhi_epi64(r2, r3));
        [
            _mm512_shuffle_i64x2::<0x88>(e0, e1),
            _mm512_shuffle_i64x2::<0x88>(o0, o1),
            _mm512_shuffle_i64x2::<0xdd>(e0, e1),
            _mm512_shuffle_i64x2::<0xdd>(o0, o1),
        ]
    }
}

#[inline(always)]
unsafe fn two_of_four(low: *const u64, high: *const u64) -> V {
    // SAFETY: the caller's pointers are valid for reading four words.
    unsafe {
        let low = _mm512_castsi256_si512(_mm256_loadu_si256(low.cast()));
        _mm512_inserti64x4::<1>(low, _mm256_loadu_si256(high.cast()))
    }
}

/// Two words of eight elements.
#[inline(always)]
unsafe fn gather_two(p: &[*const u64; 8]) -> [V; 2] {
    // SAFETY: the caller's pointers are valid for reading two words.
    unsafe {
        let (even, odd) =
            (four_of_two(p[0], p[2], p[4], p[6]), four_of_two(p[1], p[3], p[5], p[7]));
        [_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd)]
    }
}

#[inline(always)]
unsafe fn four_of_two(a: *const u64, b: *const u64, c: *const u64, d: *const u64) -> V {
    // SAFETY: the caller's pointers are valid for reading two words.
    unsafe {
        let v = _mm512_castsi128_si512(_mm_loadu_si128(a.cast()));
        let v = _mm512_inserti64x2::<1>(v, _mm_loadu_si128(b.cast()));
        let v = _mm512_inserti64x2::<2>(v, _mm_loadu_si128(c.cast()));
        _mm512_inserti64x2::<3>(v, _mm_loadu_si128(d.cast()))
    }
}

/// Word i of eight elements of `words` words, an even number, for every i.
///
/// # Safety
/// AVX-512F and DQ; each pointer is valid for reading `words` words.
#[inline(always)]
pub(super) unsafe fn gather(pointers: &[*const u64; 8], words: usize) -> [V; MAX_WORDS] {
    // SAFETY: blocks of eight, four and two words add up to `words`.
    unsafe {
        let mut out = [zero(); MAX_WORDS];
        let mut at = 0;
        let mut pointers = *pointers;
        while words - at >= 8 {
            out[at..at + 8].copy_from_slice(&gather_eight(&pointers));
            at += 8;
            advance(&mut pointers, 8);
        }
        if words - at >= 4 {
            out[at..at + 4].copy_from_slice(&gather_four(&pointers));
            at += 4;
            advance(&mut pointers, 4);
        }
        if words - at >= 2 {
            out[at..at + 2].copy_from_slice(&gather_two(&pointers));
        }
        out
    }
}

#[inline(always)]
unsafe fn advance(pointers: &mut [*const u64; 8], words: usize) {
    for lane in 0..8 {
        // SAFETY: the caller stays inside what the pointers point to.
        pointers[lane] = unsafe { pointers[lane].add(words) };
    }
}

/// Writes `words` words, an even number, of eight elements.
///
/// # Safety
/// AVX-512F; each pointer is valid for writing `words` words.
#[inline(always)]
pub(super) unsafe fn scatter(columns: &[V; MAX_WORDS], words: usize, pointers: &[*mut u64; 8]) {
    // SAFETY: blocks of eight, four and two words add up to `words`.
    unsafe {
        let mut at = 0;
        while words - at >= 8 {
            let mut rows = [zero(); 8];
            rows.copy_from_slice(&columns[at..at + 8]);
            let rows = transpose(&rows);
            for lane in 0..8 {
                _mm512_storeu_si512(pointers[lane].add(at).cast(), rows[lane]);
            }
            at += 8;
        }
        if words - at >= 4 {
            let mut rows = [zero(); 4];
            rows.copy_from_slice(&columns[at..at + 4]);
            scatter_four(&rows, pointers, at);
            at += 4;
        }
        if words - at >= 2 {
            scatter_two(columns[at], columns[at + 1], pointers, at);
        }
    }
}

/// Writes four words of eight elements, `at` words after the pointers.
#[inline(always)]
unsafe fn scatter_four(c: &[V; 4], pointers: &[*mut u64; 8], at: usize) {
    // SAFETY: the caller's pointers are valid for writing four words there.
    unsafe {
        let (low, high) = (
            _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
            _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15),
        );
        let (e0, o0) = (_mm512_unpacklo_epi64(c[0], c[1]), _mm512_unpackhi_epi64(c[0], c[1]));
        let (e1, o1) = (_mm512_unpacklo_epi64(c[2], c[3]), _mm512_unpackhi_epi64(c[2], c[3]));
        let pairs = [
            _mm512_permutex2var_epi64(e0, low, e1),
            _mm512_permutex2var_epi64(o0, low, o1),
            _mm512_permutex2var_epi64(e0, high, e1),
            _mm512_permutex2var_epi64(o0, high, o1),
        ];
        // Vector 2q + r holds lanes 4q + r and 4q + r + 2.
        for i in 0..4 {
            let lane = 4 * (i / 2) + i % 2;
            let (first, second) = (pointers[lane].add(at), pointers[lane + 2].add(at));
            _mm256_storeu_si256(first.cast(), _mm512_castsi512_si256(pairs[i]));
            _mm256_storeu_si256(second.cast(), _mm512_extracti64x4_epi64::<1>(pairs[i]));
        }
    }
}

/// Writes two words of eight elements, `at` words after the pointers.
#[inline(always)]
unsafe fn scatter_two(c0: V, c1: V, pointers: &[*mut u64; 8], at: usize) {
    // SAFETY: the caller's pointers are valid for writing two words there.
    unsafe {
        let lanes = [_mm512_unpacklo_epi64(c0, c1), _mm512_unpackhi_epi64(c0, c1)];
        for odd in 0..2 {
            let v = lanes[odd];
            let parts = [
                _mm512_castsi512_si128(v),
                _mm512_extracti64x2_epi64::<1>(v),
                _mm512_extracti64x2_epi64::<2>(v),
                _mm512_extracti64x2_epi64::<3>(v),
            ];
            for i in 0..4 {
                _mm_storeu_si128(pointers[2 * i + odd].add(at).cast(), parts[i]);
            }
        }
    }
}

/// 64-bit words → 52-bit limbs.
#[inline(always)]
pub(super) unsafe fn to_limbs<const L: usize>(words: &[V; MAX_WORDS]) -> [V; L] {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mask = broadcast(LIMB_MASK);
        let mut limbs = [zero(); L];
        for i in 0..L {
            let (word, shift) = (LIMB_BITS * i / 64, LIMB_BITS * i % 64);
            let mut limb = _mm512_srlv_epi64(words[word], broadcast(shift as u64));
            if shift > 64 - LIMB_BITS {
                let next = _mm512_sllv_epi64(words[word + 1], broadcast(64 - shift as u64));
                limb = _mm512_or_si512(limb, next);
            }
            limbs[i] = _mm512_and_si512(limb, mask);
        }
        limbs
    }
}

/// 52-bit limbs → 64-bit words; the value must fit.
#[inline(always)]
pub(super) unsafe fn to_words<const L: usize>(limbs: &[V; L], out: &mut [V]) {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        for word in 0..out.len() {
            let first = 64 * word / LIMB_BITS;
            let skip = 64 * word % LIMB_BITS;
            let mut value = _mm512_srlv_epi64(limbs[first], broadcast(skip as u64));
            let mut filled = LIMB_BITS - skip;
            let mut limb = first + 1;
            while filled < 64 && limb < L {
                let part = _mm512_sllv_epi64(limbs[limb], broadcast(filled as u64));
                value = _mm512_or_si512(value, part);
                filled += LIMB_BITS;
                limb += 1;
            }
            out[word] = value;
        }
    }
}

/// The words of an element that is the same in all lanes.
pub(super) unsafe fn words_of(limbs: &[V], out: &mut [u64]) {
    for i in 0..limbs.len() {
        // SAFETY: the caller runs with AVX-512F.
        let limb = unsafe { _mm_cvtsi128_si64(_mm512_castsi512_si128(limbs[i])) } as u64;
        let (word, shift) = (LIMB_BITS * i / 64, LIMB_BITS * i % 64);
        let value = u128::from(limb) << shift;
        if word < out.len() {
            out[word] |= value as u64;
        }
        if word + 1 < out.len() {
            out[word + 1] |= (value >> 64) as u64;
        }
    }
}

/// The limbs of an element.
pub(super) fn limbs_of<const L: usize>(words: &[u64]) -> [u64; L] {
    let mut out = [0; L];
    for i in 0..L {
        let (word, shift) = (LIMB_BITS * i / 64, LIMB_BITS * i % 64);
        let high = if word + 1 < words.len() { words[word + 1] } else { 0 };
        let low = if word < words.len() { words[word] } else { 0 };
        out[i] = (low >> shift | (high << 1) << (63 - shift)) & LIMB_MASK;
    }
    out
}

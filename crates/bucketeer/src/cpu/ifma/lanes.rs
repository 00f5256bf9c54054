//! Eight 64-bit lanes: gathers, transposes, and the step between 64-bit words and 52-bit limbs.
//!
//! Nothing in this folder uses closures around vector code: a closure does not inherit the target
//! features of the function it is inlined into, and every instruction in it becomes a call (measured:
//! a hundred times slower).

use core::arch::x86_64::*;

/// Eight lanes.
pub(super) type V = __m512i;

/// Bits of a limb: what one IFMA instruction multiplies.
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

/// Most words of one prime-field element.
pub(super) const MAX_WORDS: usize = 16;

/// Word i of eight elements of `words` words, for every i.
///
/// # Safety
/// AVX-512F; each pointer is valid for reading `words` words.
#[inline(always)]
pub(super) unsafe fn gather(pointers: &[*const u64; 8], words: usize) -> [V; MAX_WORDS] {
    // SAFETY: masked loads touch only `words` words behind each pointer.
    unsafe {
        let mut out = [zero(); MAX_WORDS];
        let mut block = 0;
        while block < words {
            let mask = (((1u32 << (words - block).min(8)) - 1) & 0xff) as u8;
            let mut rows = [zero(); 8];
            for lane in 0..8 {
                rows[lane] = _mm512_maskz_loadu_epi64(mask, pointers[lane].add(block).cast());
            }
            let columns = transpose(&rows);
            out[block..block + 8].copy_from_slice(&columns);
            block += 8;
        }
        out
    }
}

/// Writes eight elements of `words` words.
///
/// # Safety
/// AVX-512F; each pointer is valid for writing `words` words.
#[inline(always)]
pub(super) unsafe fn scatter(columns: &[V; MAX_WORDS], words: usize, pointers: &[*mut u64; 8]) {
    // SAFETY: masked stores touch only `words` words behind each pointer.
    unsafe {
        let mut block = 0;
        while block < words {
            let mask = (((1u32 << (words - block).min(8)) - 1) & 0xff) as u8;
            let mut rows = [zero(); 8];
            rows.copy_from_slice(&columns[block..block + 8]);
            let rows = transpose(&rows);
            for lane in 0..8 {
                _mm512_mask_storeu_epi64(pointers[lane].add(block).cast(), mask, rows[lane]);
            }
            block += 8;
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
pub(super) unsafe fn to_words<const L: usize>(limbs: &[V; L], words: usize) -> [V; MAX_WORDS] {
    // SAFETY: the caller runs with AVX-512F.
    unsafe {
        let mut out = [zero(); MAX_WORDS];
        for word in 0..words {
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
        out
    }
}

//! Four lanes of 32 bits, each of which may be two digits of 16: the only file that names
//! instructions. Targets without SIMD128 compute on arrays, so that the tests of the arithmetic run
//! anywhere.

#[cfg(not(target_feature = "simd128"))]
pub(super) use plain::*;
#[cfg(target_feature = "simd128")]
pub(super) use wasm::*;

/// Adding it rounds a small f32 to an integer, which is then in the low bits.
const ROUND: f32 = 12_582_912.0;

#[cfg(target_feature = "simd128")]
mod wasm {
    use core::arch::wasm32::{
        f32x4_add, f32x4_convert_i32x4, f32x4_mul, f32x4_splat, i16x8_shuffle, i32x4,
        i32x4_extract_lane, i32x4_shl, i32x4_shr, i32x4_shuffle, i64x2_shuffle, u32x4_shr, u64x2,
        u64x2_extract_lane, v128_bitselect,
    };
    pub(in super::super) use core::arch::wasm32::{
        i16x8_add as add16, i16x8_mul as multiply16, i16x8_sub as sub16, i32x4_add as add,
        i32x4_dot_i16x8 as dot, i32x4_eq as equal, i32x4_splat as splat, i32x4_sub as sub,
        v128 as V, v128_and as and, v128_or as or, v128_xor as xor,
    };

    use super::ROUND;

    #[inline(always)]
    pub(in super::super) fn left<const BY: u32>(a: V) -> V {
        i32x4_shl(a, BY)
    }

    #[inline(always)]
    pub(in super::super) fn right<const BY: u32>(a: V) -> V {
        i32x4_shr(a, BY)
    }

    #[inline(always)]
    pub(in super::super) fn left_by(a: V, by: u32) -> V {
        i32x4_shl(a, by)
    }

    #[inline(always)]
    pub(in super::super) fn right_unsigned(a: V, by: u32) -> V {
        u32x4_shr(a, by)
    }

    /// Bits of `a` where `mask` has ones, of `b` elsewhere.
    #[inline(always)]
    pub(in super::super) fn select(mask: V, a: V, b: V) -> V {
        v128_bitselect(a, b, mask)
    }

    /// The low digits of `low` with the high digits of `high`.
    #[inline(always)]
    pub(in super::super) fn blend_digits(low: V, high: V) -> V {
        i16x8_shuffle::<0, 9, 2, 11, 4, 13, 6, 15>(low, high)
    }

    /// The two digits of every lane, swapped.
    #[inline(always)]
    pub(in super::super) fn swap_digits(a: V) -> V {
        i16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(a, a)
    }

    /// Lanes 1, 0, 3, 2.
    #[inline(always)]
    pub(in super::super) fn swap_neighbours(a: V) -> V {
        i32x4_shuffle::<1, 0, 3, 2>(a, a)
    }

    /// Lanes 2, 3, 0, 1.
    #[inline(always)]
    pub(in super::super) fn swap_halves(a: V) -> V {
        i64x2_shuffle::<1, 0>(a, a)
    }

    #[inline(always)]
    pub(in super::super) fn from_array(a: [i32; 4]) -> V {
        i32x4(a[0], a[1], a[2], a[3])
    }

    #[inline(always)]
    pub(in super::super) fn to_array(a: V) -> [i32; 4] {
        [
            i32x4_extract_lane::<0>(a),
            i32x4_extract_lane::<1>(a),
            i32x4_extract_lane::<2>(a),
            i32x4_extract_lane::<3>(a),
        ]
    }

    #[inline(always)]
    pub(in super::super) fn from_words(words: [u64; 2]) -> V {
        u64x2(words[0], words[1])
    }

    #[inline(always)]
    pub(in super::super) fn to_words(a: V) -> [u64; 2] {
        [u64x2_extract_lane::<0>(a), u64x2_extract_lane::<1>(a)]
    }

    /// Lane j of vector i becomes lane i of vector j.
    #[inline(always)]
    pub(in super::super) fn transpose([a, b, c, d]: [V; 4]) -> [V; 4] {
        let (ab, cd) = (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<0, 4, 1, 5>(c, d));
        let (ef, gh) = (i32x4_shuffle::<2, 6, 3, 7>(a, b), i32x4_shuffle::<2, 6, 3, 7>(c, d));
        [
            i64x2_shuffle::<0, 2>(ab, cd),
            i64x2_shuffle::<1, 3>(ab, cd),
            i64x2_shuffle::<0, 2>(ef, gh),
            i64x2_shuffle::<1, 3>(ef, gh),
        ]
    }

    /// Σ values·scales in every lane, rounded to an integer.
    #[inline(always)]
    pub(in super::super) fn rounded_sum(values: [V; 3], scales: [f32; 3]) -> V {
        let term = |i: usize| f32x4_mul(f32x4_convert_i32x4(values[i]), f32x4_splat(scales[i]));
        let sum = f32x4_add(f32x4_add(term(0), term(1)), f32x4_add(term(2), f32x4_splat(ROUND)));
        sub(sum, f32x4_splat(ROUND))
    }
}

#[cfg(not(target_feature = "simd128"))]
mod plain {
    use super::ROUND;

    pub(in super::super) type V = [i32; 4];

    fn each(work: impl Fn(usize) -> i32) -> V {
        std::array::from_fn(work)
    }

    fn digits(a: i32) -> [i16; 2] {
        [a as i16, (a >> 16) as i16]
    }

    fn pair(low: i16, high: i16) -> i32 {
        i32::from(low) & 0xffff | i32::from(high) << 16
    }

    pub(in super::super) fn splat(a: i32) -> V {
        [a; 4]
    }

    /// a₀·b₀ + a₁·b₁ of the digits of every lane. Panics where a debug build would overflow.
    pub(in super::super) fn dot(a: V, b: V) -> V {
        each(|i| {
            let ([a0, a1], [b0, b1]) = (digits(a[i]), digits(b[i]));
            i32::from(a0) * i32::from(b0) + i32::from(a1) * i32::from(b1)
        })
    }

    pub(in super::super) fn add(a: V, b: V) -> V {
        each(|i| a[i] + b[i])
    }

    pub(in super::super) fn sub(a: V, b: V) -> V {
        each(|i| a[i] - b[i])
    }

    pub(in super::super) fn equal(a: V, b: V) -> V {
        each(|i| -i32::from(a[i] == b[i]))
    }

    fn each_digit(a: V, b: V, work: impl Fn(i16, i16) -> i16) -> V {
        each(|i| {
            let ([a0, a1], [b0, b1]) = (digits(a[i]), digits(b[i]));
            pair(work(a0, b0), work(a1, b1))
        })
    }

    pub(in super::super) fn add16(a: V, b: V) -> V {
        each_digit(a, b, i16::wrapping_add)
    }

    pub(in super::super) fn sub16(a: V, b: V) -> V {
        each_digit(a, b, i16::wrapping_sub)
    }

    pub(in super::super) fn multiply16(a: V, b: V) -> V {
        each_digit(a, b, i16::wrapping_mul)
    }

    pub(in super::super) fn and(a: V, b: V) -> V {
        each(|i| a[i] & b[i])
    }

    pub(in super::super) fn or(a: V, b: V) -> V {
        each(|i| a[i] | b[i])
    }

    pub(in super::super) fn xor(a: V, b: V) -> V {
        each(|i| a[i] ^ b[i])
    }

    pub(in super::super) fn left<const BY: u32>(a: V) -> V {
        left_by(a, BY)
    }

    pub(in super::super) fn right<const BY: u32>(a: V) -> V {
        each(|i| a[i] >> BY)
    }

    pub(in super::super) fn left_by(a: V, by: u32) -> V {
        each(|i| a[i] << by)
    }

    pub(in super::super) fn right_unsigned(a: V, by: u32) -> V {
        each(|i| (a[i] as u32 >> by) as i32)
    }

    pub(in super::super) fn select(mask: V, a: V, b: V) -> V {
        each(|i| a[i] & mask[i] | b[i] & !mask[i])
    }

    pub(in super::super) fn blend_digits(low: V, high: V) -> V {
        each(|i| low[i] & 0xffff | high[i] & !0xffff)
    }

    pub(in super::super) fn swap_digits(a: V) -> V {
        each(|i| a[i].rotate_left(16))
    }

    pub(in super::super) fn swap_neighbours(a: V) -> V {
        each(|i| a[i ^ 1])
    }

    pub(in super::super) fn swap_halves(a: V) -> V {
        each(|i| a[i ^ 2])
    }

    pub(in super::super) fn from_array(a: [i32; 4]) -> V {
        a
    }

    pub(in super::super) fn to_array(a: V) -> [i32; 4] {
        a
    }

    pub(in super::super) fn from_words(words: [u64; 2]) -> V {
        each(|i| (words[i / 2] >> (32 * (i % 2))) as i32)
    }

    pub(in super::super) fn to_words(a: V) -> [u64; 2] {
        std::array::from_fn(|i| u64::from(a[2 * i] as u32) | u64::from(a[2 * i + 1] as u32) << 32)
    }

    pub(in super::super) fn transpose(rows: [V; 4]) -> [V; 4] {
        std::array::from_fn(|i| each(|j| rows[j][i]))
    }

    pub(in super::super) fn rounded_sum(values: [V; 3], scales: [f32; 3]) -> V {
        each(|lane| {
            let term = |i: usize| values[i][lane] as f32 * scales[i];
            let sum = (term(0) + term(1)) + (term(2) + ROUND);
            (sum.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32)
        })
    }
}

//! Digits ±m·2^e·b for tables with odd multiples of the bases: see [`Weights`].
//!
//! Digits are computed from the lowest window up, since each may carry into the next, and for
//! several scalars in parallel lanes, since each depends on the one before.

use super::decompose::ZERO;
use super::pairs::NEGATIVE;
use crate::plan::{Shape, Weights};
use crate::scalars::MAX_WORDS;

/// Scalars recoded in parallel.
pub(super) const LANES: usize = 16;

/// Bits of a digit that hold the bucket; above are the multiple and, in the top bit, the sign.
pub(super) fn bucket_bits(shape: &Shape) -> u32 {
    match shape.odd_multiples {
        1 => 31,
        _ => u64::BITS - shape.buckets.leading_zeros(),
    }
}

/// Scalars, or their halves, word by word, and their signs in the top bit.
#[derive(Default)]
pub(super) struct Lanes {
    words: [[[u64; LANES]; MAX_WORDS + 1]; 2],
    signs: [[u32; LANES]; 2],
}

impl Lanes {
    /// Stores scalar `index` of a block in its lane: `words` words for each half.
    pub(super) fn set(&mut self, index: usize, halves: &[u64], words: usize, negative: [bool; 2]) {
        let lane = index % LANES;
        for (half, own) in halves.chunks_exact(words).enumerate() {
            for (word, lanes) in own.iter().zip(&mut self.words[half]) {
                lanes[lane] = *word;
            }
            self.signs[half][lane] = u32::from(negative[half]) << 31;
        }
    }

    /// The bits of one window.
    #[inline(always)]
    fn window(&self, half: usize, first: usize, mask: u32) -> [u32; LANES] {
        let (word, shift) = (first / 64, first % 64);
        let at = |word: usize| self.words[half].get(word).unwrap_or(&[0; LANES]);
        let (low, high) = (at(word), at(word + 1));
        std::array::from_fn(|i| (low[i] >> shift | (high[i] << 1) << (63 - shift)) as u32 & mask)
    }
}

pub(super) struct Recoder {
    weights: Weights,
    window_bits: u32,
    windows: u32,
    bucket_bits: u32,
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    vectors: bool,
}

impl Recoder {
    /// Uses vector instructions if `vectors` and the processor has them.
    pub(super) fn of(shape: &Shape, vectors: bool) -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        let vectors = vectors
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        Some(Self {
            weights: Weights::of(shape)?,
            window_bits: shape.window_bits,
            windows: shape.windows,
            bucket_bits: bucket_bits(shape),
            vectors,
        })
    }

    /// Computes all digits of the scalars in `lanes` and writes them to scalar `first` and those
    /// after it, in a block of `length`.
    pub(super) fn write(&self, lanes: &Lanes, first: usize, length: usize, block: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if self.vectors {
            // SAFETY: the processor has the instructions.
            return unsafe { self.write_vectors(lanes, first, length, block) };
        }
        self.write_lanes(lanes, first, length, block);
    }

    /// The same, compiled for AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn write_vectors(&self, lanes: &Lanes, first: usize, length: usize, block: &mut [u64]) {
        self.write_lanes(lanes, first, length, block);
    }

    #[inline(always)]
    fn write_lanes(&self, lanes: &Lanes, first: usize, length: usize, block: &mut [u64]) {
        let each = self.windows.div_ceil(2) as usize * length;
        let count = LANES.min(length - first);
        for (half, block) in block.chunks_exact_mut(each).enumerate() {
            let mut carries = [0; LANES];
            for (pair, column) in (0..).step_by(2).zip(block.chunks_exact_mut(length)) {
                let mut digits = [[ZERO; LANES]; 2];
                for (window, digits) in (pair..self.windows).zip(&mut digits) {
                    *digits = self.window(window, lanes, half, &mut carries);
                }
                let words = std::array::from_fn::<u64, LANES, _>(|lane| {
                    u64::from(digits[0][lane]) | u64::from(digits[1][lane]) << 32
                });
                column[first..][..count].copy_from_slice(&words[..count]);
            }
        }
    }

    /// The digits of one window; their carries into the next replace `carries`.
    #[inline(always)]
    fn window(
        &self,
        window: u32,
        lanes: &Lanes,
        half: usize,
        carries: &mut [i32; LANES],
    ) -> [u32; LANES] {
        let mask = (1u32 << self.window_bits) - 1;
        let bits = lanes.window(half, (window * self.window_bits) as usize, mask);
        let mut digits = [0; LANES];
        for lane in 0..LANES {
            let value = bits[lane] as i32 + carries[lane];
            (digits[lane], carries[lane]) = if window + 1 == self.windows {
                (self.last_digit(value), 0)
            } else {
                self.digit(value)
            };
            let sign = if digits[lane] == ZERO { 0 } else { lanes.signs[half][lane] };
            digits[lane] ^= sign;
        }
        digits
    }

    /// The digit of a value, and its carry. No branches and no tables, so that it is vectorised.
    #[inline(always)]
    fn digit(&self, value: i32) -> (u32, i32) {
        let (mask, step) = ((1u32 << self.window_bits) - 1, self.weights.step());
        let residue = value as u32 & mask;
        // The exponent of the lowest bit as a floating-point number is its position; arbitrary for
        // zero.
        let lowest = residue & residue.wrapping_neg();
        let e = ((lowest as i32 as f32).to_bits() >> 23).wrapping_sub(127) & 31;
        let odd = residue >> e;
        // ±m: the odd number nearest to zero that is congruent modulo 4J.
        let near = (odd << (32 - step)) as i32 >> (32 - step);
        let b = odd.wrapping_mul(inverse(near as u32)) & (mask >> e);
        let bucket = self.weights.first(e) + (b >> step);
        let multiple = near.unsigned_abs() >> 1;
        let digit = bucket | multiple << self.bucket_bits | near as u32 & NEGATIVE;
        let rest = value.wrapping_sub(near.wrapping_mul((b << e) as i32));
        (if residue == 0 { ZERO } else { digit }, rest >> self.window_bits)
    }

    #[inline(always)]
    fn last_digit(&self, value: i32) -> u32 {
        let digit = (self.weights.count() + value.unsigned_abs()).wrapping_sub(1);
        if value == 0 { ZERO } else { digit | value as u32 & NEGATIVE }
    }
}

/// The inverse of an odd number modulo 2^32, by Newton's iteration: each step doubles the number of
/// correct bits, from five.
#[inline(always)]
fn inverse(odd: u32) -> u32 {
    let mut inverse = odd.wrapping_mul(3) ^ 2;
    for _ in 0..3 {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

#[cfg(all(test, feature = "curves"))]
mod tests {
    use num_bigint::BigInt;

    use super::*;
    use crate::plan::{Plan, Request, ScalarBound, Settings};
    use crate::{CurveSpec, DeviceFacts};

    fn shape(window_bits: u32, odd_multiples: u32, scalar_bits: u32) -> Shape {
        let settings = Settings {
            window_bits: Some(window_bits),
            odd_multiples: Some(odd_multiples),
            ..Settings::default()
        };
        let curve = CurveSpec::of::<ark_bn254::G1Affine>();
        let request = Request::new(&curve, 1, DeviceFacts::cpu(1, false, 1 << 40))
            .scalars(ScalarBound::Bits(scalar_bits))
            .settings(&settings);
        Plan::new(&request).unwrap().shape
    }

    /// Σ ±m·weight·2^(c·window) over the digits of a block of one scalar.
    fn value(shape: &Shape, block: &[u64]) -> BigInt {
        let bits = bucket_bits(shape);
        let digits = block.iter().flat_map(|word| [*word as u32, (word >> 32) as u32]);
        let mut sum = BigInt::ZERO;
        for (window, digit) in digits.enumerate().filter(|(_, digit)| *digit != ZERO) {
            let bucket = digit & ((1 << bits) - 1);
            assert!(u64::from(bucket) < shape.buckets && window < shape.windows as usize);
            let multiple = 2 * ((digit & !NEGATIVE) >> bits) + 1;
            assert!(multiple < 2 * shape.odd_multiples);
            let term = BigInt::from(u64::from(multiple) * u64::from(shape.weight(bucket)))
                << (window * shape.window_bits as usize);
            sum += if digit & NEGATIVE == 0 { term } else { -term };
        }
        sum
    }

    /// Every scalar of 13 bits, and long ones, with every width and every number of multiples that
    /// fits it.
    #[test]
    fn digits_make_up_the_scalar() {
        for window_bits in 3..=16 {
            for odd_multiples in (1..=10).map(|log| 1 << log) {
                if Weights::new(window_bits, odd_multiples).is_none() {
                    continue;
                }
                for (scalar_bits, vectors) in [(13, false), (13, true), (129, false), (129, true)] {
                    let shape = shape(window_bits, odd_multiples, scalar_bits);
                    let recoder = Recoder::of(&shape, vectors).unwrap();
                    let step = 0x9e37_79b9_7f4a_7c15_u128 << 65 | 1;
                    for k in 0..1u128 << 13 {
                        let low = if scalar_bits == 13 { k } else { k.wrapping_mul(step) };
                        let high = u64::from(scalar_bits == 129 && k % 2 == 1);
                        let words = [low as u64, (low >> 64) as u64, high];
                        let mut lanes = Lanes::default();
                        lanes.set(0, &words, 3, [k % 3 == 0, false]);
                        let mut block = vec![0; shape.scalar_words];
                        recoder.write(&lanes, 0, 1, &mut block);
                        let expected: BigInt = (BigInt::from(high) << 128u32) + low;
                        let expected = if k % 3 == 0 { -expected } else { expected };
                        assert_eq!(value(&shape, &block), expected, "{shape:?}, {words:x?}");
                    }
                }
            }
        }
    }
}

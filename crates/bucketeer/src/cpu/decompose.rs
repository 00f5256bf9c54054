//! Stage 1, decompose: scalars → digits.
//!
//! 1. Read each scalar as an integer and check it against its bound.
//! 2. Shorten it: replace a residue k > r/2 by −(r − k), or split it along the endomorphism.
//! 3. Add the bias Σ 2^(c−1)·2^(jc). Digit j of a signed decomposition is then bits jc … jc+c−1 minus
//!    2^(c−1), with no carry from one window to the next.
//!
//! The digits are not stored: a window reads its bits when it is grouped. The sign of a shortened scalar
//! sits in the top bit of its words.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::kernel::NEGATIVE;
use super::room::zeroed;
use crate::curve::Splitter;
use crate::plan::{Digits, Shape};
use crate::scalars::{MAX_WORDS, ScalarSource};
use crate::{CurveSpec, Error};

/// Biased scalars of one chunk.
pub(crate) struct Decomposed {
    /// `words` for each half of each scalar, and one word more at the end.
    data: Vec<u64>,
    words: usize,
    halves: usize,
    window_bits: u32,
    /// Windows from here on hold nothing but zeros.
    windows: u32,
    /// The last window and its bits.
    last: (u32, u32),
    /// Digit value that stands for zero.
    zero: u32,
    /// What was added to every scalar, and is left of zero.
    bias: Vec<u64>,
}

/// What [`Decomposed::read`] writes for the digit zero.
pub(crate) const ZERO: u32 = !NEGATIVE;

impl Decomposed {
    /// Digit `window` of the scalars in `range`, both halves of each where there are two, as the bucket it
    /// selects (from 0, for |digit| − 1) with its sign in the top bit.
    #[inline(always)]
    pub(crate) fn read<'a>(
        &self,
        window: u32,
        range: Range<usize>,
        out: impl Iterator<Item = &'a mut [u32]>,
    ) {
        let bit = (window * self.window_bits) as usize;
        let (word, shift) = (bit / 64, bit % 64);
        let width = if window == self.last.0 { self.last.1 } else { self.window_bits };
        let mask = (1u32 << width) - 1;
        let mut at = range.start * self.halves * self.words;
        for digits in out.take(range.len()) {
            for digit in digits {
                // The word after the last half's last is never part of the digit, but it is there.
                let words = &self.data[at..=at + self.words];
                let (low, high) = (words[word], words[word + 1]);
                let value = ((low >> shift | (high << 1) << (63 - shift)) as u32) & mask;
                let scalar_sign = (words[self.words - 1] >> 32) as u32;
                let magnitude = value.abs_diff(self.zero);
                let digit_sign = value.wrapping_sub(self.zero);
                *digit = match magnitude {
                    0 => ZERO,
                    _ => (magnitude - 1) | (scalar_sign ^ digit_sign) & NEGATIVE,
                };
                at += self.words;
            }
        }
    }

    /// Whether all digits of a scalar, or of one half of it, are zero.
    #[inline(always)]
    pub(crate) fn is_zero(&self, index: usize, half: usize) -> bool {
        let at = (index * self.halves + half) * self.words;
        self.data[at..at + self.words] == self.bias
    }

    /// Windows from this one on hold nothing but zeros.
    pub(crate) fn windows(&self) -> u32 {
        self.windows
    }

    /// The memory, for other scalars.
    pub(crate) fn into_data(self) -> Vec<u64> {
        self.data
    }

    /// Scalars in the chunk.
    pub(crate) fn len(&self) -> usize {
        (self.data.len() - 1) / (self.words * self.halves)
    }
}

/// How scalars are shortened before the bias is added.
enum Shorten {
    Keep,
    Negate { order: Vec<u64>, half: Vec<u64> },
    Split(Box<Splitter>),
}

impl Shorten {
    /// Writes the scalar, or its halves, of `words` words each; yields their signs.
    #[inline(always)]
    fn apply(&self, k: &mut [u64; MAX_WORDS], out: &mut [u64], words: usize) -> [bool; 2] {
        match self {
            Self::Keep => {
                out.copy_from_slice(&k[..words]);
                [false; 2]
            }
            Self::Negate { order, half } => {
                let negative = less(half, &k[..half.len()]);
                subtract_from_where(negative, order, k);
                out.copy_from_slice(&k[..words]);
                [negative; 2]
            }
            Self::Split(splitter) => {
                let halves = splitter.split(&*k);
                for (out, (_, half)) in out.chunks_exact_mut(words).zip(&halves) {
                    let used = words.min(half.len());
                    out[..used].copy_from_slice(&half[..used]);
                    out[used..].fill(0);
                }
                halves.map(|(negative, _)| negative)
            }
        }
    }
}

/// Scalars that one worker takes at a time.
const BLOCK: usize = 512;

/// Decomposes the scalars in `range` into `data`, which may hold anything.
pub(crate) fn decompose(
    scalars: &dyn ScalarSource,
    range: Range<usize>,
    shape: &Shape,
    curve: &CurveSpec,
    mut data: Vec<u64>,
) -> Result<Decomposed, Error> {
    let (words, halves) = (shape.scalar_words, shape.halves());
    let shorten = match &curve.endomorphism {
        Some(endomorphism) if shape.endomorphism => {
            Shorten::Split(Box::new(Splitter::new(endomorphism)))
        }
        _ if shape.negate => {
            let order = curve.order.to_u64_digits();
            let mut half = (&curve.order >> 1u32).to_u64_digits();
            half.resize(order.len(), 0);
            Shorten::Negate { order, half }
        }
        _ => Shorten::Keep,
    };
    let mut bias = shape.bias().to_u64_digits();
    bias.resize(words, 0);
    let used = range.len() * halves * words;
    if data.capacity() <= used {
        drop(std::mem::take(&mut data));
        data = zeroed(used + 1);
    }
    data.resize(used + 1, 0);
    // All bits that occur.
    let bits: Vec<AtomicU64> = (0..words).map(|_| AtomicU64::new(0)).collect();
    let each = halves * words;
    let blocks = data[..used].par_chunks_mut(BLOCK * each).enumerate();
    blocks.try_for_each(|(block, data)| {
        let mut seen = [0u64; MAX_WORDS];
        let first = range.start + block * BLOCK;
        for (index, out) in (first..).zip(data.chunks_exact_mut(each)) {
            let mut k = [0u64; MAX_WORDS];
            scalars.read(index, &mut k)?;
            let negative = shorten.apply(&mut k, out, words);
            for (out, negative) in out.chunks_exact_mut(words).zip(negative) {
                for (seen, word) in seen.iter_mut().zip(&*out) {
                    *seen |= word;
                }
                finish(out, &bias, negative);
            }
        }
        for (all, seen) in bits.iter().zip(seen) {
            all.fetch_or(seen, Relaxed);
        }
        Ok(())
    })?;
    let words_seen = bits.into_iter().map(AtomicU64::into_inner).enumerate();
    let longest = words_seen.filter(|(_, word)| *word != 0).last();
    let longest = longest.map_or(0, |(i, word)| 64 * (i as u32 + 1) - word.leading_zeros());
    // A carry may reach the next window, also out of a digit that is one bit short of full.
    let windows = ((longest + 1) / shape.window_bits + 1).min(shape.windows);
    let zero = match shape.digits {
        Digits::Unsigned => 0,
        Digits::Signed => 1 << (shape.window_bits - 1),
    };
    let last = (shape.windows - 1, shape.last_window_bits);
    let window_bits = shape.window_bits;
    Ok(Decomposed { data, words, halves, window_bits, windows, last, zero, bias })
}

/// Adds the bias and records the sign.
fn finish(out: &mut [u64], bias: &[u64], negative: bool) {
    let mut carry = false;
    for (word, &b) in out.iter_mut().zip(bias) {
        let (sum, c1) = word.overflowing_add(b);
        let (sum, c2) = sum.overflowing_add(u64::from(carry));
        (*word, carry) = (sum, c1 | c2);
    }
    if let Some(last) = out.last_mut() {
        *last |= u64::from(negative) << 63;
    }
}

fn less(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// `k ← order − k` where that is wished; without a branch, since half of all scalars wish it.
fn subtract_from_where(wished: bool, order: &[u64], k: &mut [u64; MAX_WORDS]) {
    let mask = u64::from(wished).wrapping_neg();
    let mut borrow = false;
    for (x, &m) in k.iter_mut().zip(order) {
        let (difference, b1) = m.overflowing_sub(*x);
        let (difference, b2) = difference.overflowing_sub(u64::from(borrow));
        borrow = b1 | b2;
        *x ^= (*x ^ difference) & mask;
    }
}

//! Stage 1, decompose: scalars → digits.
//!
//! 1. Read each scalar as an integer with a sign and check it against its bound.
//! 2. Shorten it: replace a residue k > r/2 by −(r − k), or split it along the endomorphism.
//! 3. Add the bias Σ 2^(c−1)·2^(jc). Digit j of a signed decomposition is then bits jc … jc+c−1
//!    minus 2^(c−1), with no carry from one window to the next.
//!
//! The digits are not stored: a window reads its bits when it is grouped. The sign of a scalar
//! is the top bit of its words. If the table has odd multiples, digits are computed here
//! instead ([`recode`](super::recode)) and stored in place of the scalar.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::buffer::zeroed;
use super::pairs::NEGATIVE;
use super::recode::{LANES, Lanes, Recoder};
use crate::control::Control;
use crate::curve::Splitter;
use crate::parallel::loops::*;
use crate::plan::{Digits, Shape};
use crate::scalars::{MAX_WORDS, ScalarSource};
use crate::{CurveSpec, DeviceFacts, Error, parallel};

/// Biased scalars of one chunk.
///
/// Scalars are stored in blocks, and a block word by word: the lowest words of the first halves of
/// all its scalars, their next words, and so on. A window then reads one or two words of every
/// scalar, sequentially.
pub(crate) struct Decomposed {
    /// `words` for each half of each scalar.
    data: Vec<u64>,
    /// log₂ of the scalars in a block.
    block: u32,
    words: usize,
    halves: usize,
    window_bits: u32,
    /// Whether the words hold digits, two per word.
    recoded: bool,
    /// All windows from this one on are zero.
    windows: u32,
    /// Index and width of the last window.
    last: (u32, u32),
    /// The bits of a digit that mean zero.
    zero: u32,
    /// The bias added to every scalar: the words of zero.
    bias: Vec<u64>,
}

/// The digit zero as [`Decomposed::read`] writes it.
pub(crate) const ZERO: u32 = !NEGATIVE;

impl Decomposed {
    /// Writes digit `window` of the scalars in `range`, for both halves if there are two: the
    /// bucket, which is |digit| − 1, with the sign in the top bit. With odd multiples, the multiple
    /// is in the bits above the bucket.
    pub(crate) fn read(&self, window: u32, range: Range<usize>, out: &mut [u32]) {
        let mut buffer = [0; BLOCK];
        let block = 1 << self.block;
        let mut index = range.start;
        while index < range.end {
            let count = (block - index % block).min(range.end - index);
            let out = &mut out[(index - range.start) * self.halves..];
            if self.halves == 1 {
                self.read_block(window, index, 0, &mut out[..count]);
            } else {
                for half in 0..self.halves {
                    self.read_block(window, index, half, &mut buffer[..count]);
                    let places = out[half..].iter_mut().step_by(self.halves);
                    buffer[..count].iter().zip(places).for_each(|(digit, place)| *place = *digit);
                }
            }
            index += count;
        }
    }

    /// The digits of one half of scalars in one block.
    fn read_block(&self, window: u32, index: usize, half: usize, out: &mut [u32]) {
        if self.recoded {
            let column = self.column(index, half, window as usize / 2);
            let shift = 32 * (window % 2);
            out.iter_mut().zip(column).for_each(|(digit, word)| *digit = (word >> shift) as u32);
            return;
        }
        let bit = (window * self.window_bits) as usize;
        let (word, shift) = (bit / 64, bit % 64);
        let width = if window == self.last.0 { self.last.1 } else { self.window_bits };
        let (mask, zero) = ((1u32 << width) - 1, self.zero as i32);
        let low = self.column(index, half, word);
        // If there is no next word, the digit ends before it.
        let high = self.column(index, half, (word + 1).min(self.words - 1));
        let top = self.column(index, half, self.words - 1);
        for (((digit, low), high), top) in out.iter_mut().zip(low).zip(high).zip(top) {
            let value = ((low >> shift | (high << 1) << (63 - shift)) as u32) & mask;
            let signed = (value as i32).wrapping_sub(zero);
            let sign = (top >> 32) as u32 ^ signed as u32;
            let bucket = signed.unsigned_abs().wrapping_sub(1) & !NEGATIVE;
            *digit = if signed == 0 { ZERO } else { bucket | sign & NEGATIVE };
        }
    }

    /// One word of a scalar, or of one half, followed by that of all later scalars in its block.
    #[inline(always)]
    fn column(&self, index: usize, half: usize, word: usize) -> &[u64] {
        let each = self.halves * self.words;
        let (first, within) = (index >> self.block << self.block, index & ((1 << self.block) - 1));
        let length = (self.len() - first).min(1 << self.block);
        let start = first * each + (half * self.words + word) * length;
        &self.data[start + within..start + length]
    }

    /// Whether all digits of a scalar, or of one half, are zero.
    #[inline(always)]
    pub(crate) fn is_zero(&self, index: usize, half: usize) -> bool {
        self.bias.iter().enumerate().all(|(word, bias)| self.column(index, half, word)[0] == *bias)
    }

    /// A word of a scalar, or of one half, without its sign; zero beyond the last.
    pub(crate) fn word(&self, index: usize, half: usize, word: usize) -> u64 {
        match self.words - 1 {
            last if word < last => self.column(index, half, word)[0],
            last if word == last => self.column(index, half, word)[0] & (u64::MAX >> 1),
            _ => 0,
        }
    }

    /// Whether a scalar, or one half, was negated.
    pub(crate) fn is_negative(&self, index: usize, half: usize) -> bool {
        self.column(index, half, self.words - 1)[0] >> 63 == 1
    }

    /// All windows from this one on are zero.
    pub(crate) fn windows(&self) -> u32 {
        self.windows
    }

    /// The same with a fault on purpose, if one is due.
    #[cfg(feature = "faults")]
    pub(crate) fn flipped(mut self) -> Self {
        crate::faults::flips::apply(crate::faults::flips::Place::Scalars, &mut self.data);
        self
    }

    /// The memory, to be reused.
    pub(crate) fn into_data(self) -> Vec<u64> {
        self.data
    }

    /// Scalars in the chunk.
    pub(crate) fn len(&self) -> usize {
        self.data.len() / (self.words * self.halves)
    }
}

/// How scalars are shortened before the bias is added.
enum Shorten<'a> {
    Keep,
    Negate { order: Vec<u64>, half: Vec<u64> },
    Split(&'a Splitter),
}

impl Shorten<'_> {
    /// Writes the scalar, or its halves, of `words` words each; returns their signs. Only scalars
    /// that are kept are negative before.
    #[inline(always)]
    fn apply(
        &self,
        negative: bool,
        k: &mut [u64; MAX_WORDS],
        out: &mut [u64],
        words: usize,
    ) -> [bool; 2] {
        match self {
            Self::Keep => {
                out.copy_from_slice(&k[..words]);
                [negative; 2]
            }
            Self::Negate { order, half } => {
                let negative = less(half, &k[..half.len()]);
                negate_if(negative, order, k);
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

/// Maximum number of scalars in a block, which one worker takes at a time.
const BLOCK: usize = 512;

/// Minimum number of scalars worth waking another thread for.
const MIN_BLOCK: usize = 64;

/// Decomposes the scalars in `range` into `data`, whose contents do not matter.
pub(crate) fn decompose(
    scalars: &dyn ScalarSource,
    range: Range<usize>,
    shape: &Shape,
    curve: &CurveSpec,
    device: &DeviceFacts,
    mut data: Vec<u64>,
    control: &Control,
) -> Result<Decomposed, Error> {
    let recoder = Recoder::of(shape, device.ifma);
    let recoded = recoder.is_some();
    let (words, halves) = (shape.scalar_words, shape.halves());
    // Words of a shortened scalar, or of one half.
    let own_words = if recoded { shape.scalar_bits.div_ceil(64).max(1) as usize } else { words };
    let shorten = match &curve.endomorphism {
        Some(endomorphism) if shape.endomorphism => Shorten::Split(endomorphism.splitter()),
        _ if shape.negate => {
            let order = curve.order.to_u64_digits();
            let mut half = (&curve.order >> 1u32).to_u64_digits();
            half.resize(order.len(), 0);
            Shorten::Negate { order, half }
        }
        _ => Shorten::Keep,
    };
    let mut bias = match recoder {
        Some(_) => vec![u64::from(ZERO) << 32 | u64::from(ZERO); words],
        None => shape.bias().to_u64_digits(),
    };
    bias.resize(words, 0);
    let used = range.len() * halves * words;
    if data.capacity() < used {
        drop(std::mem::take(&mut data));
        data = zeroed(used)?;
    }
    data.resize(used, 0);
    // The union of the bits of all scalars.
    let bits: Vec<AtomicU64> = (0..own_words).map(|_| AtomicU64::new(0)).collect();
    let each = halves * words;
    let block = match device.threads {
        1 => BLOCK,
        _ => range.len().div_ceil(device.threads).next_power_of_two().clamp(MIN_BLOCK, BLOCK),
    };
    let decompose = |(index, data): (usize, &mut [u64])| {
        control.advance(0)?;
        let mut seen = [0u64; MAX_WORDS];
        let length = data.len() / each;
        let mut buffer = [0u64; 2 * MAX_WORDS];
        let mut lanes = recoder.as_ref().map(|_| Lanes::default());
        for i in 0..length {
            let mut k = [0u64; MAX_WORDS];
            let negative = scalars.read(range.start + index * block + i, &mut k)?;
            let out = &mut buffer[..halves * own_words];
            let negative = shorten.apply(negative, &mut k, out, own_words);
            for out in out.chunks_exact(own_words) {
                seen.iter_mut().zip(out).for_each(|(seen, word)| *seen |= word);
            }
            if let (Some(recoder), Some(lanes)) = (&recoder, &mut lanes) {
                lanes.set(i, out, own_words, negative);
                if i % LANES == LANES - 1 || i + 1 == length {
                    recoder.write(lanes, i / LANES * LANES, length, data);
                }
                continue;
            }
            for (out, negative) in out.chunks_exact_mut(words).zip(negative) {
                finish(out, &bias, negative);
            }
            for (word, column) in out.iter().zip(data.chunks_exact_mut(length)) {
                column[i] = *word;
            }
        }
        for (all, seen) in bits.iter().zip(seen) {
            all.fetch_or(seen, Relaxed);
        }
        Ok(())
    };
    let blocks = data.par_chunks_mut(block * each).enumerate();
    blocks.with_min_len(parallel::grain(device.threads > 1)).try_for_each(decompose)?;
    let words_seen = bits.into_iter().map(AtomicU64::into_inner).enumerate();
    let longest = words_seen.filter(|(_, word)| *word != 0).last();
    let longest = longest.map_or(0, |(i, word)| 64 * (i as u32 + 1) - word.leading_zeros());
    // A digit may carry into the next window, even if its window is one bit short of full; a
    // recoded digit may carry once more.
    let windows = match recoded {
        true => longest.div_ceil(shape.window_bits) + 2,
        false => (longest + 1) / shape.window_bits + 1,
    };
    let windows = windows.min(shape.windows);
    let zero = match shape.digits {
        Digits::Unsigned => 0,
        Digits::Signed => 1 << (shape.window_bits - 1),
    };
    let last = (shape.windows - 1, shape.last_window_bits);
    let window_bits = shape.window_bits;
    let block = block.ilog2();
    Ok(Decomposed { data, block, words, halves, window_bits, recoded, windows, last, zero, bias })
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

/// `k ← order − k` if `negative`. Branch-free: the condition holds for half of all scalars.
fn negate_if(negative: bool, order: &[u64], k: &mut [u64; MAX_WORDS]) {
    let mask = u64::from(negative).wrapping_neg();
    let mut borrow = false;
    for (x, &m) in k.iter_mut().zip(order) {
        let (difference, b1) = m.overflowing_sub(*x);
        let (difference, b2) = difference.overflowing_sub(u64::from(borrow));
        borrow = b1 | b2;
        *x ^= (*x ^ difference) & mask;
    }
}

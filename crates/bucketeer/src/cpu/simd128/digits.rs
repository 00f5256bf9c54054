//! Elements of a field as signed digits of 13 bits, four elements in the lanes of a vector, and how
//! they are stored in the words of points.
//!
//! Lane by lane a vector holds two digits of 16 bits, so that one instruction multiplies eight
//! digits and adds the products in pairs. Values are signed: those that are stored lie between
//! −0.6·p and 0.6·p. In memory every digit has [`HALF`] added; the last one, which has only the
//! bits that are left of the words, has half of their range added.

use super::lanes::*;

/// Bits of a digit.
pub(super) const BITS: u32 = 13;
pub(super) const MASK: i32 = (1 << BITS) - 1;
/// Digits are from −`HALF` to `HALF` − 1, but for the last one.
pub(super) const HALF: i32 = 1 << (BITS - 1);
/// Bits of two digits.
const PAIR: usize = 2 * BITS as usize;
/// 32-bit words of the longest element, and one more after it.
const WORDS: usize = 13;

/// Digits of at most 2^12 each: elements as products and memory have them.
#[derive(Clone, Copy)]
pub(super) struct Normal<const H: usize>(pub [V; H]);

/// Digits of at most 2^13 each: sums and differences of two normal elements, and residues.
#[derive(Clone, Copy)]
pub(super) struct Loose<const H: usize>(pub [V; H]);

/// The body for every index J below H, a constant in it. Shifts by constants are one instruction.
macro_rules! unrolled {
    ($h:ident, |$j:ident| $body:block) => {
        unrolled!(@ $h $j $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
    };
    (@ $h:ident $j:ident $body:block $($index:literal)*) => {$(
        if $index < $h {
            const $j: usize = $index;
            $body
        }
    )*};
}

/// Lane by lane, −a where `mask` is all ones: (a ⊕ −1) + 1; a elsewhere.
#[inline(always)]
pub(super) fn signed(a: V, mask: V) -> V {
    sub16(xor(a, mask), mask)
}

impl<const H: usize> Normal<H> {
    /// −a in lanes where `mask` is all ones, a elsewhere.
    pub(super) fn negated_where(&self, mask: V) -> Self {
        Self(self.0.map(|digits| signed(digits, mask)))
    }

    /// Every lane permuted in the same way.
    #[inline(always)]
    pub(super) fn permuted(&self, permute: impl Fn(V) -> V) -> Self {
        Self(self.0.map(permute))
    }

    /// The digits of one lane.
    pub(super) fn lane(&self, lane: usize) -> [[i32; 2]; H] {
        self.0.map(|digits| {
            let digits = to_array(digits)[lane];
            [i32::from(digits as i16), digits >> 16]
        })
    }

    /// The element with these digits, from the lowest on, in all lanes.
    pub(super) fn splat(digits: impl IntoIterator<Item = i32>) -> Self {
        let mut out = [splat(0); H];
        for (i, digit) in digits.into_iter().enumerate() {
            let shifted = splat((digit & 0xffff) << (16 * (i % 2)));
            out[i / 2] = or(out[i / 2], shifted);
        }
        Self(out)
    }
}

/// What is added to the digits of an element in memory.
#[inline(always)]
fn bias<const N: usize>(j: usize) -> V {
    let rest = 64 * N - PAIR * j - BITS as usize;
    let last = rest < BITS as usize;
    splat(HALF | (if last { 1 << (rest - 1) } else { HALF }) << 16)
}

/// The bias of all digits as an integer.
pub(super) fn bias_words<const N: usize, const H: usize>() -> [u64; N] {
    let mut words = [[0; N]; 4];
    let chunk = |j: usize| dot(bias::<N>(j), splat(1 | 1 << (BITS + 16)));
    store_chunks::<N, H>(chunk, words.each_mut().map(|words| &mut words[..]));
    words[0]
}

/// Four elements of N words as lanes of 32-bit words.
#[inline(always)]
fn transposed<const N: usize>(elements: [&[u64]; 4]) -> [V; WORDS] {
    let mut out = [splat(0); WORDS];
    for block in 0..N / 2 {
        let row = |i: usize| from_words([elements[i][2 * block], elements[i][2 * block + 1]]);
        let columns = transpose([row(0), row(1), row(2), row(3)]);
        out[4 * block..4 * block + 4].copy_from_slice(&columns);
    }
    out
}

/// Digits of 13 bits, from 0 on, of integers of N words.
#[inline(always)]
fn each_pair<const N: usize, const H: usize>(
    elements: [&[u64]; 4],
    mut take: impl FnMut(usize, V),
) {
    let words = transposed::<N>(elements);
    let (low, high) = (splat(MASK), splat(MASK << 16));
    unrolled!(H, |J| {
        let (word, shift) = (PAIR * J / 32, PAIR * J % 32);
        let mut chunk = right_unsigned(words[word], shift as u32);
        if shift + PAIR > 32 && word + 1 < 2 * N {
            chunk = or(chunk, left_by(words[word + 1], 32 - shift as u32));
        }
        take(J, or(and(chunk, low), and(left::<3>(chunk), high)));
    });
}

/// Four residues of N words, from 0 to p − 1.
pub(super) fn load_residues<const N: usize, const H: usize>(elements: [&[u64]; 4]) -> Loose<H> {
    let mut out = Loose([splat(0); H]);
    each_pair::<N, H>(elements, |j, digits| out.0[j] = digits);
    out
}

/// Takes four elements as they are stored, pair by pair of digits.
#[inline(always)]
pub(super) fn load<const N: usize, const H: usize>(
    elements: [&[u64]; 4],
    mut take: impl FnMut(usize, V),
) {
    each_pair::<N, H>(elements, |j, digits| take(j, sub16(digits, bias::<N>(j))));
}

/// Stores four elements of at most 0.6·p.
#[inline(always)]
pub(super) fn store<const N: usize, const H: usize>(a: &Normal<H>, out: [&mut [u64]; 4]) {
    // 2^13 is the largest factor that a signed digit of 16 bits can be.
    let chunk = |j: usize| dot(add16(a.0[j], bias::<N>(j)), splat(1 | 1 << (BITS + 16)));
    store_chunks::<N, H>(chunk, out);
}

/// Writes chunks of 26 bits as words.
#[inline(always)]
fn store_chunks<const N: usize, const H: usize>(
    chunk: impl Fn(usize) -> V,
    [a, b, c, d]: [&mut [u64]; 4],
) {
    let mut words = [splat(0); WORDS];
    unrolled!(H, |J| {
        let (word, shift, chunk) = (PAIR * J / 32, PAIR * J % 32, chunk(J));
        words[word] = or(words[word], left_by(chunk, shift as u32));
        if shift + PAIR > 32 && word + 1 < 2 * N {
            words[word + 1] = right_unsigned(chunk, 32 - shift as u32);
        }
    });
    for block in 0..N / 2 {
        let columns = [0, 1, 2, 3].map(|i| words[4 * block + i]);
        let rows = transpose(columns).map(to_words);
        for (out, row) in [&mut *a, &mut *b, &mut *c, &mut *d].into_iter().zip(rows) {
            out[2 * block..2 * block + 2].copy_from_slice(&row);
        }
    }
}

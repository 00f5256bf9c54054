//! Montgomery arithmetic on signed digits, four elements at a time: R = 2^(13·L) for L = 2H digits.
//!
//! A product is computed column by column, four columns at a time:
//!
//! 1. Column k is Σ aᵢ·b₍ₖ₋ᵢ₎ + Σ qᵢ·p₍ₖ₋ᵢ₎. One `dot` multiplies two digits of a by two of b in
//!    every lane; b and p are laid out in [`Rows`] so that those two are neighbours.
//! 2. In the lower half, each column yields a digit of q = −ab/p mod R, which makes it a multiple
//!    of 2^13.
//! 3. The upper half is (ab + qp)/R. Its carries are propagated by [`Work::normal`], or by
//!    [`Field::minus`] together with a difference.
//!
//! Digits of one factor are at most 2^13, those of the other, of q and of p at most 2^12: a column
//! is below L·(2^25 + 2^24) plus a carry, and so fits in 31 bits up to L = 42. As q is signed, the
//! result is at most p/2 + |ab|/R. Elements are below 0.6·p and differences of them below 1.2·p;
//! with R ≥ 32·p, products are at most 0.55·p.

use num_bigint::BigUint;

use super::digits::{BITS, HALF, Loose, MASK, Normal};
use super::lanes::*;
use crate::cpu::portable::residues::{minus, plus, words};
use crate::curve::inverse_of_odd;

/// Rows of the longest factor, and of the zeros after it.
const ROWS: usize = 17;

/// A factor. Row m has digits 2m and 2m − 1, then 2m + 1 and 2m.
type Rows = [[V; 2]; ROWS];

/// Working memory of products, kept from one to the next: engines clear and copy memory by a call.
pub(super) struct Work<const H: usize> {
    rows: Rows,
    q: [V; H],
    /// Upper half of the product: [`HALF`] added to every column, carries not propagated.
    columns: [[V; 2]; H],
}

impl<const H: usize> Default for Work<H> {
    fn default() -> Self {
        let zero = splat(0);
        Self { rows: [[zero; 2]; ROWS], q: [zero; H], columns: [[zero; 2]; H] }
    }
}

/// A prime field of N words.
pub(super) struct Field<const N: usize, const H: usize> {
    modulus: [u64; N],
    /// p, as signed digits.
    p: Normal<H>,
    /// The rows of p, and zeros.
    rows: Rows,
    /// −p⁻¹ mod 2^13
    negative_inverse: V,
    /// 2^(13·j)/p for the last three digits.
    top: [f32; 3],
    /// R mod p: one.
    pub one: Normal<H>,
    /// 1, which takes R out of a product.
    unit: Normal<H>,
}

/// Lays out a factor. Rows after it stay zeros.
#[inline(always)]
fn fill<const H: usize>(rows: &mut Rows, b: &Normal<H>) {
    let mut before = splat(0);
    for (row, &pair) in rows.iter_mut().zip(&b.0) {
        *row = [blend_digits(pair, before), swap_digits(pair)];
        before = pair;
    }
    rows[H][0] = blend_digits(splat(0), before);
}

/// A digit of q for a column, in the low digits.
#[inline(always)]
fn quotient(column: V, negative_inverse: V) -> V {
    let product = dot(and(column, splat(MASK)), negative_inverse);
    sub(and(add(product, splat(HALF)), splat(MASK)), splat(HALF))
}

/// Adds to four columns the products of a pair with a row or, for the last two columns, with the
/// next row.
#[inline(always)]
fn add_pair([c0, c1, c2, c3]: [V; 4], a: V, row: [V; 2], next: [V; 2]) -> [V; 4] {
    [
        add(c0, dot(a, row[0])),
        add(c1, dot(a, row[1])),
        add(c2, dot(a, next[0])),
        add(c3, dot(a, next[1])),
    ]
}

/// Adds to four columns the products of pair i of `a`, an even number of pairs, with row n − i of
/// `rows` or, for the last two columns, n + 1 − i. The rows are those of the last pair to the
/// first, and one more.
///
/// Two pairs at a time, and a call for each factor: with four pairs, or both factors in one loop,
/// engines run out of registers (`docs/benchmarks/data/wasm-products.txt`).
#[inline(always)]
fn add_products(mut columns: [V; 4], a: &[V], rows: &[[V; 2]]) -> [V; 4] {
    let [rows @ .., next] = rows else { return columns };
    let mut next = *next;
    for (a, rows) in a.chunks_exact(2).zip(rows.rchunks_exact(2)) {
        let (&[a0, a1], &[second, first]) = (a, rows) else { break };
        columns = add_pair(columns, a0, first, next);
        columns = add_pair(columns, a1, second, first);
        next = second;
    }
    columns
}

/// Two digits of q for two columns, and the carry to the next one.
#[inline(always)]
fn reduce([mut c0, mut c1]: [V; 2], p: &Rows, negative_inverse: V) -> (V, V) {
    let q0 = quotient(c0, negative_inverse);
    c0 = add(c0, dot(q0, p[0][0]));
    let q0 = and(q0, splat(0xffff));
    c1 = add(add(c1, dot(q0, p[0][1])), right::<BITS>(c0));
    let q1 = quotient(c1, negative_inverse);
    c1 = add(c1, dot(q1, p[0][0]));
    (or(q0, left::<16>(q1)), right::<BITS>(c1))
}

impl<const H: usize> Work<H> {
    /// The product, carries propagated. The last digit keeps its sign.
    #[inline(always)]
    pub(super) fn normal(&self, out: &mut Normal<H>) {
        let mut carry = splat(0);
        for (out, [even, odd]) in out.0.iter_mut().zip(&self.columns) {
            let even = add(*even, carry);
            let odd = add(*odd, right::<BITS>(even));
            carry = right::<BITS>(odd);
            let digits = or(and(even, splat(MASK)), left::<16>(and(odd, splat(MASK))));
            *out = sub16(digits, splat(HALF | HALF << 16));
        }
        out.0[H - 1] = add(out.0[H - 1], left::<{ 16 + BITS }>(carry));
    }
}

impl<const N: usize, const H: usize> Field<N, H> {
    pub(super) fn new(p: &BigUint) -> Self {
        let digits = 2 * H as u32;
        let modulus = words(p);
        let power = |bits: u32| Self::shifted(&BigUint::from(1u32), bits as usize, p);
        let own = Self::digits_of(p);
        let mut rows = [[splat(0); 2]; ROWS];
        fill(&mut rows, &own);
        // 60 bits of p: more than three digits and an f32 hold.
        let shift = BITS * (digits - 3);
        let scale = 1048576.0 / words::<1>(&((p << 20u32) >> shift))[0] as f32;
        let top = [2 * BITS, BITS, 0].map(|shift| scale * (1u64 << shift) as f32);
        Self {
            modulus,
            p: own,
            rows,
            negative_inverse: splat(inverse_of_odd(modulus[0]).wrapping_neg() as i32 & MASK),
            top,
            one: power(BITS * digits),
            unit: power(0),
        }
    }

    /// The element value·2^bits, in all lanes.
    pub(super) fn shifted(value: &BigUint, bits: usize, p: &BigUint) -> Normal<H> {
        let residue = (value << bits) % p;
        // The one of least absolute value.
        match &residue + &residue <= *p {
            true => Self::digits_of(&residue),
            false => Self::digits_of(&(p - residue)).negated_where(splat(-1)).carried(),
        }
    }

    fn digits_of(value: &BigUint) -> Normal<H> {
        let mut carry = 0;
        Normal::splat((0..2 * H as u32).map(|i| {
            let low = words::<1>(&(value >> (BITS * i)))[0] as i32 & MASK;
            let digit = low + carry;
            carry = i32::from(digit >= HALF);
            digit - (carry << BITS)
        }))
    }

    /// a·b/R, carries not propagated, in `work`.
    #[inline(never)]
    pub(super) fn product(&self, a: &[V; H], b: &Normal<H>, work: &mut Work<H>) {
        fill(&mut work.rows, b);
        let (b, p, q, zero) = (&work.rows, &self.rows, &mut work.q, splat(0));
        let mut carry = zero;
        for n in (0..H).step_by(2) {
            let columns = add_products([carry, zero, zero, zero], &a[..n], &b[1..n + 2]);
            let [mut c0, mut c1, mut c2, mut c3] = add_products(columns, &q[..n], &p[1..n + 2]);
            (c0, c1) = (add(c0, dot(a[n], b[0][0])), add(c1, dot(a[n], b[0][1])));
            (q[n], carry) = reduce([c0, c1], p, self.negative_inverse);
            if n + 1 < H {
                c2 = add(add(c2, dot(a[n], b[1][0])), dot(a[n + 1], b[0][0]));
                c3 = add(add(c3, dot(a[n], b[1][1])), dot(a[n + 1], b[0][1]));
                c2 = add(add(c2, dot(q[n], p[1][0])), carry);
                c3 = add(c3, dot(q[n], p[1][1]));
                (q[n + 1], carry) = reduce([c2, c3], p, self.negative_inverse);
            }
        }
        let half = splat(HALF);
        carry = add(carry, half);
        for n in (0..H).step_by(2) {
            // Row H has one digit, in its first vector: the pair that meets it adds to one column.
            let first = n + H % 2;
            if H % 2 == 1 {
                carry = add(carry, add(dot(a[n], b[H][0]), dot(q[n], p[H][0])));
            }
            let rows = n + 1..H + 2 - H % 2;
            let columns = add_products([carry, half, half, half], &a[first..], &b[rows.clone()]);
            let [c0, c1, c2, c3] = add_products(columns, &q[first..], &p[rows]);
            work.columns[n] = [c0, c1];
            if n + 1 < H {
                work.columns[n + 1] = [c2, c3];
            }
            carry = half;
        }
    }

    /// a·b/R
    #[inline(always)]
    pub(super) fn mul(&self, a: &[V; H], b: &Normal<H>, work: &mut Work<H>, out: &mut Normal<H>) {
        self.product(a, b, work);
        work.normal(out);
    }

    /// a·b/R, where time does not matter.
    pub(super) fn single(&self, a: &[V; H], b: &Normal<H>) -> Normal<H> {
        let mut out = Normal([splat(0); H]);
        self.mul(a, b, &mut Work::default(), &mut out);
        out
    }

    /// The product in `work` minus a number of digits of at most 2^14, plus the multiple of p that
    /// makes its absolute value the least, up to an error of a hundredth of p.
    #[inline(always)]
    pub(super) fn minus(&self, work: &mut Work<H>, number: &[V; H], out: &mut Normal<H>) {
        let half = splat(HALF);
        let (low, high) = (|pair: V| dot(pair, splat(1)), |pair: V| right::<16>(pair));
        let ([c1, c0], first) = (work.columns[H - 1], number[H - 1]);
        let (c2, second) = (work.columns[H - 2][1], number[H - 2]);
        let top = [
            sub(sub(c0, half), high(first)),
            sub(sub(c1, half), low(first)),
            sub(sub(c2, half), high(second)),
        ];
        let multiple = and(rounded_sum(top, self.top), splat(0xffff));
        let multiple = or(multiple, left::<16>(multiple));
        for ((columns, number), p) in work.columns.iter_mut().zip(number).zip(&self.p.0) {
            let number = add16(*number, multiply16(*p, multiple));
            *columns = [sub(columns[0], low(number)), sub(columns[1], high(number))];
        }
        work.normal(out);
    }

    /// Lanes of zeros modulo p, as all ones.
    pub(super) fn is_zero(&self, a: &Loose<H>) -> V {
        let reduced = self.single(&a.0, &self.unit);
        let digits = reduced.0.iter().fold(splat(0), |any, digits| or(any, *digits));
        equal(digits, splat(0))
    }

    /// The residue from 0 to p − 1 of one lane.
    pub(super) fn residue(&self, a: &Normal<H>, lane: usize) -> [u64; N] {
        let mut words = [0u64; N];
        let mut sign = 0i64;
        for digit in a.lane(lane).into_iter().flatten().rev() {
            // 2^13·words + digit, two's complement.
            let mut carry = i128::from(digit);
            for word in &mut words {
                let sum = (i128::from(*word) << BITS) + carry;
                (*word, carry) = (sum as u64, sum >> 64);
            }
            sign = (sign << BITS) + carry as i64;
        }
        if sign < 0 {
            (words, _) = plus(&words, &self.modulus, false);
        }
        match minus(&words, &self.modulus, false) {
            (reduced, false) => reduced,
            (_, true) => words,
        }
    }
}

impl<const H: usize> Normal<H> {
    /// The same value with the carries of digits of up to 2^13 propagated.
    fn carried(&self) -> Self {
        let half = splat(HALF);
        let columns = |pair| [add(dot(pair, splat(1)), half), add(right::<16>(pair), half)];
        let mut out = *self;
        Work { columns: self.0.map(columns), ..Work::default() }.normal(&mut out);
        out
    }
}

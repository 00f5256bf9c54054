//! Inversion modulo an odd prime by division steps: D. J. Bernstein and B.-Y. Yang, *Fast
//! constant-time gcd computation and modular inversion*, 2019, with P. Wuille's variable-time
//! variant, which halves the work.
//!
//! A division step maps (f, g), f odd, to (g, (g − f)/2) or (f, (g + f)/2) or (f, g/2), and depends
//! on the lowest bits only.
//!
//! 1. Decide 62 steps on the lowest words and collect them in a matrix.
//! 2. Apply the matrix to the full f and g, and to (d, e) modulo m.
//! 3. Repeat. From f = m, g = x, d = 0, e = 1 the steps end at f = ±1, g = 0, d = ±1/x.

use crate::curve::inverse_of_odd;

const BITS: u32 = 62;
const MASK: u64 = (1 << BITS) - 1;

/// A signed number: limbs of 62 bits; the last has the sign.
type Number<const K: usize> = [i64; K];

/// 62 division steps: 2^62·(f', g') = ((u, v), (q, r))·(f, g).
struct Steps {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// Inversion modulo an odd prime, by the number of its words.
pub(super) enum Inverter {
    Four(Modulus<5>),
    Six(Modulus<7>),
    Twelve(Modulus<13>),
}

impl Inverter {
    /// For an odd modulus of at most twelve 64-bit words.
    pub(super) fn new(modulus: &[u64]) -> Self {
        match modulus.len() {
            ..=4 => Self::Four(Modulus::new(modulus)),
            5..=6 => Self::Six(Modulus::new(modulus)),
            _ => Self::Twelve(Modulus::new(modulus)),
        }
    }

    /// 1/x for x below the modulus, 0 for 0, in place.
    pub(super) fn invert(&self, x: &mut [u64]) {
        match self {
            Self::Four(modulus) => modulus.invert(x),
            Self::Six(modulus) => modulus.invert(x),
            Self::Twelve(modulus) => modulus.invert(x),
        }
    }
}

/// A modulus of fewer than 62·K − 1 bits.
pub(super) struct Modulus<const K: usize> {
    modulus: Number<K>,
    /// 1/m modulo 2^62.
    inverse: u64,
}

impl<const K: usize> Modulus<K> {
    fn new(modulus: &[u64]) -> Self {
        Self { modulus: from_words(modulus), inverse: inverse_of_odd(modulus[0]) & MASK }
    }

    fn invert(&self, x: &mut [u64]) {
        let (mut f, mut g) = (self.modulus, from_words::<K>(x));
        let (mut d, mut e) = ([0; K], [0; K]);
        e[0] = 1;
        let mut eta = -1;
        while g.iter().any(|&limb| limb != 0) {
            let steps;
            (eta, steps) = decide(eta, f[0] as u64, g[0] as u64);
            apply(&steps, &mut f, &mut g);
            self.apply_modulo(&steps, &mut d, &mut e);
        }
        self.reduce(&mut d, f[K - 1] < 0);
        to_words(&d, x);
    }

    /// Applies the steps to (d, e) modulo m; both stay between −2m and m.
    fn apply_modulo(&self, steps: &Steps, d: &mut Number<K>, e: &mut Number<K>) {
        let &Steps { u, v, q, r } = steps;
        let m = &self.modulus;
        // Multiples of m: for negative d or e, and then as many as make the lowest limb zero.
        let (sign_d, sign_e) = (d[K - 1] >> 63, e[K - 1] >> 63);
        let mut multiple_d = (u & sign_d) + (v & sign_e);
        let mut multiple_e = (q & sign_d) + (r & sign_e);
        let mut sum_d = product(u, d[0]) + product(v, e[0]);
        let mut sum_e = product(q, d[0]) + product(r, e[0]);
        let missing = |sum: i128, multiple: i64| {
            (self.inverse.wrapping_mul(sum as u64).wrapping_add(multiple as u64) & MASK) as i64
        };
        multiple_d -= missing(sum_d, multiple_d);
        multiple_e -= missing(sum_e, multiple_e);
        sum_d = (sum_d + product(m[0], multiple_d)) >> BITS;
        sum_e = (sum_e + product(m[0], multiple_e)) >> BITS;
        for i in 1..K {
            sum_d += product(u, d[i]) + product(v, e[i]) + product(m[i], multiple_d);
            sum_e += product(q, d[i]) + product(r, e[i]) + product(m[i], multiple_e);
            d[i - 1] = (sum_d as u64 & MASK) as i64;
            e[i - 1] = (sum_e as u64 & MASK) as i64;
            sum_d >>= BITS;
            sum_e >>= BITS;
        }
        d[K - 1] = sum_d as i64;
        e[K - 1] = sum_e as i64;
    }

    /// Reduces ±d from the range −2m to m to 0 … m − 1.
    fn reduce(&self, d: &mut Number<K>, negate: bool) {
        let add_modulus = |d: &mut Number<K>| {
            for (limb, m) in d.iter_mut().zip(&self.modulus) {
                *limb += m;
            }
            carry(d);
        };
        if d[K - 1] < 0 {
            add_modulus(d);
        }
        if negate {
            for limb in d.iter_mut() {
                *limb = -*limb;
            }
            carry(d);
        }
        if d[K - 1] < 0 {
            add_modulus(d);
        }
    }
}

fn product(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

/// Decides 62 steps. `eta` is −δ of the paper.
fn decide(mut eta: i32, mut f: u64, mut g: u64) -> (i32, Steps) {
    let (mut u, mut v, mut q, mut r) = (1u64, 0u64, 0u64, 1u64);
    let mut left = BITS;
    loop {
        // Halve g as often as it is even.
        let zeros = (g | u64::MAX << left).trailing_zeros();
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        eta -= zeros as i32;
        left -= zeros;
        if left == 0 {
            break;
        }
        if eta < 0 {
            eta = -eta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, u.wrapping_neg());
            (v, r) = (r, v.wrapping_neg());
        }
        // The multiple of f that clears the lowest bits of g, up to the next swap: −g/f modulo a
        // power of two of at most 2^6, modulo which 1/f = f·(2 − f²).
        let bits = (eta + 1).min(left as i32).min(6);
        let mask = (1u64 << bits) - 1;
        let w = f.wrapping_mul(g).wrapping_mul(f.wrapping_mul(f).wrapping_sub(2)) & mask;
        g = g.wrapping_add(f.wrapping_mul(w));
        q = q.wrapping_add(u.wrapping_mul(w));
        r = r.wrapping_add(v.wrapping_mul(w));
    }
    (eta, Steps { u: u as i64, v: v as i64, q: q as i64, r: r as i64 })
}

/// Applies the steps to (f, g); the division by 2^62 is exact.
fn apply<const K: usize>(steps: &Steps, f: &mut Number<K>, g: &mut Number<K>) {
    let &Steps { u, v, q, r } = steps;
    let mut sum_f = (product(u, f[0]) + product(v, g[0])) >> BITS;
    let mut sum_g = (product(q, f[0]) + product(r, g[0])) >> BITS;
    for i in 1..K {
        sum_f += product(u, f[i]) + product(v, g[i]);
        sum_g += product(q, f[i]) + product(r, g[i]);
        f[i - 1] = (sum_f as u64 & MASK) as i64;
        g[i - 1] = (sum_g as u64 & MASK) as i64;
        sum_f >>= BITS;
        sum_g >>= BITS;
    }
    f[K - 1] = sum_f as i64;
    g[K - 1] = sum_g as i64;
}

/// Propagates carries, so that all limbs but the last are below 2^62.
fn carry<const K: usize>(d: &mut Number<K>) {
    for i in 0..K - 1 {
        d[i + 1] += d[i] >> BITS;
        d[i] &= MASK as i64;
    }
}

fn from_words<const K: usize>(words: &[u64]) -> Number<K> {
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    std::array::from_fn(|i| {
        let (at, shift) = (BITS as usize * i / 64, BITS as usize * i % 64);
        ((word(at) >> shift | (word(at + 1) << 1) << (63 - shift)) & MASK) as i64
    })
}

fn to_words<const K: usize>(number: &Number<K>, words: &mut [u64]) {
    words.fill(0);
    for (i, &limb) in number.iter().enumerate() {
        let (at, shift) = (BITS as usize * i / 64, BITS as usize * i % 64);
        let value = u128::from(limb as u64) << shift;
        for (word, part) in words.iter_mut().skip(at).zip([value as u64, (value >> 64) as u64]) {
            *word |= part;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_std::rand::RngCore;
    use num_bigint::BigUint;

    /// x·x⁻¹ = 1, for edge cases and random numbers.
    fn check<const K: usize>(modulus: &str) {
        let m = BigUint::parse_bytes(modulus.as_bytes(), 16).expect("a hexadecimal number");
        let words = m.to_u64_digits();
        let inverter = Modulus::<K>::new(&words);
        let mut rng = ark_std::test_rng();
        let one = BigUint::from(1u32);
        let mut values: Vec<BigUint> = (1..40u32).map(BigUint::from).collect();
        values.extend((1..40u32).map(|k| &m - BigUint::from(k) % &m));
        values.extend((0..m.bits()).flat_map(|bit| [&one << bit, (&one << bit) - 1u32]));
        values.extend((0..2000).map(|_| {
            BigUint::from_slice(&std::array::from_fn::<_, 26, _>(|_| rng.next_u32())) % &m
        }));
        for x in values.into_iter().map(|x| x % &m).filter(|x| x.bits() > 0) {
            let mut inverse = x.to_u64_digits();
            inverse.resize(words.len(), 0);
            inverter.invert(&mut inverse);
            let inverse =
                inverse.iter().rev().fold(BigUint::ZERO, |sum, &word| (sum << 64u32) + word);
            assert!(inverse < m);
            assert_eq!(inverse * &x % &m, one, "1/{x} mod {m}");
        }
        let mut zero = vec![0; words.len()];
        inverter.invert(&mut zero);
        assert!(zero.iter().all(|&word| word == 0));
    }

    #[test]
    fn inverses_of_the_borders_and_of_random_numbers() {
        // 7, BN254, secp256k1, BLS12-381, and 2^768 − 825, the largest prime of twelve words.
        check::<5>("7");
        check::<5>("30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
        check::<5>("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f");
        check::<7>(concat!(
            "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f624",
            "1eabfffeb153ffffb9feffffffffaaab",
        ));
        check::<13>(&format!("{}cc7", "f".repeat(189)));
    }
}

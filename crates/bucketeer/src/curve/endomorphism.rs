//! The GLV endomorphism of curves `y² = x³ + b`, and the decomposition of scalars along it.
//!
//! If β is a cube root of unity in the base field, φ(x, y) = (β·x, y) maps the curve to itself. On
//! the subgroup of order r it is multiplication by a cube root of unity λ mod r. A scalar k is then
//! k₁ + λ·k₂ with |k₁|, |k₂| ≈ √r, so that k·P = k₁·P + k₂·φ(P): half as many windows over twice as
//! many points (Gallant, Lambert, Vanstone 2001). φ(P) costs 1M.
//!
//! Both roots are found by exponentiation and matched on the generator, so every such curve gets
//! its endomorphism, named or not. Scalars are split with a reduced basis v₁, v₂ of the lattice
//! `{(x, y) : x + λ·y ≡ 0 mod r}`: (k₁, k₂) = (k, 0) − c₁·v₁ − c₂·v₂, where cᵢ are the rounded
//! rational coordinates, computed as `(k·gᵢ) >> shift` with gᵢ precomputed.

use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, Field, PrimeField};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::{Curve, Model, residue};

/// φ(x, y) = (β·x, y) = λ·(x, y), with a short basis of its lattice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endomorphism {
    /// Cube root of unity in the prime field.
    pub beta: BigUint,
    /// The matching cube root of unity modulo the group order.
    pub lambda: BigUint,
    /// Two short vectors (x, y) with x + λ·y ≡ 0 modulo the order.
    pub basis: [[BigInt; 2]; 2],
    /// Bits that suffice for |k₁| and |k₂|.
    pub bits: u32,
    splitter: Splitter,
}

pub(super) fn find<C: Curve>() -> Option<Endomorphism> {
    let Model::ShortWeierstrass { a, .. } = C::model() else { return None };
    if a != C::BaseField::ZERO || C::ScalarField::MODULUS_BIT_SIZE > 64 * MAX_WORDS as u32 {
        return None;
    }
    let beta = cube_root_of_unity::<<C::BaseField as Field>::BasePrimeField>()?;
    let lambda = cube_root_of_unity::<C::ScalarField>()?;
    let generator = C::GENERATOR;
    let (x, y) = generator.xy()?;
    let image = (generator * lambda).into_affine().xy()?;
    let beta = [beta, beta.square()]
        .into_iter()
        .find(|root| image == (x.mul_by_base_prime_field(root), y))?;
    Some(Endomorphism::new(beta.into(), lambda.into(), C::ScalarField::MODULUS.into()))
}

fn cube_root_of_unity<F: PrimeField>() -> Option<F> {
    let (exponent, rest) = (F::MODULUS.into() - 1u32).div_rem(&BigUint::from(3u32));
    rest.is_zero().then_some(())?;
    let digits = exponent.to_u64_digits();
    (2..100).map(|base| residue::<F>(base).pow(&digits)).find(|root| *root != F::ONE)
}

impl Endomorphism {
    fn new(beta: BigUint, lambda: BigUint, order: BigUint) -> Self {
        let basis = short_basis(&order, &lambda);
        let norm = |i: usize| basis[0][i].abs() + basis[1][i].abs();
        let bits = norm(0).max(norm(1)).bits() as u32;
        let splitter = Splitter::new(&order, &basis, bits);
        Self { beta, lambda, basis, bits, splitter }
    }

    /// Splits scalars along the endomorphism.
    pub(crate) fn splitter(&self) -> &Splitter {
        &self.splitter
    }
}

/// Two short vectors from the remainders of Euclid's algorithm on (r, λ) around √r.
fn short_basis(order: &BigUint, lambda: &BigUint) -> [[BigInt; 2]; 2] {
    let root = BigInt::from(order.sqrt());
    // Rows (remainder, t) with remainder ≡ t·λ, so (remainder, −t) is in the lattice.
    let mut rows = vec![
        [BigInt::from(order.clone()), BigInt::zero()],
        [BigInt::from(lambda.clone()), BigInt::one()],
    ];
    while rows[rows.len() - 2][0] >= root {
        let [before, last] = [&rows[rows.len() - 2], &rows[rows.len() - 1]];
        if last[0].is_zero() {
            break;
        }
        let quotient = &before[0] / &last[0];
        rows.push([&before[0] - &quotient * &last[0], &before[1] - &quotient * &last[1]]);
    }
    let vector = |row: &[BigInt; 2]| [row[0].clone(), -&row[1]];
    let length = |v: &[BigInt; 2]| v[0].abs().max(v[1].abs());
    let n = rows.len();
    let (first, candidates) = (vector(&rows[n - 2]), [vector(&rows[n - 3]), vector(&rows[n - 1])]);
    let second = candidates.into_iter().min_by_key(length).expect("two candidates");
    [first, second]
}

/// Longest scalar, in words, that can be split. Curves of a longer order do not use the
/// endomorphism.
pub(crate) const MAX_WORDS: usize = 8;
const MAX_HALF: usize = MAX_WORDS / 2 + 1;

/// A signed integer of at most `MAX_HALF` words.
type Half = (bool, [u64; MAX_HALF]);

/// Splits scalars with fixed-width arithmetic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splitter {
    /// `2^shift·|coordinate multiplier|/r` and its sign, for c₁ and c₂.
    multipliers: [Half; 2],
    basis: [[Half; 2]; 2],
    shift: u32,
    /// Words of a scalar, and of a multiplier or a half with its sign.
    words: (usize, usize),
}

impl Splitter {
    fn new(order: &BigUint, basis: &[[BigInt; 2]; 2], bits: u32) -> Self {
        let words = order.bits().div_ceil(64) as usize;
        let order = BigInt::from(order.clone());
        let [v1, v2] = basis;
        let determinant = &v1[0] * &v2[1] - &v1[1] * &v2[0];
        // Cramer: (k, 0) = c₁·v₁ + c₂·v₂ has c₁ = k·v₂.y/det and c₂ = −k·v₁.y/det, det = ±r.
        let flip = determinant.is_negative();
        debug_assert_eq!(determinant.abs(), order);
        let shift = 64 * words as u32 + 2;
        let half = |negative: bool, magnitude: &BigUint| {
            let mut out = [0; MAX_HALF];
            let digits = magnitude.to_u64_digits();
            out[..digits.len()].copy_from_slice(&digits);
            (negative, out)
        };
        let multiplier = |y: BigInt| {
            let scaled: BigInt = (y.abs() << shift) / &order;
            half(y.is_negative() != flip, scaled.magnitude())
        };
        let multipliers = [multiplier(v2[1].clone()), multiplier(-&v1[1])];
        let longest = multipliers.iter().map(|(_, g)| MAX_HALF - trailing_zeros(g)).max();
        // A half and its sign.
        let half_words = (bits as usize + 1).div_ceil(64).max(longest.unwrap_or(0));
        let vector = |v: &[BigInt; 2]| [0, 1].map(|i| half(v[i].is_negative(), v[i].magnitude()));
        Self { multipliers, basis: [vector(v1), vector(v2)], shift, words: (words, half_words) }
    }

    /// `k` below the group order → (k₁, k₂), each as sign and magnitude.
    pub(crate) fn split(&self, k: &[u64]) -> [Half; 2] {
        // Loops of constant length take a fifth of the time.
        match self.words {
            (4, ..=3) => self.split_in::<4, 3>(k),
            (6, ..=4) => self.split_in::<6, 4>(k),
            _ => self.split_in::<MAX_WORDS, MAX_HALF>(k),
        }
    }

    /// For scalars of K words, multipliers and halves of H.
    #[inline(always)]
    fn split_in<const K: usize, const H: usize>(&self, k: &[u64]) -> [Half; 2] {
        let scalar: [u64; K] = std::array::from_fn(|i| k.get(i).copied().unwrap_or(0));
        let narrow = |wide: &[u64; MAX_HALF]| -> [u64; H] { std::array::from_fn(|i| wide[i]) };
        let c = [0, 1].map(|i| {
            let (negative, g) = &self.multipliers[i];
            (*negative, rounded_product::<K, H>(&scalar, &narrow(g), self.shift))
        });
        // All sums are exact modulo 2^(64·H), and |kᵢ| < 2^(64·H − 1) by `bits`.
        [0, 1].map(|coordinate| {
            let mut sum = [0; H];
            if coordinate == 0 {
                let used = H.min(K);
                sum[..used].copy_from_slice(&scalar[..used]);
            }
            for ((flipped, c), vector) in c.iter().zip(&self.basis) {
                let (negative, v) = &vector[coordinate];
                let product = wrapping_mul(c, &narrow(v));
                if flipped == negative {
                    wrapping_sub(&mut sum, &product);
                } else {
                    wrapping_add(&mut sum, &product);
                }
            }
            let negative = sum[H - 1] >> 63 == 1;
            // Branch-free: half of all halves are negative, so a branch would be mispredicted.
            let mask = u64::from(negative).wrapping_neg();
            let mut carry = negative;
            let mut out = [0; MAX_HALF];
            for (out, word) in out.iter_mut().zip(sum) {
                (*out, carry) = (word ^ mask).overflowing_add(u64::from(carry));
            }
            (negative, out)
        })
    }
}

fn trailing_zeros(words: &[u64]) -> usize {
    words.iter().rev().take_while(|word| **word == 0).count()
}

/// `(k·g + 2^(shift−1)) >> shift`
#[inline(always)]
fn rounded_product<const K: usize, const H: usize>(
    k: &[u64; K],
    g: &[u64; H],
    shift: u32,
) -> [u64; H] {
    let mut product = [0u64; MAX_WORDS + MAX_HALF + 1];
    let bit = shift - 1;
    product[(bit / 64) as usize] = 1 << (bit % 64);
    for i in 0..K {
        let mut carry = 0u128;
        for j in 0..H {
            let t = u128::from(k[i]) * u128::from(g[j]) + u128::from(product[i + j]) + carry;
            product[i + j] = t as u64;
            carry = t >> 64;
        }
        // The word above holds at most the rounding bit, so at most one more carry follows.
        let (sum, carried) = product[i + H].overflowing_add(carry as u64);
        product[i + H] = sum;
        product[i + H + 1] += u64::from(carried);
    }
    let (skip, bits) = ((shift / 64) as usize, shift % 64);
    std::array::from_fn(|i| {
        let low = product.get(skip + i).copied().unwrap_or(0);
        let high = product.get(skip + i + 1).copied().unwrap_or(0);
        low >> bits | (high << 1) << (63 - bits)
    })
}

#[inline(always)]
fn wrapping_mul<const H: usize>(a: &[u64; H], b: &[u64; H]) -> [u64; H] {
    let mut out = [0u64; H];
    for i in 0..H {
        let mut carry = 0u128;
        for j in 0..H - i {
            let t = u128::from(a[i]) * u128::from(b[j]) + u128::from(out[i + j]) + carry;
            out[i + j] = t as u64;
            carry = t >> 64;
        }
    }
    out
}

#[inline(always)]
fn wrapping_add<const H: usize>(a: &mut [u64; H], b: &[u64; H]) {
    let mut carry = false;
    for (x, &y) in a.iter_mut().zip(b) {
        let (sum, c1) = x.overflowing_add(y);
        let (sum, c2) = sum.overflowing_add(u64::from(carry));
        (*x, carry) = (sum, c1 | c2);
    }
}

#[inline(always)]
fn wrapping_sub<const H: usize>(a: &mut [u64; H], b: &[u64; H]) {
    let mut borrow = false;
    for (x, &y) in a.iter_mut().zip(b) {
        let (difference, b1) = x.overflowing_sub(y);
        let (difference, b2) = difference.overflowing_sub(u64::from(borrow));
        (*x, borrow) = (difference, b1 | b2);
    }
}

#[cfg(all(test, feature = "curves"))]
mod tests {
    use super::*;
    use crate::CurveSpec;
    use ark_ff::BigInteger;
    use ark_std::{UniformRand, test_rng};

    /// k₁ + λ·k₂ = k and both halves respect their bound, for random and extreme k.
    fn check<C: Curve>() {
        let spec = CurveSpec::of::<C>();
        let e = spec.endomorphism.as_ref().expect("the curve has a = 0");
        let splitter = e.splitter();
        let lambda = C::ScalarField::from(e.lambda.clone());
        let mut scalars = vec![C::ScalarField::ZERO, C::ScalarField::ONE, -C::ScalarField::ONE];
        scalars.extend([lambda, -lambda, lambda + C::ScalarField::ONE]);
        let mut rng = test_rng();
        scalars.extend((0..2000).map(|_| C::ScalarField::rand(&mut rng)));
        for k in scalars {
            let halves = splitter.split(k.into_bigint().as_ref());
            let [k1, k2] = halves.map(|(negative, words)| {
                let magnitude = BigUint::from_bytes_le(
                    &words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>(),
                );
                assert!(magnitude.bits() as u32 <= e.bits, "{} > {}", magnitude.bits(), e.bits);
                let value = C::ScalarField::from(magnitude);
                if negative { -value } else { value }
            });
            assert_eq!(k1 + lambda * k2, k);
        }
        let half = C::ScalarField::MODULUS.num_bits().div_ceil(2);
        assert!(e.bits <= half + 2, "{} bits per half of {half}", e.bits);
    }

    #[test]
    fn halves_recompose_and_keep_their_bound() {
        check::<ark_bls12_377::G1Affine>();
        check::<ark_bls12_377::G2Affine>();
        check::<ark_bls12_381::G1Affine>();
        check::<ark_bls12_381::G2Affine>();
        check::<ark_bn254::G1Affine>();
        check::<ark_bn254::G2Affine>();
        check::<ark_bw6_761::G1Affine>();
        check::<ark_bw6_761::G2Affine>();
        check::<ark_pallas::Affine>();
        check::<ark_vesta::Affine>();
        check::<ark_grumpkin::Affine>();
        check::<ark_secp256k1::Affine>();
    }
}

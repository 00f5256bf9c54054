//! Scalars of a verification: coefficients ρ, masks t, and s = t + Σ ρ·k.
//!
//! All is modulo the order r of the subgroup, or with `any_point` of the whole curve: such integers
//! may stand for each other as factors of its points. ρ has 128 bits and is coprime to that order.
//! Where r has fewer bits than the bound needs, a verification has several rounds, each with masks
//! of its own: a round misses with probability at most 1/(r − 1) ≤ 2^(1 − bits of r).

use std::ops::Range;

use ark_ff::PrimeField;
use ark_std::rand::{RngCore, SeedableRng};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::One;
use rand_chacha::ChaCha20Rng;

use crate::curve::{WordField, residue};
use crate::platform::random_seed;
use crate::scalars::{Data, MAX_SCALAR_BITS, MAX_WORDS, ScalarSource};
use crate::vectors::try_collect;
use crate::{AsScalars, CurveSpec, Error, Scalars, parallel};

/// Scalars that a thread makes at a time; masks of a block come from a stream of their own.
pub(super) const BLOCK: usize = 1 << 10;

/// −log₂ of the probability to miss a wrong sum.
const BOUND: u32 = 64;

/// What masks are drawn from.
pub(crate) type Seed = [u8; 32];

/// Integers modulo the order of the points.
pub(crate) struct Ring {
    order: BigUint,
    /// Whether that is the order of the scalar field.
    prime: bool,
    rounds: u32,
}

/// Scalars of an MSM, of which the first belongs to the base at this place.
pub(crate) struct Term<'a, F> {
    pub(crate) coefficient: u128,
    pub(crate) scalars: Scalars<'a, F>,
    pub(crate) first: usize,
}

/// Combined scalars.
pub(crate) enum Combined<F> {
    Residues(Vec<F>),
    Integers { words: Vec<u64>, each: usize, bits: u32 },
}

impl<F> AsScalars<F> for Combined<F> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        match self {
            Self::Residues(residues) => Scalars::residues(residues),
            Self::Integers { words, each, bits } => Scalars::words(words, *each).with_bits(*bits),
        }
    }
}

impl Ring {
    pub(crate) fn new(curve: &CurveSpec, any_point: bool) -> Result<Self, Error> {
        let order = if any_point { &curve.order * &curve.cofactor } else { curve.order.clone() };
        let refuse = |reason: &str| {
            let (setting, value, reason) = ("verify", "true".into(), reason.into());
            Err(Error::InvalidSetting { setting, value, reason })
        };
        if curve.order <= 2u32.into() {
            return refuse("the group has no more than two points");
        }
        if order.bits() > MAX_SCALAR_BITS.into() {
            return refuse("the order of the whole curve exceeds the longest scalars");
        }
        let rounds = BOUND.div_ceil(curve.scalar_bits() - 1);
        Ok(Self { prime: order == curve.order, order, rounds })
    }

    /// Masks and anchors that a verification needs.
    pub(super) fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Coefficients for `count` sums.
    pub(crate) fn coefficients(&self, count: usize) -> Vec<u128> {
        let mut rng = ChaCha20Rng::from_seed(random_seed());
        let draw = |_| {
            loop {
                let k = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
                if BigUint::from(k).gcd(&self.order).is_one() {
                    return k;
                }
            }
        };
        (0..count).map(draw).collect()
    }

    /// The scalars of the bases at some places, from a multiple of [`BLOCK`] on: their masks, if
    /// there are any, plus coefficients times scalars.
    pub(crate) fn combine<F: PrimeField + WordField>(
        &self,
        places: &Range<usize>,
        masks: Option<&Seed>,
        terms: &[Term<'_, F>],
    ) -> Result<Combined<F>, Error> {
        if self.prime {
            return Ok(Combined::Residues(residues(places, masks, terms)?));
        }
        let each = self.order.bits().div_ceil(64) as usize;
        let mut words = try_collect((0..places.len() * each).map(|_| 0))?;
        parallel::for_blocks(&mut words, BLOCK * each, |block, out| {
            let start = places.start + block * BLOCK;
            let mut masks = masks.map(|seed| stream(seed, start));
            for (index, out) in out.chunks_exact_mut(each).enumerate() {
                let mask = masks.as_mut().map(|rng| below(&self.order, rng)).unwrap_or_default();
                let mut total = BigInt::from(mask);
                for (coefficient, scalars, index) in terms_at(terms, start + index) {
                    total += BigInt::from(coefficient) * integer(scalars, index);
                }
                let (_, total) = total.mod_floor(&self.order.clone().into()).into_parts();
                out.iter_mut().zip(total.iter_u64_digits()).for_each(|(out, word)| *out = word);
            }
        });
        Ok(Combined::Integers { words, each, bits: self.order.bits() as u32 })
    }
}

/// The terms that have a scalar for a place: coefficient, scalars and index.
fn terms_at<'t, 's, F>(
    terms: &'t [Term<'s, F>],
    place: usize,
) -> impl Iterator<Item = (u128, &'t Scalars<'s, F>, usize)> {
    terms.iter().filter_map(move |Term { coefficient, scalars, first }| {
        let index = place.checked_sub(*first).filter(|index| *index < scalars.len())?;
        Some((*coefficient, scalars, index))
    })
}

/// The numbers that masks from a place on are made of.
fn stream(seed: &Seed, place: usize) -> ChaCha20Rng {
    let mut rng = ChaCha20Rng::from_seed(*seed);
    rng.set_stream((place / BLOCK) as u64);
    rng
}

/// The combined scalars, in the scalar field.
fn residues<F: PrimeField + WordField>(
    places: &Range<usize>,
    masks: Option<&Seed>,
    terms: &[Term<'_, F>],
) -> Result<Vec<F>, Error> {
    let word = residue::<F>(1 << 32).square();
    let of_integer = |k: u128| residue::<F>((k >> 64) as u64) * word + residue::<F>(k as u64);
    let coefficients: Vec<F> = terms.iter().map(|term| of_integer(term.coefficient)).collect();
    let mut out = try_collect((0..places.len()).map(|_| F::ZERO))?;
    parallel::for_blocks(&mut out, BLOCK, |block, out| {
        let start = places.start + block * BLOCK;
        if let Some(seed) = masks {
            let mut rng = stream(seed, start);
            out.fill_with(|| uniform(&mut rng, word));
        }
        for (Term { scalars, first, .. }, coefficient) in terms.iter().zip(&coefficients) {
            let own = *first..*first + scalars.len();
            let places = start.max(own.start)..(start + out.len()).min(own.end);
            for place in places {
                out[place - start] += *coefficient * value(scalars, place - first, word);
            }
        }
    });
    Ok(out)
}

/// A uniform residue; `word` is 2^64.
fn uniform<F: PrimeField>(rng: &mut ChaCha20Rng, word: F) -> F {
    if F::MODULUS.as_ref().last() != Some(&0) {
        return F::rand(rng);
    }
    // arkworks does not find random elements of a field with more words than its modulus needs.
    let value = below(&F::MODULUS.into(), rng);
    value.iter_u64_digits().rev().fold(F::ZERO, |sum, k| sum * word + residue::<F>(k))
}

/// A scalar as a residue; `word` is 2^64.
fn value<F: PrimeField + WordField>(scalars: &Scalars<'_, F>, index: usize, word: F) -> F {
    if let Data::Residues(residues) = scalars.data {
        let own = residues[index];
        return if own.is_reduced() { own } else { own.reduced() };
    }
    let (negative, words) = read(scalars, index);
    let used = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
    let value = words[..used].iter().rev().fold(F::ZERO, |sum, k| sum * word + residue::<F>(*k));
    if negative { -value } else { value }
}

/// A scalar as an integer.
fn integer<F: PrimeField>(scalars: &Scalars<'_, F>, index: usize) -> BigInt {
    let (negative, words) = read(scalars, index);
    let digits = words.iter().flat_map(|word| [*word as u32, (word >> 32) as u32]).collect();
    BigInt::from_biguint(if negative { Sign::Minus } else { Sign::Plus }, BigUint::new(digits))
}

/// The sign of a scalar and its absolute value. The run before has refused scalars beyond their
/// bounds.
fn read<F: PrimeField>(scalars: &Scalars<'_, F>, index: usize) -> (bool, [u64; MAX_WORDS]) {
    let mut words = [0; MAX_WORDS];
    let negative = scalars.read(index, &mut words).unwrap_or_default();
    (negative, words)
}

/// A uniform integer below a bound.
fn below(bound: &BigUint, rng: &mut impl RngCore) -> BigUint {
    let mut bytes = vec![0; bound.bits().div_ceil(8) as usize];
    let unused = 8 * bytes.len() as u64 - bound.bits();
    loop {
        rng.fill_bytes(&mut bytes);
        if let Some(last) = bytes.last_mut() {
            *last >>= unused;
        }
        let value = BigUint::from_bytes_le(&bytes);
        if value < *bound {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use ark_bls12_381::{Fr, G1Affine};

    use super::*;
    use crate::random::Distribution;

    fn integers(combined: &Combined<Fr>) -> Vec<BigUint> {
        match combined {
            Combined::Residues(residues) => residues.iter().map(|k| (*k).into()).collect(),
            Combined::Integers { words, each, .. } => {
                let digits = |words: &[u64]| {
                    words.iter().rev().fold(BigUint::ZERO, |sum, word| (sum << 64) + word)
                };
                words.chunks_exact(*each).map(digits).collect()
            }
        }
    }

    /// Every kind of scalars, at places of their own, modulo the order of the subgroup and of the
    /// whole curve; masks come on top, and are the same for any range.
    #[test]
    fn combinations_are_those_of_integers() {
        const N: usize = 2 * BLOCK + 7;
        let curve = CurveSpec::of::<G1Affine>();
        let residues: Vec<Fr> = Distribution::Uniform.scalars(N, 1);
        let signed: Vec<i128> =
            residues.iter().map(|k| k.into_bigint().0[0] as i64 as i128 * 5_000_000_007).collect();
        let words: Vec<[u64; 7]> = (0..N as u64).map(|k| [u64::MAX - k; 7]).collect();
        let values = |index: usize| {
            [
                BigInt::from(BigUint::from(residues[index])),
                BigInt::from(signed[index]),
                integer::<Fr>(&words.as_scalars(), index),
            ]
        };
        assert_eq!(values(0)[2], (BigInt::from(1) << 448) - 1);
        for any_point in [false, true] {
            let ring = Ring::new(&curve, any_point).unwrap();
            assert_eq!((ring.rounds(), ring.prime), (1, !any_point));
            let order = BigInt::from(ring.order.clone());
            let ranges = [0..N, BLOCK..2 * BLOCK + 3, 5..BLOCK + 1];
            let coefficients = ring.coefficients(3);
            let all = [residues.as_scalars(), signed.as_scalars(), words.as_scalars()];
            let terms: Vec<_> = (0..3)
                .map(|index| Term {
                    coefficient: coefficients[index],
                    scalars: all[index].slice(&ranges[index]),
                    first: ranges[index].start,
                })
                .collect();
            let seed = random_seed();
            let plain = integers(&ring.combine(&(0..N), None, &terms).expect("memory"));
            let masks = integers(&ring.combine(&(0..N), Some(&seed), &[]).expect("memory"));
            let masked = integers(&ring.combine(&(0..N), Some(&seed), &terms).expect("memory"));
            for place in 0..N {
                let own = (0..3).filter(|index| ranges[*index].contains(&place));
                let sum: BigInt =
                    own.map(|index| &values(place)[index] * coefficients[index]).sum();
                assert_eq!(BigInt::from(plain[place].clone()), sum.mod_floor(&order), "{place}");
                assert_eq!((&plain[place] + &masks[place]) % &ring.order, masked[place]);
            }
            let part = integers(&ring.combine(&(BLOCK..N), Some(&seed), &terms).expect("memory"));
            assert_eq!(part[..], masked[BLOCK..]);
            // Masks fill the ring: two of thousands are never the same, and some have the top bit.
            let distinct: std::collections::HashSet<_> = masks.iter().collect();
            assert_eq!(distinct.len(), N);
            assert!(masks.iter().any(|mask| mask.bits() == ring.order.bits()));
        }
    }
}

//! Points whose sums are known: small combinations of a few points of a curve, so that equal,
//! opposite and infinite sums are common. A sum of multiples of them is a combination again, with
//! coefficients that are added up as integers; one sum of a handful of points, by a law that is not
//! the engine's, says which point that is.

use ark_ff::Zero;
use bucketeer::conformance::reference_sum;
use bucketeer::{Curve, CurveSpec, Weierstrass};
use num_bigint::BigUint;

/// Multiples of the generator among the combinations.
const MULTIPLES: u8 = 32;

/// Combinations of the generator, a point of the whole curve and points of order 2 and 3, where
/// there are such.
pub struct Combinations<C: Curve> {
    /// The generator, Q and −Q, then points of small order.
    basis: Vec<C>,
    /// Multiples of the generator.
    inside: Vec<Combination<C>>,
    /// Combinations of all.
    whole: Vec<Combination<C>>,
}

/// A point and its coefficient at each point of the basis.
#[derive(Clone)]
pub struct Combination<C> {
    pub point: C,
    coefficients: Vec<u8>,
}

impl<C: Curve> Combinations<C> {
    #[expect(clippy::new_without_default, reason = "it is a computation")]
    pub fn new() -> Self {
        let mut points = (0..=u8::MAX).filter_map(|byte| C::from_random_bytes(&[byte; 193]));
        let mut random = || points.find(|p| !p.is_zero() && p.on_curve()).expect("half have one");
        let q = random();
        let mut basis = vec![C::GENERATOR, q, (-q.into_group()).into()];
        basis.extend([2, 3].into_iter().filter_map(|order| of_order(order, random())));
        let mut combinations = Self { basis, inside: Vec::new(), whole: Vec::new() };
        let torsion = combinations.basis.len() - 3;
        for chosen in 0..3u8 << torsion {
            for multiple in 0..MULTIPLES {
                let which = chosen % 3;
                let mut coefficients = vec![multiple, u8::from(which == 1), u8::from(which == 2)];
                coefficients.extend((0..torsion).map(|i| ((chosen / 3) >> i) & 1));
                let totals: Vec<BigUint> = coefficients.iter().map(|&c| c.into()).collect();
                let Some(point) = C::from_weierstrass(combinations.sum(&totals)) else { continue };
                let list =
                    if chosen == 0 { &mut combinations.inside } else { &mut combinations.whole };
                list.push(Combination { point, coefficients });
            }
        }
        combinations.whole.extend_from_slice(&combinations.inside);
        combinations
    }

    /// A combination, of the subgroup unless others are allowed.
    pub fn get(&self, seed: u8, any_point: bool) -> &Combination<C> {
        let list = if any_point { &self.whole } else { &self.inside };
        &list[usize::from(seed) % list.len()]
    }

    /// `Σ kᵢ·Pᵢ`, with nothing taken modulo anything.
    pub fn expected<'a>(
        &self,
        terms: impl Iterator<Item = (&'a Combination<C>, u128)>,
    ) -> Weierstrass<C::BaseField> {
        let mut totals = vec![BigUint::ZERO; self.basis.len()];
        for (combination, k) in terms {
            for (total, &c) in totals.iter_mut().zip(&combination.coefficients) {
                *total += BigUint::from(k) * c;
            }
        }
        self.sum(&totals)
    }

    fn sum(&self, totals: &[BigUint]) -> Weierstrass<C::BaseField> {
        let bits = totals.iter().map(BigUint::bits).max().unwrap_or(0);
        let words_each = bits.div_ceil(64).max(1) as usize;
        let words: Vec<u64> = totals.iter().flat_map(|total| words(total, words_each)).collect();
        reference_sum(&self.basis, &words, words_each)
    }
}

/// A point of a small prime order made of any point, by what is left of the curve's order without
/// that prime.
fn of_order<C: Curve>(prime: u32, point: C) -> Option<C> {
    let spec = CurveSpec::of::<C>();
    let mut rest = &spec.order * &spec.cofactor;
    while (&rest % prime).is_zero() {
        rest /= prime;
    }
    let multiple = |point: C, k: BigUint| {
        let words = k.to_u64_digits();
        C::from_weierstrass(reference_sum(&[point], &words, words.len())).filter(|p| !p.is_zero())
    };
    let mut point = multiple(point, rest)?;
    while let Some(next) = multiple(point, prime.into()) {
        point = next;
    }
    Some(point)
}

fn words(value: &BigUint, count: usize) -> Vec<u64> {
    let mut words = value.to_u64_digits();
    words.resize(count, 0);
    words
}

//! Batch test that points lie in the prime-order subgroup.
//!
//! A point is in the subgroup if a certain homomorphism maps it to zero. If some point is not, the
//! sum of a random subset maps to zero with probability at most 1/2, whatever the other points are:
//! of the subsets with and without that point at most one gives zero. So 64 subsets with
//! independent coins miss a bad point with probability at most 2^−64. The caller draws a new seed
//! for every run, so that no input can be made to fit the coins.
//!
//! 1. The CPU's kernels compute the sums of all subsets of a block (`subset_sums`): about six
//!    additions per point, where an MSM takes about twenty.
//! 2. A block that fails is halved, to find the point.
//! 3. In a block too short to gain, every point is tested on its own.

use ark_std::rand::{RngCore, SeedableRng};
use num_traits::One;
use rand_chacha::ChaCha20Rng;

#[cfg(feature = "io")]
use crate::cpu::subset_bytes;
use crate::cpu::subset_sums;
use crate::{Curve, CurveSpec, parallel};

/// Points whose subsets are summed together. It bounds the memory of the sums.
const BLOCK: usize = 1 << 16;

/// The sums of a block cost as much as testing about 75 points on their own.
const WORTHWHILE: usize = 128;

/// Index of the first point outside the prime-order subgroup, among points of the curve. Whoever
/// made the points must not know the seed.
pub(crate) fn first_outside<C: Curve>(points: &[C], seed: [u8; 32]) -> Option<usize> {
    if CurveSpec::of::<C>().cofactor.is_one() {
        return None;
    }
    let mut coins = ChaCha20Rng::from_seed(seed);
    let mut blocks = points.chunks(BLOCK).enumerate();
    blocks.find_map(|(index, block)| {
        first_in_block(block, &mut coins).map(|position| index * BLOCK + position)
    })
}

/// Most bytes that [`first_outside`] takes for this many points, beside them.
#[cfg(feature = "io")]
pub(crate) fn check_bytes(curve: &CurveSpec, points: usize) -> u64 {
    if curve.cofactor.is_one() {
        return 0;
    }
    let point_bytes = (2 * 8 * curve.limbs * curve.degree) as u64;
    subset_bytes(points.min(BLOCK), point_bytes)
}

fn first_in_block<C: Curve>(block: &[C], coins: &mut ChaCha20Rng) -> Option<usize> {
    if block.len() < WORTHWHILE {
        return first_on_its_own(block);
    }
    match subset_sums_are_inside(block, coins) {
        Some(true) => None,
        Some(false) => {
            let (left, right) = block.split_at(block.len() / 2);
            let in_right = |coins| Some(left.len() + first_in_block(right, coins)?);
            let found = first_in_block(left, coins).or_else(|| in_right(coins));
            found.or_else(|| first_on_its_own(block))
        }
        None => first_on_its_own(block),
    }
}

fn first_on_its_own<C: Curve>(block: &[C]) -> Option<usize> {
    parallel::find_first(block.len(), |i| (!block[i].in_subgroup()).then_some(i))
}

/// Whether all sums are in the subgroup; `None` if they could not be computed. A sum that the
/// curve's model cannot express is outside.
fn subset_sums_are_inside<C: Curve>(points: &[C], coins: &mut ChaCha20Rng) -> Option<bool> {
    let coins: Vec<u64> = points.iter().map(|_| coins.next_u64()).collect();
    let sums = subset_sums(points, &coins).ok()?;
    let outside = parallel::find_first(sums.len(), |i| {
        let inside = C::from_weierstrass(sums[i]).is_some_and(|sum| sum.in_subgroup());
        (!inside).then_some(())
    });
    Some(outside.is_none())
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use num_traits::Zero;

    use super::*;
    use crate::random::KnownBases;
    use crate::reference::reference_sum;

    fn multiple<C: Curve>(point: C, k: &BigUint) -> C {
        let words = k.to_u64_digits();
        C::from_weierstrass(reference_sum(&[point], &words, words.len())).expect("a point")
    }

    /// A point of this prime order, which must divide the cofactor.
    fn of_order<C: Curve>(prime: u32) -> C {
        let spec = CurveSpec::of::<C>();
        let mut rest = &spec.order * &spec.cofactor;
        while (&rest % prime).is_zero() {
            rest /= prime;
        }
        let candidates = (0..=u8::MAX).filter_map(|byte| C::from_random_bytes(&[byte; 193]));
        let mut found = candidates.map(|point| multiple(point, &rest));
        let mut point = found.find(|point| !point.is_zero()).expect("a point of the Sylow group");
        loop {
            match multiple(point, &prime.into()) {
                next if next.is_zero() => return point,
                next => point = next,
            }
        }
    }

    /// One bad point at every place, and two that cancel in half of all subsets.
    fn finds<C: Curve>(n: usize, primes: &[u32]) {
        let good = KnownBases::<C>::new(n, 3).points;
        assert_eq!(first_outside(&good, [1; 32]), None);
        for (index, &prime) in primes.iter().enumerate() {
            let bad: C = of_order(prime);
            assert!(bad.on_curve() && !bad.in_subgroup(), "{prime}");
            for place in (index..n).step_by(primes.len()) {
                let mut points = good.clone();
                points[place] = bad;
                assert_eq!(first_outside(&points, [place as u8; 32]), Some(place), "{prime}");
                let last = n - 1;
                points[last] = (-bad.into_group()).into();
                assert_eq!(first_outside(&points, [place as u8; 32]), Some(place), "{prime}");
            }
        }
    }

    #[test]
    fn every_place_and_every_small_order() {
        finds::<ark_bls12_377::G1Affine>(150, &[2, 3, 7]);
        finds::<ark_bls12_381::G1Affine>(150, &[3, 11]);
        finds::<ark_bls12_381::G2Affine>(130, &[13, 23]);
    }
}

//! Whether all points lie in the prime-order subgroup, for many points at once.
//!
//! Membership is that a homomorphism vanishes. If it does not vanish on some point, then on the sum
//! of a random subset it vanishes with probability at most 1/2, whatever the others are: that point
//! is in or out, and at most one of the two gives zero. 64 subsets with independent coins therefore
//! miss a bad point with probability at most 2^−64. The caller draws the seed of the coins anew for
//! every run, so that no input can be made to fit them.
//!
//! Eight coins of a point make a byte and the byte a bucket, so that a point costs 8 additions
//! instead of the hundreds of a scalar multiplication; the sums of subsets come from the 256
//! buckets by folding. In a block that fails, and in one too short to gain from it, every point is
//! checked by itself.

use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, Field};
use ark_std::rand::{RngCore, SeedableRng};
use num_traits::One;
use rand_chacha::ChaCha20Rng;

use crate::{Curve, CurveSpec, Model, parallel};

/// Points whose subsets are summed together.
const BLOCK: usize = 1 << 13;

/// The sums of a block cost as much as checking about 75 points by themselves.
const WORTHWHILE: usize = 128;

const BUCKETS: usize = 256;

/// The first of these points of the curve that is outside the prime-order subgroup. The seed must be
/// unknown to whoever made the points.
pub fn first_outside<C: Curve>(points: &[C], seed: [u8; 32]) -> Option<usize> {
    if CurveSpec::of::<C>().cofactor.is_one() {
        return None;
    }
    let complete = is_complete::<C>();
    let coins = ChaCha20Rng::from_seed(seed);
    parallel::find_first(points.len().div_ceil(BLOCK), |index| {
        let block = &points[index * BLOCK..points.len().min((index + 1) * BLOCK)];
        let mut coins = coins.clone();
        coins.set_stream(index as u64);
        if complete && block.len() >= WORTHWHILE && subset_sums_are_inside(block, coins) {
            return None;
        }
        let position =
            parallel::find_first(block.len(), |i| (!block[i].in_subgroup()).then_some(i));
        position.map(|position| index * BLOCK + position)
    })
}

/// Whether arkworks adds any two points of the curve correctly. On twisted Edwards curves its
/// formulas have exceptions outside the subgroup unless a is a square and d is not.
fn is_complete<C: Curve>() -> bool {
    match C::model() {
        Model::ShortWeierstrass { .. } => true,
        Model::TwistedEdwards { a, d } => a.legendre().is_qr() && d.legendre().is_qnr(),
    }
}

fn subset_sums_are_inside<C: Curve>(points: &[C], mut coins: ChaCha20Rng) -> bool {
    let mut buckets = vec![C::Group::ZERO; size_of::<u64>() * BUCKETS];
    for point in points {
        let coins = coins.next_u64().to_le_bytes();
        for (buckets, coin) in buckets.chunks_exact_mut(BUCKETS).zip(coins) {
            buckets[usize::from(coin)] += point;
        }
    }
    buckets.chunks_exact_mut(BUCKETS).all(|buckets| {
        let sums = fold::<C>(buckets);
        C::Group::normalize_batch(&sums).iter().all(Curve::in_subgroup)
    })
}

/// For each bit of the bucket's number, the sum of the buckets that have it: the upper half is
/// summed, then added to the lower half, where the next bit is the highest.
fn fold<C: Curve>(mut buckets: &mut [C::Group]) -> Vec<C::Group> {
    let mut sums = Vec::new();
    while buckets.len() > 1 {
        let (lower, upper) = buckets.split_at_mut(buckets.len() / 2);
        sums.push(upper.iter().sum());
        lower.iter_mut().zip(upper).for_each(|(low, high)| *low += &*high);
        buckets = lower;
    }
    sums
}

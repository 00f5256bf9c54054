//! Batch test that points lie in the prime-order subgroup.
//!
//! A point is in the subgroup if a certain homomorphism maps it to zero. If some point is not, the
//! sum of a random subset maps to zero with probability at most 1/2, whatever the other points are:
//! of the subsets with and without that point at most one gives zero. So 64 subsets with
//! independent coins miss a bad point with probability at most 2^−64. The caller draws a new seed
//! for every run, so that no input can be made to fit the coins.
//!
//! 1. Eight coins of a point are a byte, and the byte is a bucket: 8 additions per point instead of
//!    the hundreds of a scalar multiplication.
//! 2. The sums of subsets follow from the 256 buckets by folding.
//! 3. In a block that fails, and in one too short to gain, every point is tested on its own.

use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, Field};
use ark_std::rand::{RngCore, SeedableRng};
use num_traits::One;
use rand_chacha::ChaCha20Rng;

use crate::{Curve, CurveSpec, Model, parallel};

/// Points whose subsets are summed together.
const BLOCK: usize = 1 << 13;

/// The sums of a block cost as much as testing about 75 points on their own.
const WORTHWHILE: usize = 128;

const BUCKETS: usize = 256;

/// Index of the first point outside the prime-order subgroup, among points of the curve. Whoever
/// made the points must not know the seed.
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

/// Whether arkworks' addition law is complete. On twisted Edwards curves it has exceptions outside
/// the subgroup unless a is a square and d is not.
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

/// For each bit of the bucket index, the sum of the buckets that have it set: the upper half is
/// summed, then added to the lower half, in which the next bit is the highest.
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

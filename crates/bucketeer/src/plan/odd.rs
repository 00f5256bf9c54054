//! Buckets where the odd multiples P, 3P, …, (2J − 1)·P of every copy are stored: 2^(c−1)/J of them
//! instead of 2^(c−1).
//!
//! Up to sign, the odd numbers modulo a power of two form a group. Those that are 1 modulo 4J are a
//! subgroup, and each of its cosets contains one odd number below 2J. So modulo 2^c every digit is
//! ±m·2^e·b for one odd m < 2J, one e and one b ≡ 1 (mod 4J): it goes to the bucket of weight
//! 2^e·b, with the multiple m of its base. The rest is a multiple of 2^c, less than 2J times, that
//! is carried into the next window. The last window has no next one: each of its digits has a
//! bucket of its own.
//!
//! Other sets of multiples need fewer buckets (Luo, Fu, Gong 2022); these cover every digit exactly
//! once.

use std::ops::RangeInclusive;

use num_bigint::BigUint;

use super::Shape;

/// Most odd multiples of a copy.
pub const MAX_ODD_MULTIPLES: u32 = 1 << 10;

/// The weights of buckets in windows of `bits` bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights {
    bits: u32,
    /// log₂ 4J
    step: u32,
}

impl Weights {
    /// Widths of the windows that can use this many multiples. Narrower windows have fewer odd
    /// digits, and in wider ones a multiple of a weight would not fit in a 32-bit word.
    pub(super) fn widths(odd_multiples: u32) -> RangeInclusive<u32> {
        let step = odd_multiples.ilog2() + 2;
        step..=31 - step
    }

    /// The weights for this width; `None` outside of [`widths`](Self::widths).
    pub(crate) fn new(bits: u32, odd_multiples: u32) -> Option<Self> {
        let step = odd_multiples.ilog2() + 2;
        Self::widths(odd_multiples).contains(&bits).then_some(Self { bits, step })
    }

    /// The weights of a shape; `None` without odd multiples.
    pub(crate) fn of(shape: &Shape) -> Option<Self> {
        Self::new(shape.window_bits, shape.odd_multiples).filter(|_| shape.odd_multiples > 1)
    }

    /// How many low bits all b have in common: b ≡ 1 (mod 2^step), where 2^step = 4J.
    #[inline(always)]
    pub(crate) fn step(&self) -> u32 {
        self.step
    }

    /// For e below this, the weights 2^e·b have half as many buckets as those with e − 1, down to
    /// one. From here on b = 1, and each e has one bucket.
    #[inline(always)]
    fn halving(&self) -> u32 {
        self.bits - self.step + 1
    }

    /// The bucket of weight 2^e.
    #[inline(always)]
    pub(crate) fn first(&self, e: u32) -> u32 {
        let halving = self.halving();
        let all = 1u32 << halving;
        if e < halving { all - (all >> e) } else { (all + e).wrapping_sub(1 + halving) }
    }

    /// Buckets of all windows but the last.
    #[inline(always)]
    pub(crate) fn count(&self) -> u32 {
        self.first(self.bits)
    }

    /// The weight of a bucket.
    pub(crate) fn weight(&self, bucket: u32) -> u32 {
        let halving = self.halving();
        let all = 1u32 << halving;
        if bucket + 1 >= all {
            return 1 << (bucket + 1 - all + halving);
        }
        let e = halving - (all - bucket - 1).ilog2() - 1;
        ((bucket - self.first(e)) << self.step | 1) << e
    }

    /// The fewest windows for numbers up to `largest` such that the last has at most half as many
    /// buckets of its own as the others share, and how many it has.
    pub(super) fn windows(&self, largest: &BigUint) -> (u32, u64) {
        let carry = (1u64 << (self.step - 1)) - 1;
        let most = u64::from(self.count() / 2);
        let mut windows = (largest.bits() as u32).div_ceil(self.bits).max(1);
        loop {
            let left = largest >> ((windows - 1) * self.bits);
            match u64::try_from(left) {
                Ok(left) if windows > 1 && left <= most.max(1) => return (windows, left + carry),
                _ => windows += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bucket_has_a_weight_of_its_own() {
        for bits in 3..=12 {
            for odd_multiples in [2, 4, 16, 256, 1024] {
                let Some(weights) = Weights::new(bits, odd_multiples) else { continue };
                let mut all: Vec<u32> = (0..weights.count()).map(|b| weights.weight(b)).collect();
                for e in 0..bits {
                    assert_eq!(all[weights.first(e) as usize], 1 << e);
                }
                all.sort_unstable();
                let expected = (1..1u32 << bits)
                    .filter(|w| (w >> w.trailing_zeros()) % (4 * odd_multiples) == 1);
                assert!(all.into_iter().eq(expected), "{bits} bits, {odd_multiples} multiples");
            }
        }
    }
}

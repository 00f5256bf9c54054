//! Buckets where odd multiples P, 3P, …, (2J − 1)·P of every copy are stored: 2^(c−1)/J of them in place of 2^(c−1).
//!
//! Up to their signs the odd numbers modulo a power of two form a group, in which those that are 1 modulo 4J are a
//! subgroup with the odd numbers below 2J as its cosets. So modulo 2^c every digit is ±m·2^e·b for one odd m < 2J, one
//! e and one b ≡ 1 (mod 4J): it goes to the bucket of weight 2^e·b, with the multiple m of its base. What is left of
//! it is a multiple of 2^c that the next window takes over, less than 2J times. The last window has no next: its
//! digits have buckets of their own, one for each.
//!
//! Other sets of multiples are known that allow fewer buckets (Luo, Fu, Gong 2022); these cover every digit exactly
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
    /// Widths of the windows that can use so many multiples. Narrower ones have no room for them, and in wider ones a
    /// multiple of a weight would not fit into a word.
    pub(super) fn widths(odd_multiples: u32) -> RangeInclusive<u32> {
        let step = odd_multiples.ilog2() + 2;
        step..=31 - step
    }

    /// `None` for other widths.
    pub(crate) fn new(bits: u32, odd_multiples: u32) -> Option<Self> {
        let step = odd_multiples.ilog2() + 2;
        Self::widths(odd_multiples).contains(&bits).then_some(Self { bits, step })
    }

    /// Those of a shape with odd multiples.
    pub(crate) fn of(shape: &Shape) -> Option<Self> {
        Self::new(shape.window_bits, shape.odd_multiples).filter(|_| shape.odd_multiples > 1)
    }

    /// The lowest bits of b, which are the same for all: b ≡ 1 modulo 2^step = 4J.
    #[inline(always)]
    pub(crate) fn step(&self) -> u32 {
        self.step
    }

    /// Weights 2^e·b with e below this one have several buckets.
    #[inline(always)]
    fn several(&self) -> u32 {
        self.bits - self.step + 1
    }

    /// The bucket of weight 2^e.
    #[inline(always)]
    pub(crate) fn first(&self, e: u32) -> u32 {
        let several = self.several();
        let all = 1u32 << several;
        if e < several { all - (all >> e) } else { (all + e).wrapping_sub(1 + several) }
    }

    /// Buckets of all windows but the last.
    #[inline(always)]
    pub(crate) fn count(&self) -> u32 {
        self.first(self.bits)
    }

    pub(crate) fn weight(&self, bucket: u32) -> u32 {
        let several = self.several();
        let all = 1u32 << several;
        if bucket + 1 >= all {
            return 1 << (bucket + 1 - all + several);
        }
        let e = several - (all - bucket - 1).ilog2() - 1;
        ((bucket - self.first(e)) << self.step | 1) << e
    }

    /// The fewest windows for numbers up to `largest` such that the last has not many more buckets than the others,
    /// and how many it has.
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

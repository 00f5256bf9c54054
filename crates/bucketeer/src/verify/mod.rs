//! Runs that verify themselves: a second computation, made such that a fault in one of the two, or
//! the same fault in both, does not give the same sum twice.
//!
//! 1. Before resident bases Pᵢ are loaded, the host draws a uniform tᵢ for each and computes the
//!    *anchor* A = Σ tᵢ·Pᵢ from the caller's points: on the CPU, with portable arithmetic, without
//!    the table.
//! 2. When sums Qⱼ = Σ kⱼᵢ·Pᵢ are there, random ρⱼ are drawn, and the device computes one more MSM
//!    with the scalars sᵢ = tᵢ + Σ ρⱼ·kⱼᵢ. Its sum must be A + Σ ρⱼ·Qⱼ.
//! 3. The sums themselves must lie on the curve, and in the prime-order subgroup if the bases do.
//!
//! *Why that finds errors.* Let Qⱼ be off by Eⱼ, and the sum of the second MSM by F. It passes only
//! if F = Σ ρⱼ·Eⱼ. Since t is uniform, s is uniform and independent of ρ. F depends on s and on the
//! state of the device alone, whatever the fault is: a bit that was flipped once, a table that is
//! wrong since it was made, a unit that always fails. Eⱼ was there before ρ was drawn. So ρ is
//! random when F and E are fixed, and with some Eⱼ ≠ 0 of order r at most one ρⱼ in r passes: a
//! wrong sum is missed with probability at most 2⁻⁶⁴ ([`ring`] has the numbers).
//!
//! *Bases of the caller* have no anchor, since one costs as much as the MSM. Their sums are
//! computed again with the scalars ρ·k and windows of another width. What happens in one of the two
//! runs only is found. So is a fault in the scalars that occurs in both. A base that is wrong in
//! both runs in the same way is not.
//!
//! *Points outside the subgroup* (`any_point`) are summed with scalars modulo the order of the
//! whole curve. An error F or Eⱼ may then be a point of small order, of which a ρ sees less: what
//! is missed, if the error recurs in the second computation, has probability 1/q, where q is the
//! largest prime in its order. An error in one computation and one sum is found in any case: ρ is
//! coprime to the order of the curve.
//!
//! It finds faults, not fraud: masks are drawn once for the life of the bases, and a device that
//! lies on purpose could learn them from several runs.
//!
//! The host's own part is trusted: making s, and a few additions and multiples of points
//! ([`law`]).

mod law;
mod ring;

use std::ops::Range;

pub(crate) use ring::{Combined, Ring, Seed, Term};

use law::Law;

use crate::curve::Weierstrass;
use crate::platform::random_seed;
use crate::sum::Sum;
use crate::{Curve, CurveSpec, Error};

/// Most blocks of bases with an anchor each: an MSM over a part of the bases is verified over the
/// blocks that it touches.
const BLOCKS: usize = 64;

/// What verifies MSMs over resident bases.
pub(crate) struct Verifier<C: Curve> {
    pub(crate) ring: Ring,
    bases: usize,
    /// Bases of a block.
    block: usize,
    pub(crate) rounds: Vec<Round<C>>,
}

/// The masks and the anchor of every block. A group too small for the bound has several rounds.
pub(crate) struct Round<C: Curve> {
    pub(crate) seed: Seed,
    pub(crate) anchors: Vec<Weierstrass<C::BaseField>>,
}

impl<C: Curve> Verifier<C> {
    /// For this many bases. The anchors are yet to be computed.
    pub(crate) fn new(bases: usize, any_point: bool) -> Result<Self, Error> {
        let ring = Ring::new(&CurveSpec::of::<C>(), any_point)?;
        let block = bases.div_ceil(BLOCKS).next_multiple_of(ring::BLOCK).max(ring::BLOCK);
        let round = |_| Round { seed: random_seed(), anchors: Vec::new() };
        let rounds = (0..ring.rounds()).map(round).collect();
        Ok(Self { ring, bases, block, rounds })
    }

    /// The bases of every block.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<C> {
        let (bases, block) = (self.bases, self.block);
        (0..bases).step_by(block).map(move |start| start..(start + block).min(bases))
    }

    /// The bases of the blocks that `range` touches.
    pub(crate) fn cover(&self, range: &Range<usize>) -> Range<usize> {
        let start = range.start / self.block * self.block;
        start..range.end.next_multiple_of(self.block).min(self.bases).max(start)
    }

    /// Whether `sum`, over the bases of a cover, is what the anchors and the sums of `terms` make
    /// it.
    pub(crate) fn agrees(
        &self,
        round: &Round<C>,
        cover: &Range<usize>,
        terms: &[(u128, Weierstrass<C::BaseField>)],
        sum: Weierstrass<C::BaseField>,
    ) -> bool {
        let blocks = cover.start / self.block..cover.end.div_ceil(self.block);
        let anchors = round.anchors[blocks].iter().copied();
        Law::of::<C>().combination(anchors, terms) == sum
    }
}

/// The points of sums, if they are points of the curve, and unless `any_point` of its subgroup.
pub(crate) fn points<C: Curve>(
    sums: &[Sum<C>],
    any_point: bool,
) -> Result<Vec<Weierstrass<C::BaseField>>, Error> {
    let (law, curve) = (Law::of::<C>(), CurveSpec::of::<C>());
    let one = |(index, sum): (usize, &Sum<C>)| {
        let point = sum.weierstrass()?;
        let whole = any_point || curve.cofactor == 1u32.into();
        let reason = match law.has(point) {
            false => "is not a point of the curve",
            true if whole || law.times(point, &curve.order).is_none() => return Ok(point),
            true => "is outside the prime-order subgroup",
        };
        let error = failed(&format!("the sum {reason}"));
        Err(if sums.len() > 1 { error.in_msm(index) } else { error })
    };
    sums.iter().enumerate().map(one).collect()
}

/// Whether a sum over the caller's bases is ρ times another one.
pub(crate) fn is_multiple<C: Curve>(
    sum: Weierstrass<C::BaseField>,
    (coefficient, point): (u128, Weierstrass<C::BaseField>),
) -> bool {
    Law::of::<C>().combination([], &[(coefficient, point)]) == sum
}

/// The error of a sum that is not what it must be.
pub(crate) fn failed(reason: &str) -> Error {
    Error::VerificationFailed { reason: reason.into() }
}

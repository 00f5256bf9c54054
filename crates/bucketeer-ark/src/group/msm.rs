//! arkworks' MSM entries, all of them computed by Bucketeer.
//!
//! As in arkworks, entries other than `msm` use the shorter of the two lengths. `msm` and
//! `msm_chunks` keep arkworks' bodies, which check lengths or split streams and call the others.

use ark_ec::VariableBaseMSM;
use ark_ff::{AdditiveGroup, BigInteger, PrimeField};
use bucketeer::{Curve, Scalars};

use super::{Affine, Projective};
use crate::convert::Wrapper;
use crate::run;

impl<A: Curve> VariableBaseMSM for Projective<A> {
    /// Unused by Bucketeer.
    type Bucket = Self;

    const ZERO_BUCKET: Self = Self::ZERO;

    fn msm_unchecked(bases: &[Affine<A>], scalars: &[A::ScalarField]) -> Self {
        sum(bases, Scalars::residues(shorter(bases, scalars)))
    }

    fn msm_bigint(bases: &[Affine<A>], bigints: &[<A::ScalarField as PrimeField>::BigInt]) -> Self {
        Self(msm_bigint(Affine::unwrap_slice(bases), bigints))
    }

    fn msm_u1(bases: &[Affine<A>], scalars: &[bool]) -> Self {
        sum(bases, shorter(bases, scalars).into())
    }

    fn msm_u8(bases: &[Affine<A>], scalars: &[u8]) -> Self {
        sum(bases, shorter(bases, scalars).into())
    }

    fn msm_u16(bases: &[Affine<A>], scalars: &[u16]) -> Self {
        sum(bases, shorter(bases, scalars).into())
    }

    fn msm_u32(bases: &[Affine<A>], scalars: &[u32]) -> Self {
        sum(bases, shorter(bases, scalars).into())
    }

    fn msm_u64(bases: &[Affine<A>], scalars: &[u64]) -> Self {
        sum(bases, shorter(bases, scalars).into())
    }
}

/// arkworks' `msm_bigint` over its own types, computed by Bucketeer: `Σ kᵢ·Pᵢ` over the shorter of
/// the two lengths.
///
/// Fast groups call it. It is public for the hook of a patched ark-ec, which
/// `docs/arkworks.md` describes. Integers at or above the group order are taken as they are.
///
/// # Panics
///
/// As every MSM of this crate; see the [crate's documentation](crate#errors).
pub fn msm_bigint<A: Curve>(
    bases: &[A],
    bigints: &[<A::ScalarField as PrimeField>::BigInt],
) -> A::Group {
    let each = <A::ScalarField as PrimeField>::BigInt::NUM_LIMBS;
    run::sum_of_integers(bases, words::<A>(shorter(bases, bigints)), each)
}

fn sum<A: Curve>(bases: &[Affine<A>], scalars: Scalars<'_, A::ScalarField>) -> Projective<A> {
    Projective(run::sum(Affine::unwrap_slice(bases), scalars))
}

/// The first scalars, at most as many as bases.
fn shorter<'s, B, S>(bases: &[B], scalars: &'s [S]) -> &'s [S] {
    &scalars[..scalars.len().min(bases.len())]
}

/// The words of integers, one after the other.
fn words<A: Curve>(bigints: &[<A::ScalarField as PrimeField>::BigInt]) -> &[u64] {
    type BigInt<A> = <<A as ark_ec::AffineRepr>::ScalarField as PrimeField>::BigInt;
    const {
        assert!(size_of::<BigInt<A>>() == 8 * BigInt::<A>::NUM_LIMBS);
        assert!(align_of::<BigInt<A>>() == align_of::<u64>());
    };
    let count = bigints.len() * BigInt::<A>::NUM_LIMBS;
    // SAFETY: the scalar field is a `WordField`, which is sealed to arkworks' own prime fields.
    // Their integers are `ark_ff::BigInt<N>`, a struct around `[u64; N]` alone, of the same size
    // and alignment as checked above, so `count` words are initialised and in bounds.
    unsafe { std::slice::from_raw_parts(bigints.as_ptr().cast(), count) }
}

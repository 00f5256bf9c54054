//! arkworks' MSM entries, all of them computed by Bucketeer.
//!
//! As in arkworks, entries other than `msm` use the shorter of the two lengths. `msm` and
//! `msm_chunks` keep arkworks' bodies, which check lengths or split streams and call the others.

use ark_ec::VariableBaseMSM;
use ark_ff::{AdditiveGroup, BigInteger, PrimeField};
use bucketeer::{Curve, Scalars};
use rayon::prelude::*;

use super::{Affine, Projective};
use crate::convert::Wrapper;
use crate::run::sum;

impl<A: Curve> VariableBaseMSM for Projective<A> {
    /// Unused by Bucketeer.
    type Bucket = Self;

    const ZERO_BUCKET: Self = Self::ZERO;

    fn msm_unchecked(bases: &[Affine<A>], scalars: &[A::ScalarField]) -> Self {
        Self(sum(Affine::unwrap_slice(bases), scalars, A::ScalarField::ZERO, |s| {
            Scalars::residues(s)
        }))
    }

    fn msm_bigint(bases: &[Affine<A>], bigints: &[<A::ScalarField as PrimeField>::BigInt]) -> Self {
        Self(msm_bigint(Affine::unwrap_slice(bases), bigints))
    }

    fn msm_u1(bases: &[Affine<A>], scalars: &[bool]) -> Self {
        Self(sum(Affine::unwrap_slice(bases), scalars, false, |s| s.into()))
    }

    fn msm_u8(bases: &[Affine<A>], scalars: &[u8]) -> Self {
        Self(sum(Affine::unwrap_slice(bases), scalars, 0, |s| s.into()))
    }

    fn msm_u16(bases: &[Affine<A>], scalars: &[u16]) -> Self {
        Self(sum(Affine::unwrap_slice(bases), scalars, 0, |s| s.into()))
    }

    fn msm_u32(bases: &[Affine<A>], scalars: &[u32]) -> Self {
        Self(sum(Affine::unwrap_slice(bases), scalars, 0, |s| s.into()))
    }

    fn msm_u64(bases: &[Affine<A>], scalars: &[u64]) -> Self {
        Self(sum(Affine::unwrap_slice(bases), scalars, 0, |s| s.into()))
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
    let bigints = &bigints[..bigints.len().min(bases.len())];
    let residues: Option<Vec<_>> =
        bigints.par_iter().map(|bigint| A::ScalarField::from_bigint(*bigint)).collect();
    if let Some(residues) = residues {
        return sum(bases, &residues, A::ScalarField::ZERO, |s| Scalars::residues(s));
    }
    let words = <A::ScalarField as PrimeField>::BigInt::NUM_LIMBS;
    let integers: Vec<u64> = bigints.iter().flat_map(|bigint| bigint.as_ref()).copied().collect();
    crate::run::sum_of_integers(&bases[..bigints.len()], Scalars::words(&integers, words))
}

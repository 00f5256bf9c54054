//! Parameters, keys, commitments and proofs of ark-poly-commit: KZG10, and Marlin over it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ark_ec::pairing::Pairing;
use ark_poly_commit::{kzg10, marlin_pc};
use bucketeer::Curve;

use crate::convert::Wrapper;
use crate::pairing::G2Prepared;
use crate::{Affine, Fast, IntoFast, IntoOriginal, Queries, QueryList};

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoFast for kzg10::Commitment<E> {
    type Fast = kzg10::Commitment<Fast<E>>;

    fn into_fast(self) -> Self::Fast {
        kzg10::Commitment(Affine(self.0))
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoOriginal for kzg10::Commitment<Fast<E>> {
    type Original = kzg10::Commitment<E>;

    fn into_original(self) -> Self::Original {
        kzg10::Commitment(self.0.0)
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoFast for kzg10::Proof<E> {
    type Fast = kzg10::Proof<Fast<E>>;

    fn into_fast(self) -> Self::Fast {
        kzg10::Proof { w: Affine(self.w), random_v: self.random_v }
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoOriginal for kzg10::Proof<Fast<E>> {
    type Original = kzg10::Proof<E>;

    fn into_original(self) -> Self::Original {
        kzg10::Proof { w: self.w.0, random_v: self.random_v }
    }
}

/// Powers that are borrowed stay borrowed.
impl<'p, E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoFast for kzg10::Powers<'p, E> {
    type Fast = kzg10::Powers<'p, Fast<E>>;

    fn into_fast(self) -> Self::Fast {
        let wrap = |powers| match powers {
            Cow::Borrowed(powers) => Cow::Borrowed(Affine::wrap_slice(powers)),
            Cow::Owned(powers) => Cow::Owned(Affine::wrap_vec(powers)),
        };
        kzg10::Powers {
            powers_of_g: wrap(self.powers_of_g),
            powers_of_gamma_g: wrap(self.powers_of_gamma_g),
        }
    }
}

impl<'p, E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoOriginal for kzg10::Powers<'p, Fast<E>> {
    type Original = kzg10::Powers<'p, E>;

    fn into_original(self) -> Self::Original {
        let unwrap = |powers| match powers {
            Cow::Borrowed(powers) => Cow::Borrowed(Affine::unwrap_slice(powers)),
            Cow::Owned(powers) => Cow::Owned(Affine::unwrap_vec(powers)),
        };
        kzg10::Powers {
            powers_of_g: unwrap(self.powers_of_g),
            powers_of_gamma_g: unwrap(self.powers_of_gamma_g),
        }
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoFast for kzg10::VerifierKey<E> {
    type Fast = kzg10::VerifierKey<Fast<E>>;

    fn into_fast(self) -> Self::Fast {
        kzg10::VerifierKey {
            g: Affine(self.g),
            gamma_g: Affine(self.gamma_g),
            h: Affine(self.h),
            beta_h: Affine(self.beta_h),
            prepared_h: G2Prepared(self.prepared_h),
            prepared_beta_h: G2Prepared(self.prepared_beta_h),
        }
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoOriginal for kzg10::VerifierKey<Fast<E>> {
    type Original = kzg10::VerifierKey<E>;

    fn into_original(self) -> Self::Original {
        kzg10::VerifierKey {
            g: self.g.0,
            gamma_g: self.gamma_g.0,
            h: self.h.0,
            beta_h: self.beta_h.0,
            prepared_h: self.prepared_h.0,
            prepared_beta_h: self.prepared_beta_h.0,
        }
    }
}

/// The powers of G keep their memory; maps of points are made anew.
impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoFast for kzg10::UniversalParams<E> {
    type Fast = kzg10::UniversalParams<Fast<E>>;

    fn into_fast(self) -> Self::Fast {
        kzg10::UniversalParams {
            powers_of_g: Wrapper::wrap_vec(self.powers_of_g),
            powers_of_gamma_g: mapped(self.powers_of_gamma_g, Affine),
            h: Affine(self.h),
            beta_h: Affine(self.beta_h),
            neg_powers_of_h: mapped(self.neg_powers_of_h, Affine),
            prepared_h: G2Prepared(self.prepared_h),
            prepared_beta_h: G2Prepared(self.prepared_beta_h),
        }
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoOriginal
    for kzg10::UniversalParams<Fast<E>>
{
    type Original = kzg10::UniversalParams<E>;

    fn into_original(self) -> Self::Original {
        kzg10::UniversalParams {
            powers_of_g: Wrapper::unwrap_vec(self.powers_of_g),
            powers_of_gamma_g: mapped(self.powers_of_gamma_g, |point| point.0),
            h: self.h.0,
            beta_h: self.beta_h.0,
            neg_powers_of_h: mapped(self.neg_powers_of_h, |point| point.0),
            prepared_h: self.prepared_h.0,
            prepared_beta_h: self.prepared_beta_h.0,
        }
    }
}

fn mapped<A, B>(points: BTreeMap<usize, A>, map: impl Fn(A) -> B) -> BTreeMap<usize, B> {
    points.into_iter().map(|(index, point)| (index, map(point))).collect()
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> Queries for kzg10::Powers<'_, Fast<E>> {
    fn queries<'a>(&'a self, list: &mut QueryList<'a>) {
        list.add(&self.powers_of_g);
        list.add(&self.powers_of_gamma_g);
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> Queries for marlin_pc::CommitterKey<Fast<E>> {
    fn queries<'a>(&'a self, list: &mut QueryList<'a>) {
        list.add(&self.powers);
        list.add(&self.powers_of_gamma_g);
        if let Some(shifted) = &self.shifted_powers {
            list.add(shifted);
        }
    }
}

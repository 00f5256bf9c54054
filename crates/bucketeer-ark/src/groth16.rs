//! Keys and proofs of ark-groth16.

use ark_ec::pairing::Pairing;
use ark_groth16::{PreparedVerifyingKey, Proof, ProvingKey, VerifyingKey};
use bucketeer::Curve;

use crate::convert::Wrapper;
use crate::pairing::G2Prepared;
use crate::{Affine, Fast, IntoFast, IntoOriginal, Queries, QueryList};

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoFast for Proof<E> {
    type Fast = Proof<Fast<E>>;

    fn into_fast(self) -> Self::Fast {
        Proof { a: Affine(self.a), b: Affine(self.b), c: Affine(self.c) }
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoOriginal for Proof<Fast<E>> {
    type Original = Proof<E>;

    fn into_original(self) -> Proof<E> {
        Proof { a: self.a.0, b: self.b.0, c: self.c.0 }
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoFast for VerifyingKey<E> {
    type Fast = VerifyingKey<Fast<E>>;

    fn into_fast(self) -> Self::Fast {
        VerifyingKey {
            alpha_g1: Affine(self.alpha_g1),
            beta_g2: Affine(self.beta_g2),
            gamma_g2: Affine(self.gamma_g2),
            delta_g2: Affine(self.delta_g2),
            gamma_abc_g1: Wrapper::wrap_vec(self.gamma_abc_g1),
        }
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoOriginal for VerifyingKey<Fast<E>> {
    type Original = VerifyingKey<E>;

    fn into_original(self) -> VerifyingKey<E> {
        VerifyingKey {
            alpha_g1: self.alpha_g1.0,
            beta_g2: self.beta_g2.0,
            gamma_g2: self.gamma_g2.0,
            delta_g2: self.delta_g2.0,
            gamma_abc_g1: Wrapper::unwrap_vec(self.gamma_abc_g1),
        }
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoFast for PreparedVerifyingKey<E> {
    type Fast = PreparedVerifyingKey<Fast<E>>;

    fn into_fast(self) -> Self::Fast {
        PreparedVerifyingKey {
            vk: self.vk.into_fast(),
            alpha_g1_beta_g2: self.alpha_g1_beta_g2,
            gamma_g2_neg_pc: G2Prepared(self.gamma_g2_neg_pc),
            delta_g2_neg_pc: G2Prepared(self.delta_g2_neg_pc),
        }
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoOriginal for PreparedVerifyingKey<Fast<E>> {
    type Original = PreparedVerifyingKey<E>;

    fn into_original(self) -> PreparedVerifyingKey<E> {
        PreparedVerifyingKey {
            vk: self.vk.into_original(),
            alpha_g1_beta_g2: self.alpha_g1_beta_g2,
            gamma_g2_neg_pc: self.gamma_g2_neg_pc.0,
            delta_g2_neg_pc: self.delta_g2_neg_pc.0,
        }
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoFast for ProvingKey<E> {
    type Fast = ProvingKey<Fast<E>>;

    fn into_fast(self) -> Self::Fast {
        ProvingKey {
            vk: self.vk.into_fast(),
            beta_g1: Affine(self.beta_g1),
            delta_g1: Affine(self.delta_g1),
            a_query: Wrapper::wrap_vec(self.a_query),
            b_g1_query: Wrapper::wrap_vec(self.b_g1_query),
            b_g2_query: Wrapper::wrap_vec(self.b_g2_query),
            h_query: Wrapper::wrap_vec(self.h_query),
            l_query: Wrapper::wrap_vec(self.l_query),
        }
    }
}

impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> IntoOriginal for ProvingKey<Fast<E>> {
    type Original = ProvingKey<E>;

    fn into_original(self) -> ProvingKey<E> {
        ProvingKey {
            vk: self.vk.into_original(),
            beta_g1: self.beta_g1.0,
            delta_g1: self.delta_g1.0,
            a_query: Wrapper::unwrap_vec(self.a_query),
            b_g1_query: Wrapper::unwrap_vec(self.b_g1_query),
            b_g2_query: Wrapper::unwrap_vec(self.b_g2_query),
            h_query: Wrapper::unwrap_vec(self.h_query),
            l_query: Wrapper::unwrap_vec(self.l_query),
        }
    }
}

/// The five vectors that a proof is computed from.
impl<E: Pairing<G1Affine: Curve, G2Affine: Curve>> Queries for ProvingKey<Fast<E>> {
    fn queries<'a>(&'a self, list: &mut QueryList<'a>) {
        list.add(&self.a_query);
        list.add(&self.b_g1_query);
        list.add(&self.b_g2_query);
        list.add(&self.h_query);
        list.add(&self.l_query);
    }
}

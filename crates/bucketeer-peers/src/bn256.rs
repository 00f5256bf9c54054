//! halo2curves: BN254's first group, which it calls bn256, in rayon's pool.
//!
//! Field elements cross over as canonical little-endian bytes.

use ark_ff::{BigInteger, Field, PrimeField};
use bucketeer::Curve;
use halo2curves::bn256::{Fq, Fr, G1, G1Affine};
use halo2curves::group::Curve as _;
use halo2curves::{CurveAffine, ff, msm::msm_best};
use rayon::prelude::*;

use crate::Outcome;
use crate::rounds::{Timed, timed};

/// The MSM on halo2curves' types.
pub fn g1<C: Curve>(
    points: &[C],
    scalars: &[C::ScalarField],
) -> Outcome<impl Fn() -> Timed<C::Group> + use<C>> {
    let points: Vec<_> = points.par_iter().map(point).collect::<Outcome<_>>()?;
    let scalars: Vec<Fr> = scalars.par_iter().map(element).collect::<Outcome<_>>()?;
    Ok(move || {
        let (time, sum) = timed(|| msm_best(&scalars, &points));
        Ok((time, back::<C>(sum)?.into()))
    })
}

fn point<C: Curve>(point: &C) -> Outcome<G1Affine> {
    let Some((x, y)) = point.xy() else { return Ok(G1Affine::default()) };
    let point = G1Affine::from_xy(coordinate(&x)?, coordinate(&y)?);
    Option::from(point).ok_or_else(|| "halo2curves does not read a base".into())
}

fn coordinate<F: Field>(x: &F) -> Outcome<Fq> {
    let mut parts = x.to_base_prime_field_elements();
    match (parts.next(), parts.next()) {
        (Some(only), None) => element(&only),
        _ => Err("bn256's base field is prime".into()),
    }
}

fn element<F: PrimeField, H: ff::PrimeField>(x: &F) -> Outcome<H> {
    let bytes = x.into_bigint().to_bytes_le();
    let mut canonical = H::Repr::default();
    if canonical.as_ref().len() != bytes.len() {
        return Err("the fields differ in length".into());
    }
    canonical.as_mut().copy_from_slice(&bytes);
    Option::from(H::from_repr(canonical)).ok_or_else(|| "the fields differ".into())
}

fn back<C: Curve>(sum: G1) -> Outcome<C> {
    let Some(affine) = Option::from(sum.to_affine().coordinates()) else { return Ok(C::zero()) };
    let affine: halo2curves::Coordinates<G1Affine> = affine;
    let field = |x: &Fq| {
        let bytes = ff::PrimeField::to_repr(x);
        let x = <C::BaseField as Field>::BasePrimeField::from_le_bytes_mod_order(bytes.as_ref());
        C::BaseField::from_base_prime_field_elems([x]).ok_or("bn256's base field is prime")
    };
    Ok(C::from_coordinates(field(affine.x())?, field(affine.y())?))
}

//! A second opinion on a sum.
//!
//! Few points: sums by double-and-add, which share nothing with the engines, not even the addition
//! law. Many points: a plan that differs in every stage — unsigned digits, one XYZZ accumulator per
//! bucket, running sums — on arkworks' field arithmetic. Sums are compared by their affine
//! coordinates, and what is no point of the curve equals nothing.

use ark_ff::PrimeField;
use bucketeer::conformance::{on_weierstrass, reference_sum};
use bucketeer::io::ScalarVec;
use bucketeer::plan::{Accumulate, Digits, Reduce, Settings};
use bucketeer::{Bases, Curve, CurveSpec, Device, Error, Weierstrass};

/// Most products of words for which double-and-add takes no longer than a second or so.
const FEW: u128 = 1 << 26;

/// The sum by another method, and that method's name.
pub fn second_opinion<C: Curve>(
    bases: &[C],
    scalars: &ScalarVec<C::ScalarField>,
    any_point: bool,
) -> Result<(Weierstrass<C::BaseField>, &'static str), Error> {
    let (words, words_each) = integers::<C>(scalars);
    let spec = CurveSpec::of::<C>();
    let products = spec.limbs * spec.limbs * if spec.degree == 1 { 1 } else { 3 };
    if (words.len() * 64) as u128 * products as u128 <= FEW {
        return Ok((reference_sum(bases, &words, words_each), "by double-and-add"));
    }
    let mut settings = Settings::default();
    settings.digits = Some(Digits::Unsigned);
    settings.endomorphism = Some(false);
    settings.negate = Some(false);
    settings.accumulate = Some(Accumulate::PerBucket);
    settings.reduce = Some(Reduce::SlicedRunningSum { slices: 64 });
    settings.any_point = any_point;
    let device = Device::cpu().portable()?;
    let sum = Bases::<C>::builder().settings(settings).msm(&device, bases, scalars)?;
    let sum = on_weierstrass::<C>(&sum).ok_or(Error::NotRepresentable)?;
    Ok((sum, "by a plain plan on arkworks' arithmetic"))
}

/// The scalars as integers of some words each.
fn integers<C: Curve>(scalars: &ScalarVec<C::ScalarField>) -> (Vec<u64>, usize) {
    match scalars {
        ScalarVec::Residues(residues) => {
            let words = residues.iter().flat_map(|k| k.into_bigint().as_ref().to_vec());
            (words.collect(), C::ScalarField::MODULUS.as_ref().len())
        }
        ScalarVec::Integers { words, words_each, .. } => (words.clone(), *words_each),
    }
}

//! A second opinion on a sum.
//!
//! Few points, or points that may lie outside the prime-order subgroup: plain binary sums, which share
//! nothing with the engine. Many points: a plan that differs in every stage — unsigned digits, one XYZZ
//! accumulator per bucket, running sums — on arkworks' field arithmetic.

use ark_ff::{AdditiveGroup, PrimeField};
use bucketeer::io::ScalarVec;
use bucketeer::plan::{Accumulate, Digits, Reduce, Settings};
use bucketeer::{Bases, Curve, Device, Error, parallel};

/// Most points for which binary sums take no longer than a second or so.
const FEW: usize = 1 << 14;

/// Points that one worker sums together, sharing their doublings.
const BLOCK: usize = 256;

/// The sum by another method, and that method's name.
pub fn second_opinion<C: Curve>(
    bases: &[C],
    scalars: &ScalarVec<C::ScalarField>,
    any_point: bool,
) -> Result<(C::Group, &'static str), Error> {
    if any_point || bases.len() <= FEW {
        return Ok((binary_sums(bases, scalars), "by binary sums"));
    }
    let mut settings = Settings::default();
    settings.digits = Some(Digits::Unsigned);
    settings.endomorphism = Some(false);
    settings.negate = Some(false);
    settings.accumulate = Some(Accumulate::PerBucket);
    settings.reduce = Some(Reduce::SlicedRunningSum { slices: 64 });
    let device = Device::cpu().portable()?;
    let sum = Bases::<C>::builder().settings(settings).msm(&device, bases, scalars)?;
    Ok((sum, "by a plain plan on arkworks' arithmetic"))
}

fn binary_sums<C: Curve>(bases: &[C], scalars: &ScalarVec<C::ScalarField>) -> C::Group {
    match scalars {
        ScalarVec::Residues(residues) => {
            let words_each = C::ScalarField::MODULUS.as_ref().len();
            let words: Vec<u64> =
                residues.iter().flat_map(|k| k.into_bigint().as_ref().to_vec()).collect();
            sum_of_integers(bases, &words, words_each)
        }
        ScalarVec::Integers { words, words_each, .. } => sum_of_integers(bases, words, *words_each),
    }
}

/// From the highest bit down: double the sum, add every base whose scalar has the bit.
fn sum_of_integers<C: Curve>(bases: &[C], words: &[u64], words_each: usize) -> C::Group {
    let sums = parallel::map(bases.len().div_ceil(BLOCK), |block| {
        let bases = &bases[block * BLOCK..bases.len().min((block + 1) * BLOCK)];
        let words = &words[block * BLOCK * words_each..];
        let mut sum = C::Group::ZERO;
        for bit in (0..64 * words_each).rev() {
            sum.double_in_place();
            for (base, scalar) in bases.iter().zip(words.chunks_exact(words_each)) {
                if scalar[bit / 64] >> (bit % 64) & 1 == 1 {
                    sum += base;
                }
            }
        }
        sum
    });
    sums.into_iter().sum()
}

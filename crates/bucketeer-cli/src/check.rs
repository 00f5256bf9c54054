//! A second opinion on a sum, from code that shares nothing with Bucketeer's engine.
//!
//! Few points, or points that may lie outside the prime-order subgroup: plain binary sums, right for
//! every integer and every point. Many points: arkworks' own MSM, which is faster and trusts that the
//! scalars may be reduced modulo the order.

use ark_ec::VariableBaseMSM;
use ark_ff::{AdditiveGroup, PrimeField};
use bucketeer::Curve;
use bucketeer::io::ScalarVec;
use rayon::prelude::*;

/// Most points for which binary sums take no longer than a second or so.
const FEW: usize = 1 << 14;

/// Points that one worker sums together, sharing their doublings.
const BLOCK: usize = 256;

/// The sum by another method, and that method's name.
pub fn second_opinion<C: Curve>(
    bases: &[C],
    scalars: &ScalarVec<C::ScalarField>,
    any_point: bool,
) -> (C::Group, &'static str) {
    if any_point || bases.len() <= FEW {
        return (binary_sums(bases, scalars), "by binary sums");
    }
    let sum = match scalars {
        ScalarVec::Residues(residues) => C::Group::msm_unchecked(bases, residues),
        ScalarVec::Integers { words, words_each, .. } => {
            let residues: Vec<_> = words.par_chunks(*words_each).map(reduced).collect();
            C::Group::msm_unchecked(bases, &residues)
        }
    };
    (sum, "by arkworks")
}

fn reduced<F: PrimeField>(words: &[u64]) -> F {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    F::from_le_bytes_mod_order(&bytes)
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
    let block = |(bases, words): (&[C], &[u64])| {
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
    };
    let blocks = bases.par_chunks(BLOCK).zip(words.par_chunks(BLOCK * words_each));
    blocks.map(block).reduce(|| C::Group::ZERO, |a, b| a + b)
}

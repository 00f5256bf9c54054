//! The values of the quotient's numerator, by which the points H are multiplied.
//!
//! Let a, b and c be the polynomials of degree below n with the values `A·w`, `B·w` and their
//! products on the domain of the n-th roots of unity. They are interpolated and evaluated on the
//! domain shifted by a 2n-th root of unity, and the result is `a·b − c` there. That polynomial has
//! degree below 2n and vanishes on the domain, so these n values determine it. The points H are
//! the Lagrange basis of the 2n-th roots of unity at the elements of the shifted domain.
//!
//! Which root generates the domain decides the order of its elements, so it must be snarkjs': a
//! power of the smallest non-residue. On BN254 that is also arkworks' choice; on BLS12-381 it is
//! not.

use ark_ff::{FftField, PrimeField};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use rayon::prelude::*;

/// The domain of a circuit and the shifted one.
pub(crate) struct Domain<F: FftField> {
    plain: Radix2EvaluationDomain<F>,
    shifted: Radix2EvaluationDomain<F>,
}

impl<F: PrimeField> Domain<F> {
    /// The domain of this size, a power of two; `None` if the field has none.
    pub(crate) fn new(size: usize) -> Option<Self> {
        let arkworks = Radix2EvaluationDomain::new(size).filter(|domain| domain.size() == size)?;
        let log_size = size.ilog2();
        let group_gen = root_of_unity::<F>(log_size)?;
        let group_gen_inv = group_gen.inverse()?;
        let plain = Radix2EvaluationDomain { group_gen, group_gen_inv, ..arkworks };
        // In a field without 2n-th roots snarkjs shifts by the square of the non-residue.
        let shift = root_of_unity(log_size + 1).unwrap_or_else(|| non_residue::<F>().square());
        Some(Self { plain, shifted: plain.get_coset(shift)? })
    }

    /// `a·b − c` on the shifted domain, from the values of a and b on the domain.
    pub(crate) fn numerator(&self, mut a: Vec<F>, mut b: Vec<F>) -> Vec<F> {
        let mut c: Vec<F> = a.par_iter().zip(&b).map(|(a, b)| *a * b).collect();
        [&mut a, &mut b, &mut c].into_par_iter().for_each(|values| {
            self.plain.ifft_in_place(values);
            self.shifted.fft_in_place(values);
        });
        a.par_iter_mut().zip(&b).zip(&c).for_each(|((a, b), c)| *a = *a * b - c);
        a
    }
}

/// snarkjs' root of unity of order `2^log_order`.
fn root_of_unity<F: PrimeField>(log_order: u32) -> Option<F> {
    let squarings = F::TWO_ADICITY.checked_sub(log_order)?;
    let root = non_residue::<F>().pow(F::TRACE);
    Some((0..squarings).fold(root, |root, _| root.square()))
}

/// The smallest integer that is not a square.
fn non_residue<F: PrimeField>() -> F {
    let mut candidate = F::ONE;
    while !candidate.legendre().is_qnr() {
        candidate += F::ONE;
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition: Lagrange's formula on the domain, Horner's rule on the shifted one.
    fn matches_the_definition<F: PrimeField>(size: usize) {
        let domain = Domain::<F>::new(size).expect("a domain");
        let values = |seed: u64| -> Vec<F> {
            (0..size as u64).map(|i| F::from(seed).pow([i + 3])).collect()
        };
        let (a, b) = (values(7), values(11));
        let c: Vec<F> = a.iter().zip(&b).map(|(a, b)| *a * b).collect();
        let root = root_of_unity::<F>(size.ilog2()).expect("a root");
        let shift = root_of_unity::<F>(size.ilog2() + 1).expect("a root");
        assert_eq!(shift.square(), root);
        let at = |values: &[F], x: F| -> F {
            let points: Vec<F> = (0..size as u64).map(|i| root.pow([i])).collect();
            let lagrange = |i: usize| -> F {
                let others = (0..size).filter(|j| *j != i);
                others.map(|j| (x - points[j]) / (points[i] - points[j])).product()
            };
            values.iter().enumerate().map(|(i, value)| lagrange(i) * value).sum()
        };
        let expected: Vec<F> = (0..size as u64)
            .map(|i| shift * root.pow([i]))
            .map(|x| at(&a, x) * at(&b, x) - at(&c, x))
            .collect();
        assert_eq!(domain.numerator(a, b), expected);
    }

    #[test]
    fn numerators() {
        for size in [1, 2, 8, 32] {
            matches_the_definition::<ark_bn254::Fr>(size);
            matches_the_definition::<ark_bls12_381::Fr>(size);
        }
    }

    /// snarkjs' roots of order 32: `curve.Fr.toObject(curve.Fr.w[5])`.
    #[test]
    fn roots_are_those_of_snarkjs() {
        let of_bn254 = root_of_unity::<ark_bn254::Fr>(5).map(|root| root.to_string());
        let expected =
            "4419234939496763621076330863786513495701855246241724391626358375488475697872";
        assert_eq!(of_bn254.as_deref(), Some(expected));
        let of_bls12_381 = root_of_unity::<ark_bls12_381::Fr>(5).map(|root| root.to_string());
        let expected =
            "32311457133713125762627935188100354218453688428796477340173861531654182464166";
        assert_eq!(of_bls12_381.as_deref(), Some(expected));
    }

    #[test]
    fn sizes_without_a_domain() {
        assert!(Domain::<ark_bn254::Fr>::new(3).is_none());
        assert!(Domain::<ark_bn254::Fr>::new(1 << 29).is_none());
        assert!(Domain::<ark_bn254::Fr>::new(1 << 28).is_some());
    }
}

//! Ethereum's trusted setup: powers of τ, from which everything else follows.

use ark_bls12_381::{Fq, Fr, G1Affine, G1Projective};
use ark_ec::CurveGroup;
use ark_ff::PrimeField;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use rust_eth_kzg::TrustedSetup;

use crate::Outcome;

/// Field elements of a blob, and powers of τ in the setup.
pub const ELEMENTS: usize = 4096;

/// G, τ·G, τ²·G …, as rust_eth_kzg carries them.
pub fn powers(setup: &TrustedSetup) -> Outcome<Vec<G1Affine>> {
    let coordinate = |bytes: &[u8]| Fq::from_be_bytes_mod_order(bytes);
    let points: Vec<_> = setup
        .g1_monomial
        .iter()
        .map(|point| {
            let bytes = point.to_uncompressed();
            G1Affine::new_unchecked(coordinate(&bytes[..48]), coordinate(&bytes[48..]))
        })
        .collect();
    match points.len() == ELEMENTS && points.iter().all(|point| point.is_on_curve()) {
        true => Ok(points),
        false => Err("the trusted setup has another form".into()),
    }
}

/// The Lagrange form of the powers, in bit-reversed order as EIP-4844 has it: point i is l(τ)·G for
/// the polynomial l that is 1 at element i of [`domain`] and 0 at all others.
pub fn lagrange(powers: &[G1Affine]) -> Outcome<Vec<G1Affine>> {
    let fft = fft(powers.len())?;
    let points: Vec<G1Projective> = powers.iter().map(|point| (*point).into()).collect();
    let mut points = G1Projective::normalize_batch(&fft.ifft(&points));
    reverse_bits(&mut points);
    Ok(points)
}

/// The roots of unity at which a blob's elements are values of its polynomial.
pub fn domain() -> Outcome<Vec<Fr>> {
    let mut roots: Vec<Fr> = fft(ELEMENTS)?.elements().collect();
    reverse_bits(&mut roots);
    Ok(roots)
}

/// The Fourier transform of a power of two.
pub fn fft(size: usize) -> Outcome<Radix2EvaluationDomain<Fr>> {
    Radix2EvaluationDomain::new(size).ok_or_else(|| format!("no transform of {size}").into())
}

/// Puts item i in the place whose index has the bits of i in reverse order. The length is a power
/// of two.
pub fn reverse_bits<T>(items: &mut [T]) {
    let unused = usize::BITS - items.len().trailing_zeros();
    for i in 1..items.len() {
        let other = i.reverse_bits() >> unused;
        if i < other {
            items.swap(i, other);
        }
    }
}

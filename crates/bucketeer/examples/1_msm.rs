//! One call: `msm` over arkworks' points and scalars.
//!
//! `cargo run --release -p bucketeer --example 1_msm`

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use bucketeer::{Error, msm};

const N: u64 = 1 << 12;

fn main() -> Result<(), Error> {
    let generator = G1Affine::generator();

    // Base i is (i + 1)·G and scalar i is (i + 1)², so the sum is (1³ + 2³ + … + N³)·G.
    let points: Vec<_> = (1..=N).map(|i| generator * Fr::from(i)).collect();
    let bases = G1Projective::normalize_batch(&points);
    let scalars: Vec<Fr> = (1..=N).map(|i| Fr::from(i * i)).collect();

    let sum = msm(&bases, &scalars)?;

    // The first N cubes sum to the square of the N-th triangular number.
    let triangular = Fr::from(N * (N + 1) / 2);
    assert_eq!(sum, generator * (triangular * triangular));
    println!("{}", sum.into_affine());
    Ok(())
}

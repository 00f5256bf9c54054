//! Small scalars: a narrow type or a bound makes the run faster.
//!
//! `cargo run --release -p bucketeer --example 3_small_scalars`

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use bucketeer::{Builder, Device, Error, Scalars, msm};

const N: u64 = 1 << 12;

fn main() -> Result<(), Error> {
    let generator = G1Affine::generator();
    let points: Vec<_> = (1..=N).map(|i| generator * Fr::from(i)).collect();
    let bases = G1Projective::normalize_batch(&points);

    // Booleans select bases: here those with an odd logarithm, 1 + 3 + … + (N − 1) = (N/2)².
    let odd: Vec<bool> = (1..=N).map(|i| i % 2 == 1).collect();
    assert_eq!(msm(&bases, &odd)?, generator * Fr::from(N * N / 4));

    // Integers need no conversion to field elements.
    let bytes = vec![200u8; N as usize];
    assert_eq!(msm(&bases, &bytes)?, generator * Fr::from(200 * N * (N + 1) / 2));

    // Signed ones as well: ±100 for odd and even logarithms, Σ −(−1)^i·i = −N/2.
    let signs: Vec<i8> = (1..=N).map(|i| if i % 2 == 1 { 100 } else { -100 }).collect();
    assert_eq!(msm(&bases, &signs)?, generator * -Fr::from(100 * N / 2));

    // A tighter bound than the type's means fewer windows. It is checked.
    let wide = vec![1000u64; N as usize];
    let narrow = Scalars::from(&wide).with_bits(10);
    let (device, builder) = (Device::best(), Builder::default());
    let report = builder.msm_with_report(&device, &bases, narrow)?;
    let unbounded = builder.msm_with_report(&device, &bases, &wide)?;
    assert_eq!(report.result, unbounded.result);
    assert!(report.plan.shape.scalar_bits < unbounded.plan.shape.scalar_bits);
    println!("10 bits: {}\n\n64 bits: {}", report.plan, unbounded.plan);

    let too_narrow = msm(&bases, Scalars::from(&wide).with_bits(9));
    assert!(matches!(too_narrow, Err(Error::ScalarTooLarge { index: 0, .. })));
    Ok(())
}

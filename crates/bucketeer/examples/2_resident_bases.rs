//! Resident bases: loaded and precomputed once, then used by one MSM, a batch and a background job.
//!
//! `cargo run --release -p bucketeer --example 2_resident_bases`

use ark_bls12_377::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use bucketeer::{Bases, Device, Error};

const N: u64 = 1 << 12;

fn main() -> Result<(), Error> {
    let generator = G1Affine::generator();
    let points: Vec<_> = (1..=N).map(|i| generator * Fr::from(i)).collect();
    let points = G1Projective::normalize_batch(&points);

    // Four copies of each base cost four times the memory and leave a quarter of the windows.
    let device = Device::best();
    let bases = Bases::builder().precompute(4).check_subgroup().load(&device, &points)?;
    println!("{bases:?}\n{}", bases.plan());

    // Base i is (i + 1)·G, so equal scalars k give k·(1 + 2 + … + N)·G.
    let all = generator * Fr::from(N * (N + 1) / 2);
    let sevens = vec![Fr::from(7); N as usize];
    assert_eq!(bases.msm(&sevens)?, all * Fr::from(7));

    // Fewer scalars than bases use the first bases.
    let sums = bases.msm_batch(&[&sevens[..], &sevens[..10], &[]])?;
    assert_eq!(sums, [all * Fr::from(7), generator * Fr::from(7 * 55), G1Projective::default()]);

    // A job owns its scalars and shares the bases. The caller does not block.
    let job = bases.submit(sevens.clone())?;
    assert_eq!(job.wait()?, all * Fr::from(7));

    // A service that does not trust its hardware: one more MSM for the whole batch, and a sum that
    // was computed wrongly is an error.
    let verified = Bases::builder().verify().load(&device, &points)?;
    let sums = verified.msm_batch(&[&sevens[..], &sevens[..10]])?;
    assert_eq!(sums, [all * Fr::from(7), generator * Fr::from(7 * 55)]);
    Ok(())
}

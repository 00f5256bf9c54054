//! Commitments to polynomials with halo2curves' types.
//!
//! `cargo run --release -p bucketeer-halo2 --example kzg`

use bucketeer_halo2::{Bases, Device, Error, msm_best};
use halo2curves::bn256::{Fr, G1, G1Affine};

fn main() -> Result<(), Error> {
    let g = vec![G1Affine::generator(); 1000]; // the parameters of KZG
    let polynomial: Vec<Fr> = (0..1000).map(Fr::from).collect();
    let commitment: G1 = msm_best(&polynomial, &g); // instead of halo2curves::msm::msm_best

    let bases = Bases::load(&Device::best(), &g)?; // for many commitments
    assert_eq!(bases.msm(&polynomial)?, commitment);
    assert_eq!(commitment, G1::generator() * Fr::from(499_500));
    Ok(())
}

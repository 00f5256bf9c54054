//! Unchanged types of arkworks on Bucketeer, through the hook of the patched ark-ec.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ark_bls12_381::{Fr, G1Affine, G1Projective, G2Affine, G2Projective};
use ark_ec::scalar_mul::variable_base::set_msm_hook;
use ark_ec::{AffineRepr, PrimeGroup, ScalarMul, VariableBaseMSM};
use ark_ff::{BigInt, PrimeField};
use ark_std::UniformRand;

static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Programs register `bucketeer_ark::msm_bigint` itself; this one counts.
fn counted(bases: &[G1Affine], bigints: &[BigInt<4>]) -> G1Projective {
    CALLS.fetch_add(1, Relaxed);
    bucketeer_ark::msm_bigint(bases, bigints)
}

fn main() {
    let rng = &mut ark_std::test_rng();
    let scalars: Vec<_> = (0..500).map(|_| Fr::rand(rng)).collect();
    let bigints: Vec<_> = scalars.iter().map(|scalar| scalar.into_bigint()).collect();
    let bases = G1Projective::generator().batch_mul(&scalars);
    let expected = G1Projective::msm(&bases, &scalars).unwrap();
    assert_eq!(CALLS.load(Relaxed), 0);

    set_msm_hook::<G1Projective>(counted);
    assert_eq!(G1Projective::msm(&bases, &scalars).unwrap(), expected);
    assert_eq!(G1Projective::msm_unchecked(&bases, &scalars), expected);
    assert_eq!(G1Projective::msm_bigint(&bases, &bigints), expected);
    assert_eq!(G1Projective::msm(&bases, &scalars[1..]), Err(499));
    assert_eq!(CALLS.load(Relaxed), 3);

    // Groups without a hook are left to arkworks.
    let bases = [G2Affine::generator(); 3];
    let sum = G2Projective::msm(&bases, &scalars[..3]).unwrap();
    assert_eq!(sum, bases[0] * (scalars[0] + scalars[1] + scalars[2]));
    assert_eq!(CALLS.load(Relaxed), 3);

    // Both groups, as docs/arkworks.md has it.
    set_msm_hook::<G1Projective>(bucketeer_ark::msm_bigint);
    set_msm_hook::<G2Projective>(bucketeer_ark::msm_bigint);
    assert_eq!(G2Projective::msm(&bases, &scalars[..3]).unwrap(), sum);
    println!("3 MSMs of unchanged types ran on Bucketeer");
}

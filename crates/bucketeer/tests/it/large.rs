//! A million bases with known logarithms.

use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Curve, Scalars, msm};

fn check<C: Curve>(kinds: &[Distribution]) {
    let n = 1 << 20;
    let bases = KnownBases::<C>::new(n, 20);
    for &kind in kinds {
        let scalars = kind.scalars::<C::ScalarField>(n, 20);
        let sum = msm(&bases.points, Scalars::residues(&scalars)).unwrap();
        assert!(sum == bases.expected(&scalars), "{kind:?} scalars");
    }
}

#[test]
fn bls12_377_g1() {
    check::<ark_bls12_377::G1Affine>(&[Distribution::Uniform, Distribution::Skewed]);
}

#[test]
fn bn254_g1() {
    check::<ark_bn254::G1Affine>(&[Distribution::Uniform, Distribution::Equal]);
}

#[test]
fn ed_on_bls12_377() {
    check::<ark_ed_on_bls12_377::EdwardsAffine>(&[Distribution::Uniform, Distribution::Skewed]);
}

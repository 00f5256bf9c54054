//! Integration tests, in one binary: each would compile the curves again. Expectations are
//! arkworks' own results.

mod convert;
mod device;
mod entries;
mod events;
mod groth16;
mod poly_commit;
mod resident;

use ark_ec::{PrimeGroup, ScalarMul};
use ark_ff::UniformRand;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use bucketeer::Curve;
use bucketeer_ark::{Affine, Wrapper};

/// Random bases, with a point at infinity and a pair of equal points if there are enough.
fn random_bases<A: Curve>(n: usize) -> Vec<Affine<A>> {
    let rng = &mut StdRng::seed_from_u64(n as u64);
    let factors: Vec<_> = (0..n).map(|_| A::ScalarField::rand(rng)).collect();
    let mut bases = Affine::wrap_vec(A::Group::generator().batch_mul(&factors));
    if n > 8 {
        bases[3] = Affine(A::zero());
        bases[5] = bases[4];
    }
    bases
}

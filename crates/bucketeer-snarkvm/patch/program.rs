//! snarkVM's `VariableBase::msm` on Bucketeer, against snarkVM's own MSMs.
//!
//! Arguments: the logarithm of the size of the MSM that is timed, 11 by default, and the rounds.

use std::time::Instant;

use snarkvm_algorithms::fft::EvaluationDomain;
use snarkvm_algorithms::msm::{VariableBase, batched, standard};
use snarkvm_curves::bls12_377::{Fr, G1Affine, G1Projective};
use snarkvm_curves::{AffineCurve, ProjectiveCurve};
use snarkvm_fields::{PrimeField, Zero};
use snarkvm_utilities::BigInteger256;
use snarkvm_utilities::rand::{TestRng, Uniform};

/// Sums that snarkVM computes in three ways.
fn check(points: &[G1Affine], scalars: &[BigInteger256]) {
    let n = scalars.len();
    let expected = standard::msm(points, scalars).to_affine();
    assert_eq!(batched::msm(points, scalars).to_affine(), expected, "n = {n}");
    assert_eq!(VariableBase::msm(points, scalars).to_affine(), expected, "n = {n}");
    let direct = snarkvm_algorithms_cuda::msm::<_, G1Projective, _>(points, scalars);
    assert_eq!(direct.expect("these are its types").to_affine(), expected, "n = {n}");
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u32>());
    let k = arguments.next().map_or(11, |k| k.expect("the first argument is a number of bits"));
    let rounds = arguments.next().map_or(1, |n| n.expect("the second is a number of rounds"));
    let rng = &mut TestRng::fixed(1);
    let n = 1 << k;
    // Random points are slow to make: a few of them, and sums.
    let step = G1Projective::rand(rng);
    let mut sum = G1Projective::rand(rng);
    let mut points = vec![];
    for _ in 0..n {
        points.push(sum);
        sum += step;
    }
    G1Projective::batch_normalization(&mut points);
    let mut points: Vec<G1Affine> = points.iter().map(|point| point.to_affine()).collect();
    let mut scalars: Vec<_> = (0..n).map(|_| Fr::rand(rng).to_bigint()).collect();
    for n in [0, 1, 2, 15, 1000, 1024, 1025, n] {
        check(&points[..n], &scalars[..n]);
    }

    let calls = Events::default();
    let uniform = (points.clone(), scalars.clone());
    for i in 0..30 {
        points[50 * i] = G1Affine::zero();
        scalars[50 * i + 1] = BigInteger256::from(0u64);
        points[50 * i + 2] = -points[50 * i + 3];
        scalars[50 * i + 2] = scalars[50 * i + 3];
        points[50 * i + 4] = points[50 * i + 5];
    }
    tracing::subscriber::with_default(calls.clone(), || check(&points, &scalars));
    // One from VariableBase, one from `check` itself.
    assert_eq!(calls.count(), 2, "VariableBase::msm did not reach Bucketeer");

    // Transforms fall back to snarkVM's own.
    let domain = EvaluationDomain::<Fr>::new(64).expect("a domain of 64");
    let values: Vec<Fr> = (0..64u64).map(Fr::from).collect();
    assert_eq!(domain.ifft(&domain.fft(&values)), values);

    let (points, scalars) = uniform;
    for _ in 0..rounds {
        let start = Instant::now();
        let own = batched::msm(&points, &scalars);
        let own_time = start.elapsed();
        let start = Instant::now();
        let sum = VariableBase::msm(&points, &scalars);
        let time = start.elapsed();
        assert_eq!(own, sum);
        println!("2^{k}: snarkVM {own_time:.1?}, Bucketeer {time:.1?}");
    }
    println!("VariableBase::msm ran on Bucketeer");
}

/// Counts the MSMs that Bucketeer reports through `tracing`.
#[derive(Clone, Default)]
struct Events(std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl Events {
    fn count(&self) -> usize {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }
}

impl tracing::Subscriber for Events {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target() == "snarkvm_algorithms_cuda::g1"
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

//! KZG proofs of halo2-axiom over BN254, with halo2's own MSM, with Bucketeer's through the hook of
//! the patched crate, and with resident parameters. They must verify, and every MSM of a proof must
//! be that of halo2curves: proofs themselves differ, because halo2-axiom draws a polynomial from
//! the system's randomness.
//!
//! Arguments: the logarithm of the rows, 8 by default, and the rounds, 1 by default.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use bucketeer_halo2::Resident;
use halo2_axiom::arithmetic::set_msm_hook;
use halo2_axiom::circuit::{Layouter, SimpleFloorPlanner, Value};
use halo2_axiom::halo2curves::bn256::{Bn256, Fr, G1, G1Affine};
use halo2_axiom::halo2curves::msm::msm_best;
use halo2_axiom::plonk::{
    Advice, Circuit, Column, ConstraintSystem, Error, Fixed, ProvingKey, create_proof, keygen_pk,
    keygen_vk, verify_proof,
};
use halo2_axiom::poly::Rotation;
use halo2_axiom::poly::commitment::ParamsProver;
use halo2_axiom::poly::kzg::commitment::{KZGCommitmentScheme, ParamsKZG};
use halo2_axiom::poly::kzg::multiopen::{ProverSHPLONK, VerifierSHPLONK};
use halo2_axiom::poly::kzg::strategy::SingleStrategy;
use halo2_axiom::transcript::{
    Blake2bRead, Blake2bWrite, Challenge255, TranscriptReadBuffer, TranscriptWriterBuffer,
};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

/// Squares a number again and again; the number is public.
#[derive(Clone)]
struct Squares {
    start: Fr,
    rows: usize,
}

#[derive(Clone)]
struct Columns {
    a: Column<Advice>,
    square: Column<Advice>,
    active: Column<Fixed>,
    first: Column<Fixed>,
}

impl Circuit<Fr> for Squares {
    type Config = Columns;
    type FloorPlanner = SimpleFloorPlanner;
    type Params = ();

    fn without_witnesses(&self) -> Self {
        self.clone()
    }

    fn configure(meta: &mut ConstraintSystem<Fr>) -> Columns {
        let [a, square] = [(); 2].map(|_| meta.advice_column());
        let [active, first] = [(); 2].map(|_| meta.fixed_column());
        let public = meta.instance_column();
        meta.enable_equality(a);
        meta.enable_equality(square);
        meta.create_gate("a² is the square, and the first a is public", |meta| {
            let [a, square] = [a, square].map(|c| meta.query_advice(c, Rotation::cur()));
            let [active, first] = [active, first].map(|c| meta.query_fixed(c, Rotation::cur()));
            let public = meta.query_instance(public, Rotation::cur());
            [active * (a.clone() * a.clone() - square), first * (a - public)]
        });
        Columns { a, square, active, first }
    }

    fn synthesize(&self, columns: Columns, mut layouter: impl Layouter<Fr>) -> Result<(), Error> {
        let Columns { a, square, active, first } = columns;
        layouter.assign_region(
            || "squares",
            |mut region| {
                region.assign_fixed(first, 0, Fr::from(1));
                let mut value = self.start;
                region.assign_advice(a, 0, Value::known(value));
                for row in 0..self.rows {
                    region.assign_fixed(active, row, Fr::from(1));
                    value = value.square();
                    let cell = region.assign_advice(square, row, Value::known(value));
                    cell.copy_advice(&mut region, a, row + 1);
                }
                Ok(())
            },
        )
    }
}

static CALLS: AtomicUsize = AtomicUsize::new(0);
static MODE: AtomicUsize = AtomicUsize::new(OWN);

const OWN: usize = 0;
const BUCKETEER: usize = 1;
const BOTH: usize = 2;

/// Programs register `bucketeer_halo2::msm_best` itself; this one counts, can be switched, and
/// compares both MSMs.
fn counted(coeffs: &[Fr], bases: &[G1Affine]) -> G1 {
    let mode = MODE.load(Relaxed);
    if mode == OWN {
        return msm_best(coeffs, bases);
    }
    CALLS.fetch_add(1, Relaxed);
    let sum = bucketeer_halo2::msm_best(coeffs, bases);
    if mode == BOTH {
        assert_eq!(sum, msm_best(coeffs, bases), "{} bases", bases.len());
    }
    sum
}

type Scheme = KZGCommitmentScheme<Bn256>;

fn prove(params: &ParamsKZG<Bn256>, pk: &ProvingKey<G1Affine>, circuit: &Squares) -> Vec<u8> {
    let mut transcript = Blake2bWrite::<_, _, Challenge255<_>>::init(vec![]);
    create_proof::<Scheme, ProverSHPLONK<'_, Bn256>, _, _, _, _>(
        params,
        pk,
        &[circuit.clone()],
        &[&[&[circuit.start]]],
        ChaCha20Rng::seed_from_u64(3),
        &mut transcript,
    )
    .expect("the circuit is satisfied");
    transcript.finalize()
}

fn verifies(params: &ParamsKZG<Bn256>, pk: &ProvingKey<G1Affine>, proof: &[u8], a: Fr) -> bool {
    let mut transcript = Blake2bRead::<_, G1Affine, Challenge255<_>>::init(proof);
    let strategy = SingleStrategy::new(params);
    verify_proof::<Scheme, VerifierSHPLONK<'_, Bn256>, _, _, _>(
        params,
        pk.get_vk(),
        strategy,
        &[&[&[a]]],
        &mut transcript,
    )
    .is_ok()
}

fn timed<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{name}: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    result
}

fn main() -> Result<(), bucketeer_halo2::Error> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u32>());
    let k = arguments.next().map_or(8, |k| k.expect("the first argument is a number of bits"));
    let rounds = arguments.next().map_or(1, |n| n.expect("the second is a number of rounds"));
    let start = -Fr::from(3);
    let circuit = Squares { start, rows: (1 << k) - 10 };
    let params = ParamsKZG::<Bn256>::setup(k, ChaCha20Rng::seed_from_u64(1));
    let vk = keygen_vk(&params, &circuit).expect("the circuit fits");
    let pk = keygen_pk(&params, vk, &circuit).expect("the circuit fits");
    // Verifies with halo2's own MSM, whatever the proof was made with.
    let check = |proof: Vec<u8>| {
        let mode = MODE.swap(OWN, Relaxed);
        assert!(verifies(&params, &pk, &proof, start));
        assert!(!verifies(&params, &pk, &proof, -start));
        MODE.store(mode, Relaxed);
    };
    // Without a hook.
    check(prove(&params, &pk, &circuit));

    set_msm_hook::<G1Affine>(counted);
    let device = bucketeer_halo2::device()?;
    let slices = [params.get_g(), params.get_g_lagrange()];
    let builder = bucketeer::Bases::builder().auto_precompute().memory_limit(1 << 30);
    let tables = timed("loading tables", || Resident::load_with(&builder, &device, &slices))?;
    for _ in 0..rounds {
        MODE.store(OWN, Relaxed);
        check(timed("halo2curves", || prove(&params, &pk, &circuit)));
        assert_eq!(CALLS.load(Relaxed), 0);
        MODE.store(BUCKETEER, Relaxed);
        check(timed("Bucketeer", || prove(&params, &pk, &circuit)));
        let calls = CALLS.swap(0, Relaxed);
        assert!(calls >= 5, "MSMs did not reach Bucketeer");
        println!("{calls} MSMs of this proof ran on {device}");
        check(timed("with tables", || tables.scope(|| prove(&params, &pk, &circuit))));
        assert_eq!(CALLS.swap(0, Relaxed), calls);
    }
    MODE.store(BOTH, Relaxed);
    check(prove(&params, &pk, &circuit));
    check(tables.scope(|| prove(&params, &pk, &circuit)));

    // What programs write.
    set_msm_hook::<G1Affine>(bucketeer_halo2::msm_best);
    let resident = Resident::of(&device, &[params.get_g(), params.get_g_lagrange()])?;
    let proof = resident.scope(|| prove(&params, &pk, &circuit));
    check(proof);
    println!("all proofs verify, and every MSM is that of halo2curves");
    Ok(())
}

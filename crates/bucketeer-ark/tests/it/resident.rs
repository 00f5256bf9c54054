//! Resident bases: found in their scope and nowhere else.

use ark_bls12_381::{Fr, G1Affine, G2Affine};
use ark_ec::VariableBaseMSM;
use ark_ff::UniformRand;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use bucketeer::{Device, Error};
use bucketeer_ark::{IntoOriginal, Projective, Queries, QueryList, Resident};
use rayon::prelude::*;

use crate::events::{Msms, msms};
use crate::random_bases;

type Bases = Vec<bucketeer_ark::Affine<G1Affine>>;

const BORROWED: Msms = Msms { borrowed: 1, resident: 0 };
const RESIDENT: Msms = Msms { borrowed: 0, resident: 1 };

fn scalars(n: usize) -> Vec<Fr> {
    let rng = &mut StdRng::seed_from_u64(6);
    (0..n).map(|_| Fr::rand(rng)).collect()
}

fn expected(bases: &Bases, range: std::ops::Range<usize>, scalars: &[Fr]) -> Projective<G1Affine> {
    let points = bases[range].into_original();
    Projective(ark_bls12_381::G1Projective::msm_unchecked(points, scalars))
}

#[test]
fn every_range_of_the_bases() {
    let (bases, scalars) = (random_bases::<G1Affine>(120), scalars(120));
    let resident = Resident::builder().memory_limit(1 << 20).load(&bases).unwrap();
    resident.scope(|| {
        for range in [0..120, 1..120, 0..119, 50..70, 119..120, 3..4] {
            let scalars = &scalars[..range.len()];
            let sum = msms(|| Projective::msm(&bases[range.clone()], scalars).unwrap());
            assert_eq!(sum, (expected(&bases, range, scalars), RESIDENT));
        }
        // Fewer scalars than bases, and small ones.
        let sum = msms(|| Projective::msm_unchecked(&bases[2..], &scalars[..5]));
        assert_eq!(sum, (expected(&bases, 2..7, &scalars[..5]), RESIDENT));
        let (small, seen) = msms(|| Projective::msm_u8(&bases[7..], &[200; 100]));
        assert_eq!(small, expected(&bases, 7..107, &[Fr::from(200u64); 100]));
        assert_eq!(seen, RESIDENT);
        // Others are not: a copy, and an empty range.
        let copy = bases.clone();
        let sum = msms(|| Projective::msm(&copy, &scalars).unwrap());
        assert_eq!(sum, (expected(&bases, 0..120, &scalars), BORROWED));
        let none = msms(|| Projective::msm_u8(&bases[120..], &[]));
        assert_eq!(none.1.resident, 0);
    });
    let sum = msms(|| Projective::msm(&bases, &scalars).unwrap());
    assert_eq!(sum, (expected(&bases, 0..120, &scalars), BORROWED));
}

#[test]
fn a_few_bases() {
    let none: &[bucketeer_ark::Affine<G1Affine>] = &[];
    assert_eq!(Resident::of(none).unwrap().table_bytes(), 0);
    for n in 1..=5 {
        let (bases, scalars) = (random_bases::<G1Affine>(n), scalars(n));
        let resident = Resident::of(&bases).unwrap();
        let sum = msms(|| resident.scope(|| Projective::msm(&bases, &scalars).unwrap()));
        assert_eq!(sum, (expected(&bases, 0..n, &scalars), RESIDENT));
    }
}

#[test]
fn scopes_nest_and_end() {
    let (bases, other, scalars) =
        (random_bases::<G1Affine>(40), random_bases::<G1Affine>(41), scalars(40));
    let seen = || msms(|| Projective::msm(&bases, &scalars).unwrap()).1;
    let load = |bases| Resident::builder().without_tables().load(bases).unwrap();
    let (resident, around) = (load(&bases), load(&other));
    around.scope(|| {
        assert_eq!(seen(), BORROWED);
        resident.scope(|| resident.scope(|| assert_eq!(seen(), RESIDENT)));
        assert_eq!(seen(), BORROWED);
        // A panic in a scope ends it, and a scope in another ends alone.
        resident.scope(|| {
            resident.scope(|| ());
            assert_eq!(seen(), RESIDENT);
        });
    });
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        resident.scope(|| std::panic::resume_unwind(Box::new("stopped")))
    }));
    assert!(panic.is_err());
    assert_eq!(seen(), BORROWED);
    // Leaking the value leaves nothing behind: only scopes register bases.
    std::mem::forget(resident);
    assert_eq!(seen(), BORROWED);
}

/// Provers call MSMs from rayon's threads, which are in no scope themselves.
#[test]
fn found_from_other_threads() {
    let (bases, scalars) = (random_bases::<G1Affine>(64), scalars(64));
    let resident = Resident::of(&bases).unwrap();
    let sums: Vec<_> = resident.scope(|| {
        (0..8usize)
            .into_par_iter()
            .map(|i| msms(|| Projective::msm(&bases[i..], &scalars[i..]).unwrap()))
            .collect()
    });
    for (i, sum) in sums.into_iter().enumerate() {
        assert_eq!(sum, (expected(&bases, i..64, &scalars[i..]), RESIDENT));
    }
}

/// Keys of callers, over several curves, on a device of their own.
#[test]
fn own_keys() {
    struct Key {
        g1: Bases,
        g2: Vec<bucketeer_ark::Affine<G2Affine>>,
        empty: Bases,
    }

    impl Queries for Key {
        fn queries<'a>(&'a self, list: &mut QueryList<'a>) {
            list.add(&self.g1);
            list.add(&self.g2);
            list.add(&self.empty);
        }
    }

    let key = Key { g1: random_bases(30), g2: random_bases(20), empty: Vec::new() };
    let device = Device::cpu_with_threads(1).unwrap();
    let limit = 1 << 20;
    let resident = Resident::builder().device(&device).memory_limit(limit).load(&key).unwrap();
    assert!(resident.table_bytes() <= limit);
    let error = Resident::builder().memory_limit(1000).load(&key).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { available: 1000, .. }), "{error}");
    resident.scope(|| {
        let g1 = msms(|| Projective::msm_u32(&key.g1, &[70_000; 30]));
        assert_eq!(g1, (expected(&key.g1, 0..30, &[Fr::from(70_000u64); 30]), RESIDENT));
        let (g2, seen) = msms(|| Projective::msm_u1(&key.g2[1..], &[true; 19]));
        let points = key.g2[1..].into_original();
        assert_eq!(g2.0, points.iter().sum::<ark_bls12_381::G2Projective>());
        assert_eq!(seen, RESIDENT);
    });
}

//! The result does not depend on how many threads there are or who calls.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use ark_bls12_377::{Fr, G1Affine};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Bases, Device, Error, Hook, Progress, msm};
use rayon::prelude::*;

#[test]
fn any_number_of_threads_gives_the_same_sum() {
    let bases = KnownBases::<G1Affine>::new(3001, 1);
    let scalars: Vec<Fr> = Distribution::Skewed.scalars(3001, 1);
    let expected = bases.expected(&scalars);
    for threads in [1, 2, 3, 5, 16] {
        let device = Device::cpu_with_threads(threads).unwrap();
        for device in [device.clone(), device.portable().unwrap()] {
            assert_eq!(device.facts().threads, threads);
            let builder = Bases::builder();
            assert_eq!(
                builder.msm(&device, &bases.points, &scalars).unwrap(),
                expected,
                "{device}"
            );
            let loaded = builder.precompute(2).load(&device, &bases.points).unwrap();
            assert_eq!(loaded.msm(&scalars).unwrap(), expected, "{device}");
        }
    }
}

#[test]
fn bases_are_shared_by_threads_and_callers_inside_a_pool() {
    let bases = KnownBases::<G1Affine>::new(500, 2);
    let loaded = Bases::load(&Device::cpu(), &bases.points).unwrap();
    let inputs: Vec<Vec<Fr>> =
        (0..8).map(|seed| Distribution::Uniform.scalars(500, seed)).collect();
    std::thread::scope(|scope| {
        for scalars in &inputs {
            let (loaded, bases) = (&loaded, &bases);
            scope.spawn(move || assert_eq!(loaded.msm(scalars).unwrap(), bases.expected(scalars)));
        }
    });
    inputs.par_iter().for_each(|scalars| {
        assert_eq!(msm(&bases.points, scalars).unwrap(), bases.expected(scalars));
    });
}

#[test]
fn absurd_thread_counts_are_refused() {
    assert!(Device::cpu_with_threads(0).is_err());
    assert!(Device::cpu_with_threads(1 << 20).is_err());
}

#[test]
fn devices_are_found_by_name_and_never_replaced() {
    assert!(Device::named("cpu").is_ok());
    assert!(Device::named("auto").is_ok());
    for missing in ["cuda:99", "cuda:99,98", "webgpu:99"] {
        let error = Device::named(missing).unwrap_err();
        assert!(matches!(error, bucketeer::Error::NoDevice { .. }), "{error}");
    }
    for unknown in ["", "gpu", "cpu:1", "cuda:x", "cuda:"] {
        let error = Device::named(unknown).unwrap_err();
        assert!(matches!(error, bucketeer::Error::UnknownName { .. }), "{error}");
    }
}

/// Two CPUs, or one named twice, share every MSM: sums, batches, errors and progress are those of
/// one.
#[test]
fn several_devices_share_every_msm() {
    let one = Device::cpu_with_threads(1).unwrap();
    let several =
        Device::several(&[one.clone(), one, Device::cpu_with_threads(2).unwrap()]).unwrap();
    assert!(several.to_string().contains(" + "), "{several}");
    let bases = KnownBases::<G1Affine>::new(1000, 9);
    let scalars: Vec<Fr> = Distribution::Uniform.scalars(1000, 9);
    let expected = bases.expected(&scalars);
    let report = Bases::builder().msm_with_report(&several, &bases.points, &scalars).unwrap();
    assert_eq!((report.result, report.plan.n), (expected, 1000));
    let last = Arc::new(Mutex::new(None));
    let seen = last.clone();
    let hook: Hook = Arc::new(move |progress: Progress| {
        *seen.lock().unwrap() = Some(progress);
        ControlFlow::Continue(())
    });
    let loaded = Bases::builder().on_progress(hook).load(&several, &bases.points).unwrap();
    assert_eq!(loaded.len(), 1000);
    assert_eq!(loaded.msm(&scalars).unwrap(), expected);
    let progress = last.lock().unwrap().expect("progress is reported");
    assert_eq!(progress.done, progress.total);
    assert_eq!(loaded.submit(scalars.clone()).unwrap().wait().unwrap(), expected);
    let sums = loaded.msm_batch(&[&scalars[..], &scalars[..400], &[], &scalars[..1]]).unwrap();
    for (sum, length) in sums.iter().zip([1000, 400, 0, 1]) {
        assert_eq!(*sum, bases.expected(&scalars[..length]), "{length}");
    }
    let mut long = vec![1u64; 1000];
    long[777] = 1 << 20;
    let error = loaded.msm(bucketeer::Scalars::from(&long).with_bits(20)).unwrap_err();
    assert!(matches!(error, Error::ScalarTooLarge { index: 777, .. }), "{error}");
    // Fewer bases than devices.
    let few = Bases::load(&several, &bases.points[..2]).unwrap();
    assert_eq!(few.msm(&scalars[..2]).unwrap(), bases.expected(&scalars[..2]));
    assert!(Device::several(&[]).is_err());
}

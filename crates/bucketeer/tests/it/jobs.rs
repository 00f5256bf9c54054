//! Jobs in the background, progress and cancelling.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use ark_bls12_377::{Fr, G1Affine};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Bases, Device, Error, Hook, Progress};

const N: usize = 4000;

fn input() -> (KnownBases<G1Affine>, Vec<Fr>) {
    (KnownBases::new(N, 3), Distribution::Uniform.scalars(N, 3))
}

/// A hook that waits at its first call until it is let go: what is cancelled before that is
/// cancelled in the middle of a run, whatever the machine's speed.
fn gate() -> (Hook, Arc<AtomicBool>, Arc<AtomicBool>) {
    let (reached, open) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (r, o) = (reached.clone(), open.clone());
    let hook: Hook = Arc::new(move |_| {
        r.store(true, SeqCst);
        while !o.load(SeqCst) {
            std::thread::yield_now();
        }
        ControlFlow::Continue(())
    });
    (hook, reached, open)
}

fn wait_for(flag: &AtomicBool) {
    while !flag.load(SeqCst) {
        std::thread::yield_now();
    }
}

#[test]
fn jobs_yield_their_sums_in_any_order() {
    let (bases, scalars) = input();
    let loaded = Bases::load(&Device::cpu(), &bases.points).unwrap();
    let first = loaded.submit(scalars.clone()).unwrap();
    let second = loaded.submit(vec![true; N]).unwrap();
    let third = loaded.submit(Arc::<[u64]>::from(vec![7u64; N])).unwrap();
    drop(loaded);
    assert_eq!(third.wait().unwrap(), bases.expected(&vec![Fr::from(7u64); N]));
    let report = second.wait_with_report().unwrap();
    assert_eq!(report.result, bases.expected(&vec![Fr::from(1u64); N]));
    assert_eq!(report.plan.n, N);
    assert_eq!(first.wait().unwrap(), bases.expected(&scalars));
}

#[test]
fn a_cancelled_job_ends_with_an_error() {
    let (bases, scalars) = input();
    let (hook, reached, open) = gate();
    let device = Device::cpu_with_threads(1).unwrap();
    let loaded = Bases::builder().on_progress(hook).load(&device, &bases.points).unwrap();
    let job = loaded.submit(scalars).unwrap();
    wait_for(&reached);
    assert!(!job.is_finished());
    job.cancel();
    open.store(true, SeqCst);
    assert_eq!(job.wait().unwrap_err(), Error::Cancelled);
}

#[test]
fn dropping_a_job_cancels_it_and_does_not_wait() {
    let (bases, scalars) = input();
    let (hook, reached, open) = gate();
    let device = Device::cpu_with_threads(1).unwrap();
    let loaded = Bases::builder().on_progress(hook).load(&device, &bases.points).unwrap();
    let job = loaded.submit(scalars).unwrap();
    wait_for(&reached);
    drop(job); // returns while the gate is still shut
    open.store(true, SeqCst);
}

#[test]
fn progress_is_within_its_total_and_reaches_it() {
    let (bases, scalars) = input();
    for distribution in [Distribution::Uniform, Distribution::Zero, Distribution::One] {
        let scalars = match distribution {
            Distribution::Uniform => scalars.clone(),
            other => other.scalars(N, 0),
        };
        let seen: Arc<Mutex<Vec<Progress>>> = Arc::default();
        let log = seen.clone();
        let hook: Hook = Arc::new(move |progress| {
            log.lock().unwrap().push(progress);
            ControlFlow::Continue(())
        });
        let device = Device::cpu_with_threads(1).unwrap();
        let mut settings = bucketeer::plan::Settings::default();
        settings.chunk = Some(1000);
        let builder = Bases::builder().settings(settings).on_progress(hook);
        let sum = builder.msm(&device, &bases.points, &scalars).unwrap();
        assert_eq!(sum, bases.expected(&scalars));
        let seen = seen.lock().unwrap();
        assert!(seen.len() >= 4, "{distribution:?}: {} calls", seen.len());
        assert!(seen.len() <= 300, "{distribution:?}: {} calls", seen.len());
        assert!(seen.iter().all(|p| p.done <= p.total && p.total == seen[0].total));
        assert!(seen.is_sorted_by_key(|p| p.done), "{distribution:?}: {seen:?}");
        assert_eq!(seen.last().unwrap().done, seen[0].total);
    }
}

#[test]
fn a_hook_that_breaks_cancels_the_run() {
    let (bases, scalars) = input();
    let calls = Arc::new(AtomicU64::new(0));
    let counter = calls.clone();
    let hook: Hook = Arc::new(move |_| {
        counter.fetch_add(1, SeqCst);
        ControlFlow::Break(())
    });
    let builder = Bases::builder().on_progress(hook);
    let device = Device::cpu();
    let error = builder.msm(&device, &bases.points, &scalars).unwrap_err();
    assert_eq!(error, Error::Cancelled);
    assert!(calls.load(SeqCst) >= 1);
    // The bases are as good as before.
    let loaded = builder.load(&device, &bases.points).unwrap();
    assert_eq!(loaded.msm(&scalars).unwrap_err(), Error::Cancelled);
    let batch = loaded.msm_batch(&[&scalars]).unwrap_err();
    assert_eq!(batch, Error::Batch { index: 0, source: Box::new(Error::Cancelled) });
}

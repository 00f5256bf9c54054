//! A device that is lost, at every moment of a run: an error, no sum and no wait without end. A
//! device that is opened again computes.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use ark_bn254::{Fr, G1Affine, G1Projective};

use crate::plan::Settings;
use crate::random::{Distribution, KnownBases};
use crate::{Bases, Builder, Device, Error};

struct Input {
    points: Vec<G1Affine>,
    scalars: Vec<Fr>,
    expected: G1Projective,
}

impl Input {
    fn new(n: usize) -> Self {
        let known = KnownBases::new(n, 3);
        let scalars = Distribution::Uniform.scalars(n, 4);
        let expected = known.expected(&scalars);
        Self { points: known.points, scalars, expected }
    }
}

/// In two chunks and many passes, so that there are several moments: chunks of a chosen size would
/// share a pass.
fn builder() -> Builder<G1Affine> {
    let settings = Settings { window_bits: Some(8), ..Settings::default() };
    Bases::builder().settings(settings).memory_limit(1 << 20)
}

#[track_caller]
fn fails<T>(outcome: Result<T, Error>, when: &str) {
    match outcome {
        Err(Error::DeviceFailed { .. }) => {}
        Err(Error::Batch { source, .. }) if matches!(*source, Error::DeviceFailed { .. }) => {}
        Err(other) => panic!("{when}: {other:?}"),
        Ok(_) => panic!("{when}: a sum"),
    }
}

#[test]
fn a_device_that_is_lost() {
    let opened = match Device::webgpu(0) {
        Ok(device) => device,
        Err(error) => {
            eprintln!("NOT RUN, a lost device: {error}");
            return;
        }
    };
    let input = Input::new(3000);
    let Input { points, scalars, expected } = &input;
    // Before the first run, between loading and running, and before a batch.
    opened.lose();
    fails(builder().msm(&opened, points, scalars), "lost before a run");
    fails(builder().load(&opened, points).map(drop), "lost before bases are loaded");
    let device = Device::webgpu(0).expect("it is opened again");
    let bases = builder().load(&device, points).expect("bases");
    assert_eq!(bases.msm(scalars), Ok(*expected));
    device.lose();
    fails(bases.msm(scalars), "lost between load and run");
    fails(bases.msm_batch(&[scalars, scalars]), "lost before a batch");
    fails(bases.submit(scalars.clone()).and_then(crate::Job::wait), "lost before a job");
    drop(bases);
    // In the middle, at every call of the hook.
    let calls = Arc::new(AtomicUsize::new(0));
    for moment in 0.. {
        let device = Device::webgpu(0).expect("it is opened again");
        let (lost, seen) = (device.clone(), calls.clone());
        calls.store(0, SeqCst);
        let hook = Arc::new(move |_| {
            if seen.fetch_add(1, SeqCst) == moment {
                lost.lose();
            }
            ControlFlow::Continue(())
        });
        let outcome = builder().on_progress(hook).msm(&device, points, scalars);
        if calls.load(SeqCst) <= moment {
            assert_eq!(outcome, Ok(*expected));
            assert!(moment > 1, "the hook was called {moment} times");
            break;
        }
        match outcome {
            // What was lost after the last result was read is not missed.
            Ok(sum) => assert_eq!(sum, *expected),
            failed => fails(failed, "lost in the middle"),
        }
        fails(builder().msm(&device, points, scalars), "the same device again");
    }
    // By another thread, whenever.
    for delay in [0, 300, 1000, 3000, 10_000] {
        let device = Device::webgpu(0).expect("it is opened again");
        let lost = device.clone();
        let losing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_micros(delay));
            lost.lose();
        });
        match builder().msm(&device, points, scalars) {
            Ok(sum) => assert_eq!(sum, *expected),
            failed => fails(failed, "lost by another thread"),
        }
        losing.join().expect("no panic");
    }
}

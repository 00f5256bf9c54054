//! A bit that is flipped on purpose makes a sum wrong. Without verification nothing tells; with it
//! the run fails. In a process of its own, since flips are armed for all runs of a process.
//!
//! On a CPU, and on every GPU that there is: a software adapter of WebGPU, and software CUDA where
//! the environment has it (`software-cuda/test`).

use std::sync::{Mutex, MutexGuard, PoisonError};

use bucketeer::faults::flips::{Flip, Place, arm, disarm};
use bucketeer::plan::{Accumulate, Settings};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Bases, Builder, Curve, Device, Error, Scalars};

/// Every bucket of windows of 4 bits has entries.
const N: usize = 200;

fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Bench<C: Curve> {
    device: Device,
    known: KnownBases<C>,
    scalars: Vec<Vec<C::ScalarField>>,
    settings: Settings,
}

impl<C: Curve> Bench<C> {
    fn new(device: &Device, settings: Settings) -> Self {
        let scalars = (0..3).map(|seed| Distribution::Uniform.scalars(N, seed)).collect();
        Self { device: device.clone(), known: KnownBases::new(N, 5), scalars, settings }
    }

    fn builder(&self, verify: bool) -> Builder<C> {
        let mut settings = self.settings.clone();
        settings.verify = verify;
        Bases::builder().settings(settings)
    }

    /// The sums of a kind of run with this flip, and how often it occurred.
    fn sums(&self, run: Run, verify: bool, flip: Option<Flip>) -> (Result<bool, Error>, usize) {
        let (builder, points) = (self.builder(verify), &self.known.points);
        let one = Scalars::residues(&self.scalars[0]);
        let batch: Vec<_> = self.scalars.iter().map(|k| Scalars::residues(k)).collect();
        let in_table = flip.is_some_and(|flip| flip.place == Place::Table);
        // A table is wrong from the start or is sound: flips elsewhere begin when it is there.
        let before = |yes: bool| flip.filter(|_| yes).into_iter().for_each(arm);
        let sums = || -> Result<Vec<C::Group>, Error> {
            before(in_table || matches!(run, Run::Borrowed | Run::OwnBatch));
            match run {
                Run::Borrowed => Ok(vec![builder.msm(&self.device, points, one)?]),
                Run::OwnBatch => {
                    let own: Vec<_> = batch.iter().map(|k| (&points[..], k)).collect();
                    builder.msm_batch(&self.device, &own)
                }
                Run::Resident => {
                    let bases = builder.load(&self.device, points)?;
                    before(!in_table);
                    Ok(vec![bases.msm(one)?])
                }
                Run::SharedBatch => {
                    let bases = builder.load(&self.device, points)?;
                    before(!in_table);
                    bases.msm_batch(&batch.iter().collect::<Vec<_>>())
                }
            }
        };
        let sums = sums();
        let times = disarm();
        let expected = self.scalars.iter().map(|k| self.known.expected(k));
        (sums.map(|sums| sums.into_iter().zip(expected).all(|(a, b)| a == b)), times)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Run {
    Borrowed,
    OwnBatch,
    Resident,
    SharedBatch,
}

const RUNS: [Run; 4] = [Run::Borrowed, Run::OwnBatch, Run::Resident, Run::SharedBatch];

fn is_found(error: &Error) -> bool {
    match error {
        Error::Batch { source, .. } => is_found(source),
        Error::VerificationFailed { .. } => true,
        // Coordinates of no point at all.
        Error::NotRepresentable => true,
        _ => false,
    }
}

/// Flips bits in one kind of place: all of them make sums wrong, and are found.
fn every_flip_is_found<C: Curve>(
    device: &Device,
    settings: &Settings,
    place: Place,
    words: &[usize],
) {
    let bench = Bench::<C>::new(device, settings.clone());
    for run in RUNS {
        assert_eq!(bench.sums(run, true, None), (Ok(true), 0), "{run:?} on {device}");
        for (index, word) in words.iter().enumerate() {
            let flip =
                Flip { place, word: *word, bit: (3 + 7 * index as u32) % 28, lasting: false };
            let (sums, times) = bench.sums(run, false, Some(flip));
            assert_eq!(times, 1, "{flip:?} in {run:?} on {device}");
            let wrong = !matches!(sums, Ok(true));
            assert!(wrong, "{flip:?} in {run:?} on {device} does no harm");
            let (sums, times) = bench.sums(run, true, Some(flip));
            assert_eq!(times, 1, "{flip:?} in {run:?} on {device}");
            let found = sums.as_ref().is_err_and(is_found);
            assert!(found, "{flip:?} in {run:?} on {device}: {sums:?}");
            // A scalar that is always wrong, and a table that is. The latter is found where there
            // is an anchor: in resident bases.
            let resident = matches!(run, Run::Resident | Run::SharedBatch);
            if place == Place::Scalars || (place == Place::Table && resident) {
                let (sums, times) = bench.sums(run, true, Some(Flip { lasting: true, ..flip }));
                assert!(
                    times > 0 && sums.as_ref().is_err_and(is_found),
                    "{flip:?} {run:?}: {sums:?}"
                );
            }
        }
        // Nothing lasts beyond its run.
        assert_eq!(bench.sums(run, true, None), (Ok(true), 0), "{run:?} on {device}");
    }
}

fn settings(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = Settings::default();
    settings.window_bits = Some(4);
    change(&mut settings);
    settings
}

/// All places, with bits in both coordinates.
fn on<C: Curve>(device: &Device, settings: &Settings) {
    let _alone = alone();
    every_flip_is_found::<C>(device, settings, Place::Scalars, &[0, 5, N / 4]);
    every_flip_is_found::<C>(device, settings, Place::Table, &[0, 9, 16 * 30, 16 * 79 + 9]);
    every_flip_is_found::<C>(device, settings, Place::Buckets, &[0, 9]);
}

#[test]
fn on_a_cpu() {
    let portable = Device::cpu_with_threads(1).unwrap().portable().unwrap();
    for device in [Device::cpu_with_threads(2).unwrap(), portable] {
        on::<ark_bn254::G1Affine>(&device, &settings(|_| ()));
        on::<ark_bn254::G1Affine>(&device, &settings(|s| s.precompute = Some(4)));
        on::<ark_bn254::G1Affine>(&device, &settings(|s| s.accumulate = Some(Accumulate::InPlace)));
        on::<ark_ed_on_bls12_377::EdwardsAffine>(&device, &settings(|s| s.any_point = true));
    }
}

#[test]
fn on_several_cpus() {
    let one = || Device::cpu_with_threads(1).unwrap();
    on::<ark_bls12_381::G1Affine>(&Device::several(&[one(), one()]).unwrap(), &settings(|_| ()));
}

#[cfg(feature = "webgpu")]
#[test]
fn on_webgpu() {
    if Device::webgpu_count() == 0 {
        panic!("no WebGPU adapter: ./test installs one in software");
    }
    on::<ark_bn254::G1Affine>(&Device::webgpu(0).unwrap(), &settings(|_| ()));
}

/// `software-cuda/test` runs it; elsewhere there may be no GPU.
#[cfg(feature = "cuda")]
#[test]
#[ignore = "needs an NVIDIA GPU, or software CUDA"]
fn on_cuda() {
    on::<ark_bn254::G1Affine>(&Device::cuda(0).unwrap(), &settings(|_| ()));
}

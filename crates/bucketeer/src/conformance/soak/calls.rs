//! The calls of a soak, and their expected outcomes.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ark_std::rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::random::{Distribution, KnownBases};
use crate::{AsScalars, Bases, Batch, Builder, Curve, Device, Error, Hook, Scalars};

macro_rules! calls {
    ($($call:ident = $name:literal),* $(,)?) => {
        /// A kind of call.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Call { $($call),* }

        impl Call {
            pub(super) const ALL: &[Self] = &[$(Self::$call),*];

            pub(super) fn name(self) -> &'static str {
                match self { $(Self::$call => $name),* }
            }
        }
    };
}

calls! {
    Msm = "msm",
    Slice = "msm over a slice",
    Batch = "batch of 3",
    OwnBatch = "batch of 3, own bases",
    OneShot = "msm, borrowed bases",
    Limited = "msm, memory limit",
    Several = "msms over several bases",
    Integers = "msm of integers",
    Verified = "verified msm",
    Load = "load and msm",
    Job = "job",
    Cancel = "cancel to end of job",
    Drop = "drop to end of job",
    Hook = "cancelled by hook",
    Panic = "panic in hook",
    BadInput = "bad input",
    Release = "release workspaces",
}

/// Jobs that are cancelled and dropped while nothing else runs.
pub(super) const CANCELLED_ALONE: &str = "cancel, nothing else runs";
pub(super) const DROPPED_ALONE: &str = "drop, nothing else runs";
/// How often each.
const ALONE: u32 = 30;

/// How long a job that is cancelled, and one that is dropped, keeps the device: at evenly spaced
/// times from its start to its end.
pub(super) fn alone<C: Curve>(
    device: &Device,
    n: usize,
) -> Result<Vec<(&'static str, Duration)>, Error> {
    let known = KnownBases::<C>::new(n, 3);
    let bases = Bases::load(device, &known.points)?;
    let scalars: Arc<Vec<C::ScalarField>> = Distribution::Uniform.scalars(n, 3).into();
    let whole = (0..3).map(|_| {
        let started = Instant::now();
        bases.submit(Owned(scalars.clone()))?.wait().map(|_| started.elapsed())
    });
    let whole = whole.collect::<Result<Vec<Duration>, Error>>()?.into_iter().min();
    let mut times = Vec::new();
    for step in 0..2 * ALONE {
        let job = bases.submit(Owned(scalars.clone()))?;
        std::thread::sleep(whole.unwrap_or_default() * (step / 2) / ALONE);
        let started = Instant::now();
        let name = if step % 2 == 0 {
            job.cancel();
            // It may have ended before.
            drop(job.wait());
            CANCELLED_ALONE
        } else {
            drop(job);
            while Arc::strong_count(&scalars) > 1 {
                std::thread::sleep(Duration::from_micros(200));
            }
            DROPPED_ALONE
        };
        times.push((name, started.elapsed()));
    }
    Ok(times)
}

impl Call {
    pub(super) fn drawn(rng: &mut impl RngCore) -> Self {
        Self::ALL[rng.next_u32() as usize % Self::ALL.len()]
    }
}

/// The outcome of a call.
pub(super) enum Judged {
    /// The expected one, in this time.
    Right(Duration),
    Wrong(String),
}

/// Bases of a curve, shared by all callers.
pub(super) trait Shared: Send + Sync {
    fn curve(&self) -> &'static str;

    /// Makes a call and judges it.
    fn make(&self, call: Call, seed: u64) -> Judged;
}

pub(super) struct Fixture<C: Curve> {
    curve: &'static str,
    device: Device,
    known: KnownBases<C>,
    scalars: Vec<Arc<Vec<C::ScalarField>>>,
    loaded: Bases<C>,
    table: Bases<C>,
    verified: Bases<C>,
}

/// Scalars of a job, of which the caller sees when the job has let go of them.
struct Owned<F>(Arc<Vec<F>>);

impl<F> AsScalars<F> for Owned<F> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        Scalars::residues(&self.0)
    }
}

impl<C: Curve> Fixture<C> {
    pub(super) fn new(curve: &'static str, device: &Device, n: usize) -> Result<Self, Error> {
        let known = KnownBases::<C>::new(n, 0x50a4);
        let kinds = [Distribution::Uniform, Distribution::Skewed, Distribution::Equal];
        let scalars = kinds.into_iter().zip(1..).map(|(kind, seed)| kind.scalars(n, seed).into());
        let points = &known.points;
        Ok(Self {
            curve,
            device: device.clone(),
            loaded: Bases::load(device, points)?,
            table: Bases::builder().precompute(3).load(device, points)?,
            verified: Bases::builder().verify().load(device, points)?,
            scalars: scalars.collect(),
            known,
        })
    }

    /// `Σ kᵢ·P` over the bases from `first` on, by their logarithms.
    fn expected(&self, first: usize, scalars: &[C::ScalarField]) -> C::Group {
        let terms = scalars.iter().zip(first..).map(|(k, i)| *k * self.known.logarithm(i));
        C::GENERATOR * terms.sum::<C::ScalarField>()
    }

    /// Carries a call out; the time it took, if its outcome is right.
    fn outcome(&self, call: Call, rng: &mut ChaCha20Rng) -> Result<Option<Duration>, Error> {
        let n = self.known.points.len();
        let own = &self.scalars[rng.next_u32() as usize % self.scalars.len()];
        let (start, length) = {
            let start = rng.next_u32() as usize % n;
            (start, 1 + rng.next_u32() as usize % (n - start))
        };
        let part = &own[..length];
        let residues = Scalars::residues(part);
        let points = &self.known.points[start..start + length];
        let builder = Builder::<C>::default();
        let started = Instant::now();
        let timed = |sums: &[C::Group], from: usize| {
            let time = started.elapsed();
            let expected = self.expected(from, part);
            sums.iter().all(|sum| *sum == expected).then_some(time)
        };
        let bases = if rng.next_u32().is_multiple_of(2) { &self.loaded } else { &self.table };
        Ok(match call {
            Call::Msm => timed(&[bases.msm(residues)?], 0),
            Call::Slice => timed(&[bases.slice(start..).msm(residues)?], start),
            Call::Batch => timed(&bases.slice(start..).msm_batch(&[&residues; 3])?, start),
            Call::OwnBatch => {
                timed(&builder.msm_batch(&self.device, &[(points, &residues); 3])?, start)
            }
            Call::OneShot => timed(&[builder.msm(&self.device, points, residues)?], start),
            Call::Limited => {
                let builder = builder.memory_limit(16 << 20);
                timed(&[builder.msm(&self.device, points, residues)?], start)
            }
            Call::Several => {
                let mut batch = Batch::new();
                let first = batch.add(&self.loaded, residues);
                let second = batch.add(&self.table, residues);
                let mut sums = batch.run()?;
                timed(&[sums.take(first)?, sums.take(second)?], 0)
            }
            Call::Integers => {
                let ones = vec![true; length];
                let sum = bases.slice(start..).msm(&ones)?;
                let time = started.elapsed();
                let one = vec![C::ScalarField::from(1u64); length];
                (sum == self.expected(start, &one)).then_some(time)
            }
            Call::Verified => timed(&[self.verified.slice(start..).msm(residues)?], start),
            Call::Load => {
                let bases = builder.precompute(2).load(&self.device, points)?;
                timed(&[bases.msm(residues)?], start)
            }
            Call::Job => {
                let job = bases.submit(Owned(own.clone()))?;
                let sum = job.wait()?;
                let time = started.elapsed();
                (sum == self.expected(0, own)).then_some(time)
            }
            Call::Cancel => {
                let job = bases.submit(Owned(own.clone()))?;
                std::thread::sleep(Duration::from_micros(u64::from(rng.next_u32() % 8000)));
                let cancelled = Instant::now();
                job.cancel();
                let outcome = job.wait();
                let time = cancelled.elapsed();
                match outcome {
                    Err(Error::Cancelled) => Some(time),
                    // It had ended before.
                    outcome => (outcome? == self.expected(0, own)).then_some(time),
                }
            }
            Call::Drop => {
                let scalars = Arc::new(own.to_vec());
                let job = bases.submit(Owned(scalars.clone()))?;
                std::thread::sleep(Duration::from_micros(u64::from(rng.next_u32() % 8000)));
                let dropped = Instant::now();
                drop(job);
                while Arc::strong_count(&scalars) > 1 {
                    std::thread::sleep(Duration::from_micros(200));
                }
                Some(dropped.elapsed())
            }
            Call::Hook => {
                let hook: Hook = Arc::new(|_| ControlFlow::Break(()));
                let run = builder.on_progress(hook).msm(&self.device, points, residues);
                matches!(run, Err(Error::Cancelled)).then(|| started.elapsed())
            }
            Call::Panic => {
                let quiet: Hook = Arc::new(|_| std::panic::resume_unwind(Box::new("on purpose")));
                let run = builder.on_progress(quiet).msm(&self.device, points, residues);
                matches!(run, Err(Error::HookPanicked { .. })).then(|| started.elapsed())
            }
            Call::BadInput => {
                let refused = [
                    matches!(
                        bases.slice(start..n + 1).msm(residues),
                        Err(Error::InvalidRange { .. })
                    ),
                    matches!(
                        builder.msm(&self.device, &points[1..], residues),
                        Err(Error::LengthMismatch { .. })
                    ),
                    matches!(
                        bases.msm(Scalars::from(&[4u64]).with_bits(2)),
                        Err(Error::ScalarTooLarge { index: 0, .. })
                    ),
                    matches!(
                        builder.clone().window_bits(77).load(&self.device, points),
                        Err(Error::InvalidSetting { .. })
                    ),
                    matches!(
                        builder.memory_limit(1).msm(&self.device, points, residues),
                        Err(Error::OutOfMemory { .. })
                    ),
                ];
                refused.iter().all(|refused| *refused).then(|| started.elapsed())
            }
            Call::Release => {
                crate::release_workspaces();
                Some(started.elapsed())
            }
        })
    }
}

impl<C: Curve> Shared for Fixture<C> {
    fn curve(&self) -> &'static str {
        self.curve
    }

    fn make(&self, call: Call, seed: u64) -> Judged {
        match self.outcome(call, &mut ChaCha20Rng::seed_from_u64(seed)) {
            Ok(Some(time)) => Judged::Right(time),
            Ok(None) => Judged::Wrong(format!("wrong, with the seed {seed}")),
            Err(error) => Judged::Wrong(format!("{error}, with the seed {seed}")),
        }
    }
}

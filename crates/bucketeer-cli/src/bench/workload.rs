//! Random bases of one curve, to run with any settings: loaded first, or borrowed by each MSM.

use std::sync::Arc;
use std::time::Instant;

use bucketeer::any::{AnyBases, AnyCurve, AnyPoints, AnyReport, AnyScalars, AnySum, RunOptions};
use bucketeer::curves::NamedCurve;
use bucketeer::plan::{Plan, Settings};
use bucketeer::{CurveSpec, Device, Timings};

use super::Args;
use crate::failure::Failure;
use crate::memory;

/// Bases with known logarithms.
pub struct Workload<'a> {
    args: &'a Args,
    curve: Box<dyn AnyCurve>,
    known: Box<dyn AnyPoints>,
}

impl<'a> Workload<'a> {
    /// Makes the largest workload that is needed.
    pub fn new(
        curve: &'static NamedCurve,
        args: &'a Args,
        device: &Device,
        largest: usize,
    ) -> Result<Self, Failure> {
        let curve = curve.any();
        memory::Job { n: largest, batch: args.batch, settings: None }.check(&*curve, device)?;
        let known = curve.random_bases(largest, args.random.seed);
        Ok(Self { args, curve, known })
    }

    /// The curve they are on.
    pub fn spec(&self) -> Arc<CurveSpec> {
        self.curve.spec()
    }

    /// Loads the first `n` bases and makes scalars for them.
    pub fn load(
        &self,
        device: &Device,
        settings: Settings,
        n: usize,
    ) -> Result<Loaded<'_>, Failure> {
        let batch = (0..self.args.batch).map(|index| self.scalars(device, n, index));
        let batch = batch.collect::<Result<Vec<_>, _>>()?;
        let options = RunOptions { settings, hook: None };
        let started = Instant::now();
        let bases = self.known.load(device, n, &options)?;
        let load_seconds = started.elapsed().as_secs_f64();
        Ok(Loaded { known: &*self.known, bases, batch, load_seconds })
    }

    /// Makes scalars for the first `n` bases, which stay where they are.
    pub fn borrow<'b>(
        &'b self,
        device: &'b Device,
        settings: Settings,
        n: usize,
    ) -> Result<Borrowed<'b>, Failure> {
        let options = RunOptions { settings, hook: None };
        Ok(Borrowed { known: &*self.known, device, options, scalars: self.scalars(device, n, 0)? })
    }

    /// The scalars of an MSM of a batch. Those of a one-shot MSM are pageable, as its bases are.
    fn scalars(&self, device: &Device, n: usize, index: usize) -> Result<AnyScalars, Failure> {
        let Args { random, pageable, one_shot, .. } = self.args;
        let host = if *pageable || *one_shot { &Device::cpu() } else { device };
        let seed = random.seed.wrapping_add(index as u64);
        Ok(self.curve.pinned_scalars(random.distribution, n, seed, host)?)
    }
}

/// Bases in the host's ordinary memory, with scalars for one MSM.
pub struct Borrowed<'a> {
    known: &'a dyn AnyPoints,
    device: &'a Device,
    options: RunOptions,
    scalars: AnyScalars,
}

impl Borrowed<'_> {
    fn report(&self) -> Result<AnyReport, Failure> {
        Ok(self.known.msm_of_first(self.device, &self.options, &self.scalars)?)
    }

    /// Runs once and compares the result with that from the bases' logarithms. Yields the plan.
    pub fn check(&self) -> Result<Plan, Failure> {
        let AnyReport { sum, plan, .. } = self.report()?;
        check(self.known, &plan, &sum, &self.scalars)?;
        Ok(plan)
    }

    /// Runs once; the seconds it took, and those of its stages.
    pub fn run(&self) -> Result<(f64, Timings), Failure> {
        let started = Instant::now();
        let report = self.report()?;
        Ok((started.elapsed().as_secs_f64(), report.timings))
    }
}

/// Compares a sum with that from the bases' logarithms.
fn check(
    known: &dyn AnyPoints,
    plan: &Plan,
    sum: &AnySum,
    scalars: &AnyScalars,
) -> Result<(), Failure> {
    if Some(sum.coordinates()) == known.expected(scalars)? {
        return Ok(());
    }
    let (n, bits) = (plan.n, plan.shape.window_bits);
    let text = format!("n = {n}, windows of {bits} bits, by the bases' logarithms");
    Err(Failure::WrongResult(text))
}

/// Bases on a device, with scalars for one MSM or a batch.
pub struct Loaded<'a> {
    known: &'a dyn AnyPoints,
    bases: Box<dyn AnyBases>,
    batch: Vec<AnyScalars>,
    load_seconds: f64,
}

impl Loaded<'_> {
    fn sums(&self) -> Result<(Vec<AnySum>, Timings), Failure> {
        match &self.batch[..] {
            [one] => {
                let report = self.bases.msm_with_report(one)?;
                Ok((vec![report.sum], report.timings))
            }
            many => Ok((self.bases.msm_batch(many)?, Timings::default())),
        }
    }

    /// The plan for one MSM.
    pub fn plan(&self) -> &Plan {
        self.bases.plan()
    }

    /// Seconds that loading took.
    pub fn load_seconds(&self) -> f64 {
        self.load_seconds
    }

    /// Runs once and compares the result with that from the bases' logarithms.
    pub fn check(&self) -> Result<(), Failure> {
        let (sums, _) = self.sums()?;
        let mut pairs = sums.iter().zip(&self.batch);
        pairs.try_for_each(|(sum, scalars)| check(self.known, self.plan(), sum, scalars))
    }

    /// Runs once; the seconds it took, and those of its stages unless it is a batch.
    pub fn run(&self) -> Result<(f64, Timings), Failure> {
        let started = Instant::now();
        let (_, timings) = self.sums()?;
        Ok((started.elapsed().as_secs_f64(), timings))
    }
}

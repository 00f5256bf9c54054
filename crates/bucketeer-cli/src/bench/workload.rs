//! Random bases of one curve, to load and run with any settings.

use std::sync::Arc;
use std::time::Instant;

use bucketeer::any::{AnyBases, AnyCurve, AnyPoints, AnyScalars, AnySum, RunOptions};
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
        let Args { random, batch, pageable, .. } = self.args;
        let host = if *pageable { &Device::cpu() } else { device };
        let make = |index: usize| {
            let seed = random.seed + index as u64;
            self.curve.pinned_scalars(random.distribution, n, seed, host)
        };
        let batch = (0..*batch).map(make).collect::<Result<Vec<_>, _>>()?;
        let options = RunOptions { settings, hook: None };
        let started = Instant::now();
        let bases = self.known.load(device, n, &options)?;
        let load_seconds = started.elapsed().as_secs_f64();
        Ok(Loaded { known: &*self.known, bases, batch, load_seconds })
    }
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
        for (sum, scalars) in sums.iter().zip(&self.batch) {
            if Some(sum.coordinates()) != self.known.expected(scalars)? {
                let (n, bits) = (self.plan().n, self.plan().shape.window_bits);
                let text = format!("n = {n}, windows of {bits} bits, by the bases' logarithms");
                return Err(Failure::WrongResult(text));
            }
        }
        Ok(())
    }

    /// Runs once; the seconds it took, and those of its stages unless it is a batch.
    pub fn run(&self) -> Result<(f64, Timings), Failure> {
        let started = Instant::now();
        let (_, timings) = self.sums()?;
        Ok((started.elapsed().as_secs_f64(), timings))
    }
}

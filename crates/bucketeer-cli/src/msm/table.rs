//! `msm` over a table that `precompute` wrote.

use std::path::Path;
use std::time::Instant;

use bucketeer::any::{AnyBases, AnyScalars, AnySum, Coordinates, RunOptions};
use bucketeer::curves::NamedCurve;
use bucketeer::io::{ReadOptions, TableHeader};
use bucketeer::plan::{Accumulate, Reduce, Settings};
use bucketeer::{Error, Hook};

use super::{Args, Run, Task, wrong};
use crate::answer::Answer;
use crate::failure::Failure;
use crate::input;
use crate::progress::Activity;

/// The curve of the table.
pub(super) fn curve(args: &Args) -> Result<&'static NamedCurve, Failure> {
    let path = args.files.table.as_deref().unwrap_or(Path::new(""));
    let nameless = || {
        let reason = "a table for a curve without a name".into();
        Error::File { path: path.into(), reason }
    };
    Ok(TableHeader::read(path)?.curve().ok_or_else(nameless)?)
}

impl Task<'_> {
    pub(super) fn carry_out_on_table(&self, path: &Path) -> Result<Answer, Failure> {
        let device = self.later.for_table()?;
        let started = Instant::now();
        let (activity, hook) = Activity::run("computing", device);
        let mut settings = self.args.plan.settings(None, 0);
        settings.verify = self.args.verify;
        let bases = self.open(path, settings, Some(hook))?;
        let batch = self.scalars(bases.len())?;
        let input_time = started.elapsed();
        let started = Instant::now();
        let plan = bases.plan().clone();
        let run = match &batch[..] {
            [scalars] => {
                let report = bases.msm_with_report(scalars)?;
                let (time, times) = (started.elapsed(), report.timings.stages().into());
                Run { sums: vec![report.sum], time, plan: report.plan, times, streamed: None }
            }
            _ => {
                let (sums, times) = (bases.msm_batch(&batch)?, Vec::new());
                Run { sums, time: started.elapsed(), plan, times, streamed: None }
            }
        };
        drop((activity, bases));
        let started = Instant::now();
        let sums: Vec<Coordinates> = run.sums.iter().map(AnySum::coordinates).collect();
        let check = match self.args.no_check {
            true => None,
            false => Some(self.check_on_table(path, &batch, &sums)?),
        };
        let times = [input_time, started.elapsed()];
        Ok(self.answer(device, run, (batch[0].len(), &sums), times, check))
    }

    fn open(
        &self,
        path: &Path,
        settings: Settings,
        hook: Option<Hook>,
    ) -> Result<Box<dyn AnyBases>, Failure> {
        let device = self.later.for_table()?;
        Ok(self.curve.open_table(device, &RunOptions { settings, hook }, path)?)
    }

    /// The scalars of every MSM: from the file, or random ones.
    fn scalars(&self, bases: usize) -> Result<Vec<AnyScalars>, Failure> {
        let Args { n, batch, files, random, .. } = self.args;
        let n = n.unwrap_or(bases);
        if n > bases {
            let reason = format!("{n} bases were requested, but there are {bases}");
            let path = files.table.clone().unwrap_or_default();
            return Err(Error::File { path, reason }.into());
        }
        let Some(path) = &files.scalars else {
            let (seed, kind) = (random.seed, random.distribution);
            return Ok(input::random_scalars(self.curve, n, *batch, seed, kind));
        };
        let first = self.args.n.map(|n| n.saturating_mul(*batch));
        let options = ReadOptions { reduce: files.reduce, first, ..ReadOptions::default() };
        let scalars = self.curve.read_scalars(path, &options)?;
        if n.checked_mul(*batch) != Some(scalars.len()) {
            return Err(input::mismatch(path, n, scalars.len(), *batch).into());
        }
        Ok(scalars.split(n, *batch))
    }

    /// Computes the sums again over the table, with other ways to accumulate and to reduce.
    fn check_on_table(
        &self,
        path: &Path,
        batch: &[AnyScalars],
        sums: &[Coordinates],
    ) -> Result<&'static str, Failure> {
        const METHOD: &str = "by a plain plan over the same table";
        let _activity = Activity::spinner("checking");
        let mut settings = Settings::default();
        settings.accumulate = Some(Accumulate::PerBucket);
        settings.reduce = Some(Reduce::SlicedRunningSum { slices: 64 });
        settings.memory_limit = self.args.plan.memory_limit;
        let bases = self.open(path, settings, None)?;
        for (index, (scalars, sum)) in batch.iter().zip(sums).enumerate() {
            let expected = bases.msm_with_report(scalars)?.sum.coordinates();
            if !sum.agree_with(&expected) {
                return Err(wrong(index, sum, &expected, METHOD));
            }
        }
        Ok(METHOD)
    }
}

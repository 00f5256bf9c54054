//! `msm` over files that do not fit in memory: they are read chunk by chunk, once to compute and
//! once to check.

use std::time::{Duration, Instant};

use bucketeer::Device;
use bucketeer::any::{AnyStream, Coordinates, RunOptions};

use super::{Args, Run, Task, wrong};
use crate::answer::{Answer, Streaming};
use crate::failure::{Failure, OUT_OF_MEMORY};
use crate::progress::Activity;
use crate::{check, memory, ranks};

impl Task<'_> {
    /// The files, if they are to be read chunk by chunk: where bases and scalars exceed the memory
    /// limit, or together with what a run takes the memory of the machine.
    pub(super) fn stream(&self) -> Result<Option<Box<dyn AnyStream>>, Failure> {
        let Args { n, batch, files, plan, preset, checkpoint, .. } = self.args;
        if *batch != 1 {
            return Ok(None);
        }
        let check = files.subgroup_check(plan.any_point);
        let stream = files.stream(self.curve, *n, check)?;
        if let Some(folder) = checkpoint {
            let reason = "--checkpoint needs regular files other than JSON";
            let stream = stream.ok_or_else(|| Failure::Usage(reason.into()))?;
            return Ok(Some(stream.with_checkpoint(folder)?));
        }
        let Some(stream) = stream else { return Ok(None) };
        let settings = plan.settings(*preset, stream.len());
        let exceeds = match settings.memory_limit {
            // Each rank then reads its part only.
            _ if ranks::current().is_some() => true,
            Some(limit) => stream.bytes_in_memory() > limit,
            None => {
                let job = memory::Job { n: stream.len(), batch: 1, settings: Some(&settings) };
                let fits = job.check(self.curve, self.device(stream.len())?);
                fits.is_err_and(|failure| failure.exit_code() == OUT_OF_MEMORY)
            }
        };
        Ok(exceeds.then_some(stream))
    }

    /// Computes and checks while the files are read.
    pub(super) fn carry_out_streamed(
        &self,
        stream: &dyn AnyStream,
        input_time: Duration,
    ) -> Result<Answer, Failure> {
        let settings = self.args.settings(stream.len());
        let memory_limit = settings.memory_limit;
        let mut options = RunOptions { settings, hook: None };
        let device = self.device(stream.len())?;
        let started = Instant::now();
        let (activity, hook) = Activity::run("computing", device);
        options.hook = Some(hook);
        let report = stream.msm_with_report(device, &options)?;
        let time = started.elapsed();
        drop(activity);
        let started = Instant::now();
        let sum = report.sum.coordinates();
        let check = match self.args.no_check {
            true => None,
            false => Some(self.check_streamed(device, &sum, memory_limit)?),
        };
        let check_time = started.elapsed();
        let mut times = vec![("wait for disk", report.wait), ("parse and check", report.parse)];
        times.extend(report.timings.stages());
        let plan = report.plan;
        let (chunks, chunk, kept) = (plan.chunks(), plan.chunk, report.kept);
        let streamed = Some(Streaming { chunks, chunk, kept, bytes: plan.bytes() });
        let run = Run { sums: vec![report.sum], time, plan: plan.plan, times, streamed };
        Ok(self.answer(device, run, (stream.len(), &[sum]), [input_time, check_time], check))
    }

    /// Streams the files a second time, with another plan.
    fn check_streamed(
        &self,
        device: &Device,
        sum: &Coordinates,
        memory_limit: Option<u64>,
    ) -> Result<&'static str, Failure> {
        let _activity = Activity::spinner("checking");
        let Args { n, files, plan, .. } = self.args;
        // Without the checkpoint, whose sums are those to be checked.
        let stream = |subgroup_check| {
            let stream = files.stream(self.curve, *n, subgroup_check)?;
            stream.ok_or_else(|| Failure::Usage("the files can no longer be streamed".into()))
        };
        let again = stream(files.subgroup_check(plan.any_point))?;
        let (expected, method) =
            check::streamed_second_opinion(&*again, plan.any_point, memory_limit)?;
        if sum.agree_with(&expected) {
            return Ok(method);
        }
        // With the check that was skipped, a base that was vouched for wrongly is named.
        if files.no_subgroup_check && !plan.any_point {
            stream(true)?.msm_with_report(device, &RunOptions::default())?;
        }
        Err(wrong(0, sum, &expected, method))
    }
}

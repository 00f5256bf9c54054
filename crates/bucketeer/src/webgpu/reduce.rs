//! Stage 4, reduce: bucket sums → the points of each set that are left for the host.

use super::program::Source;
use super::recorder::Stage;
use super::stages::Run;
use crate::Error;
use crate::plan::{Accumulate, Input};

impl Run<'_> {
    pub(super) async fn reduce(&mut self, table: &wgpu::Buffer) -> Result<(), Error> {
        let (plan, layout, stage) = (self.plan, self.layout, Stage::Reduce);
        let reduction = &layout.reduction;
        let [buckets, sums, entries, counters] =
            ["bucket sums", "reduce", "entries", "counters"].map(|name| self.workspace.at(name));
        let (buckets, sums, entries, counters) = (buckets?, sums?, entries?, counters?);
        let (slices, sets) = (reduction.slices, layout.sets as u32);
        if slices > 0 {
            // The first step adds up the slices' sums, wherever it reads them.
            let Some(Input::At(at)) = reduction.steps.first().map(|step| step.input) else {
                return Err(Error::Internal("slices are not added up".into()));
            };
            let parameters = [layout.bits, slices, sets, at as u32];
            let groups = ((layout.sets * u64::from(slices)).div_ceil(64), 1);
            if plan.accumulate == Accumulate::FusedSweep {
                let kernel = self.program.kernel(Source::Sweep, "sweep")?;
                let bound = [(1, table), (2, entries), (3, counters), (4, sums)];
                self.recorder.dispatch(stage, kernel, &parameters, &bound, groups).await?;
            } else {
                let kernel = self.program.kernel(Source::Running, "running_sums")?;
                let bound = [(1, buckets), (2, sums)];
                self.recorder.dispatch(stage, kernel, &parameters, &bound, groups).await?;
            }
        }
        let kernel = self.program.kernel(Source::Reduce, "add_up")?;
        for step in &reduction.steps {
            let (from_buckets, input) = match step.input {
                Input::Buckets => (1, 0),
                Input::At(at) => (0, at),
            };
            let [outputs, count, inner, pieces, input, output] =
                [step.outputs, step.count, step.inner, step.pieces, input, step.output]
                    .map(|value| value as u32);
            let mode = step.mode as u32;
            let parameters = [mode, outputs, count, inner, pieces, from_buckets, input, output];
            let groups = ((step.outputs * step.pieces).div_ceil(64), 1);
            let bound = [(1, buckets), (2, sums)];
            self.recorder.dispatch(stage, kernel.clone(), &parameters, &bound, groups).await?;
        }
        Ok(())
    }
}

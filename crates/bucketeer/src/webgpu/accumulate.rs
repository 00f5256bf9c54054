//! Stage 3, accumulate: lists → bucket sums.

use super::program::Source;
use super::recorder::Stage;
use super::stages::Run;
use crate::Error;
use crate::plan::TASK_COUNTERS;

/// Pieces of a split bucket that become one in a round, as in the shader.
const FOLD: u64 = 16;

impl Run<'_> {
    /// Sums the list of every bucket; with `add`, onto what the buckets hold.
    pub(super) async fn accumulate(
        &mut self,
        table: &wgpu::Buffer,
        add: bool,
    ) -> Result<(), Error> {
        let (layout, stage) = (self.layout, Stage::Accumulate);
        let [counters, entries, tasks, buckets, slots] =
            ["counters", "entries", "tasks", "bucket sums", "partial sums"]
                .map(|name| self.workspace.at(name));
        let (counters, entries, tasks) = (counters?, entries?, tasks?);
        let (buckets, slots) = (buckets?, slots?);
        let keys = layout.keys();
        let splits = 4 * layout.tasks as u32;
        let owners = splits + 4 * layout.splits as u32;
        let totals = owners + layout.slots as u32;
        let places = [keys as u32, layout.slice, splits, owners, totals];
        if !add {
            self.recorder.clear(buckets, keys * 4 * layout.sum_words as u64);
        }
        self.recorder.clear(tasks, 4 * (u64::from(totals) + TASK_COUNTERS));
        for (name, groups) in [
            ("count_classes", keys.div_ceil(256)),
            ("scan_classes", 1),
            ("make_tasks", keys.div_ceil(256)),
        ] {
            let kernel = self.program.kernel(Source::Tasks, name)?;
            let both = [(1, counters), (2, tasks)];
            let bound = if name == "scan_classes" { &both[1..] } else { &both[..] };
            self.recorder.dispatch(stage, kernel, &places, bound, (groups, 1)).await?;
        }
        let kernel = self.program.kernel(Source::Accumulate, "accumulate")?;
        let add = u32::from(add);
        let bound = [(1, table), (2, entries), (3, tasks), (4, buckets), (5, slots)];
        let groups = (layout.tasks.div_ceil(64), 1);
        self.recorder.dispatch(stage, kernel, &[totals, add], &bound, groups).await?;
        // A list is cut into at most as many pieces as there are slots.
        let kernel = self.program.kernel(Source::Fold, "fold")?;
        let groups = (layout.slots.div_ceil(64), 1);
        let mut distance = 1;
        while distance < layout.slots {
            let parameters = [splits, owners, totals, distance as u32, add];
            let bound = [(1, tasks), (2, buckets), (3, slots)];
            self.recorder.dispatch(stage, kernel.clone(), &parameters, &bound, groups).await?;
            distance *= FOLD;
        }
        Ok(())
    }
}

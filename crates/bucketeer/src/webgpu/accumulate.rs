//! Stage 3, accumulate: lists → bucket sums.

use super::launch::{Grid, kernels};
use super::run::WebGpuRun;
use super::table::Bases;
use crate::Error;
use crate::gpu::TaskPlaces;
use crate::gpu::interface::records;
use crate::plan::{BufferKind, TASK_COUNTERS, WEBGPU_FOLD as FOLD};

/// The constants of `fold.wgsl`.
pub(super) const CONSTANTS: &[(&str, u32)] = &[("FOLD", FOLD as u32)];

records! {
    /// Parameters of `tasks.wgsl`.
    TaskParameters {
        keys,
        /// Most entries of a task.
        task_entries,
        /// Places in the buffer of tasks, which begins with the tasks: of the split buckets,
        splits,
        /// of the slots' owners,
        owners,
        /// of the counters.
        totals,
    }

    /// Parameters of `accumulate.wgsl`.
    SumParameters {
        /// The place of the counters.
        totals,
        /// Whether sums continue those of earlier chunks.
        add,
    }

    /// Parameters of `fold.wgsl`.
    FoldParameters {
        /// Places in the buffer of tasks: of the split buckets,
        splits,
        /// of the slots' owners,
        owners,
        /// of the counters.
        totals,
        /// Between the pieces that are left: `FOLD`^round.
        distance,
        /// Whether sums continue those of earlier chunks.
        add,
    }
}

kernels! {
    const TASKS_SHADER in Tasks, Accumulate: TaskParameters { starts: Read, tasks: Atomic }

    /// Tasks of every class of length, a key per invocation.
    CountClasses = "count_classes" { starts, tasks }
    /// Where the tasks of each class start; one workgroup.
    ScanClasses = "scan_classes" { tasks }
    /// Cuts lists into tasks, a key per invocation.
    MakeTasks = "make_tasks" { starts, tasks }
}

kernels! {
    const ACCUMULATE_SHADER in Accumulate, Accumulate: SumParameters {
        table: Read,
        entries: Read,
        tasks: Read,
        buckets: Write,
        slots: Write,
    }

    /// Sums tasks, one per invocation.
    SumTasks = "accumulate" { table, entries, tasks, buckets, slots }
}

kernels! {
    const FOLD_SHADER in Fold, Accumulate: FoldParameters {
        tasks: Read,
        buckets: Write,
        slots: Write,
    }

    /// Folds `FOLD` pieces of split buckets into one, a slot per invocation.
    Fold = "fold" { tasks, buckets, slots }
}

/// Sums the list of every bucket; with `add`, onto what the buckets hold.
pub(super) async fn accumulate(
    run: &mut WebGpuRun<'_>,
    bases: &Bases,
    add: bool,
) -> Result<(), Error> {
    let (program, layout) = (&run.webgpu.program, &run.job.schedule.layout);
    let [counters, entries, tasks, buckets, slots] = [
        BufferKind::Counters,
        BufferKind::Entries,
        BufferKind::Tasks,
        BufferKind::BucketSums,
        BufferKind::PartialSums,
    ]
    .map(|kind| run.workspace.at(kind));
    let (starts, entries, tasks) = (counters?, entries?, tasks?);
    let (table, buckets, slots) = (&bases.buffer, buckets?, slots?);
    let recorder = &mut run.recorder;
    let keys = layout.keys();
    let round = &layout.first;
    let places = TaskPlaces::new(round, round.slots);
    let [splits, owners, totals] =
        [places.splits, places.folding, places.totals].map(|place| place as u32);
    let task_entries = round.task_entries;
    let parameters = TaskParameters { keys: keys as u32, task_entries, splits, owners, totals };
    if !add {
        recorder.clear(buckets, keys * 4 * layout.sum_words as u64);
    }
    recorder.clear(tasks, 4 * (u64::from(totals) + TASK_COUNTERS));
    let per_key = Grid::Items(keys);
    CountClasses { parameters, starts, tasks }.dispatch(program, recorder, per_key).await?;
    ScanClasses { parameters, tasks }.dispatch(program, recorder, Grid::Groups(1)).await?;
    MakeTasks { parameters, starts, tasks }.dispatch(program, recorder, per_key).await?;
    let add = u32::from(add);
    let parameters = SumParameters { totals, add };
    SumTasks { parameters, table, entries, tasks, buckets, slots }
        .dispatch(program, recorder, Grid::Items(round.tasks))
        .await?;
    // A list is cut into at most as many pieces as there are slots.
    let mut distance = 1;
    while distance < round.slots {
        let parameters = FoldParameters { splits, owners, totals, distance: distance as u32, add };
        Fold { parameters, tasks, buckets, slots }
            .dispatch(program, recorder, Grid::Items(round.slots))
            .await?;
        distance *= FOLD;
    }
    Ok(())
}

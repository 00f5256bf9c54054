//! Between group and accumulate: lists → tasks.

use super::launch::{Grid, In, Out, Parameter, Pointer, kernels};
use super::run::CudaRun;
use crate::Error;
use crate::gpu::TaskPlaces;
use crate::gpu::interface::{self, CLASSES, Split, Task, TaskCounter};
use crate::plan::{Round, STEP_BOUNDS, TASK_COUNTERS};

const THREADS: u32 = 256;
/// Tasks of a list that one thread makes by itself.
const MANY_TASKS: u32 = 32;
/// Where the bounds of all tasks and of none are, after those of the steps.
const ALL_TASKS: u32 = CLASSES + 1;
const NO_TASKS: u32 = CLASSES + 3;

const _: () = assert!(NO_TASKS as u64 + 2 == STEP_BOUNDS);

/// The constants of `tasks.cu`.
pub(super) const CONSTANTS: &[(&str, u32)] = &[
    ("ALL_TASKS", ALL_TASKS),
    ("NO_TASKS", NO_TASKS),
    ("TASKS_BLOCK", THREADS),
    ("MANY_TASKS", MANY_TASKS),
];

kernels! {
    /// Tasks of every class of length.
    CountClasses = "count_classes" in Tasks(
        lists: Lists,
        task_entries: u32,
        counters: Out<u32>,
    )

    /// Where the tasks of each class start; one block.
    ScanClasses = "scan_classes" in Tasks(counters: Out<u32>)

    /// The bounds of the steps, from the starts of the classes; one block.
    ScanSteps = "scan_steps" in Tasks(counters: In<u32>, bounds: Out<u32>)

    /// Cuts lists into tasks, a list per thread.
    MakeTasks = "make_tasks" in Tasks(
        lists: Lists,
        task_entries: u32,
        least: u32,
        counters: Out<u32>,
        tasks: Out<Task>,
        splits: Out<Split>,
        large: Out<Split>,
    )

    /// Brings entries into the order of the steps, a task per thread.
    ListSteps = "list_steps" in Tasks(
        tasks: In<Task>,
        task_count: In<u32>,
        entries: In<u32>,
        bounds: In<u32>,
        steps: Out<u32>,
        targets: Out<u32>,
    )
}

/// The lists of a round: those of all keys, or the pieces of split buckets.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Lists {
    /// For each key the start of its list, and the end of the last.
    starts: In<u32>,
    /// Null where lists are those of keys.
    splits: In<Split>,
    split_count: In<u32>,
    /// Keys, or the most split buckets that there can be.
    keys: u32,
    unused: u32,
}

impl Parameter for Lists {
    fn in_cuda() -> String {
        "Lists".into()
    }
}

impl Lists {
    /// The lists of all keys.
    pub(super) fn of_keys(starts: Pointer<u32>, keys: u64) -> Self {
        let (splits, split_count) = (Pointer::new(0).into(), Pointer::new(0).into());
        Self { starts: starts.into(), splits, split_count, keys: keys as u32, unused: 0 }
    }

    /// The pieces that a round leaves of split buckets.
    pub(super) fn of_pieces(round: &Round, tasks: &RoundTasks) -> Self {
        let (starts, splits) = (Pointer::new(0).into(), tasks.splits.into());
        let split_count = tasks.counter(TaskCounter::Splits).into();
        Self { starts, splits, split_count, keys: round.splits as u32, unused: 0 }
    }
}

/// The structure [`Lists`] in CUDA.
pub(super) fn structures() -> String {
    let pointers = [
        <In<u32>>::in_cuda() + " starts",
        <In<Split>>::in_cuda() + " splits",
        <In<u32>>::in_cuda() + " split_count",
    ];
    let name = Lists::in_cuda();
    let text = format!(
        "struct {name} {{\n    {};\n    u32 keys, unused;\n}};\n",
        pointers.join(";\n    ")
    );
    text + &interface::cuda_size(&name, size_of::<Lists>())
}

/// Where the tasks of a round are.
pub(super) struct RoundTasks {
    pub tasks: Pointer<Task>,
    pub splits: Pointer<Split>,
    pub large: Pointer<Split>,
    counters: Pointer<u32>,
    /// Bounds of the steps of batched affine additions.
    bounds: Pointer<u32>,
    /// The bucket that each task completes, with batched affine additions.
    pub targets: Pointer<u32>,
    /// The first word after them.
    pub end: Pointer<u32>,
}

impl RoundTasks {
    /// Those of a round, from `at` on.
    pub(super) fn new(round: &Round, at: Pointer<u32>) -> Self {
        let places = TaskPlaces::new(round, round.large * size_of::<Split>() as u64 / 4);
        let bounds = at.at(places.end);
        let targets = bounds.at(STEP_BOUNDS);
        Self {
            tasks: at.cast(),
            splits: at.at(places.splits).cast(),
            large: at.at(places.folding).cast(),
            counters: at.at(places.totals),
            bounds,
            targets,
            end: targets.at(round.tasks),
        }
    }

    pub(super) fn counter(&self, counter: TaskCounter) -> Pointer<u32> {
        self.counters.at(counter as u64)
    }

    /// The bounds of a step's entries.
    pub(super) fn step(&self, step: u32) -> Pointer<u32> {
        self.bounds.at(step.into())
    }

    /// The bounds of all tasks.
    pub(super) fn all(&self) -> Pointer<u32> {
        self.bounds.at(ALL_TASKS.into())
    }

    /// The bounds of none.
    pub(super) fn none(&self) -> Pointer<u32> {
        self.bounds.at(NO_TASKS.into())
    }

    /// Cuts lists into the tasks of a round. Lists of at least `least` tasks leave their sums in
    /// slots. With `steps`, also the bounds of the round's steps.
    pub(super) fn make(
        &self,
        run: &CudaRun<'_>,
        round: &Round,
        lists: Lists,
        least: u32,
        steps: bool,
    ) -> Result<(), Error> {
        let (plan, program, stream) = (run.job.plan, &run.cuda.program, &run.workspace.compute);
        let (task_entries, counters) = (round.task_entries, self.counters.into());
        stream.zero(self.counters.address(), 4 * TASK_COUNTERS)?;
        let per_list = Grid::per_item(round.lists, THREADS);
        CountClasses { lists, task_entries, counters }.launch(
            stream,
            program,
            per_list.at_most(8 * plan.device.threads as u64),
        )?;
        ScanClasses { counters }.launch(stream, program, Grid::new(1, CLASSES))?;
        if steps {
            ScanSteps { counters: self.counters.into(), bounds: self.bounds.into() }.launch(
                stream,
                program,
                Grid::new(1, CLASSES),
            )?;
        }
        let (tasks, splits, large) = (self.tasks.into(), self.splits.into(), self.large.into());
        MakeTasks { lists, task_entries, least, counters, tasks, splits, large }
            .launch(stream, program, per_list)
    }

    /// Brings entries into the order of the steps; without a list of entries, the slots themselves.
    pub(super) fn list_steps(
        &self,
        run: &CudaRun<'_>,
        round: &Round,
        entries: Option<Pointer<u32>>,
        steps: Pointer<u32>,
    ) -> Result<(), Error> {
        ListSteps {
            tasks: self.tasks.into(),
            task_count: self.counter(TaskCounter::Tasks).into(),
            entries: entries.unwrap_or(Pointer::new(0)).into(),
            bounds: self.bounds.into(),
            steps: steps.into(),
            targets: self.targets.into(),
        }
        .launch(
            &run.workspace.compute,
            &run.cuda.program,
            Grid::per_item(round.tasks, THREADS),
        )
    }
}

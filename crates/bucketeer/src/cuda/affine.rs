//! Stage 3, accumulate, in affine coordinates: rounds of steps of batched additions.
//!
//! 1. A round cuts its lists into tasks and brings their entries into the order of the steps.
//! 2. Every step adds an entry to each of its tasks; the second one of the last round adds what the
//!    buckets held.
//!    The threads are divided among streams: while the products of some are inverted, which keeps
//!    few units busy, others add.
//! 3. Sums go to the buckets. Those of split lists are the lists of the next round, and after the
//!    last round they are folded. All lists are split where another round adds what buckets held.

use super::accumulate::fold;
use super::group::Lists as Groups;
use super::launch::{Grid, In, Out, Parameter, Pointer, kernels};
use super::run::CudaRun;
use super::table::Bases;
use super::tasks::{Lists, RoundTasks};
use crate::Error;
use crate::gpu::interface::{self, Task, TaskCounter};
use crate::plan::{AFFINE_BLOCK, AffineLayout, BufferKind, Round, affine_shared_bytes};

const INVERT_BLOCK: u32 = 32;
/// Products of threads that share an inversion: few, since the time of a step's inversions is that
/// of one, and enough that all are inverted at once.
const INVERTED_TOGETHER: u32 = 4;
const STORE_BLOCK: u32 = 256;

/// The constants of `affine.cu`.
pub(super) const CONSTANTS: &[(&str, u32)] = &[
    ("AFFINE_BLOCK", AFFINE_BLOCK as u32),
    ("INVERT_BLOCK", INVERT_BLOCK),
    ("INVERTED_TOGETHER", INVERTED_TOGETHER),
];

kernels! {
    /// The first entry of every task is its sum; denominators of the next step.
    FirstStep = "first_step" in Affine(
        first: StepInput,
        next: StepInput,
        sums: Out<u32>,
        stride: u32,
        products: Out<u32>,
    )

    /// Inverts the products of some threads, if the step has tasks for them.
    InvertProducts = "invert_products" in Affine(
        bounds: In<u32>,
        products: Out<u32>,
        threads: u32,
        first: u32,
        count: u32,
    )

    /// Adds an entry to every task of a step; denominators of the next one.
    AddStep = "add_step" in Affine(
        current: StepInput,
        next: StepInput,
        upwards: u32,
        sums: Out<u32>,
        stride: u32,
        products: Out<u32>,
        threads: u32,
        first_block: u32,
    )

    /// Sums to their buckets or slots, a task per thread.
    StoreSums = "store_sums" in Affine(
        tasks: In<Task>,
        task_count: In<u32>,
        sums: Out<u32>,
        stride: u32,
        buckets: Out<u32>,
        slots: Out<u32>,
        folded: u32,
    )
}

/// What a step adds: points of a table, the entries that name them, and the bounds of the entries
/// of this step, one for each of the first tasks.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct StepInput {
    pub table: In<u32>,
    pub entries: In<u32>,
    pub bounds: In<u32>,
}

impl Parameter for StepInput {
    fn in_cuda() -> String {
        "StepInput".into()
    }
}

/// The structure [`StepInput`] in CUDA.
pub(super) fn structures() -> String {
    let pointer = <In<u32>>::in_cuda();
    let fields = ["table", "entries", "bounds"].map(|field| format!("    {pointer}{field};\n"));
    let name = StepInput::in_cuda();
    let text = format!("struct {name} {{\n{}}};\n", fields.concat());
    text + &interface::cuda_size(&name, size_of::<StepInput>())
}

/// Sums the list of every bucket; with `add`, onto what the buckets hold.
pub(super) fn accumulate(run: &CudaRun<'_>, bases: &Bases, add: bool) -> Result<(), Error> {
    let layout = &run.job.schedule.layout;
    let lists = Groups::new(run)?;
    let buckets: Pointer<u32> = run.buffers.at(BufferKind::BucketSums)?;
    if !add {
        // All ones are infinity.
        let bytes = layout.keys() * 2 * layout.sum_words as u64;
        run.workspace.compute.fill(buckets.address(), 0xff, bytes)?;
    }
    let mut tasks = RoundTasks::new(&layout.first, run.buffers.at(BufferKind::Tasks)?);
    let of_keys = Lists::of_keys(lists.starts, layout.keys());
    let slots = match layout.second {
        Some(_) => Slots::Added(run.buffers.at(BufferKind::Pieces)?),
        None => Slots::Folded(run.buffers.at(BufferKind::PartialSums)?),
    };
    let points = (bases.table, Some(lists.entries));
    steps(run, &layout.first, &tasks, of_keys, points, slots, add)?;
    if let (Some(second), Slots::Added(pieces)) = (&layout.second, slots) {
        let of_pieces = Lists::of_pieces(&layout.first, &tasks);
        tasks = RoundTasks::new(second, tasks.end);
        let slots = Slots::Folded(run.buffers.at(BufferKind::PartialSums)?);
        steps(run, second, &tasks, of_pieces, (pieces, None), slots, add)?;
    }
    fold(run, &tasks, add)
}

/// Where the sums of split lists go.
#[derive(Clone, Copy)]
enum Slots {
    /// To be points of the next round.
    Added(Pointer<u32>),
    /// To be folded.
    Folded(Pointer<u32>),
}

/// One round: sums lists of points of a table; without entries, lists of its points in order.
fn steps(
    run: &CudaRun<'_>,
    round: &Round,
    tasks: &RoundTasks,
    lists: Lists,
    (table, entries): (Pointer<u32>, Option<Pointer<u32>>),
    slots: Slots,
    add: bool,
) -> Result<(), Error> {
    let layout = &run.job.schedule.layout;
    let (program, stream) = (&run.cuda.program, &run.workspace.compute);
    let Some(AffineLayout { stride, threads, .. }) = layout.affine else {
        return Err(Error::Internal("a plan without affine sums".into()));
    };
    let sums: Pointer<u32> = run.buffers.at(BufferKind::AffineSums)?;
    let words = layout.sum_words as u64 / 4;
    let products = sums.at(3 * stride * words);
    let (buckets, ordered): (Pointer<u32>, Pointer<u32>) =
        (run.buffers.at(BufferKind::BucketSums)?, run.buffers.at(BufferKind::StepEntries)?);
    let another = matches!(slots, Slots::Added(_));
    let least = if add && another { 1 } else { 2 };
    tasks.make(run, round, lists, least, true)?;
    tasks.list_steps(run, round, entries, ordered)?;
    let input = |step: u32| StepInput {
        table: table.into(),
        entries: ordered.into(),
        bounds: tasks.step(step).into(),
    };
    // What the buckets hold is added to the tasks that complete one. It comes second, since the
    // tasks of a step must be among those of the step before.
    let held = StepInput {
        table: buckets.into(),
        entries: tasks.targets.into(),
        bounds: tasks.all().into(),
    };
    let mut inputs = vec![input(0)];
    inputs.extend((add && !another).then_some(held));
    inputs.extend((1..round.task_entries).map(input));
    inputs.push(StepInput { bounds: tasks.none().into(), ..input(0) });
    let (sums, stride, products) = (sums.into(), stride as u32, products.into());
    let blocks = threads / AFFINE_BLOCK;
    let grid = Grid::new(blocks, AFFINE_BLOCK as u32);
    let shared = affine_shared_bytes(layout.sum_words / 4);
    AddStep::kernel(program)?.allow_shared(shared)?;
    for kernel in [AddStep::kernel(program)?, InvertProducts::kernel(program)?] {
        kernel.prefer_shared()?;
    }
    FirstStep { first: inputs[0], next: inputs[1], sums, stride, products }
        .launch(stream, program, grid)?;
    // Each stream has a block on every multiprocessor.
    let beside = &run.workspace.beside;
    let per_stream = run.job.plan.device.threads as u64;
    let streams = [stream].into_iter().chain(&beside.streams).take((blocks / per_stream) as usize);
    let streams: Vec<_> = streams.collect();
    beside.forked.record(stream)?;
    for other in &streams[1..] {
        other.after(&beside.forked)?;
    }
    let threads = threads as u32;
    for (step, pair) in inputs.windows(2).enumerate().skip(1) {
        let [current, next] = [pair[0], pair[1]];
        let upwards = u32::from(step % 2 == 0);
        for (part, stream) in streams.iter().enumerate() {
            let [first_block, end] =
                [part, part + 1].map(|p| blocks * p as u64 / streams.len() as u64);
            let count = (end - first_block) * AFFINE_BLOCK;
            let first = (first_block * AFFINE_BLOCK) as u32;
            let bounds = current.bounds;
            InvertProducts { bounds, products, threads, first, count: count as u32 }.launch(
                stream,
                program,
                Grid::per_item(count.div_ceil(INVERTED_TOGETHER.into()), INVERT_BLOCK),
            )?;
            let first_block = first_block as u32;
            AddStep { current, next, upwards, sums, stride, products, threads, first_block }
                .launch(
                    stream,
                    program,
                    Grid::new(end - u64::from(first_block), AFFINE_BLOCK as u32).shared(shared),
                )?;
        }
    }
    for (other, joined) in streams[1..].iter().zip(&beside.joined) {
        joined.record(other)?;
        stream.after(joined)?;
    }
    let (slots, folded) = match slots {
        Slots::Added(slots) => (slots, 0),
        Slots::Folded(slots) => (slots, 1),
    };
    StoreSums {
        tasks: tasks.tasks.into(),
        task_count: tasks.counter(TaskCounter::Tasks).into(),
        sums,
        stride,
        buckets: buckets.into(),
        slots: slots.into(),
        folded,
    }
    .launch(stream, program, Grid::per_item(round.tasks, STORE_BLOCK))
}

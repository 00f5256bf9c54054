//! Stage 3, accumulate: lists → bucket sums.
//!
//! The fast variant takes equal slices of the grouped list, each on one worker:
//!
//! 1. Pair up neighbours in every run and add all pairs of the slice in one batch of affine
//!    additions (5M+1S each, one inversion per batch). The last point of an odd run is copied.
//! 2. Repeat on the sums, which are now contiguous and in cache, until every run is one point: a
//!    run of k points costs k − 1 additions in ⌈log₂ k⌉ rounds.
//! 3. A run that began in an earlier slice leaves a partial sum. Partial sums are added to their
//!    runs by the same steps, as a list of their own.
//!
//! Only the first round reads bases at random. A bucket with most of the entries is many slices of
//! one run each, so skew costs nothing.

use super::buffer::{PointBuffer, clear_with_capacity};
use super::kernel::{Kernel, Point, Scratch, XyzzPoint, infinity};
use super::pairs::{NEGATIVE, Pairs, Reads};
use super::pool::{Pool, Pooled, wipe};
use super::prefetch::prefetch;
use crate::control::Control;
use crate::parallel::loops::*;
use crate::vectors::{try_collect, try_with_capacity};
use crate::{Error, parallel};

/// How a list is cut into slices.
#[derive(Clone, Copy)]
pub(crate) struct Slices {
    /// Maximum number of entries of a slice.
    pub max_entries: usize,
    /// Workers that have no other pass.
    pub workers: usize,
    /// Whether idle threads steal slices.
    pub stealing: bool,
    /// Points of more bytes are read from beyond L2.
    pub prefetch_points_above: usize,
}

impl Slices {
    /// The length of slices such that every worker gets equally many. Slices shorter than a few
    /// hundred entries spend their time on inversions.
    fn length(&self, entries: usize) -> usize {
        let slices = entries.div_ceil(self.workers * self.max_entries).max(1) * self.workers;
        entries.div_ceil(slices).clamp(self.max_entries.min(512), self.max_entries)
    }
}

/// Working memory of one worker.
#[derive(Default)]
pub(super) struct Workspace {
    current: PointBuffer,
    next: PointBuffer,
    live: Vec<Run>,
    pairs: Pairs,
    scratch: Scratch,
}

impl Pooled for Workspace {
    fn bytes(&self) -> usize {
        // The scratch is about as large.
        2 * (self.current.bytes() + self.next.bytes())
    }

    fn wipe(&mut self) {
        wipe(&mut self.live);
        self.pairs.wipe();
    }
}

/// Reused from run to run.
pub(super) static WORKSPACES: Pool<Workspace> = Pool::new();

/// A run inside a slice: its output and its points.
#[derive(Clone, Copy, Default)]
struct Run {
    output: u32,
    start: u32,
    length: u32,
}

/// A list of entries in runs, and the points that they refer to.
pub(crate) struct List<'a, const W: usize, E> {
    pub points: &'a [Point<W>],
    /// The entry at a position.
    pub entry: E,
    /// First position of each run, and the end of the last.
    pub starts: &'a [u32],
    /// Whether points are read at random.
    pub scattered: bool,
}

impl<const W: usize, E: Fn(usize) -> u32 + Sync> List<'_, W, E> {
    fn runs(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn entries(&self) -> usize {
        *self.starts.last().expect("starts has an end") as usize
    }

    fn run(&self, run: usize) -> std::ops::Range<usize> {
        self.starts[run] as usize..self.starts[run + 1] as usize
    }
}

/// Sums every run into `sums`.
pub(crate) fn sum_runs<const W: usize, E>(
    kernel: &dyn Kernel<W>,
    list: &List<'_, W, E>,
    slices: Slices,
    control: &Control,
    sums: &mut PointBuffer,
) -> Result<(), Error>
where
    E: Fn(usize) -> u32 + Sync,
{
    let sums = sums.reserve(list.runs())?;
    let tasks = cut(list, slices.length(list.entries()), sums)?;
    let reads = match (list.scattered, size_of_val(list.points) > slices.prefetch_points_above) {
        (false, _) => Reads::Cached,
        (true, false) => Reads::Random,
        (true, true) => Reads::RandomBeyondL2,
    };
    let mut carried = try_collect((0..tasks.len()).map(|_| None))?;
    let outputs = carried.par_chunks_mut(1);
    tasks
        .into_par_iter()
        .zip(outputs)
        .with_min_len(parallel::grain(slices.stealing))
        .try_for_each(|(task, carried)| {
            let length = task.entries.len() as u64;
            carried[0] =
                WORKSPACES.with(|workspace| sum_slice(kernel, list, reads, task, workspace))?;
            control.advance(length)
        })?;
    if carried.iter().all(Option::is_none) {
        return Ok(());
    }
    add_carried(kernel, carried, slices, control, sums)
}

/// One slice: its entries, the run it starts in, and the outputs of the runs that begin in it.
struct Task<'a, const W: usize> {
    entries: std::ops::Range<usize>,
    first_run: usize,
    outputs: &'a mut [Point<W>],
}

fn cut<'a, const W: usize, E: Fn(usize) -> u32 + Sync>(
    list: &List<'_, W, E>,
    slice: usize,
    mut sums: &'a mut [Point<W>],
) -> Result<Vec<Task<'a, W>>, Error> {
    let total = list.entries();
    let runs = &list.starts[..list.runs()];
    let mut tasks = try_with_capacity(total.div_ceil(slice))?;
    for start in (0..total).step_by(slice) {
        let end = (start + slice).min(total);
        let first_inside = runs.partition_point(|&s| (s as usize) < start);
        let after = runs.partition_point(|&s| (s as usize) < end);
        let (outputs, rest) = sums.split_at_mut(after - first_inside);
        sums = rest;
        let begins_inside = first_inside < runs.len() && runs[first_inside] as usize == start;
        let first_run = if begins_inside { first_inside } else { first_inside - 1 };
        tasks.push(Task { entries: start..end, first_run, outputs });
    }
    Ok(tasks)
}

/// Sums the runs of one slice; returns the partial sum of a run that began before it.
fn sum_slice<const W: usize, E>(
    kernel: &dyn Kernel<W>,
    list: &List<'_, W, E>,
    reads: Reads,
    task: Task<'_, W>,
    workspace: &mut Workspace,
) -> Result<Option<(u32, Point<W>)>, Error>
where
    E: Fn(usize) -> u32 + Sync,
{
    let Workspace { current, next, live, pairs, scratch } = workspace;
    let Task { entries, first_run, outputs } = task;
    let continued = list.run(first_run).start < entries.start;
    // Runs of three points leave the longest next round: two points each.
    let longest = entries.len() * 2 / 3 + 1;
    let (mut current, mut next) = (current.reserve(longest)?, next.reserve(longest)?);
    clear_with_capacity(live, entries.len());
    let last_run = first_run + outputs.len() + usize::from(continued);
    let mut carried = None;
    let mut emit = |run: u32, point: Point<W>| match (continued, run) {
        (true, 0) => carried = Some((first_run as u32, point)),
        _ => outputs[run as usize - usize::from(continued)] = point,
    };
    live.extend((first_run..last_run).map(|run| {
        let range = list.run(run);
        let start = range.start.max(entries.start);
        let length = (range.end.min(entries.end) - start) as u32;
        Run { output: (run - first_run) as u32, start: start as u32, length }
    }));
    // The first round reads entries; the points of later rounds lie in `current` in order.
    let entry = |position: u32| (list.entry)(position as usize);
    if reads != Reads::Cached {
        // Unpaired points are copied one by one, and each copy would miss the cache.
        for run in live.iter().filter(|run| run.length % 2 == 1) {
            let last = entry(run.start + run.length - 1) & !NEGATIVE;
            prefetch(&raw const list.points[last as usize]);
        }
    }
    pairs.clear(entries.len() / 2);
    pairs.reads = reads;
    round(kernel, list.points, entry, live, pairs, next, scratch, &mut emit);
    while !live.is_empty() {
        std::mem::swap(&mut current, &mut next);
        pairs.clear(entries.len() / 2);
        pairs.reads = Reads::Cached;
        round(kernel, current, |position| position, live, pairs, next, scratch, &mut emit);
    }
    Ok(carried)
}

/// One round of the trees: `live` runs over `points` become half as long over `next`; runs of one
/// point are emitted and removed.
#[allow(clippy::too_many_arguments)]
fn round<const W: usize>(
    kernel: &dyn Kernel<W>,
    points: &[Point<W>],
    entry: impl Fn(u32) -> u32,
    live: &mut Vec<Run>,
    pairs: &mut Pairs,
    next: &mut [Point<W>],
    scratch: &mut Scratch,
    emit: &mut impl FnMut(u32, Point<W>),
) {
    let mut out = 0u32;
    live.retain_mut(|run| {
        if run.length == 1 {
            emit(run.output, kernel.signed(points, entry(run.start)));
            return false;
        }
        let pair = |k: usize| {
            let at = run.start + 2 * k as u32;
            (entry(at), entry(at + 1))
        };
        pairs.extend((0..run.length as usize / 2).map(pair), out);
        let odd = run.length % 2 == 1;
        if odd {
            let last = entry(run.start + run.length - 1);
            next[(out + run.length / 2) as usize] = kernel.signed(points, last);
        }
        let length = run.length.div_ceil(2);
        *run = Run { start: out, length, ..*run };
        out += length;
        true
    });
    if !pairs.is_empty() {
        kernel.add_pairs(points, pairs, next, scratch);
    }
}

/// Adds the partial sums of runs that cross slice borders to the sums from their first slices.
fn add_carried<const W: usize>(
    kernel: &dyn Kernel<W>,
    carried: Vec<Option<(u32, Point<W>)>>,
    slices: Slices,
    control: &Control,
    sums: &mut [Point<W>],
) -> Result<(), Error> {
    let count = carried.iter().flatten().count();
    let mut runs = try_with_capacity(count)?;
    let mut starts = try_with_capacity(count + 1)?;
    let mut points = try_with_capacity(2 * count)?;
    for (run, point) in carried.into_iter().flatten() {
        if runs.last() != Some(&run) {
            runs.push(run);
            starts.push(points.len() as u32);
            points.push(sums[run as usize]);
        }
        points.push(point);
    }
    starts.push(points.len() as u32);
    let list = List {
        points: &points,
        entry: |position| position as u32,
        starts: &starts,
        scattered: false,
    };
    let mut completed = PointBuffer::default();
    sum_runs(kernel, &list, slices, &control.silent(), &mut completed)?;
    for (&run, sum) in runs.iter().zip(completed.points(runs.len())) {
        sums[run as usize] = *sum;
    }
    Ok(())
}

/// The textbook variant: one worker and one accumulator per bucket, longest runs first so that the
/// last to finish are short.
pub(crate) fn sum_runs_per_bucket<const W: usize, E>(
    kernel: &dyn Kernel<W>,
    list: &List<'_, W, E>,
    control: &Control,
    out: &mut PointBuffer,
) -> Result<(), Error>
where
    E: Fn(usize) -> u32 + Sync,
{
    let mut order = try_collect(0..list.runs() as u32)?;
    order.par_sort_unstable_by_key(|&run| std::cmp::Reverse(list.run(run as usize).len()));
    let formulas = kernel.formulas();
    let mut sums = try_collect((0..order.len()).map(|_| infinity()))?;
    order.par_chunks(1).zip(sums.par_chunks_mut(1)).try_for_each(|(run, out)| {
        let range = list.run(run[0] as usize);
        control.advance(range.len() as u64)?;
        let sum = range.fold(XyzzPoint::INFINITY, |sum, position| {
            let point = kernel.signed(list.points, (list.entry)(position));
            formulas.add_point(&sum, &kernel.export(&point))
        });
        let mut sum = [formulas.to_point(&sum)];
        out[0] = kernel.import(&mut sum, false)[0];
        Ok(())
    })?;
    let out = out.reserve(list.runs())?;
    for (run, sum) in order.into_iter().zip(sums) {
        out[run as usize] = sum;
    }
    Ok(())
}

/// The fused variant: every slice is swept from its largest bucket down. With `running` the sum of
/// the points so far, Σ |digit|·P = Σ (gap to the next smaller bucket)·running. Returns for every
/// slice pairs of bucket set and partial window sum, which reduce only has to add.
pub(crate) fn sweep<const W: usize, E>(
    kernel: &dyn Kernel<W>,
    list: &List<'_, W, E>,
    keys: &[u32],
    buckets: u64,
    slice: usize,
    control: &Control,
) -> Result<Vec<Vec<(usize, XyzzPoint<W>)>>, Error>
where
    E: Fn(usize) -> u32 + Sync,
{
    let total = list.entries();
    let formulas = kernel.formulas();
    let locate = |key: u32| ((u64::from(key) / buckets) as usize, u64::from(key) % buckets + 1);
    let mut partial = try_collect((0..total.div_ceil(slice)).map(|_| Vec::new()))?;
    partial.par_chunks_mut(1).enumerate().try_for_each(|(index, out)| {
        let start = index * slice;
        let end = (start + slice).min(total);
        control.advance((end - start) as u64)?;
        let mut run = list.starts.partition_point(|&s| (s as usize) < end) - 1;
        let (mut set, mut weight) = locate(keys[run]);
        let (mut running, mut sum) = (XyzzPoint::INFINITY, XyzzPoint::INFINITY);
        let mut sums = Vec::new();
        for position in (start..end).rev() {
            if position < list.starts[run] as usize {
                run -= 1;
                let (next_set, next_weight) = locate(keys[run]);
                let drop = if next_set == set { weight - next_weight } else { weight };
                sum = formulas.add(&sum, &formulas.mul(&running, drop));
                if next_set != set {
                    sums.push((set, sum));
                    (running, sum) = (XyzzPoint::INFINITY, XyzzPoint::INFINITY);
                }
                (set, weight) = (next_set, next_weight);
            }
            let point = kernel.signed(list.points, (list.entry)(position));
            running = formulas.add_point(&running, &kernel.export(&point));
        }
        sums.push((set, formulas.add(&sum, &formulas.mul(&running, weight))));
        out[0] = sums;
        Ok(())
    })?;
    Ok(partial)
}

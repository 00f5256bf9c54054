//! A run on an NVIDIA GPU: a workspace, its streams and the events between them.
//!
//! Scalars are copied and decomposed in the input stream, and borrowed bases are copied and
//! converted in streams of their own, while the bases of the chunk before are added in the compute
//! stream. One chunk is in flight while the host prepares the next.

use std::sync::Arc;
use std::time::Duration;

use super::driver::{Context, Event, Stream};
use super::launch::Pointer;
use super::pool::Lent;
use super::staging::LARGEST_SLOT;
use super::table::{Bases, Table};
use super::workspace::{Buffers, Need, Workspace};
use super::{Cuda, accumulate, decompose, group, reduce, table};
use crate::Error;
#[cfg(feature = "faults")]
use crate::faults::flips::Flip;
use crate::gpu::{Chunk, Counters, Job, Pass, Points, Run, Stage};
use crate::plan::BufferKind;
use crate::report::Timings;

/// One run in a workspace.
pub(crate) struct CudaRun<'a> {
    pub(super) cuda: &'a Cuda,
    pub(super) job: Job<'a, Table>,
    pub(super) buffers: Buffers,
    pub(super) workspace: Lent<'a, Workspace>,
    /// Recorded after the passes over the integers in each half of their double buffer.
    grouped: [Event; 2],
    /// Recorded after all work on the chunk in each half.
    summed: [Event; 2],
    /// Recorded after the integers of a chunk are written.
    decomposed: Event,
    /// Recorded after the lists of a chunk are written.
    listed: Event,
    /// Which half of their double buffer the lists of this chunk are in.
    pub(super) lists: usize,
    /// Events around the stages.
    spans: Vec<(Stage, Event, Event)>,
}

/// Two events.
fn events(context: &Arc<Context>) -> Result<[Event; 2], Error> {
    Ok([Event::new(context)?, Event::new(context)?])
}

impl<'a> CudaRun<'a> {
    pub(super) fn new(cuda: &'a Cuda, job: Job<'a, Table>) -> Result<Self, Error> {
        let (context, plan) = (&cuda.gpu.context, job.plan);
        context.bind()?;
        let need = Need {
            device: plan.bytes(),
            limited: plan.memory_limit.is_some(),
            staging: (job.schedule.layout.staging as usize).clamp(1 << 16, LARGEST_SLOT),
            results: job.result_bytes(),
        };
        let workspace = cuda.gpu.pool.workspace(context, &need)?;
        let buffers = workspace.buffers(&plan.buffers);
        let run = Self {
            cuda,
            job,
            buffers,
            workspace,
            grouped: events(context)?,
            summed: events(context)?,
            decomposed: Event::new(context)?,
            listed: Event::new(context)?,
            lists: 0,
            spans: Vec::new(),
        };
        run.workspace.input.upload(run.too_large()?.address(), &u32::MAX.to_le_bytes())?;
        Ok(run)
    }

    /// Does the work of a stage, with events around it.
    pub(super) fn timed(
        &mut self,
        stage: Stage,
        work: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let [start, end] = events(&self.cuda.gpu.context)?;
        let record = |run: &Self, event: &Event| match stage {
            Stage::Load => event.record(&run.workspace.bases.copy),
            Stage::Decompose => event.record(&run.workspace.input),
            Stage::Group => event.record(run.grouping()),
            _ => event.record(&run.workspace.compute),
        };
        record(self, &start)?;
        work(self)?;
        record(self, &end)?;
        self.spans.push((stage, start, end));
        Ok(())
    }

    /// The stream of the group stage.
    pub(super) fn grouping(&self) -> &Stream {
        let Workspace { grouping, compute, .. } = &*self.workspace;
        if self.job.schedule.groups_ahead { grouping } else { compute }
    }

    /// Where the smallest index of a scalar that is too large goes.
    pub(super) fn too_large(&self) -> Result<Pointer<u32>, Error> {
        let counters: Pointer<u32> = self.buffers.at(BufferKind::Counters)?;
        Ok(counters.at(Counters::new(&self.job.schedule.layout).too_large))
    }
}

impl Run for CudaRun<'_> {
    type Bases = Bases;

    async fn bases(&mut self, chunk: &Chunk) -> Result<Bases, Error> {
        table::bases(self, chunk)
    }

    /// The compute stream waits for the bases where it adds them first.
    async fn load(&mut self, chunk: &Chunk) -> Result<(), Error> {
        let Points::Borrowed(source) = self.job.points else { return Ok(()) };
        self.workspace.bases.copy.after(&self.summed[chunk.half])?;
        self.timed(Stage::Load, |run| table::load_chunk(run, chunk, source))?;
        let Workspace { bases, compute, .. } = &*self.workspace;
        bases.copied.record(&bases.copy)?;
        compute.after(&bases.copied)
    }

    async fn decompose(&mut self, chunk: &Chunk) -> Result<(), Error> {
        self.workspace.input.after(&self.grouped[chunk.half])?;
        self.timed(Stage::Decompose, |run| decompose::decompose(run, chunk))?;
        self.decomposed.record(&self.workspace.input)?;
        self.grouping().after(&self.decomposed)
    }

    async fn group(&mut self, chunk: &Chunk, pass: Pass, bases: &Bases) -> Result<(), Error> {
        if !self.job.schedule.groups_ahead {
            return self.timed(Stage::Group, |run| group::group(run, chunk, pass, bases));
        }
        self.lists = chunk.half;
        self.workspace.grouping.after(&self.summed[chunk.half])?;
        self.timed(Stage::Group, |run| group::group(run, chunk, pass, bases))?;
        self.listed.record(&self.workspace.grouping)?;
        self.workspace.compute.after(&self.listed)
    }

    async fn accumulate(&mut self, bases: &Bases, add: bool) -> Result<(), Error> {
        self.timed(Stage::Accumulate, |run| accumulate::accumulate(run, bases, add))
    }

    #[cfg(feature = "faults")]
    async fn flip(&mut self, buffer: BufferKind, flip: Flip) -> Result<(), Error> {
        let start: Pointer<u32> = self.buffers.at(buffer)?;
        let Workspace { input, bases, compute, .. } = &*self.workspace;
        input.wait()?;
        bases.copy.wait()?;
        compute.flip(start.at(flip.word as u64).address(), flip.bit)
    }

    async fn reduce(&mut self, bases: &Bases) -> Result<(), Error> {
        self.timed(Stage::Reduce, |run| reduce::reduce(run, bases))
    }

    async fn results(&mut self) -> Result<Vec<u64>, Error> {
        let from: Pointer<u32> = self.buffers.at(BufferKind::Reduce)?;
        let workspace = &mut *self.workspace;
        let results = &mut workspace.results.as_mut_slice()[..self.job.result_bytes()];
        workspace.compute.download(results, from.address())?;
        workspace.compute.wait()?;
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or([0; 8]));
        Ok(results.chunks_exact(8).map(word).collect())
    }

    /// Waits for the chunk before; this one stays in flight.
    async fn end_chunk(&mut self, chunk: &Chunk) -> Result<usize, Error> {
        let compute = &self.workspace.compute;
        self.grouped[chunk.half].record(compute)?;
        self.summed[chunk.half].record(compute)?;
        if chunk.index > 0 {
            self.summed[1 - chunk.half].wait()?;
        }
        Ok(chunk.range.start)
    }

    async fn too_large(&mut self) -> Result<Option<usize>, Error> {
        let from = CudaRun::too_large(self)?;
        let Workspace { input, compute, .. } = &*self.workspace;
        compute.wait()?;
        input.wait()?;
        let mut found = [0; 4];
        compute.download(&mut found, from.address())?;
        compute.wait()?;
        let index = u32::from_le_bytes(found);
        Ok((index != u32::MAX).then_some(index as usize))
    }

    async fn finish(self) -> Result<Timings, Error> {
        let mut timings = Timings::default();
        for (stage, start, end) in &self.spans {
            *stage.of(&mut timings) += Duration::from_secs_f64(f64::from(end.since(start)?) / 1e3);
        }
        Ok(timings)
    }
}

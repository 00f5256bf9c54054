//! A run through WebGPU: a workspace and the commands that are recorded in it.

use super::recorder::{Recorder, finished, read};
use super::table::{Bases, Table};
use super::workspace::Workspace;
use super::{WebGpu, accumulate, decompose, group, reduce, table};
use crate::Error;
#[cfg(feature = "faults")]
use crate::faults::flips::Flip;
use crate::gpu::{Chunk, Counters, Job, Pass, Run};
use crate::plan::BufferKind;
use crate::report::Timings;

/// One run in a workspace.
pub(crate) struct WebGpuRun<'a> {
    pub(super) webgpu: &'a WebGpu,
    pub(super) job: Job<'a, Table>,
    pub(super) workspace: Workspace,
    pub(super) recorder: Recorder<'a>,
}

impl<'a> WebGpuRun<'a> {
    pub(super) async fn new(webgpu: &'a WebGpu, job: Job<'a, Table>) -> Result<Self, Error> {
        let (gpu, plan) = (&*webgpu.gpu, job.plan);
        let (results, limited) = (job.result_bytes().max(8), plan.memory_limit.is_some());
        let workspace = gpu.pool.take(gpu, &plan.buffers, results as u64, limited).await?;
        let recorder = Recorder::new(gpu, &workspace.tape);
        let run = Self { webgpu, job, workspace, recorder };
        let counters = run.workspace.at(BufferKind::Counters)?;
        gpu.queue.write_buffer(counters, 4 * run.places().too_large, &u32::MAX.to_le_bytes());
        Ok(run)
    }

    /// Places in the buffer of counters.
    pub(super) fn places(&self) -> Counters {
        Counters::new(&self.job.schedule.layout)
    }

    /// Copies a part of a buffer to where it can be read, and reads it.
    async fn read(&mut self, buffer: BufferKind, at: u64, bytes: u64) -> Result<Vec<u64>, Error> {
        let results = &self.workspace.results;
        self.recorder.copy(self.workspace.at(buffer)?, at, results, bytes);
        self.recorder.send().await?;
        read(&self.webgpu.gpu, results, bytes.next_multiple_of(8)).await
    }
}

impl Run for WebGpuRun<'_> {
    type Bases = Bases;

    async fn bases(&mut self, chunk: &Chunk) -> Result<Bases, Error> {
        table::bases(self, chunk).await
    }

    async fn decompose(&mut self, chunk: &Chunk) -> Result<(), Error> {
        decompose::decompose(self, chunk).await
    }

    async fn group(&mut self, chunk: &Chunk, pass: Pass, bases: &Bases) -> Result<(), Error> {
        group::group(self, chunk, pass, bases).await
    }

    async fn accumulate(&mut self, bases: &Bases, add: bool) -> Result<(), Error> {
        accumulate::accumulate(self, bases, add).await
    }

    #[cfg(feature = "faults")]
    async fn flip(&mut self, buffer: BufferKind, flip: Flip) -> Result<(), Error> {
        self.recorder.send().await?;
        super::recorder::flip(&self.webgpu.gpu, self.workspace.at(buffer)?, flip).await
    }

    async fn reduce(&mut self, bases: &Bases) -> Result<(), Error> {
        reduce::reduce(self, bases).await
    }

    async fn results(&mut self) -> Result<Vec<u64>, Error> {
        self.read(BufferKind::Reduce, 0, self.job.result_bytes() as u64).await
    }

    async fn end_chunk(&mut self, chunk: &Chunk) -> Result<usize, Error> {
        self.recorder.send().await?;
        Ok(chunk.range.end)
    }

    async fn too_large(&mut self) -> Result<Option<usize>, Error> {
        // Field elements are below the order by their type.
        if self.job.raw.montgomery {
            return Ok(None);
        }
        let words = self.read(BufferKind::Counters, 4 * self.places().too_large, 4).await?;
        let index = words.first().map_or(u32::MAX, |word| *word as u32);
        Ok((index != u32::MAX).then_some(index as usize))
    }

    async fn finish(self) -> Result<Timings, Error> {
        let timings = self.recorder.finish().await?;
        if self.job.plan.memory_limit.is_none() {
            self.webgpu.gpu.pool.give(self.workspace);
        }
        Ok(timings)
    }

    /// Waits for the device. The workspace is dropped, since its buffers may still be mapped.
    async fn abandon(self) {
        let _ = finished(&self.webgpu.gpu).await;
    }
}

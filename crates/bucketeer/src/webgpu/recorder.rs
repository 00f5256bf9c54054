//! Commands of a run: recorded, sent, waited for and timed.
//!
//! Dispatches of one stage that follow each other become one pass. The parameters of all dispatches
//! lie in one uniform buffer, in slots that every device can bind.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use super::Gpu;
use crate::Error;
use crate::gpu::Stage;
use crate::platform::Instant;
use crate::report::Timings;

/// Bytes between the parameters of two dispatches: the largest alignment a device may ask for.
const SLOT: u64 = 256;
/// Dispatches that are sent together at most.
const SLOTS: u64 = 256;
/// Passes of a run that are timed at most.
const TIMED: u32 = 1024;

enum Command {
    Dispatch {
        stage: Stage,
        pipeline: wgpu::ComputePipeline,
        bindings: wgpu::BindGroup,
        groups: (u32, u32),
    },
    Clear {
        buffer: wgpu::Buffer,
        bytes: u64,
    },
    Copy {
        from: wgpu::Buffer,
        at: u64,
        to: wgpu::Buffer,
        bytes: u64,
    },
}

/// Where the parameters and the times of a run are; kept between runs. Copies share the buffers.
#[derive(Clone)]
pub(crate) struct Tape {
    uniforms: wgpu::Buffer,
    times: Option<Times>,
}

#[derive(Clone)]
struct Times {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
}

impl Tape {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let buffer = |label, bytes, usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes,
                usage,
                mapped_at_creation: false,
            })
        };
        use wgpu::BufferUsages as Usage;
        let times = gpu.facts.timestamps.then(|| Times {
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("times"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * TIMED,
            }),
            resolved: buffer(
                "times",
                16 * u64::from(TIMED),
                Usage::QUERY_RESOLVE | Usage::COPY_SRC,
            ),
            readable: buffer("times", 16 * u64::from(TIMED), Usage::MAP_READ | Usage::COPY_DST),
        });
        let uniforms = buffer("parameters", SLOT * SLOTS, Usage::UNIFORM | Usage::COPY_DST);
        Self { uniforms, times }
    }
}

/// Records the commands of one run.
pub(crate) struct Recorder<'a> {
    gpu: &'a Gpu,
    tape: Tape,
    commands: Vec<Command>,
    parameters: Vec<u8>,
    /// The stages of the timed passes, in order.
    timed: Vec<Stage>,
    /// Times of stages where the device cannot tell.
    measured: Timings,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(gpu: &'a Gpu, tape: &Tape) -> Self {
        let (tape, commands, parameters) = (tape.clone(), Vec::new(), Vec::new());
        Self { gpu, tape, commands, parameters, timed: Vec::new(), measured: Timings::default() }
    }

    /// A dispatch of at least `groups` workgroups. `buffers` are bound to 1, 2, …, as far as they
    /// are given.
    pub(crate) async fn dispatch(
        &mut self,
        stage: Stage,
        pipeline: wgpu::ComputePipeline,
        parameters: &[u32],
        buffers: &[(u32, &wgpu::Buffer)],
        groups: (u64, u32),
    ) -> Result<(), Error> {
        if self.parameters.len() as u64 >= SLOT * SLOTS {
            self.send().await?;
        }
        let offset = self.parameters.len() as u64;
        self.parameters.extend(parameters.iter().flat_map(|word| word.to_le_bytes()));
        self.parameters.resize((offset + SLOT) as usize, 0);
        let uniform = wgpu::BufferBinding {
            buffer: &self.tape.uniforms,
            offset,
            size: wgpu::BufferSize::new(4 * parameters.len() as u64),
        };
        let mut entries = vec![wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::Buffer(uniform),
        }];
        entries.extend(buffers.iter().map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding: *binding,
            resource: buffer.as_entire_binding(),
        }));
        let bindings = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let groups = spread(groups, self.gpu.facts.limits.max_compute_workgroups_per_dimension)?;
        if !self.gpu.facts.timestamps && self.last_stage().is_some_and(|last| last != stage) {
            self.send().await?;
        }
        self.commands.push(Command::Dispatch { stage, pipeline, bindings, groups });
        Ok(())
    }

    fn last_stage(&self) -> Option<Stage> {
        self.commands.iter().rev().find_map(|command| match command {
            Command::Dispatch { stage, .. } => Some(*stage),
            _ => None,
        })
    }

    /// Zeros at the start of a buffer.
    pub(crate) fn clear(&mut self, buffer: &wgpu::Buffer, bytes: u64) {
        let bytes = bytes.div_ceil(4) * 4;
        if bytes > 0 {
            self.commands.push(Command::Clear { buffer: buffer.clone(), bytes });
        }
    }

    /// Copies a part of one buffer to the start of another.
    pub(crate) fn copy(&mut self, from: &wgpu::Buffer, at: u64, to: &wgpu::Buffer, bytes: u64) {
        let (from, to) = (from.clone(), to.clone());
        self.commands.push(Command::Copy { from, at, to, bytes });
    }

    /// Sends what is recorded; where the device cannot tell times, waits for it too.
    pub(crate) async fn send(&mut self) -> Result<(), Error> {
        if self.commands.is_empty() {
            return Ok(());
        }
        let stage = self.last_stage();
        self.gpu.queue.write_buffer(&self.tape.uniforms, 0, &self.parameters);
        self.parameters.clear();
        let commands = self.encode();
        let start = Instant::now();
        self.gpu.queue.submit([commands]);
        if let (None, Some(stage)) = (&self.tape.times, stage) {
            finished(self.gpu).await?;
            *stage.of(&mut self.measured) += start.elapsed();
        }
        self.gpu.faults.check()
    }

    fn encode(&mut self) -> wgpu::CommandBuffer {
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("bucketeer") };
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        let mut commands = std::mem::take(&mut self.commands).into_iter().peekable();
        while let Some(command) = commands.next() {
            match command {
                Command::Clear { buffer, bytes } => encoder.clear_buffer(&buffer, 0, Some(bytes)),
                Command::Copy { from, at, to, bytes } => {
                    encoder.copy_buffer_to_buffer(&from, at, &to, 0, bytes);
                }
                Command::Dispatch { stage, pipeline, bindings, groups } => {
                    let index = self.time(stage);
                    let timestamp_writes = self.tape.times.as_ref().zip(index).map(|(times, i)| {
                        wgpu::ComputePassTimestampWrites {
                            query_set: &times.queries,
                            beginning_of_pass_write_index: Some(2 * i),
                            end_of_pass_write_index: Some(2 * i + 1),
                        }
                    });
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                        label: None,
                        timestamp_writes,
                    });
                    let mut next = Some((pipeline, bindings, groups));
                    while let Some((pipeline, bindings, groups)) = next.take() {
                        pass.set_pipeline(&pipeline);
                        pass.set_bind_group(0, &bindings, &[]);
                        pass.dispatch_workgroups(groups.0, groups.1, 1);
                        let same = |command: &Command| match command {
                            Command::Dispatch { stage: own, .. } => *own == stage,
                            _ => false,
                        };
                        if let Some(Command::Dispatch { pipeline, bindings, groups, .. }) =
                            commands.next_if(same)
                        {
                            next = Some((pipeline, bindings, groups));
                        }
                    }
                }
            }
        }
        encoder.finish()
    }

    /// The number of a timed pass of this stage.
    fn time(&mut self, stage: Stage) -> Option<u32> {
        let index = self.timed.len() as u32;
        if self.tape.times.is_none() || index >= TIMED {
            return None;
        }
        self.timed.push(stage);
        Some(index)
    }

    /// Sends everything, and the times of the stages.
    pub(crate) async fn finish(mut self) -> Result<Timings, Error> {
        self.send().await?;
        let Some(times) = self.tape.times.as_ref().filter(|_| !self.timed.is_empty()) else {
            finished(self.gpu).await?;
            return Ok(self.measured);
        };
        let count = 2 * self.timed.len() as u32;
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("times") };
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        encoder.resolve_query_set(&times.queries, 0..count, &times.resolved, 0);
        let bytes = 8 * u64::from(count);
        encoder.copy_buffer_to_buffer(&times.resolved, 0, &times.readable, 0, bytes);
        self.gpu.queue.submit([encoder.finish()]);
        let ticks = read(self.gpu, &times.readable, bytes).await?;
        let period = f64::from(self.gpu.queue.get_timestamp_period());
        let mut timings = self.measured;
        for (stage, ticks) in self.timed.iter().zip(ticks.chunks_exact(2)) {
            let nanoseconds = ticks[1].saturating_sub(ticks[0]) as f64 * period;
            *stage.of(&mut timings) += Duration::from_nanos(nanoseconds as u64);
        }
        Ok(timings)
    }
}

/// Workgroups in two dimensions, at least as many as requested; `(x, y)` with y rows is kept.
fn spread(groups: (u64, u32), most: u32) -> Result<(u32, u32), Error> {
    let (x, y) = groups;
    let most = u64::from(most.max(1));
    if x <= most {
        return Ok((x as u32, y));
    }
    let rows = x.div_ceil(most);
    if y != 1 || rows > most {
        return Err(Error::Internal(format!("{x} × {y} workgroups are too many")));
    }
    Ok((x.div_ceil(rows) as u32, rows as u32))
}

/// Something that a callback of the device brings.
struct Arrival<T>(Arc<Mutex<(Option<T>, Option<Waker>)>>);

impl<T> Arrival<T> {
    fn new() -> Self {
        Self(Arc::new(Mutex::new((None, None))))
    }

    fn bring(&self, value: T) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = Some(value);
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    }

    async fn arrived(self) -> T {
        std::future::poll_fn(|context| {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match state.0.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    state.1 = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }
}

impl<T> Clone for Arrival<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// Lets a program's device work until it has done everything; a browser's works by itself.
fn work(gpu: &Gpu) -> Result<(), Error> {
    let outcome = gpu.device.poll(wgpu::PollType::wait_indefinitely());
    outcome.map_err(|error| Error::DeviceFailed { reason: error.to_string() })?;
    gpu.faults.check()
}

/// Waits until everything that was sent is done.
pub(crate) async fn finished(gpu: &Gpu) -> Result<(), Error> {
    let done = Arrival::new();
    let bring = done.clone();
    gpu.queue.on_submitted_work_done(move || bring.bring(()));
    work(gpu)?;
    done.arrived().await;
    gpu.faults.check()
}

/// Flips a bit of a buffer, as a fault on purpose.
#[cfg(feature = "faults")]
pub(crate) async fn flip(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    flip: crate::faults::flips::Flip,
) -> Result<(), Error> {
    let at = 8 * (flip.word as u64 / 2 % (buffer.size() / 8));
    let copy = super::workspace::readable(gpu, 8).await?;
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, at, &copy, 0, 8);
    gpu.queue.submit([encoder.finish()]);
    let word = read(gpu, &copy, 8).await?[0] ^ 1 << (32 * (flip.word as u32 % 2) + flip.bit % 32);
    gpu.queue.write_buffer(buffer, at, &word.to_le_bytes());
    gpu.queue.submit([]);
    finished(gpu).await
}

/// The 64-bit words at the start of a buffer.
pub(crate) async fn read(gpu: &Gpu, buffer: &wgpu::Buffer, bytes: u64) -> Result<Vec<u64>, Error> {
    let failed =
        |error: String| Error::DeviceFailed { reason: format!("reading results: {error}") };
    let mapped = Arrival::new();
    let bring = mapped.clone();
    buffer.map_async(wgpu::MapMode::Read, 0..bytes, move |outcome| bring.bring(outcome));
    work(gpu)?;
    mapped.arrived().await.map_err(|error| failed(error.to_string()))?;
    let range = buffer.get_mapped_range(0..bytes).map_err(|error| failed(error.to_string()))?;
    let words = range.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap_or([0; 8])));
    let words = words.collect();
    drop(range);
    buffer.unmap();
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn workgroups_fit_in_two_dimensions() {
        assert_eq!(spread((65_535, 17), 65_535).ok(), Some((65_535, 17)));
        for x in [65_536u64, 100_000, 1 << 24, 65_535 * 65_535] {
            let (own, rows) = spread((x, 1), 65_535).expect("two dimensions");
            assert!(own <= 65_535 && rows <= 65_535 && u64::from(own) * u64::from(rows) >= x);
        }
        assert!(spread((65_536, 2), 65_535).is_err());
        assert!(spread((65_535 * 65_535 + 1, 1), 65_535).is_err());
    }
}

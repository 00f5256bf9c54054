//! What a run works in: the buffers of its plan. Kept between runs, since making them takes longer
//! than a small MSM.

use std::sync::{Mutex, PoisonError};

use super::Gpu;
use super::adapter::failure;
use super::recorder::Tape;
use crate::Error;
use crate::plan::{Buffer, BufferKind};

/// Workspaces that are kept.
const KEPT: usize = 4;

pub(crate) struct Workspace {
    buffers: Vec<(BufferKind, wgpu::Buffer)>,
    /// What is read back is copied here.
    pub results: wgpu::Buffer,
    pub tape: Tape,
}

impl Workspace {
    async fn new(gpu: &Gpu, results: u64) -> Result<Self, Error> {
        let results = readable(gpu, results).await?;
        Ok(Self { buffers: Vec::new(), results, tape: Tape::new(gpu) })
    }

    pub(crate) fn at(&self, kind: BufferKind) -> Result<&wgpu::Buffer, Error> {
        let found = self.buffers.iter().find(|(own, _)| *own == kind).map(|(_, buffer)| buffer);
        let missing = || Error::Internal(format!("the plan has no buffer \"{}\"", kind.name()));
        found.ok_or_else(missing)
    }

    /// Grows every buffer to at least the bytes that are needed.
    async fn fit(&mut self, gpu: &Gpu, buffers: &[Buffer], results: u64) -> Result<(), Error> {
        // Resident bases have buffers of their own.
        let needed = |buffer: &&Buffer| buffer.kind != BufferKind::Bases || buffer.bytes > 0;
        for &Buffer { kind, bytes, .. } in buffers.iter().filter(needed) {
            // A binding must not be empty.
            let bytes = bytes.max(256);
            let known = self.buffers.iter().position(|(own, _)| *own == kind);
            if known.is_some_and(|index| self.buffers[index].1.size() >= bytes) {
                continue;
            }
            if let Some(index) = known {
                self.buffers.swap_remove(index);
            }
            self.buffers.push((kind, create(gpu, kind.name(), bytes, STORAGE).await?));
        }
        if self.results.size() < results {
            self.results = readable(gpu, results).await?;
        }
        Ok(())
    }
}

const READABLE: wgpu::BufferUsages =
    wgpu::BufferUsages::MAP_READ.union(wgpu::BufferUsages::COPY_DST);
const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

/// A storage buffer, or an error with the requested size.
pub(crate) async fn storage(
    gpu: &Gpu,
    kind: BufferKind,
    bytes: u64,
) -> Result<wgpu::Buffer, Error> {
    create(gpu, kind.name(), bytes.max(256), STORAGE).await
}

/// A buffer that the host can read.
pub(crate) async fn readable(gpu: &Gpu, bytes: u64) -> Result<wgpu::Buffer, Error> {
    create(gpu, "results", bytes.max(256), READABLE).await
}

async fn create(
    gpu: &Gpu,
    name: &str,
    bytes: u64,
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, Error> {
    let memory = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let valid = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(name),
        size: bytes,
        usage,
        mapped_at_creation: false,
    });
    let (valid, memory) = (valid.pop().await, memory.pop().await);
    match valid.or(memory) {
        None => Ok(buffer),
        Some(error) => Err(failure(&error, bytes)),
    }
}

/// The workspaces of a device that no run holds.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Vec<Workspace>>);

impl Pool {
    /// A workspace with the buffers of a plan and `results` bytes to read; it is given back with
    /// [`give`](Self::give). A `limited` one is not larger than requested.
    pub(crate) async fn take(
        &self,
        gpu: &Gpu,
        buffers: &[Buffer],
        results: u64,
        limited: bool,
    ) -> Result<Workspace, Error> {
        let mut idle = None;
        if !limited {
            idle = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        }
        let mut workspace = match idle {
            Some(workspace) => workspace,
            None => Workspace::new(gpu, results).await?,
        };
        workspace.fit(gpu, buffers, results).await?;
        Ok(workspace)
    }

    pub(crate) fn give(&self, workspace: Workspace) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(workspace);
        }
    }
}

//! What a run works in: the buffers of its plan. Kept between runs, since making them takes longer than a small
//! MSM.

use std::sync::{Mutex, PoisonError};

use super::Gpu;
use super::adapter::failure;
use super::recorder::Tape;
use crate::Error;
use crate::plan::{BASES, Buffer};

/// Workspaces that are kept.
const KEPT: usize = 4;

pub(crate) struct Workspace {
    buffers: Vec<(&'static str, wgpu::Buffer)>,
    pub tape: Tape,
}

impl Workspace {
    pub(crate) fn at(&self, name: &str) -> Result<&wgpu::Buffer, Error> {
        let found = self.buffers.iter().find(|(own, _)| *own == name).map(|(_, buffer)| buffer);
        found.ok_or_else(|| Error::Internal(format!("the plan has no buffer \"{name}\"")))
    }

    /// Has every buffer at least as large as asked for.
    async fn fit(&mut self, gpu: &Gpu, needs: &[(&'static str, u64)]) -> Result<(), Error> {
        for &(name, bytes) in needs {
            // An empty binding is none.
            let bytes = bytes.max(256);
            let known = self.buffers.iter().position(|(own, _)| *own == name);
            if known.is_some_and(|index| self.buffers[index].1.size() >= bytes) {
                continue;
            }
            if let Some(index) = known {
                self.buffers.swap_remove(index);
            }
            let usage = if name == RESULTS { READABLE } else { STORAGE };
            self.buffers.push((name, create(gpu, name, bytes, usage).await?));
        }
        Ok(())
    }
}

/// The buffer that results are read from.
pub(crate) const RESULTS: &str = "results";
const READABLE: wgpu::BufferUsages =
    wgpu::BufferUsages::MAP_READ.union(wgpu::BufferUsages::COPY_DST);
const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

/// A storage buffer, or an error that says how much was asked for.
pub(crate) async fn storage(gpu: &Gpu, name: &str, bytes: u64) -> Result<wgpu::Buffer, Error> {
    create(gpu, name, bytes.max(256), STORAGE).await
}

/// A buffer that can be read.
#[cfg(test)]
pub(crate) async fn readable(gpu: &Gpu, bytes: u64) -> Result<wgpu::Buffer, Error> {
    create(gpu, RESULTS, bytes, READABLE).await
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
    /// [`give`](Self::give). A `limited` one is not larger than asked for.
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
        let mut workspace =
            idle.unwrap_or_else(|| Workspace { buffers: Vec::new(), tape: Tape::new(gpu) });
        let mut needs: Vec<_> = buffers.iter().map(|buffer| (buffer.name, buffer.bytes)).collect();
        // Resident bases have buffers of their own.
        needs.retain(|(name, bytes)| *name != BASES || *bytes > 0);
        needs.push((RESULTS, results));
        workspace.fit(gpu, &needs).await?;
        Ok(workspace)
    }

    pub(crate) fn give(&self, workspace: Workspace) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(workspace);
        }
    }
}

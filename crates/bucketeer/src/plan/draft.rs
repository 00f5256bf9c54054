//! A plan in the making: what every schedule is chosen for.

use super::validate::Valid;
use super::{Accumulate, Buffer, Cost, CpuSchedule, Form, Group, Plan, Schedule, Shape};
use crate::DeviceKind;

/// A valid request with one of the shapes it allows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draft<'a> {
    pub request: &'a Valid<'a>,
    /// Bytes that all buffers together may take.
    pub available: u64,
    pub shape: Shape,
    pub form: Form,
    /// Bases of a chunk, and chunks.
    pub chunk: usize,
    pub chunks: usize,
}

/// Why no variant of a draft fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shortage {
    /// The smallest needs this many bytes in all.
    Memory(u64),
    /// There is enough memory, but the smallest needs a buffer of this many bytes, which is more
    /// than the device can bind.
    Buffer(u64),
    /// The device has no way to use the loaded table.
    Table,
}

impl<'a> Draft<'a> {
    pub(super) fn new(request: &'a Valid<'a>, available: u64, shape: Shape) -> Self {
        let chunk = request.settings.chunk.unwrap_or(usize::MAX).clamp(1, request.n.max(1));
        let form = form(request);
        Self { request, available, shape, form, chunk, chunks: 1 }.with_chunk(chunk)
    }

    /// The same in chunks of another size.
    pub(super) fn with_chunk(self, chunk: usize) -> Self {
        Self { chunk, chunks: self.request.n.div_ceil(chunk).max(1), ..self }
    }

    /// The group stage: as requested, or by counting where buckets are not many more than entries.
    pub(super) fn group(&self) -> Group {
        let sparse = self.shape.buckets / 4 > self.shape.entries_per_set(self.chunk) as u64;
        self.request.settings.group.unwrap_or(match self.request.device.kind {
            DeviceKind::Cpu if !sparse => Group::Csr,
            DeviceKind::WebGpu => Group::Csr,
            DeviceKind::Cpu | DeviceKind::Cuda => Group::Sort,
        })
    }

    /// Bases of a segment on a CPU.
    pub(super) fn segment(&self, schedule: &CpuSchedule) -> usize {
        self.chunk.div_ceil(schedule.base_segments)
    }

    /// Bases that are brought into the device's form at once: none where a table is loaded already,
    /// whose memory the limit no longer counts.
    pub(super) fn held_bases(&self, bases_of_pass: u64) -> u64 {
        match (self.request.table, self.request.resident) {
            (Some(_), _) => 0,
            (None, true) => self.request.n as u64,
            (None, false) => bases_of_pass,
        }
    }

    /// The plan, with all decisions taken.
    pub(super) fn finish(self, schedule: Schedule, buffers: Vec<Buffer>, cost: Cost) -> Plan {
        let Self { request, shape, form, chunk, chunks, .. } = self;
        Plan {
            n: request.n,
            batch: request.batch,
            shape,
            form,
            chunk,
            chunks,
            schedule,
            resident: request.resident,
            memory_limit: request.settings.memory_limit,
            buffers,
            cost,
            device: request.device,
            preset: request.settings.preset,
        }
    }
}

/// GPUs add in the Edwards form where the curve has one and the bases allow it. Batched affine
/// additions, those of a CPU among them, are on the Weierstrass form.
pub(super) fn form(request: &Valid<'_>) -> Form {
    let any_point = request.settings.any_point;
    let affine = request.settings.accumulate == Some(Accumulate::BatchedAffine);
    match &request.curve.edwards {
        Some(edwards)
            if request.device.kind != DeviceKind::Cpu
                && !affine
                && (edwards.complete || !any_point) =>
        {
            Form::Edwards
        }
        _ => Form::Weierstrass,
    }
}

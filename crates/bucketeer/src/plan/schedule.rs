//! Schedules: how an engine carries out a plan, with one type for each engine.

use super::gpu::Layout;
use super::{Accumulate, Group, Plan, Reduce};
use crate::{DeviceFacts, Error};

/// How a plan is carried out.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Schedule {
    /// Without buckets, on one thread of a CPU.
    Straus(StrausSchedule),
    /// Buckets on a CPU.
    Cpu(CpuSchedule),
    /// Buckets on a GPU.
    Gpu(GpuSchedule),
}

/// Multiples of a few bases, and one sweep over the bits of the scalars (Straus 1964).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StrausSchedule {
    /// Odd multiples P, 3P, 5P … of each point.
    pub multiples: u64,
}

/// Passes on the threads of a CPU. A pass is group, accumulate and reduce for some bases of a
/// chunk, some bucket sets and some of their buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CpuSchedule {
    /// Choice in the group and accumulate stages.
    pub accumulate: CpuAccumulate,
    /// Choice in the reduce stage. A fused sweep leaves nothing to reduce.
    pub reduce: Reduce,
    /// Segments of the bases of a chunk, each with passes of its own.
    pub base_segments: usize,
    /// Ranges of the buckets of a set, each with passes of its own.
    pub bucket_ranges: usize,
    /// Bucket sets of a pass.
    pub sets_per_pass: u32,
    /// Passes that run concurrently.
    pub passes_in_flight: usize,
    /// Whether idle threads steal slices of unfinished passes. Never for additions in place.
    pub work_stealing: bool,
    /// Whether the last passes, too few for all threads, are split among them. Only for additions
    /// in place, whose slices cannot be stolen.
    pub split_last_passes: bool,
    /// Most entries of the grouped list that one thread sums at a time.
    pub slice_entries: usize,
    /// Points that are read at random are prefetched one batch ahead if they take more bytes than
    /// this.
    pub prefetch_points_above: usize,
    /// Slots of a list are prefetched before they are written to if it has more entries than this.
    pub prefetch_slots_above: usize,
}

impl CpuSchedule {
    /// Threads for each pass.
    pub(crate) fn threads_per_pass(&self, device: &DeviceFacts) -> usize {
        device.threads.div_ceil(self.passes_in_flight)
    }
}

/// How a CPU sums the bases of each bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CpuAccumulate {
    /// Bases are grouped by bucket first, then the list of each bucket is summed.
    Grouped(Group, SumLists),
    /// [`Accumulate::InPlace`]
    InPlace,
}

/// How the grouped lists of the buckets are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SumLists {
    /// [`Accumulate::PerBucket`]
    PerBucket,
    /// [`Accumulate::Slices`]
    Slices,
    /// [`Accumulate::BatchedAffine`]; on a CPU the same as slices.
    BatchedAffine,
    /// [`Accumulate::FusedSweep`]
    FusedSweep,
}

/// Passes on a GPU. A pass is group, accumulate and reduce for some chunks and some bucket sets of
/// each of them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GpuSchedule {
    /// Choice in the group stage.
    pub group: Group,
    /// Choice in the accumulate stage.
    pub accumulate: SumLists,
    /// Choice in the reduce stage. A fused sweep leaves only partial sums to add up.
    pub reduce: Reduce,
    /// Whether chunks grow — an eighth, three eighths, one half of the inputs — so that the GPU
    /// has work as soon as the first few have arrived.
    pub growing_chunks: bool,
    /// Chunks of one MSM, or MSMs of a batch, in one pass; each has bucket sets of its own.
    pub chunks_per_pass: usize,
    /// Bucket sets of each chunk in one pass.
    pub sets_per_pass: u32,
    /// Most entries that one thread sums.
    pub task_entries: u32,
    /// Copies of each base in the table, of which `shape.precompute` are used.
    pub stored_copies: u32,
    /// Whether the next scalars, and bases that are not resident, are copied and converted while
    /// the GPU adds.
    pub double_buffered: bool,
    /// Whether bucket sums are carried from chunk to chunk and reduced once, after the last.
    pub carries_buckets: bool,
    /// Whether the next chunk is grouped while the bases of the one before are added.
    pub groups_ahead: bool,
    /// Sizes of everything a pass holds.
    pub(crate) layout: Box<Layout>,
}

impl Accumulate {
    /// How grouped lists are summed; `None` where nothing is grouped.
    pub(super) fn of_lists(self) -> Option<SumLists> {
        match self {
            Self::PerBucket => Some(SumLists::PerBucket),
            Self::Slices => Some(SumLists::Slices),
            Self::BatchedAffine => Some(SumLists::BatchedAffine),
            Self::FusedSweep => Some(SumLists::FusedSweep),
            Self::InPlace | Self::Straus => None,
        }
    }
}

impl From<SumLists> for Accumulate {
    fn from(way: SumLists) -> Self {
        match way {
            SumLists::PerBucket => Self::PerBucket,
            SumLists::Slices => Self::Slices,
            SumLists::BatchedAffine => Self::BatchedAffine,
            SumLists::FusedSweep => Self::FusedSweep,
        }
    }
}

impl Schedule {
    /// Choice in the accumulate stage.
    pub fn accumulate(&self) -> Accumulate {
        match self {
            Self::Straus(_) => Accumulate::Straus,
            Self::Cpu(CpuSchedule { accumulate: CpuAccumulate::InPlace, .. }) => {
                Accumulate::InPlace
            }
            Self::Cpu(CpuSchedule { accumulate: CpuAccumulate::Grouped(_, lists), .. }) => {
                (*lists).into()
            }
            Self::Gpu(schedule) => schedule.accumulate.into(),
        }
    }

    /// Choice in the group stage; `None` where nothing is grouped.
    pub fn group(&self) -> Option<Group> {
        match self {
            Self::Cpu(CpuSchedule { accumulate: CpuAccumulate::Grouped(group, _), .. }) => {
                Some(*group)
            }
            Self::Gpu(schedule) => Some(schedule.group),
            Self::Straus(_) | Self::Cpu(_) => None,
        }
    }

    /// Choice in the reduce stage; `None` where there are no buckets.
    pub fn reduce(&self) -> Option<Reduce> {
        match self {
            Self::Straus(_) => None,
            Self::Cpu(schedule) => Some(schedule.reduce),
            Self::Gpu(schedule) => Some(schedule.reduce),
        }
    }
}

impl Plan {
    /// The schedule for buckets on a CPU.
    pub(crate) fn cpu(&self) -> Result<&CpuSchedule, Error> {
        match &self.schedule {
            Schedule::Cpu(schedule) => Ok(schedule),
            _ => Err(wrong_engine("a CPU with buckets")),
        }
    }

    /// The schedule for a GPU.
    #[cfg(any(feature = "cuda", feature = "webgpu"))]
    pub(crate) fn gpu(&self) -> Result<&GpuSchedule, Error> {
        match &self.schedule {
            Schedule::Gpu(schedule) => Ok(schedule),
            _ => Err(wrong_engine("a GPU")),
        }
    }
}

fn wrong_engine(engine: &str) -> Error {
    Error::Internal(format!("the plan's schedule is not for {engine}"))
}

//! How many bases a chunk of a streamed MSM has.

use std::fmt;
use std::ops::Range;

use super::in_host_memory;
use crate::bases::Builder;
use crate::error::Bytes;
use crate::plan::{Plan, Request};
use crate::subgroup::check_bytes;
use crate::{Curve, Error};

/// Most bases of a chunk. Longer ones save nothing: on two threads a base of BN254 takes 499 ns
/// among 2^22, 551 ns among 2^24 and 530 ns among 2^26, by the plans of
/// `bucketeer plan --device cpu --curve bn254 -n 2^22`. And the first chunk is read while nothing
/// is computed.
const MOST: usize = 1 << 22;

/// Bytes beside those that grow with a chunk: the reading thread, paths, errors.
const FIXED: u64 = 64 << 10;

/// Bytes of the buffers that one thread reads and parses elements in.
const PARSING: u64 = 64 << 10;

/// Bytes of a base and its scalar.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementBytes {
    /// As they are in the files.
    pub(super) file: u64,
    /// As the computation takes them.
    pub(super) memory: u64,
}

/// The plan of a streamed MSM: all chunks but the last are equally long and have the same plan.
///
/// Made by [`Streamed::plan`](super::Streamed::plan).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StreamPlan {
    /// Bases in all.
    pub n: usize,
    /// Bases of a chunk.
    pub chunk: usize,
    /// The plan of a chunk; on several devices, of the share of one.
    pub plan: Plan,
    /// Bytes of two chunks as they are in the files, of one that is parsed, and of its checks.
    pub reading_bytes: u64,
    /// Bytes of the run of a chunk in host memory, which are kept for the next: none on a GPU.
    pub computing_bytes: u64,
    /// Limit of the memory that the plan of a chunk gets.
    limit: Option<u64>,
}

impl StreamPlan {
    /// The largest chunk that fits in the available bytes without being divided again by its own
    /// plan; the setting for chunks is the most. `checks` says whether bases must lie in the
    /// subgroup.
    pub(super) fn new(
        request: &Request<'_>,
        devices: usize,
        bytes: ElementBytes,
        checks: bool,
        available: u64,
    ) -> Result<Self, Error> {
        let candidate = Candidate { request, devices, bytes, checks, available };
        let n = request.n;
        let (mut divided, mut shortage) = (None, None);
        let most = request.settings.chunk.map_or(MOST, |chunk| chunk.clamp(1, MOST));
        let mut chunks = n.div_ceil(most).max(1);
        loop {
            let chunk = n.div_ceil(chunks);
            match candidate.plan(chunk) {
                Ok(plan) if plan.plan.chunks <= 1 => return Ok(plan),
                Ok(plan) => divided = divided.or(Some(plan)),
                // The one of the shortest chunk is what is needed at least.
                Err(error @ Error::OutOfMemory { .. }) => shortage = Some(error),
                Err(other) => return Err(other),
            }
            if chunk <= 1 {
                break;
            }
            chunks = chunks.saturating_mul(2).min(n);
        }
        let none = || Error::Internal("a streamed MSM without a chunk".into());
        divided.ok_or_else(|| shortage.unwrap_or_else(none))
    }

    /// The number of chunks.
    pub fn chunks(&self) -> usize {
        self.n.div_ceil(self.chunk.max(1)).max(1)
    }

    /// Most bytes of host memory that the run takes. What a run of a chunk takes is kept while the
    /// next chunk is parsed.
    pub fn bytes(&self) -> u64 {
        self.reading_bytes.saturating_add(self.computing_bytes)
    }

    /// The bases of a chunk.
    pub(super) fn range(&self, chunk: usize) -> Range<usize> {
        let start = chunk.saturating_mul(self.chunk).min(self.n);
        start..start.saturating_add(self.chunk).min(self.n)
    }

    /// Digits of a chunk: the unit that progress is reported in.
    pub(super) fn digits(&self) -> u64 {
        self.plan.digits(self.chunk).max(1)
    }

    /// The builder for a chunk.
    pub(super) fn builder<C: Curve>(&self, builder: &Builder<C>) -> Builder<C> {
        let builder = builder.clone();
        match self.limit {
            Some(limit) => builder.memory_limit(limit),
            None => builder,
        }
    }
}

/// What the plans of all lengths of a chunk share.
struct Candidate<'a> {
    request: &'a Request<'a>,
    devices: usize,
    bytes: ElementBytes,
    checks: bool,
    available: u64,
}

impl Candidate<'_> {
    fn plan(&self, chunk: usize) -> Result<StreamPlan, Error> {
        let Self { request, bytes, available, .. } = *self;
        let (own, devices) = (chunk as u64, self.devices.max(1));
        let host = in_host_memory(request.device.kind);
        let threads = request.device.threads.max(1);
        let check = if self.checks { check_bytes(request.curve, chunk) } else { 0 };
        let parsing = PARSING * threads as u64 + own / 4;
        let (in_files, in_memory) =
            (own.saturating_mul(bytes.file), own.saturating_mul(bytes.memory));
        let reading = [in_files, in_files, in_memory, check.max(parsing)];
        let reading_bytes = reading.into_iter().fold(FIXED, u64::saturating_add);
        let short = |needed| Error::OutOfMemory { needed, available };
        if reading_bytes > available {
            return Err(short(reading_bytes));
        }
        let mut settings = request.settings.clone();
        if host {
            settings.memory_limit = Some((available - reading_bytes) / devices as u64);
        }
        let limit = settings.memory_limit;
        let own = Request { n: chunk.div_ceil(devices), settings, ..request.clone() };
        let plan = Plan::new(&own).map_err(|error| match error {
            Error::OutOfMemory { needed, .. } if host => {
                short(needed.saturating_mul(devices as u64).saturating_add(reading_bytes))
            }
            other => other,
        })?;
        let computing_bytes = if host { plan.bytes() * devices as u64 } else { 0 };
        Ok(StreamPlan { n: request.n, chunk, plan, reading_bytes, computing_bytes, limit })
    }
}

impl fmt::Display for StreamPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, chunk, reading_bytes, computing_bytes, .. } = self;
        let (chunks, reading, computing) =
            (self.chunks(), Bytes(*reading_bytes), Bytes(*computing_bytes));
        writeln!(f, "{n} bases in {chunks} chunks of {chunk}, streamed from files")?;
        writeln!(f, "host memory: {reading} to read and check, {computing} to compute")?;
        write!(f, "each chunk:\n{}", self.plan)
    }
}

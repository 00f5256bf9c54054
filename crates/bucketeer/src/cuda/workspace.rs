//! What a run works in: one allocation on the device that holds all buffers of its plan,
//! page-locked buffers on the host, and its streams. Kept between runs, since allocating takes
//! longer than a small MSM.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::driver::{Address, Context, DeviceMemory, Event, HostMemory, Stream};
use super::launch::Pointer;
use super::pool::{self, Lendable, Lent};
use super::staging::Staging;
use crate::Error;
use crate::plan::{Buffer, BufferKind};

/// Least sizes, so that small runs of all kinds share one workspace.
const LEAST: Need = Need { device: 32 << 20, limited: false, staging: 1 << 20, results: 1 << 16 };

/// Bytes that the driver needs for itself beyond the allocations.
const RESERVE: u64 = 512 << 20;

pub(crate) struct Workspace {
    arena: DeviceMemory,
    /// Scalars and bases on their way to the device.
    pub staging: Staging,
    pub results: HostMemory,
    /// Copies scalars and decomposes them, ahead of the rest.
    pub input: Stream,
    pub bases: BaseStreams,
    /// Groups the next chunk, ahead of additions, where there is memory for it.
    pub grouping: Stream,
    pub compute: Stream,
    pub beside: BesideStreams,
}

/// Streams beside `compute`, for kernels that need not wait for each other.
pub(crate) struct BesideStreams {
    pub streams: [Stream; MOST_BESIDE],
    /// Recorded in `compute`; the streams wait for it.
    pub forked: Event,
    /// Recorded in each stream; `compute` waits for all.
    pub joined: [Event; MOST_BESIDE],
}

/// Most streams beside `compute`.
pub(super) const MOST_BESIDE: usize = 3;

impl BesideStreams {
    fn new(context: &Arc<Context>) -> Result<Self, Error> {
        let stream = || Stream::new(context, false);
        let event = || Event::new(context);
        Ok(Self {
            streams: [stream()?, stream()?, stream()?],
            forked: event()?,
            joined: [event()?, event()?, event()?],
        })
    }
}

/// Bases on their way into the table.
pub(crate) struct BaseStreams {
    /// Copies them.
    pub copy: Stream,
    /// Brings them into their stored form and computes their copies, ahead of the rest.
    pub convert: Stream,
    /// Recorded in `copy`, after an upload.
    pub copied: Event,
    /// Recorded in `convert`, after its last kernel.
    pub converted: Event,
    /// Recorded after the imports from each half of the memory for uploaded coordinates.
    pub imported: [Event; 2],
}

impl BaseStreams {
    fn new(context: &Arc<Context>) -> Result<Self, Error> {
        let event = || Event::new(context);
        Ok(Self {
            copy: Stream::new(context, true)?,
            convert: Stream::new(context, true)?,
            copied: event()?,
            converted: event()?,
            imported: [event()?, event()?],
        })
    }
}

/// Where each buffer of a plan lies in a workspace.
pub(crate) struct Buffers(Vec<(BufferKind, Address)>);

impl Buffers {
    pub(super) fn at<T>(&self, kind: BufferKind) -> Result<Pointer<T>, Error> {
        let found = self.0.iter().find(|(own, _)| *own == kind);
        found
            .map(|(_, address)| Pointer::new(*address))
            .ok_or_else(|| Error::Internal(format!("the plan has no buffer \"{}\"", kind.name())))
    }
}

impl Workspace {
    fn new(context: &Arc<Context>, need: &Need) -> Result<Self, Error> {
        let staging = need.staging.max(LEAST.staging);
        let device = if need.limited { need.device } else { need.device.max(LEAST.device) };
        Ok(Self {
            arena: DeviceMemory::new(context, device)?,
            staging: Staging::new(context, staging)?,
            results: HostMemory::new(context, need.results.max(LEAST.results))?,
            input: Stream::new(context, true)?,
            bases: BaseStreams::new(context)?,
            grouping: Stream::new(context, true)?,
            compute: Stream::new(context, false)?,
            beside: BesideStreams::new(context)?,
        })
    }

    fn suffices(&self, need: &Need) -> bool {
        self.arena.bytes >= need.device
            && self.staging.slot() >= need.staging
            && self.results.bytes >= need.results
    }

    /// Where the device's memory begins.
    pub(crate) fn start(&self) -> Address {
        self.arena.address
    }

    /// Lays the buffers of a plan out one after the other.
    pub(crate) fn buffers(&self, buffers: &[Buffer]) -> Buffers {
        let mut at = self.arena.address;
        let place = |buffer: &Buffer| {
            let own = at;
            at += buffer.bytes;
            (buffer.kind, own)
        };
        Buffers(buffers.iter().map(place).collect())
    }
}

/// How large a workspace must be.
pub(crate) struct Need {
    pub device: u64,
    /// Whether not a byte more may be allocated on the device.
    pub limited: bool,
    /// Bytes of a slot.
    pub staging: usize,
    pub results: usize,
}

impl Lendable for Workspace {
    fn bytes(&self) -> u64 {
        self.arena.bytes
    }

    fn settle(&self) {
        // A device that failed has stopped.
        let _ = self.input.wait();
        let _ = self.bases.copy.wait();
        let _ = self.bases.convert.wait();
        let _ = self.grouping.wait();
        for stream in &self.beside.streams {
            let _ = stream.wait();
        }
        let _ = self.compute.wait();
    }
}

/// The workspaces of a device.
pub(crate) type Pool = pool::Pool<Workspace>;

/// The pool of a GPU: one, however often the GPU is opened, since they would compete for its
/// memory.
pub(crate) fn pool(index: usize) -> Arc<Pool> {
    static POOLS: Mutex<BTreeMap<usize, Weak<Pool>>> = Mutex::new(BTreeMap::new());
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = pools.get(&index).and_then(Weak::upgrade);
    known.unwrap_or_else(|| {
        let pool = Arc::new(Pool::default());
        pools.insert(index, Arc::downgrade(&pool));
        pool
    })
}

impl Pool {
    /// Bytes a plan may use: what is free, and what workspaces hold, which a run waits for if it
    /// must.
    pub(crate) fn available(&self, context: &Context) -> Result<u64, Error> {
        Ok(self.total(|| context.free_memory())?.saturating_sub(RESERVE))
    }

    /// Lends a workspace that suffices. Where memory is short and other runs hold some, it waits
    /// for them.
    pub(crate) fn workspace(
        &self,
        context: &Arc<Context>,
        need: &Need,
    ) -> Result<Lent<'_, Workspace>, Error> {
        let suffices = |workspace: &Workspace| workspace.suffices(need);
        self.lend(suffices, || Workspace::new(context, need))
    }
}

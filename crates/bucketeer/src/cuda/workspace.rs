//! What a run works in: one allocation on the device that holds all buffers of its plan, page-locked
//! buffers on the host, and two streams. Kept between runs, since allocating takes longer than a small MSM.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use super::driver::{Address, Context, DeviceMemory, HostMemory, Stream};
use crate::Error;
use crate::plan::Buffer;

/// Least sizes, so that small runs of all kinds share one workspace.
const LEAST: Need = Need { device: 32 << 20, limited: false, staging: 1 << 20, results: 1 << 16 };

/// Bytes that the driver needs for itself beyond what is asked for.
const RESERVE: u64 = 512 << 20;

pub(crate) struct Workspace {
    arena: DeviceMemory,
    /// Scalars and bases on their way to the device.
    pub staging: [HostMemory; 2],
    pub results: HostMemory,
    /// Copies scalars and decomposes them, ahead of the rest.
    pub input: Stream,
    pub compute: Stream,
}

/// Where each buffer of a plan lies in a workspace.
pub(crate) struct Buffers(Vec<(&'static str, Address)>);

impl Buffers {
    pub(crate) fn at(&self, name: &str) -> Result<Address, Error> {
        let found = self.0.iter().find(|(own, _)| *own == name).map(|(_, address)| *address);
        found.ok_or_else(|| Error::Internal(format!("the plan has no buffer \"{name}\"")))
    }
}

impl Workspace {
    fn new(context: &Arc<Context>, need: &Need) -> Result<Self, Error> {
        let staging = need.staging.max(LEAST.staging);
        let device = if need.limited { need.device } else { need.device.max(LEAST.device) };
        Ok(Self {
            arena: DeviceMemory::new(context, device)?,
            staging: [HostMemory::new(context, staging)?, HostMemory::new(context, staging)?],
            results: HostMemory::new(context, need.results.max(LEAST.results))?,
            input: Stream::new(context, true)?,
            compute: Stream::new(context, false)?,
        })
    }

    fn suffices(&self, need: &Need) -> bool {
        self.arena.bytes >= need.device
            && self.staging[0].bytes >= need.staging
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
            (buffer.name, own)
        };
        Buffers(buffers.iter().map(place).collect())
    }
}

/// How large a workspace must be.
pub(crate) struct Need {
    pub device: u64,
    /// Whether not a byte more may be allocated on the device.
    pub limited: bool,
    pub staging: usize,
    pub results: usize,
}

/// The workspaces of a device.
#[derive(Default)]
pub(crate) struct Pool {
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Workspace>,
    /// Workspaces that runs hold, and their bytes on the device.
    in_use: usize,
    in_use_bytes: u64,
}

/// The pool of a GPU: one, however often the GPU is opened, since they would compete for its memory.
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
    /// Bytes a plan may use: what is free, and what workspaces hold, which a run waits for if it must.
    pub(crate) fn available(&self, context: &Context) -> Result<u64, Error> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let idle: u64 = state.idle.iter().map(|workspace| workspace.arena.bytes).sum();
        Ok((context.free_memory()? + idle + state.in_use_bytes).saturating_sub(RESERVE))
    }

    /// Device memory outside workspaces. Where memory is short, idle workspaces are given up for it and
    /// runs that hold others are waited for.
    pub(crate) fn allocate(
        &self,
        context: &Arc<Context>,
        bytes: u64,
    ) -> Result<DeviceMemory, Error> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.when_possible(state, || DeviceMemory::new(context, bytes)).map(|(memory, _)| memory)
    }

    /// Tries again without idle workspaces, and after each run that ends, until there is memory.
    fn when_possible<'a, R>(
        &self,
        mut state: MutexGuard<'a, State>,
        attempt: impl Fn() -> Result<R, Error>,
    ) -> Result<(R, MutexGuard<'a, State>), Error> {
        loop {
            match attempt() {
                Err(Error::OutOfMemory { .. }) if !state.idle.is_empty() => state.idle.clear(),
                Err(Error::OutOfMemory { .. }) if state.in_use > 0 => {
                    state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                result => return result.map(|result| (result, state)),
            }
        }
    }

    /// Runs `work` in a workspace that suffices. Where memory is short and other runs hold some, it
    /// waits for them.
    pub(crate) fn with<R>(
        &self,
        context: &Arc<Context>,
        need: &Need,
        work: impl FnOnce(&mut Workspace) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut workspace = self.take(context, need)?;
        let result = work(&mut workspace);
        if result.is_err() {
            // Nothing may still be running in memory that another run is given.
            let _ = workspace.input.wait();
            let _ = workspace.compute.wait();
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.in_use -= 1;
        state.in_use_bytes -= workspace.arena.bytes;
        state.idle.push(workspace);
        self.returned.notify_all();
        result
    }

    fn take(&self, context: &Arc<Context>, need: &Need) -> Result<Workspace, Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = state.idle.iter().enumerate().filter(|(_, w)| w.suffices(need));
        let smallest = fitting.min_by_key(|(_, w)| w.arena.bytes).map(|(index, _)| index);
        let workspace = match smallest {
            Some(index) => state.idle.swap_remove(index),
            None => {
                // Idle ones are all too small for something; their memory serves better in a new one.
                state.idle.clear();
                let made = self.when_possible(state, || Workspace::new(context, need))?;
                state = made.1;
                made.0
            }
        };
        state.in_use += 1;
        state.in_use_bytes += workspace.arena.bytes;
        Ok(workspace)
    }
}

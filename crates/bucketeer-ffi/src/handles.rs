//! Devices, bases and jobs behind numbers.
//!
//! A number is given out once and never again, so one that was freed, or is of another kind, names
//! nothing. A call holds what it works on: freeing it meanwhile, in another thread, is safe and
//! takes effect when the call returns.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use engine::Device as EngineDevice;

use crate::bases::Loaded;
use crate::job::Submitted;
use crate::status::Failure;

/// A processor to run on. Zero is none.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Device {
    /// Names the device.
    pub id: u64,
}

/// Bases that are kept on a device, ready for any number of MSMs. Zero is none.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Bases {
    /// Names the bases.
    pub id: u64,
}

/// An MSM in the background. Zero is none.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Job {
    /// Names the job.
    pub id: u64,
}

pub(crate) static DEVICES: Registry<EngineDevice> = Registry::new("device");
pub(crate) static BASES: Registry<Loaded> = Registry::new("bases");
pub(crate) static JOBS: Registry<Submitted> = Registry::new("job");

/// Numbers of all kinds, so that none is valid for two of them.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// What numbers of one kind name.
pub(crate) struct Registry<T> {
    what: &'static str,
    named: LazyLock<RwLock<HashMap<u64, Arc<T>>>>,
}

impl<T> Registry<T> {
    const fn new(what: &'static str) -> Self {
        Self { what, named: LazyLock::new(RwLock::default) }
    }

    /// Keeps a value and gives out its number.
    pub(crate) fn insert(&self, value: T) -> u64 {
        let id = NEXT.fetch_add(1, Relaxed);
        self.named.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::new(value));
        id
    }

    /// What a number names.
    pub(crate) fn get(&self, id: u64) -> Result<Arc<T>, Failure> {
        let named = self.named.read().unwrap_or_else(PoisonError::into_inner);
        named.get(&id).cloned().ok_or_else(|| self.unknown(id))
    }

    /// Forgets a number; zero is forgotten already.
    pub(crate) fn remove(&self, id: u64) -> Result<(), Failure> {
        if id == 0 {
            return Ok(());
        }
        let removed = self.named.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
        // Dropped here, after the lock: bases may take a while.
        removed.map(drop).ok_or_else(|| self.unknown(id))
    }

    fn unknown(&self, id: u64) -> Failure {
        Failure::argument(format!("{id} names no {}: it was freed, or never given out", self.what))
    }
}

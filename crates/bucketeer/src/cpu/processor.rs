//! The CPU as a device: its threads, and the arithmetic they have.

use std::fmt;
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Error;
use crate::caches::Caches;
use crate::facts::DeviceFacts;
use crate::platform::available_memory;
use crate::threads::{self, MAX_THREADS};

/// The threads of a CPU that runs use.
#[derive(Clone)]
pub(crate) struct Processor {
    /// `None` is rayon's global pool.
    pool: Option<Arc<ThreadPool>>,
    threads: usize,
    ifma: bool,
    simd128: bool,
}

impl Processor {
    /// All threads of the global pool, or the calling thread if none can be started.
    pub(crate) fn new() -> Self {
        threads::start();
        Self::of(None, rayon::current_num_threads())
    }

    /// A pool of its own of this many threads.
    pub(crate) fn with_threads(threads: usize) -> Result<Self, Error> {
        if threads == 0 || threads > MAX_THREADS {
            let reason = format!("it must be from 1 to {MAX_THREADS}");
            let value = threads.to_string();
            return Err(Error::InvalidSetting { setting: "threads", value, reason });
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::NoThread { reason: error.to_string() })?;
        Ok(Self::of(Some(Arc::new(pool)), threads))
    }

    fn of(pool: Option<Arc<ThreadPool>>, threads: usize) -> Self {
        Self { pool, threads, ifma: has_ifma(), simd128: cfg!(target_feature = "simd128") }
    }

    /// The same threads without vector instructions. A second pool would wake its threads on cores
    /// where those of the first one run.
    pub(crate) fn portable(&self) -> Self {
        Self { ifma: false, simd128: false, ..self.clone() }
    }

    pub(crate) fn facts(&self) -> DeviceFacts {
        let facts = DeviceFacts::cpu(self.threads, self.ifma, available_memory());
        DeviceFacts { simd128: self.simd128, ..facts.with_caches(Caches::of_system()) }
    }

    /// Refuses work that its threads cannot run.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.pool.is_some() { Ok(()) } else { threads::check() }
    }

    /// Runs `work` on these threads.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let (mut work, mut result) = (Some(work), None);
        self.enter(&mut || result = work.take().map(|work| work()));
        result.expect("a pool runs its work or passes its panic on")
    }

    /// Calls `work` once on these threads. Not generic, so that rayon's code is not compiled for
    /// every curve.
    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        match &self.pool {
            Some(pool) => pool.install(work),
            // One job of the global pool: a thread outside it would sleep and wake at every
            // parallel step.
            None => rayon::scope(|_| work()),
        }
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arithmetic = match (self.ifma, self.simd128) {
            (true, _) => "AVX-512 IFMA",
            (_, true) => "SIMD128",
            _ => "portable arithmetic",
        };
        let plural = if self.threads == 1 { "" } else { "s" };
        write!(f, "cpu, {} thread{plural}, {arithmetic}", self.threads)
    }
}

fn has_ifma() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512ifma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

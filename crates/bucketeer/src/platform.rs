//! What browsers lack: a clock and random numbers in the standard library, threads, a query for
//! free memory.
//!
//! Everything that differs between wasm and other targets is here, so that no other file depends on
//! the target. rayon needs nothing: if no thread can be started, its global pool is the calling
//! thread.

#[cfg(not(target_family = "wasm"))]
pub(crate) use native::{Background, Instant, available_memory, random_seed};
#[cfg(target_family = "wasm")]
pub(crate) use wasm::{Background, Instant, available_memory, random_seed};

#[cfg(not(target_family = "wasm"))]
mod native {
    use std::hash::{BuildHasher, RandomState};
    use std::sync::{Mutex, PoisonError};
    use std::thread::JoinHandle;
    use std::time::Duration;

    pub(crate) use std::time::Instant;

    use crate::control::panic_message;
    use crate::{Error, free_memory};

    /// Work on a thread of its own.
    #[derive(Debug)]
    pub(crate) struct Background<T>(JoinHandle<T>);

    impl<T: Send + 'static> Background<T> {
        pub(crate) fn spawn(work: impl FnOnce() -> T + Send + 'static) -> Result<Self, Error> {
            std::thread::Builder::new()
                .name("bucketeer-job".into())
                .spawn(work)
                .map(Self)
                .map_err(|error| Error::NoThread { reason: error.to_string() })
        }

        pub(crate) fn is_finished(&self) -> bool {
            self.0.is_finished()
        }

        /// The result of the work, or the message of its panic.
        pub(crate) fn join(self) -> Result<T, String> {
            self.0.join().map_err(|panic| panic_message(&*panic))
        }
    }

    /// Derived from the random keys that the standard library draws from the system for hash maps.
    pub(crate) fn random_seed() -> [u8; 32] {
        let keyed = RandomState::new();
        let mut seed = [0; 32];
        for (index, part) in seed.chunks_exact_mut(8).enumerate() {
            part.copy_from_slice(&keyed.hash_one(index).to_le_bytes());
        }
        seed
    }

    /// Available memory, queried at most ten times a second: the query takes as long as a small
    /// MSM.
    pub(crate) fn available_memory() -> u64 {
        static LAST: Mutex<Option<(Instant, u64)>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match *last {
            Some((at, bytes)) if at.elapsed() < Duration::from_millis(100) => bytes,
            _ => {
                let bytes = free_memory::read();
                *last = Some((Instant::now(), bytes));
                bytes
            }
        }
    }
}

#[cfg(target_family = "wasm")]
mod wasm {
    use std::fmt;

    pub(crate) use web_time::Instant;

    use crate::Error;

    /// Work that is deferred until it is joined.
    pub(crate) struct Background<T>(Box<dyn FnOnce() -> T + Send>);

    impl<T> Background<T> {
        pub(crate) fn spawn(work: impl FnOnce() -> T + Send + 'static) -> Result<Self, Error> {
            Ok(Self(Box::new(work)))
        }

        pub(crate) fn is_finished(&self) -> bool {
            false
        }

        pub(crate) fn join(self) -> Result<T, String> {
            Ok((self.0)())
        }
    }

    impl<T> fmt::Debug for Background<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Background")
        }
    }

    /// The standard library has keys that are the same in every module, so these are JavaScript's.
    /// Without its `crypto` they are zeros: faults of a device do not depend on them.
    pub(crate) fn random_seed() -> [u8; 32] {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_or([0; 32], |()| seed)
    }

    /// Half of the 4 GiB that 32-bit addresses reach; the rest is for the caller's inputs and for
    /// fragmentation.
    pub(crate) fn available_memory() -> u64 {
        2 << 30
    }
}

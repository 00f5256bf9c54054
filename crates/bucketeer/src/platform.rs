//! What browsers lack: a clock in the standard library, threads, a query for free memory.
//!
//! Everything that differs between wasm and other targets is here, so that no other file depends on
//! the target. rayon needs nothing: if no thread can be started, its global pool is the calling
//! thread.

#[cfg(not(target_family = "wasm"))]
pub(crate) use native::{Background, Instant, available_memory};
#[cfg(target_family = "wasm")]
pub(crate) use wasm::{Background, Instant, available_memory};

#[cfg(not(target_family = "wasm"))]
mod native {
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

    /// Half of the 4 GiB that 32-bit addresses reach; the rest is for the caller's inputs and for
    /// fragmentation.
    pub(crate) fn available_memory() -> u64 {
        2 << 30
    }
}

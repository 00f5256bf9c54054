//! What a browser does not have: a clock in the standard library, threads, a way to ask for free memory.
//!
//! Everything that differs between wasm and the rest is here, so that no other file asks what it is
//! compiled for. rayon needs nothing: where no thread can be started its global pool is the calling
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

    use crate::Error;

    /// Work on a thread of its own.
    #[derive(Debug)]
    pub(crate) struct Background<T>(JoinHandle<T>);

    impl<T: Send + 'static> Background<T> {
        pub(crate) fn spawn(work: impl FnOnce() -> T + Send + 'static) -> Result<Self, Error> {
            std::thread::Builder::new()
                .name("bucketeer-job".into())
                .spawn(work)
                .map(Self)
                .map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))
        }

        pub(crate) fn is_finished(&self) -> bool {
            self.0.is_finished()
        }

        /// `None` if the work panicked.
        pub(crate) fn join(self) -> Option<T> {
            self.0.join().ok()
        }
    }

    /// Memory that can be had without swapping; 8 GiB where the system does not say. Asked for at most ten
    /// times a second, since the answer takes as long as a small MSM.
    pub(crate) fn available_memory() -> u64 {
        static LAST: Mutex<Option<(Instant, u64)>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match *last {
            Some((at, bytes)) if at.elapsed() < Duration::from_millis(100) => bytes,
            _ => {
                let bytes = read_available_memory();
                *last = Some((Instant::now(), bytes));
                bytes
            }
        }
    }

    fn read_available_memory() -> u64 {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        text.lines()
            .find_map(|line| line.strip_prefix("MemAvailable:"))
            .and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok())
            .map_or(8 << 30, |kib| kib << 10)
    }
}

#[cfg(target_family = "wasm")]
mod wasm {
    use std::fmt;

    pub(crate) use web_time::Instant;

    use crate::Error;

    /// Work that is put off until it is waited for.
    pub(crate) struct Background<T>(Box<dyn FnOnce() -> T + Send>);

    impl<T> Background<T> {
        pub(crate) fn spawn(work: impl FnOnce() -> T + Send + 'static) -> Result<Self, Error> {
            Ok(Self(Box::new(work)))
        }

        pub(crate) fn is_finished(&self) -> bool {
            false
        }

        pub(crate) fn join(self) -> Option<T> {
            Some((self.0)())
        }
    }

    impl<T> fmt::Debug for Background<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Background")
        }
    }

    /// Half of the 4 GiB that 32-bit addresses reach: the rest is for the caller's inputs and for
    /// blocks that no longer fit between others.
    pub(crate) fn available_memory() -> u64 {
        2 << 30
    }
}

//! Workspaces that runs borrow. They come back however a run ends, a panic included, since a run
//! that finds no memory waits for those that are lent.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::Error;

/// What a pool lends.
pub(crate) trait Lendable {
    /// Bytes on the device.
    fn bytes(&self) -> u64;

    /// Waits until nothing on the device works in it any more.
    fn settle(&self);
}

pub(crate) struct Pool<T> {
    state: Mutex<State<T>>,
    returned: Condvar,
}

struct State<T> {
    idle: Vec<T>,
    /// How many are lent, and their bytes.
    lent: usize,
    lent_bytes: u64,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        let state = State { idle: Vec::new(), lent: 0, lent_bytes: 0 };
        Self { state: Mutex::new(state), returned: Condvar::new() }
    }
}

impl<T: Lendable> Pool<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that are free, idle or lent.
    pub(crate) fn total(&self, free: impl FnOnce() -> Result<u64, Error>) -> Result<u64, Error> {
        let state = self.lock();
        let idle: u64 = state.idle.iter().map(T::bytes).sum();
        Ok(free()? + idle + state.lent_bytes)
    }

    /// Allocates something that is not lent. Where memory is short, idle items are freed, then lent
    /// ones are waited for.
    pub(crate) fn allocate<R>(&self, attempt: impl Fn() -> Result<R, Error>) -> Result<R, Error> {
        self.when_possible(self.lock(), attempt).map(|(result, _)| result)
    }

    /// Lends the smallest idle one that suffices, or a new one.
    pub(crate) fn lend(
        &self,
        suffices: impl Fn(&T) -> bool,
        make: impl Fn() -> Result<T, Error>,
    ) -> Result<Lent<'_, T>, Error> {
        let mut state = self.lock();
        let fitting = state.idle.iter().enumerate().filter(|(_, item)| suffices(item));
        let smallest = fitting.min_by_key(|(_, item)| item.bytes()).map(|(index, _)| index);
        let item = match smallest {
            Some(index) => state.idle.swap_remove(index),
            None => {
                // All idle ones are too small; their memory may be needed for a new one.
                state.idle.clear();
                let made = self.when_possible(state, make)?;
                state = made.1;
                made.0
            }
        };
        state.lent += 1;
        state.lent_bytes += item.bytes();
        Ok(Lent { pool: self, item: Some(item) })
    }

    /// Tries again after idle items are freed, and after each return, until there is memory.
    fn when_possible<'a, R>(
        &self,
        mut state: MutexGuard<'a, State<T>>,
        attempt: impl Fn() -> Result<R, Error>,
    ) -> Result<(R, MutexGuard<'a, State<T>>), Error> {
        loop {
            match attempt() {
                Err(Error::OutOfMemory { .. }) if !state.idle.is_empty() => state.idle.clear(),
                Err(Error::OutOfMemory { .. }) if state.lent > 0 => {
                    state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                result => return result.map(|result| (result, state)),
            }
        }
    }
}

/// Something lent; it goes back when this is dropped, also while unwinding.
pub(crate) struct Lent<'a, T: Lendable> {
    pool: &'a Pool<T>,
    /// There until it is dropped.
    item: Option<T>,
}

impl<T: Lendable> Deref for Lent<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.item.as_ref().expect("taken in drop only")
    }
}

impl<T: Lendable> DerefMut for Lent<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.item.as_mut().expect("taken in drop only")
    }
}

impl<T: Lendable> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        let Some(item) = self.item.take() else { return };
        // Nothing may still be running in memory that another run is given.
        item.settle();
        let mut state = self.pool.lock();
        state.lent -= 1;
        state.lent_bytes -= item.bytes();
        state.idle.push(item);
        self.pool.returned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    /// A device that has some bytes, and counts how often it was waited for.
    struct Device {
        free: AtomicU64,
        settled: AtomicU64,
    }

    struct Piece {
        device: Arc<Device>,
        bytes: u64,
    }

    impl Piece {
        fn new(device: &Arc<Device>, bytes: u64) -> Result<Self, Error> {
            let taken = device.free.fetch_update(SeqCst, SeqCst, |free| free.checked_sub(bytes));
            taken.map_err(|available| Error::OutOfMemory { needed: bytes, available })?;
            Ok(Self { device: device.clone(), bytes })
        }
    }

    impl Drop for Piece {
        fn drop(&mut self) {
            self.device.free.fetch_add(self.bytes, SeqCst);
        }
    }

    impl Lendable for Piece {
        fn bytes(&self) -> u64 {
            self.bytes
        }

        fn settle(&self) {
            self.device.settled.fetch_add(1, SeqCst);
        }
    }

    fn device() -> (Arc<Device>, Arc<Pool<Piece>>) {
        let device = Device { free: AtomicU64::new(100), settled: AtomicU64::new(0) };
        (Arc::new(device), Arc::default())
    }

    fn lend<'a>(pool: &'a Pool<Piece>, device: &Arc<Device>, bytes: u64) -> Lent<'a, Piece> {
        let lent = pool.lend(|piece| piece.bytes >= bytes, || Piece::new(device, bytes));
        lent.expect("memory")
    }

    #[test]
    fn a_panic_in_a_run_left_its_workspace_in_use() {
        let (device, pool) = device();
        let panicking = || {
            let _lent = lend(&pool, &device, 70);
            panic!("in a run");
        };
        assert!(catch_unwind(AssertUnwindSafe(panicking)).is_err());
        assert_eq!(device.settled.load(SeqCst), 1);
        let state = pool.lock();
        assert_eq!((state.lent, state.lent_bytes, state.idle.len()), (0, 0, 1));
        drop(state);
        assert_eq!(pool.total(|| Ok(device.free.load(SeqCst))).ok(), Some(100));
        // The idle item is too small: it is freed, and nothing is waited for.
        assert_eq!(lend(&pool, &device, 80).bytes, 80);
        // More than the device has is an error if nothing is lent.
        let failed = pool.allocate(|| Piece::new(&device, 101));
        assert!(matches!(failed, Err(Error::OutOfMemory { needed: 101, .. })));
    }

    #[test]
    fn a_run_without_memory_waited_for_ever_for_one_that_panicked() {
        let (device, pool) = device();
        let (held, holds) = channel();
        let (done, finished) = channel();
        let (own_device, own_pool) = (device.clone(), pool.clone());
        let panicking = std::thread::spawn(move || {
            let _lent = lend(&own_pool, &own_device, 70);
            held.send(()).expect("a listener");
            // Usually long enough that the other is waiting.
            std::thread::sleep(Duration::from_millis(50));
            panic!("in a run");
        });
        holds.recv().expect("it is lent");
        std::thread::spawn(move || {
            let bytes = lend(&pool, &device, 60).bytes;
            let table = pool.allocate(|| Piece::new(&device, 90)).map(|table| table.bytes);
            done.send((bytes, table.ok())).expect("a listener");
        });
        let outcome = finished.recv_timeout(Duration::from_secs(60)).expect("it goes on");
        assert!(panicking.join().is_err());
        // The one that came back suffices, if the other was not waiting yet.
        assert!(matches!(outcome, (60 | 70, Some(90))), "{outcome:?}");
    }
}

//! The threads of the CPU: rayon's global pool.
//!
//! rayon starts its pool on first use and panics if the system refuses a thread. Here threads are
//! started first, as many as the system grants, and the pool is built from those. If there are
//! none, the calling thread alone is the pool, and no other thread can compute on it.

#[cfg(not(target_family = "wasm"))]
use std::sync::OnceLock;
use std::sync::{Mutex, Once, PoisonError};
use std::thread::ScopedJoinHandle;
#[cfg(not(target_family = "wasm"))]
use std::thread::{self, ThreadId};

use crate::Error;
use crate::control::panic_message;

/// Maximum number of threads of a pool.
pub(crate) const MAX_THREADS: usize = 4096;

/// The thread that is the whole pool, if no other could be started.
#[cfg(not(target_family = "wasm"))]
static ALONE: OnceLock<ThreadId> = OnceLock::new();

/// Starts the pool, unless an earlier call or the program itself did.
pub(crate) fn start() {
    static START: Once = Once::new();
    START.call_once(start_pool);
}

/// Refuses to compute on a pool that is another thread: that thread may never run the work.
pub(crate) fn check() -> Result<(), Error> {
    start();
    match is_elsewhere() {
        false => Ok(()),
        true => {
            let reason = "no thread could be started, and another thread computes".into();
            Err(Error::NoThread { reason })
        }
    }
}

/// Runs `work` for every index on a thread of its own, or on this one if the system starts none. A
/// panic becomes an error that names the work, `what`.
pub(crate) fn concurrently<R: Send>(
    count: usize,
    what: &str,
    work: impl Fn(usize) -> Result<R, Error> + Sync,
) -> Vec<Result<R, Error>> {
    let mut panics = Vec::new();
    let results = gather(count, work, |work| panics = each_on_a_thread(count, work));
    let result = |(result, panic): (Option<_>, Option<String>)| {
        result.unwrap_or_else(|| {
            Err(Error::Internal(format!("{what} panicked: {}", panic.unwrap_or_default())))
        })
    };
    results.into_iter().zip(panics).map(result).collect()
}

/// What `work` returns for every index, in order, where `run` calls it for all of them on any
/// threads; `None` where it did not return. Only this is compiled for every curve, not the loop.
pub(crate) fn gather<T: Send>(
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    run: impl FnOnce(&(dyn Fn(usize) + Sync)),
) -> Vec<Option<T>> {
    let slots: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    run(&|index| {
        let result = work(index);
        *slots[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    slots
        .into_iter()
        .map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

/// The loop of [`concurrently`], compiled once for all curves: the message of each panic.
fn each_on_a_thread(count: usize, work: &(dyn Fn(usize) + Sync)) -> Vec<Option<String>> {
    std::thread::scope(|scope| {
        let start = |index| std::thread::Builder::new().spawn_scoped(scope, move || work(index));
        let started: Vec<_> = (0..count).map(start).collect();
        let finish = |(index, thread): (usize, std::io::Result<ScopedJoinHandle<'_, _>>)| {
            let Ok(thread) = thread else {
                work(index);
                return None;
            };
            thread.join().err().map(|panic| panic_message(&*panic))
        };
        started.into_iter().enumerate().map(finish).collect()
    })
}

/// In a browser rayon falls back to the calling thread, which is the only one.
#[cfg(target_family = "wasm")]
fn start_pool() {}

#[cfg(target_family = "wasm")]
pub(crate) fn is_elsewhere() -> bool {
    false
}

/// Whether the pool is another thread than this one.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn is_elsewhere() -> bool {
    ALONE.get().is_some_and(|alone| *alone != thread::current().id())
}

#[cfg(not(target_family = "wasm"))]
fn start_pool() {
    use std::sync::{Arc, Mutex, PoisonError, mpsc};

    use rayon::{ThreadBuilder, ThreadPoolBuilder};

    let (hand_over, handed) = mpsc::channel::<ThreadBuilder>();
    let handed = Arc::new(Mutex::new(handed));
    let start = |index: &usize| {
        let handed = handed.clone();
        let wait_for_work = move || {
            let worker = handed.lock().unwrap_or_else(PoisonError::into_inner).recv();
            // Nothing is handed over if the program has a pool already.
            if let Ok(worker) = worker {
                worker.run();
            }
        };
        thread::Builder::new().name(format!("bucketeer-{index}")).spawn(wait_for_work).is_ok()
    };
    let started = (0..requested()).take_while(start).count();
    // An error means that the program has built the pool itself.
    if started > 0 {
        let pool = ThreadPoolBuilder::new().num_threads(started);
        let hand_over = move |worker| {
            hand_over.send(worker).map_err(|_| std::io::Error::other("the thread has ended"))
        };
        let _ = pool.spawn_handler(hand_over).build_global();
    } else if ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().is_ok() {
        let _ = ALONE.set(thread::current().id());
    }
}

/// As many threads as rayon would start, up to a limit: `RAYON_NUM_THREADS`, or one per processor.
/// Far more threads than processors stall each other: on two processors 4096 threads take a minute
/// for what 256 do in 65 ms.
#[cfg(not(target_family = "wasm"))]
fn requested() -> usize {
    let setting = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let most = (2 * processors).clamp(256, MAX_THREADS);
    setting.filter(|count| *count > 0).unwrap_or(processors).min(most)
}

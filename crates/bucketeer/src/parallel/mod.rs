//! Parallel loops for code that is generic over the curve. rayon's iterators are compiled for every
//! closure; with a dozen curves that took longer than everything else together. Here the loop is
//! compiled once and calls through a reference.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use loops::*;

use crate::threads;

#[cfg(target_family = "wasm")]
pub(crate) mod serial;

/// Parallel iterators: rayon's, or on a platform of one thread those of the same name.
#[cfg(not(target_family = "wasm"))]
pub(crate) use rayon::prelude as loops;
#[cfg(target_family = "wasm")]
pub(crate) use serial as loops;

fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    threads::start();
    if threads::is_elsewhere() {
        return (0..count).for_each(work);
    }
    (0..count).into_par_iter().for_each(work);
}

/// `work(0), work(1), …` in parallel, results in order.
pub fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let results = threads::gather(count, work, |work| for_each(count, work));
    results.into_iter().flatten().collect()
}

/// `work` on every block of a slice, with the block's index, in parallel.
pub fn for_blocks<T: Send>(items: &mut [T], block: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let blocks: Vec<_> = items.chunks_mut(block).map(Mutex::new).collect();
    for_each(blocks.len(), &|index| {
        work(index, &mut blocks[index].lock().unwrap_or_else(PoisonError::into_inner));
    });
}

/// Minimum length of a piece that other threads may steal from a parallel loop: everything without
/// work stealing. A thread that waits for stolen work takes up other work itself and may come back
/// late.
pub fn grain(stealing: bool) -> usize {
    if stealing { 1 } else { usize::MAX }
}

/// The result with the lowest index; work after a result that was found is skipped.
pub fn find_first<T: Send>(count: usize, work: impl Fn(usize) -> Option<T> + Sync) -> Option<T> {
    let found = AtomicUsize::new(usize::MAX);
    let first = Mutex::new(None);
    for_each(count, &|index| {
        if index > found.load(Relaxed) {
            return;
        }
        let Some(result) = work(index) else { return };
        found.fetch_min(index, Relaxed);
        let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(known, _)| index < *known) {
            *first = Some((index, result));
        }
    });
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    first.map(|(_, result)| result)
}

//! Pools of working memory, reused from worker to worker and from run to run. Fresh pages from the
//! system would cost a small MSM more than its arithmetic.

use std::sync::{Mutex, PoisonError};

pub(crate) struct Pool<T> {
    /// Each item with the thread that used it last, whose cache holds it.
    idle: Mutex<Vec<(Option<usize>, T)>>,
}

/// An item of a pool.
pub(crate) trait Pooled: Default {
    /// Bytes of memory it owns.
    fn bytes(&self) -> usize;

    /// Overwrites everything that depends on scalars.
    fn wipe(&mut self);
}

/// Idle items larger than this are freed.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// Clears a vector and overwrites all its memory, in a way that is not optimised away.
pub(crate) fn wipe<T: Default>(vector: &mut Vec<T>) {
    vector.clear();
    vector.resize_with(vector.capacity(), T::default);
    std::hint::black_box(&mut *vector).clear();
}

impl<T: Pooled> Pool<T> {
    pub(crate) const fn new() -> Self {
        Self { idle: Mutex::new(Vec::new()) }
    }

    /// Overwrites and frees all idle items.
    pub(crate) fn release(&self) {
        let idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        for (_, mut item) in idle {
            item.wipe();
        }
    }

    /// Runs `work` with an idle item, preferably the one this thread used last, or with a new one.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let lock = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = rayon::current_thread_index();
        let take = |idle: &mut Vec<(_, T)>| {
            let own = idle.iter().rposition(|(last, _)| *last == thread);
            own.map(|index| idle.swap_remove(index)).or_else(|| idle.pop())
        };
        let mut item = take(&mut lock()).map(|(_, item)| item).unwrap_or_default();
        let result = work(&mut item);
        if item.bytes() <= MAX_KEPT_BYTES {
            lock().push((thread, item));
        }
        result
    }
}

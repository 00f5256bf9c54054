//! Working memory handed from one worker to the next, so that it is allocated once per thread.

use std::sync::{Mutex, PoisonError};

pub(crate) struct Pool<T> {
    idle: Mutex<Vec<T>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { idle: Mutex::new(Vec::new()) }
    }
}

impl<T: Default> Pool<T> {
    /// Runs `work` with an idle item, or a new one where none is idle.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let lock = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut item = lock().pop().unwrap_or_default();
        let result = work(&mut item);
        lock().push(item);
        result
    }
}

//! Progress of a run, and stopping it.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::Error;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Digits added to their buckets so far; zero digits count.
    pub done: u64,
    /// Digits in all.
    pub total: u64,
}

/// Called about a hundred times during a run, from any of its threads; `Break` cancels the run.
pub type Hook = Arc<dyn Fn(Progress) -> ControlFlow<()> + Send + Sync>;

/// Cancels a run from another thread.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Makes the run end with [`Error::Cancelled`] at its next step.
    pub fn cancel(&self) {
        self.0.store(true, Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// Progress and cancellation of one run, shared by its workers.
pub(crate) struct Control {
    cancel: CancelToken,
    hook: Option<Hook>,
    done: AtomicU64,
    total: u64,
}

impl Control {
    pub(crate) fn new(hook: Option<Hook>, cancel: CancelToken, total: u64) -> Self {
        Self { cancel, hook, done: AtomicU64::new(0), total }
    }

    /// Cancels with this one and reports nothing: for work that was not announced.
    pub(crate) fn silent(&self) -> Self {
        Self::new(None, self.cancel.clone(), 0)
    }

    /// Reports `units` more digits done.
    pub(crate) fn advance(&self, units: u64) -> Result<(), Error> {
        let before = self.done.fetch_add(units, Relaxed);
        let percent = |done: u64| done.min(self.total) * 100 / self.total.max(1);
        if percent(before) != percent(before + units) {
            self.report(before + units);
        }
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Reports that the work is done to this mark, skipping digits that were zero.
    pub(crate) fn reach(&self, done: u64) -> Result<(), Error> {
        let before = self.done.swap(done, Relaxed);
        self.advance(0)?;
        if before != done {
            self.report(done);
        }
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    fn report(&self, done: u64) {
        if let Some(hook) = &self.hook {
            let progress = Progress { done: done.min(self.total), total: self.total };
            if hook(progress).is_break() {
                self.cancel.cancel();
            }
        }
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Control({} of {})", self.done.load(Relaxed), self.total)
    }
}

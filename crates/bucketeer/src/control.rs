//! Progress of a run, and stopping it.

use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

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

/// Called about a hundred times during a run, from any of its threads; `Break` cancels the run. A hook
/// that panics cancels it too: the run, job or batch ends with [`Error::HookPanicked`].
pub type Hook = Arc<dyn Fn(Progress) -> ControlFlow<()> + Send + Sync>;

/// Cancels a run from another thread.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    /// What the hook said when it panicked.
    panic: OnceLock<String>,
}

impl CancelToken {
    /// Makes the run end with [`Error::Cancelled`] at its next step.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Relaxed);
    }

    /// The error of a run that was cancelled.
    fn check(&self) -> Result<(), Error> {
        if !self.0.cancelled.load(Relaxed) {
            return Ok(());
        }
        Err(self.0.panic.get().map_or(Error::Cancelled, |message| {
            let message = message.clone();
            Error::HookPanicked { message }
        }))
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
        self.cancel.check()
    }

    /// Reports that the work is done to this mark, skipping digits that were zero.
    pub(crate) fn reach(&self, done: u64) -> Result<(), Error> {
        let before = self.done.swap(done, Relaxed);
        self.advance(0)?;
        if before != done {
            self.report(done);
        }
        self.cancel.check()
    }

    fn report(&self, done: u64) {
        if let Some(hook) = &self.hook {
            let progress = Progress { done: done.min(self.total), total: self.total };
            // The hook is the caller's: whatever it leaves half done is its own.
            match catch_unwind(AssertUnwindSafe(|| hook(progress))) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => self.cancel.cancel(),
                Err(panic) => {
                    self.cancel.0.panic.get_or_init(|| panic_message(&*panic));
                    self.cancel.cancel();
                }
            }
        }
    }
}

/// What a panic said.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("of unknown kind").into()
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Control({} of {})", self.done.load(Relaxed), self.total)
    }
}

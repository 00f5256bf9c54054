//! Progress and cancellation of a run.

use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, OnceLock};

use crate::Error;

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Digits added to their buckets so far; zero digits count.
    pub done: u64,
    /// Digits in all.
    pub total: u64,
}

/// Called about a hundred times during a run, from any of its threads. `Break` cancels the run. So
/// does a panic: the run, job or batch then ends with [`Error::HookPanicked`].
pub type Hook = Arc<dyn Fn(Progress) -> ControlFlow<()> + Send + Sync>;

/// Cancels a run from another thread.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    /// The message of the hook's panic.
    panic: OnceLock<String>,
}

impl CancelToken {
    /// Makes the run end with [`Error::Cancelled`] at its next step.
    pub fn cancel(&self) {
        // Whoever sees it sees the panic that was stored before, too: on arm64 it would otherwise
        // now and then be an ordinary cancellation.
        self.0.cancelled.store(true, Release);
    }

    /// Returns the error of a cancelled run.
    fn check(&self) -> Result<(), Error> {
        if !self.0.cancelled.load(Acquire) {
            return Ok(());
        }
        Err(self.0.panic.get().map_or(Error::Cancelled, |message| {
            let message = message.clone();
            Error::HookPanicked { message }
        }))
    }
}

/// Progress and cancellation of one run, shared by its threads.
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

    /// The control of another MSM of the same batch, with `total` digits. Progress starts at zero.
    pub(crate) fn again(&self, total: u64) -> Self {
        Self::new(self.hook.clone(), self.cancel.clone(), total)
    }

    /// Shares the cancellation but reports nothing: for work that `total` does not include.
    pub(crate) fn silent(&self) -> Self {
        Self::new(None, self.cancel.clone(), 0)
    }

    /// Reports that `units` more digits are done.
    pub(crate) fn advance(&self, units: u64) -> Result<(), Error> {
        let before = self.done.fetch_add(units, Relaxed);
        let percent = |done: u64| done.min(self.total) * 100 / self.total.max(1);
        if percent(before) != percent(before + units) {
            self.report(before + units);
        }
        self.cancel.check()
    }

    /// Reports that `done` digits are done, including skipped zero digits.
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
            // Unwind safety is the caller's: only the hook's own state can be left inconsistent.
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

/// The message of a panic.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("of unknown kind").into()
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Control({} of {})", self.done.load(Relaxed), self.total)
    }
}

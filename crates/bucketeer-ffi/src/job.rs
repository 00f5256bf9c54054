//! MSMs in the background.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, PoisonError};

use engine::any::{AnyJob, AnySum, Layout};
use engine::{CancelToken, Error};

use crate::bases::{Loaded, write_sums};
use crate::handles::{BASES, Bases, JOBS, Job};
use crate::status::{Status, guard, guard_run};
use crate::types::{Scalars, check, reference, representation, write};

/// A job. The first thread that waits takes the work; others wait for it.
pub(crate) struct Submitted {
    layout: Layout,
    cancel: CancelToken,
    state: Mutex<State>,
    ended: Condvar,
}

enum State {
    Running(Box<dyn AnyJob>),
    Waiting,
    Ended(Result<AnySum, Error>),
}

impl Submitted {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the job has ended.
    fn wait(&self) {
        let mut state = self.state();
        if let State::Running(_) = &*state
            && let State::Running(job) = std::mem::replace(&mut *state, State::Waiting)
        {
            drop(state);
            // Others wait for an end, also if this panics.
            let sum = catch_unwind(AssertUnwindSafe(|| job.wait()))
                .unwrap_or_else(|_| Err(Error::Internal("a job panicked".into())));
            let sum = sum.map(|report| report.sum);
            *self.state() = State::Ended(sum);
            self.ended.notify_all();
            return;
        }
        while let State::Waiting = &*state {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Submitted {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Starts an MSM in the background, as bucketeer_msm would run it. The scalars are copied during
/// the call, and the bases may be freed while it runs.
///
/// # Safety
///
/// The pointers are valid, and `scalars->data` has the bytes that its fields describe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_submit(
    bases: Bases,
    first: usize,
    scalars: *const Scalars,
    out: *mut Job,
) -> Status {
    guard_run(|| {
        check(out, "out")?;
        let Loaded { bases, layout } = &*BASES.get(bases.id)?;
        // SAFETY: null, or valid by the contract of this function.
        let scalars = unsafe { reference(scalars, "scalars")?.packed(layout) }?;
        let job = bases.submit_packed(first, &scalars)?;
        let cancel = job.cancel_token();
        let state = Mutex::new(State::Running(job));
        let job = Submitted { layout: *layout, cancel, state, ended: Condvar::new() };
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write(out, "out", Job { id: JOBS.insert(job) }) }
    })
}

/// Waits for the sum and writes it as bucketeer_msm does. It may be called again, and by several
/// threads.
///
/// # Safety
///
/// `out_bytes` bytes may be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_job_wait(
    job: Job,
    form: u32,
    out: *mut c_void,
    out_bytes: usize,
) -> Status {
    guard_run(|| {
        let representation = representation(form)?;
        let job = JOBS.get(job.id)?;
        job.wait();
        match &*job.state() {
            State::Ended(Ok(sum)) => {
                let sums = std::slice::from_ref(sum);
                // SAFETY: null, or valid by the contract of this function.
                unsafe { write_sums(sums, &job.layout, representation, out, out_bytes) }
            }
            State::Ended(Err(error)) => Err(error.clone().into()),
            _ => Err(Error::Internal("a job that was waited for has not ended".into()).into()),
        }
    })
}

/// Writes 1 if the job has ended, with a sum or an error, else 0.
///
/// # Safety
///
/// `out` may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_job_is_finished(job: Job, out: *mut u32) -> Status {
    guard(|| {
        let finished = match &*JOBS.get(job.id)?.state() {
            State::Running(job) => job.is_finished(),
            State::Waiting => false,
            State::Ended(_) => true,
        };
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write(out, "out", finished.into()) }
    })
}

/// Makes the job end with BUCKETEER_STATUS_CANCELLED at its next step, unless it has ended.
#[unsafe(no_mangle)]
pub extern "C" fn bucketeer_job_cancel(job: Job) -> Status {
    guard(|| {
        JOBS.get(job.id)?.cancel.cancel();
        Ok(())
    })
}

/// Frees a job. One that still runs is cancelled, and not waited for. Freeing job 0 does nothing;
/// freeing one twice is an error.
#[unsafe(no_mangle)]
pub extern "C" fn bucketeer_job_free(job: Job) -> Status {
    guard(|| {
        if job.id != 0 {
            // A thread that waits keeps the job, so removing it alone would not cancel it.
            JOBS.get(job.id)?.cancel.cancel();
        }
        JOBS.remove(job.id)
    })
}

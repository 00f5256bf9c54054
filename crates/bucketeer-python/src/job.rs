//! MSMs in the background.
//!
//! The library's wait cannot be interrupted. So waiting here means polling whether the job has
//! ended; signals and timeouts are handled in between.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bucketeer::Error;
use bucketeer::any::AnyJob;
use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;

use crate::call::{call, exception, invalid};
use crate::curve::Facts;
use crate::point::{Point, Sum};

/// How long a wait leaves signals such as Ctrl-C unhandled.
const SIGNALS: Duration = Duration::from_millis(50);

/// The shortest and the longest sleep between two looks at a job.
const SLEEPS: [Duration; 2] = [Duration::from_micros(10), Duration::from_millis(5)];

/// An MSM that runs in the background. It is cancelled when it is garbage, and at the end of a
/// `with` block. Any thread may use it.
#[pyclass(frozen, module = "bucketeer")]
pub struct Job {
    curve: Arc<Facts>,
    started: Instant,
    /// Locked for moments only, and never while Python's code can run.
    state: Mutex<State>,
}

enum State {
    Running(Box<dyn AnyJob>),
    Ended(Result<Arc<Sum>, Error>),
}

impl Job {
    /// A job that was just submitted.
    pub fn new(curve: &Arc<Facts>, job: Box<dyn AnyJob>) -> Self {
        let state = Mutex::new(State::Running(job));
        Self { curve: curve.clone(), started: Instant::now(), state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sum or the error of a job that has ended.
    fn ended(&self) -> Option<Result<Arc<Sum>, Error>> {
        let mut state = self.state();
        if let State::Running(job) = &*state {
            if !job.is_finished() {
                return None;
            }
            // What remains if the wait panics.
            let lost = State::Ended(Err(Error::Internal("the job's sum was lost".into())));
            if let State::Running(job) = std::mem::replace(&mut *state, lost) {
                let sum = job.wait().and_then(|report| {
                    Sum::new(&self.curve, report.sum, Some(report.timings)).map(Arc::new)
                });
                *state = State::Ended(sum);
            }
        }
        match &*state {
            State::Running(_) => None,
            State::Ended(result) => Some(result.clone()),
        }
    }

    /// Waits for the end of the job, but not longer than until `deadline`.
    fn ended_by(&self, deadline: Instant) -> Option<Result<Arc<Sum>, Error>> {
        loop {
            let now = Instant::now();
            match self.ended() {
                None if now < deadline => {}
                ended => return ended,
            }
            // At most a thirtieth more than the job takes.
            let [least, most] = SLEEPS;
            let sleep = (now.saturating_duration_since(self.started) / 30).clamp(least, most);
            thread::sleep(sleep.min(deadline - now));
        }
    }
}

#[pymethods]
impl Job {
    /// The sum. Raises `TimeoutError` after `timeout` seconds, `Cancelled` after `cancel`.
    #[pyo3(signature = (timeout = None))]
    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Point> {
        let timeout = timeout.map(Duration::try_from_secs_f64).transpose();
        let timeout = timeout.map_err(|error| invalid(format!("timeout: {error}")))?;
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            let next = Instant::now() + SIGNALS;
            let next = deadline.map_or(next, |deadline| deadline.min(next));
            if let Some(result) = call(py, || Ok(self.ended_by(next)))? {
                return result.map(Point).map_err(exception);
            }
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Err(PyTimeoutError::new_err("the job has not ended"));
            }
            py.check_signals()?;
        }
    }

    /// Whether it has ended, with a sum or an error.
    fn done(&self) -> bool {
        match &*self.state() {
            State::Running(job) => job.is_finished(),
            State::Ended(_) => true,
        }
    }

    /// Makes it end at its next step, unless it has ended.
    fn cancel(&self) {
        if let State::Running(job) = &*self.state() {
            job.cancel_token().cancel();
        }
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        self.cancel();
    }

    fn __repr__(&self) -> String {
        let state = if self.done() { "ended" } else { "running" };
        format!("<Job on {}: {state}>", self.curve.name())
    }
}

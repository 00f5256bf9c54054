//! Calls of the library: without the GIL, with panics and errors as Python's exceptions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::OnceLock;

use bucketeer::Error;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// Runs `work` without the GIL.
pub fn call<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    check_process()?;
    // A panic leaves nothing behind that is used again: `work` owns or only reads what it has.
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    result.unwrap_or_else(|panic| Err(Error::Internal(message(&*panic)))).map_err(exception)
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("a panic: {}", text.unwrap_or("of no message"))
}

/// A child made by `fork` has the library's memory but none of its threads: work given to them
/// would never be done.
fn check_process() -> PyResult<()> {
    static PROCESS: OnceLock<u32> = OnceLock::new();
    let own = process::id();
    if *PROCESS.get_or_init(|| own) == own {
        return Ok(());
    }
    let reason = "this process was forked from one that used Bucketeer, and has none of its \
                  threads: use multiprocessing's start method \"spawn\" or \"forkserver\"";
    Err(exception(Error::NoThread { reason: reason.into() }))
}

/// An argument that cannot be used, and why.
pub fn invalid(reason: impl Into<String>) -> PyErr {
    exception(Error::InvalidBytes { reason: reason.into() })
}

/// The exception of an error: a class of `bucketeer._errors`.
pub fn exception(error: Error) -> PyErr {
    Python::attach(|py| match class(py, class_name(&error)) {
        Ok(class) => PyErr::from_type(class, (error.to_string(),)),
        Err(missing) => missing,
    })
}

fn class_name(error: &Error) -> &'static str {
    match error {
        Error::Batch { source, .. } => class_name(source),
        Error::LengthMismatch { .. }
        | Error::InvalidRange { .. }
        | Error::InvalidSetting { .. }
        | Error::ScalarTooLarge { .. }
        | Error::InvalidBase { .. }
        | Error::NotRepresentable
        | Error::UnknownName { .. }
        | Error::InvalidBytes { .. } => "InvalidInput",
        Error::OutOfMemory { .. } | Error::BufferTooLarge { .. } => "OutOfMemory",
        Error::NoDevice { .. } => "NoDevice",
        Error::DeviceFailed { .. } => "DeviceFailed",
        Error::Cancelled => "Cancelled",
        Error::VerificationFailed { .. } => "VerificationFailed",
        _ => "Error",
    }
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let errors =
        ERRORS.get_or_try_init(py, || py.import("bucketeer._errors").map(Bound::unbind))?;
    Ok(errors.bind(py).getattr(name)?.cast_into()?)
}

//! What every function returns, and the message behind it.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::OnceLock;

use engine::Error;

/// What a function returns. bucketeer_last_error() has the message of what is not OK.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// An argument that cannot be used: a null or misaligned pointer, an unknown name or form, a
    /// setting that no plan supports, a handle that names nothing.
    InvalidArgument = 1,
    /// Points or scalars that are not valid, or whose numbers do not fit each other.
    InvalidInput = 2,
    /// The device does not exist, or the driver or a library for it is missing.
    NoDevice = 3,
    /// The smallest plan needs more memory than there is.
    OutOfMemory = 4,
    /// The job was cancelled.
    Cancelled = 5,
    /// A device failed during a run, or the system could not start a thread. Nothing was computed.
    DeviceFailed = 6,
    /// A bug in Bucketeer. Nothing was computed.
    Internal = 7,
    /// A sum that was to be verified is not right: the device or the memory has failed.
    VerificationFailed = 8,
}

/// A status that is not OK, and its message.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    status: Status,
    message: String,
}

impl Failure {
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self { status: Status::InvalidArgument, message: message.into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { status: status(&error), message: error.to_string() }
    }
}

fn status(error: &Error) -> Status {
    match error {
        Error::Batch { source, .. } => status(source),
        Error::InvalidSetting { .. } | Error::UnknownName { .. } => Status::InvalidArgument,
        Error::NoDevice { .. } => Status::NoDevice,
        Error::OutOfMemory { .. } | Error::BufferTooLarge { .. } => Status::OutOfMemory,
        Error::Cancelled => Status::Cancelled,
        Error::VerificationFailed { .. } => Status::VerificationFailed,
        Error::DeviceFailed { .. } | Error::NoThread { .. } => Status::DeviceFailed,
        Error::Internal(_) | Error::HookPanicked { .. } => Status::Internal,
        _ => Status::InvalidInput,
    }
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Runs the body of a function and catches its panics.
pub(crate) fn guard(work: impl FnOnce() -> Result<(), Failure>) -> Status {
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        Err(Failure { status: Status::Internal, message: format!("internal error: {text}") })
    });
    let (status, message) = match outcome {
        Ok(()) => (Status::Ok, String::new()),
        Err(failure) => (failure.status, failure.message.replace('\0', "\\0")),
    };
    // A C++ object with static storage frees its handle when the thread's own values are gone.
    let _ = MESSAGE.try_with(|last| *last.borrow_mut() = CString::new(message).unwrap_or_default());
    status
}

/// [`guard`] for what computes. A child made by `fork` has the library's memory but none of its
/// threads: work given to them would never be done.
pub(crate) fn guard_run(work: impl FnOnce() -> Result<(), Failure>) -> Status {
    static PROCESS: OnceLock<u32> = OnceLock::new();
    guard(|| {
        let own = process::id();
        if *PROCESS.get_or_init(|| own) != own {
            let reason = "this process was forked from one that used Bucketeer, and has none of \
                          its threads";
            return Err(Error::NoThread { reason: reason.into() }.into());
        }
        work()
    })
}

/// The message of this thread's last call, empty if it was OK. Valid until the thread's next call
/// of a function that returns a status.
#[unsafe(no_mangle)]
pub extern "C" fn bucketeer_last_error() -> *const c_char {
    MESSAGE.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// The name of a status, such as "invalid input"; "unknown status" for other numbers.
#[unsafe(no_mangle)]
pub extern "C" fn bucketeer_status_name(status: u32) -> *const c_char {
    const NAMES: [&CStr; 9] = [
        c"ok",
        c"invalid argument",
        c"invalid input",
        c"no device",
        c"out of memory",
        c"cancelled",
        c"device failed",
        c"internal error",
        c"verification failed",
    ];
    NAMES.get(status as usize).copied().unwrap_or(c"unknown status").as_ptr()
}

//! Failures of commands, and their exit codes.

use std::fmt;

use bucketeer::Error;

use crate::memory::Need;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// An error of the library.
    Library(Error),
    /// A second method gave another result.
    WrongResult(String),
    /// Arguments that are valid one by one but not together.
    Usage(String),
    /// The inputs need more memory than is available.
    Memory(Need),
    /// Stdout cannot be written to.
    Output(std::io::Error),
    /// The reader of stdout has closed it. Nothing is printed.
    ClosedPipe,
}

/// The exit code for lack of memory.
pub const OUT_OF_MEMORY: u8 = 4;

impl Failure {
    /// The failure as the other ranks get it, with the same exit code.
    pub fn error(&self) -> Error {
        let text = self.to_string();
        match self {
            Self::Library(error) => error.clone(),
            Self::WrongResult(_) | Self::ClosedPipe => Error::Internal(text),
            Self::Usage(_) | Self::Output(_) => Error::InvalidBytes { reason: text },
            Self::Memory(need) => need.error(),
        }
    }

    /// The process's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Library(error) => exit_code(error),
            Self::WrongResult(_) => 1,
            Self::Usage(_) | Self::Output(_) => 2,
            Self::Memory(_) => OUT_OF_MEMORY,
            Self::ClosedPipe => 0,
        }
    }
}

fn exit_code(error: &Error) -> u8 {
    match error {
        Error::Batch { source, .. } | Error::Rank { source, .. } => exit_code(source),
        Error::Internal(_) | Error::HookPanicked { .. } | Error::VerificationFailed { .. } => 1,
        Error::NoDevice { .. } => 3,
        Error::OutOfMemory { .. } | Error::BufferTooLarge { .. } => OUT_OF_MEMORY,
        _ => 2,
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(error) => error.fmt(f),
            Self::WrongResult(text) => write!(f, "wrong result: {text}"),
            Self::Usage(text) => f.write_str(text),
            Self::Memory(need) => need.fmt(f),
            Self::Output(error) => write!(f, "cannot write to stdout: {error}"),
            Self::ClosedPipe => f.write_str("stdout was closed"),
        }
    }
}

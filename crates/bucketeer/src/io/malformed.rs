//! The error of the parsers.

use std::path::Path;

use crate::Error;
use crate::error::{Bytes, shown};
use crate::platform::available_memory;

/// Why bytes cannot be parsed: position and cause, as text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Malformed {
    /// For example "base 17: not on the curve". Control characters from the file are escaped, and a
    /// very long text is truncated.
    pub reason: String,
    /// Bytes that could not be allocated, if that is the cause.
    needed: Option<u64>,
}

impl Malformed {
    pub(super) fn new(reason: impl AsRef<str>) -> Self {
        Self { reason: shown(reason.as_ref(), LONGEST), needed: None }
    }

    /// This many bytes could not be allocated.
    pub(super) fn no_memory(needed: u64) -> Self {
        Self { reason: format!("no memory for {}", Bytes(needed)), needed: Some(needed) }
    }

    /// The same fault with the place where it is in front.
    pub(super) fn within(self, place: &str) -> Self {
        match self.needed {
            Some(_) => self,
            None => Self::new(format!("{place}: {}", self.reason)),
        }
    }

    /// The library's error for bytes from this file.
    pub fn in_file(self, path: &Path) -> Error {
        match self.needed {
            Some(needed) => {
                Error::OutOfMemory { needed, available: available_memory().min(needed) }
            }
            None => Error::File { path: path.into(), reason: self.reason },
        }
    }
}

/// Characters after which a reason is truncated.
const LONGEST: usize = 1000;

//! What the parsers report.

use std::path::Path;

use crate::Error;
use crate::error::{Bytes, shown};
use crate::platform::available_memory;

/// Why bytes are not what they should be: the position and the cause, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Malformed {
    /// For example "base 17: not on the curve". Control characters of the file are escaped in it, and
    /// it is cut where it is very long.
    pub reason: String,
    /// Bytes that could not be allocated, where that is the reason.
    needed: Option<u64>,
}

impl Malformed {
    pub(super) fn new(reason: impl AsRef<str>) -> Self {
        Self { reason: shown(reason.as_ref(), LONGEST), needed: None }
    }

    /// There is no memory for so many bytes.
    pub(super) fn no_memory(needed: u64) -> Self {
        Self { reason: format!("no memory for {}", Bytes(needed)), needed: Some(needed) }
    }

    /// The library's error, for bytes that came from this file.
    pub fn in_file(self, path: &Path) -> Error {
        match self.needed {
            Some(needed) => {
                Error::OutOfMemory { needed, available: available_memory().min(needed) }
            }
            None => Error::File { path: path.into(), reason: self.reason },
        }
    }
}

/// Most characters of a reason.
const LONGEST: usize = 1000;

//! What the parsers report.

use std::path::Path;

use crate::Error;

/// Why bytes are not what they should be: the position and the cause, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Malformed {
    /// For example "base 17: not on the curve".
    pub reason: String,
}

impl Malformed {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }

    /// The library's error, for bytes that came from this file.
    pub fn in_file(self, path: &Path) -> Error {
        Error::File { path: path.into(), reason: self.reason }
    }
}

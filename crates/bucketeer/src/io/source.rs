//! The bytes of a file, without a second copy of them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use memmap2::Mmap;

use super::Malformed;
use crate::Error;

/// A file's bytes: mapped, or read where the file cannot be mapped (a pipe, a terminal).
pub(super) enum Source {
    Mapped(Mmap),
    Read(Vec<u8>),
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        Self::try_open(path).map_err(|error| Malformed::new(error.to_string()).in_file(path))
    }

    fn try_open(path: &Path) -> std::io::Result<Self> {
        let mut file = File::open(path)?;
        if file.metadata()?.is_file() {
            // SAFETY: the map is read-only and private to this value. Were another process to
            // change the file meanwhile, the parsers would see other bytes, which they check like
            // any; were it to truncate the file, the process would be stopped by a signal, not
            // misled.
            return Ok(Self::Mapped(unsafe { Mmap::map(&file)? }));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Self::Read(bytes))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Read(bytes) => bytes,
        }
    }
}

//! Compiled kernels on disk.
//!
//! An entry's name is the SHA-256 of everything that determines the code: source, headers, options,
//! architecture and compiler. It holds that key again, and the SHA-256 of the code, so an entry that was cut
//! short, altered or copied from elsewhere is not used but rebuilt. Entries are written beside their
//! place and moved into it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"bucket01";
const HEADER: usize = 8 + 32 + 32;

/// What determines a compiled module.
pub(crate) struct Key([u8; 32]);

impl Key {
    /// The key of these parts, in order.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    fn path(&self) -> Option<PathBuf> {
        let name: String = self.0[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        Some(folder()?.join(name + ".cubin"))
    }
}

/// `$BUCKETEER_CACHE`, or `bucketeer` in the user's cache folder.
fn folder() -> Option<PathBuf> {
    if let Some(own) = std::env::var_os("BUCKETEER_CACHE") {
        return Some(own.into());
    }
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    Some(base.join("bucketeer"))
}

/// The code stored under a key, if it is there and whole.
pub(crate) fn read(key: &Key) -> Option<Vec<u8>> {
    let bytes = fs::read(key.path()?).ok()?;
    let (header, code) = bytes.split_at_checked(HEADER)?;
    let whole = header[..8] == *MAGIC
        && header[8..40] == key.0
        && header[40..] == Sha256::digest(code)[..]
        && !code.is_empty();
    whole.then(|| code.to_vec())
}

/// Stores code under a key. A cache that cannot be written costs time and nothing else.
pub(crate) fn write(key: &Key, code: &[u8]) {
    let written = || -> Option<()> {
        let path = key.path()?;
        fs::create_dir_all(path.parent()?).ok()?;
        let mut file = tempfile::NamedTempFile::new_in(path.parent()?).ok()?;
        file.write_all(MAGIC).ok()?;
        file.write_all(&key.0).ok()?;
        file.write_all(&Sha256::digest(code)).ok()?;
        file.write_all(code).ok()?;
        file.persist(&path).ok().map(|_| ())
    };
    if written().is_none() {
        tracing::debug!("compiled kernels could not be cached");
    }
}

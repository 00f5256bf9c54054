//! Compiled kernels on disk.
//!
//! An entry is a compiled module and the compiler's report on it. Its name is the SHA-256 of everything that determines the code: source, headers, options,
//! architecture and compiler. It holds that key again, and the SHA-256 of the code, so an entry that was cut
//! short, altered or copied from elsewhere is not used but rebuilt. Entries are written beside their
//! place and moved into it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"bucket02";
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

/// The code and the report stored under a key, if they are there and whole.
pub(crate) fn read(key: &Key) -> Option<(Vec<u8>, String)> {
    let bytes = fs::read(key.path()?).ok()?;
    let (header, content) = bytes.split_at_checked(HEADER)?;
    let whole = header[..8] == *MAGIC
        && header[8..40] == key.0
        && header[40..] == Sha256::digest(content)[..];
    let (length, rest) = content.split_first_chunk::<8>().filter(|_| whole)?;
    let (code, report) = rest.split_at_checked(u64::from_le_bytes(*length) as usize)?;
    Some((code.to_vec(), String::from_utf8(report.to_vec()).ok()?))
}

/// Stores code under a key. A cache that cannot be written costs time and nothing else.
pub(crate) fn write(key: &Key, code: &[u8], report: &str) {
    let content = [&(code.len() as u64).to_le_bytes(), code, report.as_bytes()].concat();
    let written = || -> Option<()> {
        let path = key.path()?;
        fs::create_dir_all(path.parent()?).ok()?;
        let mut file = tempfile::NamedTempFile::new_in(path.parent()?).ok()?;
        file.write_all(MAGIC).ok()?;
        file.write_all(&key.0).ok()?;
        file.write_all(&Sha256::digest(&content)).ok()?;
        file.write_all(&content).ok()?;
        file.persist(&path).ok().map(|_| ())
    };
    if written().is_none() {
        tracing::debug!("compiled kernels could not be cached");
    }
}

/// Held by tests that read or change the environment's folder.
#[cfg(test)]
pub(super) static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, since the folder is the environment's.
    #[test]
    fn only_whole_entries_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        // SAFETY: no other test of this binary reads or writes this variable while this one runs: those that
        // compile take the lock below.
        let _lock = LOCK.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = std::env::var_os("BUCKETEER_CACHE");
        // SAFETY: as above.
        unsafe { std::env::set_var("BUCKETEER_CACHE", folder.path()) };
        let (key, other) = (Key::of(["a", "bc"]), Key::of(["ab", "c"]));
        assert_ne!(key.0, other.0);
        assert_eq!(read(&key), None);
        write(&key, b"code", "report");
        let whole = Some((b"code".to_vec(), "report".to_owned()));
        assert_eq!(read(&key), whole);
        let path = key.path().expect("a path");
        let bytes = fs::read(&path).expect("the entry");
        for damage in [0, 8, 40, HEADER, HEADER + 8, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[damage] ^= 1;
            fs::write(&path, damaged).expect("a damaged entry");
            assert_eq!(read(&key), None, "byte {damage}");
        }
        fs::write(&path, &bytes[..bytes.len() - 1]).expect("a short entry");
        assert_eq!(read(&key), None);
        // An entry under another's name.
        write(&key, b"code", "report");
        fs::copy(&path, other.path().expect("a path")).expect("a copy");
        assert_eq!(read(&other), None);
        // A folder that cannot be written.
        // SAFETY: as above.
        unsafe { std::env::set_var("BUCKETEER_CACHE", "/proc/none") };
        write(&key, b"code", "report");
        assert_eq!(read(&key), None);
        match before {
            // SAFETY: as above.
            Some(value) => unsafe { std::env::set_var("BUCKETEER_CACHE", value) },
            // SAFETY: as above.
            None => unsafe { std::env::remove_var("BUCKETEER_CACHE") },
        }
    }
}

//! Files under a temporary name, which get their own when they are complete.
//!
//! Every one is listed while it exists. A program that a signal is about to end asks for all of
//! them to be removed ([`abandon`]): destructors do not run then.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

static LISTED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn listed() -> MutexGuard<'static, Vec<PathBuf>> {
    LISTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is removed when it is dropped, unless it was [kept](Self::keep).
pub(crate) struct Temporary {
    /// There until it is kept or dropped.
    file: Option<NamedTempFile>,
}

impl Temporary {
    /// Makes a new file with `make`; nobody abandons it before it is listed.
    pub(crate) fn new(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<Self> {
        let mut listed = listed();
        let file = make()?;
        listed.push(file.path().into());
        Ok(Self { file: Some(file) })
    }

    /// The open file.
    pub(crate) fn file(&mut self) -> io::Result<&mut fs::File> {
        let file = self.file.as_mut().ok_or_else(|| io::Error::other("a file that was kept"))?;
        Ok(file.as_file_mut())
    }

    /// Gives the file this path, in place of one that is there.
    pub(crate) fn keep(mut self, path: &Path) -> io::Result<()> {
        let mut listed = listed();
        let Some(file) = self.file.take() else { return Ok(()) };
        let own = file.path().to_owned();
        // A failure drops the file, which removes it.
        let kept = file.persist(path).map(|_| ()).map_err(|failed| failed.error);
        listed.retain(|path| *path != own);
        kept
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let Some(file) = self.file.take() else { return };
        let mut listed = listed();
        listed.retain(|path| path != file.path());
        // Removes it while the lock keeps others from making it again.
        drop(file);
    }
}

/// Removes all temporary files. From then on none is made or kept: threads that try wait for ever.
#[cfg(feature = "io")]
pub(crate) fn abandon() {
    let listed = listed();
    for path in listed.iter() {
        // What is gone already need not be removed.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(listed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_while_they_are_temporary() {
        let folder = tempfile::tempdir().expect("a folder");
        let make = || Temporary::new(|| NamedTempFile::new_in(folder.path())).expect("a file");
        let ours = || {
            let listed = listed();
            listed.iter().filter(|path| path.starts_with(folder.path())).count()
        };
        let (dropped, mut kept) = (make(), make());
        assert_eq!(ours(), 2);
        drop(dropped);
        io::Write::write_all(kept.file().expect("open"), b"kept").expect("written");
        let path = folder.path().join("kept");
        kept.keep(&path).expect("it has its name");
        assert_eq!((ours(), fs::read(&path).expect("it is there")), (0, b"kept".to_vec()));
        assert!(make().keep(&folder.path().join("missing/file")).is_err());
        assert_eq!(ours(), 0);
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }
}

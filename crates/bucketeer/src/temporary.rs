//! Files under a temporary name, which get their own when they are complete.
//!
//! Every one is listed while it exists. A program that a signal is about to end asks for all of
//! them to be removed ([`abandon`]): destructors do not run then. Files that belong together get
//! their names while the list is locked ([`keep_all`]), so that then all of them are there or none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(feature = "io")]
use std::{sync::TryLockError, time::Duration};

use tempfile::{NamedTempFile, TempPath};

/// How temporary names begin.
pub(crate) const PREFIX: &str = ".bucketeer-";

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
    pub(crate) fn keep(self, path: &Path) -> io::Result<()> {
        keep_all(vec![(self, path)]).map_err(|(_, error)| error)
    }
}

/// Gives every file its path, in place of one that is there, or none of them: where one cannot be
/// renamed, what was there before is put back for the others. The error says which it was. Nobody
/// abandons them in between.
pub(crate) fn keep_all(files: Vec<(Temporary, &Path)>) -> Result<(), (usize, io::Error)> {
    let mut listed = listed();
    let taken = files.into_iter().filter_map(|(mut file, path)| Some((file.file.take()?, path)));
    let files: Vec<(NamedTempFile, &Path)> = taken.collect();
    let own: Vec<PathBuf> = files.iter().map(|(file, _)| file.path().to_owned()).collect();
    let kept = rename_all(files);
    listed.retain(|path| !own.contains(path));
    kept
}

/// What a failure drops is removed: files that were not renamed, second names of those replaced.
fn rename_all(files: Vec<(NamedTempFile, &Path)>) -> Result<(), (usize, io::Error)> {
    let last = files.len().saturating_sub(1);
    let mut done: Vec<(&Path, Option<TempPath>)> = Vec::new();
    for (index, (file, path)) in files.into_iter().enumerate() {
        let renamed = || {
            // After the last one there is nothing to undo.
            let replaced = if index < last { second_name(path)? } else { None };
            file.persist(path).map_err(|failed| failed.error)?;
            Ok(replaced)
        };
        match renamed() {
            Ok(replaced) => done.push((path, replaced)),
            Err(error) => {
                for (path, replaced) in done.into_iter().rev() {
                    // The error is the one to report, also if this fails.
                    let _ = match replaced {
                        Some(old) => old.persist(path).map_err(|failed| failed.error),
                        None => fs::remove_file(path),
                    };
                }
                return Err((index, error));
            }
        }
    }
    Ok(())
}

/// Another name of the file that is there, if one is: a link, or a copy where there are no links.
fn second_name(path: &Path) -> io::Result<Option<TempPath>> {
    if !fs::exists(path)? {
        return Ok(None);
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let make = |make: fn(&Path, &Path) -> io::Result<()>| {
        let made = tempfile::Builder::new().prefix(PREFIX).make_in(folder, |new| make(path, new));
        made.map(|made| Some(made.into_temp_path()))
    };
    make(|old, new| fs::hard_link(old, new))
        .or_else(|_| make(|old, new| fs::copy(old, new).map(drop)))
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
    abandon_listed(listed());
}

/// The same where the calling thread may hold the lock itself, since it has run out of memory
/// somewhere: then they stay.
#[cfg(feature = "io")]
pub(crate) fn try_abandon() {
    // What another thread does under the lock, a few calls of the file system, takes no longer.
    for _ in 0..100 {
        match LISTED.try_lock() {
            Ok(listed) => return abandon_listed(listed),
            Err(TryLockError::Poisoned(poisoned)) => return abandon_listed(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

#[cfg(feature = "io")]
fn abandon_listed(listed: MutexGuard<'static, Vec<PathBuf>>) {
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

    /// A proof used to stay where its public signals could not be renamed.
    #[test]
    fn all_files_get_their_names_or_none_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let file = |text: &str| {
            let new = || NamedTempFile::new_in(folder.path());
            let mut file = Temporary::new(new).expect("a file");
            io::Write::write_all(file.file().expect("open"), text.as_bytes()).expect("written");
            file
        };
        let [old, new, last] = ["old", "new", "last"].map(path);
        let keep = || {
            let files = [("1", &old), ("2", &new), ("3", &last)];
            keep_all(files.map(|(text, path)| (file(text), &**path)).into())
        };
        let names = || {
            let entries = fs::read_dir(folder.path()).expect("the folder");
            let mut names: Vec<_> = entries.map(|entry| entry.expect("one").file_name()).collect();
            names.sort();
            names
        };
        fs::write(&old, "0").expect("a file");
        fs::create_dir(&last).expect("a folder");
        let (index, _) = keep().expect_err("a file cannot take the place of a folder");
        assert_eq!((index, names()), (2, vec!["last".into(), "old".into()]));
        assert_eq!(fs::read(&old).expect("it is there"), b"0");
        fs::remove_dir(&last).expect("it is empty");
        keep().expect("they have their names");
        assert_eq!(names(), ["last", "new", "old"]);
        let texts = [&old, &new, &last].map(|path| fs::read_to_string(path).expect("it is there"));
        assert_eq!(texts, ["1", "2", "3"]);
    }
}

//! Compiled kernels on disk.
//!
//! An entry is a compiled module and the compiler's report on it. Its name is the SHA-256 of
//! everything that determines the code: source, headers, options, architecture and compiler. It
//! holds that key again, and the SHA-256 of the code, so an entry that was cut short, altered or
//! copied from elsewhere is not used but rebuilt. Entries are written beside their place and moved
//! into it.
//!
//! The code runs on the GPU with what it is given, so it must be this user's: see [`trusted`].

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::temporary::Temporary;

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

    fn path(&self, folder: &Path) -> PathBuf {
        let name: String = self.0[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        folder.join(name + ".cubin")
    }
}

/// `$BUCKETEER_CACHE`, or `bucketeer` in the user's cache folder; `None` if there is to be no
/// cache. Paths are absolute: an empty or relative one would lead to the current folder, which may
/// be anybody's.
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if variable("BUCKETEER_CACHE").is_some() {
        return absolute("BUCKETEER_CACHE");
    }
    let home = || Some(absolute("HOME")?.join(".cache"));
    Some(absolute("XDG_CACHE_HOME").or_else(home)?.join("bucketeer"))
}

/// Whether nobody but this user and root can have written a file or folder, or exchange what is in
/// it.
#[cfg(unix)]
fn trusted(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_WRITE: u32 = 0o022;
    // SAFETY: only returns a number.
    let own = unsafe { libc::geteuid() };
    [own, 0].contains(&metadata.uid()) && metadata.mode() & OTHERS_WRITE == 0
}

/// Elsewhere the user's folders are the user's.
#[cfg(not(unix))]
fn trusted(_: &Metadata) -> bool {
    true
}

fn trusted_folder(folder: &Path) -> Option<()> {
    let metadata = fs::metadata(folder).ok()?;
    if metadata.is_dir() && trusted(&metadata) {
        return Some(());
    }
    tracing::warn!(?folder, "kernels are not cached: others own the folder or can write to it");
    None
}

/// Opens an entry. What is checked is what was opened, whatever the name leads to by then.
fn open(path: &Path) -> Option<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Without O_NONBLOCK, opening a pipe waits for a writer.
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    let file = options.open(path).ok()?;
    let metadata = file.metadata().ok()?;
    (metadata.is_file() && trusted(&metadata)).then_some(file)
}

/// The code and the report stored under a key; `None` if absent or damaged.
pub(crate) fn read(key: &Key) -> Option<(Vec<u8>, String)> {
    read_from(&folder(|name| std::env::var_os(name))?, key)
}

fn read_from(folder: &Path, key: &Key) -> Option<(Vec<u8>, String)> {
    trusted_folder(folder)?;
    let mut bytes = Vec::new();
    open(&key.path(folder))?.read_to_end(&mut bytes).ok()?;
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
    let Some(folder) = folder(|name| std::env::var_os(name)) else { return };
    if write_to(&folder, key, code, report).is_none() {
        tracing::debug!("compiled kernels could not be cached");
    }
}

fn write_to(folder: &Path, key: &Key, code: &[u8], report: &str) -> Option<()> {
    let content = [&(code.len() as u64).to_le_bytes(), code, report.as_bytes()].concat();
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).ok()?;
    trusted_folder(folder)?;
    // Readable and writable by this user only, and new.
    let mut temporary = Temporary::new(|| tempfile::NamedTempFile::new_in(folder)).ok()?;
    let file = temporary.file().ok()?;
    file.write_all(MAGIC).ok()?;
    file.write_all(&key.0).ok()?;
    file.write_all(&Sha256::digest(&content)).ok()?;
    file.write_all(&content).ok()?;
    temporary.keep(&key.path(folder)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Option<(Vec<u8>, String)> {
        Some((b"code".to_vec(), "report".to_owned()))
    }

    #[test]
    fn only_whole_entries_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let (key, other) = (Key::of(["a", "bc"]), Key::of(["ab", "c"]));
        assert_ne!(key.0, other.0);
        assert_eq!(read_from(folder, &key), None);
        write_to(folder, &key, b"code", "report").expect("it is written");
        assert_eq!(read_from(folder, &key), entry());
        let path = key.path(folder);
        let bytes = fs::read(&path).expect("the entry");
        for damage in [0, 8, 40, HEADER, HEADER + 8, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[damage] ^= 1;
            fs::write(&path, damaged).expect("a damaged entry");
            assert_eq!(read_from(folder, &key), None, "byte {damage}");
        }
        fs::write(&path, &bytes[..bytes.len() - 1]).expect("a short entry");
        assert_eq!(read_from(folder, &key), None);
        // An entry under another's name.
        write_to(folder, &key, b"code", "report").expect("it is written");
        fs::copy(&path, other.path(folder)).expect("a copy");
        assert_eq!(read_from(folder, &other), None);
        // A folder that cannot be written.
        let none = Path::new("/proc/none");
        assert_eq!(write_to(none, &key, b"code", "report"), None);
        assert_eq!(read_from(none, &key), None);
    }

    /// The folder that some variables lead to.
    fn with(variables: &[(&str, &str)]) -> Option<PathBuf> {
        folder(|name| {
            let found = variables.iter().find(|(own, _)| *own == name);
            found.map(|(_, value)| value.into())
        })
    }

    #[test]
    fn an_empty_or_relative_variable_put_the_cache_into_the_current_folder() {
        assert_eq!(with(&[]), None);
        let (home, xdg) = (("HOME", "/home/me"), ("XDG_CACHE_HOME", "/cache"));
        let in_home = Some("/home/me/.cache/bucketeer".into());
        assert_eq!(with(&[home]), in_home);
        assert_eq!(with(&[home, xdg]), Some("/cache/bucketeer".into()));
        assert_eq!(with(&[home, xdg, ("BUCKETEER_CACHE", "/own")]), Some("/own".into()));
        for bad in ["", ".", "cache", "../cache"] {
            // As the XDG specification has it, the variable is as if it were not there.
            assert_eq!(with(&[home, ("XDG_CACHE_HOME", bad)]), in_home, "{bad}");
            assert_eq!(with(&[("HOME", bad)]), None, "{bad}");
            assert_eq!(with(&[("HOME", bad), ("XDG_CACHE_HOME", bad)]), None, "{bad}");
            // A folder that the user names is never replaced by another.
            assert_eq!(with(&[home, xdg, ("BUCKETEER_CACHE", bad)]), None, "{bad}");
        }
    }

    #[cfg(unix)]
    mod permissions {
        use std::os::unix::fs::{PermissionsExt, chown, symlink};

        use super::*;

        fn set_mode(path: &Path, mode: u32) {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("own permissions");
        }

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).expect("it is there").permissions().mode() & 0o777
        }

        #[test]
        fn entries_that_others_can_write_were_loaded() {
            let parent = tempfile::tempdir().expect("a folder");
            let folder = &parent.path().join("a/b");
            let key = Key::of(["key"]);
            write_to(folder, &key, b"code", "report").expect("it is written");
            let path = &key.path(folder);
            let modes = [&parent.path().join("a"), folder, path].map(|path| mode(path));
            assert_eq!(modes, [0o700, 0o700, 0o600]);
            for (writable, path) in [(0o660, path), (0o606, path), (0o770, folder), (0o707, folder)]
            {
                let before = mode(path);
                set_mode(path, writable);
                assert_eq!(read_from(folder, &key), None, "{path:?} {writable:o}");
                let refused = path == folder;
                assert_eq!(write_to(folder, &key, b"code", "report").is_none(), refused);
                set_mode(path, before);
                write_to(folder, &key, b"code", "report").expect("it is written");
                assert_eq!(read_from(folder, &key), entry());
            }
            // Others may read it.
            set_mode(path, 0o644);
            set_mode(folder, 0o755);
            assert_eq!(read_from(folder, &key), entry());
        }

        #[test]
        fn entries_of_another_user_were_loaded() {
            let parent = tempfile::tempdir().expect("a folder");
            let folder = &parent.path().join("cache");
            let key = Key::of(["key"]);
            const ANOTHER: Option<u32> = Some(54_321);
            for of_folder in [false, true] {
                write_to(folder, &key, b"code", "report").expect("it is written");
                let path = if of_folder { folder } else { &key.path(folder) };
                if chown(path, ANOTHER, None).is_err() {
                    // Only root can give files away.
                    return;
                }
                assert_eq!(read_from(folder, &key), None, "{path:?}");
                assert_eq!(write_to(folder, &key, b"code", "report").is_none(), of_folder);
            }
        }

        #[test]
        fn links_and_pipes_are_no_entries() {
            let folder = tempfile::tempdir().expect("a folder");
            let (folder, key) = (folder.path(), Key::of(["key"]));
            write_to(folder, &key, b"code", "report").expect("it is written");
            let (path, aside) = (key.path(folder), folder.join("aside"));
            fs::rename(&path, &aside).expect("a name");
            symlink(&aside, &path).expect("a link");
            assert_eq!(read_from(folder, &key), None);
            fs::remove_file(&path).expect("a link");
            let made = std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&path).status();
            if made.is_ok_and(|status| status.success()) {
                assert_eq!(read_from(folder, &key), None);
            }
        }
    }
}

//! Where libraries that are loaded at run time may come from.
//!
//! A library has all rights of the process that loads it. The current folder may be anybody's, and
//! a folder that every user can write to is: nothing is loaded from these.
//!
//! 1. NVRTC is looked for here, in full paths only ([`folders`]), each of which is checked
//!    ([`distrusted`]).
//! 2. The system's loader finds the driver, and what the driver and NVRTC load in turn. Where an
//!    entry of its variable is empty, relative or open to all, and holds a library of these names,
//!    CUDA is refused ([`planted`]).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variable with the loader's folders.
const VARIABLE: &str = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };

/// How the names of CUDA's libraries begin, and of the folders of variants that the loader prefers.
const NAMES: [&str; 6] = ["libcuda", "libnv", "nvcuda", "nvrtc", "glibc-hwcaps", "tls"];

/// The folders of the loader's variable. An empty one means the current folder.
fn entries(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    match variable(VARIABLE).filter(|value| !value.is_empty()) {
        Some(value) => std::env::split_paths(&value).collect(),
        None => Vec::new(),
    }
}

/// The full paths among the loader's folders.
pub(super) fn folders(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    entries(variable).into_iter().filter(|folder| folder.is_absolute()).collect()
}

/// Why a file is not to be loaded, or nothing in a folder; `None` if it may be.
pub(super) fn distrusted(path: &Path) -> Option<&'static str> {
    if !path.is_absolute() {
        return Some("it is in the current folder");
    }
    // Where links lead is what counts. What does not exist is not loaded.
    open_to_all(&path.canonicalize().ok()?)
}

/// Whether any user can change what is at a path without links. In a sticky folder (`/tmp`) others
/// cannot replace a folder, but a library may be theirs.
#[cfg(unix)]
fn open_to_all(path: &Path) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_WRITE: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let mode = |path: &Path| path.metadata().map_or(0, |found| found.mode());
    let directly = if path.is_dir() { Some(path) } else { path.parent() };
    let open = |part: &Path| {
        let mode = mode(part);
        mode & OTHERS_WRITE != 0 && (mode & STICKY == 0 || Some(part) == directly)
    };
    path.ancestors().any(open).then_some("every user can change it")
}

/// Elsewhere a program cannot tell by simple means.
#[cfg(not(unix))]
fn open_to_all(_: &Path) -> Option<&'static str> {
    None
}

/// The first library of CUDA that the loader would take from a folder that is not trusted, as an
/// error.
pub(super) fn planted() -> Option<String> {
    planted_in(entries(|name| std::env::var_os(name)))
}

fn planted_in(entries: Vec<PathBuf>) -> Option<String> {
    // Windows programs are started with all kinds of paths, and cudarc does not ask for another
    // order.
    if cfg!(windows) {
        return None;
    }
    entries.iter().find_map(|folder| {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let reason = distrusted(here)?;
        let found = here.read_dir().ok()?.flatten().map(|entry| entry.file_name());
        let ours =
            |name: &OsString| NAMES.iter().any(|own| name.to_string_lossy().starts_with(own));
        let name = found.into_iter().find(ours)?;
        let path = here.join(name);
        Some(format!(
            "{VARIABLE} leads to {}, which is not loaded: {reason}; take the folder out of the \
             variable, with empty and relative entries",
            path.display()
        ))
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("own permissions");
    }

    #[test]
    fn entries_are_those_of_the_loader() {
        let of = |value: &str| {
            let value = OsString::from(value);
            folders(|name| (name == VARIABLE).then(|| value.clone()))
        };
        assert!(of("").is_empty() && of(":").is_empty() && of(".:lib:./x:../y").is_empty());
        assert_eq!(of(":/a::/b:"), [PathBuf::from("/a"), "/b".into()]);
        let empty = entries(|_| Some(":/a".into()));
        assert_eq!(empty, [PathBuf::new(), "/a".into()]);
    }

    #[test]
    fn libraries_that_others_can_change() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = &parent.path().join("lib");
        let library = &folder.join("libnvrtc.so.13");
        fs::create_dir(folder).expect("a folder");
        fs::write(library, "").expect("a file");
        let link = &parent.path().join("link");
        symlink(library, link).expect("a link");
        for (path, open, usual) in
            [(folder, 0o777, 0o755), (folder, 0o1777, 0o755), (library, 0o666, 0o644)]
        {
            assert_eq!(distrusted(library), None);
            assert_eq!(distrusted(link), None);
            set_mode(path, open);
            assert!(distrusted(library).is_some(), "{path:?} {open:o}");
            assert!(distrusted(link).is_some(), "{path:?} {open:o}");
            set_mode(path, usual);
        }
        // A folder above: open to all, the one below can be exchanged, unless it is sticky.
        set_mode(parent.path(), 0o777);
        assert!(distrusted(library).is_some());
        set_mode(parent.path(), 0o1777);
        assert_eq!(distrusted(library), None);
        assert!(distrusted(Path::new("libnvrtc.so.13")).is_some());
        assert!(distrusted(Path::new(".")).is_some());
    }

    #[test]
    fn planted_libraries_are_found() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path();
        let here = || planted_in(vec!["/usr/lib".into(), folder.into()]);
        fs::write(folder.join("libother.so"), "").expect("a file");
        for name in ["libcuda.so", "libcuda.so.1", "libnvrtc.so.13", "libnvrtc-builtins.so.13.0"] {
            fs::write(folder.join(name), "").expect("a file");
            assert_eq!(here(), None);
            set_mode(folder, 0o777);
            let text = here().expect("an error");
            assert!(text.contains(name) && text.contains("every user"), "{text}");
            fs::remove_file(folder.join(name)).expect("a file");
            assert_eq!(here(), None);
            set_mode(folder, 0o755);
        }
    }
}

//! Output files appear whole or not at all.

use std::fs;
use std::io::{self, Write};

use bucketeer::Error;
use bucketeer::io::write_atomically;
use tempfile::TempDir;

use super::builders::*;

fn fail_midway(writer: &mut dyn Write) -> io::Result<()> {
    writer.write_all(&[1; 1 << 20])?;
    Err(io::Error::other("the disk is full"))
}

#[test]
fn a_write_that_fails_midway_leaves_the_old_file() {
    let (directory, path) = file("old");
    assert_eq!(reason(write_atomically(&path, fail_midway)), "the disk is full");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_write_that_fails_midway_leaves_no_file() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("new");
    reason(write_atomically(&path, fail_midway));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_panic_midway_leaves_the_old_file() {
    let (directory, path) = file("old");
    let panics = || write_atomically(&path, |_| panic!("on purpose"));
    assert!(std::panic::catch_unwind(panics).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_write_replaces_the_old_file() {
    let (directory, path) = file("old");
    write_atomically(&path, |writer| writer.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn directories_and_missing_directories_are_errors() {
    let directory = TempDir::new().unwrap();
    let write = |writer: &mut dyn Write| writer.write_all(b"new");
    let found = write_atomically(directory.path(), write);
    assert!(matches!(found, Err(Error::File { path, .. }) if path == directory.path()));
    let missing = directory.path().join("missing/file");
    let found = write_atomically(&missing, write);
    assert!(matches!(found, Err(Error::File { path, .. }) if path == missing));
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (directory, path) = file("old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let link = directory.path().join("link");
    symlink(&path, &link).unwrap();
    write_atomically(&link, |writer| writer.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[cfg(unix)]
#[test]
fn devices_are_written_to_directly() {
    let null = std::path::Path::new("/dev/null");
    write_atomically(null, |writer| writer.write_all(b"new")).unwrap();
    assert!(!fs::metadata(null).unwrap().is_file());
}

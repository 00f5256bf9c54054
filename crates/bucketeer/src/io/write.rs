//! Output files that are written completely or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::Malformed;
use crate::Error;
use crate::temporary::{self, Temporary};

/// Writes to a temporary file in the same directory and renames it to `path` once `write` has
/// succeeded and the bytes are on disk. On failure the old file at `path` stays as it was.
///
/// Writes directly to a path that is not a regular file (`/dev/stdout`, a pipe).
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    try_write(path, write).map_err(|error| Malformed::new(error.to_string()).in_file(path))
}

/// Removes the temporary files of writes that are not finished, and stops these and all later
/// writes: their threads wait for ever. For a program that a signal is about to end, which runs no
/// destructors; it must end now.
///
/// ```no_run
/// // On Ctrl-C:
/// bucketeer::io::abandon_writes();
/// std::process::exit(130);
/// ```
pub fn abandon_writes() {
    temporary::abandon();
}

fn try_write(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|found| !found.is_file()) {
        return buffered(&mut File::options().write(true).open(path)?, write);
    }
    // A symbolic link is followed, so that it stays a link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut temporary = Temporary::new(|| new_file(directory.unwrap_or(Path::new("."))))?;
    buffered(temporary.file()?, write)?;
    if let Some(existing) = existing {
        temporary.file()?.set_permissions(existing.permissions())?;
    }
    temporary.file()?.sync_all()?;
    temporary.keep(&path)
}

/// A new file with the permissions of an ordinary one, not for its owner only.
fn new_file(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.prefix(".bucketeer-").tempfile_in(directory)
}

fn buffered(
    file: &mut File,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 18, file);
    write(&mut writer)?;
    writer.flush()
}

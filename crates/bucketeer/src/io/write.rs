//! Output files that are written completely or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::Malformed;
use crate::Error;
use crate::temporary::{self, PREFIX, Temporary};

/// Writes to a temporary file in the same directory and renames it to `path` once `write` has
/// succeeded and the bytes are on disk. On failure the old file at `path` stays as it was.
///
/// Writes directly to a path that is not a regular file (`/dev/stdout`, a pipe).
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    try_write(path, write).map_err(|error| failed(path, &error))
}

/// Writes several files, or none of them: all are complete and on disk before the first gets its
/// name. On failure, and after [`abandon_writes`], what was there stays as it was.
///
/// Paths that are not regular files are written to directly, after all others are on disk.
pub fn write_together(files: &[(&Path, &[u8])]) -> Result<(), Error> {
    let (mut regular, mut special) = (Vec::new(), Vec::new());
    for (path, bytes) in files {
        let opened = Output::open(path).and_then(|output| {
            match output {
                Output::Special(file) => special.push((*path, file, *bytes)),
                Output::Regular(mut new) => {
                    new.fill(|writer| writer.write_all(bytes))?;
                    regular.push((*path, new));
                }
            }
            Ok(())
        });
        opened.map_err(|error| failed(path, &error))?;
    }
    for (path, mut file, bytes) in special {
        file.write_all(bytes).map_err(|error| failed(path, &error))?;
    }
    let (paths, new): (Vec<&Path>, Vec<NewFile>) = regular.into_iter().unzip();
    let (targets, files): (Vec<PathBuf>, Vec<Temporary>) =
        new.into_iter().map(|new| (new.path, new.temporary)).unzip();
    let targets = targets.iter().map(PathBuf::as_path);
    let kept = temporary::keep_all(files.into_iter().zip(targets).collect());
    kept.map_err(|(index, error)| failed(paths[index], &error))
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Malformed::new(error.to_string()).in_file(path)
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

/// The same for a program that has run out of memory, which may be inside of such a write: it never
/// waits long for one. Only the files of a write that has just then been made or renamed may stay.
pub fn try_abandon_writes() {
    temporary::try_abandon();
}

fn try_write(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    match Output::open(path)? {
        Output::Special(mut file) => buffered(&mut file, write),
        Output::Regular(mut new) => {
            new.fill(write)?;
            new.temporary.keep(&new.path)
        }
    }
}

/// Where an output goes.
enum Output {
    /// Directly to what is no regular file.
    Special(File),
    Regular(NewFile),
}

impl Output {
    fn open(path: &Path) -> io::Result<Self> {
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(|found| !found.is_file()) {
            return Ok(Self::Special(File::options().write(true).open(path)?));
        }
        // A symbolic link is followed, so that it stays a link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let temporary = Temporary::new(|| new_file(directory.unwrap_or(Path::new("."))))?;
        Ok(Self::Regular(NewFile {
            temporary,
            path,
            permissions: existing.map(|e| e.permissions()),
        }))
    }
}

/// A file under a temporary name.
struct NewFile {
    temporary: Temporary,
    /// The name to be.
    path: PathBuf,
    /// Those of the file that has the name now.
    permissions: Option<Permissions>,
}

impl NewFile {
    /// Makes it complete, and on disk, but for its name.
    fn fill(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let file = self.temporary.file()?;
        buffered(file, write)?;
        if let Some(permissions) = self.permissions.take() {
            file.set_permissions(permissions)?;
        }
        file.sync_all()
    }
}

/// A new file with the permissions of an ordinary one, not for its owner only.
fn new_file(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.prefix(PREFIX).tempfile_in(directory)
}

fn buffered(
    file: &mut File,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 18, file);
    write(&mut writer)?;
    writer.flush()
}

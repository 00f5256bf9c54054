//! The bytes of a file, read by position.
//!
//! A file that is truncated or changed while it is read is an error. With a memory mapping the
//! process would die of SIGBUS. A pipe or a terminal can be read only once and in order, so it is
//! read into memory first, up to the length that its beginning announces and as far as memory
//! allows.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;

use super::arkworks::{MAX_ELEMENT, PREFIX, announced};
use super::{Malformed, format};
use crate::Error;
use crate::error::Bytes;
use crate::platform::available_memory;

/// Bytes that can be read at any position.
pub(super) enum ByteSource<'a> {
    /// Bytes of a caller, or of a stream that has been read.
    Memory(Cow<'a, [u8]>),
    /// A regular file as it was when it was opened.
    File { file: File, version: Version },
}

impl ByteSource<'_> {
    pub(super) fn open(path: &Path) -> Result<ByteSource<'static>, Error> {
        Self::try_open(path).map_err(|fault| fault.in_file(path))
    }

    fn try_open(path: &Path) -> Result<ByteSource<'static>, Malformed> {
        let file = File::open(path).map_err(|error| Malformed::new(error.to_string()))?;
        let found = file.metadata().map_err(|error| Malformed::new(error.to_string()))?;
        if found.is_file() {
            return Ok(ByteSource::File { file, version: Version::of(&found) });
        }
        Ok(ByteSource::Memory(read_stream(file)?.into()))
    }

    fn length(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File { version, .. } => version.length,
        }
    }

    /// What was read, unless the file was changed since it was opened: then neither a result nor a
    /// fault says anything about the file that was there or is there now.
    pub(super) fn unchanged<T>(&self, read: Result<T, Malformed>) -> Result<T, Malformed> {
        let Self::File { file, version } = self else { return read };
        let found = file.metadata().map_err(|error| Malformed::new(error.to_string()))?;
        let (before, now) = (version.length, found.len());
        let changed = "the file was changed while it was read";
        if before != now {
            let (before, now) = (Bytes(before), Bytes(now));
            return Err(Malformed::new(format!("{changed}: from {before} to {now}")));
        }
        if *version != Version::of(&found) {
            return Err(Malformed::new(changed));
        }
        read
    }

    /// Opens a file and reads it as a whole.
    pub(super) fn reading<T>(
        path: &Path,
        read: impl FnOnce(ByteRange<'_>) -> Result<T, Malformed>,
    ) -> Result<T, Error> {
        let source = Self::open(path)?;
        let read = read(source.whole());
        source.unchanged(read).map_err(|fault| fault.in_file(path))
    }

    /// All bytes.
    pub(super) fn whole(&self) -> ByteRange<'_> {
        ByteRange { source: self, start: 0, length: self.length() }
    }
}

impl<'a> From<&'a [u8]> for ByteSource<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Memory(bytes.into())
    }
}

/// What tells whether a file was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    length: u64,
    modified: Option<SystemTime>,
    /// Seconds and nanoseconds of the last change of the inode, which nobody can set back.
    #[cfg(unix)]
    inode_changed: (i64, i64),
}

impl Version {
    fn of(found: &Metadata) -> Self {
        Self {
            length: found.len(),
            modified: found.modified().ok(),
            #[cfg(unix)]
            inode_changed: {
                use std::os::unix::fs::MetadataExt;
                (found.ctime(), found.ctime_nsec())
            },
        }
    }
}

/// A range of the bytes of a source.
#[derive(Clone, Copy)]
pub(super) struct ByteRange<'a> {
    source: &'a ByteSource<'a>,
    start: u64,
    length: u64,
}

impl<'a> ByteRange<'a> {
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The first byte and one past the last, in the source.
    pub(super) fn bounds(&self) -> Range<u64> {
        self.start..self.start + self.length
    }

    /// A range within this one.
    pub(super) fn range(&self, range: Range<u64>) -> Self {
        debug_assert!(range.start <= range.end && range.end <= self.length);
        Self { start: self.start + range.start, length: range.end - range.start, ..*self }
    }

    /// The first bytes, at most `most` of them.
    pub(super) fn head(&self, most: u64) -> Result<Cow<'a, [u8]>, Malformed> {
        self.range(0..self.length.min(most)).bytes()
    }

    /// The bytes, in memory.
    pub(super) fn bytes(&self) -> Result<Cow<'a, [u8]>, Malformed> {
        match self.source {
            ByteSource::Memory(bytes) => {
                let start = self.start as usize;
                Ok(Cow::Borrowed(&bytes[start..start + self.length as usize]))
            }
            ByteSource::File { .. } => {
                let length = usize::try_from(self.length).unwrap_or(usize::MAX);
                let mut bytes = Vec::new();
                let reserved = bytes.try_reserve_exact(length);
                if reserved.is_err() || self.length > available_memory() {
                    return Err(Malformed::no_memory(self.length));
                }
                bytes.resize(length, 0);
                self.read(0, &mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// Fills `out` with the bytes from `at` on.
    pub(super) fn read(&self, at: u64, out: &mut [u8]) -> Result<(), Malformed> {
        debug_assert!(at + out.len() as u64 <= self.length);
        let at = self.start + at;
        match self.source {
            ByteSource::Memory(bytes) => {
                out.copy_from_slice(&bytes[at as usize..][..out.len()]);
                Ok(())
            }
            ByteSource::File { file, .. } => read_at(file, at, out).map_err(|error| {
                Malformed::new(match error.kind() {
                    ErrorKind::UnexpectedEof => "the file became shorter while it was read".into(),
                    _ => error.to_string(),
                })
            }),
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, at: u64, out: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut at: u64, mut out: &mut [u8]) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !out.is_empty() {
        match file.seek_read(out, at) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                at += count as u64;
                out = &mut out[count..];
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: u64, _: &mut [u8]) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Reads a stream to its end, or to one byte beyond its limit.
fn read_stream(mut stream: impl Read) -> Result<Vec<u8>, Malformed> {
    let mut bytes = Vec::new();
    read_up_to(&mut stream, PREFIX as u64, &mut bytes)?;
    if bytes.len() < PREFIX {
        return Ok(bytes);
    }
    // At most half of the memory: the parsed elements take about as much again.
    let half = available_memory() / 2;
    let blank = bytes.iter().all(u8::is_ascii_whitespace);
    if blank || format::by_content(&bytes).is_some() {
        read_up_to(&mut stream, half.saturating_add(1), &mut bytes)?;
    } else if let Some(count) = announced(&bytes) {
        let limit = count * MAX_ELEMENT + PREFIX as u64;
        read_up_to(&mut stream, limit.min(half).saturating_add(1), &mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(Malformed::new(format!(
                "trailing bytes: {count} elements are announced, which take at most {limit} bytes"
            )));
        }
    }
    match bytes.len() as u64 {
        length if length > half => Err(Malformed::no_memory(length)),
        _ => Ok(bytes),
    }
}

/// Reads until `bytes` has `most` bytes or the stream ends.
fn read_up_to(stream: &mut impl Read, most: u64, bytes: &mut Vec<u8>) -> Result<(), Malformed> {
    const STEP: u64 = 1 << 20;
    while (bytes.len() as u64) < most {
        let step = STEP.min(most - bytes.len() as u64);
        let needed = bytes.len() as u64 + step;
        bytes.try_reserve(step as usize).map_err(|_| Malformed::no_memory(needed))?;
        let read = stream.by_ref().take(step).read_to_end(bytes);
        if read.map_err(|error| Malformed::new(error.to_string()))? == 0 {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files used to be memory-mapped, and a truncated one killed the process with SIGBUS.
    #[test]
    fn a_file_truncated_while_it_is_read() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), [7; 10_000]).expect("bytes");
        let source = ByteSource::open(file.path()).expect("the file");
        let whole = source.whole();
        assert_eq!(whole.length(), 10_000);
        file.as_file().set_len(1000).expect("a shorter file");
        let mut out = [0; 500];
        assert_eq!(whole.read(500, &mut out), Ok(()));
        assert_eq!(out, [7; 500]);
        let fault = whole.read(600, &mut out).expect_err("too short");
        assert_eq!(fault.to_string(), "the file became shorter while it was read");
        assert_eq!(whole.bytes().expect_err("too short"), fault);
    }

    /// Whoever set the time of modification back, as archivers do, used to go unnoticed.
    #[test]
    #[cfg(unix)]
    fn a_file_rewritten_with_its_old_time() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), [7; 100]).expect("bytes");
        let modified = file.as_file().metadata().and_then(|found| found.modified());
        let source = ByteSource::open(file.path()).expect("the file");
        assert_eq!(source.unchanged(Ok(5)), Ok(5));
        // Times have the resolution of the kernel's clock.
        std::thread::sleep(std::time::Duration::from_millis(50));
        std::fs::write(file.path(), [8; 100]).expect("bytes");
        file.as_file().set_modified(modified.expect("a time")).expect("the same time");
        let fault = source.unchanged(Ok(5)).expect_err("it was changed");
        assert_eq!(fault.to_string(), "the file was changed while it was read");
    }

    /// `--bases /dev/zero` used to be read for ever.
    #[test]
    fn a_stream_without_end() {
        let zeros = read_stream(io::repeat(0)).expect_err("no end");
        let expected = "trailing bytes: 0 elements are announced, which take at most 8 bytes";
        assert_eq!(zeros.to_string(), expected);
        // No file has that many elements: the parser reports that from the first bytes.
        assert_eq!(read_stream(io::repeat(0xff)).map(|bytes| bytes.len()), Ok(PREFIX));
        let mut two = 2u64.to_le_bytes().to_vec();
        two.extend([5; 64]);
        assert_eq!(read_stream(&two[..]), Ok(two.clone()));
        assert!(read_stream((&two[..]).chain(io::repeat(1))).is_err());
        assert_eq!(read_stream(&b"{}"[..]), Ok(b"{}".to_vec()));
    }
}

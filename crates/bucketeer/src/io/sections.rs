//! The container of snarkjs files: a magic word, a version, the number of sections, and the
//! sections, each with a type and a length.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use num_bigint::BigUint;

use super::Malformed;
use super::source::ByteRange;

/// A cursor over little-endian integers.
pub(super) struct Cursor<'a> {
    rest: ByteRange<'a>,
    /// What is being read, named in errors.
    what: String,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(range: ByteRange<'a>, what: impl Into<String>) -> Self {
        Self { rest: range, what: what.into() }
    }

    /// The next bytes.
    pub(super) fn take(&mut self, length: u64) -> Result<ByteRange<'a>, Malformed> {
        let left = self.rest.length();
        if length > left {
            return Err(Malformed::new(format!(
                "truncated: {length} more bytes expected in {}, {left} found",
                self.what,
            )));
        }
        let taken = self.rest.range(0..length);
        self.rest = self.rest.range(length..left);
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut bytes = [0; N];
        self.take(N as u64)?.read(0, &mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Fails if anything is left.
    pub(super) fn end(&self) -> Result<(), Malformed> {
        match self.rest.length() {
            0 => Ok(()),
            left => Err(Malformed::new(format!("trailing bytes: {left} in {}", self.what))),
        }
    }

    /// A length in bytes and an integer of that length.
    pub(super) fn integer(&mut self) -> Result<(usize, BigUint), Malformed> {
        let length = self.u32()?;
        Ok((length as usize, BigUint::from_bytes_le(&self.take(length.into())?.bytes()?)))
    }
}

/// The sections of a file, by type.
pub(super) struct Sections<'a> {
    sections: Vec<(u32, ByteRange<'a>)>,
}

impl<'a> Sections<'a> {
    /// The sections of a file of version 1.
    pub(super) fn read(file: ByteRange<'a>, magic: &str) -> Result<Self, Malformed> {
        Self::read_version(file, magic, 1..=1)
    }

    /// The sections of a file of one of these versions.
    pub(super) fn read_version(
        file: ByteRange<'a>,
        magic: &str,
        versions: RangeInclusive<u32>,
    ) -> Result<Self, Malformed> {
        if file.length() == 0 {
            return Err(Malformed::new("the file is empty"));
        }
        let mut cursor = Cursor::new(file, "the file's header");
        if cursor.array::<4>()? != magic.as_bytes() {
            return Err(Malformed::new(format!(
                "not a .{magic} file: it does not begin with \"{magic}\""
            )));
        }
        let version = cursor.u32()?;
        if !versions.contains(&version) {
            let expected = versions.end();
            return Err(Malformed::new(format!(
                "version {version} of .{magic}, expected {expected}"
            )));
        }
        let count = cursor.u32()?;
        let mut sections = Vec::new();
        for index in 0..count {
            cursor.what = format!("section {} of {count}", index + 1);
            let kind = cursor.u32()?;
            let length = cursor.u64()?;
            sections.push((kind, cursor.take(length)?));
        }
        match cursor.rest.length() {
            0 => Ok(Self { sections }),
            left => Err(Malformed::new(format!(
                "trailing bytes: {left} after the last of {count} sections"
            ))),
        }
    }

    /// All sections with their types, in the file's order.
    pub(super) fn all(&self) -> &[(u32, ByteRange<'a>)] {
        &self.sections
    }

    /// The one section of this type.
    pub(super) fn get(&self, kind: u32, name: &str) -> Result<ByteRange<'a>, Malformed> {
        let mut found = self.sections.iter().filter(|(own, _)| *own == kind);
        match (found.next(), found.next()) {
            (Some((_, part)), None) => Ok(*part),
            (None, _) => Err(Malformed::new(format!("no section {kind} ({name})"))),
            (Some(_), Some(_)) => {
                Err(Malformed::new(format!("more than one section {kind} ({name})")))
            }
        }
    }
}

/// Checks that a section holds `count` elements of `size` bytes.
pub(super) fn check_length(
    section: ByteRange<'_>,
    count: u64,
    size: usize,
    name: &str,
) -> Result<(), Malformed> {
    let (expected, found) = (u128::from(count) * size as u128, u128::from(section.length()));
    let problem = match expected.cmp(&found) {
        Ordering::Equal => return Ok(()),
        Ordering::Greater => "truncated",
        Ordering::Less => "trailing bytes",
    };
    Err(Malformed::new(format!(
        "{problem}: {count}·{size} bytes expected in section \"{name}\", {found} found"
    )))
}

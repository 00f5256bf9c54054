//! The container of snarkjs files: a magic word, a version, the number of sections, and the
//! sections, each with a type and a length.

use num_bigint::BigUint;

use super::Malformed;

/// A cursor over little-endian integers.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    /// What is being read, for errors.
    what: String,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], what: impl Into<String>) -> Self {
        Self { bytes, what: what.into() }
    }

    pub(super) fn take(&mut self, length: u64) -> Result<&'a [u8], Malformed> {
        let split = usize::try_from(length).ok().and_then(|n| self.bytes.split_at_checked(n));
        let Some((taken, rest)) = split else {
            return Err(Malformed::new(format!(
                "truncated: {length} more bytes expected in {}, {} found",
                self.what,
                self.bytes.len()
            )));
        };
        self.bytes = rest;
        Ok(taken)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(self.take(4)?.iter().rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte)))
    }

    fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(self.take(8)?.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    }

    /// A length in bytes and an integer of that length.
    pub(super) fn integer(&mut self) -> Result<(usize, BigUint), Malformed> {
        let length = self.u32()?;
        Ok((length as usize, BigUint::from_bytes_le(self.take(length.into())?)))
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }
}

/// The sections of a file, by type.
pub(super) struct Sections<'a> {
    sections: Vec<(u32, &'a [u8])>,
}

impl<'a> Sections<'a> {
    pub(super) fn read(bytes: &'a [u8], magic: &str) -> Result<Self, Malformed> {
        if bytes.is_empty() {
            return Err(Malformed::new("the file is empty"));
        }
        let mut cursor = Cursor::new(bytes, "the file's header");
        if cursor.take(4)? != magic.as_bytes() {
            return Err(Malformed::new(format!("not a .{magic} file: it does not begin so")));
        }
        let version = cursor.u32()?;
        if version != 1 {
            return Err(Malformed::new(format!("version {version} of .{magic}, expected 1")));
        }
        let count = cursor.u32()?;
        let mut sections = Vec::new();
        for index in 0..count {
            cursor.what = format!("section {} of {count}", index + 1);
            let kind = cursor.u32()?;
            let length = cursor.u64()?;
            sections.push((kind, cursor.take(length)?));
        }
        match cursor.left() {
            0 => Ok(Self { sections }),
            left => Err(Malformed::new(format!(
                "trailing bytes: {left} after the last of {count} sections"
            ))),
        }
    }

    /// The one section of this type.
    pub(super) fn get(&self, kind: u32, name: &str) -> Result<&'a [u8], Malformed> {
        let mut found = self.sections.iter().filter(|(own, _)| *own == kind);
        match (found.next(), found.next()) {
            (Some((_, bytes)), None) => Ok(bytes),
            (None, _) => Err(Malformed::new(format!("no section {kind} ({name})"))),
            (Some(_), Some(_)) => {
                Err(Malformed::new(format!("more than one section {kind} ({name})")))
            }
        }
    }
}

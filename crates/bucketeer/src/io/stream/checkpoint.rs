//! Sums of finished chunks in a folder, so that a run that was killed and is started again computes
//! only what is missing.
//!
//! A sum is kept under the digest of everything that it depends on: the curve, how elements are
//! encoded and checked, and the bytes of the chunk's bases and scalars. A chunk of other bytes has
//! another name, so a folder may serve any number of runs, one after the other or at once, and
//! never gives a wrong sum to any. To find a sum, the chunk's bytes are read and hashed; they are
//! neither parsed nor computed with.
//!
//! A file is written whole or not at all. One that is damaged counts as missing.
//!
//! | bytes | hold |
//! | --- | --- |
//! | 14 | `bucketeer sum` and a line feed |
//! | 32 | the digest that is its name |
//! | any | 0 for infinity; 1, and arkworks' x and y on the short Weierstrass form |
//! | 32 | SHA-256 of everything before |

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::super::digest::{Digest32, digest};
use super::super::{Malformed, write_atomically};
use crate::curve::Weierstrass;
use crate::sum::{take_sum, write_sum};
use crate::{Curve, Error};

const MAGIC: &[u8] = b"bucketeer sum\n";

/// The file with the length of a chunk.
const CHUNK: &str = "chunk";

/// A folder of sums.
pub(super) struct Checkpoint {
    folder: PathBuf,
}

impl Checkpoint {
    /// Uses a folder, which is made if it does not exist.
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        let fault = |error: std::io::Error| Malformed::new(error.to_string()).in_file(folder);
        fs::create_dir_all(folder).map_err(fault)?;
        Ok(Self { folder: folder.into() })
    }

    /// The bases of a chunk of earlier runs, if there were any: chunks of another length have other
    /// sums.
    pub(super) fn chunk(&self) -> Result<Option<usize>, Error> {
        let path = self.folder.join(CHUNK);
        let Some(bytes) = read(&path)? else { return Ok(None) };
        let number = std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok());
        match number {
            Some(chunk @ 1..) => Ok(Some(chunk)),
            _ => {
                let reason = "expected the number of bases of a chunk, as runs with a checkpoint \
                              write it";
                Err(Malformed::new(reason).in_file(&path))
            }
        }
    }

    /// Keeps the length of a chunk.
    pub(super) fn keep_chunk(&self, chunk: usize) -> Result<(), Error> {
        write_atomically(&self.folder.join(CHUNK), |writer| writeln!(writer, "{chunk}"))
    }

    /// The sum with this name, if it is there and not damaged.
    pub(super) fn sum<C: Curve>(
        &self,
        name: &Digest32,
    ) -> Result<Option<Weierstrass<C::BaseField>>, Error> {
        Ok(read(&self.path(name))?.and_then(|bytes| parse::<C>(&bytes, name)))
    }

    /// Keeps a sum under this name.
    pub(super) fn keep<C: Curve>(
        &self,
        name: &Digest32,
        sum: &Weierstrass<C::BaseField>,
    ) -> Result<(), Error> {
        let mut bytes = [MAGIC, name].concat();
        write_sum::<C>(sum, &mut bytes)?;
        let own = digest(&bytes);
        bytes.extend(own);
        write_atomically(&self.path(name), |writer| writer.write_all(&bytes))
    }

    fn path(&self, name: &Digest32) -> PathBuf {
        let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(name + ".sum")
    }
}

/// The bytes of a file; `None` if there is none. A longer one than any that is written here is cut.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    const MOST: u64 = 1 << 16;
    let read = || {
        // Opening a pipe would block.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(MOST).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Malformed::new(error.to_string()).in_file(path)),
    }
}

fn parse<C: Curve>(bytes: &[u8], name: &Digest32) -> Option<Weierstrass<C::BaseField>> {
    let (bytes, own) = bytes.split_last_chunk::<32>()?;
    let mut rest = bytes.strip_prefix(MAGIC)?.strip_prefix(name)?;
    if digest(bytes) != *own {
        return None;
    }
    let sum = take_sum::<C>(&mut rest)?;
    rest.is_empty().then_some(sum)
}

//! Tables of resident bases in files: made once, read at every start of a program.
//!
//! A file is a [header](TableHeader) and the words of the table, little-endian. The words are in
//! the form that a CPU adds in, so nothing is computed when they are read: [`Bases::open`] costs
//! what reading costs. They are read in parallel blocks, by position. The SHA-256 digest of all
//! blocks' digests is compared with the header's before the bases can be used.
//!
//! Whoever can write such a file chooses the points of the MSM; that they lie on the curve is not
//! checked again. The digest finds damage, not malice.

mod header;

pub use header::TableHeader;
pub(super) use header::{MAGIC, curve_digest};

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::digest::{BLOCK, Digest32, digest};
use super::source::{ByteRange, ByteSource};
use super::{Malformed, write_atomically};
use crate::bases::{Bases, Builder};
use crate::{Curve, CurveSpec, Device, Error, parallel};

/// Words that are read and hashed at a time.
const WORDS: usize = BLOCK / 8;

impl<C: Curve> Bases<C> {
    /// Writes the table of these bases to a file, whole or not at all. CPU only: a GPU makes a
    /// table faster than it is read.
    ///
    /// ```
    /// # use ark_ec::AffineRepr;
    /// # use ark_bls12_377::{Fr, G1Affine};
    /// use bucketeer::{Bases, Device};
    /// # let folder = tempfile::tempdir().map_err(|e| bucketeer::Error::Internal(e.to_string()))?;
    /// # let path = folder.path().join("table");
    /// let points = [G1Affine::generator(); 1000];
    /// Bases::builder().precompute(4).load(&Device::cpu(), &points)?.save(&path)?;
    /// let bases = Bases::<G1Affine>::open(&Device::cpu(), &path)?;
    /// assert!(bases.plan().shape.precompute > 1);
    /// assert_eq!(bases.msm(&[2u64; 1000])?, G1Affine::generator() * Fr::from(2000));
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let (stored, words) = self.stored()?;
        let digest = digest(&digests_of(words));
        let header = TableHeader::of(&CurveSpec::of::<C>(), &stored, digest);
        write_atomically(path, |writer| {
            writer.write_all(&header.bytes())?;
            let mut bytes = Vec::new();
            words.chunks(WORDS).try_for_each(|block| {
                to_bytes(block, &mut bytes);
                writer.write_all(&bytes)
            })
        })
    }

    /// Loads a table that [`save`](Self::save) wrote, with default settings. A table of another
    /// curve or another kind of processor, a damaged or a truncated one is refused.
    pub fn open(device: &Device, path: &Path) -> Result<Self, Error> {
        Self::builder().open(device, path)
    }
}

impl<C: Curve> Builder<C> {
    /// Loads a table that [`Bases::save`] wrote; see [`Bases::open`]. What the table was made with
    /// replaces the builder's settings for it.
    pub fn open(&self, device: &Device, path: &Path) -> Result<Bases<C>, Error> {
        let place = |fault: Malformed| fault.in_file(path);
        let source = ByteSource::open(path)?;
        let (header, words) = TableHeader::locate(source.whole()).map_err(place)?;
        header.check_curve(&CurveSpec::of::<C>()).map_err(place)?;
        let mut read =
            |out: &mut [u64]| source.unchanged(read_words(words, &header, out)).map_err(place);
        self.restore(device, header.stored(), &mut read)
    }
}

/// Reads all words, and checks that they are those that were written.
fn read_words(file: ByteRange<'_>, header: &TableHeader, out: &mut [u64]) -> Result<(), Malformed> {
    if file.length() != 8 * out.len() as u64 {
        return Err(Malformed::new("points of another size than this device's"));
    }
    let blocks: Vec<_> = out.chunks_mut(WORDS).map(Mutex::new).collect();
    let digests = parallel::map(blocks.len(), |index| {
        let mut words = blocks[index].lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = vec![0; 8 * words.len()];
        file.read((index * BLOCK) as u64, &mut bytes)?;
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Ok(digest(&bytes))
    });
    let digests: Vec<Digest32> = digests.into_iter().collect::<Result<_, Malformed>>()?;
    match digest(&digests.concat()) == header.digest {
        true => Ok(()),
        false => Err(Malformed::new("damaged: the points are not those that were written")),
    }
}

/// The digests of all blocks, one after the other.
fn digests_of(words: &[u64]) -> Vec<u8> {
    let digests = parallel::map(words.len().div_ceil(WORDS), |index| {
        let end = ((index + 1) * WORDS).min(words.len());
        let mut bytes = Vec::new();
        to_bytes(&words[index * WORDS..end], &mut bytes);
        digest(&bytes)
    });
    digests.concat()
}

fn to_bytes(words: &[u64], bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

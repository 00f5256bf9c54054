//! Transcripts of Aztec's Ignition ceremony: powers of tau of BN254.
//!
//! | bytes | hold |
//! | --- | --- |
//! | 28 | the manifest: seven big-endian 32-bit integers |
//! | 64 each | points of G1, `tau·G`, `tau²·G` … over all transcripts: x and y |
//! | 128 each | in the first transcript, two points of G2 |
//! | 64 | a BLAKE2b hash of everything before |
//!
//! A coordinate is four 64-bit words, least significant word first, each big-endian; it is not in
//! Montgomery form. The hash is not checked: lengths are, and that every point is on the curve.
//! Points of G2 are not read.

use ark_ff::Field;

use super::Malformed;
use super::blocks::Elements;
use super::located::{Located, PointEncoding};
use super::point::{check_on_curve, from_components, prime_from_le};
use super::source::ByteRange;
use crate::Curve;
use crate::curves::NamedCurve;

const MANIFEST: u64 = 28;
const G1_POINT: u64 = 64;
const G2_POINT: u64 = 128;
const HASH: u64 = 64;

/// More transcripts than a ceremony has.
const MOST_TRANSCRIPTS: u32 = 1 << 10;

/// The manifest of a transcript.
pub(super) struct Manifest {
    pub(super) number: u32,
    pub(super) transcripts: u32,
    pub(super) total_g1: u32,
    pub(super) g1: u32,
    pub(super) g2: u32,
    /// Index of the first point among those of all transcripts.
    pub(super) start: u32,
}

impl Manifest {
    /// The manifest at the start of a file; `None` if its numbers contradict each other. The
    /// highest byte of the number of transcripts tells it from a file of arkworks.
    pub(super) fn read(head: &[u8]) -> Option<Self> {
        let (words, _) = head.get(..MANIFEST as usize)?.as_chunks::<4>();
        let mut numbers = [0; 7];
        for (number, word) in numbers.iter_mut().zip(words) {
            *number = u32::from_be_bytes(*word);
        }
        let [number, transcripts, total_g1, _, g1, g2, start] = numbers;
        let counted = start.checked_add(g1).is_some_and(|end| end <= total_g1);
        let plausible = number < transcripts && transcripts <= MOST_TRANSCRIPTS && g2 <= 2;
        (plausible && counted && g1 > 0).then_some(Self {
            number,
            transcripts,
            total_g1,
            g1,
            g2,
            start,
        })
    }

    fn length(&self) -> u64 {
        MANIFEST + G1_POINT * u64::from(self.g1) + G2_POINT * u64::from(self.g2) + HASH
    }

    /// The points of G1, if the file is as long as the manifest says.
    pub(super) fn points<'a>(&self, file: ByteRange<'a>) -> Result<ByteRange<'a>, Malformed> {
        let (expected, found) = (self.length(), file.length());
        if expected != found {
            let problem = if expected > found { "truncated" } else { "trailing bytes" };
            return Err(Malformed::new(format!(
                "{problem}: a transcript of {} points of G1 and {} of G2 has {expected} bytes, \
                 {found} found",
                self.g1, self.g2
            )));
        }
        Ok(file.range(MANIFEST..MANIFEST + G1_POINT * u64::from(self.g1)))
    }
}

/// The points of G1 of a transcript.
pub(super) fn locate<'a>(
    file: ByteRange<'a>,
    curve: &'static NamedCurve,
) -> Result<Located<'a>, Malformed> {
    if curve.name != "bn254-g1" {
        return Err(Malformed::new(format!(
            "bases of {curve} were requested; of a transcript of Ignition, those of bn254-g1 can \
             be read"
        )));
    }
    let manifest = Manifest::read(&file.head(MANIFEST)?)
        .ok_or_else(|| Malformed::new("not a transcript of Ignition"))?;
    let elements = Elements::new(manifest.points(file)?, G1_POINT as usize, "base");
    Ok(Located::new(elements, PointEncoding::Ignition))
}

/// Reads points and checks that they are on the curve.
pub(super) fn points<C: Curve>(elements: &Elements<'_>) -> Result<Vec<C>, Malformed> {
    debug_assert_eq!(C::BaseField::extension_degree(), 1);
    elements.parse(1, C::zero(), |bytes, out| {
        let (x, y) = bytes.split_at(bytes.len() / 2);
        let component = |bytes: &[u8]| prime_from_le(&least_byte_first(bytes));
        let [x, y] = [x, y].map(component);
        out[0] = from_components([x].into_iter(), [y].into_iter())?;
        check_on_curve(&out[0])
    })
}

/// Little-endian bytes of words that are big-endian, least significant first.
fn least_byte_first(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(8).flat_map(|word| word.iter().rev().copied()).collect()
}

//! Groth16 parameters of bellman on BLS12-381, as `Parameters::write` writes them.
//!
//! | points | of |
//! | --- | --- |
//! | alpha-g1, beta-g1, beta-g2, gamma-g2, delta-g1, delta-g2 | one each |
//! | ic, h, l, a, b1, b2 | as many as the big-endian 32-bit integer before them says |
//!
//! Points are uncompressed, in the encoding of Zcash, which is gnark's too. The parameters of a
//! phase-2 ceremony end with a hash of 64 bytes, a 32-bit number of contributions, and 544 bytes
//! for each; these are not read. No magic word starts the file: all its lengths must be right.

use super::Malformed;
use super::gnark;
use super::headers::{
    Extent,
    PairingGroup::{self, G1, G2},
    PointSection,
};
use super::located::Located;
use super::snarkjs::choose;
use super::source::ByteRange;
use crate::Curve;
use crate::curves::NamedCurve;

const CURVES: [&str; 2] = ["bls12-381-g1", "bls12-381-g2"];
const SINGLE: [(&str, PairingGroup); 6] = [
    ("alpha-g1", G1),
    ("beta-g1", G1),
    ("beta-g2", G2),
    ("gamma-g2", G2),
    ("delta-g1", G1),
    ("delta-g2", G2),
];
const VECTORS: [(&str, PairingGroup); 6] =
    [("ic", G1), ("h", G1), ("l", G1), ("a", G1), ("b1", G1), ("b2", G2)];
/// Bytes of a count.
const COUNT: u64 = 4;
const HASH: u64 = 64;
const CONTRIBUTION: u64 = 544;

/// The points of a file, in its order.
pub(super) struct Parameters<'a> {
    pub(super) sections: Vec<(PointSection, ByteRange<'a>)>,
    /// Contributions of a ceremony, if the file lists them.
    pub(super) contributions: Option<u32>,
}

/// The curve of the points in a group.
pub(super) fn curve_of(group: PairingGroup) -> &'static str {
    match group {
        G1 => CURVES[0],
        G2 => CURVES[1],
    }
}

impl<'a> Parameters<'a> {
    /// The parameters in a file; `None` if its length is not what the counts add up to.
    pub(super) fn read(file: ByteRange<'a>) -> Result<Option<Self>, Malformed> {
        let mut sections = Vec::new();
        let mut at = 0;
        let singles = SINGLE.map(|section| (section, true));
        let vectors = VECTORS.map(|section| (section, false));
        for (kind, ((name, group), single)) in singles.into_iter().chain(vectors).enumerate() {
            let count = match single {
                true => 1,
                false => match count_at(file, at)? {
                    Some(count) => {
                        at += COUNT;
                        u64::from(count)
                    }
                    None => return Ok(None),
                },
            };
            let size = if group == G1 { 96 } else { 192 };
            let end = at + count * size;
            if end > file.length() {
                return Ok(None);
            }
            let extent = Extent::Whole(count);
            let section = PointSection { name, kind: kind as u32, group, extent };
            sections.push((section, file.range(at..end)));
            at = end;
        }
        let contributions = if at == file.length() { None } else { count_at(file, at + HASH)? };
        let tail = contributions.map(|count| HASH + COUNT + CONTRIBUTION * u64::from(count));
        let whole = at + tail.unwrap_or(0) == file.length();
        Ok(whole.then_some(Self { sections, contributions }))
    }
}

/// Whether the file holds such parameters, and the curve is theirs.
pub(super) fn detect(file: ByteRange<'_>, curve: &NamedCurve) -> Result<bool, Malformed> {
    Ok(CURVES.contains(&curve.name) && Parameters::read(file)?.is_some())
}

fn count_at(file: ByteRange<'_>, at: u64) -> Result<Option<u32>, Malformed> {
    if at + COUNT > file.length() {
        return Ok(None);
    }
    let mut bytes = [0; COUNT as usize];
    file.read(at, &mut bytes)?;
    Ok(Some(u32::from_be_bytes(bytes)))
}

/// The points of a section, by default of the first one with several points of the curve's group.
pub(super) fn locate<'a, C: Curve>(
    file: ByteRange<'a>,
    curve: &'static NamedCurve,
    section: Option<&str>,
) -> Result<Located<'a>, Malformed> {
    let absent = || Malformed::new("no parameters of bellman");
    let (sections, ranges): (Vec<_>, Vec<_>) =
        Parameters::read(file)?.ok_or_else(absent)?.sections.into_iter().unzip();
    let default = if curve.name == CURVES[0] { "a" } else { "b2" };
    let (chosen, power) = choose::<C>(&sections, section.or(Some(default)), curve)?;
    if power.is_some() {
        return Err(Malformed::new(format!("section \"{}\" has no powers", chosen.name)));
    }
    Ok(gnark::locate_in(ranges[chosen.kind as usize], curve))
}

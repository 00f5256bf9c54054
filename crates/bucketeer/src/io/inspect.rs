//! What a file holds: its format, its curve, its sections and the number of elements in each.
//!
//! Only headers are read, the first elements of arkworks' vectors, and the text of a JSON file as a
//! stream: a file of any length takes little memory. Lengths are checked as the readers do.

use std::io::{BufReader, Read};
use std::path::Path;

use num_bigint::BigUint;
use serde::Serialize;

use super::headers::{Extent, PairingGroup, PointSection, Prime, Protocol};
use super::headers::{PtauHeader, R1csHeader, ZkeyHeader, last_power, wtns_header};
use super::ignition::Manifest;
use super::sections::{Cursor, Sections, check_length};
use super::snarkjs::{SUPPORTED, curve_with_prime};
use super::source::{ByteRange, ByteSource};
use super::{
    Encoding, Format, Malformed, ReadOptions, TableHeader, arkworks, bellman, format, gnark, json,
};
use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::{Curve, CurveSpec, Error};

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// The name of the format: that of [`Format`], and `arkworks` for both of its encodings.
    pub format: &'static str,
    /// The same in words.
    pub description: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// Numbers in the header, by name.
    pub facts: Vec<(&'static str, String)>,
    /// The sections, in the file's order. For a vector of arkworks or gnark, which names neither
    /// its curve nor its encoding: everything that it can be.
    pub contents: Vec<Contents>,
}

/// A section of a file, or all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Contents {
    /// The section's type in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<u32>,
    /// Its name. Of bases, the one that [`read_bases`](super::read_bases) takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'static str>,
    /// What its elements are.
    pub holds: Holds,
    /// The curve that the elements are of, if the file or its length says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<&'static str>,
    /// The encoding of arkworks' points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<&'static str>,
    /// How many elements there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Lagrange bases, one for each power from 0 to this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub powers: Option<u32>,
    /// Bytes of the section.
    pub bytes: u64,
}

/// What elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Holds {
    /// Points.
    Bases,
    /// Scalars.
    Scalars,
    /// Neither.
    Other,
}

impl Contents {
    fn new(holds: Holds, bytes: u64) -> Self {
        let (kind, name, curve) = (None, None, None);
        Self { kind, name, holds, curve, encoding: None, count: None, powers: None, bytes }
    }
}

/// Says what a file holds.
///
/// ```
/// use bucketeer::io::{Holds, inspect_bytes};
/// let text = br#"{"curve": "bn254", "bases": [["0x1", "0x2"], null], "scalars": ["7", "0x8"]}"#;
/// let found = inspect_bytes(text)?;
/// assert_eq!((found.format, found.contents[0].count), ("json", Some(2)));
/// assert_eq!(found.contents[1].holds, Holds::Scalars);
/// assert_eq!(found.contents[1].curve, Some("bn254-g1"));
/// # Ok::<(), bucketeer::io::Malformed>(())
/// ```
pub fn inspect(path: &Path) -> Result<Inspection, Error> {
    let source = ByteSource::open(path)?;
    inspect_range(source.whole()).map_err(|fault| fault.in_file(path))
}

/// The same for the bytes of a file.
pub fn inspect_bytes(bytes: &[u8]) -> Result<Inspection, Malformed> {
    inspect_range(ByteSource::from(bytes).whole())
}

fn inspect_range(file: ByteRange<'_>) -> Result<Inspection, Malformed> {
    if file.length() == 0 {
        return Err(Malformed::new("the file is empty"));
    }
    let (format, description, facts, contents) = match format::without_curve(file)? {
        Some(Format::Ptau) => ptau(file)?,
        Some(Format::Zkey) => zkey(file)?,
        Some(Format::Wtns) => wtns(file)?,
        Some(Format::R1cs) => r1cs(file)?,
        Some(Format::Table) => table(file)?,
        Some(Format::Json) => json_text(file)?,
        Some(Format::Ignition) => ignition(file)?,
        Some(Format::Arkworks(_) | Format::Gnark | Format::Bellman) | None => {
            match (vector(file), bellman::Parameters::read(file)?) {
                (Err(_), Some(parameters)) => bellman_parameters(&parameters),
                (found, _) => found?,
            }
        }
    };
    Ok(Inspection { format, description, bytes: file.length(), facts, contents })
}

type Found = (&'static str, String, Vec<(&'static str, String)>, Vec<Contents>);

fn table(file: ByteRange<'_>) -> Result<Found, Malformed> {
    let (header, points) = TableHeader::locate(file)?;
    let table = header.table();
    let facts = vec![
        ("copies of each base", table.precompute.to_string()),
        ("odd multiples of each copy", table.odd_multiples.to_string()),
        ("window bits", table.window_bits.to_string()),
        ("arithmetic", header.arithmetic()),
        ("right for any point", if header.any_point() { "yes" } else { "no" }.into()),
    ];
    let curve = header.curve().map(|curve| curve.name);
    let count = Some(header.bases() as u64);
    let own = Contents::new(Holds::Bases, points.length());
    let contents = vec![Contents { curve, count, ..own }];
    Ok(("table", "precomputed table of Bucketeer".into(), facts, contents))
}

fn ptau(file: ByteRange<'_>) -> Result<Found, Malformed> {
    let sections = Sections::read(file, "ptau")?;
    let header = PtauHeader::read(&sections)?;
    let prepared = sections.all().iter().any(|(kind, _)| *kind == 12);
    let mut facts = vec![("power", header.power.to_string())];
    if header.ceremony_power != header.power {
        facts.push(("power of the ceremony", header.ceremony_power.to_string()));
    }
    facts.push(("prepared for phase 2", if prepared { "yes" } else { "no" }.into()));
    facts.extend(contributions(&sections, 7)?);
    let others = [(1, "header"), (7, "contributions")];
    let contents = listed(&sections, &header.point_sections(), &others, &header.prime)?;
    Ok(("ptau", "powers of tau of snarkjs".into(), facts, contents))
}

fn zkey(file: ByteRange<'_>) -> Result<Found, Malformed> {
    let sections = Sections::read(file, "zkey")?;
    let header = ZkeyHeader::read(&sections)?;
    let mut facts = vec![
        ("protocol", header.protocol.to_string()),
        ("variables", header.variables.to_string()),
        ("public", header.public.to_string()),
        ("domain size", header.domain.to_string()),
    ];
    if let Some([additions, constraints]) = header.gates {
        facts.push(("additions", additions.to_string()));
        facts.push(("constraints", constraints.to_string()));
    }
    let others: &[(u32, &'static str)] = match header.protocol {
        Protocol::Groth16 => {
            // The hash of the circuit comes before the number of contributions.
            facts.extend(contributions(&sections, 10)?);
            &[(1, "protocol"), (2, "header"), (4, "coefficients"), (10, "contributions")]
        }
        _ => &[(1, "protocol"), (2, "header"), (3, "additions")],
    };
    let named = header.point_sections()?;
    if header.protocol == Protocol::Groth16 {
        for section in &named {
            sections.get(section.kind, section.name)?;
        }
    }
    let contents = listed(&sections, &named, others, &header.prime)?;
    Ok(("zkey", format!("proving key of snarkjs for {}", header.protocol), facts, contents))
}

/// The number of contributions: first in the section of a `.ptau`, after a hash of 64 bytes in that
/// of a `.zkey`.
fn contributions(
    sections: &Sections<'_>,
    kind: u32,
) -> Result<Option<(&'static str, String)>, Malformed> {
    if sections.all().iter().all(|(own, _)| *own != kind) {
        return Ok(None);
    }
    let range = sections.get(kind, "contributions")?;
    let mut cursor = Cursor::new(range, "the contributions section");
    if kind == 10 {
        cursor.take(64)?;
    }
    Ok(Some(("contributions", cursor.u32()?.to_string())))
}

/// All sections of a container, with the number of points of those that have some.
fn listed(
    sections: &Sections<'_>,
    named: &[PointSection],
    others: &[(u32, &'static str)],
    prime: &Prime,
) -> Result<Vec<Contents>, Malformed> {
    let family = curve_with_prime(&prime.value).filter(|name| SUPPORTED.contains(name));
    let g1 = 2 * prime.width as u64;
    let mut contents = Vec::new();
    for &(kind, range) in sections.all() {
        let own = named.iter().filter(|section| section.kind == kind);
        let mut own = own.filter(|section| !matches!(section.extent, Extent::Header { .. }));
        let mut found =
            Contents { kind: Some(kind), ..Contents::new(Holds::Other, range.length()) };
        if let Some(section) = own.next() {
            sections.get(kind, section.name)?;
            let size = if section.group == PairingGroup::G1 { g1 } else { 2 * g1 };
            found.holds = Holds::Bases;
            found.name = Some(section.name);
            found.curve = family.and_then(|family| in_group(family, section.group));
            found.count = Some(match section.extent {
                Extent::Lagrange { power } => {
                    let last = last_power(range.length(), size, power, section)?;
                    found.powers = Some(last);
                    range.length() / size.max(1)
                }
                extent => extent.locate(range, section, [g1, 2 * g1], None)?.1,
            });
        } else {
            found.name = others.iter().find(|(own, _)| *own == kind).map(|(_, name)| *name);
        }
        contents.push(found);
    }
    Ok(contents)
}

/// The curve of the same family in a group.
fn in_group(g1: &'static str, group: PairingGroup) -> Option<&'static str> {
    let family = g1.strip_suffix("-g1")?;
    let name = format!("{family}-{}", group.to_string().to_lowercase());
    NamedCurve::named(&name).ok().map(|curve| curve.name)
}

fn wtns(file: ByteRange<'_>) -> Result<Found, Malformed> {
    let sections = Sections::read_version(file, "wtns", 1..=2)?;
    let (prime, count) = wtns_header(&sections)?;
    check_length(sections.get(2, "values")?, count.into(), prime.width, "values")?;
    let others = [(1, "header"), (2, "values")];
    let mut contents = listed(&sections, &[], &others, &prime)?;
    for found in contents.iter_mut().filter(|found| found.kind == Some(2)) {
        (found.holds, found.count) = (Holds::Scalars, Some(count.into()));
        found.curve = with_order(&prime.value).first().copied();
    }
    let facts = vec![("values", count.to_string()), ("prime", order_in_words(&prime.value))];
    Ok(("wtns", "witness of snarkjs".into(), facts, contents))
}

fn r1cs(file: ByteRange<'_>) -> Result<Found, Malformed> {
    let sections = Sections::read(file, "r1cs")?;
    let header = R1csHeader::read(&sections)?;
    let facts = vec![
        ("constraints", header.constraints.to_string()),
        ("variables", header.variables.to_string()),
        ("outputs", header.outputs.to_string()),
        ("public inputs", header.public_inputs.to_string()),
        ("private inputs", header.private_inputs.to_string()),
        ("prime", order_in_words(&header.prime.value)),
    ];
    let others = [
        (1, "header"),
        (2, "constraints"),
        (3, "labels"),
        (4, "custom gates"),
        (5, "uses of custom gates"),
    ];
    let contents = listed(&sections, &[], &others, &header.prime)?;
    Ok(("r1cs", "circuit of circom, without bases or scalars".into(), facts, contents))
}

/// The named curves whose groups have this order.
fn with_order(order: &BigUint) -> Vec<&'static str> {
    struct HasOrder<'a>(&'a BigUint);
    impl Visitor for HasOrder<'_> {
        type Output = bool;
        fn visit<C: Curve>(self, _: &'static NamedCurve) -> bool {
            CurveSpec::of::<C>().order == *self.0
        }
    }
    let curves = CURVES.iter().filter(|curve| curve.visit(HasOrder(order)));
    curves.map(|curve| curve.name).collect()
}

fn order_in_words(prime: &BigUint) -> String {
    match with_order(prime)[..] {
        [] => format!("{prime:#x}"),
        ref names => format!("the order of {}", names.join(", ")),
    }
}

fn ignition(file: ByteRange<'_>) -> Result<Found, Malformed> {
    let manifest = Manifest::read(&file.head(format::HEAD)?)
        .ok_or_else(|| Malformed::new("not a transcript of Ignition"))?;
    let range = manifest.points(file)?;
    let facts = vec![
        ("transcript", format!("{} of {}", manifest.number, manifest.transcripts)),
        ("first power", (u64::from(manifest.start) + 1).to_string()),
        ("points of all transcripts", manifest.total_g1.to_string()),
        ("points of G2", manifest.g2.to_string()),
    ];
    let mut found = Contents::new(Holds::Bases, range.length());
    (found.curve, found.count) = (Some("bn254-g1"), Some(manifest.g1.into()));
    Ok(("ignition", "transcript of Aztec's Ignition ceremony".into(), facts, vec![found]))
}

fn bellman_parameters(parameters: &bellman::Parameters<'_>) -> Found {
    let contributions = parameters.contributions.map(|count| ("contributions", count.to_string()));
    let contents = parameters.sections.iter().map(|(section, range)| Contents {
        name: Some(section.name),
        curve: Some(bellman::curve_of(section.group)),
        count: match section.extent {
            Extent::Whole(count) => Some(count),
            _ => None,
        },
        ..Contents::new(Holds::Bases, range.length())
    });
    let description = "Groth16 parameters of bellman".into();
    ("bellman", description, contributions.into_iter().collect(), contents.collect())
}

fn json_text(file: ByteRange<'_>) -> Result<Found, Malformed> {
    let reader = BufReader::new(RangeReader { range: file, at: 0 });
    let outline = json::Outline::read(reader)?;
    let curve = outline.curve.map(|curve| curve.name);
    let list = |holds, count: Option<u64>| {
        count.map(|count| Contents { curve, count: Some(count), ..Contents::new(holds, 0) })
    };
    let contents: Vec<Contents> =
        [list(Holds::Bases, outline.bases), list(Holds::Scalars, outline.scalars)]
            .into_iter()
            .flatten()
            .collect();
    Ok(("json", "JSON with bases and scalars".into(), Vec::new(), contents))
}

/// Reads a range in order.
struct RangeReader<'a> {
    range: ByteRange<'a>,
    at: u64,
}

impl Read for RangeReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let left = self.range.length() - self.at;
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(out.len());
        let read = self.range.read(self.at, &mut out[..length]);
        read.map_err(|fault| std::io::Error::other(fault.reason))?;
        self.at += length as u64;
        Ok(length)
    }
}

/// Elements that are parsed to see whether a vector can be of a curve.
const SAMPLE: u64 = 16;

/// A vector of arkworks or gnark: everything that its length and its first elements allow.
fn vector(file: ByteRange<'_>) -> Result<Found, Malformed> {
    struct Candidates<'a>(ByteRange<'a>);
    impl Visitor for Candidates<'_> {
        type Output = Vec<(&'static str, Contents)>;
        fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Self::Output {
            candidates::<C>(self.0, curve)
        }
    }
    let found: Vec<(&'static str, Contents)> =
        CURVES.iter().flat_map(|curve| curve.visit(Candidates(file))).collect();
    let Some(&(format, _)) = found.first() else {
        return Err(arkworks::no_vector(file));
    };
    let mut contents: Vec<_> =
        found.into_iter().filter(|(own, _)| *own == format).map(|(_, part)| part).collect();
    // The bytes of points may be scalars as well, hardly the other way round.
    contents.sort_by_key(|part| part.holds != Holds::Bases);
    let description = match format {
        "gnark" => "points in gnark's raw encoding",
        _ => "a vector in arkworks' serialisation",
    };
    Ok((format, description.into(), Vec::new(), contents))
}

fn candidates<C: Curve>(
    file: ByteRange<'_>,
    curve: &'static NamedCurve,
) -> Vec<(&'static str, Contents)> {
    let mut found = Vec::new();
    let mut add = |format, holds, encoding, count| {
        let own = Contents::new(holds, file.length());
        let (curve, count) = (Some(curve.name), Some(count));
        found.push((format, Contents { curve, encoding, count, ..own }));
    };
    let sample = |count: u64| ReadOptions {
        first: Some(count.min(SAMPLE) as usize),
        ..ReadOptions::default()
    };
    if let Some(count) = arkworks::announced(&file.head(8).unwrap_or_default()) {
        for (encoding, name) in
            [(Encoding::Compressed, "compressed"), (Encoding::Uncompressed, "uncompressed")]
        {
            let points = arkworks::locate_bases::<C>(file, curve, encoding)
                .and_then(|bases| bases.read::<C>(curve, &sample(count)));
            if points.is_ok() {
                add("arkworks", Holds::Bases, Some(name), count);
            }
        }
        if arkworks::read_scalars_of::<C>(file, curve, &sample(count)).is_ok() {
            add("arkworks", Holds::Scalars, None, count);
        }
    }
    if let (Ok(Some(Format::Gnark)), Ok(Some(count))) =
        (gnark::detect(file, curve), gnark::announced(file))
        && gnark::locate(file, curve).read::<C>(curve, &sample(count)).is_ok()
    {
        add("gnark", Holds::Bases, None, count);
    }
    found
}

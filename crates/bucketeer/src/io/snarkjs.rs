//! Points in snarkjs' `.ptau` and `.zkey` files.
//!
//! A point is its two affine coordinates, those of G2 as c0 and c1; every component is a
//! little-endian integer of `n` bytes in Montgomery form, `value·2^(8n) mod p`; zeros alone are the
//! point at infinity. A header section states `n`, the prime and how many points each section must
//! hold.

use std::fmt;

use ark_ff::{Field, PrimeField};
use num_bigint::BigUint;

use super::blocks::Elements;
use super::point::{Prime, check_on_curve, check_subgroup, from_components, prime_from_le};
use super::sections::{Cursor, Sections};
use super::source::{Part, Source};
use super::{Malformed, ReadOptions};
use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::{Curve, CurveSpec};

/// The curves snarkjs knows.
const SUPPORTED: [&str; 4] = ["bn254-g1", "bn254-g2", "bls12-381-g1", "bls12-381-g2"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    G1,
    G2,
}

impl Group {
    fn of<C: Curve>() -> Self {
        if C::BaseField::extension_degree() == 1 { Self::G1 } else { Self::G2 }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A section of points that can be asked for by name.
struct PointSection {
    name: &'static str,
    kind: u32,
    group: Group,
}

const PTAU: [PointSection; 2] = [
    PointSection { name: "tau-g1", kind: 2, group: Group::G1 },
    PointSection { name: "tau-g2", kind: 3, group: Group::G2 },
];

const ZKEY: [PointSection; 5] = [
    PointSection { name: "a", kind: 5, group: Group::G1 },
    PointSection { name: "b1", kind: 6, group: Group::G1 },
    PointSection { name: "b2", kind: 7, group: Group::G2 },
    PointSection { name: "c", kind: 8, group: Group::G1 },
    PointSection { name: "h", kind: 9, group: Group::G1 },
];

/// Bases from the bytes of a `.ptau` file: section `tau-g1` or `tau-g2`, by default that of the
/// curve's group.
pub fn parse_ptau<C: Curve>(
    bytes: &[u8],
    curve: &'static NamedCurve,
    section: Option<&str>,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    read_ptau(Source::from(bytes).whole(), curve, section, options)
}

pub(super) fn read_ptau<C: Curve>(
    file: Part<'_>,
    curve: &'static NamedCurve,
    section: Option<&str>,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    check_supported(curve, "ptau")?;
    let sections = Sections::read(file, "ptau")?;
    let mut header = Cursor::new(sections.get(1, "header")?, "the header section");
    check_prime::<C>(&mut header, curve)?;
    let power = header.u32()?;
    if power > 40 {
        return Err(Malformed::new(format!("a power of {power} in the header")));
    }
    let chosen = choose::<C>(&PTAU, section, curve)?;
    let count = if chosen.kind == 2 { (2u64 << power) - 1 } else { 1 << power };
    points(&sections, chosen, count, options)
}

/// Bases from the bytes of a Groth16 `.zkey` file: section `a`, `b1`, `b2`, `c` or `h`, by default
/// `a` for G1 and `b2` for G2.
pub fn parse_zkey<C: Curve>(
    bytes: &[u8],
    curve: &'static NamedCurve,
    section: Option<&str>,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    read_zkey(Source::from(bytes).whole(), curve, section, options)
}

pub(super) fn read_zkey<C: Curve>(
    file: Part<'_>,
    curve: &'static NamedCurve,
    section: Option<&str>,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    const GROTH16: u32 = 1;
    check_supported(curve, "zkey")?;
    let sections = Sections::read(file, "zkey")?;
    let protocol = Cursor::new(sections.get(1, "protocol")?, "the protocol section").u32()?;
    if protocol != GROTH16 {
        return Err(Malformed::new(format!("protocol {protocol}, expected {GROTH16} (Groth16)")));
    }
    let mut header = Cursor::new(sections.get(2, "header")?, "the header section");
    check_prime::<C>(&mut header, curve)?;
    header.integer()?;
    let (variables, public, domain) = (header.u32()?, header.u32()?, header.u32()?);
    let chosen = choose::<C>(&ZKEY, section, curve)?;
    let count = match chosen.name {
        "c" => {
            variables.checked_sub(public).and_then(|left| left.checked_sub(1)).ok_or_else(|| {
                Malformed::new(format!("{public} public of {variables} variables in the header"))
            })?
        }
        "h" => domain,
        _ => variables,
    };
    points(&sections, chosen, count.into(), options)
}

fn check_supported(curve: &NamedCurve, format: &str) -> Result<(), Malformed> {
    if SUPPORTED.contains(&curve.name) {
        return Ok(());
    }
    Err(Malformed::new(format!(
        "a .{format} file cannot hold points of {curve}, only of {}",
        SUPPORTED.join(", ")
    )))
}

/// Reads the base field's prime, which must be that of the curve.
fn check_prime<C: Curve>(header: &mut Cursor<'_>, curve: &NamedCurve) -> Result<(), Malformed> {
    let (length, prime) = header.integer()?;
    let spec = CurveSpec::of::<C>();
    if prime != spec.modulus {
        let other = curve_with_prime(&prime).unwrap_or("no named curve");
        return Err(Malformed::new(format!(
            "wrong curve: the file's prime is that of {other}, not of {curve}"
        )));
    }
    if length != 8 * spec.limbs {
        return Err(Malformed::new(format!(
            "coordinates of {length} bytes in the header, expected {}",
            8 * spec.limbs
        )));
    }
    Ok(())
}

fn curve_with_prime(prime: &BigUint) -> Option<&'static str> {
    struct HasPrime<'a>(&'a BigUint);
    impl Visitor for HasPrime<'_> {
        type Output = bool;
        fn visit<C: Curve>(self, _: &'static NamedCurve) -> bool {
            CurveSpec::of::<C>().modulus == *self.0
        }
    }
    CURVES.iter().find(|curve| curve.visit(HasPrime(prime))).map(|curve| curve.name)
}

/// The section with this name, or the first one of the curve's group.
fn choose<C: Curve>(
    sections: &'static [PointSection],
    name: Option<&str>,
    curve: &NamedCurve,
) -> Result<&'static PointSection, Malformed> {
    let group = Group::of::<C>();
    let matches = |section: &&PointSection| match name {
        Some(name) => section.name == name,
        None => section.group == group,
    };
    let Some(section) = sections.iter().find(matches) else {
        let names: Vec<_> = sections.iter().map(|section| section.name).collect();
        return Err(Malformed::new(format!(
            "no section \"{}\": expected one of {}",
            name.unwrap_or_default(),
            names.join(", ")
        )));
    };
    if section.group != group {
        return Err(Malformed::new(format!(
            "section \"{}\" holds points of {}, but {curve} is {group}",
            section.name, section.group
        )));
    }
    Ok(section)
}

fn points<C: Curve>(
    sections: &Sections<'_>,
    section: &PointSection,
    count: u64,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    let part = sections.get(section.kind, section.name)?;
    let width = 8 * CurveSpec::of::<C>().limbs;
    let size = 2 * width * C::BaseField::extension_degree() as usize;
    let (expected, found) = (u128::from(count) * size as u128, u128::from(part.length()));
    if expected != found {
        let problem = if expected > found { "truncated" } else { "trailing bytes" };
        return Err(Malformed::new(format!(
            "{problem}: {count}·{size} bytes expected in section \"{}\", {found} found",
            section.name,
        )));
    }
    let factor = inverse_of_radix::<Prime<C>>(width);
    let elements = Elements { part, size, what: "base" };
    let points = elements.parse(1, C::zero(), |bytes, out| {
        if bytes.iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        let (x, y) = bytes.split_at(size / 2);
        let component = |bytes: &[u8]| Some(prime_from_le::<Prime<C>>(bytes)? * factor);
        out[0] = from_components(
            x.chunks_exact(width).map(component),
            y.chunks_exact(width).map(component),
        )?;
        check_on_curve(&out[0])
    })?;
    check_subgroup(points, options)
}

/// `2^(−8·width)` in the field.
fn inverse_of_radix<F: PrimeField>(width: usize) -> F {
    F::ONE / F::from(2u64).pow([8 * width as u64])
}

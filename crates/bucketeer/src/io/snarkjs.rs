//! Points in snarkjs' `.ptau` and `.zkey` files.
//!
//! A point is its two affine coordinates; a coordinate of G2 is c0, then c1. Every component is a
//! little-endian integer of `n` bytes in Montgomery form, `value·2^(8n) mod p`. All zeros are the
//! point at infinity. The header section has `n`, the prime and the number of points in each
//! section.

use std::fmt;

use ark_ff::{Field, PrimeField};
use num_bigint::BigUint;

use super::blocks::Elements;
use super::point::{PrimeOf, check_on_curve, check_subgroup, from_components, prime_from_le};
use super::sections::{Cursor, Sections};
use super::source::ByteRange;
use super::{Malformed, ReadOptions};
use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::{Curve, CurveSpec};

/// The curves that snarkjs supports.
pub(super) const SUPPORTED: [&str; 4] = ["bn254-g1", "bn254-g2", "bls12-381-g1", "bls12-381-g2"];

/// A group of a pairing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PairingGroup {
    G1,
    G2,
}

impl PairingGroup {
    fn of<C: Curve>() -> Self {
        if C::BaseField::extension_degree() == 1 { Self::G1 } else { Self::G2 }
    }
}

impl fmt::Display for PairingGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A section of points, selected by name.
struct PointSection {
    name: &'static str,
    kind: u32,
    group: PairingGroup,
}

const PTAU: [PointSection; 2] = [
    PointSection { name: "tau-g1", kind: 2, group: PairingGroup::G1 },
    PointSection { name: "tau-g2", kind: 3, group: PairingGroup::G2 },
];

const ZKEY: [PointSection; 5] = [
    PointSection { name: "a", kind: 5, group: PairingGroup::G1 },
    PointSection { name: "b1", kind: 6, group: PairingGroup::G1 },
    PointSection { name: "b2", kind: 7, group: PairingGroup::G2 },
    PointSection { name: "c", kind: 8, group: PairingGroup::G1 },
    PointSection { name: "h", kind: 9, group: PairingGroup::G1 },
];

/// Bases of a `.ptau` file: section `tau-g1` or `tau-g2`, by default that of the curve's group.
pub(super) fn read_ptau<C: Curve>(
    file: ByteRange<'_>,
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

/// Bases of a Groth16 `.zkey` file: section `a`, `b1`, `b2`, `c` or `h`, by default `a` for G1 and
/// `b2` for G2.
pub(super) fn read_zkey<C: Curve>(
    file: ByteRange<'_>,
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

/// Reads the prime of the base field and checks that it is the curve's.
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

pub(super) fn curve_with_prime(prime: &BigUint) -> Option<&'static str> {
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
    let group = PairingGroup::of::<C>();
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

/// Reads the points of a section, of which there must be `count`.
fn points<C: Curve>(
    sections: &Sections<'_>,
    section: &PointSection,
    count: u64,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    let range = sections.get(section.kind, section.name)?;
    let width = 8 * CurveSpec::of::<C>().limbs;
    let size = 2 * width * C::BaseField::extension_degree() as usize;
    let (expected, found) = (u128::from(count) * size as u128, u128::from(range.length()));
    if expected != found {
        let problem = if expected > found { "truncated" } else { "trailing bytes" };
        return Err(Malformed::new(format!(
            "{problem}: {count}·{size} bytes expected in section \"{}\", {found} found",
            section.name,
        )));
    }
    let factor = inverse_of_radix::<PrimeOf<C>>(width);
    let elements = Elements { range, size, what: "base" };
    let points = elements.parse(1, C::zero(), |bytes, out| {
        if bytes.iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        let (x, y) = bytes.split_at(size / 2);
        let component = |bytes: &[u8]| Some(prime_from_le::<PrimeOf<C>>(bytes)? * factor);
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

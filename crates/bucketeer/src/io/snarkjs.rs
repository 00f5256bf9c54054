//! Points in snarkjs' `.ptau` and `.zkey` files.
//!
//! A point is its two affine coordinates; a coordinate of G2 is c0, then c1. Every component is a
//! little-endian integer of `n` bytes in Montgomery form, `value·2^(8n) mod p`. All zeros are the
//! point at infinity. The header section has `n`, the prime and the number of points in each
//! section.

use ark_ff::Field;
use num_bigint::BigUint;

use super::Malformed;
use super::blocks::Elements;
use super::headers::{PairingGroup, PointSection, Prime, Protocol, PtauHeader, ZkeyHeader};
use super::located::{Located, PointEncoding};
use super::sections::Sections;
use super::source::ByteRange;
use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::packed::point_bytes;
use crate::{Curve, CurveSpec};

/// The curves that snarkjs supports.
pub(super) const SUPPORTED: [&str; 4] = ["bn254-g1", "bn254-g2", "bls12-381-g1", "bls12-381-g2"];

impl PairingGroup {
    fn of<C: Curve>() -> Self {
        if C::BaseField::extension_degree() == 1 { Self::G1 } else { Self::G2 }
    }
}

/// Bases of a `.ptau` file, by default section `tau-g1` or `tau-g2`.
pub(super) fn locate_ptau<'a, C: Curve>(
    file: ByteRange<'a>,
    curve: &'static NamedCurve,
    section: Option<&str>,
) -> Result<Located<'a>, Malformed> {
    check_supported(curve, "ptau")?;
    let sections = Sections::read(file, "ptau")?;
    let header = PtauHeader::read(&sections)?;
    check_prime::<C>(&header.prime, curve)?;
    locate::<C>(&sections, &header.point_sections(), section, curve)
}

/// Bases of a `.zkey` file, for Groth16 by default section `a` or `b2`.
pub(super) fn locate_zkey<'a, C: Curve>(
    file: ByteRange<'a>,
    curve: &'static NamedCurve,
    section: Option<&str>,
) -> Result<Located<'a>, Malformed> {
    check_supported(curve, "zkey")?;
    let sections = Sections::read(file, "zkey")?;
    let header = ZkeyHeader::read(&sections)?;
    check_prime::<C>(&header.prime, curve)?;
    let place = |fault: Malformed| match header.protocol {
        Protocol::Groth16 => fault,
        other => fault.within(&format!("a key for {other}")),
    };
    locate::<C>(&sections, &header.point_sections()?, section, curve).map_err(place)
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

/// Checks that the prime of the base field is the curve's.
fn check_prime<C: Curve>(found: &Prime, curve: &NamedCurve) -> Result<(), Malformed> {
    let spec = CurveSpec::of::<C>();
    if found.value != spec.modulus {
        let other = curve_with_prime(&found.value).unwrap_or("no named curve");
        return Err(Malformed::new(format!(
            "wrong curve: the file's prime is that of {other}, not of {curve}"
        )));
    }
    if found.width != 8 * spec.limbs {
        return Err(Malformed::new(format!(
            "coordinates of {} bytes in the header, expected {}",
            found.width,
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

/// The section with this name, or the first one of the curve's group. A name may end with a colon
/// and the power of a Lagrange basis.
pub(super) fn choose<'a, C: Curve>(
    sections: &'a [PointSection],
    name: Option<&str>,
    curve: &NamedCurve,
) -> Result<(&'a PointSection, Option<u32>), Malformed> {
    let group = PairingGroup::of::<C>();
    let (name, power) = match name.and_then(|name| name.split_once(':')) {
        Some((name, power)) => {
            let number = power.parse().map_err(|_| {
                Malformed::new(format!("\"{power}\" is not a power of a section: expected 0, 1 …"))
            })?;
            (Some(name), Some(number))
        }
        None => (name, None),
    };
    let matches = |section: &&PointSection| match name {
        Some(name) => section.name == name,
        None => section.group == group,
    };
    let Some(section) = sections.iter().find(matches) else {
        let names: Vec<_> = sections.iter().map(|section| section.name).collect();
        let missing = name.map_or(format!("of {group}"), |name| format!("\"{name}\""));
        return Err(Malformed::new(format!(
            "no section {missing}: expected one of {}",
            names.join(", ")
        )));
    };
    if section.group != group {
        return Err(Malformed::new(format!(
            "section \"{}\" holds points of {}, but {curve} is {group}",
            section.name, section.group
        )));
    }
    Ok((section, power))
}

/// The points of a section.
fn locate<'a, C: Curve>(
    sections: &Sections<'a>,
    named: &[PointSection],
    name: Option<&str>,
    curve: &NamedCurve,
) -> Result<Located<'a>, Malformed> {
    let (section, power) = choose::<C>(named, name, curve)?;
    let range = sections.get(section.kind, section.name).map_err(|fault| match section.kind {
        12.. => fault.within("before `snarkjs powersoftau prepare phase2`"),
        _ => fault,
    })?;
    let g1 = 2 * 8 * CurveSpec::of::<C>().limbs as u64;
    let (range, _) = section.extent.locate(range, section, [g1, 2 * g1], power)?;
    let elements = Elements::new(range, point_bytes::<C>(), "base");
    Ok(Located::new(elements, PointEncoding::Montgomery))
}

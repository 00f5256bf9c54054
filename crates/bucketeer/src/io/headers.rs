//! The headers of snarkjs' files, and where their points are.

use std::fmt;

use num_bigint::BigUint;

use super::Malformed;
use super::sections::{Cursor, Sections};
use super::source::ByteRange;

/// Most powers of a `.ptau`: far more than any ceremony had.
const MOST_POWERS: u32 = 40;

/// A group of a pairing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairingGroup {
    G1,
    G2,
}

impl fmt::Display for PairingGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// The prime of a field and the bytes of its elements.
pub(super) struct Prime {
    pub(super) width: usize,
    pub(super) value: BigUint,
}

impl Prime {
    fn read(header: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let (width, value) = header.integer()?;
        Ok(Self { width, value })
    }
}

/// Points of a file, selected by name.
pub(super) struct PointSection {
    pub(super) name: &'static str,
    /// The type of the section that they are in.
    pub(super) kind: u32,
    pub(super) group: PairingGroup,
    pub(super) extent: Extent,
}

/// Which points of a section.
#[derive(Clone, Copy)]
pub(super) enum Extent {
    /// All, of which there must be this many.
    Whole(u64),
    /// One point after this many points of G1 and of G2, in the header after these bytes.
    Header { bytes: u64, g1: u64, g2: u64 },
    /// The Lagrange bases of 2^0, 2^1 … points, one after the other, up to this power or one more.
    Lagrange { power: u32 },
}

const fn section(
    name: &'static str,
    kind: u32,
    group: PairingGroup,
    extent: Extent,
) -> PointSection {
    PointSection { name, kind, group, extent }
}

use PairingGroup::{G1, G2};

/// The header of a `.ptau` file.
pub(super) struct PtauHeader {
    pub(super) prime: Prime,
    /// The file has the powers of tau for domains of up to 2^power.
    pub(super) power: u32,
    /// The power of the ceremony that the file was cut from.
    pub(super) ceremony_power: u32,
}

impl PtauHeader {
    pub(super) fn read(sections: &Sections<'_>) -> Result<Self, Malformed> {
        let mut header = Cursor::new(sections.get(1, "header")?, "the header section");
        let prime = Prime::read(&mut header)?;
        let (power, ceremony_power) = (header.u32()?, header.u32()?);
        header.end()?;
        if power > MOST_POWERS {
            return Err(Malformed::new(format!("a power of {power} in the header")));
        }
        Ok(Self { prime, power, ceremony_power })
    }

    /// The sections of points; those of Lagrange bases exist after `prepare phase2`.
    pub(super) fn point_sections(&self) -> Vec<PointSection> {
        let (n, power) = (1 << self.power, self.power);
        vec![
            section("tau-g1", 2, G1, Extent::Whole(2 * n - 1)),
            section("tau-g2", 3, G2, Extent::Whole(n)),
            section("alpha-tau-g1", 4, G1, Extent::Whole(n)),
            section("beta-tau-g1", 5, G1, Extent::Whole(n)),
            section("beta-g2", 6, G2, Extent::Whole(1)),
            section("lagrange-g1", 12, G1, Extent::Lagrange { power }),
            section("lagrange-g2", 13, G2, Extent::Lagrange { power }),
            section("lagrange-alpha-g1", 14, G1, Extent::Lagrange { power }),
            section("lagrange-beta-g1", 15, G1, Extent::Lagrange { power }),
        ]
    }
}

/// A proof system of snarkjs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Groth16,
    Plonk,
    Fflonk,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Groth16 => "groth16",
            Self::Plonk => "plonk",
            Self::Fflonk => "fflonk",
        })
    }
}

/// The header of a `.zkey` file.
pub(super) struct ZkeyHeader {
    pub(super) protocol: Protocol,
    pub(super) prime: Prime,
    pub(super) variables: u32,
    pub(super) public: u32,
    pub(super) domain: u32,
    /// Additions and constraints of PLONK and FFLONK.
    pub(super) gates: Option<[u32; 2]>,
    /// Bytes before the header's points.
    before_points: u64,
}

impl ZkeyHeader {
    pub(super) fn read(sections: &Sections<'_>) -> Result<Self, Malformed> {
        let number = Cursor::new(sections.get(1, "protocol")?, "the protocol section").u32()?;
        let protocol = match number {
            1 => Protocol::Groth16,
            2 => Protocol::Plonk,
            10 => Protocol::Fflonk,
            _ => {
                let known = "1 (Groth16), 2 (PLONK) or 10 (FFLONK)";
                return Err(Malformed::new(format!("protocol {number}, expected {known}")));
            }
        };
        let mut header = Cursor::new(sections.get(2, "header")?, "the header section");
        let (prime, order) = (Prime::read(&mut header)?, Prime::read(&mut header)?);
        let (variables, public, domain) = (header.u32()?, header.u32()?, header.u32()?);
        let gates = match protocol {
            Protocol::Groth16 => None,
            _ => Some([header.u32()?, header.u32()?]),
        };
        let before_points = (4 + prime.width + 4 + order.width + 12) as u64;
        Ok(Self { protocol, prime, variables, public, domain, gates, before_points })
    }

    /// The sections of points. PLONK and FFLONK keep the powers of tau that they commit with.
    pub(super) fn point_sections(&self) -> Result<Vec<PointSection>, Malformed> {
        let domain = u64::from(self.domain);
        match self.protocol {
            Protocol::Groth16 => self.groth16(),
            Protocol::Plonk => Ok(vec![section("tau-g1", 14, G1, Extent::Whole(domain + 6))]),
            Protocol::Fflonk => Ok(vec![section("tau-g1", 16, G1, Extent::Whole(9 * domain + 18))]),
        }
    }

    fn groth16(&self) -> Result<Vec<PointSection>, Malformed> {
        let (variables, public) = (u64::from(self.variables), u64::from(self.public));
        let private = variables.checked_sub(public + 1).ok_or_else(|| {
            Malformed::new(format!("{public} public of {variables} variables in the header"))
        })?;
        let header = |name, group, g1, g2| {
            section(name, 2, group, Extent::Header { bytes: self.before_points, g1, g2 })
        };
        Ok(vec![
            section("a", 5, G1, Extent::Whole(variables)),
            section("b1", 6, G1, Extent::Whole(variables)),
            section("b2", 7, G2, Extent::Whole(variables)),
            section("c", 8, G1, Extent::Whole(private)),
            section("h", 9, G1, Extent::Whole(self.domain.into())),
            section("ic", 3, G1, Extent::Whole(public + 1)),
            header("alpha-g1", G1, 0, 0),
            header("beta-g1", G1, 1, 0),
            header("beta-g2", G2, 2, 0),
            header("gamma-g2", G2, 2, 1),
            header("delta-g1", G1, 2, 2),
            header("delta-g2", G2, 3, 2),
        ])
    }
}

/// The header of a `.r1cs` file.
pub(super) struct R1csHeader {
    pub(super) prime: Prime,
    pub(super) variables: u32,
    pub(super) outputs: u32,
    pub(super) public_inputs: u32,
    pub(super) private_inputs: u32,
    pub(super) constraints: u32,
}

impl R1csHeader {
    pub(super) fn read(sections: &Sections<'_>) -> Result<Self, Malformed> {
        let mut header = Cursor::new(sections.get(1, "header")?, "the header section");
        let prime = Prime::read(&mut header)?;
        let [variables, outputs, public_inputs, private_inputs] =
            [header.u32()?, header.u32()?, header.u32()?, header.u32()?];
        // The number of labels, which concern debuggers.
        header.take(8)?;
        let constraints = header.u32()?;
        header.end()?;
        Ok(Self { prime, variables, outputs, public_inputs, private_inputs, constraints })
    }
}

/// The header of a `.wtns` file: the prime and the number of values.
pub(super) fn wtns_header(sections: &Sections<'_>) -> Result<(Prime, u32), Malformed> {
    let mut header = Cursor::new(sections.get(1, "header")?, "the header section");
    let prime = Prime::read(&mut header)?;
    let count = header.u32()?;
    header.end()?;
    Ok((prime, count))
}

impl Extent {
    /// The bytes of these points, of `[g1, g2]` bytes each, and their number. `power` selects one
    /// of the Lagrange bases; the default is the largest that all sections have.
    pub(super) fn locate<'a>(
        self,
        range: ByteRange<'a>,
        section: &PointSection,
        sizes: [u64; 2],
        power: Option<u32>,
    ) -> Result<(ByteRange<'a>, u64), Malformed> {
        let size = if section.group == G1 { sizes[0] } else { sizes[1] };
        let name = section.name;
        if let (Some(_), Extent::Whole(_) | Extent::Header { .. }) = (power, self) {
            return Err(Malformed::new(format!("section \"{name}\" is not one for each power")));
        }
        match self {
            Self::Whole(count) => {
                super::sections::check_length(range, count, size as usize, name)?;
                Ok((range, count))
            }
            Self::Header { bytes, g1, g2 } => {
                let start = bytes + g1 * sizes[0] + g2 * sizes[1];
                if start + size > range.length() {
                    return Err(Malformed::new(format!("truncated: no \"{name}\" in the header")));
                }
                Ok((range.range(start..start + size), 1))
            }
            Self::Lagrange { power: largest } => {
                let last = last_power(range.length(), size, largest, section)?;
                let power = power.unwrap_or(largest);
                if power > last {
                    return Err(Malformed::new(format!(
                        "no basis of 2^{power} points in section \"{name}\": the last one has \
                         2^{last}"
                    )));
                }
                let start = ((1 << power) - 1) * size;
                Ok((range.range(start..start + (size << power)), 1 << power))
            }
        }
    }
}

/// The exponent of the last Lagrange basis. Those of tau in G1 may have one more than the others.
pub(super) fn last_power(
    length: u64,
    size: u64,
    power: u32,
    section: &PointSection,
) -> Result<u32, Malformed> {
    let points = |last: u32| (2u64 << last) - 1;
    let more = u32::from(section.kind == 12);
    let last = (power..=power + more).find(|&last| points(last) * size == length);
    last.ok_or_else(|| {
        Malformed::new(format!(
            "{length} bytes in section \"{}\", expected {}·{size}",
            section.name,
            points(power + more)
        ))
    })
}

//! Groth16 proving keys: snarkjs' `.zkey` files, whole.
//!
//! | section | holds |
//! | --- | --- |
//! | 1 | the protocol |
//! | 2 | the primes, the counts, and the points α, β, γ, δ |
//! | 3 | one point of G1 for each public signal, 1 included |
//! | 4 | the coefficients of the matrices A and B |
//! | 5, 6, 7 | a point for each signal: A and B in G1, B in G2 |
//! | 8 | a point of G1 for each private signal |
//! | 9 | a point of G1 for each element of the domain |
//!
//! Points are in Montgomery form, as in the other files of snarkjs.

use std::path::{Path, PathBuf};

use ark_ec::pairing::Pairing;
use ark_ff::{FftField, PrimeField};
use num_bigint::BigUint;

use super::coefficients::{Coefficient, Coefficients};
use super::sections::{Cursor, Sections, check_length};
use super::snarkjs::{SUPPORTED, curve_with_prime};
use super::source::{ByteRange, ByteSource};
use super::{Malformed, ReadOptions, montgomery};
use crate::curves::NamedCurve;
use crate::packed::point_bytes;
use crate::{Curve, CurveSpec, Error};

/// A proving key for Groth16.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zkey<E: Pairing> {
    /// Number of public signals, without the constant 1.
    pub public: usize,
    /// Size of the evaluation domain, a power of two.
    pub domain: usize,
    /// α in G1.
    pub alpha_g1: E::G1Affine,
    /// β in G1.
    pub beta_g1: E::G1Affine,
    /// β in G2.
    pub beta_g2: E::G2Affine,
    /// γ in G2.
    pub gamma_g2: E::G2Affine,
    /// δ in G1.
    pub delta_g1: E::G1Affine,
    /// δ in G2.
    pub delta_g2: E::G2Affine,
    /// The points of the constant 1 and of the public signals.
    pub public_g1: Vec<E::G1Affine>,
    /// The coefficients of A and B, in the file's order.
    pub coefficients: Vec<Coefficient<E::ScalarField>>,
    /// A, one point per signal.
    pub a_g1: Vec<E::G1Affine>,
    /// B in G1, one point per signal.
    pub b_g1: Vec<E::G1Affine>,
    /// B in G2, one point per signal.
    pub b_g2: Vec<E::G2Affine>,
    /// C, one point per private signal.
    pub c_g1: Vec<E::G1Affine>,
    /// H, one point per element of the domain.
    pub h_g1: Vec<E::G1Affine>,
}

/// An opened `.zkey` file. Its curve can be queried before it is read.
pub struct ZkeyFile {
    path: PathBuf,
    source: ByteSource<'static>,
}

impl ZkeyFile {
    /// Opens the file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self { path: path.into(), source: ByteSource::open(path)? })
    }

    /// The curve whose G1 the key is for, by the prime in the header.
    pub fn curve(&self) -> Result<&'static NamedCurve, Error> {
        curve_in(self.source.whole()).map_err(|fault| fault.in_file(&self.path))
    }

    /// Reads and checks the whole key.
    pub fn read<E>(&self, options: &ReadOptions) -> Result<Zkey<E>, Error>
    where
        E: Pairing<G1Affine: Curve, G2Affine: Curve>,
    {
        let key = key_in(self.source.whole(), options);
        self.source.unchanged(key).map_err(|fault| fault.in_file(&self.path))
    }
}

/// The proving key in the bytes of a `.zkey` file.
pub fn parse_zkey<E>(bytes: &[u8], options: &ReadOptions) -> Result<Zkey<E>, Malformed>
where
    E: Pairing<G1Affine: Curve, G2Affine: Curve>,
{
    key_in(ByteSource::from(bytes).whole(), options)
}

/// The header section, after the protocol was checked.
fn header_of<'a>(sections: &Sections<'a>) -> Result<Cursor<'a>, Malformed> {
    const GROTH16: u32 = 1;
    let protocol = Cursor::new(sections.get(1, "protocol")?, "the protocol section").u32()?;
    if protocol != GROTH16 {
        return Err(Malformed::new(format!("protocol {protocol}, expected {GROTH16} (Groth16)")));
    }
    Ok(Cursor::new(sections.get(2, "header")?, "the header section"))
}

fn curve_in(file: ByteRange<'_>) -> Result<&'static NamedCurve, Malformed> {
    let sections = Sections::read(file, "zkey")?;
    let (_, prime) = header_of(&sections)?.integer()?;
    let name = curve_with_prime(&prime).filter(|name| SUPPORTED.contains(name));
    name.and_then(|name| NamedCurve::named(name).ok())
        .ok_or_else(|| Malformed::new("the file's prime is that of neither bn254 nor bls12-381"))
}

/// Reads the key: first all headers and lengths, then the elements.
fn key_in<E>(file: ByteRange<'_>, options: &ReadOptions) -> Result<Zkey<E>, Malformed>
where
    E: Pairing<G1Affine: Curve, G2Affine: Curve>,
{
    let sections = Sections::read(file, "zkey")?;
    let mut header = header_of(&sections)?;
    let base = CurveSpec::of::<E::G1Affine>();
    check_prime(&mut header, &base.modulus, base.limbs, "coordinates")?;
    let order = E::ScalarField::MODULUS;
    check_prime(&mut header, &order.into(), order.as_ref().len(), "coefficients")?;
    let counts = Counts::read::<E::ScalarField>(&mut header)?;
    let alpha_g1 = single(&mut header, "alpha in G1", options)?;
    let beta_g1 = single(&mut header, "beta in G1", options)?;
    let beta_g2 = single(&mut header, "beta in G2", options)?;
    let gamma_g2 = single(&mut header, "gamma in G2", options)?;
    let delta_g1 = single(&mut header, "delta in G1", options)?;
    let delta_g2 = single(&mut header, "delta in G2", options)?;
    header.end()?;

    let g1 = point_bytes::<E::G1Affine>();
    let g2 = point_bytes::<E::G2Affine>();
    let section = |kind, name, count: u32, size| -> Result<_, Malformed> {
        let range = sections.get(kind, name)?;
        check_length(range, count.into(), size, name)?;
        Ok(PointSection { range, name, options })
    };
    let public_g1 = section(3, "ic", counts.public + 1, g1)?;
    let coefficients = Coefficients::new::<E::ScalarField>(sections.get(4, "coefficients")?)?;
    let a_g1 = section(5, "a", counts.signals, g1)?;
    let b_g1 = section(6, "b1", counts.signals, g1)?;
    let b_g2 = section(7, "b2", counts.signals, g2)?;
    let c_g1 = section(8, "c", counts.private, g1)?;
    let h_g1 = section(9, "h", counts.domain, g1)?;
    Ok(Zkey {
        public: counts.public as usize,
        domain: counts.domain as usize,
        alpha_g1,
        beta_g1,
        beta_g2,
        gamma_g2,
        delta_g1,
        delta_g2,
        public_g1: public_g1.points()?,
        coefficients: coefficients.parse(counts.domain, counts.signals)?,
        a_g1: a_g1.points()?,
        b_g1: b_g1.points()?,
        b_g2: b_g2.points()?,
        c_g1: c_g1.points()?,
        h_g1: h_g1.points()?,
    })
}

/// Reads a prime and checks that it is this one, in as many words.
fn check_prime(
    header: &mut Cursor<'_>,
    expected: &BigUint,
    words: usize,
    what: &str,
) -> Result<(), Malformed> {
    let (length, prime) = header.integer()?;
    if prime != *expected {
        return Err(Malformed::new(format!(
            "wrong curve: {what} modulo another prime than {expected}"
        )));
    }
    if length != 8 * words {
        return Err(Malformed::new(format!(
            "{what} of {length} bytes in the header, expected {}",
            8 * words
        )));
    }
    Ok(())
}

/// The numbers of the header.
struct Counts {
    signals: u32,
    public: u32,
    private: u32,
    domain: u32,
}

impl Counts {
    fn read<F: FftField>(header: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let (signals, public, domain) = (header.u32()?, header.u32()?, header.u32()?);
        // The constant 1 is a signal, too.
        let private = signals.checked_sub(public).and_then(|left| left.checked_sub(1));
        let Some(private) = private else {
            return Err(Malformed::new(format!(
                "{public} public of {signals} variables in the header"
            )));
        };
        if !domain.is_power_of_two() || domain.ilog2() > F::TWO_ADICITY {
            return Err(Malformed::new(format!(
                "a domain of {domain} in the header, expected a power of two up to 2^{}",
                F::TWO_ADICITY
            )));
        }
        Ok(Self { signals, public, private, domain })
    }
}

/// The next point of the header.
fn single<C: Curve>(
    header: &mut Cursor<'_>,
    name: &str,
    options: &ReadOptions,
) -> Result<C, Malformed> {
    let range = header.take(point_bytes::<C>() as u64)?;
    let points = montgomery::points(range, options);
    let point = points.map_err(|fault| fault.within(&format!("{name}, in the header")))?;
    Ok(point.first().copied().unwrap_or_default())
}

/// A section of points, of the right length.
struct PointSection<'a> {
    range: ByteRange<'a>,
    name: &'static str,
    options: &'a ReadOptions,
}

impl PointSection<'_> {
    fn points<C: Curve>(self) -> Result<Vec<C>, Malformed> {
        let place = format!("section \"{}\"", self.name);
        montgomery::points(self.range, self.options).map_err(|fault| fault.within(&place))
    }
}

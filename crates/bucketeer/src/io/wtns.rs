//! Witnesses: snarkjs' `.wtns` files.
//!
//! Section 1 is the header: the length of a value in bytes, the prime and the number of values.
//! Section 2 has the values, little-endian integers below the prime. The first one is 1.

use std::path::Path;

use ark_ff::PrimeField;
use num_bigint::BigUint;

use super::Malformed;
use super::blocks::Elements;
use super::point::prime_from_le;
use super::sections::{Cursor, Sections, check_length};
use super::source::{ByteRange, ByteSource};
use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::{Curve, Error};

/// Reads a witness: the values of all signals of a circuit, 1 first.
///
/// ```
/// use bucketeer::io;
/// let missing = io::read_witness::<ark_bn254::Fr>("nowhere.wtns".as_ref());
/// assert!(missing.is_err());
/// ```
pub fn read_witness<F: PrimeField>(path: &Path) -> Result<Vec<F>, Error> {
    ByteSource::reading(path, witness_in)
}

/// The witness in the bytes of a `.wtns` file.
pub fn parse_witness<F: PrimeField>(bytes: &[u8]) -> Result<Vec<F>, Malformed> {
    witness_in(ByteSource::from(bytes).whole())
}

fn witness_in<F: PrimeField>(file: ByteRange<'_>) -> Result<Vec<F>, Malformed> {
    let values = values::<F>(file, "value")?.parse(1, F::ZERO, |bytes, out| {
        out[0] = prime_from_le(bytes).ok_or("not below the prime")?;
        Ok(())
    })?;
    match values.first() {
        Some(first) if first.is_one() => Ok(values),
        Some(_) => Err(Malformed::new("value 0 is not 1")),
        None => Err(Malformed::new("no values, of which the first must be 1")),
    }
}

/// Finds the values: reads the header and checks it against the field and the length of the values.
pub(super) fn values<'a, F: PrimeField>(
    file: ByteRange<'a>,
    what: &'static str,
) -> Result<Elements<'a>, Malformed> {
    let sections = Sections::read_version(file, "wtns", 1..=2)?;
    let mut header = Cursor::new(sections.get(1, "header")?, "the header section");
    let (size, prime) = header.integer()?;
    if prime != F::MODULUS.into() {
        return Err(Malformed::new(wrong_prime::<F>(&prime)));
    }
    let expected = 8 * F::MODULUS.as_ref().len();
    if size != expected {
        return Err(Malformed::new(format!("values of {size} bytes, expected {expected}")));
    }
    let count = header.u32()?;
    header.end()?;
    let range = sections.get(2, "values")?;
    check_length(range, count.into(), size, "values")?;
    Ok(Elements::new(range, size, what))
}

fn wrong_prime<F: PrimeField>(prime: &BigUint) -> String {
    let name = |prime: &BigUint| match curve_of_order(prime) {
        Some(curve) => format!("the group order of {curve}"),
        None => "the group order of no named curve".into(),
    };
    format!("wrong curve: the file's prime is {}, not {}", name(prime), name(&F::MODULUS.into()))
}

/// The first curve with this order, by its short name.
fn curve_of_order(order: &BigUint) -> Option<&'static str> {
    struct HasOrder<'a>(&'a BigUint);
    impl Visitor for HasOrder<'_> {
        type Output = bool;
        fn visit<C: Curve>(self, _: &'static NamedCurve) -> bool {
            *self.0 == C::ScalarField::MODULUS.into()
        }
    }
    let found = CURVES.iter().find(|curve| curve.visit(HasOrder(order)));
    found.map(|curve| curve.alias.unwrap_or(curve.name))
}

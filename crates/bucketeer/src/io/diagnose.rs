//! Why arkworks rejects the encoding of a point.
//!
//! arkworks reports only "invalid data". So the coordinates of a rejected point are parsed again,
//! to find one of three causes, in this order:
//!
//! 1. An integer is not below the modulus.
//! 2. No point of the curve has the coordinate.
//! 3. The flags are wrong.
//!
//! Most curves write little-endian integers with flags in the last byte. BLS12-381 writes
//! big-endian integers with flags in the first byte and the components of an extension in reverse
//! order. The encoding of the generator shows which it is.

use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField};
use ark_serialize::CanonicalSerialize;

use super::Encoding;
use super::point::{not_below_modulus, prime_from_le};
use crate::{Curve, Model, PointFault};

/// The reason why these bytes are not the encoding of a point.
pub(super) fn diagnose<C: Curve>(bytes: &[u8], encoding: Encoding) -> String {
    let edwards = matches!(C::model(), Model::TwistedEdwards { .. });
    let names: &[&str] = match (encoding, edwards) {
        (Encoding::Uncompressed, _) => &["x", "y"],
        (Encoding::Compressed, false) => &["x"],
        (Encoding::Compressed, true) => &["y"],
    };
    let integers = if writes_big_endian::<C>() {
        big_endian_integers::<C>(bytes)
    } else {
        let flags = match (encoding, edwards) {
            (Encoding::Uncompressed, true) => 0x00,
            (Encoding::Compressed, true) => 0x80,
            (_, false) => 0xc0,
        };
        little_endian_integers::<C>(bytes, flags)
    };
    let degree = C::BaseField::extension_degree() as usize;
    let mut elements = Vec::new();
    for (name, integers) in names.iter().zip(integers.chunks(degree)) {
        let parts: Option<Vec<_>> = integers.iter().map(|bytes| prime_from_le(bytes)).collect();
        match parts.and_then(C::BaseField::from_base_prime_field_elems) {
            Some(element) => elements.push(element),
            None => return not_below_modulus(name),
        }
    }
    match elements[..] {
        [coordinate] if !belongs_to_point::<C>(coordinate) => PointFault::NotOnCurve.to_string(),
        _ => "not a valid encoding: its flag bits contradict each other or its form".into(),
    }
}

/// Bytes of an element of the prime field.
fn width<C: Curve>() -> usize {
    <C::BaseField as Field>::BasePrimeField::ZERO.uncompressed_size()
}

/// Whether arkworks writes the integers of this curve big-endian.
fn writes_big_endian<C: Curve>() -> bool {
    let mut encoded = Vec::new();
    let generator = C::generator();
    let written = generator.serialize_uncompressed(&mut encoded);
    let first = generator.x().and_then(|x| x.to_base_prime_field_elements().next());
    match (written, first) {
        (Ok(()), Some(first)) => {
            !encoded.starts_with(&first.into_bigint().to_bytes_le()[..width::<C>()])
        }
        _ => false,
    }
}

/// The integers of all components, in order, as little-endian bytes without flags. The input is
/// little-endian.
fn little_endian_integers<C: Curve>(bytes: &[u8], flags: u8) -> Vec<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    if let Some(last) = bytes.last_mut() {
        *last &= !flags;
    }
    // Flags that do not fit into the last integer have a separate byte after it, which is dropped.
    bytes.chunks_exact(width::<C>()).map(<[u8]>::to_vec).collect()
}

/// The same for big-endian input.
fn big_endian_integers<C: Curve>(bytes: &[u8]) -> Vec<Vec<u8>> {
    const FLAGS: u8 = 0xe0;
    let mut bytes = bytes.to_vec();
    if let Some(first) = bytes.first_mut() {
        *first &= !FLAGS;
    }
    let degree = C::BaseField::extension_degree() as usize;
    let coordinates = bytes.chunks_exact_mut(degree * width::<C>());
    coordinates
        .flat_map(|coordinate| {
            coordinate.reverse();
            coordinate.chunks_exact(width::<C>()).map(<[u8]>::to_vec).collect::<Vec<_>>()
        })
        .collect()
}

/// Whether a point has this x (short Weierstrass) or y (twisted Edwards).
fn belongs_to_point<C: Curve>(coordinate: C::BaseField) -> bool {
    let square = coordinate.square();
    let class = match C::model() {
        Model::ShortWeierstrass { a, b } => (square + a) * coordinate + b,
        // x² = (1 − y²)/(a − d·y²) is a square if and only if numerator times denominator is.
        Model::TwistedEdwards { a, d } => (C::BaseField::ONE - square) * (a - d * square),
    };
    !class.legendre().is_qnr()
}

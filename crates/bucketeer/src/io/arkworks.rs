//! arkworks' canonical serialisation: the number of elements as a 64-bit little-endian integer,
//! then the elements, all of the same size.
//!
//! arkworks' own reader of vectors trusts the number of elements, and for a bad point it reports
//! only "invalid data". This reader first compares the number with the length of the file. It then
//! reads every element from its own bytes, without validation, and checks it afterwards.

use std::io;
use std::path::Path;

use ark_ff::{AdditiveGroup, PrimeField};
use ark_serialize::{CanonicalSerialize, Compress, SerializationError, Validate};

use super::blocks::Elements;
use super::diagnose::diagnose;
use super::located::{Located, PointEncoding};
use super::source::{ByteRange, ByteSource};
use super::{Encoding, Malformed, ReadOptions, ScalarVec, point, write_atomically};
use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::{Curve, Error};

/// Bytes of the number of elements.
pub(super) const PREFIX: usize = 8;

/// Upper bound on the bytes of an element, over all curves.
pub(super) const MAX_ELEMENT: u64 = 1024;

/// A larger number of elements is the start of a file of another format.
const ABSURD: u64 = 1 << 48;

/// The number of elements that the first bytes of a file announce, if it is plausible.
pub(super) fn announced(bytes: &[u8]) -> Option<u64> {
    let prefix = bytes.first_chunk::<PREFIX>()?;
    Some(u64::from_le_bytes(*prefix)).filter(|count| *count <= ABSURD)
}

impl Encoding {
    fn compress(self) -> Compress {
        match self {
            Self::Compressed => Compress::Yes,
            Self::Uncompressed => Compress::No,
        }
    }

    fn point_bytes<C: Curve>(self) -> usize {
        C::zero().serialized_size(self.compress())
    }
}

/// What the elements of a file are.
#[derive(Clone, Copy)]
enum Kind {
    Bases,
    Scalars,
}

/// The encoding of a file of bases, determined by its length.
pub(super) fn encoding_of<C: Curve>(
    file: ByteRange<'_>,
    curve: &'static NamedCurve,
) -> Result<Encoding, Malformed> {
    let sizes = [Encoding::Compressed, Encoding::Uncompressed].map(|e| (e, e.point_bytes::<C>()));
    let size = element_size(file, &sizes.map(|(_, size)| size), Kind::Bases, curve)?;
    Ok(if size == sizes[0].1 { Encoding::Compressed } else { Encoding::Uncompressed })
}

/// Bases from the bytes of an arkworks file.
pub fn parse_arkworks_bases<C: Curve>(
    bytes: &[u8],
    curve: &'static NamedCurve,
    encoding: Encoding,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    let source = ByteSource::from(bytes);
    locate_bases::<C>(source.whole(), curve, encoding)?.read(curve, options)
}

/// The bases of a file in this encoding.
pub(super) fn locate_bases<'a, C: Curve>(
    file: ByteRange<'a>,
    curve: &'static NamedCurve,
    encoding: Encoding,
) -> Result<Located<'a>, Malformed> {
    let size = element_size(file, &[encoding.point_bytes::<C>()], Kind::Bases, curve)?;
    Ok(Located::new(Elements::new(body(file), size, "base"), PointEncoding::Arkworks(encoding)))
}

/// Reads points and checks that they are on the curve.
pub(super) fn points<C: Curve>(
    elements: &Elements<'_>,
    encoding: Encoding,
) -> Result<Vec<C>, Malformed> {
    let reader = PointReader::<C>::new(encoding);
    elements.parse(1, C::zero(), |bytes, out| {
        out[0] = reader.read(bytes)?;
        point::check_on_curve(&out[0])
    })
}

/// Scalars from the bytes of an arkworks file.
pub fn parse_arkworks_scalars<C: Curve>(
    bytes: &[u8],
    curve: &'static NamedCurve,
    options: &ReadOptions,
) -> Result<ScalarVec<C::ScalarField>, Malformed> {
    read_scalars_of::<C>(ByteSource::from(bytes).whole(), curve, options)
}

pub(super) fn read_scalars_of<C: Curve>(
    file: ByteRange<'_>,
    curve: &'static NamedCurve,
    options: &ReadOptions,
) -> Result<ScalarVec<C::ScalarField>, Malformed> {
    let elements = locate_scalars::<C>(file, curve)?;
    ScalarVec::parse(&elements.first(options.first)?, curve, options)
}

/// The scalars of a file.
pub(super) fn locate_scalars<'a, C: Curve>(
    file: ByteRange<'a>,
    curve: &'static NamedCurve,
) -> Result<Elements<'a>, Malformed> {
    let size = ScalarVec::<C::ScalarField>::element_bytes(curve.scalar_bits);
    let size = element_size(file, &[size], Kind::Scalars, curve)?;
    Ok(Elements::new(body(file), size, "scalar"))
}

/// The elements of a file, after the prefix that counts them.
fn body(file: ByteRange<'_>) -> ByteRange<'_> {
    file.range(PREFIX as u64..file.length())
}

/// Reads single points; only the canonical encoding of each is accepted.
struct PointReader<C> {
    encoding: Encoding,
    /// Whether the flags have a separate byte. arkworks ignores its other bits.
    flag_byte: bool,
    marker: std::marker::PhantomData<C>,
}

impl<C: Curve> PointReader<C> {
    fn new(encoding: Encoding) -> Self {
        let coordinates = if encoding == Encoding::Compressed { 1 } else { 2 };
        let size = coordinates * C::BaseField::ZERO.uncompressed_size();
        let flag_byte = encoding.point_bytes::<C>() > size;
        Self { encoding, flag_byte, marker: std::marker::PhantomData }
    }

    fn read(&self, bytes: &[u8]) -> Result<C, String> {
        const FLAGS: u8 = 0xc0;
        let spare_bits = self.flag_byte && bytes.last().is_some_and(|last| last & !FLAGS != 0);
        let point = C::deserialize_with_mode(bytes, self.encoding.compress(), Validate::No);
        match point {
            Ok(point) if self.is_canonical(&point, bytes) => Ok(point),
            Ok(point) if point.is_zero() => {
                Err("the identity, but not in its canonical encoding".into())
            }
            Ok(_) if spare_bits => Err("not a valid encoding: unused bits are set".into()),
            Ok(_) => Err("not a valid encoding: its flags are not those of the point".into()),
            Err(_) => Err(diagnose::<C>(bytes, self.encoding)),
        }
    }

    /// Whether these bytes are the point's encoding: arkworks ignores some flags when it reads.
    fn is_canonical(&self, point: &C, bytes: &[u8]) -> bool {
        let mut again = Vec::with_capacity(bytes.len());
        point.serialize_with_mode(&mut again, self.encoding.compress()).is_ok() && again == bytes
    }
}

/// The size out of `sizes` that matches the length of the file.
fn element_size(
    file: ByteRange<'_>,
    sizes: &[usize],
    kind: Kind,
    curve: &'static NamedCurve,
) -> Result<usize, Malformed> {
    if file.length() == 0 {
        return Err(Malformed::new("the file is empty"));
    }
    let Some(body) = file.length().checked_sub(PREFIX as u64) else {
        return Err(Malformed::new(format!(
            "truncated: {PREFIX} bytes for the number of elements expected, {} found",
            file.length()
        )));
    };
    let mut prefix = [0; PREFIX];
    file.read(0, &mut prefix)?;
    let count = u64::from_le_bytes(prefix);
    let expected = |size: usize| u128::from(count) * size as u128;
    match sizes.iter().find(|&&size| expected(size) == u128::from(body)) {
        Some(&size) => Ok(size),
        None => Err(wrong_length(count, body, sizes, kind, curve)),
    }
}

fn wrong_length(
    count: u64,
    body: u64,
    sizes: &[usize],
    kind: Kind,
    curve: &'static NamedCurve,
) -> Malformed {
    if count > ABSURD {
        return Malformed::new(format!(
            "not JSON, a file of snarkjs, gnark or Ignition, nor arkworks serialisation, whose first \
             8 bytes would announce {count} elements"
        ));
    }
    let distance = |size: usize| (u128::from(count) * size as u128).abs_diff(u128::from(body));
    let nearest = sizes.iter().copied().min_by_key(|&size| distance(size)).unwrap_or(0);
    let missing = u128::from(count) * nearest as u128 > u128::from(body);
    let mut reason = format!(
        "{}: {PREFIX} + {count}·{nearest} bytes expected, {} found",
        if missing { "truncated" } else { "trailing bytes" },
        body + PREFIX as u64,
    );
    if let [compressed, uncompressed] = sizes {
        reason += &format!(
            " ({curve} points take {compressed} bytes compressed, {uncompressed} uncompressed)"
        );
    }
    let found = body / count.max(1);
    if found * count == body && found > 0 {
        let others = curves_with_size(found, kind);
        if !others.is_empty() {
            reason += &format!("; wrong curve? {found} bytes is the size on {}", others.join(", "));
        }
    }
    Malformed::new(reason)
}

/// Why a file is not a vector of any named curve.
pub(super) fn no_vector(file: ByteRange<'_>) -> Malformed {
    let mut prefix = [0; PREFIX];
    let announced = match file.length() >= PREFIX as u64 {
        true => file.read(0, &mut prefix).map(|()| Some(u64::from_le_bytes(prefix))),
        false => Ok(None),
    };
    Malformed::new(match announced {
        Err(fault) => return fault,
        Ok(Some(count)) if count <= ABSURD => format!(
            "not JSON nor a file of snarkjs; if its first 8 bytes announce {count} elements in \
             arkworks' serialisation, its length or its first elements are those of no named curve"
        ),
        Ok(_) => "not JSON, nor a file of snarkjs, gnark, Ignition or arkworks".into(),
    })
}

/// The named curves whose elements take this many bytes.
fn curves_with_size(size: u64, kind: Kind) -> Vec<&'static str> {
    struct HasSize(usize, Kind);
    impl Visitor for HasSize {
        type Output = bool;
        fn visit<C: Curve>(self, curve: &'static NamedCurve) -> bool {
            match self.1 {
                Kind::Bases => [Encoding::Compressed, Encoding::Uncompressed]
                    .iter()
                    .any(|encoding| encoding.point_bytes::<C>() == self.0),
                Kind::Scalars => {
                    ScalarVec::<C::ScalarField>::element_bytes(curve.scalar_bits) == self.0
                }
            }
        }
    }
    let has_size = |curve: &&'static NamedCurve| {
        usize::try_from(size).is_ok_and(|size| curve.visit(HasSize(size, kind)))
    };
    CURVES.iter().filter(has_size).map(|curve| curve.name).collect()
}

/// Writes bases as arkworks serialises a vector of them.
pub fn write_bases<C: Curve>(path: &Path, points: &[C], encoding: Encoding) -> Result<(), Error> {
    write_atomically(path, |writer| {
        writer.write_all(&(points.len() as u64).to_le_bytes())?;
        for point in points {
            let written = point.serialize_with_mode(&mut *writer, encoding.compress());
            written.map_err(|error| match error {
                SerializationError::IoError(error) => error,
                other => io::Error::other(other),
            })?;
        }
        Ok(())
    })
}

/// Writes scalars as arkworks serialises a vector of field elements.
pub fn write_scalars<F: PrimeField>(path: &Path, scalars: &ScalarVec<F>) -> Result<(), Error> {
    write_atomically(path, |writer| {
        writer.write_all(&(scalars.len() as u64).to_le_bytes())?;
        scalars.try_for_each(|bytes| writer.write_all(bytes))
    })
}

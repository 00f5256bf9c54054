//! Converts bases and scalars of a JSON document to points and integers one by one, while the
//! document is parsed.

use std::fmt;
use std::marker::PhantomData;

use ark_ff::Field;
use num_bigint::BigUint;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess};
use serde::{Deserialize, de::Visitor};

use super::point::{check_on_curve, from_components, prime_from_le};
use super::{ReadOptions, ScalarVec};
use crate::Curve;
use crate::curves::NamedCurve;

/// Most digits of an integer. Bounds the time to convert decimals; no curve comes near it.
const MAX_DIGITS: usize = 4096;

/// The requested fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fields {
    Bases,
    Scalars,
    Both,
}

/// The requested fields, as far as the document has them.
pub(super) struct Contents<C: Curve> {
    pub(super) bases: Option<Vec<C>>,
    pub(super) scalars: Option<ScalarVec<C::ScalarField>>,
}

impl<C: Curve> Contents<C> {
    pub(super) fn read(
        bytes: &[u8],
        curve: &'static NamedCurve,
        options: &ReadOptions,
        fields: Fields,
    ) -> serde_json::Result<Self> {
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let visitor = ContentsVisitor { curve, options, fields, marker: PhantomData };
        let contents = reader.deserialize_map(visitor)?;
        reader.end()?;
        Ok(contents)
    }
}

struct ContentsVisitor<'a, C> {
    curve: &'static NamedCurve,
    options: &'a ReadOptions,
    fields: Fields,
    marker: PhantomData<C>,
}

impl<'de, C: Curve> Visitor<'de> for ContentsVisitor<'_, C> {
    type Value = Contents<C>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with bases and scalars")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut contents = Contents { bases: None, scalars: None };
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "bases" if self.fields != Fields::Scalars => {
                    let mut bases = Vec::new();
                    let push = |point| {
                        bases.push(to_point(point)?);
                        Ok(())
                    };
                    map.next_value_seed(List { what: "base", each: push, marker: PhantomData })?;
                    if contents.bases.replace(bases).is_some() {
                        return Err(de::Error::duplicate_field("bases"));
                    }
                }
                "scalars" if self.fields != Fields::Bases => {
                    let mut scalars = ScalarVec::new(self.curve);
                    let push = |Integer(bytes)| scalars.push(&bytes, self.options);
                    map.next_value_seed(List { what: "scalar", each: push, marker: PhantomData })?;
                    if contents.scalars.replace(scalars).is_some() {
                        return Err(de::Error::duplicate_field("scalars"));
                    }
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(contents)
    }
}

/// An array whose elements go to `each` one by one. Errors carry the element's index.
struct List<T, F> {
    what: &'static str,
    each: F,
    marker: PhantomData<T>,
}

impl<'de, T, F> DeserializeSeed<'de> for List<T, F>
where
    T: Deserialize<'de>,
    F: FnMut(T) -> Result<(), String>,
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T, F> Visitor<'de> for List<T, F>
where
    T: Deserialize<'de>,
    F: FnMut(T) -> Result<(), String>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of {}s", self.what)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut sequence: A) -> Result<(), A::Error> {
        for index in 0.. {
            let at = |error: &dyn fmt::Display| {
                de::Error::custom(format!("{} {index}: {error}", self.what))
            };
            let Some(element) = sequence.next_element().map_err(|error| at(&error))? else {
                break;
            };
            (self.each)(element).map_err(|reason| at(&reason))?;
        }
        Ok(())
    }
}

/// The number of elements of an array.
pub(super) struct Count(pub(super) u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut count = 0;
        let each = |_: IgnoredAny| {
            count += 1;
            Ok(())
        };
        List { what: "element", each, marker: PhantomData }.deserialize(deserializer)?;
        Ok(Self(count))
    }
}

/// A non-negative integer from a string, as little-endian bytes.
struct Integer(Vec<u8>);

impl Integer {
    fn parse(text: &str) -> Result<Self, String> {
        let (digits, radix) = match text.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (text, 10),
        };
        if digits.len() > MAX_DIGITS {
            return Err(format!("an integer of more than {MAX_DIGITS} digits"));
        }
        // The conversion would accept signs and underscores.
        let all_digits = digits.chars().all(|digit| digit.is_digit(radix));
        let integer = BigUint::parse_bytes(digits.as_bytes(), radix).filter(|_| all_digits);
        integer
            .map(|integer| Self(integer.to_bytes_le()))
            .ok_or_else(|| format!("\"{text}\" is neither a decimal nor a 0x… integer"))
    }
}

/// A coordinate: one integer per component of the field.
struct Coordinate(Vec<Integer>);

/// Reads a string, or an array of them where allowed.
struct CoordinateVisitor {
    components: bool,
}

impl<'de> Visitor<'de> for CoordinateVisitor {
    type Value = Coordinate;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decimal or 0x… string")?;
        if self.components { f.write_str(" or a pair of them") } else { Ok(()) }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Coordinate, E> {
        Ok(Coordinate(vec![Integer::parse(text).map_err(E::custom)?]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Coordinate, A::Error> {
        if !self.components {
            return Err(de::Error::invalid_type(de::Unexpected::Seq, &self));
        }
        let mut parts = Vec::new();
        while let Some(part) = sequence.next_element()? {
            parts.push(part);
        }
        Ok(Coordinate(parts))
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Coordinate(mut parts) =
            deserializer.deserialize_str(CoordinateVisitor { components: false })?;
        parts.pop().ok_or_else(|| de::Error::custom("no integer"))
    }
}

impl<'de> Deserialize<'de> for Coordinate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CoordinateVisitor { components: true })
    }
}

fn to_point<C: Curve>(coordinates: Option<[Coordinate; 2]>) -> Result<C, String> {
    let Some([x, y]) = coordinates else { return Ok(C::zero()) };
    let degree = C::BaseField::extension_degree() as usize;
    for (name, coordinate) in [("x", &x), ("y", &y)] {
        let found = coordinate.0.len();
        if found != degree {
            return Err(format!("{name} has {found} components, expected {degree}"));
        }
    }
    let elements = |Coordinate(parts): Coordinate| {
        parts.into_iter().map(|Integer(bytes)| prime_from_le(&bytes))
    };
    let point = from_components(elements(x), elements(y))?;
    check_on_curve(&point)?;
    Ok(point)
}

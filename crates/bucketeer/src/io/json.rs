//! The JSON form for small inputs.
//!
//! ```json
//! {"curve": "bn254-g1", "bases": [["0x1", "0x2"], null], "scalars": ["0xff", "123"]}
//! ```
//!
//! `null` is the identity. A coordinate over a quadratic extension is a pair `["c0", "c1"]`.
//! Integers are strings, hexadecimal with 0x or decimal. Other fields are ignored. The document is
//! parsed twice: once for the curve, which determines the range of scalars, and once for bases and
//! scalars, which are converted element by element.

use std::any::TypeId;
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use num_bigint::BigUint;
use serde::Deserialize;
use serde_json::Value;

use super::blocks::too_few;
use super::json_elements::{Contents, Count, Fields};
use super::source::ByteSource;
use super::{Malformed, ReadOptions, ScalarVec, point, write_atomically};
use crate::curves::{NamedCurve, Visitor};
use crate::{Curve, Error};

/// Bases and scalars of one file, equally many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonInput<C: Curve> {
    /// The bases.
    pub bases: Vec<C>,
    /// The scalars.
    pub scalars: ScalarVec<C::ScalarField>,
}

/// Reads bases and scalars from a JSON file. If no curve is given, the file must name that of `C`.
pub fn read_json<C: Curve>(
    path: &Path,
    curve: Option<&'static NamedCurve>,
    options: &ReadOptions,
) -> Result<JsonInput<C>, Error> {
    parse_json(&read_bytes(path)?, curve, options).map_err(|fault| fault.in_file(path))
}

/// The curve that a JSON file names.
pub fn json_curve(path: &Path) -> Result<&'static NamedCurve, Error> {
    parse_json_curve(&read_bytes(path)?).map_err(|fault| fault.in_file(path))
}

/// All bytes of a file. A pipe can be read only once, so [`parse_json_curve`] and [`parse_json`]
/// share them.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let source = ByteSource::open(path)?;
    match source {
        ByteSource::Memory(bytes) => Ok(bytes.into_owned()),
        ByteSource::File { .. } => {
            let bytes = source.unchanged(source.whole().bytes());
            bytes.map(Cow::into_owned).map_err(|fault| fault.in_file(path))
        }
    }
}

/// Bases and scalars from the bytes of a JSON file.
///
/// ```
/// use bucketeer::io::{ReadOptions, parse_json};
/// let text = br#"{"curve": "bn254", "bases": [["0x1", "0x2"], null], "scalars": ["7", "0x8"]}"#;
/// let input = parse_json::<ark_bn254::G1Affine>(text, None, &ReadOptions::default())?;
/// let sum = bucketeer::msm(&input.bases, &input.scalars);
/// assert_eq!(sum, Ok(input.bases[0] * ark_bn254::Fr::from(7)));
/// # Ok::<(), bucketeer::io::Malformed>(())
/// ```
pub fn parse_json<C: Curve>(
    bytes: &[u8],
    curve: Option<&'static NamedCurve>,
    options: &ReadOptions,
) -> Result<JsonInput<C>, Malformed> {
    let curve = check_curve::<C>(bytes, curve)?;
    let contents = contents::<C>(bytes, curve, options, Fields::Both)?;
    let mut input = JsonInput {
        bases: required(contents.bases, "bases")?,
        scalars: required(contents.scalars, "scalars")?,
    };
    if let Some(count) = options.first {
        enough(count, input.scalars.len(), "scalar")?;
        input.scalars.truncate(count);
    }
    if input.bases.len() != input.scalars.len() {
        return Err(Malformed::new(format!(
            "{} bases but {} scalars: the lengths must be equal",
            input.bases.len(),
            input.scalars.len()
        )));
    }
    Ok(input)
}

/// The curve that the bytes of a JSON file name.
pub fn parse_json_curve(bytes: &[u8]) -> Result<&'static NamedCurve, Malformed> {
    required(named_curve(bytes)?, "curve")
}

/// The bases of a JSON document alone.
pub(super) fn parse_bases<C: Curve>(
    bytes: &[u8],
    curve: &'static NamedCurve,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    let curve = check_curve::<C>(bytes, Some(curve))?;
    required(contents::<C>(bytes, curve, options, Fields::Bases)?.bases, "bases")
}

/// The scalars of a JSON document alone.
pub(super) fn parse_scalars<C: Curve>(
    bytes: &[u8],
    curve: &'static NamedCurve,
    options: &ReadOptions,
) -> Result<ScalarVec<C::ScalarField>, Malformed> {
    let curve = check_curve::<C>(bytes, Some(curve))?;
    let mut scalars =
        required(contents::<C>(bytes, curve, options, Fields::Scalars)?.scalars, "scalars")?;
    if let Some(count) = options.first {
        enough(count, scalars.len(), "scalar")?;
        scalars.truncate(count);
    }
    Ok(scalars)
}

fn required<T>(found: Option<T>, field: &str) -> Result<T, Malformed> {
    found.ok_or_else(|| Malformed::new(format!("no field \"{field}\"")))
}

fn named_curve(bytes: &[u8]) -> Result<Option<&'static NamedCurve>, Malformed> {
    #[derive(Deserialize)]
    struct Header {
        curve: Option<String>,
    }
    if bytes.is_empty() {
        return Err(Malformed::new("the file is empty"));
    }
    let header: Header = serde_json::from_slice(bytes).map_err(not_json)?;
    let named = |name: String| NamedCurve::named(&name).map_err(|e| Malformed::new(e.to_string()));
    header.curve.map(named).transpose()
}

/// The curve and the numbers of elements of a document, which are skipped.
pub(super) struct Outline {
    pub(super) curve: Option<&'static NamedCurve>,
    pub(super) bases: Option<u64>,
    pub(super) scalars: Option<u64>,
}

impl Outline {
    pub(super) fn read(text: impl Read) -> Result<Self, Malformed> {
        #[derive(Deserialize)]
        struct Fields {
            curve: Option<String>,
            bases: Option<Count>,
            scalars: Option<Count>,
        }
        let fields: Fields = serde_json::from_reader(text).map_err(not_json)?;
        let curve = fields.curve.map(|name| NamedCurve::named(&name)).transpose();
        let curve = curve.map_err(|error| Malformed::new(error.to_string()))?;
        let count = |list: Option<Count>| list.map(|Count(count)| count);
        Ok(Self { curve, bases: count(fields.bases), scalars: count(fields.scalars) })
    }
}

/// The curve of the document. It must be the requested one, if any, and that of `C`.
fn check_curve<C: Curve>(
    bytes: &[u8],
    requested: Option<&'static NamedCurve>,
) -> Result<&'static NamedCurve, Malformed> {
    struct IsType(TypeId);
    impl Visitor for IsType {
        type Output = bool;
        fn visit<C: Curve>(self, _: &'static NamedCurve) -> bool {
            TypeId::of::<C>() == self.0
        }
    }
    let found = named_curve(bytes)?;
    let curve = required(found.or(requested), "curve")?;
    if let Some(requested) = requested.filter(|requested| *requested != curve) {
        return Err(Malformed::new(format!("wrong curve: {curve}, expected {requested}")));
    }
    if !curve.visit(IsType(TypeId::of::<C>())) {
        return Err(Malformed::new(format!("wrong curve: {curve} has points of another type")));
    }
    Ok(curve)
}

fn contents<C: Curve>(
    bytes: &[u8],
    curve: &'static NamedCurve,
    options: &ReadOptions,
    fields: Fields,
) -> Result<Contents<C>, Malformed> {
    let mut contents = Contents::read(bytes, curve, options, fields).map_err(not_json)?;
    if let Some(mut bases) = contents.bases.take() {
        if let Some(count) = options.first {
            enough(count, bases.len(), "base")?;
            bases.truncate(count);
        }
        contents.bases = Some(point::check_subgroup(bases, 0, options)?);
    }
    Ok(contents)
}

fn enough(requested: usize, found: usize, what: &str) -> Result<(), Malformed> {
    match requested > found {
        true => Err(Malformed::new(too_few(requested, found as u64, what))),
        false => Ok(()),
    }
}

fn not_json(error: serde_json::Error) -> Malformed {
    Malformed::new(match error.is_data() {
        true => error.to_string(),
        false => format!("not valid JSON: {error}"),
    })
}

/// A point as JSON: `null` for the identity, otherwise both coordinates in lower-case hexadecimal
/// without leading zeros.
///
/// ```
/// use ark_ec::AffineRepr;
/// use bucketeer::io::point_to_json;
/// let generator = ark_bn254::G1Affine::generator();
/// assert_eq!(point_to_json(&generator).to_string(), r#"["0x1","0x2"]"#);
/// assert!(point_to_json(&ark_bn254::G1Affine::zero()).is_null());
/// ```
pub fn point_to_json<C: Curve>(point: &C) -> Value {
    let json = |element: C::BaseField| coordinate(&point::integers(&element));
    point.xy().map_or(Value::Null, |(x, y)| Value::Array(vec![json(x), json(y)]))
}

/// A coordinate as JSON: its component, or a list of them.
pub(crate) fn coordinate(components: &[BigUint]) -> Value {
    let mut parts: Vec<Value> =
        components.iter().map(|integer| hexadecimal(integer).into()).collect();
    match parts.len() {
        1 => parts.remove(0),
        _ => Value::Array(parts),
    }
}

fn hexadecimal(integer: &BigUint) -> String {
    format!("{integer:#x}")
}

/// Writes bases and scalars as JSON.
pub fn write_json<C: Curve>(
    path: &Path,
    curve: &'static NamedCurve,
    bases: &[C],
    scalars: &ScalarVec<C::ScalarField>,
) -> Result<(), Error> {
    write_atomically(path, |writer| {
        write!(writer, "{{\"curve\":\"{curve}\",\"bases\":[")?;
        for (index, base) in bases.iter().enumerate() {
            write!(writer, "{}{}", comma(index), point_to_json(base))?;
        }
        write!(writer, "],\"scalars\":[")?;
        let mut index = 0;
        scalars.try_for_each(|bytes| {
            let scalar = hexadecimal(&BigUint::from_bytes_le(bytes));
            index += 1;
            write!(writer, "{}\"{scalar}\"", comma(index - 1))
        })?;
        writeln!(writer, "]}}")
    })
}

fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}

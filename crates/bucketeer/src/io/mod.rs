//! File formats: reading and writing bases and scalars.
//!
//! | format | holds | curves |
//! | --- | --- | --- |
//! | arkworks canonical serialisation of a vector | bases or scalars | all |
//! | JSON: `{"curve": …, "bases": […], "scalars": […]}` | both | all |
//! | snarkjs `.ptau`, every section of points | bases | bn254, bls12-381 |
//! | snarkjs `.zkey`, every section of points | bases | bn254, bls12-381 |
//! | the same, whole | a [proving key](Zkey) | bn254, bls12-381 |
//! | snarkjs `.wtns` | scalars: a [witness](read_witness) | all |
//! | gnark's raw encoding of a slice of points | bases | bn254, bls12-377, bls12-381 |
//! | Groth16 parameters of bellman, every section | bases | bls12-381 |
//! | transcript of Aztec's Ignition ceremony | bases | bn254-g1 |
//! | a [table](TableHeader) of resident bases | see [`Bases::open`](crate::Bases::open) | all |
//!
//! Every reader works in four steps:
//!
//! 1. It opens the file. JSON, and whatever is not a regular file, is read into memory.
//! 2. It checks all lengths, before it allocates anything.
//! 3. It reads, parses and checks blocks of elements in parallel, straight into the result. A file
//!    that is truncated meanwhile is an error.
//! 4. It checks that bases lie in the prime-order subgroup, all of them together.
//!
//! A `read_…` function takes a path and names it in its errors. A `parse_…` function takes bytes.
//!
//! ```
//! use bucketeer::curves::NamedCurve;
//! use bucketeer::io::{self, Encoding, ReadOptions};
//! use ark_bn254::G1Affine;
//! use ark_ec::AffineRepr;
//!
//! let directory = tempfile::tempdir().map_err(|e| bucketeer::Error::Internal(e.to_string()))?;
//! let path = directory.path().join("bases.bin");
//! let points = vec![G1Affine::generator(); 3];
//! io::write_bases(&path, &points, Encoding::Compressed)?;
//! let curve = NamedCurve::named("bn254")?;
//! let read: Vec<G1Affine> = io::read_bases(&path, curve, None, &ReadOptions::default())?;
//! assert_eq!(read, points);
//! # Ok::<(), bucketeer::Error>(())
//! ```

mod arkworks;
mod bellman;
mod blocks;
mod coefficients;
mod diagnose;
mod digest;
mod format;
mod gnark;
mod headers;
mod ignition;
mod inspect;
mod json;
mod json_elements;
mod located;
mod malformed;
mod montgomery;
mod point;
mod scalar_vec;
mod sections;
mod snarkjs;
mod source;
mod stream;
mod table;
mod write;
mod wtns;
mod zkey;

pub use crate::scalar_vec::ScalarVec;
pub use arkworks::{parse_arkworks_bases, parse_arkworks_scalars, write_bases, write_scalars};
pub use coefficients::{Coefficient, Matrix};
pub use format::{Encoding, Format, detect, detect_bytes};
pub use inspect::{Contents, Holds, Inspection, inspect, inspect_bytes};
#[cfg(all(feature = "any", not(test)))]
pub(crate) use json::coordinate;
pub use json::{
    JsonInput, json_curve, parse_json, parse_json_curve, point_to_json, read_bytes, read_json,
    write_json,
};
pub use malformed::Malformed;
pub use stream::{BasesFile, ScalarsFile, StreamPlan, StreamReport, Streamed, is_streamable};
pub use table::TableHeader;
pub use write::{abandon_writes, try_abandon_writes, write_atomically, write_together};
pub use wtns::{parse_witness, read_witness};
pub use zkey::{Zkey, ZkeyFile, parse_zkey};

use std::path::Path;

use crate::curves::NamedCurve;
use crate::{Curve, Error};
use blocks::Elements;
use located::Located;
use source::{ByteRange, ByteSource};

/// What readers check and what they correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOptions {
    /// Whether bases must lie in the prime-order subgroup. Long files are checked by sums of random
    /// subsets, which miss a bad base with probability at most 2^−64. Bases must lie on the curve
    /// in any case.
    pub subgroup_check: bool,
    /// Whether scalars above their bound are reduced modulo the group order instead of rejected.
    pub reduce: bool,
    /// Read only this many elements, the first ones. A file with fewer is an error.
    pub first: Option<usize>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { subgroup_check: true, reduce: false, first: None }
    }
}

/// Reads bases from a file of any format.
///
/// `section` selects the points of a snarkjs file:
///
/// - of a `.ptau`: `tau-g1`, `tau-g2`, `alpha-tau-g1`, `beta-tau-g1`, `beta-g2`;
/// - of one prepared for phase 2 also `lagrange-g1`, `lagrange-g2`, `lagrange-alpha-g1` and
///   `lagrange-beta-g1`: the basis of the file's power, or of another one as in `lagrange-g1:10`;
/// - of a `.zkey` for Groth16: `a`, `b1`, `b2`, `c`, `h`, `ic`, and the single points `alpha-g1`,
///   `beta-g1`, `beta-g2`, `gamma-g2`, `delta-g1`, `delta-g2`;
/// - of a `.zkey` for PLONK or FFLONK: `tau-g1`.
///
/// The default depends on the group of the curve: `tau-g1` and `a` for G1, `tau-g2` and `b2` for
/// G2.
pub fn read_bases<C: Curve>(
    path: &Path,
    curve: &'static NamedCurve,
    section: Option<&str>,
    options: &ReadOptions,
) -> Result<Vec<C>, Error> {
    ByteSource::reading(path, |file| bases_in(file, curve, section, options))
}

/// Bases from the bytes of a file of any format; the same as [`read_bases`] otherwise.
pub fn parse_bases<C: Curve>(
    bytes: &[u8],
    curve: &'static NamedCurve,
    section: Option<&str>,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    bases_in(ByteSource::from(bytes).whole(), curve, section, options)
}

fn bases_in<C: Curve>(
    file: ByteRange<'_>,
    curve: &'static NamedCurve,
    section: Option<&str>,
    options: &ReadOptions,
) -> Result<Vec<C>, Malformed> {
    match locate_bases::<C>(file, curve, section)? {
        Some(located) => located.read(curve, options),
        None => json::parse_bases(&file.bytes()?, curve, options),
    }
}

/// The bases of a file, found but not read; `None` for JSON, which is read as a whole.
fn locate_bases<'a, C: Curve>(
    file: ByteRange<'a>,
    curve: &'static NamedCurve,
    section: Option<&str>,
) -> Result<Option<Located<'a>>, Malformed> {
    let format = format::detect_range(file, curve)?;
    if let Some(section) = section
        && matches!(format, Format::Arkworks(_) | Format::Json | Format::Gnark | Format::Ignition)
    {
        return Err(Malformed::new(format!(
            "section \"{section}\" was requested, but a file of format {format} has no sections"
        )));
    }
    Ok(Some(match format {
        Format::Arkworks(encoding) => arkworks::locate_bases::<C>(file, curve, encoding)?,
        Format::Json => return Ok(None),
        Format::Ptau => snarkjs::locate_ptau::<C>(file, curve, section)?,
        Format::Zkey => snarkjs::locate_zkey::<C>(file, curve, section)?,
        Format::Gnark => gnark::locate(file, curve),
        Format::Bellman => bellman::locate::<C>(file, curve, section)?,
        Format::Ignition => ignition::locate(file, curve)?,
        Format::Wtns | Format::R1cs | Format::Table => return Err(format.no_bases()),
    }))
}

/// Reads scalars from an arkworks, JSON or `.wtns` file.
pub fn read_scalars<C: Curve>(
    path: &Path,
    curve: &'static NamedCurve,
    options: &ReadOptions,
) -> Result<ScalarVec<C::ScalarField>, Error> {
    ByteSource::reading(path, |file| scalars_in::<C>(file, curve, options))
}

fn scalars_in<C: Curve>(
    file: ByteRange<'_>,
    curve: &'static NamedCurve,
    options: &ReadOptions,
) -> Result<ScalarVec<C::ScalarField>, Malformed> {
    match locate_scalars::<C>(file, curve)? {
        Some(elements) => ScalarVec::parse(&elements.first(options.first)?, curve, options),
        None => json::parse_scalars::<C>(&file.bytes()?, curve, options),
    }
}

/// The scalars of a file, found but not read; `None` for JSON.
fn locate_scalars<'a, C: Curve>(
    file: ByteRange<'a>,
    curve: &'static NamedCurve,
) -> Result<Option<Elements<'a>>, Malformed> {
    match format::without_curve(file)? {
        None => arkworks::locate_scalars::<C>(file, curve).map(Some),
        Some(Format::Json) => Ok(None),
        Some(Format::Wtns) => wtns::values::<C::ScalarField>(file, "scalar").map(Some),
        Some(other) => Err(other.no_scalars()),
    }
}

//! The input of `msm`: random from a seed, or read from files.

use std::path::{Path, PathBuf};

use bucketeer::any::{AnyCurve, AnyPoints, AnyScalars, AnyStream};
use bucketeer::curves::NamedCurve;
use bucketeer::io::{self, ReadOptions};
use bucketeer::random::Distribution;
use bucketeer::{Device, Error};

use crate::args::{self, RandomArgs};
use crate::failure::Failure;
use crate::memory;

/// Points and the scalars of one or more MSMs over them.
pub struct Input {
    pub points: Box<dyn AnyPoints>,
    pub batch: Vec<AnyScalars>,
}

/// Random points with known logarithms, and scalars for `batch` MSMs; the first MSM is what
/// `generate` writes for the seed.
pub fn random(
    curve: &dyn AnyCurve,
    n: usize,
    batch: usize,
    seed: u64,
    kind: Distribution,
) -> Input {
    let batch = random_scalars(curve, n, batch, seed, kind);
    Input { points: curve.random_bases(n, seed), batch }
}

/// Random scalars of `batch` MSMs over `n` bases.
pub fn random_scalars(
    curve: &dyn AnyCurve,
    n: usize,
    batch: usize,
    seed: u64,
    kind: Distribution,
) -> Vec<AnyScalars> {
    let scalars = |i: usize| curve.random_scalars(kind, n, seed.wrapping_add(i as u64));
    (0..batch).map(scalars).collect()
}

/// The input files.
#[derive(clap::Args)]
pub struct FileArgs {
    /// JSON file with bases and scalars
    #[arg(long, value_name = "FILE", group = "files",
          conflicts_with_all = ["seed", "distribution"])]
    pub input: Option<PathBuf>,
    /// File of bases: .ptau, .zkey, arkworks, JSON, gnark, bellman or Ignition; see
    /// `bucketeer inspect`
    #[arg(long, value_name = "FILE", groups = ["files", "points"], long_help = args::BASES)]
    pub bases: Option<PathBuf>,
    /// Table that `bucketeer precompute` wrote, in place of bases
    #[arg(long, value_name = "FILE", groups = ["files", "points"], conflicts_with_all = [
        "precompute", "odd_multiples", "window_bits", "any_point", "preset", "no_subgroup_check",
    ])]
    pub table: Option<PathBuf>,
    /// File of scalars, one per base and MSM of the --batch: arkworks, .wtns or JSON
    #[arg(long, value_name = "FILE", requires = "points", long_help = args::SCALARS,
          conflicts_with_all = ["seed", "distribution"])]
    pub scalars: Option<PathBuf>,
    /// Section of a .ptau or .zkey file, such as tau-g1, lagrange-g1:10 or a
    #[arg(long, value_name = "NAME", requires = "bases", long_help = args::SECTIONS)]
    pub section: Option<String>,
    /// Vouch that the points lie in the prime-order subgroup; for other points use --any-point
    #[arg(long, requires = "files")]
    pub no_subgroup_check: bool,
    /// Reduce scalars modulo the group order instead of rejecting large ones
    #[arg(long, requires = "files")]
    pub reduce: bool,
}

impl FileArgs {
    /// The JSON file, if one was given.
    pub fn document(&self) -> Result<Option<Document>, Error> {
        let read =
            |path: &PathBuf| Ok(Document { path: path.clone(), bytes: io::read_bytes(path)? });
        self.input.as_ref().map(read).transpose()
    }

    /// The files of bases and scalars, to be read chunk by chunk; `None` if that is not possible.
    pub fn stream(
        &self,
        curve: &dyn AnyCurve,
        n: Option<usize>,
        subgroup_check: bool,
    ) -> Result<Option<Box<dyn AnyStream>>, Failure> {
        let (Some(bases), Some(scalars)) = (&self.bases, &self.scalars) else { return Ok(None) };
        if !io::is_streamable(bases)? || !io::is_streamable(scalars)? {
            return Ok(None);
        }
        let options = ReadOptions { subgroup_check, reduce: self.reduce, first: n };
        let stream = curve.stream(bases, self.section.as_deref(), scalars, &options);
        Ok(Some(stream.map_err(|error| match error {
            Error::LengthMismatch { bases, scalars: count } => mismatch(scalars, bases, count, 1),
            other => other,
        })?))
    }

    /// Whether bases must lie in the subgroup.
    pub fn subgroup_check(&self, any_point: bool) -> bool {
        !self.no_subgroup_check && !any_point
    }

    /// Reads the files, if any were given; of each only what `n` bases need. Without a file of
    /// scalars these are random.
    pub fn read(
        &self,
        document: Option<&Document>,
        curve: &dyn AnyCurve,
        n: Option<usize>,
        batch: usize,
        any_point: bool,
        random: &RandomArgs,
    ) -> Result<Option<Input>, Failure> {
        let subgroup_check = self.subgroup_check(any_point);
        let options = ReadOptions { subgroup_check, reduce: self.reduce, first: n };
        let (path, points, scalars) = match (document, &self.bases, &self.scalars) {
            (Some(Document { path, bytes }), ..) => {
                let input = curve.parse_json(bytes, &options);
                let (points, scalars) = input.map_err(|fault| fault.in_file(path))?;
                (path, points, scalars)
            }
            (None, Some(path), Some(scalars_path)) => {
                let pipe = std::fs::metadata(path).is_ok_and(|found| !found.is_file());
                if path == scalars_path && pipe {
                    let reason = "a pipe can be read once, as bases or as scalars".into();
                    return Err(Error::File { path: path.clone(), reason }.into());
                }
                let points = curve.read_bases(path, self.section.as_deref(), &options)?;
                // A product that overflows asks for more scalars than any file has.
                let first = n.map(|n| n.saturating_mul(batch));
                let scalars =
                    curve.read_scalars(scalars_path, &ReadOptions { first, ..options })?;
                (scalars_path, points, scalars)
            }
            (None, Some(path), None) => {
                let points = curve.read_bases(path, self.section.as_deref(), &options)?;
                let n = points.len();
                memory::Job { n, batch, settings: None }.check(curve, &Device::cpu())?;
                let batch = random_scalars(curve, n, batch, random.seed, random.distribution);
                return Ok(Some(Input { points, batch }));
            }
            _ => return Ok(None),
        };
        let (n, count) = (points.len(), scalars.len());
        if n.checked_mul(batch) != Some(count) {
            return Err(mismatch(path, n, count, batch).into());
        }
        Ok(Some(Input { points, batch: scalars.split(n, batch) }))
    }
}

/// The error of a file with another number of scalars than the bases and MSMs need.
pub fn mismatch(path: &Path, bases: usize, scalars: usize, batch: usize) -> Error {
    let needed = if batch == 1 { "1 for each".into() } else { format!("{batch} for each") };
    let mut reason = format!("{scalars} scalars for {bases} bases: there must be {needed}");
    if scalars < bases && batch == 1 {
        reason += &format!("; -n {scalars} takes the first bases");
    }
    Error::File { path: path.into(), reason }
}

/// A JSON file. It is read only once, since it may be a pipe.
pub struct Document {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Document {
    /// The curve that the file names.
    pub fn curve(&self) -> Result<&'static NamedCurve, Error> {
        io::parse_json_curve(&self.bytes).map_err(|fault| fault.in_file(&self.path))
    }
}

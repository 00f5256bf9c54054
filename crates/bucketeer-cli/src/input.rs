//! The input of `msm`: random from a seed, or read from files.

use std::path::PathBuf;

use bucketeer::Error;
use bucketeer::any::{AnyCurve, AnyPoints, AnyScalars};
use bucketeer::curves::NamedCurve;
use bucketeer::io::{self, ReadOptions};
use bucketeer::random::Distribution;

use crate::failure::Failure;

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
    let scalars = |i: usize| curve.random_scalars(kind, n, seed.wrapping_add(i as u64));
    Input { points: curve.random_bases(n, seed), batch: (0..batch).map(scalars).collect() }
}

/// The input files.
#[derive(clap::Args)]
pub struct FileArgs {
    /// JSON file with bases and scalars
    #[arg(long, value_name = "FILE", group = "files",
          conflicts_with_all = ["seed", "distribution"])]
    pub input: Option<PathBuf>,
    /// File of bases: arkworks, .ptau, .zkey or JSON
    #[arg(long, value_name = "FILE", group = "files", requires = "scalars",
          conflicts_with_all = ["seed", "distribution"])]
    pub bases: Option<PathBuf>,
    /// File of scalars, one per base and MSM of the --batch: arkworks, .wtns or JSON
    #[arg(long, value_name = "FILE", requires = "bases")]
    pub scalars: Option<PathBuf>,
    /// Section of a .ptau or .zkey file
    #[arg(long, value_name = "NAME", requires = "bases")]
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

    /// Reads the files, if any were given.
    pub fn read(
        &self,
        document: Option<&Document>,
        curve: &dyn AnyCurve,
        batch: usize,
        any_point: bool,
    ) -> Result<Option<Input>, Failure> {
        let subgroup_check = !self.no_subgroup_check && !any_point;
        let options = ReadOptions { subgroup_check, reduce: self.reduce };
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
                (scalars_path, points, curve.read_scalars(scalars_path, &options)?)
            }
            _ => return Ok(None),
        };
        let (n, count) = (points.len(), scalars.len());
        if n.checked_mul(batch) != Some(count) {
            let needed = if batch == 1 { "1 for each".into() } else { format!("{batch} for each") };
            let reason = format!("{count} scalars for {n} bases: there must be {needed}");
            return Err(Error::File { path: path.clone(), reason }.into());
        }
        Ok(Some(Input { points, batch: scalars.split(n, batch) }))
    }
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

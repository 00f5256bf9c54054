//! The input of `msm`: random from a seed, or read from files.

use std::path::PathBuf;

use bucketeer::conformance::{Distribution, KnownBases};
use bucketeer::curves::NamedCurve;
use bucketeer::io::{self, ReadOptions, ScalarVec};
use bucketeer::{Curve, Error};

use crate::failure::Failure;

/// Bases, and how a sum over them can be checked.
pub enum Points<C: Curve> {
    /// Random, with known logarithms.
    Known(KnownBases<C>),
    /// Read from a file.
    Read(Vec<C>),
}

/// Bases and the scalars of one or more MSMs over them.
pub struct Input<C: Curve> {
    pub points: Points<C>,
    pub batch: Vec<ScalarVec<C::ScalarField>>,
}

impl<C: Curve> Input<C> {
    /// The bases.
    pub fn bases(&self) -> &[C] {
        match &self.points {
            Points::Known(known) => &known.points,
            Points::Read(points) => points,
        }
    }
}

/// Random bases, and scalars for `batch` MSMs; the first MSM is what `generate` writes for the seed.
pub fn random<C: Curve>(n: usize, batch: usize, seed: u64, kind: Distribution) -> Input<C> {
    let scalars = |i: usize| ScalarVec::Residues(kind.scalars(n, seed.wrapping_add(i as u64)));
    Input {
        points: Points::Known(KnownBases::new(n, seed)),
        batch: (0..batch).map(scalars).collect(),
    }
}

/// The files an input is read from.
#[derive(clap::Args)]
pub struct FileArgs {
    /// JSON file with bases and scalars
    #[arg(long, value_name = "FILE", group = "files", conflicts_with_all = ["seed", "distribution"])]
    pub input: Option<PathBuf>,
    /// File of bases: arkworks, .ptau, .zkey or JSON
    #[arg(long, value_name = "FILE", group = "files", requires = "scalars",
          conflicts_with_all = ["seed", "distribution"])]
    pub bases: Option<PathBuf>,
    /// File of scalars, as many as there are bases (times --batch)
    #[arg(long, value_name = "FILE", requires = "bases")]
    pub scalars: Option<PathBuf>,
    /// Section of a .ptau or .zkey file
    #[arg(long, value_name = "NAME", requires = "bases")]
    pub section: Option<String>,
    /// Vouch that the points read lie in the prime-order subgroup; --any-point is for others
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
    pub fn read<C: Curve>(
        &self,
        document: Option<&Document>,
        curve: &'static NamedCurve,
        batch: usize,
        any_point: bool,
    ) -> Result<Option<Input<C>>, Failure> {
        let subgroup_check = !self.no_subgroup_check && !any_point;
        let options = ReadOptions { subgroup_check, reduce: self.reduce };
        let (path, bases, scalars) = match (document, &self.bases, &self.scalars) {
            (Some(Document { path, bytes }), ..) => {
                let input = io::parse_json::<C>(bytes, Some(curve), &options);
                let input = input.map_err(|fault| fault.in_file(path))?;
                (path, input.bases, input.scalars)
            }
            (None, Some(path), Some(scalars_path)) => {
                let pipe = std::fs::metadata(path).is_ok_and(|found| !found.is_file());
                if path == scalars_path && pipe {
                    let reason = "a pipe can be read once, as bases or as scalars".into();
                    return Err(Error::File { path: path.clone(), reason }.into());
                }
                let bases = io::read_bases(path, curve, self.section.as_deref(), &options)?;
                (scalars_path, bases, io::read_scalars::<C>(scalars_path, curve, &options)?)
            }
            _ => return Ok(None),
        };
        let (n, count) = (bases.len(), scalars.len());
        if n.checked_mul(batch) != Some(count) {
            let needed = if batch == 1 { "1 for each".into() } else { format!("{batch} for each") };
            let reason = format!("{count} scalars for {n} bases: there must be {needed}");
            return Err(Error::File { path: path.clone(), reason }.into());
        }
        Ok(Some(Input { points: Points::Read(bases), batch: split(scalars, n, batch) }))
    }
}

/// A JSON file, read once: it may be a pipe.
pub struct Document {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Document {
    /// The curve that it names.
    pub fn curve(&self) -> Result<&'static NamedCurve, Error> {
        io::parse_json_curve(&self.bytes).map_err(|fault| fault.in_file(&self.path))
    }
}

/// Cuts the scalars of a batch into one vector per MSM.
fn split<F>(scalars: ScalarVec<F>, n: usize, batch: usize) -> Vec<ScalarVec<F>> {
    match scalars {
        ScalarVec::Residues(all) => {
            let mut all = all.into_iter();
            (0..batch).map(|_| ScalarVec::Residues(all.by_ref().take(n).collect())).collect()
        }
        ScalarVec::Integers { words, words_each, bits } => {
            let mut words = words.into_iter();
            let mut one = |_| {
                let words = words.by_ref().take(n * words_each).collect();
                ScalarVec::Integers { words, words_each, bits }
            };
            (0..batch).map(&mut one).collect()
        }
    }
}

//! Sums of chunks that are kept in a folder.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use ark_bls12_377::{Fr, G1Affine, G1Projective};
use bucketeer::io::{self, BasesFile, Encoding, ScalarVec, ScalarsFile, StreamReport, Streamed};
use bucketeer::plan::Settings;
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Bases, Builder, Device, Error, Hook};
use tempfile::TempDir;

use super::builders::*;

const N: usize = 900;

/// Files of bases and scalars, and a folder for sums.
struct Files {
    folder: TempDir,
    known: KnownBases<G1Affine>,
    scalars: Vec<Fr>,
}

impl Files {
    fn new() -> Self {
        let (folder, known) = (TempDir::new().unwrap(), KnownBases::new(N, 8));
        let files = Self { folder, known, scalars: Distribution::Uniform.scalars(N, 8) };
        let points = &files.known.points;
        io::write_bases(&files.path("bases"), points, Encoding::Uncompressed).unwrap();
        files.write_scalars();
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write_scalars(&self) {
        let scalars = ScalarVec::Residues(self.scalars.clone());
        io::write_scalars(&self.path("scalars"), &scalars).unwrap();
    }

    fn expected(&self) -> G1Projective {
        self.known.expected(&self.scalars)
    }

    fn open(&self) -> Streamed<G1Affine> {
        let curve = named("bls12-377");
        let bases = BasesFile::open(&self.path("bases"), curve, None, &CHECKED).unwrap();
        let scalars = ScalarsFile::open(&self.path("scalars"), curve, &CHECKED).unwrap();
        Streamed::new(bases, scalars).unwrap().with_checkpoint(&self.path("sums")).unwrap()
    }

    fn run(&self, builder: &Builder<G1Affine>) -> Result<StreamReport<G1Affine>, Error> {
        self.open().msm_with_report(&Device::cpu(), builder)
    }

    /// The number of chunks that were kept before, and a right sum.
    #[track_caller]
    fn kept(&self, builder: &Builder<G1Affine>) -> usize {
        let report = self.run(builder).unwrap();
        assert_eq!(report.result, self.expected());
        report.kept
    }

    fn sums(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("sums")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|own| own == "sum")).collect()
    }
}

fn chunks(most: usize) -> Builder<G1Affine> {
    let mut settings = Settings::default();
    settings.chunk = Some(most);
    Bases::builder().settings(settings)
}

#[test]
fn only_what_is_missing_is_computed() {
    let mut files = Files::new();
    assert_eq!(files.kept(&chunks(100)), 0);
    assert_eq!(files.sums().len(), 9);
    // Chunks of the same length, although nothing says so.
    assert_eq!(files.kept(&Bases::builder()), 9);
    assert_eq!(files.kept(&chunks(100).memory_limit(64 << 20)), 9);
    fs::remove_file(&files.sums()[4]).unwrap();
    assert_eq!(files.kept(&Bases::builder()), 8);
    // Another length, which is kept from now on.
    assert_eq!(files.kept(&chunks(300)), 0);
    assert_eq!(files.kept(&Bases::builder()), 3);
    // Other scalars in one chunk.
    files.scalars[350] += Fr::from(1);
    files.write_scalars();
    assert_eq!(files.kept(&chunks(100)), 8);
    assert_eq!(files.kept(&chunks(100).any_point()), 0);
}

/// A run that checks its bases used to take sums of a run that had not checked them.
#[test]
fn sums_over_bases_that_were_not_checked_are_computed_again() {
    let files = Files::new();
    assert_eq!(files.kept(&chunks(100)), 0);
    assert_eq!(files.kept(&chunks(100).check_subgroup()), 0);
    assert_eq!(files.kept(&chunks(100).check_subgroup()), 9);
    assert_eq!(files.kept(&chunks(100)), 9);
}

#[test]
fn a_run_that_was_cancelled_goes_on() {
    let files = Files::new();
    let hook: Hook = Arc::new(|progress| match progress.done * 2 > progress.total {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    let cancelled = files.run(&chunks(100).on_progress(hook.clone())).map(|_| ());
    assert_eq!(cancelled, Err(Error::Cancelled));
    let done = files.sums().len();
    assert!((3..9).contains(&done), "{done}");
    // Chunks that are skipped are progress, too, and can be cancelled.
    let cancelled = files.run(&Bases::builder().on_progress(hook)).map(|_| ());
    assert_eq!(cancelled, Err(Error::Cancelled));
    let done = files.sums().len();
    assert_eq!(files.kept(&Bases::builder()), done);
}

#[test]
fn damaged_sums_are_computed_again() {
    let files = Files::new();
    assert_eq!(files.kept(&chunks(450)), 0);
    let path = files.sums().remove(0);
    let bytes = fs::read(&path).unwrap();
    let cases = (0..bytes.len()).step_by(11).map(|place| {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        damaged
    });
    for damaged in cases.chain([Vec::new(), bytes[..50].to_vec(), bytes[1..].to_vec()]) {
        fs::write(&path, damaged).unwrap();
        assert_eq!(files.kept(&Bases::builder()), 1);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    // A sum under the name of another one.
    let [first, second] = <[PathBuf; 2]>::try_from(files.sums()).unwrap();
    fs::copy(first, second).unwrap();
    assert_eq!(files.kept(&Bases::builder()), 1);
}

#[test]
fn folders_that_cannot_be_used() {
    let files = Files::new();
    let in_file = files.open().with_checkpoint(&files.path("bases").join("sums")).map(|_| ());
    assert!(matches!(in_file, Err(Error::File { .. })));
    files.kept(&chunks(300));
    fs::write(files.path("sums").join("chunk"), "many").unwrap();
    let found = files.run(&Bases::builder()).map(|_| ());
    assert_says(&reason(found), &["expected the number of bases of a chunk"]);
}

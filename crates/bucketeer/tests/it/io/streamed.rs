//! MSMs over files that are read chunk by chunk.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use ark_bls12_377 as bls377;
use ark_ff::PrimeField;
use bucketeer::curves::NamedCurve;
use bucketeer::curves::ark_bn254 as bn;
use bucketeer::io::{
    self, BasesFile, Encoding, ReadOptions, ScalarVec, ScalarsFile, Streamed, is_streamable,
};
use bucketeer::plan::Settings;
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{AsScalars, Bases, Builder, Curve, Device, Error, Hook, Progress, msm};
use tempfile::TempDir;

use super::builders::*;

/// Files of bases and scalars in a folder of their own.
struct Files {
    _folder: TempDir,
    bases: PathBuf,
    scalars: PathBuf,
}

impl Files {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let [bases, scalars] = ["bases", "scalars"].map(|name| folder.path().join(name));
        Self { _folder: folder, bases, scalars }
    }

    fn of<C: Curve>(points: &[C], scalars: &ScalarVec<C::ScalarField>, encoding: Encoding) -> Self {
        let files = Self::new();
        io::write_bases(&files.bases, points, encoding).unwrap();
        io::write_scalars(&files.scalars, scalars).unwrap();
        files
    }

    /// Random ones on BLS12-377, with the sum.
    fn random(n: usize) -> (Self, bls377::G1Projective) {
        let known = KnownBases::<bls377::G1Affine>::new(n, 5);
        let scalars: Vec<bls377::Fr> = Distribution::Uniform.scalars(n, 5);
        let sum = known.expected(&scalars);
        let scalars = ScalarVec::Residues(scalars);
        (Self::of(&known.points, &scalars, Encoding::Uncompressed), sum)
    }

    fn open<C: Curve>(&self, curve: &'static NamedCurve) -> Result<Streamed<C>, Error> {
        open(&self.bases, &self.scalars, curve, &CHECKED)
    }
}

fn open<C: Curve>(
    bases: &Path,
    scalars: &Path,
    curve: &'static NamedCurve,
    options: &ReadOptions,
) -> Result<Streamed<C>, Error> {
    let bases = BasesFile::open(bases, curve, None, options)?;
    Streamed::new(bases, ScalarsFile::open(scalars, curve, options)?)
}

/// Settings for chunks of at most this many bases.
fn chunks<C: Curve>(most: usize) -> Builder<C> {
    let mut settings = Settings::default();
    settings.chunk = Some(most);
    Bases::builder().settings(settings)
}

/// Few curves, by their types: visiting the named ones would compile all of them.
fn streams<C: Curve>(name: &str) {
    let curve = named(name);
    let (points, scalars) = (points::<C>(45), scalars::<C>(curve, 45));
    let sum = msm(&points, &scalars).unwrap();
    for encoding in [Encoding::Compressed, Encoding::Uncompressed] {
        let files = Files::of(&points, &scalars, encoding);
        let streamed = files.open::<C>(curve).unwrap();
        for most in [1, 7, 44, 45, 1000] {
            let report = streamed.msm_with_report(&Device::cpu(), &chunks(most)).unwrap();
            assert_eq!(report.result, sum, "{curve}, chunks of {most}");
            assert_eq!(report.plan.chunks(), 45usize.div_ceil(most));
        }
    }
}

#[test]
fn streams_on_every_kind_of_curve() {
    streams::<bls377::G1Affine>("bls12-377");
    streams::<ark_bls12_381::G2Affine>("bls12-381-g2");
    streams::<ark_ed_on_bls12_377::EdwardsAffine>("ed-on-bls12-377");
}

#[test]
fn every_format_that_can_be_read_in_parts() {
    let g1 = points::<bn::G1Affine>(8);
    let g2 = points::<bn::G2Affine>(4);
    let (_folder, ptau) = file(ptau(&g1[..3], &g2[..2]));
    let (_folder_2, zkey) = file(container("zkey", &zkey_sections(&g1, &g2)));
    let read = |path: &Path, section| {
        let bases = BasesFile::open(path, named("bn254"), section, &CHECKED).unwrap();
        let parts = (0..bases.len()).map(|index| bases.read(index..index + 1).unwrap());
        parts.flatten().collect::<Vec<bn::G1Affine>>()
    };
    assert_eq!(read(&ptau, None), g1[..3]);
    assert_eq!(read(&zkey, Some("h")), g1);
    assert_eq!(read(&zkey, Some("b1")), g1[1..5]);
    let missing = BasesFile::<bn::G1Affine>::open(&zkey, named("bn254"), Some("k"), &CHECKED);
    assert_says(&reason(missing.map(|_| ())), &["no section \"k\""]);
}

#[test]
fn none_and_one() {
    for n in [0, 1] {
        let (files, sum) = Files::random(n);
        let streamed = files.open::<bls377::G1Affine>(named("bls12-377")).unwrap();
        assert_eq!(streamed.msm(&Device::cpu(), &Bases::builder()), Ok(sum));
    }
}

#[test]
fn a_memory_limit_makes_chunks() {
    let (files, sum) = Files::random(1 << 15);
    let curve = named("bls12-377");
    // Without what the check takes for each thread of the machine.
    let options = &NO_SUBGROUP_CHECK;
    let streamed = open::<bls377::G1Affine>(&files.bases, &files.scalars, curve, options).unwrap();
    let device = Device::cpu_with_threads(2).unwrap();
    let mut chunks = Vec::new();
    for limit in [1 << 30, 16 << 20, 8 << 20, 6 << 20] {
        let builder = Bases::builder().memory_limit(limit);
        let report = streamed.msm_with_report(&device, &builder).unwrap();
        assert_eq!(report.result, sum);
        assert!(report.plan.bytes() <= limit, "{}", report.plan);
        chunks.push(report.plan.chunks());
    }
    assert!(chunks[0] == 1 && chunks.is_sorted() && chunks[3] > 2, "{chunks:?}");
    let builder = Bases::builder().memory_limit(10_000);
    let none = streamed.msm(&device, &builder);
    assert!(matches!(none, Err(Error::OutOfMemory { available: 10_000, .. })), "{none:?}");
}

#[test]
fn several_devices_share_every_chunk() {
    let (files, sum) = Files::random(1000);
    let streamed = files.open::<bls377::G1Affine>(named("bls12-377")).unwrap();
    let one = || Device::cpu_with_threads(1).unwrap();
    let both = Device::several(&[one(), one()]).unwrap();
    assert_eq!(streamed.msm(&both, &chunks(300)), Ok(sum));
    let report = streamed.msm_with_report(&both, &Bases::builder().memory_limit(1 << 30));
    assert_eq!(report.unwrap().result, sum);
}

#[test]
fn errors_have_the_index_in_the_file() {
    let curve = named("bls12-381");
    type Point = ark_bls12_381::G1Affine;
    let (good, scalars) = (points::<Point>(300), scalars::<Point>(curve, 300));
    let run = |points: &[Point], options: &ReadOptions| {
        let files = Files::of(points, &scalars, Encoding::Uncompressed);
        let streamed = open::<Point>(&files.bases, &files.scalars, curve, options).unwrap();
        streamed.msm(&Device::cpu(), &chunks(100))
    };
    let mut bad = good.clone();
    bad[250] = Point::new_unchecked(bad[250].x, bad[251].y);
    assert_says(&reason(run(&bad, &CHECKED)), &["base 250: not on the curve"]);
    bad[250] = outside_subgroup();
    assert_says(&reason(run(&bad, &CHECKED)), &["base 250: not in the prime-order subgroup"]);
    assert!(run(&bad, &NO_SUBGROUP_CHECK).is_ok());

    let files = Files::of(&good, &scalars, Encoding::Compressed);
    let mut bytes = fs::read(&files.scalars).unwrap();
    bytes[8 + 32 * 250..][..32].fill(0xff);
    fs::write(&files.scalars, bytes).unwrap();
    let found = files.open::<Point>(curve).unwrap().msm(&Device::cpu(), &chunks(100));
    assert_says(&reason(found), &["scalar 250: not below the group order"]);
    let reduced = open::<Point>(&files.bases, &files.scalars, curve, &REDUCE).unwrap();
    assert!(reduced.msm(&Device::cpu(), &chunks(100)).is_ok());
}

#[test]
fn what_cannot_be_streamed_is_refused() {
    let curve = named("bls12-377");
    type Point = bls377::G1Affine;
    let refuse = |path: &Path| BasesFile::<Point>::open(path, curve, None, &CHECKED).map(|_| ());
    let (_folder, json) = file(r#" {"curve":"bls12-377","bases":[]}"#);
    assert_says(&reason(refuse(&json)), &["only regular files other than JSON"]);
    assert_eq!(is_streamable(&json), Ok(false));
    assert_eq!(is_streamable(Path::new("/dev/null")), Ok(false));
    let missing = json.with_file_name("missing");
    assert!(matches!(is_streamable(&missing), Err(Error::File { path, .. }) if path == missing));

    let (files, _) = Files::random(10);
    assert_eq!(is_streamable(&files.bases), Ok(true));
    let nine = ReadOptions { first: Some(9), ..CHECKED };
    let bases = BasesFile::<Point>::open(&files.bases, curve, None, &nine).unwrap();
    let beyond = bases.read(5..10);
    assert_eq!(beyond, Err(Error::InvalidRange { start: 5, end: 10, bases: 9 }));
    let scalars = ScalarsFile::open(&files.scalars, curve, &CHECKED).unwrap();
    let found = Streamed::new(bases, scalars).map(|_| ());
    assert_eq!(found, Err(Error::LengthMismatch { bases: 9, scalars: 10 }));
    let eleven = ReadOptions { first: Some(11), ..CHECKED };
    let found = ScalarsFile::<Point>::open(&files.scalars, curve, &eleven).map(|_| ());
    assert_says(&reason(found), &["11 scalars were requested, but there are 10"]);
}

/// A hook that calls `act` once, at the end of the first chunk of three.
fn at_the_first_chunk(act: impl Fn() + Send + Sync + 'static) -> Hook {
    let done = AtomicBool::new(false);
    Arc::new(move |progress: Progress| {
        if progress.done * 4 > progress.total && !done.swap(true, SeqCst) {
            act();
        }
        ControlFlow::Continue(())
    })
}

/// A mapped file that becomes shorter ends the process with a signal.
#[test]
fn files_that_change_during_the_run() {
    let curve = named("bls12-377");
    type Act = fn(&Path);
    let cases: [(Act, &str); 3] = [
        (|path| set_length(path, 1000), "the file was changed while it was read: from"),
        (|path| set_length(path, fs::metadata(path).unwrap().len() + 1), "the file was changed"),
        (touch, "the file was changed while it was read"),
    ];
    for (act, expected) in cases {
        for which in [0, 1] {
            let (files, _) = Files::random(8000);
            let path = [files.bases.clone(), files.scalars.clone()][which].clone();
            let changed = path.clone();
            let hook = at_the_first_chunk(move || act(&changed));
            let streamed = files.open::<bls377::G1Affine>(curve).unwrap();
            let found = streamed.msm(&Device::cpu(), &chunks(1000).on_progress(hook));
            assert!(matches!(&found, Err(Error::File { path: own, .. }) if *own == path));
            assert_says(&reason(found), &[expected]);
        }
    }
}

fn set_length(path: &Path, length: u64) {
    fs::File::options().write(true).open(path).unwrap().set_len(length).unwrap();
}

/// Another time of the last change, as a write of the same length leaves it.
fn touch(path: &Path) {
    let later = SystemTime::now() + Duration::from_secs(9);
    fs::File::options().write(true).open(path).unwrap().set_modified(later).unwrap();
}

#[test]
fn progress_of_all_chunks_and_cancelling() {
    let (files, sum) = Files::random(5000);
    let streamed = files.open::<bls377::G1Affine>(named("bls12-377")).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let hook: Hook = Arc::new(move |progress| {
        kept.lock().unwrap().push(progress);
        ControlFlow::Continue(())
    });
    let device = Device::cpu_with_threads(1).unwrap();
    assert_eq!(streamed.msm(&device, &chunks(1200).on_progress(hook)), Ok(sum));
    let seen = seen.lock().unwrap();
    assert!(seen.iter().map(|progress| progress.done).is_sorted(), "{seen:?}");
    let last = seen.last().unwrap();
    assert_eq!(last.done, last.total);
    assert_eq!(seen.iter().filter(|progress| progress.done == last.total).count(), 1);

    let calls = Arc::new(AtomicU64::new(0));
    let counted = calls.clone();
    let hook: Hook = Arc::new(move |progress| {
        counted.fetch_add(1, SeqCst);
        match progress.done * 2 > progress.total {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    let cancelled = streamed.msm(&device, &chunks(1200).on_progress(hook));
    assert_eq!(cancelled, Err(Error::Cancelled));
    assert!(calls.load(SeqCst) > 1);
    let panics: Hook = Arc::new(|_| panic!("on purpose"));
    let found = streamed.msm(&device, &chunks(1200).on_progress(panics));
    assert!(matches!(found, Err(Error::HookPanicked { .. })), "{found:?}");
}

/// Witnesses are scalars of the same files.
#[test]
fn scalars_of_a_witness() {
    let curve = named("bn254");
    let values: Vec<bn::Fr> = residues(20);
    let le = |value: &bn::Fr| {
        let integer: num_bigint::BigUint = value.into_bigint().into();
        padded(&integer, 32)
    };
    let mut header = sized(&bn::Fr::MODULUS.into(), 32);
    header.extend(20u32.to_le_bytes());
    let body: Vec<u8> = values.iter().flat_map(le).collect();
    let (_folder, path) = file(container("wtns", &[(1, header), (2, body)]));
    let scalars = ScalarsFile::<bn::G1Affine>::open(&path, curve, &CHECKED).unwrap();
    let read = scalars.read(3..17).unwrap();
    assert_eq!(read.as_scalars().len(), 14);
    assert_eq!(read, ScalarVec::Residues(values[3..17].to_vec()));
}

//! Folders of checkpoints whose files hold anything: no panic, and where the digest of a sum is not
//! forged, the right sum.
#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use arbitrary::Arbitrary;
use ark_bn254::{G1Affine, G1Projective};
use bucketeer::curves::NamedCurve;
use bucketeer::io::{self, BasesFile, Encoding, ReadOptions, ScalarVec, ScalarsFile, Streamed};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Bases, Error};
use bucketeer_fuzz::DEVICES;
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

const SIZE: usize = 6;

#[derive(Debug, Arbitrary)]
struct Folder {
    /// For the file with the length of a chunk.
    chunk: Option<Vec<u8>>,
    sum: Sum,
}

#[derive(Debug, Arbitrary)]
enum Sum {
    Raw(Vec<u8>),
    Cut(u16),
    Changed(Vec<(u16, u8)>),
    /// With a right digest of this after the name: what nobody but an attacker writes.
    Forged(Vec<u8>),
}

/// Files of an MSM, and the one sum of its checkpoint.
struct Files {
    folder: PathBuf,
    expected: G1Projective,
    sum: PathBuf,
    bytes: Vec<u8>,
}

/// Left to the next start to overwrite: one folder for each process number.
static FILES: LazyLock<Files> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("bucketeer-fuzz-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let known = KnownBases::<G1Affine>::new(SIZE, 1);
    let residues = Distribution::Uniform.scalars(SIZE, 1);
    let expected = known.expected(&residues);
    io::write_bases(&folder.join("bases"), &known.points, Encoding::Uncompressed).expect("bases");
    io::write_scalars(&folder.join("scalars"), &ScalarVec::Residues(residues)).expect("scalars");
    assert_eq!(run(&folder).expect("a sum"), expected);
    let entries = fs::read_dir(folder.join("sums")).expect("a folder");
    let mut paths = entries.map(|entry| entry.expect("an entry").path());
    let sum = paths.find(|path| path.extension().is_some_and(|end| end == "sum")).expect("a sum");
    let bytes = fs::read(&sum).expect("a sum");
    Files { folder, expected, sum, bytes }
});

fn run(folder: &Path) -> Result<G1Projective, Error> {
    let (curve, options) = (NamedCurve::named("bn254-g1")?, ReadOptions::default());
    let bases = BasesFile::<G1Affine>::open(&folder.join("bases"), curve, None, &options)?;
    let scalars = ScalarsFile::open(&folder.join("scalars"), curve, &options)?;
    let streamed = Streamed::new(bases, scalars)?.with_checkpoint(&folder.join("sums"))?;
    Ok(streamed.msm_with_report(&DEVICES[0], &Bases::builder())?.result)
}

fuzz_target!(|input: Folder| {
    let files = &*FILES;
    let mut bytes = files.bytes.clone();
    let forged = matches!(input.sum, Sum::Forged(_));
    match &input.sum {
        Sum::Raw(raw) => bytes = raw.clone(),
        Sum::Cut(at) => bytes.truncate(usize::from(*at) % bytes.len()),
        Sum::Changed(changes) => {
            for (at, byte) in changes {
                let at = usize::from(*at) % bytes.len();
                bytes[at] ^= byte;
            }
        }
        Sum::Forged(body) => {
            bytes.truncate(14 + 32);
            bytes.extend(body);
            let own: [u8; 32] = Sha256::digest(&bytes).into();
            bytes.extend(own);
        }
    }
    fs::write(&files.sum, &bytes).expect("a file");
    let chunk = files.folder.join("sums/chunk");
    match &input.chunk {
        Some(bytes) => fs::write(&chunk, bytes).expect("a file"),
        None => fs::write(&chunk, format!("{SIZE}\n")).expect("a file"),
    }
    match run(&files.folder) {
        Ok(sum) => assert!(forged || sum == files.expected, "a wrong sum"),
        Err(Error::File { .. }) => assert!(input.chunk.is_some(), "the sum is only missing"),
        // Chunks that do not fit.
        Err(Error::OutOfMemory { .. } | Error::InvalidSetting { .. }) => {}
        Err(error) => panic!("{error}"),
    }
});

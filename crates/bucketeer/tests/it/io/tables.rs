//! Tables of resident bases in files.

use std::fs;
use std::path::PathBuf;

use ark_bls12_377 as bls377;
use bucketeer::io::{self, Encoding, Format, ScalarVec, TableHeader};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Bases, Curve, Device, Error, Scalars};
use tempfile::TempDir;

use super::builders::*;

fn place() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    (folder, path)
}

/// A table of 300 bases on BLS12-377, and the bases.
fn table() -> (TempDir, PathBuf, KnownBases<bls377::G1Affine>) {
    let (folder, path) = place();
    let known = KnownBases::<bls377::G1Affine>::new(300, 4);
    let builder = Bases::builder().precompute(3).odd_multiples(4).window_bits(8);
    builder.load(&Device::cpu(), &known.points).unwrap().save(&path).unwrap();
    (folder, path, known)
}

fn kept<C: Curve>(name: &str) {
    let (n, curve, (_folder, path)) = (200, named(name), place());
    let (points, scalars) = (points::<C>(n), scalars::<C>(curve, n));
    let residues = Distribution::Uniform.scalars::<C::ScalarField>(n, 9);
    for device in [Device::cpu(), Device::cpu().portable().unwrap()] {
        for builder in [
            Bases::builder(),
            Bases::builder().precompute(2),
            Bases::builder().precompute(2).any_point(),
            Bases::builder().precompute(3).odd_multiples(2).window_bits(7),
        ] {
            let loaded = builder.load(&device, &points).unwrap();
            loaded.save(&path).unwrap();
            let opened = Bases::<C>::open(&device, &path).unwrap();
            assert_eq!(opened.len(), n);
            assert_eq!(opened.plan().table_bytes(), loaded.plan().table_bytes());
            assert_eq!(opened.msm(&scalars), loaded.msm(&scalars), "{curve}");
            let part = Scalars::residues(&residues[..143]);
            assert_eq!(opened.slice(7..150).msm(part), loaded.slice(7..150).msm(part));
            let few = ScalarVec::Residues(residues[..50].to_vec());
            let batch = [&scalars, &few];
            assert_eq!(opened.msm_batch(&batch), loaded.msm_batch(&batch));
            // The same bytes again.
            let before = fs::read(&path).unwrap();
            opened.save(&path).unwrap();
            assert_eq!(fs::read(&path).unwrap(), before);
        }
    }
    assert_eq!(TableHeader::read(&path).unwrap().curve().unwrap().name, curve.name);
}

#[test]
fn tables_of_every_kind_of_curve() {
    kept::<bls377::G1Affine>("bls12-377-g1");
    kept::<ark_bls12_381::G2Affine>("bls12-381-g2");
    kept::<ark_ed_on_bls12_377::EdwardsAffine>("ed-on-bls12-377");
}

#[test]
fn a_table_says_what_it_is() {
    let (_folder, path, _) = table();
    let header = TableHeader::read(&path).unwrap();
    assert_eq!((header.bases(), header.any_point()), (300, false));
    assert_eq!((header.table().precompute, header.table().odd_multiples), (3, 4));
    assert_eq!(io::detect(&path, named("bls12-377")), Ok(Format::Table));
    let found = io::inspect(&path).unwrap();
    assert_eq!((found.format, found.contents[0].curve), ("table", Some("bls12-377-g1")));
    assert_eq!(found.contents[0].count, Some(300));
    let as_bases = io::read_bases::<bls377::G1Affine>(&path, named("bls12-377"), None, &CHECKED);
    assert_says(&reason(as_bases), &["precomputed table"]);
}

#[test]
fn limits_of_memory_hold_for_the_table() {
    let (_folder, path, known) = table();
    let bytes = fs::metadata(&path).unwrap().len();
    let open = |limit| {
        Bases::<bls377::G1Affine>::builder().memory_limit(limit).open(&Device::cpu(), &path)
    };
    assert!(matches!(open(bytes / 2), Err(Error::OutOfMemory { .. })));
    let opened = open(bytes + (8 << 20)).unwrap();
    assert!(opened.plan().bytes() <= bytes + (8 << 20));
    let scalars = Distribution::Uniform.scalars(300, 5);
    let report = opened.msm_with_report(&scalars).unwrap();
    assert_eq!(report.result, known.expected(&scalars));
    assert!(report.plan.bytes() <= 8 << 20);
}

#[test]
fn tables_of_others_are_refused() {
    let (_folder, path, _) = table();
    let found = Bases::<ark_bls12_381::G1Affine>::open(&Device::cpu(), &path).map(|_| ());
    let expected = ["wrong curve: a table for bls12-377-g1, not for bls12-381-g1"];
    assert_says(&reason(found), &expected);
    let open = |device: &Device| Bases::<bls377::G1Affine>::open(device, &path).map(|_| ());
    if Device::cpu().facts().ifma {
        let found = open(&Device::cpu().portable().unwrap());
        assert!(
            matches!(&found, Err(Error::InvalidSetting { reason, .. })
                if reason.contains("AVX-512 IFMA") && reason.contains("portable")),
            "{found:?}"
        );
    }
    let one = || Device::cpu_with_threads(1).unwrap();
    let found = open(&Device::several(&[one(), one()]).unwrap());
    assert!(matches!(found, Err(Error::InvalidSetting { setting: "device", .. })), "{found:?}");
    let other = path.with_file_name("bases");
    io::write_bases(&other, &points::<bls377::G1Affine>(9), Encoding::Compressed).unwrap();
    let found = Bases::<bls377::G1Affine>::open(&Device::cpu(), &other).map(|_| ());
    assert_says(&reason(found), &["not a table of Bucketeer"]);
}

#[test]
fn bases_without_a_table_are_not_kept() {
    let (_folder, path) = place();
    let few = points::<bls377::G1Affine>(3);
    let saved = Bases::load(&Device::cpu(), &few).unwrap().save(&path);
    assert!(matches!(&saved, Err(Error::InvalidSetting { reason, .. }) if reason.contains("few")));
    let many = KnownBases::<bls377::G1Affine>::new(1 << 17, 4).points;
    let two = Device::cpu_with_threads(2).unwrap();
    let streamed = Bases::builder().memory_limit(8 << 20).load(&two, &many).unwrap();
    assert!(!streamed.plan().resident);
    assert!(matches!(streamed.save(&path), Err(Error::InvalidSetting { .. })));
    assert!(!path.exists());
}

/// Every byte matters, wherever it is.
#[test]
fn damaged_tables_are_refused() {
    let (_folder, path, known) = table();
    let bytes = fs::read(&path).unwrap();
    let open = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Bases::<bls377::G1Affine>::open(&Device::cpu(), &path)
    };
    let places =
        (0..200).chain((200..bytes.len()).step_by(bytes.len() / 50)).chain([bytes.len() - 1]);
    for place in places {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        let expected: &[&str] = match place {
            0..16 => &["not a table of Bucketeer"],
            16..20 => &["version ", "expected 1"],
            20..160 => &["damaged: the header"],
            _ => &["damaged: the points"],
        };
        assert_says(&reason(open(&damaged)), expected);
    }
    for length in [0, 15, 16, 100, 159, 160, 161, bytes.len() / 2, bytes.len() - 1] {
        let expected = if length < 16 { "not a table" } else { "truncated" };
        assert_says(&reason(open(&bytes[..length])), &[expected]);
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_says(&reason(open(&longer)), &["trailing bytes"]);
    let scalars = Distribution::Uniform.scalars(300, 6);
    assert_eq!(open(&bytes).unwrap().msm(&scalars), Ok(known.expected(&scalars)));
}

#[test]
fn a_save_that_fails_leaves_the_old_table() {
    let (folder, path, known) = table();
    let before = fs::read(&path).unwrap();
    let few = Bases::load(&Device::cpu(), &known.points[..2]).unwrap();
    assert!(few.save(&path).is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
    let missing = folder.path().join("nowhere").join("table");
    let loaded = Bases::<bls377::G1Affine>::open(&Device::cpu(), &path).unwrap();
    assert!(matches!(loaded.save(&missing), Err(Error::File { .. })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

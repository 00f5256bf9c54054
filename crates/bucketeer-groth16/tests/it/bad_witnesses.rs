//! Everything that can be wrong with a witness, and witnesses as scalars.

use ark_bn254::Fr;
use ark_ff::PrimeField;
use bucketeer::curves::NamedCurve;
use bucketeer::io::{self, ReadOptions, ScalarVec, parse_witness};

use crate::circuit::chain;
use crate::setup::{Sections, container, padded, wtns};

fn reason(sections: &Sections) -> String {
    parse_witness::<Fr>(&container("wtns", 2, sections)).expect_err("a bad witness").reason
}

fn good() -> Sections {
    wtns(&chain::<Fr>(5, 2).witness)
}

#[test]
fn versions_and_lengths() {
    let witness = chain::<Fr>(5, 2).witness;
    for version in [1, 2] {
        assert_eq!(parse_witness(&container("wtns", version, &good())), Ok(witness.clone()));
    }
    let found = parse_witness::<Fr>(&container("wtns", 3, &good())).expect_err("version");
    assert_eq!(found.reason, "version 3 of .wtns, expected 2");
    let bytes = container("wtns", 2, &good());
    for end in 0..bytes.len() {
        assert!(parse_witness::<Fr>(&bytes[..end]).is_err(), "{end} bytes");
    }
    let mut longer = good();
    longer[1].1.push(0);
    assert_eq!(
        reason(&longer),
        "trailing bytes: 9·32 bytes expected in section \"values\", 289 found"
    );
    let mut more = good();
    more[0].1[36..40].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(reason(&more).contains("4294967295·32 bytes expected in section \"values\""));
    let mut header = good();
    header[0].1.push(0);
    assert_eq!(reason(&header), "trailing bytes: 1 in the header section");
}

#[test]
fn fields_and_values() {
    let other = wtns(&chain::<ark_bls12_381::Fr>(5, 2).witness);
    assert_eq!(
        reason(&other),
        "wrong curve: the file's prime is the group order of bls12-381, \
         not the group order of bn254"
    );
    let mut large = good();
    large[1].1[96..128].copy_from_slice(&padded(&Fr::MODULUS.into(), 32));
    assert_eq!(reason(&large), "value 3: not below the prime");
    let mut first = good();
    first[1].1[0] = 2;
    assert_eq!(reason(&first), "value 0 is not 1");
    assert_eq!(reason(&wtns::<Fr>(&[])), "no values, of which the first must be 1");
}

/// `msm --scalars witness.wtns`.
#[test]
fn witnesses_as_scalars() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("witness.wtns");
    let witness = chain::<Fr>(5, 2).witness;
    std::fs::write(&path, container("wtns", 2, &good())).expect("written");
    let curve = |name| NamedCurve::named(name).expect("a curve");
    let options = ReadOptions::default();
    let read = io::read_scalars::<ark_bn254::G1Affine>(&path, curve("bn254"), &options);
    assert_eq!(read, Ok(ScalarVec::Residues(witness)));
    let read = io::read_scalars::<ark_bls12_381::G1Affine>(&path, curve("bls12-381"), &options);
    assert!(read.expect_err("another curve").to_string().contains("the group order of bn254"));
    let bases = io::read_bases::<ark_bn254::G1Affine>(&path, curve("bn254"), None, &options);
    let error = bases.expect_err("no bases").to_string();
    assert!(error.contains("has scalars, no bases"), "{error}");
}

//! Points from snarkjs files built by hand.

use ark_bls12_381 as bls;
use ark_bn254 as bn;
use bucketeer::io::{self, Format};

use super::builders::*;

#[test]
fn tau_sections_of_ptau() {
    let (g1, g2) = (points::<bn::G1Affine>(3), points::<bn::G2Affine>(2));
    let (_directory, path) = file(ptau(&g1, &g2));
    let (first, second) = (named("bn254"), named("bn254-g2"));
    assert_eq!(io::detect(&path, first), Ok(Format::Ptau));
    assert_eq!(io::read_bases(&path, first, None, &CHECKED).as_ref(), Ok(&g1));
    assert_eq!(io::read_bases(&path, first, Some("tau-g1"), &CHECKED), Ok(g1));
    assert_eq!(io::read_bases(&path, second, None, &CHECKED).as_ref(), Ok(&g2));
    assert_eq!(io::read_bases(&path, second, Some("tau-g2"), &CHECKED), Ok(g2));
}

#[test]
fn tau_sections_on_bls12_381() {
    let (g1, g2) = (points::<bls::G1Affine>(3), points::<bls::G2Affine>(2));
    let (_directory, path) = file(ptau(&g1, &g2));
    assert_eq!(io::read_bases(&path, named("bls12-381"), None, &CHECKED), Ok(g1));
    assert_eq!(io::read_bases(&path, named("bls12-381-g2"), None, &CHECKED), Ok(g2));
}

#[test]
fn point_sections_of_zkey() {
    let (g1, g2) = (points::<bn::G1Affine>(8), points::<bn::G2Affine>(4));
    let (_directory, path) = file(container("zkey", &zkey_sections(&g1, &g2)));
    let (first, second) = (named("bn254"), named("bn254-g2"));
    assert_eq!(io::detect(&path, first), Ok(Format::Zkey));
    let cases = [
        (None, &g1[..4]),
        (Some("a"), &g1[..4]),
        (Some("b1"), &g1[1..5]),
        (Some("c"), &g1[2..4]),
        (Some("h"), &g1[..8]),
    ];
    for (section, expected) in cases {
        let read = io::read_bases(&path, first, section, &CHECKED);
        assert_eq!(read.as_deref(), Ok(expected), "{section:?}");
    }
    for section in [None, Some("b2")] {
        assert_eq!(io::read_bases(&path, second, section, &CHECKED).as_ref(), Ok(&g2));
    }
}

/// The generator (1, 2) is R mod p and 2R mod p with R = 2^256, computed outside this program.
#[test]
fn montgomery_form_of_the_bn254_generator() {
    let one = "9d0d8fc58d435dd33d0bc7f528eb780a2c4679786fa36e662fdf079ac1770a0e";
    let two = "3a1b1e8b1b87baa67b168eeb51d6f114588cf2f0de46ddcc5ebe0f3483ef141c";
    let hex = |text: &str| -> Vec<u8> {
        let digit = |i: usize| u8::from_str_radix(&text[i..i + 2], 16).unwrap();
        (0..text.len()).step_by(2).map(digit).collect()
    };
    let generator = [hex(one), hex(two)].concat();
    let header = ptau_header::<bn::G1Affine>(0);
    let (_directory, path) = file(container("ptau", &[header, (2, generator)]));
    let read = io::read_bases::<bn::G1Affine>(&path, named("bn254"), None, &CHECKED).unwrap();
    assert_eq!(io::point_to_json(&read[0]), serde_json::json!(["0x1", "0x2"]));
}

#[test]
fn every_section_of_a_prepared_ptau() {
    let known = Ceremony::<bn::Fr>::new();
    let one = bn::Fr::from(1);
    let (_directory, path) = file(prepared_ptau::<bn::G1Affine, bn::G2Affine>(2));
    let g1: [(&str, Vec<bn::Fr>); 9] = [
        ("tau-g1", known.powers(7, one)),
        ("alpha-tau-g1", known.powers(4, known.alpha)),
        ("beta-tau-g1", known.powers(4, known.beta)),
        ("lagrange-g1", known.lagrange(2, one)),
        ("lagrange-g1:0", vec![one]),
        ("lagrange-g1:1", known.lagrange(1, one)),
        ("lagrange-g1:3", known.last(3)),
        ("lagrange-alpha-g1", known.lagrange(2, known.alpha)),
        ("lagrange-beta-g1:1", known.lagrange(1, known.beta)),
    ];
    for (section, expected) in g1 {
        let read = io::read_bases(&path, named("bn254"), Some(section), &CHECKED);
        assert_eq!(read, Ok(multiples::<bn::G1Affine>(&expected)), "{section}");
    }
    let g2: [(&str, Vec<bn::Fr>); 4] = [
        ("tau-g2", known.powers(4, one)),
        ("beta-g2", vec![known.beta]),
        ("lagrange-g2", known.lagrange(2, one)),
        ("lagrange-g2:1", known.lagrange(1, one)),
    ];
    for (section, expected) in g2 {
        let read = io::read_bases(&path, named("bn254-g2"), Some(section), &CHECKED);
        assert_eq!(read, Ok(multiples::<bn::G2Affine>(&expected)), "{section}");
    }
    let read = |section| {
        reason(io::read_bases::<bn::G1Affine>(&path, named("bn254"), Some(section), &CHECKED))
    };
    let expected = "no basis of 2^4 points in section \"lagrange-g1\": the last one has 2^3";
    assert_eq!(read("lagrange-g1:4"), expected);
    assert_says(&read("lagrange-alpha-g1:3"), &["no basis of 2^3 points", "the last one has 2^2"]);
    assert_says(&read("tau-g1:1"), &["\"tau-g1\" is not one for each power"]);
    assert_says(&read("lagrange-g1:x"), &["\"x\" is not a power"]);
    assert_says(&read("lagrange-g2"), &["points of G2"]);
}

/// Each rank loads a range of a section, or streams chunks of it.
#[cfg(feature = "ranks")]
#[test]
fn sections_are_shared_by_ranks() {
    use bucketeer::io::{BasesFile, ScalarVec, ScalarsFile, Streamed};
    use bucketeer::{Bases, Device, ranks};

    let (g1, g2) = (points::<bn::G1Affine>(8), points::<bn::G2Affine>(4));
    let (_directory, ptau) = file(prepared_ptau::<bn::G1Affine, bn::G2Affine>(4));
    let (_directory_2, zkey) = file(container("zkey", &zkey_sections(&g1, &g2)));
    let sections =
        [(&ptau, "tau-g1"), (&ptau, "lagrange-g1:3"), (&zkey, "h"), (&zkey, "b1"), (&zkey, "ic")];
    for (path, section) in sections {
        let curve = named("bn254");
        let whole = io::read_bases::<bn::G1Affine>(path, curve, Some(section), &CHECKED).unwrap();
        let factors = residues::<bn::Fr>(whole.len());
        let (_directory_3, scalars) = file([]);
        io::write_scalars(&scalars, &ScalarVec::Residues(factors.clone())).unwrap();
        let expected: bn::G1Projective = whole.iter().zip(&factors).map(|(p, k)| *p * k).sum();
        let outcomes = ranks::on_threads(3, |ranks| {
            let device = Device::over_ranks(ranks, Device::cpu_with_threads(1)?);
            let bases = BasesFile::<bn::G1Affine>::open(path, curve, Some(section), &CHECKED)?;
            let loaded = bases.load(&device, &Bases::builder())?;
            assert!(loaded.share().len() < whole.len());
            let sum = loaded.msm(&factors)?;
            let streamed = Streamed::new(bases, ScalarsFile::open(&scalars, curve, &CHECKED)?)?;
            Ok([sum, streamed.msm(&device, &Bases::builder())?])
        });
        assert_eq!(outcomes, vec![Ok([expected; 2]); 3], "{section}");
    }
}

#[test]
fn every_section_of_a_proving_key() {
    let (g1, g2) = (points::<bls::G1Affine>(8), points::<bls::G2Affine>(4));
    let sections = zkey_sections(&g1, &g2);
    let (_directory, path) = file(container("zkey", &sections));
    let read = |section| {
        io::read_bases::<bls::G1Affine>(&path, named("bls12-381"), Some(section), &CHECKED)
    };
    assert_eq!(read("ic").as_deref(), Ok(&g1[..2]));
    for section in ["alpha-g1", "beta-g1", "delta-g1"] {
        assert_eq!(read(section).as_deref(), Ok(&g1[..1]), "{section}");
    }
    for section in ["beta-g2", "gamma-g2", "delta-g2"] {
        let read = io::read_bases(&path, named("bls12-381-g2"), Some(section), &CHECKED);
        assert_eq!(read.as_deref(), Ok(&g2[..1]), "{section}");
    }
}

/// The points of the header, each another one, in snarkjs' order.
#[test]
fn points_of_the_header() {
    let (g1, g2) = (points::<bn::G1Affine>(8), points::<bn::G2Affine>(4));
    let mut sections = zkey_sections(&g1, &g2);
    let order = [
        montgomery(&g1[3..5]),
        montgomery(&[g2[3], g2[1]]),
        montgomery(&g1[5..6]),
        montgomery(&g2[..1]),
    ];
    let counts = 2 * (4 + 32) + 12;
    sections[1].1.truncate(counts);
    sections[1].1.extend(order.concat());
    let (_directory, path) = file(container("zkey", &sections));
    for (section, expected) in [("alpha-g1", g1[3]), ("beta-g1", g1[4]), ("delta-g1", g1[5])] {
        let read = io::read_bases(&path, named("bn254"), Some(section), &CHECKED);
        assert_eq!(read, Ok(vec![expected]), "{section}");
    }
    for (section, expected) in [("beta-g2", g2[3]), ("gamma-g2", g2[1]), ("delta-g2", g2[0])] {
        let read = io::read_bases(&path, named("bn254-g2"), Some(section), &CHECKED);
        assert_eq!(read, Ok(vec![expected]), "{section}");
    }
}

/// Keys for PLONK and FFLONK have the powers of tau: n + 6 and 9n + 18 of them.
#[test]
fn powers_of_tau_in_other_keys() {
    let g2 = points::<bn::G2Affine>(4);
    for (protocol, kind, count) in [(2u32, 14, 14), (10, 16, 90)] {
        let g1 = points::<bn::G1Affine>(count);
        let mut sections = zkey_sections(&g1, &g2);
        sections.truncate(2);
        sections[0].1 = protocol.to_le_bytes().to_vec();
        sections.push((kind, montgomery(&g1)));
        let (_directory, path) = file(container("zkey", &sections));
        let curve = named("bn254");
        assert_eq!(io::read_bases(&path, curve, None, &CHECKED).as_ref(), Ok(&g1));
        assert_eq!(io::read_bases(&path, curve, Some("tau-g1"), &CHECKED), Ok(g1));
        let found = reason(io::read_bases::<bn::G1Affine>(&path, curve, Some("a"), &CHECKED));
        assert_says(&found, &["lonk: no section \"a\": expected one of tau-g1"]);
        let g2 = reason(io::read_bases::<bn::G2Affine>(&path, named("bn254-g2"), None, &CHECKED));
        assert_says(&g2, &["lonk: no section of G2"]);
    }
}

#[test]
fn prefixes_of_files() {
    let (g1, g2) = (points::<bn::G1Affine>(8), points::<bn::G2Affine>(4));
    let (_directory, path) = file(container("zkey", &zkey_sections(&g1, &g2)));
    let first = |count| io::ReadOptions { first: Some(count), ..CHECKED };
    for count in [0, 1, 8] {
        let read = io::read_bases(&path, named("bn254"), Some("h"), &first(count));
        assert_eq!(read.as_deref(), Ok(&g1[..count]));
    }
    let found = reason(io::read_bases::<bn::G1Affine>(&path, named("bn254"), Some("h"), &first(9)));
    assert_eq!(found, "9 bases were requested, but there are 8");
}

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

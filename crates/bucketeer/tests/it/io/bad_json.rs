//! Everything that can be wrong with a JSON file.

use ark_bn254::{Fr, G1Affine, G2Affine};
use ark_ff::PrimeField;
use bucketeer::io::{self, ScalarVec};
use num_bigint::BigUint;

use super::builders::*;

#[track_caller]
fn json_reason(text: &str) -> String {
    let (_directory, path) = file(text);
    reason(io::read_json::<G1Affine>(&path, None, &CHECKED))
}

#[track_caller]
fn bases_reason(bases: &str) -> String {
    json_reason(&format!(r#"{{"curve":"bn254","bases":{bases},"scalars":["1","2"]}}"#))
}

#[track_caller]
fn scalars_reason(scalars: &str) -> String {
    json_reason(&format!(r#"{{"curve":"bn254","bases":[null,null],"scalars":{scalars}}}"#))
}

#[test]
fn not_json() {
    assert_eq!(json_reason(""), "the file is empty");
    assert_says(&json_reason("{\"curve\":\"bn254\""), &["not valid JSON: EOF", "line 1 column 16"]);
    assert_says(&json_reason("{\"curve\":\"bn254\"} x"), &["not valid JSON: trailing characters"]);
    assert_says(&json_reason("[]"), &["invalid"]);
    assert_says(&bases_reason("[null,"), &["not valid JSON"]);
}

#[test]
fn missing_and_repeated_fields() {
    assert_eq!(json_reason(r#"{"bases":[],"scalars":[]}"#), "no field \"curve\"");
    assert_eq!(json_reason(r#"{"curve":"bn254","scalars":[]}"#), "no field \"bases\"");
    assert_eq!(json_reason(r#"{"curve":"bn254","bases":[]}"#), "no field \"scalars\"");
    let twice = r#"{"curve":"bn254","bases":[],"bases":[],"scalars":[]}"#;
    assert_says(&json_reason(twice), &["duplicate field `bases`"]);
}

#[test]
fn wrong_and_unknown_curves() {
    let text = r#"{"curve":"bls12-377","bases":[],"scalars":[]}"#;
    let (_directory, path) = file(text);
    let curve = named("bn254");
    let expected = "wrong curve: bls12-377-g1, expected bn254-g1";
    assert_eq!(reason(io::read_json::<G1Affine>(&path, Some(curve), &CHECKED)), expected);
    assert_eq!(reason(io::read_bases::<G1Affine>(&path, curve, None, &CHECKED)), expected);
    assert_eq!(reason(io::read_scalars::<G1Affine>(&path, curve, &CHECKED)), expected);
    assert_says(&json_reason(text), &["wrong curve: bls12-377-g1"]);
    let unknown = json_reason(r#"{"curve":"curve25519","bases":[],"scalars":[]}"#);
    assert_says(&unknown, &["unknown curve \"curve25519\"", "bls12-381"]);
}

#[test]
fn lengths_that_differ() {
    let found = bases_reason("[null]");
    assert_eq!(found, "1 bases but 2 scalars: the lengths must be equal");
}

#[test]
fn bases_that_are_no_points() {
    let modulus: BigUint = ark_bn254::Fq::MODULUS.into();
    let found = bases_reason(&format!(r#"[null,["0x1","{modulus:#x}"]]"#));
    assert_says(&found, &["base 1: y is not below the modulus"]);
    let found = bases_reason(&format!(r#"[["{modulus}","2"],null]"#));
    assert_says(&found, &["base 0: x is not below the modulus"]);
    assert_says(&bases_reason(r#"[null,["1","3"]]"#), &["base 1: not on the curve"]);
    assert_says(&bases_reason(r#"[null,["0","0"]]"#), &["base 1: not on the curve"]);
    assert_says(&bases_reason(r#"[["1"],null]"#), &["base 0: ", "length"]);
    assert_says(&bases_reason(r#"[["1","2","3"],null]"#), &["base 0: ", "trailing"]);
    assert_says(&bases_reason(r#"[[1,2],null]"#), &["base 0: ", "integer `1`", "string"]);
    assert_says(&bases_reason(r#"["1",null]"#), &["base 0: "]);
    assert_says(&bases_reason(r#"[[["1","2"],"2"],null]"#), &["base 0: x has 2 components"]);
    assert_says(&bases_reason(r#"[[[["1"]],"2"],null]"#), &["base 0: "]);
}

#[test]
fn components_and_subgroup_of_g2() {
    let read = |text: &str| {
        let (_directory, path) = file(text);
        io::read_json::<G2Affine>(&path, Some(named("bn254-g2")), &CHECKED)
    };
    let found = reason(read(r#"{"bases":[[["1","2"],"2"]],"scalars":["1"]}"#));
    assert_says(&found, &["base 0: y has 1 components, expected 2"]);
    let outside = io::point_to_json(&outside_subgroup::<G2Affine>());
    let found = reason(read(&format!(r#"{{"bases":[null,{outside}],"scalars":["1","1"]}}"#)));
    assert_eq!(found, "base 1: not in the prime-order subgroup");
}

#[test]
fn scalars_that_are_no_integers() {
    for text in ["", "0x", "-1", "+1", "1_000", "0x1g", "0X1", " 1", "1.0", "ff"] {
        let found = scalars_reason(&format!(r#"["1","{text}"]"#));
        assert_says(&found, &["scalar 1: ", text, "neither a decimal nor a 0x… integer"]);
    }
    assert_says(&scalars_reason(r#"["1",2]"#), &["scalar 1: ", "integer `2`", "string"]);
    assert_says(&scalars_reason(r#"["1",["2"]]"#), &["scalar 1: ", "string"]);
    assert_says(&scalars_reason(r#"["1",null]"#), &["scalar 1: ", "string"]);
    let long = "1".repeat(5000);
    assert_says(&scalars_reason(&format!(r#"["1","{long}"]"#)), &["scalar 1: ", "4096 digits"]);
}

#[test]
fn scalars_not_below_the_order_are_refused_or_reduced() {
    let order: BigUint = Fr::MODULUS.into();
    let text = format!(r#"["{}","{:#x}"]"#, &order - 1u8, &order + 9u8);
    assert_says(&scalars_reason(&text), &["scalar 1: not below the group order"]);
    let text = format!(r#"{{"bases":[null,null],"scalars":{text}}}"#);
    let (_directory, path) = file(&text);
    let input = io::read_json::<G1Affine>(&path, Some(named("bn254")), &REDUCE).unwrap();
    assert_eq!(input.scalars, ScalarVec::Residues(vec![Fr::from(-1), Fr::from(9)]));
}

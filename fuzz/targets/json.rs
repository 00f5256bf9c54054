//! JSON input: no panic, and what is accepted is valid and survives being written again.
#![no_main]

use ark_bn254::G1Affine;
use ark_ed_on_bls12_377::EdwardsAffine;
use bucketeer::Curve;
use bucketeer::curves::NamedCurve;
use bucketeer::io::{ReadOptions, parse_json, parse_json_curve, point_to_json};
use bucketeer_fuzz::assert_valid;
use libfuzzer_sys::fuzz_target;

fn check<C: Curve>(bytes: &[u8], name: &str, reduce: bool) {
    let curve = NamedCurve::named(name).expect("a named curve");
    let options = ReadOptions { reduce, ..ReadOptions::default() };
    let Ok(input) = parse_json::<C>(bytes, Some(curve), &options) else { return };
    assert_valid(&input.bases);
    assert_eq!(input.bases.len(), input.scalars.len());
    let bases: Vec<String> = input.bases.iter().map(|p| point_to_json(p).to_string()).collect();
    let zeros = vec!["\"0\""; bases.len()].join(",");
    let again = format!("{{\"bases\":[{}],\"scalars\":[{zeros}]}}", bases.join(","));
    let again = parse_json::<C>(again.as_bytes(), Some(curve), &options).expect("our own output");
    assert_eq!(again.bases, input.bases);
}

fuzz_target!(|bytes: &[u8]| {
    let _ = parse_json_curve(bytes);
    // Random bytes rarely form a document, so they are also put inside one.
    let inside = [br#"{"bases":[["0x1","0x2"]"#, bytes, b"}"].concat();
    for bytes in [bytes, &inside] {
        check::<G1Affine>(bytes, "bn254", false);
        check::<EdwardsAffine>(bytes, "ed-on-bls12-377", true);
    }
});

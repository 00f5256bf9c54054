//! JSON in and out.

use std::fs;

use num_bigint::BigUint;
use serde_json::{Value, json};

use crate::support::{bucketeer, input, multiple, order, outside_subgroup, point, times};

fn run(text: &str, options: &str) -> crate::support::Ran {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("input.json");
    fs::write(&path, text).expect("the file is written");
    bucketeer(&format!("msm --input {{}} --json {options}"), &[&path])
}

#[test]
fn a_small_input_has_the_sum_computed_by_hand() {
    let bases = [multiple(1), Value::Null, multiple(5), multiple(5)];
    let object = run(&input(&bases, &["7", "3", "0x2", "0"]), "").json();
    assert_eq!(object["result"], multiple(7 + 2 * 5));
    assert_eq!(object["curve"], "bls12-381-g1");
    assert_eq!(object["n"], 4);
    assert_eq!(object["checked"], true);
    for field in ["seconds", "points_per_second"] {
        assert!(object[field].as_f64().is_some_and(|value| value > 0.0), "{field}");
    }
    assert!(object["stages"]["accumulate"].is_number());
}

#[test]
fn sums_that_vanish_are_null() {
    let minus_one = (order() - 1u32).to_string();
    let object = run(&input(&[multiple(3), multiple(3)], &["1", &minus_one]), "").json();
    assert_eq!(object["result"], Value::Null);
    assert_eq!(run(&input(&[], &[]), "").json()["result"], Value::Null);
}

#[test]
fn coordinates_are_lower_case_without_leading_zeros() {
    // 1·P … 40·P: about one in sixteen coordinates has a leading zero digit in 96.
    for k in 1..=40u64 {
        let object = run(&input(&[multiple(k)], &["1"]), "--no-check").json();
        assert_eq!(object["result"], multiple(k));
        assert_eq!(object["checked"], Value::Null);
    }
}

#[test]
fn extension_coordinates_are_pairs() {
    let object = bucketeer("msm --curve bn254-g2 -n 3 --json", &[]).json();
    for coordinate in object["result"].as_array().expect("two coordinates") {
        assert_eq!(coordinate.as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn large_scalars_are_reduced_on_demand_only() {
    let text = input(&[multiple(2)], &[&(order() + 4u32).to_string()]);
    run(&text, "").fails(2, &["input.json", "scalar 0", "order"]);
    assert_eq!(run(&text, "--reduce").json()["result"], multiple(8));
}

#[test]
fn points_outside_the_subgroup() {
    let outside = outside_subgroup();
    let k = order() - 1u32;
    let text = input(&[multiple(1), point(outside)], &["0", &k.to_string()]);
    run(&text, "").fails(2, &["input.json", "base 1", "subgroup"]);
    // Trusted and not to be trusted: k·P is replaced by (r − k)·(−P), and the check finds out.
    // The user vouches for the points, and is told which of them was bad.
    run(&text, "--no-subgroup-check").fails(2, &["base ", "vouches", "--any-point"]);
    let expected = point(times(&k, outside));
    assert_eq!(run(&text, "--any-point").json()["result"], expected);
}

#[test]
fn the_edwards_curve_takes_integers_of_253_bits() {
    // The order has 251 bits, so both scalars are above it.
    let scalar = |bits: u32| ((BigUint::from(1u32) << bits) - 1u32).to_string();
    let directory = tempfile::tempdir().expect("a directory");
    let made = directory.path().join("made.json");
    bucketeer("generate --curve ed-on-bls12-377 -n 2 --output {}", &[&made]).ok();
    let made: Value =
        serde_json::from_str(&fs::read_to_string(&made).expect("it is there")).expect("JSON");
    let text = |bits| {
        let scalars = [scalar(252), scalar(bits)];
        json!({ "curve": "ed-on-bls12-377", "bases": made["bases"], "scalars": scalars })
    };
    assert_eq!(run(&text(253).to_string(), "").json()["checked"], true);
    run(&text(254).to_string(), "").fails(2, &["scalar 1", "2^253"]);
}

#[test]
fn every_listing_is_one_object() {
    let presets = bucketeer("presets --json", &[]).json();
    let names: Vec<&Value> =
        presets["presets"].as_array().expect("a list").iter().map(|p| &p["name"]).collect();
    assert!(names.contains(&&json!("bucketeer")) && names.contains(&&json!("yrrid")), "{names:?}");
    let devices = bucketeer("devices --json", &[]).json();
    assert_eq!(devices["devices"][0]["name"], "cpu");
    assert_eq!(devices["devices"][0]["available"], true);
    assert_eq!(devices["devices"][1]["available"], false);
}

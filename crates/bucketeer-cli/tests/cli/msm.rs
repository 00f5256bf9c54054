//! `msm` on random input: one answer for a seed, whatever the plan.

use serde_json::Value;

use crate::support::bucketeer;

#[test]
fn the_main_job_prints_result_stages_rate_and_check() {
    let text = bucketeer("msm --curve bls12-377 -n 2^10", &[]).ok();
    for word in ["bls12-377-g1", "2^10", "x = 0x", "y = 0x", "points per second", "checked: ok"] {
        assert!(text.contains(word), "no {word} in {text}");
    }
    for stage in ["load", "decompose", "group", "accumulate", "reduce", "combine", "total"] {
        assert!(text.lines().any(|line| line.starts_with(stage)), "no {stage} in {text}");
    }
    let text = bucketeer("msm --curve bls12-377 -n 10 --no-check", &[]).ok();
    assert!(text.contains("checked: no"), "{text}");
}

#[test]
fn no_bases_give_the_identity() {
    let text = bucketeer("msm --curve bls12-377 -n 0", &[]).ok();
    assert!(text.contains("the identity"), "{text}");
    let object = bucketeer("msm --curve bls12-377 -n 0 --json", &[]).json();
    assert_eq!(object["result"], Value::Null);
    assert_eq!(object["checked"], true);
}

fn result(options: &str) -> Value {
    let object = bucketeer(&format!("msm --curve bls12-377 -n 300 --json {options}"), &[]).json();
    assert_eq!(object["checked"], true);
    object["result"].clone()
}

#[test]
fn the_plan_does_not_change_the_answer() {
    let expected = result("--seed 5");
    assert!(expected.is_array());
    for options in [
        "--threads 1",
        "--window-bits 1",
        "--window-bits 13 --precompute 3",
        "--memory-limit 4MiB",
        "--preset icicle-precompute",
        "--preset 6block --window-bits 8",
        "--any-point",
        "--device cpu",
    ] {
        assert_eq!(result(&format!("--seed 5 {options}")), expected, "{options}");
    }
    assert_ne!(result("--seed 6"), expected);
}

#[test]
fn every_distribution_and_kind_of_curve_is_checked() {
    for kind in ["uniform", "zero", "one", "minus-one", "equal", "few-bits", "top", "skewed"] {
        result(&format!("--distribution {kind}"));
    }
    assert_eq!(result("--distribution zero"), Value::Null);
    for curve in ["bls12-381", "bn254-g2", "ed-on-bls12-377"] {
        let object = bucketeer(&format!("msm --curve {curve} -n 65 --json"), &[]).json();
        assert_eq!(object["checked"], true, "{curve}");
    }
}

#[test]
fn a_batch_has_a_result_for_each_msm() {
    let object = bucketeer("msm --curve bls12-377 -n 50 --seed 9 --batch 3 --json", &[]).json();
    let results = object["results"].as_array().expect("results").clone();
    assert_eq!(results.len(), 3);
    assert_eq!(object.get("result"), None);
    let single = bucketeer("msm --curve bls12-377 -n 50 --seed 9 --json", &[]).json();
    assert_eq!(results[0], single["result"]);
    assert_ne!(results[1], results[0]);
    let text = bucketeer("msm --curve bls12-377 -n 50 --batch 2", &[]).ok();
    assert!(text.contains("0: x = ") && text.contains("1: x = "), "{text}");
}

/// A run that verifies itself; a table from a file has nothing to compare with.
#[test]
fn verified_runs() {
    let plain = bucketeer("msm --curve bn254 -n 300 --json --device cpu", &[]).json();
    let verified = bucketeer("msm --curve bn254 -n 300 --json --device cpu --verify", &[]).json();
    assert_eq!(verified["result"], plain["result"]);
    let line = "msm --curve bls12-381-g2 -n 50 --batch 3 --verify --any-point --device cpu --json";
    assert_eq!(bucketeer(line, &[]).json()["results"].as_array().map(Vec::len), Some(3));
    bucketeer("bench --curve bn254 -n 2^8 --repeat 1 --batch 2 --verify --device cpu", &[]).ok();
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("table");
    let (bases, table) = (folder.path().join("bases"), table.display().to_string());
    let bases = bases.display().to_string();
    bucketeer(&format!("generate --curve bn254 -n 100 --bases {bases}"), &[]).ok();
    bucketeer(&format!("precompute --curve bn254 --bases {bases} --output {table}"), &[]).ok();
    bucketeer(&format!("msm --table {table} --verify --device cpu"), &[])
        .fails(2, &["verify", "table"]);
}

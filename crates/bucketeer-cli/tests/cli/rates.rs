//! Rates of the cost model: read, measured, and judged by what the plan makes of them.

use std::fs;

use serde_json::Value;

use crate::support::{bucketeer, bucketeer_with};

#[test]
fn bench_puts_predicted_beside_measured() {
    let line = "bench --curve bn254 -n 64 --repeat 1";
    assert!(bucketeer(line, &[]).ok().contains("pred/meas"));
    let object = bucketeer(&format!("{line} --json"), &[]).json();
    let result = &object["results"][0];
    let number = |name: &str| result[name].as_f64().expect("a number");
    assert!(number("predicted_seconds") > 0.0);
    let ratio = number("predicted_seconds") / number("median_seconds");
    assert!((number("predicted_ratio") / ratio - 1.0).abs() < 1e-9, "{object}");
}

#[test]
fn widths_end_with_the_worst_ratio() {
    let line = "bench --widths --curve bn254,ed-on-bls12-377 -n 64,2^8 --repeat 1";
    let text = bucketeer(line, &[]).ok();
    for row in ["bn254-g1", "ed-on-bls12-377"] {
        assert_eq!(text.lines().filter(|line| line.starts_with(row)).count(), 2, "{text}");
    }
    let last = text.lines().last().unwrap_or_default();
    assert!(last.starts_with("worst ratio "), "{text}");
    let object = bucketeer(&format!("{line} --json"), &[]).json();
    let results = object["results"].as_array().expect("results");
    assert_eq!(results.len(), 4);
    let mut worst: f64 = 1.0;
    for row in results {
        let (ratio, widths) = (row["ratio"].as_f64().expect("a ratio"), &row["widths"]);
        assert!(ratio >= 1.0 && widths.as_array().is_some_and(|all| all.len() > 2), "{row}");
        worst = worst.max(ratio);
    }
    assert_eq!(object["worst_ratio"], worst);
    assert_eq!(object["skipped"], Value::Array(vec![]));
}

#[test]
fn widths_stop_at_the_time_limit() {
    let text = bucketeer("bench --widths --curve bn254 -n 4,8 --time-limit 0", &[]).ok();
    assert!(text.contains("left out by the time limit: bn254-g1 4, bn254-g1 8"), "{text}");
    assert!(text.ends_with("nothing was timed\n"), "{text}");
}

#[test]
fn arguments_that_contradict_each_other() {
    for (line, words) in [
        ("bench --widths --curve bn254 --window-bits 9", ["--widths", "--window-bits"]),
        ("bench --widths --curve bn254 --preset yrrid", ["--widths", "--preset"]),
        ("bench --widths", ["required", "--curve"]),
        ("bench --curve bn254,pallas -n 4", ["several curves", "--widths"]),
        ("bench --curve bn254 --time-limit 5", ["required", "--widths"]),
        ("bench --widths --curve bn254 --time-limit soon", ["soon", "seconds"]),
        ("bench --curve bn254 --output rates.txt", ["required", "--calibrate"]),
        ("bench --calibrate --widths", ["--calibrate", "--widths"]),
        ("bench --calibrate -n 8", ["--calibrate", "-n"]),
    ] {
        bucketeer(line, &[]).fails(2, &words);
    }
}

#[test]
fn calibration_writes_a_file_that_plans_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("rates.txt");
    let line = "bench --calibrate --device cpu --curve bn254 --repeat 1 --json --output {}";
    let object = bucketeer(line, &[&path]).json();
    let rates = object["rates"].as_array().expect("rates");
    let rate = |name: &str| {
        let found = rates.iter().find(|rate| rate["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {object}"))
    };
    // One run of each shape on a busy machine need not tell every rate; those it does not tell
    // stay as they are.
    let measured =
        ["portable.4.addition", "portable.4.load", "group.near_entry", "decompose.scalar"];
    let ratios = measured.map(|name| rate(name)["ratio"].as_f64());
    assert!(ratios.iter().any(Option::is_some), "{object}");
    for (name, ratio) in measured.iter().zip(ratios) {
        assert_eq!(ratio.is_none(), rate(name)["fitted"].is_null(), "{name}");
        assert!(ratio.is_none_or(|ratio| (0.01..100.0).contains(&ratio)), "{name}: {ratio:?}");
    }
    // A CPU says nothing of GPUs, and this curve nothing of other kernels.
    for name in ["cuda.product", "portable.12.addition"] {
        assert_eq!(rate(name)["fitted"], Value::Null, "{name}");
    }
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.starts_with("# bucketeer bench --calibrate: cpu"), "{text}");
    assert_eq!(text.lines().count(), 1 + rates.len());
    bucketeer("plan --curve bn254 -n 2^12 --device cpu --rates {}", &[&path]).ok();
    bucketeer("msm --curve bn254 -n 100 --device cpu --rates {}", &[&path]).ok();
}

/// Where reductions cost nothing, windows are as wide as they may be.
#[test]
fn plans_follow_the_rates() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("rates.txt");
    fs::write(&path, "portable.4.reduction = 0.01 # ns\ngroup.bucket = 0.001\n").expect("a file");
    let line = "plan --curve bn254 -n 2^14 --device cpu --threads 1 --ifma no --json";
    let bits = |object: Value| object["window_bits"].as_u64().expect("bits");
    let built_in = bits(bucketeer(line, &[]).json());
    let by_option = bits(bucketeer(&format!("{line} --rates {{}}"), &[&path]).json());
    let by_variable = bits(bucketeer_with(line, &[], &[("BUCKETEER_RATES", &path)]).json());
    assert!(by_option > built_in, "{built_in} {by_option}");
    assert_eq!(by_option, by_variable);
}

#[test]
fn faults_in_a_file_of_rates_name_it_and_the_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("rates.txt");
    let plan = "plan --curve bn254 -n 4 --device cpu";
    let missing = bucketeer(&format!("{plan} --rates {{}}"), &[&path]);
    missing.fails(2, &["rates.txt"]);
    for (text, words) in [
        ("# rates\nportable.4.speed = 1\n", ["rates.txt: line 2", "unknown rate"]),
        ("portable.4.addition =\n", ["rates.txt: line 1", "is not a number"]),
        ("portable.4.addition = -3\n", ["rates.txt: line 1", "not positive"]),
        ("portable.4.addition\n", ["rates.txt: line 1", "name = value"]),
    ] {
        fs::write(&path, text).expect("a file");
        for command in [plan, "msm --curve bn254 -n 4", "bench --curve bn254 -n 4", "selftest"] {
            bucketeer(&format!("{command} --rates {{}}"), &[&path]).fails(2, &words);
        }
        bucketeer_with(plan, &[], &[("BUCKETEER_RATES", &path)]).fails(2, &words);
    }
}

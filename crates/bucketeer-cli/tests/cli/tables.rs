//! Precomputed tables in files.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::bucketeer;

/// Bases and scalars on BN254, and a place for a table.
fn files() -> (tempfile::TempDir, [PathBuf; 3]) {
    let folder = tempfile::tempdir().expect("a directory");
    let paths = ["bases", "scalars", "table"].map(|name| folder.path().join(name));
    let line = "generate --curve bn254 -n 3000 --seed 3 --bases {} --scalars {}";
    bucketeer(line, &[&paths[0], &paths[1]]).ok();
    (folder, paths)
}

#[test]
fn a_table_in_place_of_bases() {
    let (_folder, [bases, scalars, table]) = files();
    let line = "msm --curve bn254 --device cpu --bases {} --scalars {} --json";
    let expected = bucketeer(line, &[&bases, &scalars]).json()["result"].clone();
    let line = "precompute --curve bn254 --device cpu --bases {} --output {} --precompute 3 --json";
    let made = bucketeer(line, &[&bases, &table]).json();
    assert_eq!((&made["n"], &made["copies"]), (&3000.into(), &3.into()));
    assert_eq!(made["bytes"], fs::metadata(&table).expect("a table").len());
    // The table names its curve.
    let line = "msm --device cpu --table {} --scalars {} --json";
    let object = bucketeer(line, &[&table, &scalars]).json();
    assert_eq!((&object["result"], &object["checked"]), (&expected, &Value::Bool(true)));
    assert_eq!(object["curve"], "bn254-g1");
    let line = "msm --device cpu --table {} -n 100 --batch 3 --seed 5 --json";
    let batch = bucketeer(line, &[&table]).json();
    let line = "msm --curve bn254 --device cpu --bases {} -n 100 --batch 3 --seed 5 --json";
    assert_eq!(batch["results"], bucketeer(line, &[&bases]).json()["results"]);
    let text = bucketeer("inspect {}", &[&table]).ok();
    assert!(text.contains("precomputed table") && text.contains("msm --table"), "{text}");
}

#[test]
fn the_plan_chooses_the_table() {
    let (_folder, [bases, scalars, table]) = files();
    let line = "precompute --curve bn254 --device cpu --bases {} --output {} --json";
    assert!(bucketeer(line, &[&bases, &table]).json()["copies"].as_u64() > Some(1));
    let text = bucketeer(
        "precompute --curve bn254 --device cpu --bases {} -n 3 --output {}",
        &[&bases, &table],
    );
    assert!(text.ok().contains("3 bases of bn254"));
    bucketeer("msm --device cpu --table {} -n 3", &[&table]).ok();
    bucketeer("msm --device cpu --table {} --scalars {}", &[&table, &scalars])
        .fails(2, &["3000 scalars for 3 bases"]);
    bucketeer("msm --device cpu --table {} -n 4", &[&table]).fails(2, &["4 bases", "are 3"]);
}

#[test]
fn tables_that_are_refused() {
    let (_folder, [bases, scalars, table]) = files();
    let line = "precompute --curve bn254 --device cpu --bases {} --output {} --precompute 2";
    bucketeer(line, &[&bases, &table]).ok();
    bucketeer("msm --curve bls12-381 --device cpu --table {}", &[&table])
        .fails(2, &["table", "wrong curve", "bn254-g1", "bls12-381-g1"]);
    bucketeer("msm --device cpu --table {} --precompute 2", &[&table]).fails(2, &["--table"]);
    bucketeer("msm --curve bn254 --device cpu --table {}", &[&bases])
        .fails(2, &["not a table of Bucketeer"]);
    bucketeer("msm --curve bn254 --device cpu --bases {}", &[&table])
        .fails(2, &["precomputed table", "--table"]);
    let bytes = fs::read(&table).expect("a table");
    let mut damaged = bytes.clone();
    damaged[5000] ^= 1;
    fs::write(&table, damaged).expect("a table");
    let line = "msm --device cpu --table {} --scalars {}";
    bucketeer(line, &[&table, &scalars]).fails(2, &["table", "damaged"]);
    fs::write(&table, &bytes[..bytes.len() - 9]).expect("a table");
    bucketeer(line, &[&table, &scalars]).fails(2, &["table", "truncated"]);
}

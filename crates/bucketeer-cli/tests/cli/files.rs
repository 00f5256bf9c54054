//! Files written by one command and read by another.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::bucketeer;

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn random_result(curve: &str) -> Value {
    bucketeer(&format!("msm --curve {curve} -n 40 --seed 11 --json"), &[]).json()["result"].clone()
}

#[test]
fn generated_files_hold_what_msm_makes_from_the_seed() {
    for curve in ["bls12-377", "bn254-g2", "ed-on-bls12-377"] {
        let (files, expected) = (Files::new(), random_result(curve));
        let [bases, scalars, json] = ["bases", "scalars", "both.json"].map(|name| files.path(name));
        for option in ["", "--uncompressed"] {
            let line = format!(
                "generate --curve {curve} -n 40 --seed 11 --bases {{}} --scalars {{}} {option}"
            );
            bucketeer(&line, &[&bases, &scalars]).ok();
            let line = format!("msm --curve {curve} --bases {{}} --scalars {{}} --json");
            let object = bucketeer(&line, &[&bases, &scalars]).json();
            assert_eq!((&object["result"], &object["checked"]), (&expected, &Value::Bool(true)));
        }
        let line = format!("generate --curve {curve} -n 40 --seed 11 --output {{}}");
        bucketeer(&line, &[&json]).ok();
        assert_eq!(bucketeer("msm --input {} --json", &[&json]).json()["result"], expected);
    }
}

/// The scalars used to replace the bases silently.
#[test]
fn bases_and_scalars_in_one_file() {
    let files = Files::new();
    let path = files.path("both");
    let line = "generate --curve bn254 -n 4 --bases {} --scalars {}";
    bucketeer(line, &[&path, &path]).fails(2, &["same file", "both"]);
    assert!(!path.exists());
    fs::write(&path, "kept").expect("a file");
    let roundabout = files.0.path().join(".").join("both");
    bucketeer(line, &[&path, &roundabout]).fails(2, &["same file"]);
    assert_eq!(fs::read(&path).expect("still there"), b"kept");
}

#[test]
fn generate_says_what_it_wrote() {
    let files = Files::new();
    let path = files.path("scalars");
    let text = bucketeer("generate --curve bls12-377 -n 2^10 --scalars {}", &[&path]).ok();
    assert!(text.contains("2^10 scalars"), "{text}");
    let object = bucketeer("generate --curve bls12-377 -n 9 --json --scalars {}", &[&path]).json();
    assert_eq!(object["files"][0]["bytes"], fs::metadata(&path).expect("written").len());
    let object = bucketeer("generate --curve bls12-377 -n 0 --json --scalars {}", &[&path]).json();
    assert_eq!(object["n"], 0);
}

#[test]
fn conversions_lead_back_to_the_same_bytes() {
    let files = Files::new();
    let [first, json, uncompressed, last] =
        ["first", "bases.json", "uncompressed", "last"].map(|name| files.path(name));
    bucketeer("generate --curve bls12-381 -n 30 --bases {}", &[&first]).ok();
    bucketeer("convert --curve bls12-381 {} {}", &[&first, &json]).ok();
    let line = "convert --curve bls12-381 --to uncompressed {} {}";
    bucketeer(line, &[&json, &uncompressed]).ok();
    let object =
        bucketeer("convert --curve bls12-381 --json {} {}", &[&uncompressed, &last]).json();
    assert_eq!(object["n"], 30);
    assert_eq!(fs::read(&first).expect("first"), fs::read(&last).expect("last"));
    assert!(fs::metadata(&uncompressed).expect("written").len() > 30 * 96);
}

#[test]
fn a_batch_takes_its_scalars_from_one_file() {
    let files = Files::new();
    let [bases, scalars, half] = ["bases", "scalars", "half"].map(|name| files.path(name));
    let line = "generate --curve bls12-377 --seed 2 -n 20 --bases {} --scalars {}";
    bucketeer(line, &[&bases, &half]).ok();
    bucketeer("generate --curve bls12-377 --seed 2 -n 40 --scalars {}", &[&scalars]).ok();
    let line = "msm --curve bls12-377 --bases {} --scalars {} --batch 2 --json";
    let object = bucketeer(line, &[&bases, &scalars]).json();
    assert_eq!(
        (object["results"].as_array().map(Vec::len), &object["checked"]),
        (Some(2), &true.into())
    );
    let line = "msm --curve bls12-377 --bases {} --scalars {} --json";
    let first = bucketeer(line, &[&bases, &half]).json();
    assert_eq!(object["results"][0], first["result"]);
    bucketeer(line, &[&bases, &scalars]).fails(2, &["scalars", "40 scalars for 20 bases"]);
}

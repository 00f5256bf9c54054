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

/// The first bases and scalars of files are those of a shorter input.
#[test]
fn prefixes_of_files() {
    let files = Files::new();
    let [bases, scalars, json, out] =
        ["bases", "scalars", "both.json", "out"].map(|name| files.path(name));
    let line = "generate --curve bn254 -n 60 --seed 11 --bases {} --scalars {}";
    bucketeer(line, &[&bases, &scalars]).ok();
    bucketeer("generate --curve bn254 -n 60 --seed 11 --output {}", &[&json]).ok();
    let line = "msm --curve bn254 --bases {} --scalars {} -n 40 --json";
    let object = bucketeer(line, &[&bases, &scalars]).json();
    assert_eq!((&object["n"], &object["result"]), (&40.into(), &random_result("bn254")));
    let object = bucketeer("msm --input {} -n 40 --json", &[&json]).json();
    assert_eq!(object["result"], random_result("bn254"));
    let line = "msm --curve bn254 --bases {} --scalars {} -n 61";
    bucketeer(line, &[&bases, &scalars]).fails(2, &["61 bases were requested, but there are 60"]);
    let line = "msm --curve bn254 --bases {} --scalars {} -n 40 --batch 2";
    bucketeer(line, &[&bases, &scalars]).fails(2, &["80 scalars were requested, but there are 60"]);
    bucketeer("msm --input {} -n 61", &[&json]).fails(2, &["61 bases were requested"]);
    let object = bucketeer("convert --curve bn254 -n 7 --json {} {}", &[&bases, &out]).json();
    assert_eq!(object["n"], 7);
    bucketeer("convert --curve bn254 -n 61 {} {}", &[&bases, &out]).fails(2, &["61 bases"]);
}

/// Random scalars over bases of a file: those of the seed, whatever the bases are.
#[test]
fn random_scalars_over_bases_of_a_file() {
    let files = Files::new();
    let bases = files.path("bases");
    bucketeer("generate --curve bn254 -n 40 --seed 11 --bases {}", &[&bases]).ok();
    let object = bucketeer("msm --curve bn254 --bases {} --seed 11 --json", &[&bases]).json();
    assert_eq!((&object["result"], &object["checked"]), (&random_result("bn254"), &true.into()));
    let line = "msm --curve bn254 --bases {} --seed 11 -n 9 --batch 3 --distribution skewed --json";
    let from_file = bucketeer(line, &[&bases]).json();
    let line = "msm --curve bn254 --seed 11 -n 9 --batch 3 --distribution skewed --json";
    let results = &bucketeer(line, &[]).json()["results"];
    assert_eq!((&from_file["results"], results.as_array().map(Vec::len)), (results, Some(3)));
    let text = bucketeer("msm --curve bn254 --bases {} --seed 5", &[&bases]).ok();
    assert!(text.contains("uniform scalars, seed 5"), "{text}");
}

#[test]
fn inspect_says_what_files_hold() {
    let files = Files::new();
    let [bases, json] = ["bases", "both.json"].map(|name| files.path(name));
    bucketeer("generate --curve bls12-381-g2 -n 3 --bases {}", &[&bases]).ok();
    let text = bucketeer("inspect {}", &[&bases]).ok();
    let expected = format!("bucketeer msm --curve bls12-381-g2 --bases {}", bases.display());
    assert!(text.contains("compressed") && text.contains(&expected), "{text}");
    let object = bucketeer("inspect --json {}", &[&bases]).json();
    assert_eq!(
        (&object["format"], &object["contents"][0]["count"]),
        (&"arkworks".into(), &3.into())
    );
    assert_eq!(object["use"][0], expected);
    bucketeer("generate --curve bn254 -n 4 --output {}", &[&json]).ok();
    let object = bucketeer("inspect --json {}", &[&json]).json();
    assert_eq!(object["contents"][1]["holds"], "scalars");
    assert!(bucketeer("inspect {}", &[&json]).ok().contains("bucketeer msm --input"));
    for bad in [&b""[..], b"hello", b"ptau", b"r1cs\x01\0\0\0\0\0\0\0"] {
        fs::write(&bases, bad).expect("written");
        bucketeer("inspect {}", &[&bases]).fails(2, &["bases"]);
    }
    bucketeer("inspect /nowhere/x", &[]).fails(2, &["/nowhere/x"]);
}

/// A circuit used to be a vector of ten thousand million scalars.
#[test]
fn a_circuit_given_as_input() {
    let files = Files::new();
    let [bases, circuit] = ["bases", "circuit.r1cs"].map(|name| files.path(name));
    bucketeer("generate --curve bn254 -n 4 --bases {}", &[&bases]).ok();
    fs::write(&circuit, b"r1cs\x01\0\0\0\x03\0\0\0").expect("written");
    let line = "msm --curve bn254 --bases {} --scalars {}";
    bucketeer(line, &[&bases, &circuit]).fails(2, &["circuit.r1cs", "a circuit", ".wtns"]);
    bucketeer("msm --curve bn254 --bases {}", &[&circuit]).fails(2, &["a circuit", ".zkey"]);
}

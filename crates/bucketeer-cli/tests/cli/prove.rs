//! `prove` on a circuit of circom's and snarkjs' making. Proofs are verified by
//! `crates/bucketeer-groth16`; here is what the tool says and writes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Ran, bucketeer};

/// A directory for outputs, and a copy of the inputs to be changed.
struct Files {
    directory: TempDir,
    key: PathBuf,
    witness: PathBuf,
}

impl Files {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bucketeer-groth16/examples/data");
        let copy = |name: &str| {
            let path = directory.path().join(name);
            fs::copy(data.join(name), &path).expect("a copy");
            path
        };
        let (key, witness) = (copy("multiplier.zkey"), copy("multiplier.wtns"));
        Self { directory, key, witness }
    }

    fn output(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn prove(&self, options: &str) -> Ran {
        let (proof, public) = (self.output("proof.json"), self.output("public.json"));
        let line = format!("prove {{}} {{}} {{}} {{}} --device cpu {options}");
        bucketeer(&line, &[&self.key, &self.witness, &proof, &public])
    }

    /// Expects exit code 2, these words, and that nothing was written.
    #[track_caller]
    fn fails(&self, words: &[&str]) {
        self.prove("").fails(2, words);
        let names = fs::read_dir(self.directory.path()).expect("a directory").count();
        assert_eq!(names, 2, "the key, the witness and nothing half-written");
    }
}

fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("the file is there");
    change(&mut bytes);
    fs::write(path, bytes).expect("the file is written");
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("the file is there")).expect("JSON")
}

#[test]
fn a_proof_in_two_files() {
    let files = Files::new();
    let text = files.prove("").ok();
    for word in ["bn254: 4 signals, 1 public, domain 4", "transforms", "sums", "verified: ok"] {
        assert!(text.contains(word), "no \"{word}\" in: {text}");
    }
    let proof = read_json(&files.output("proof.json"));
    assert_eq!([&proof["protocol"], &proof["curve"]], [&json!("groth16"), &json!("bn128")]);
    assert_eq!(read_json(&files.output("public.json")), json!(["33"]));
    let answer = files.prove("--json --threads 1 --no-subgroup-check --no-verify").json();
    assert_eq!([&answer["curve"], &answer["verified"]], [&json!("bn254"), &json!(false)]);
    assert!(answer["stages"]["sums"].is_number() && answer["stages"]["verify"].is_null());
    // Masks are random: no two proofs are equal.
    assert_ne!(read_json(&files.output("proof.json")), proof);
}

#[test]
fn a_witness_that_does_not_satisfy_the_circuit() {
    let files = Files::new();
    // The last value is the factor 11.
    change(&files.witness, |bytes| {
        let at = bytes.len() - 32;
        assert_eq!(bytes[at], 11);
        bytes[at] = 12;
    });
    files.fails(&["multiplier.wtns", "the witness does not satisfy the circuit"]);
    files.prove("--no-verify").ok();
    assert!(files.output("proof.json").exists());
}

#[test]
fn files_that_do_not_fit() {
    let files = Files::new();
    change(&files.witness, |bytes| {
        bytes.truncate(bytes.len() - 32);
        // One value less, in the header and in the length of the section.
        (bytes[12 + 12 + 36], bytes[12 + 12 + 40 + 4]) = (3, 96);
    });
    files.fails(&["multiplier.wtns", "3 values in the witness", "4 signals"]);
    let files = Files::new();
    change(&files.key, |bytes| bytes.truncate(1000));
    files.fails(&["multiplier.zkey", "truncated"]);
    let files = Files::new();
    change(&files.key, |bytes| bytes[12 + 12 + 4 + 12 + 4] ^= 1);
    files.fails(&["multiplier.zkey", "neither bn254 nor bls12-381"]);
}

#[test]
fn outputs() {
    let files = Files::new();
    let (key, witness) = (&files.key, &files.witness);
    let proof = files.output("proof.json");
    let line = "prove {} {} {} {}";
    bucketeer(line, &[key, witness, &proof, &proof]).fails(2, &["same file", "proof.json"]);
    let nowhere = Path::new("/nowhere/public.json");
    bucketeer(line, &[key, witness, &proof, nowhere]).fails(2, &["/nowhere"]);
    assert!(!proof.exists());
    let public = files.output("public.json");
    let nowhere = Path::new("/nowhere/proof.json");
    bucketeer(line, &[key, witness, nowhere, &public]).fails(2, &["/nowhere/proof.json"]);
    assert!(!public.exists());
    bucketeer("prove {} {} {} {} --memory-limit 1", &[key, witness, &proof, &public])
        .fails(4, &["memory"]);
}

/// A witness was read as an arkworks file: "truncated: 8 + 10526553207·32 bytes expected".
#[test]
fn a_witness_as_scalars_of_msm() {
    let files = Files::new();
    let line = "msm --curve bn254 --bases {} --section a --scalars {} --json";
    let answer = bucketeer(line, &[&files.key, &files.witness]).json();
    assert_eq!([&answer["n"], &answer["checked"]], [&json!(4), &json!(true)]);
}

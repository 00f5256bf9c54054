//! Files that are not what they should be: exit code 2, and the file, the place and the reason
//! named.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{bucketeer, input, multiple, off_curve, order, outside_subgroup, point};

/// A directory with good files of ten BLS12-381 bases and scalars.
struct Good {
    directory: TempDir,
    bases: PathBuf,
    scalars: PathBuf,
}

impl Good {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let [bases, scalars] = ["bases.bin", "scalars.bin"].map(|name| directory.path().join(name));
        let line = "generate --curve bls12-381 -n 10 --bases {} --scalars {}";
        bucketeer(line, &[&bases, &scalars]).ok();
        Self { directory, bases, scalars }
    }

    #[track_caller]
    fn fails(&self, words: &[&str]) {
        let line = "msm --curve bls12-381 --bases {} --scalars {}";
        bucketeer(line, &[&self.bases, &self.scalars]).fails(2, words);
    }

    fn change(path: &PathBuf, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = fs::read(path).expect("the file is there");
        change(&mut bytes);
        fs::write(path, bytes).expect("the file is written");
    }
}

/// Terminal escapes in a file used to reach the terminal, and a very long name was printed whole.
#[test]
fn names_that_are_not_fit_to_print() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("names.json");
    for curve in ["\u{1b}]0;owned\u{7}\u{1b}[2J".to_owned(), "x".repeat(1 << 20)] {
        let scalars = [curve.as_str()];
        let texts = [
            json!({ "curve": curve, "bases": [], "scalars": [] }),
            json!({ "curve": "bn254", "bases": curve, "scalars": [] }),
            json!({ "curve": "bn254", "bases": [[1, 2]], "scalars": scalars }),
            json!({ "curve": "bn254", "bases": [null], "scalars": scalars }),
        ];
        for text in texts {
            fs::write(&path, text.to_string()).expect("the file is written");
            let ran = bucketeer("msm --input {}", &[&path]);
            assert!(!ran.stderr.trim_end().contains(char::is_control), "{:?}", ran.stderr);
            assert!(ran.stderr.len() < 2000, "{}", ran.stderr.len());
            ran.fails(2, &["names.json"]);
        }
    }
}

#[test]
fn truncated_bytes() {
    let good = Good::new();
    Good::change(&good.bases, |bytes| bytes.truncate(bytes.len() - 1));
    good.fails(&["bases.bin", "truncated"]);
    let good = Good::new();
    Good::change(&good.scalars, |bytes| bytes.truncate(bytes.len() - 32));
    good.fails(&["scalars.bin", "truncated"]);
}

#[test]
fn trailing_bytes() {
    let good = Good::new();
    Good::change(&good.bases, |bytes| bytes.push(0));
    good.fails(&["bases.bin", "trailing"]);
    let good = Good::new();
    Good::change(&good.scalars, |bytes| bytes.extend([0; 32]));
    good.fails(&["scalars.bin", "trailing"]);
}

#[test]
fn empty_and_missing_files() {
    let good = Good::new();
    Good::change(&good.bases, Vec::clear);
    good.fails(&["bases.bin", "empty"]);
    fs::remove_file(&good.bases).expect("removed");
    good.fails(&["bases.bin"]);
    bucketeer("msm --input {}", &[good.directory.path()]).fails(2, &[]);
    bucketeer("msm --input /nowhere/x.json", &[]).fails(2, &["/nowhere/x.json"]);
}

#[test]
fn bytes_that_are_no_point_or_scalar() {
    let good = Good::new();
    // The fourth base: a compressed point takes 48 bytes, after 8 of the count.
    Good::change(&good.bases, |bytes| bytes[8 + 3 * 48..8 + 4 * 48].fill(0x9f));
    good.fails(&["bases.bin", "base 3"]);
    let good = Good::new();
    Good::change(&good.scalars, |bytes| bytes[8 + 7 * 32..8 + 8 * 32].fill(0xff));
    good.fails(&["scalars.bin", "scalar 7", "order"]);
}

#[test]
fn the_wrong_curve() {
    let good = Good::new();
    let line = "msm --curve bn254-g2 --bases {} --scalars {}";
    bucketeer(line, &[&good.bases, &good.scalars]).fails(2, &["bases.bin", "bn254-g2"]);
    let path = good.directory.path().join("both.json");
    fs::write(&path, input(&[multiple(1)], &["1"])).expect("written");
    let ran = bucketeer("msm --curve bls12-377 --input {}", &[&path]);
    ran.fails(2, &["both.json", "bls12-381", "bls12-377"]);
    fs::write(&path, r#"{"curve":"nist-p0","bases":[],"scalars":[]}"#).expect("written");
    bucketeer("msm --input {}", &[&path]).fails(2, &["both.json", "nist-p0"]);
}

#[track_caller]
fn json_fails(bases: &[Value], scalars: &[&str], words: &[&str]) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("both.json");
    fs::write(&path, input(bases, scalars)).expect("written");
    let words = [&["both.json"], words].concat();
    bucketeer("msm --input {} --json", &[&path]).fails(2, &words);
}

#[test]
fn bad_elements_of_json() {
    let g = multiple(1);
    let one = std::slice::from_ref(&g);
    json_fails(one, &[], &["1 bases", "0 scalars"]);
    json_fails(&[g.clone(), off_curve()], &["1", "1"], &["base 1", "not on the curve"]);
    json_fails(&[point(outside_subgroup())], &["1"], &["base 0", "subgroup"]);
    let huge = json!([format!("0x1{}", "0".repeat(96)), "0x1"]);
    json_fails(&[g.clone(), huge], &["1", "1"], &["base 1", "modulus"]);
    json_fails(one, &[&order().to_string()], &["scalar 0", "order"]);
    json_fails(one, &["-1"], &["scalar 0"]);
    json_fails(one, &["12monkeys"], &["scalar 0", "12monkeys"]);
    json_fails(&[json!(["0x1"])], &["1"], &["base 0"]);
}

#[test]
fn text_that_is_no_json() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("both.json");
    for text in ["", "{", "[]", r#"{"bases":[],"scalars":[]}"#, "{}}"] {
        fs::write(&path, text).expect("written");
        bucketeer("msm --input {}", &[&path]).fails(2, &["both.json"]);
    }
}

#[test]
fn nothing_is_written_for_bad_input() {
    let good = Good::new();
    let out = good.directory.path().join("out");
    Good::change(&good.bases, |bytes| bytes.truncate(100));
    let line = "convert --curve bls12-381 {} {}";
    bucketeer(line, &[&good.bases, &out]).fails(2, &["bases.bin"]);
    assert!(!out.exists());
    fs::write(&out, "precious").expect("written");
    bucketeer(line, &[&good.bases, &out]).fails(2, &["bases.bin"]);
    assert_eq!(fs::read_to_string(&out).expect("it is there"), "precious");
    let names = fs::read_dir(good.directory.path()).expect("a directory").count();
    assert_eq!(names, 3, "bases, scalars, out and nothing half-written");
}

#[test]
fn conversion_checks_the_subgroup_unless_told_not_to() {
    let directory = tempfile::tempdir().expect("a directory");
    let [path, out] = ["in.json", "out"].map(|name| directory.path().join(name));
    fs::write(&path, input(&[point(outside_subgroup())], &["1"])).expect("written");
    bucketeer("convert --curve bls12-381 {} {}", &[&path, &out])
        .fails(2, &["in.json", "base 0", "subgroup"]);
    assert!(!out.exists());
    bucketeer("convert --curve bls12-381 --no-subgroup-check {} {}", &[&path, &out]).ok();
    assert!(out.exists());
}

#[test]
fn outputs_that_cannot_be_written() {
    let nowhere = PathBuf::from("/nowhere/out");
    bucketeer("generate --curve bls12-381 -n 2 --bases {}", &[&nowhere]).fails(2, &["/nowhere"]);
    bucketeer("bench --curve bls12-381 -n 2 --repeat 1 --plot {}", &[&nowhere])
        .fails(2, &["/nowhere"]);
}

//! Files that exceed the memory limit: they are read chunk by chunk.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Ran, bucketeer, finished};

/// Bases and scalars on BN254.
struct Files {
    _folder: tempfile::TempDir,
    bases: PathBuf,
    scalars: PathBuf,
}

impl Files {
    fn new(n: usize) -> Self {
        let folder = tempfile::tempdir().expect("a directory");
        let [bases, scalars] = ["bases", "scalars"].map(|name| folder.path().join(name));
        let line = format!(
            "generate --curve bn254 -n {n} --seed 3 --uncompressed --bases {{}} --scalars {{}}"
        );
        bucketeer(&line, &[&bases, &scalars]).ok();
        Self { _folder: folder, bases, scalars }
    }

    fn msm(&self, options: &str) -> Ran {
        let line = format!(
            "msm --curve bn254 --device cpu --threads 2 --bases {{}} --scalars {{}} {options}"
        );
        bucketeer(&line, &[&self.bases, &self.scalars])
    }
}

#[test]
fn files_larger_than_the_limit() {
    let files = Files::new(1 << 16);
    let whole = files.msm("--json").json();
    assert_eq!(whole["streamed"], Value::Null);
    let streamed = files.msm("--memory-limit 5MiB --json").json();
    assert_eq!((&streamed["result"], &streamed["checked"]), (&whole["result"], &true.into()));
    let chunks = streamed["streamed"]["chunks"].as_u64().expect("a number");
    assert!(chunks > 2, "{streamed}");
    assert!(streamed["streamed"]["bytes"].as_u64().expect("a number") <= 5 << 20, "{streamed}");
    let text = files.msm("--memory-limit 5MiB").ok();
    for part in ["streamed in", "wait for disk", "parse and check", "checked: ok"] {
        assert!(text.contains(part), "{text}");
    }
    let first = files.msm("--memory-limit 5MiB -n 60000 --chunk 2500 --json").json();
    assert_eq!(first["result"], files.msm("-n 60000 --json").json()["result"]);
    assert_eq!(first["streamed"]["chunks"], 24);
    // Both fit, and are read as a whole.
    assert_eq!(files.msm("--memory-limit 64MiB --json").json()["streamed"], Value::Null);
    files.msm("--memory-limit 100KiB").fails(4, &["out of memory"]);
}

#[test]
fn faults_of_files_that_are_streamed() {
    let files = Files::new(1 << 16);
    let bytes = fs::read(&files.bases).expect("bases");
    let mut bad = bytes.clone();
    bad[8 + 64 * 30_000] ^= 1;
    fs::write(&files.bases, bad).expect("bases");
    let tight = "--memory-limit 5MiB";
    files.msm(tight).fails(2, &["bases", "base 30000"]);
    fs::write(&files.bases, &bytes[..bytes.len() - 1]).expect("bases");
    files.msm(tight).fails(2, &["bases", "truncated"]);
    fs::write(&files.bases, &bytes).expect("bases");
    let scalars = fs::read(&files.scalars).expect("scalars");
    let mut fewer = 1000u64.to_le_bytes().to_vec();
    fewer.extend(&scalars[8..8 + 32 * 1000]);
    fs::write(&files.scalars, fewer).expect("scalars");
    files.msm(tight).fails(2, &["1000 scalars for 65536 bases", "-n 1000 takes the first"]);
    fs::write(&files.scalars, scalars).expect("scalars");
    files.msm(&format!("{tight} -n 70000")).fails(2, &["70000 bases were requested"]);
}

/// A mapped file that becomes shorter would end the process with a signal.
#[test]
fn files_that_change_while_they_are_streamed() {
    let files = Files::new(1 << 16);
    let bytes = fs::read(&files.bases).expect("bases");
    let changes: [fn(&Path); 2] = [
        |path| {
            let file = fs::File::options().write(true).open(path).expect("bases");
            file.set_len(100_000).expect("a shorter file");
        },
        |path| {
            let mut file = fs::File::options().write(true).open(path).expect("bases");
            file.write_all(b"changed!").expect("written");
        },
    ];
    for change in changes {
        fs::write(&files.bases, &bytes).expect("bases");
        // Chunks of two bases take seconds.
        let started = Command::new(env!("CARGO_BIN_EXE_bucketeer"))
            .args("msm --curve bn254 --device cpu --memory-limit 3MiB --chunk 2".split(' '))
            .args([Path::new("--bases"), &files.bases, Path::new("--scalars"), &files.scalars])
            .env("CUDA_VISIBLE_DEVICES", "")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the tool starts");
        std::thread::sleep(Duration::from_millis(300));
        change(&files.bases);
        let ran = finished(started.wait_with_output().expect("the tool ends"));
        ran.fails(2, &["bases"]);
    }
}

/// Killed at random, and started again until it comes to its end.
#[test]
fn runs_that_are_killed_go_on() {
    let files = Files::new(1 << 14);
    let expected = files.msm("--json").json()["result"].clone();
    for round in 0..4u64 {
        let sums = files.bases.with_file_name(format!("sums-{round}"));
        let options = "msm --curve bn254 --device cpu --chunk 50 --no-check --json";
        let mut kills = 0;
        let object = loop {
            let mut run = Command::new(env!("CARGO_BIN_EXE_bucketeer"))
                .args(options.split(' '))
                .args([Path::new("--bases"), &files.bases, Path::new("--scalars"), &files.scalars])
                .args([Path::new("--checkpoint"), &sums])
                .env("CUDA_VISIBLE_DEVICES", "")
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the tool starts");
            // From before its start to any chunk; longer each time, so that it ends.
            std::thread::sleep(Duration::from_millis(37 + (round * 61 + kills * 89) % 500));
            if kills < 5 {
                kills += 1;
                // SIGKILL. It may have ended already.
                let _ = run.kill();
            }
            let output = run.wait_with_output().expect("the tool ends");
            if output.status.code().is_some() {
                break finished(output).json();
            }
        };
        assert_eq!(object["result"], expected, "round {round}");
        let again = bucketeer(
            &format!("{options} --bases {{}} --scalars {{}} --checkpoint {{}}"),
            &[&files.bases, &files.scalars, &sums],
        )
        .json();
        assert_eq!((&again["result"], &again["streamed"]["kept"]), (&expected, &328.into()));
    }
    let line = "msm --curve bn254 --checkpoint {} --bases {}";
    bucketeer(line, &[&files.bases, &files.bases]).fails(2, &["--scalars"]);
    let sums = files.bases.join("sums");
    let line = "msm --curve bn254 --device cpu --checkpoint {} --bases {} --scalars {}";
    bucketeer(line, &[&sums, &files.bases, &files.scalars]).fails(2, &["sums"]);
}

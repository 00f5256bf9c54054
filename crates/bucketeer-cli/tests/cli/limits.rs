//! What the system refuses — memory, threads — and files that change or never end: a typed exit
//! code, never a signal or a wait.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Ran, bucketeer, finished, input, multiple};

/// Runs `bucketeer` after a command of the shell that sets limits, as a user they apply to.
pub fn limited(limit: &str, line: &str) -> Ran {
    let folder = tempfile::tempdir().expect("a directory");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("permissions");
    let program = folder.path().join("bucketeer");
    // By another process: while this one has the copy open for writing, a child that another test
    // is starting has it open, too, and the copy cannot be run.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_bucketeer")).arg(&program).status();
    assert!(copied.expect("cp").success());
    let mut command = Command::new("bash");
    command.arg("-c").arg(format!("{limit} && exec \"$0\" \"$@\"")).arg(&program);
    command.args(line.split_whitespace()).current_dir("/").env("CUDA_VISIBLE_DEVICES", "");
    // Limits on processes do not hold for root.
    if fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
        command.uid(65534).gid(65534);
    }
    finished(command.output().expect("bash starts"))
}

/// A plan for the whole machine under `ulimit -v` used to abort.
#[test]
fn address_space_that_is_limited() {
    let ran = limited("ulimit -v 400000", "msm --curve bn254 -n 2^22 --device cpu");
    ran.fails(4, &["out of memory"]);
    // In more chunks.
    let ran = limited("ulimit -v 400000", "msm --curve bn254 -n 2^19 --device cpu --json");
    assert_eq!(ran.json()["checked"], true);
    // Without room for the inputs alone.
    let ran = limited("ulimit -v 60000", "generate --curve bw6-761 -n 2^18 --output /dev/null");
    ran.fails(4, &["out of memory"]);
}

/// Used to end in a panic of the global thread pool.
#[test]
fn threads_that_cannot_be_started() {
    let line = "msm --curve bn254 -n 5000 --device cpu --json";
    let expected = bucketeer(line, &[]).json()["result"].clone();
    let object = limited("ulimit -u 1", line).json();
    assert_eq!((&object["result"], &object["checked"]), (&expected, &true.into()));
    let batch = limited("ulimit -u 1", "msm --curve bn254 -n 50 --batch 3 --device cpu --json");
    assert_eq!(batch.json()["checked"], true);
    limited("ulimit -u 1", "plan --curve bn254 -n 2^20 --device cpu").ok();
    assert!(limited("ulimit -u 1", "devices").ok().contains("cpu"));
}

/// More threads than a system has used to be started until it refused, without end.
#[test]
fn an_absurd_number_of_threads() {
    let line = "msm --curve bn254 -n 2000 --device cpu --json";
    let object = limited("export RAYON_NUM_THREADS=100000", line).json();
    assert_eq!(object["checked"], true);
}

/// JSON used to be opened twice: the second time a pipe was empty, and a FIFO waited for ever.
#[test]
fn json_from_pipes() {
    let text = input(&[multiple(3), multiple(5)], &["7", "11"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_bucketeer"))
        .args(["msm", "--input", "/dev/stdin", "--json", "--device", "cpu"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
    let object = finished(child.wait_with_output().expect("it ends")).json();
    assert_eq!(object["result"], multiple(3 * 7 + 5 * 11));

    let folder = tempfile::tempdir().expect("a directory");
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
    let writer = fifo.clone();
    let writing = std::thread::spawn(move || fs::write(writer, text));
    let object = bucketeer("msm --input {} --json --device cpu", &[&fifo]).json();
    assert_eq!(object["result"], multiple(3 * 7 + 5 * 11));
    writing.join().expect("no panic").expect("written");
}

#[test]
fn files_without_end() {
    let started = Instant::now();
    let zero = Path::new("/dev/zero");
    let line = "msm --curve bn254 --bases {} --scalars {}";
    bucketeer(line, &[zero, Path::new("/dev/null")]).fails(2, &["/dev/zero", "trailing bytes"]);
    bucketeer("convert --curve bn254 {} out", &[zero]).fails(2, &["/dev/zero"]);
    bucketeer("msm --input {}", &[zero]).fails(2, &["/dev/zero"]);
    bucketeer(line, &[zero, zero]).fails(2, &["/dev/zero", "once"]);
    assert!(started.elapsed() < Duration::from_secs(60));
}

/// A file of bases was mapped: cut short while it was read, it ended the process with SIGBUS.
#[test]
fn a_file_cut_short_while_it_is_read() {
    let folder = tempfile::tempdir().expect("a directory");
    let [bases, scalars] = ["bases", "scalars"].map(|name| folder.path().join(name));
    let line = "generate --curve bls12-381 -n 2^15 --bases {} --scalars {}";
    bucketeer(line, &[&bases, &scalars]).ok();
    let child = Command::new(env!("CARGO_BIN_EXE_bucketeer"))
        .args(["msm", "--curve", "bls12-381", "--device", "cpu", "--bases"])
        .arg(&bases)
        .arg("--scalars")
        .arg(&scalars)
        .env("RAYON_NUM_THREADS", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    // Compressed points take a square root each: one thread reads them in a second or more.
    std::thread::sleep(Duration::from_millis(200));
    let file = fs::File::options().write(true).open(&bases).expect("the file");
    file.set_len(1000).expect("a shorter file");
    finished(child.wait_with_output().expect("it ends")).fails(2, &["bases: "]);
}

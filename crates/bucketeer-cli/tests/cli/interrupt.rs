//! Ctrl-C and other requests to end, at any time: exit code 128 plus the signal, one line on
//! stderr, nothing half written.

use std::ffi::OsStr;
use std::fs;
use std::io::Error;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::inputs::Place;
use crate::support::{Ran, bucketeer, finished};

/// Starts `bucketeer`; `{}` stands for the next of `paths`.
fn start(line: &str, paths: &[&Path]) -> Child {
    let mut paths = paths.iter();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bucketeer"));
    let mut argument = |word| match word {
        "{}" => paths.next().expect("a path for every {}").as_os_str(),
        other => OsStr::new(other),
    };
    command.args(line.split_whitespace().map(&mut argument)).env("CUDA_VISIBLE_DEVICES", "");
    // A shell that runs the tests in the background, or `nohup`, has them ignore these signals, and
    // the tool respects that.
    let heeded = || {
        for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGTERM] {
            // SAFETY: it changes what this process does with a signal, and nothing else.
            if unsafe { libc::signal(signal, libc::SIG_DFL) } == libc::SIG_ERR {
                return Err(Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: `signal` may be called between fork and exec.
    unsafe { command.pre_exec(heeded) };
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the tool starts")
}

/// Waits until something is so.
#[track_caller]
fn until(is: impl Fn() -> bool) {
    let started = Instant::now();
    while !is() {
        assert!(started.elapsed() < Duration::from_secs(60), "it never came to that");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sends a signal, and waits for the end.
fn signalled(child: Child, signal: i32) -> Ran {
    let id = i32::try_from(child.id()).expect("a process number");
    // SAFETY: the process is a child that was not waited for, so the number is still its own.
    assert_eq!(unsafe { libc::kill(id, signal) }, 0);
    finished(child.wait_with_output().expect("the tool ends"))
}

/// Whether the process has the thread that waits for signals.
fn listens(child: &Child) -> bool {
    let tasks = fs::read_dir(format!("/proc/{}/task", child.id()));
    let names = tasks.into_iter().flatten().flatten().map(|task| task.path().join("comm"));
    names.into_iter().any(|name| fs::read_to_string(name).is_ok_and(|name| name == "signals\n"))
}

#[track_caller]
fn interrupted(ran: &Ran) {
    let found = (ran.code, ran.stdout.as_str(), ran.stderr.as_str());
    assert_eq!(found, (130, "", "error: interrupted\n"));
}

/// The input is a pipe from which nothing ever comes.
#[test]
fn while_an_input_is_read() {
    let place = Place::new();
    let fifo = place.fifo("fifo");
    for reader in place.readers() {
        let line = reader.line;
        let before = place.names();
        let child = start(line, &reader.paths(&fifo));
        // Opens when the tool has opened it, too.
        let writer = fs::File::options().write(true).open(&fifo).expect("a pipe");
        interrupted(&signalled(child, libc::SIGINT));
        drop(writer);
        assert_eq!(place.names(), before, "{line}");
    }
}

#[test]
fn while_an_output_is_written() {
    let place = Place::new();
    let temporary = || place.names().iter().any(|name| name.starts_with(".bucketeer-"));
    let output = place.path("output");
    fs::write(&output, "old").expect("a file");
    let before = place.names();
    for option in ["--bases", "--scalars", "--output"] {
        let n = if option == "--output" { "2^13" } else { "2^16" };
        let line = format!("generate --curve bls12-381-g2 -n {n} --uncompressed {option} {{}}");
        let child = start(&line.replace("--uncompressed --output", "--output"), &[&output]);
        until(temporary);
        interrupted(&signalled(child, libc::SIGINT));
        assert_eq!(place.names(), before, "{line}");
        assert_eq!(fs::read(&output).expect("the old file"), b"old");
    }
}

/// SIGQUIT used to leave the temporary file behind.
#[test]
fn other_signals_while_an_output_is_written() {
    let place = Place::new();
    let temporary = || place.names().iter().any(|name| name.starts_with(".bucketeer-"));
    let before = place.names();
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
        let line = "generate --curve bls12-381-g2 -n 2^16 --uncompressed --bases {}";
        let child = start(line, &[&place.path("output")]);
        until(temporary);
        signalled(child, signal).fails(128 + signal, &["told to end"]);
        assert_eq!(place.names(), before);
    }
}

/// The proof used to be there without its public signals.
#[test]
fn while_a_proof_is_written() {
    let place = Place::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bucketeer-groth16/examples/data");
    let [key, witness] = ["multiplier.zkey", "multiplier.wtns"].map(|name| data.join(name));
    let [proof, public] = ["proof.json", "public.json"].map(|name| place.path(name));
    let line = "prove {} {} {} {} --device cpu";
    let started = Instant::now();
    bucketeer(line, &[&key, &witness, &proof, &public]).ok();
    let whole = started.elapsed();
    let before = place.names();
    for step in 0..20 {
        fs::write(&proof, "old").expect("a file");
        fs::write(&public, "old").expect("a file");
        let started = Instant::now();
        let child = start(line, &[&key, &witness, &proof, &public]);
        let state = format!("/proc/{}/stat", child.id());
        let ended = || fs::read_to_string(&state).is_ok_and(|text| text.contains(") Z "));
        until(|| listens(&child) || ended());
        std::thread::sleep((whole * step / 16).saturating_sub(started.elapsed()));
        let ran = signalled(child, libc::SIGINT);
        assert!([0, 130].contains(&ran.code), "{}", ran.stderr);
        let is_new = |path| fs::read(path).expect("it is there") != b"old";
        assert_eq!(is_new(&proof), is_new(&public), "{}", ran.stderr);
        assert_eq!(place.names(), before);
    }
}

#[test]
fn while_something_is_computed() {
    for line in [
        "msm --curve bls12-381-g2 -n 2^20 --device cpu",
        "msm --curve bn254 -n 2^16 --batch 1000 --device cpu",
        "bench --curve bn254 -n 2^20 --device cpu",
        "bench --calibrate --device cpu --json",
        "selftest --device cpu",
        "generate --curve bls12-381-g2 -n 2^21 --bases /dev/null",
    ] {
        let child = start(line, &[]);
        until(|| listens(&child));
        // Some print the head of a table before anything is computed.
        let ran = signalled(child, libc::SIGINT);
        assert_eq!((ran.code, ran.stderr.as_str()), (130, "error: interrupted\n"), "{line}");
    }
}

#[test]
fn other_signals() {
    for (signal, code) in [(libc::SIGTERM, 143), (libc::SIGHUP, 129), (libc::SIGQUIT, 131)] {
        let child = start("msm --curve bls12-381-g2 -n 2^20 --device cpu", &[]);
        until(|| listens(&child));
        signalled(child, signal).fails(code, &["told to end"]);
    }
    // As `nohup` starts it.
    let mut command = Command::new("bash");
    command.args(["-c", "trap '' HUP INT && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_bucketeer")]);
    command.args("msm --curve bn254 -n 2^12 --device cpu".split(' ')).process_group(0);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("bash");
    until(|| listens(&child));
    let id = i32::try_from(child.id()).expect("a process number");
    // SAFETY: as in `signalled`.
    assert_eq!(unsafe { libc::kill(id, libc::SIGINT) }, 0);
    let ran = signalled(child, libc::SIGHUP);
    assert!(ran.ok().contains("checked: ok"));
}

/// The sums that are there are whole: the next run goes on with them.
#[test]
fn a_run_with_a_checkpoint() {
    let place = Place::new();
    let [bases, scalars, sums] = ["many", "many-scalars", "sums"].map(|name| place.path(name));
    let line = "generate --curve bn254 -n 2^13 --seed 3 --uncompressed --bases {} --scalars {}";
    bucketeer(line, &[&bases, &scalars]).ok();
    let line = "msm --curve bn254 --device cpu --bases {} --scalars {} --json";
    let expected = bucketeer(line, &[&bases, &scalars]).json()["result"].clone();
    let line = "msm --curve bn254 --device cpu --chunk 20 --no-check --json --bases {} \
                --scalars {} --checkpoint {}";
    let names = || -> Vec<String> {
        let entries = fs::read_dir(&sums).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    let finished_chunks = || names().iter().filter(|name| name.ends_with(".sum")).count();
    for _ in 0..3 {
        let before = finished_chunks();
        let child = start(line, &[&bases, &scalars, &sums]);
        until(|| finished_chunks() > before + 3);
        interrupted(&signalled(child, libc::SIGINT));
        assert!(names().iter().all(|name| name == "chunk" || name.ends_with(".sum")));
    }
    let kept = finished_chunks();
    let object = bucketeer(line, &[&bases, &scalars, &sums]).json();
    assert_eq!((&object["result"], &object["streamed"]["kept"]), (&expected, &kept.into()));
}

//! Exit codes and messages for bad arguments, before any input is looked at.

use std::process::{Command, Stdio};

use crate::support::bucketeer;

#[test]
fn help_and_version() {
    let help = bucketeer("--help", &[]).ok();
    for command in [
        "msm", "bench", "plan", "devices", "prove", "generate", "inspect", "convert", "selftest",
        "presets",
    ] {
        assert!(help.contains(&format!("  {command} ")), "{command} in {help}");
        assert!(bucketeer(&format!("{command} --help"), &[]).ok().contains("Usage:"));
    }
    assert!(bucketeer("--version", &[]).ok().starts_with("bucketeer 0."));
}

#[test]
fn bad_usage_exits_with_2() {
    bucketeer("frobnicate", &[]).fails(2, &["frobnicate"]);
    bucketeer("msm", &[]).fails(2, &["--curve"]);
    bucketeer("msm --curve bls12-377 -n 12 --bananas", &[]).fails(2, &["--bananas"]);
    bucketeer("msm --curve bls12-377 -n 1e6", &[]).fails(2, &["-n", "1e6", "2^20"]);
    bucketeer("msm --curve bls12-377 -n 2^64", &[]).fails(2, &["2^64", "too large"]);
    bucketeer("msm --curve bls12-377 --memory-limit 4GB", &[]).fails(2, &["4GB", "GiB"]);
    bucketeer("msm --curve bls12-377 --threads 0", &[]).fails(2, &["--threads", "0"]);
    bucketeer("msm --curve bls12-377 --batch 0", &[]).fails(2, &["--batch", "0"]);
    bucketeer("bench --curve bls12-377 -n 2^9..2^3", &[]).fails(2, &["2^9..2^3", "powers"]);
    bucketeer("generate --curve bls12-377 -n 10", &[]).fails(2, &["--output", "--bases"]);
    bucketeer("plan --curve bls12-377", &[]).fails(2, &["-n"]);
}

/// Used to panic (capacity overflow) and to abort.
#[test]
fn batches_without_end() {
    for count in ["18446744073709551615", "1000000000000"] {
        for n in ["0", "2^40"] {
            let line = format!("msm --curve bn254 -n {n} --batch {count} --device cpu");
            bucketeer(&line, &[]).fails(4, &["out of memory", "of results"]);
        }
    }
}

/// A table that takes far longer to make than the MSM used to be made without a warning.
#[test]
fn a_table_that_is_not_worth_it() {
    let line = "msm --curve bn254 -n 2^15 --precompute 20 --odd-multiples 16 --device cpu";
    let ran = bucketeer(line, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let expected = ["warning: the precomputed table", "copies", "16 odd multiples"];
    assert!(expected.iter().all(|text| ran.stderr.contains(text)), "{}", ran.stderr);
    // No warning about a table that is worth it, or about one that is made quickly.
    bucketeer("msm --curve bn254 -n 300 --precompute 2 --batch 4000 --device cpu", &[]).ok();
    bucketeer("msm --curve bn254 -n 30 --precompute 20 --odd-multiples 16 --device cpu", &[]).ok();
}

#[test]
fn options_of_files_need_files() {
    bucketeer("msm --curve bls12-377 --reduce", &[]).fails(2, &["--reduce", "--input"]);
    bucketeer("msm --curve bls12-377 --bases /nowhere/x", &[]).fails(2, &["/nowhere/x"]);
    bucketeer("msm --curve bn254 --bases x --scalars y --seed 4", &[])
        .fails(2, &["--seed", "--scalars"]);
    bucketeer("msm --curve bls12-377 --scalars x", &[]).fails(2, &["--bases"]);
    bucketeer("msm --input x --seed 4", &[]).fails(2, &["--seed", "--input"]);
    bucketeer("msm --input x --batch 2", &[]).fails(2, &["--batch", "--input"]);
}

/// Sections, formats and curves used to be found by trial and error.
#[test]
fn help_names_sections_formats_and_curves() {
    let text = bucketeer("msm --help", &[]).ok();
    for word in ["lagrange-g1:10", "alpha-tau-g1", "gamma-g2", ".wtns", "grumpkin", "bn128"] {
        assert!(text.contains(word), "no {word} in {text}");
    }
    assert!(bucketeer("convert --help", &[]).ok().contains("lagrange-beta-g1"));
}

#[test]
fn curves_have_the_names_of_other_projects() {
    let result = |curve: &str| {
        let line = format!("msm --curve {curve} -n 5 --seed 3 --json --device cpu");
        let object = bucketeer(&line, &[]).json();
        (object["curve"].clone(), object["result"].clone())
    };
    for (names, own) in [
        (["bn128", "alt_bn128", "BN256"], "bn254"),
        (["bls12_381", "BLS12-381", "bls12_381_g1"], "bls12-381"),
    ] {
        for name in names {
            assert_eq!(result(name), result(own), "{name}");
        }
    }
}

#[test]
fn unknown_names_list_the_known_ones() {
    let curve = bucketeer("msm --curve curve25519", &[]);
    curve.fails(2, &["unknown curve \"curve25519\"", "bls12-377", "ed-on-bls12-377"]);
    let device = bucketeer("msm --curve bls12-377 -n 1 --device tpu", &[]);
    device.fails(2, &["unknown device \"tpu\"", "cuda[:i"]);
    let preset = bucketeer("msm --curve bls12-377 --preset fastest", &[]);
    preset.fails(2, &["unknown preset \"fastest\"", "matter-labs"]);
    let kind = bucketeer("msm --curve bls12-377 --distribution odd", &[]);
    kind.fails(2, &["unknown distribution \"odd\"", "skewed"]);
}

#[test]
fn absent_devices_exit_with_3() {
    for device in ["cuda", "cuda:1", "webgpu:99"] {
        for command in ["msm --curve bls12-377 -n 4", "selftest", "bench --curve bls12-377 -n 4"] {
            let ran = bucketeer(&format!("{command} --device {device}"), &[]);
            ran.fails(3, &[&format!("no device {device}")]);
        }
    }
}

#[test]
fn impossible_settings_exit_with_2() {
    for (option, words) in [
        ("--window-bits 0", ["window bits", "1 to 26"]),
        ("--window-bits 27", ["window bits", "1 to 26"]),
        ("--precompute 0", ["precompute factor = 0", "1 to 1024"]),
    ] {
        bucketeer(&format!("msm --curve bls12-377 -n 4 {option}"), &[]).fails(2, &words);
        bucketeer(&format!("plan --curve bls12-377 -n 4 {option}"), &[]).fails(2, &words);
    }
}

#[test]
fn absurd_sizes_state_their_memory_and_exit_with_4() {
    // 2^60 points of two coordinates of 48 bytes and as many scalars of 32.
    let words = ["96.0 EiB of bases", "32.0 EiB of scalars", "to compute", "available"];
    bucketeer("msm --curve bls12-377 -n 2^60", &[]).fails(4, &words);
    bucketeer("msm --curve bls12-377 -n 2^63", &[]).fails(4, &["768.0 EiB of bases"]);
    bucketeer("msm --curve bls12-377 -n 4 --batch 9223372036854775807", &[])
        .fails(4, &["of scalars"]);
    bucketeer("bench --curve bls12-377 -n 8,2^60", &[]).fails(4, &["96.0 EiB of bases"]);
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("bases");
    bucketeer("generate --curve bls12-377 -n 2^60 --bases {}", &[&path])
        .fails(4, &["96.0 EiB of bases"]);
    assert!(!path.exists());
}

#[test]
fn a_limit_below_any_plan_exits_with_4() {
    let ran = bucketeer("msm --curve bls12-377 -n 1000 --memory-limit 1KiB", &[]);
    ran.fails(4, &["out of memory", "1.0 KiB available"]);
    let ran = bucketeer("plan --curve bls12-377 -n 1000 --memory 1KiB", &[]);
    ran.fails(4, &["out of memory", "1.0 KiB available"]);
}

#[test]
fn a_closed_pipe_is_no_panic() {
    for arguments in [&["presets"][..], &["msm", "--curve", "bls12-377", "-n", "10"], &["--help"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_bucketeer"))
            .args(arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .expect("the tool starts");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let output = Command::new(env!("CARGO_BIN_EXE_bucketeer"))
        .arg("presets")
        .stdout(full)
        .output()
        .expect("the tool starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write to stdout"));
}

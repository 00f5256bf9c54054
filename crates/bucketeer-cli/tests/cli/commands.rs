//! The commands beside `msm`.

use std::fs;

use serde_json::Value;

use crate::support::bucketeer;

#[test]
fn bench_prints_a_row_per_size_and_preset() {
    let text = bucketeer("bench --curve bls12-377 -n 2^4..2^8 --repeat 3", &[]).ok();
    for size in ["16", "64", "256"] {
        let row = |line: &&str| line.split_whitespace().nth(1) == Some(size);
        assert_eq!(text.lines().filter(row).count(), 1, "{size} in {text}");
    }
    assert!(text.contains("points/s") && text.contains("median of 3"), "{text}");
}

#[test]
fn bench_json_has_every_sample() {
    let line = "bench --curve bls12-377 -n 2^4..2^6 --step 1 --repeat 4 --json --seed 3";
    let object = bucketeer(line, &[]).json();
    let results = object["results"].as_array().expect("results");
    let sizes: Vec<u64> = results.iter().filter_map(|r| r["n"].as_u64()).collect();
    assert_eq!(sizes, [16, 32, 64]);
    for result in results {
        let mut samples: Vec<f64> = result["samples"]
            .as_array()
            .expect("samples")
            .iter()
            .filter_map(Value::as_f64)
            .collect();
        samples.sort_by(f64::total_cmp);
        assert_eq!(samples.len(), 4);
        assert_eq!(result["min_seconds"], samples[0]);
        assert_eq!(result["median_seconds"], (samples[1] + samples[2]) / 2.0);
    }
}

#[test]
fn bench_of_one_shot_msms_shows_their_stages() {
    let line = "bench --one-shot --curve ed-on-bls12-377 -n 5,2^6 --distribution skewed --repeat 2";
    let text = bucketeer(line, &[]).ok();
    let stages = ["load", "decompose", "group", "accumulate", "reduce", "combine"];
    for word in ["one-shot", "skewed", "total", "median of 2"].into_iter().chain(stages) {
        assert!(text.contains(word), "{word} in {text}");
    }
    let object = bucketeer(&format!("{line} --json"), &[]).json();
    assert_eq!(object["one_shot"], true);
    let results = object["results"].as_array().expect("results");
    let sizes: Vec<u64> = results.iter().filter_map(|r| r["n"].as_u64()).collect();
    assert_eq!(sizes, [5, 64]);
    for result in results {
        assert!(stages.iter().all(|stage| result["stage_seconds"][stage].is_number()), "{result}");
        assert_eq!(result["load_seconds"], result["stage_seconds"]["load"]);
        assert_eq!(result["samples"].as_array().map(Vec::len), Some(2));
    }
    for other in ["--batch 2", "--widths", "--calibrate"] {
        bucketeer(&format!("{line} {other}"), &[]).fails(2, &["--one-shot"]);
    }
}

#[test]
fn bench_draws_a_line_per_preset() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("plot.svg");
    let line = "bench --curve bls12-377 -n 4,8 --repeat 1 --plot {} --json --memory-limit 64MiB";
    let object = bucketeer(&format!("{line} --preset all"), &[&path]).json();
    let results = object["results"].as_array().expect("results");
    assert_eq!(results.len(), 20, "ten presets, two sizes");
    let timed = results.iter().filter(|r| r.get("samples").is_some()).count();
    let drawing = fs::read_to_string(&path).expect("a drawing");
    assert!(drawing.starts_with("<svg ") && drawing.ends_with("</svg>\n"));
    let presets = drawing.matches("<polyline").count();
    assert_eq!(drawing.matches("<circle").count(), timed + presets);
    assert!(drawing.contains(">bucketeer</text>"));
}

#[test]
fn plan_describes_another_machine() {
    let line = "plan --curve bls12-377 -n 2^20 --threads 64 --memory 1TiB --ifma no";
    let text = bucketeer(line, &[]).ok();
    for word in ["bls12-377-g1", "64 threads", "portable", "1.0 TiB", "windows", "total"] {
        assert!(text.contains(word), "no {word} in {text}");
    }
    let object = bucketeer(&format!("{line} --json --window-bits 9"), &[]).json();
    assert_eq!(object["device"]["threads"], 64);
    assert_eq!(object["device"]["ifma"], false);
    assert_eq!(object["device"]["memory"], 1u64 << 40);
    assert_eq!((&object["n"], &object["window_bits"]), (&(1 << 20).into(), &9.into()));
    let buffers = object["buffers"].as_object().expect("buffers");
    let sum: u64 = buffers.values().filter_map(Value::as_u64).sum();
    assert_eq!(object["bytes"], sum);
}

#[test]
fn plan_follows_scalar_bits_presets_and_limits() {
    let plan = |options: &str| {
        bucketeer(&format!("plan --curve bls12-377 -n 2^18 --json {options}"), &[]).json()
    };
    assert_eq!(plan("--scalar-bits 64")["scalar_bits"], 64);
    assert!(plan("")["planning_seconds"].as_f64().is_some_and(|time| time > 0.0));
    assert_eq!(plan("--preset matter-labs --memory 64GiB")["preset"], "matter-labs");
    assert_eq!(plan("--preset matter-labs --memory 64GiB")["window_bits"], 23);
    let tight = plan("--memory-limit 16MiB");
    assert!(tight["bytes"].as_u64().is_some_and(|bytes| bytes <= 16 << 20), "{tight}");
    assert!(tight["chunks"].as_u64().is_some_and(|chunks| chunks > 1), "{tight}");
}

/// GPUs that are not here: the larger the memory, the more copies of each base.
#[test]
fn plan_describes_gpus() {
    let plan = |memory: &str, options: &str| {
        let gpu = format!("--device cuda --multiprocessors 132 --memory {memory}");
        bucketeer(&format!("plan --curve bls12-377 -n 2^26 --resident {gpu} {options}"), &[])
    };
    let mut factors = Vec::new();
    for memory in ["24GiB", "40GiB", "80GiB", "141GiB"] {
        let object = plan(memory, "--json").json();
        assert_eq!(object["device"]["kind"], "cuda");
        factors.push(object["precompute"].as_u64().expect("a factor"));
    }
    assert!(factors.is_sorted() && factors[0] < factors[3], "{factors:?}");
    let text = plan("141GiB", "").ok();
    for words in ["132 multiprocessors", "twisted Edwards", "3 chunk(s) growing", "bucket sums"] {
        assert!(text.contains(words), "no {words} in {text}");
    }
    plan("1GiB", "").fails(4, &["out of memory"]);
    plan("141GiB", "--reduce-by sideways").fails(2, &["way to reduce", "sliced:COUNT"]);
}

#[test]
fn plan_describes_webgpu() {
    let plan = |options: &str| {
        let gpu = "--device webgpu --multiprocessors 64 --memory 8GiB";
        bucketeer(&format!("plan --curve bn254 -n 2^22 {gpu} {options}"), &[])
    };
    let largest = |object: &Value| {
        let buffers = object["buffers"].as_object().unwrap();
        buffers.values().filter_map(Value::as_u64).max().unwrap()
    };
    let object = plan("--json").json();
    assert_eq!(object["device"]["kind"], "webgpu");
    assert!(largest(&object) <= 128 << 20, "{object}");
    let wide = plan("--binding 2GiB --json").json();
    assert!(largest(&wide) > 128 << 20, "{wide}");
    assert!(plan("").ok().contains("bucket set(s)"));
}

#[test]
fn help_on_devices_left_out_webgpu() {
    for command in ["plan", "msm", "bench", "selftest"] {
        let text = bucketeer(&format!("{command} --help"), &[]).ok();
        assert!(text.contains("cuda[:i] or webgpu[:i]"), "{command}: {text}");
    }
}

#[test]
fn devices_says_what_there_is_and_what_not() {
    let text = bucketeer("devices", &[]).ok();
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert!(line("cpu").contains("threads") && line("cpu").contains("free"), "{text}");
    // Whether the driver is missing or sees no GPU, the reason is given.
    assert!(line("cuda").contains("not available") && line("cuda").contains("NVIDIA"), "{text}");
    // Adapters are numbered; without one, the line says what to install.
    let webgpu = line("webgpu");
    let (adapter, none) = (webgpu.starts_with("webgpu:0 "), webgpu.contains("Vulkan driver"));
    assert!((adapter && webgpu.contains("-bit integers")) || none, "{text}");
}

#[test]
fn presets_lists_all_with_their_marks() {
    let text = bucketeer("presets", &[]).ok();
    for name in [
        "bucketeer",
        "aleo-2022-baseline",
        "speakspeak",
        "6block",
        "voronov-kolganov",
        "matter-labs",
        "yrrid",
        "icicle",
        "icicle-precompute",
        "derei-koh",
    ] {
        let row = text.lines().find(|line| line.split_whitespace().next() == Some(name));
        assert!(row.is_some_and(|row| row.len() > name.len() + 10), "{name} in {text}");
    }
}

#[test]
fn selftest_ends_with_its_count() {
    let line = "selftest --curve bls12-377 --preset bucketeer --quick";
    let text = bucketeer(line, &[]).ok();
    let last = text.lines().last().unwrap_or_default();
    assert!(last.ends_with(" passed, 0 failed") && !last.starts_with("0 "), "{text}");
    assert!(text.lines().any(|line| line.starts_with("bls12-377-g1")), "{text}");
}

/// All kinds of calls for two seconds.
#[test]
fn selftest_soaks() {
    let soak = bucketeer("selftest --soak 2s --callers 3 --device cpu --json", &[]).json();
    assert_eq!(soak["wrong"].as_array().map(Vec::len), Some(0));
    let counts = soak["calls"].as_array().expect("calls").iter();
    assert!(counts.filter_map(|call| call["count"].as_u64()).sum::<u64>() > 20, "{soak}");
    for (line, text) in [("--soak 5", "90s"), ("--soak 0s", "1s"), ("--callers 3", "--soak")] {
        bucketeer(&format!("selftest {line}"), &[]).fails(2, &[text]);
    }
}

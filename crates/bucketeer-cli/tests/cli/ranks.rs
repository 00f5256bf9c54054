//! `--mpi` without MPI. What it does with it is tested by crates/bucketeer-mpi.

use std::path::Path;

use crate::support::*;

/// The tool is built without MPI, and says where it looks for it.
#[test]
fn mpi_that_is_missing_is_named() {
    let nowhere = ("BUCKETEER_MPI", Path::new("/nonexistent/connector.so"));
    for line in ["msm --mpi --curve bn254 -n 4", "selftest --mpi", "bench --mpi --curve bn254"] {
        bucketeer_with(line, &[], &[nowhere]).fails(
            3,
            &["--mpi", "BUCKETEER_MPI", "crates/bucketeer-mpi/connector", "/nonexistent"],
        );
    }
}

const H200: &str = "--device cuda --multiprocessors 132 --memory 130GiB --curve bn254";

/// More ranks are faster until the exchange of sums takes over; a slow disk bounds what is read.
#[test]
fn many_ranks_are_planned_on_paper() {
    let line = format!("plan --mpi --ranks 1,8,64,1024 -n 2^32 {H200} --json");
    let plan = bucketeer(&line, &[]).json();
    let results = plan["results"].as_array().expect("results");
    let number = |row: usize, name: &str| results[row][name].as_f64().expect("a number");
    for row in 1..results.len() {
        assert!(number(row, "memory_seconds") < number(row - 1, "memory_seconds"));
        assert!(number(row, "exchange_seconds") > number(row - 1, "exchange_seconds"));
    }
    assert_eq!((number(0, "exchange_seconds"), number(2, "share")), (0.0, f64::from(1 << 26)));
    // 96 bytes for every base and scalar at 3 GB a second.
    let seconds = 96.0 * f64::from(1 << 26) / 3e9;
    assert!((number(2, "disk_seconds") / seconds - 1.0).abs() < 1e-9);
    assert_eq!(results[2]["disk_bound_by"], "disk");
    let fast = bucketeer(&format!("{line} --disk 3000GiB"), &[]).json();
    assert_eq!(fast["results"][2]["disk_bound_by"], "compute");
    let text = bucketeer(&format!("plan --mpi --ranks 8 -n 2^30 {H200}"), &[]).ok();
    assert!(text.contains("2^27") && text.contains("compute"), "{text}");
    bucketeer(&format!("plan --ranks 8 -n 2^30 {H200}"), &[]).fails(2, &["--mpi"]);
}

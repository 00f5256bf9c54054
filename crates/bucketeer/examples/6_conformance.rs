//! The conformance table on curves of one's own choice: here a curve over a prime field and one
//! over a quadratic extension, on the CPU as it is and on portable arithmetic.
//!
//! `cargo run --release -p bucketeer --features conformance --example 6_conformance`
//!
//! `./emulate` runs it on processors that are emulated.

use ark_bls12_381::G2Affine;
use ark_bn254::G1Affine;
use bucketeer::conformance::{CaseResult, Filter, Summary, run_curve};
use bucketeer::{Device, Error};

fn main() -> Result<(), Error> {
    let filter = Filter { quick: true, ..Filter::default() };
    let mut report = |row: &CaseResult| {
        println!("{:<14} {:<18} {:>4} passed", row.curve, row.group, row.passed);
        for failed in &row.failed {
            println!("FAILED {failed}");
        }
    };
    let mut all = Summary::default();
    for device in [Device::cpu(), Device::cpu().portable()?] {
        println!("{device}");
        all += run_curve::<G1Affine>("bn254-g1", &device, &filter, &mut report);
        all += run_curve::<G2Affine>("bls12-381-g2", &device, &filter, &mut report);
    }
    println!("{} passed, {} failed", all.passed, all.failed);
    assert_eq!(all.failed, 0);
    Ok(())
}

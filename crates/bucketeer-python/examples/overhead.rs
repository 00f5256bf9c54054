//! MSMs by the Rust library as bench.py runs them in Python, for comparison.
//!
//! Prints microseconds: the least and the median time of a call, and the least and the median time
//! of the part of it outside of the stages of the run.

use std::time::Instant;

use ark_bn254::{Fr, G1Affine};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Bases, Device, Error};

fn main() -> Result<(), Error> {
    let numbers: Vec<usize> = std::env::args().skip(1).flat_map(|text| text.parse()).collect();
    let [n, calls] = numbers[..] else {
        eprintln!("usage: overhead SIZE CALLS");
        std::process::exit(2);
    };
    let bases = Bases::load(&Device::cpu(), &KnownBases::<G1Affine>::new(n, 1).points)?;
    let scalars: Vec<Fr> = Distribution::Uniform.scalars(n, 2);
    let mut times = Vec::new();
    for _ in 0..calls {
        let start = Instant::now();
        let report = bases.msm_with_report(&scalars)?;
        let wall = start.elapsed();
        let outside = wall.saturating_sub(report.timings.total());
        times.push([wall, outside].map(|time| time.as_secs_f64() * 1e6));
    }
    for column in [0, 1] {
        times.sort_by(|a, b| a[column].total_cmp(&b[column]));
        for index in [0, calls / 2] {
            print!("{:.2} ", times.get(index).map_or(f64::NAN, |time| time[column]));
        }
    }
    println!();
    Ok(())
}

//! MSMs by the Rust library as bench.py runs them in Python, for comparison.
//!
//! Prints microseconds: the least and the median time of a call, and the least and the median CPU
//! time of the calling thread.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ark_bn254::{Fr, G1Affine};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Bases, Device, Error};

fn main() -> Result<(), Error> {
    let numbers: Vec<usize> = std::env::args().skip(1).flat_map(|text| text.parse()).collect();
    let [n, calls] = numbers[..] else {
        eprintln!("usage: overhead SIZE CALLS");
        std::process::exit(2);
    };
    let bases =
        Bases::load(&Device::cpu_with_threads(1)?, &KnownBases::<G1Affine>::new(n, 1).points)?;
    let scalars: Vec<Fr> = Distribution::Uniform.scalars(n, 2);
    let mut times = Vec::new();
    for _ in 0..calls {
        let (start, own) = (Instant::now(), thread_time());
        let _ = black_box(bases.msm(&scalars)?);
        let times_of_call = [start.elapsed(), thread_time() - own];
        times.push(times_of_call.map(|time| time.as_secs_f64() * 1e6));
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

/// CPU time of this thread.
fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value that is written before the call returns.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

//! Bucketeer beside its peers, in one process, on the same points and scalars.
//!
//! `./bench` in the root of the repository builds this with what the peers need to be at their best
//! and runs it; `docs/benchmarks/README.md` says how to read what it prints.
//!
//! 1. [`options`] is the command line.
//! 2. [`contestants`] brings points and scalars into each library's own types
//!    ([`bls12_381`] for blst, [`bn256`] for halo2curves).
//! 3. [`rounds`] lets them run in turn, checks every result and keeps the times.
//! 4. [`contest`] and [`skew`] are the two tables; [`report`] prints them and writes the samples.

mod bls12_381;
mod bn256;
mod contest;
mod contestants;
mod options;
mod report;
mod rounds;
mod skew;

use std::process::ExitCode;

use bucketeer::Device;
use clap::Parser;
use rayon::ThreadPoolBuilder;
use serde_json::json;

use options::Options;
use report::Record;

/// Seed of bases and scalars.
const SEED: u64 = 2024;

/// A result whose error is for people.
type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Everybody but blst runs in this one pool, called from one of its threads.
fn run(options: &Options) -> Outcome<()> {
    let pool = ThreadPoolBuilder::new().num_threads(options.threads()).build()?;
    pool.install(|| {
        let device = match options.portable {
            true => Device::cpu().portable()?,
            false => Device::cpu(),
        };
        let mut record = Record::new(options.json.clone(), machine(&device))?;
        match options.skew {
            true => skew::run(options, &device, &mut record),
            false => contest::run(options, &device, &mut record),
        }
    })
}

/// What the numbers depend on; also printed above the table.
fn machine(device: &Device) -> serde_json::Value {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let processor = processor();
    let assembly =
        cfg!(all(target_arch = "x86_64", target_feature = "bmi2", target_feature = "adx"));
    println!("{processor}\n{device}");
    let with = if assembly { "with" } else { "WITHOUT" };
    println!("arkworks {with} its assembly\n");
    json!({
        "processor": processor,
        "device": device.to_string(),
        "arkworks_assembly": assembly,
        "arguments": arguments,
    })
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or(std::env::consts::ARCH, |(_, name)| name).to_owned()
}

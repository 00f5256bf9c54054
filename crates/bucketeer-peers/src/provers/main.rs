//! Real provers of arkworks with its own MSMs and with Bucketeer's, in one process.
//!
//! `./bench provers --constraints 2^16 --threads 1,2`
//!
//! 1. [`groth16`] and [`kzg`] set a prover up: the same work with arkworks' types, with `Fast<E>`
//!    and with `Fast<E>` and resident bases.
//! 2. [`rounds`] lets the three run in turn, checks that their results are equal and prints.

mod groth16;
mod kzg;
mod rounds;

use std::path::PathBuf;
use std::process::ExitCode;

use bucketeer::Device;
use bucketeer_ark::{Resident, ResidentBuilder, with_device};
use clap::Parser;
use rayon::ThreadPoolBuilder;
use serde_json::{Value, json};

/// A result whose error is for people.
type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Provers of arkworks with its own MSMs and with Bucketeer's.
#[derive(Debug, Parser)]
#[command(bin_name = "./bench provers")]
struct Options {
    /// Constraints of the circuit, and degree of the polynomial: 2^16 or 65536.
    #[arg(long, default_value = "2^16", value_parser = size)]
    constraints: usize,

    /// Numbers of threads, one after the other.
    #[arg(long, value_delimiter = ',', default_value = "1,2",
          value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Vec<u16>,

    /// The device of Bucketeer: auto, cpu, cuda:0, webgpu:0, …
    #[arg(long, default_value = "cpu")]
    device: String,

    /// Rounds that count, after one that does not.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,

    /// Bytes of the tables of resident bases. Default: eight times the bases.
    #[arg(long, value_name = "BYTES")]
    table_limit: Option<u64>,

    /// Writes every sample to this file; - is standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    json: PathBuf,
}

impl Options {
    /// How keys are made resident.
    fn residence(&self) -> ResidentBuilder {
        let builder = Resident::builder();
        match self.table_limit {
            Some(limit) => builder.memory_limit(limit),
            None => builder,
        }
    }
}

fn size(text: &str) -> Result<usize, String> {
    let exact = || text.parse().ok();
    let power = text.strip_prefix("2^").and_then(|log| log.parse().ok());
    let size = power.map_or_else(exact, |log: u32| 1usize.checked_shl(log));
    size.filter(|size| (8..=1 << 26).contains(size)).ok_or_else(|| "expected 8 to 2^26".into())
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Outcome<()> {
    let mut records = Vec::new();
    for threads in &options.threads {
        let pool = ThreadPoolBuilder::new().num_threads((*threads).into()).build()?;
        records.extend(pool.install(|| provers(options, *threads))?);
    }
    let text = serde_json::to_string_pretty(&json!({ "provers": records }))? + "\n";
    match options.json.to_str() {
        Some("-") => print!("{text}"),
        _ => std::fs::write(&options.json, text)?,
    }
    Ok(())
}

fn provers(options: &Options, threads: u16) -> Outcome<Vec<Value>> {
    let device = Device::named(&options.device)?;
    eprintln!("{device}");
    with_device(&device, || {
        Ok(vec![
            groth16::run::<ark_bn254::Bn254>(options, "groth16 bn254", threads)?,
            groth16::run::<ark_bls12_381::Bls12_381>(options, "groth16 bls12-381", threads)?,
            kzg::run::<ark_bls12_381::Bls12_381>(options, "kzg10 commit bls12-381", threads)?,
        ])
    })
}

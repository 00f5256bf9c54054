//! Ethereum's KZG with Bucketeer, beside c-kzg and rust_eth_kzg, on the real trusted setup.
//!
//! `cargo run --release -p bucketeer-peers --bin eip4844 -- --threads 1,2`
//!
//! 1. [`setup`] is the trusted setup in the forms that proofs need.
//! 2. [`kzg`] has commitments and proofs of EIP-4844, [`fk20`] the cell proofs of EIP-7594.
//! 3. [`times`] prints the table; every result in it is compared with the peers' first.
//!
//! The tests compare many more blobs.

mod blobs;
mod fk20;
mod kzg;
mod setup;
#[cfg(test)]
mod tests;
mod times;

use std::process::ExitCode;

use clap::Parser;

/// A result whose error is for people.
type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Commitments and proofs of EIP-4844 and EIP-7594 by Bucketeer, c-kzg and rust_eth_kzg.
#[derive(Parser)]
struct Options {
    /// Numbers of threads, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<usize>,
    /// Timed runs of each operation; the table has their median.
    #[arg(long, default_value_t = 5)]
    repeat: usize,
    /// Bytes of Bucketeer's tables, in MiB.
    #[arg(long, default_value_t = 96)]
    table: u64,
    /// Bucketeer without vector instructions.
    #[arg(long)]
    portable: bool,
}

fn main() -> ExitCode {
    match times::run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

//! The command-line tool of Bucketeer: flags, glue and messages around the library.
//!
//! One file per command. A command takes its parsed arguments, does its work and returns what goes
//! to stdout, or a [`Failure`](failure::Failure) that carries its own exit code. Only this file
//! writes to stdout and ends the process:
//!
//! | code | meaning |
//! | --- | --- |
//! | 0 | done |
//! | 1 | a result was wrong |
//! | 2 | bad usage or bad input |
//! | 3 | no such device |
//! | 4 | out of memory |
//! | 128 + n | ended by signal n: 130 after Ctrl-C |

mod allocator;
mod answer;
mod args;
mod bench;
mod check;
mod convert;
mod devices;
mod failure;
mod generate;
mod input;
mod inspect;
mod interrupt;
mod memory;
mod msm;
mod output;
mod plan;
mod plot;
mod precompute;
mod presets;
mod progress;
mod prove;
mod ranks;
mod selftest;
mod units;

use std::panic::catch_unwind;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;
use crate::output::Outcome;

/// Multi-scalar multiplication over elliptic curves.
///
/// Exit codes: 0 done, 1 wrong result, 2 bad usage or input, 3 no such device, 4 out of memory,
/// 130 interrupted.
#[derive(Parser)]
#[command(name = "bucketeer", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compute an MSM, of random input or of files, and check it with a second method
    Msm(msm::Args),
    /// Time MSMs of many sizes
    Bench(bench::Args),
    /// Show every decision of a run and its memory, without running it
    Plan(plan::Args),
    /// List the devices of this machine
    Devices(devices::Args),
    /// Prove a witness with Groth16: snarkjs' .zkey and .wtns in, its JSON out
    Prove(prove::Args),
    /// Write random bases and scalars to files
    Generate(generate::Args),
    /// Say what a file holds: format, curve, sections, numbers of points, and how to use it
    Inspect(inspect::Args),
    /// Rewrite a file of bases in another format
    Convert(convert::Args),
    /// Precompute a table of bases and write it to a file, for `msm --table`
    Precompute(precompute::Args),
    /// Run the conformance table on a device
    Selftest(selftest::Args),
    /// List the presets: published strategies, as plans
    Presets(presets::Args),
}

impl Command {
    fn run(&self) -> Outcome {
        match self {
            Self::Msm(args) => msm::run(args),
            Self::Bench(args) => bench::run(args),
            Self::Plan(args) => plan::run(args),
            Self::Devices(args) => devices::run(args),
            Self::Prove(args) => prove::run(args),
            Self::Generate(args) => generate::run(args),
            Self::Inspect(args) => inspect::run(args),
            Self::Convert(args) => convert::run(args),
            Self::Precompute(args) => precompute::run(args),
            Self::Selftest(args) => selftest::run(args),
            Self::Presets(args) => presets::run(args),
        }
    }
}

fn main() -> ExitCode {
    interrupt::handle();
    if !ranks::requested() {
        return parsed();
    }
    match ranks::start() {
        Ok(()) => match catch_unwind(parsed) {
            Ok(code) => {
                ranks::leave();
                code
            }
            // Others may wait for this rank: it ends without them, and mpirun ends them.
            Err(_) => std::process::exit(101),
        },
        Err(failure) => ended(Err(failure)),
    }
}

/// Parses the arguments and runs the command.
fn parsed() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => ended(ranks::end(cli.command.run()).and_then(|text| output::print(&text))),
        Err(error) => {
            if !output::is_silent() {
                let _ = error.print();
            }
            // Help goes to stdout and is not a failure.
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}

/// Prints a failure; the exit code.
fn ended(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

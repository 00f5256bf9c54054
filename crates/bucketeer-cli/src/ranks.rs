//! Commands over the ranks of a parallel program, with `--mpi`.
//!
//! 1. MPI is in a library that is loaded when it is requested ([`connector`]).
//! 2. Every rank carries out the same command, on a device that is all ranks' ([`over`]).
//! 3. Only rank 0 prints. If one rank fails, all end with its error and its exit code.

mod connector;

use std::sync::{Arc, OnceLock};

use bucketeer::Device;
use bucketeer::ranks::{self, Ranks};

use crate::failure::Failure;
use crate::output;
use connector::Connector;

/// The option that makes commands run over MPI.
const OPTION: &str = "--mpi";

/// Variables in which launchers tell a process its rank.
const RANK: [&str; 4] = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"];

/// Where a command runs.
#[derive(clap::Args)]
pub struct MpiArgs {
    /// Run over MPI: `mpirun -n 8 bucketeer … --mpi` shares the work among 8 ranks. Needs the
    /// library of crates/bucketeer-mpi/connector
    #[arg(long)]
    pub mpi: bool,
}

/// The ranks of this run.
static RANKS: OnceLock<Arc<Connector>> = OnceLock::new();

/// The ranks, if the command runs over some.
pub fn current() -> Option<Arc<dyn Ranks>> {
    RANKS.get().map(|ranks| ranks.clone() as Arc<dyn Ranks>)
}

/// The threads of this rank.
pub fn threads() -> Option<usize> {
    RANKS.get().map(|ranks| ranks.threads())
}

/// Whether the command line requests ranks. This is checked before it is parsed, so that only one
/// rank reports an error in it. `plan` describes ranks and needs none.
pub fn requested() -> bool {
    let mut arguments = std::env::args_os().skip(1).take_while(|argument| argument != "--");
    arguments.next().is_some_and(|command| command != "plan")
        && arguments.any(|argument| argument == OPTION)
}

/// Starts MPI; ranks other than rank 0 print nothing from now on.
pub fn start() -> Result<(), Failure> {
    // Before MPI tells the rank, its launcher may.
    let told = RANK.iter().find_map(|name| std::env::var(name).ok());
    output::set_silent(told.is_some_and(|rank| rank != "0"));
    let ranks = Connector::start()?;
    // The variables may be those of an allocation that this run is a part of.
    output::set_silent(ranks.rank() != 0);
    // Set once: a process starts MPI once.
    let _ = RANKS.set(Arc::new(ranks));
    Ok(())
}

/// Ends MPI, once all ranks do.
pub fn leave() {
    if let Some(ranks) = RANKS.get() {
        // All is said. Where the command has failed, mpirun ends ranks that are slower to leave.
        output::set_silent(true);
        ranks.end();
    }
}

/// A device of this rank as one of all ranks; the device itself where there are none.
pub fn over(local: Device) -> Device {
    match current() {
        Some(ranks) => Device::over_ranks(ranks, local),
        None => local,
    }
}

/// What this rank has, if no rank failed.
pub fn agree<T>(own: Result<T, Failure>) -> Result<T, Failure> {
    match current() {
        Some(ranks) => Ok(ranks::agree(&*ranks, own.map_err(|failure| failure.error()))?),
        None => own,
    }
}

/// Ends the command on all ranks: with the failure of another one, if this one has none.
pub fn end<T>(own: Result<T, Failure>) -> Result<T, Failure> {
    match (own, current()) {
        // Other ranks wait for nothing that a closed pipe could have prevented.
        (Err(Failure::ClosedPipe), Some(ranks)) => {
            ranks::agree(&*ranks, Ok(()))?;
            Err(Failure::ClosedPipe)
        }
        (Err(failure), Some(ranks)) => {
            ranks::fail(&*ranks, &failure.error());
            Err(failure)
        }
        (own, _) => agree(own),
    }
}

/// Text of all ranks, in order.
pub fn all(own: &str) -> Result<Vec<String>, Failure> {
    let Some(ranks) = current() else { return Ok(vec![own.to_owned()]) };
    let own = || Ok(((), own.as_bytes().to_vec()));
    let (_, all) = ranks::exchange(&*ranks, "texts", own)?;
    Ok(all.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect())
}

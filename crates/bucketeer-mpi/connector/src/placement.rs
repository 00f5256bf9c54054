//! The processors of a rank.

use std::thread::available_parallelism;

use mpi::topology::Communicator;

use crate::Connection;

/// The threads of a CPU for this rank: the processors that it may run on, divided by the ranks of
/// the machine that may run on the same. `mpirun --bind-to` gives ranks processors of their own;
/// without it all ranks of a machine may run on all of them. Collective.
pub fn threads_per_rank(communicator: &impl Communicator) -> Result<usize, String> {
    let beside = Connection::new(&communicator.split_shared(communicator.rank()));
    let allowed = allowed_processors();
    let all = beside.all_gather(allowed.as_bytes())?;
    let sharers = all.iter().filter(|other| **other == allowed.as_bytes()).count();
    let processors = available_parallelism().map_or(1, usize::from);
    Ok((processors / sharers.max(1)).max(1))
}

/// The processors that the system lets this process run on, as text; the same for all processes
/// where the system does not say.
fn allowed_processors() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("Cpus_allowed:"));
    line.unwrap_or_default().to_owned()
}

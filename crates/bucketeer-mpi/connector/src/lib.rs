//! What Bucketeer asks of MPI: how many ranks there are, and one exchange of bytes.
//!
//! It knows nothing of MSMs and is compiled in seconds. The crate `bucketeer-mpi` uses it as a
//! [`Connection`], the tool `bucketeer` through the functions of [`interface`].

pub mod interface;
mod placement;

pub use placement::threads_per_rank;

use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use mpi::Threading;
use mpi::collective::CommunicatorCollectives;
use mpi::datatype::PartitionMut;
use mpi::environment::{is_finalized, threading_support};
use mpi::topology::{Communicator, SimpleCommunicator};

/// Longest messages of all ranks together: MPI counts bytes in 32 bits.
const MOST: usize = i32::MAX as usize;

/// A communicator, and the place of this rank in it.
///
/// It must be dropped before MPI is finalised, on all ranks; later, its resources are left to MPI.
pub struct Connection {
    own: Mutex<Handle>,
    /// The number of this rank, from 0.
    pub rank: usize,
    /// How many ranks there are.
    pub size: usize,
    /// The number of this rank among those on its machine.
    pub local_rank: usize,
    /// How many ranks there are on its machine.
    pub local_size: usize,
    /// The only thread that may call MPI, if MPI was initialised so.
    thread: Option<ThreadId>,
}

/// A communicator that is used by one thread at a time.
struct Handle(Option<SimpleCommunicator>);

// SAFETY: a handle of a communicator is a number or a pointer that MPI accepts from any thread, if
// calls come one after the other (the lock) and MPI was initialised for calls from several threads;
// where it was not, `all_gather` refuses others than the thread that made the connection, and
// dropping it elsewhere leaves the handle to MPI.
unsafe impl Send for Handle {}

impl Drop for Connection {
    fn drop(&mut self) {
        let own = self.own.get_mut().unwrap_or_else(PoisonError::into_inner);
        if is_finalized() || self.thread.is_some_and(|thread| thread != thread::current().id()) {
            std::mem::forget(own.0.take());
        }
    }
}

impl Connection {
    /// Duplicates a communicator: messages of the caller's are apart. Collective.
    ///
    /// Unless MPI was initialised with [`Threading::Serialized`] or [`Threading::Multiple`], only
    /// the calling thread can use the connection.
    pub fn new(communicator: &impl Communicator) -> Self {
        let own = communicator.duplicate();
        let index = |number: i32| usize::try_from(number).unwrap_or(0);
        let (rank, size) = (index(own.rank()), index(own.size()));
        let beside = own.split_shared(own.rank());
        let (local_rank, local_size) = (index(beside.rank()), index(beside.size()));
        let any = matches!(threading_support(), Threading::Serialized | Threading::Multiple);
        let thread = (!any).then(|| thread::current().id());
        Self { own: Mutex::new(Handle(Some(own))), rank, size, local_rank, local_size, thread }
    }

    /// Hands bytes to all ranks, and returns those of all, in order. Collective.
    pub fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        if self.thread.is_some_and(|thread| thread != thread::current().id()) {
            return Err("MPI was initialised for calls from another thread only".into());
        }
        if is_finalized() {
            return Err("MPI was finalised".into());
        }
        let lock = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let communicator = lock.0.as_ref().ok_or("no communicator")?;
        let mut lengths = vec![0u64; self.size];
        communicator.all_gather_into(&(own.len() as u64), &mut lengths[..]);
        // Every rank has the same lengths, so all refuse.
        let (mut counts, mut starts, mut end) = (Vec::new(), Vec::new(), 0);
        for length in lengths {
            let length = usize::try_from(length).ok().filter(|length| *length <= MOST - end);
            let length = length.ok_or("messages of 2 GiB and more")?;
            counts.push(length as i32);
            starts.push(end as i32);
            end += length;
        }
        let mut all = vec![0u8; end];
        let mut parts = PartitionMut::new(&mut all[..], &counts[..], &starts[..]);
        communicator.all_gather_varcount_into(own, &mut parts);
        let mut rest = &all[..];
        let next = |count: &i32| {
            let (own, others) = rest.split_at(*count as usize);
            rest = others;
            own.to_vec()
        };
        Ok(counts.iter().map(next).collect())
    }
}

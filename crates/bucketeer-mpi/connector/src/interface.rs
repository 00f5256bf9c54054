//! The C interface that the tool loads. Its number is in the names: another interface has others.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use mpi::Threading;
use mpi::environment::Universe;

use crate::{Connection, threads_per_rank};

/// MPI, and all ranks of the program.
static WORLD: Mutex<Option<(Connection, Universe)>> = Mutex::new(None);

/// A rank's place among others.
#[repr(C)]
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its number, from 0.
    pub rank: u64,
    /// How many there are.
    pub size: u64,
    /// Its number among those on its machine.
    pub local_rank: u64,
    /// How many there are on its machine.
    pub local_size: u64,
    /// The threads of a CPU for it.
    pub threads: u64,
}

/// Takes bytes: those of the next rank, or the text of an error.
pub type Take = unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, length: usize);

/// Starts MPI and tells this rank its place. If that fails, `take` gets the reason.
///
/// # Safety
///
/// `place` can be written to, and `take` be called with `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_ranks_1_start(
    place: *mut Place,
    take: Take,
    context: *mut c_void,
) -> bool {
    match start() {
        Ok(own) => {
            // SAFETY: the caller says so.
            unsafe { place.write(own) };
            true
        }
        Err(reason) => {
            // SAFETY: the caller says so.
            unsafe { take(context, reason.as_ptr(), reason.len()) };
            false
        }
    }
}

fn start() -> Result<Place, String> {
    let mut world = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
    let started = mpi::initialize_with_threading(Threading::Serialized);
    let (universe, _) = started.ok_or("MPI was initialised before")?;
    let threads = threads_per_rank(&universe.world())?;
    let own = Connection::new(&universe.world());
    let Connection { rank, size, local_rank, local_size, .. } = own;
    let place = [rank, size, local_rank, local_size, threads].map(|number| number as u64);
    let [rank, size, local_rank, local_size, threads] = place;
    *world = Some((own, universe));
    Ok(Place { rank, size, local_rank, local_size, threads })
}

/// Hands bytes to all ranks; `take` gets those of each of them, in order, or the reason why not.
///
/// # Safety
///
/// `own` has `length` bytes, and `take` can be called with `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_ranks_1_gather(
    own: *const u8,
    length: usize,
    take: Take,
    context: *mut c_void,
) -> bool {
    // SAFETY: the caller says so.
    let own = unsafe { std::slice::from_raw_parts(own, length) };
    let world = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
    let all = match &*world {
        Some((connection, _)) => connection.all_gather(own),
        None => Err("MPI was not started".into()),
    };
    let (done, messages) = match all {
        Ok(all) => (true, all),
        Err(reason) => (false, vec![reason.into_bytes()]),
    };
    for message in messages {
        // SAFETY: the caller says so.
        unsafe { take(context, message.as_ptr(), message.len()) };
    }
    done
}

/// Ends MPI, once all ranks do.
#[unsafe(no_mangle)]
pub extern "C" fn bucketeer_ranks_1_end() {
    // The connection first: MPI is finalised when its universe is dropped.
    if let Some((connection, universe)) =
        WORLD.lock().unwrap_or_else(PoisonError::into_inner).take()
    {
        drop(connection);
        drop(universe);
    }
}

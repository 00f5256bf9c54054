//! MPI behind a C interface: the library that `crates/bucketeer-mpi/connector` builds, loaded when
//! a command requests ranks. The tool itself needs no MPI to be built, and is the same for all.

use std::error::Error as _;
use std::ffi::c_void;
use std::path::PathBuf;

use bucketeer::Error;
use bucketeer::ranks::Ranks;
use libloading::Library;

/// Where the library is looked for first.
const VARIABLE: &str = "BUCKETEER_MPI";
/// The name of the library without the system's prefix and suffix.
const NAME: &str = "bucketeer_mpi_connector";

/// A rank's place among others, as the library tells it.
#[repr(C)]
#[derive(Default)]
struct Place {
    rank: u64,
    size: u64,
    local_rank: u64,
    local_size: u64,
    threads: u64,
}

/// Takes bytes of the library: those of the next rank, or the text of an error.
type Take = unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, length: usize);
type Start = unsafe extern "C" fn(place: *mut Place, take: Take, context: *mut c_void) -> bool;
type Gather = unsafe extern "C" fn(*const u8, usize, take: Take, context: *mut c_void) -> bool;
type End = unsafe extern "C" fn();

/// The ranks of an MPI program.
pub struct Connector {
    place: Place,
    gather: Gather,
    end: End,
    /// Last, for the functions are in it.
    _library: Library,
}

impl Connector {
    /// Starts MPI.
    pub fn start() -> Result<Self, Error> {
        let library = open().map_err(|reason| Error::NoDevice {
            device: "--mpi".into(),
            reason: format!(
                "MPI is reached through a library that is built where it is installed: \
                 crates/bucketeer-mpi/connector; put it beside this program or name it in \
                 {VARIABLE} ({reason})"
            ),
        })?;
        let missing = |error: libloading::Error| Error::Internal(format!("the connector: {error}"));
        // SAFETY: the names have the number of this interface, and the connector declares the
        // functions with these types.
        let (start, gather, end) = unsafe {
            (
                *library.get::<Start>(b"bucketeer_ranks_1_start").map_err(missing)?,
                *library.get::<Gather>(b"bucketeer_ranks_1_gather").map_err(missing)?,
                *library.get::<End>(b"bucketeer_ranks_1_end").map_err(missing)?,
            )
        };
        let (mut place, mut all) = (Place::default(), Vec::new());
        // SAFETY: the place can be written to; `take` gets the vector it expects.
        let started = unsafe { start(&raw mut place, take, (&raw mut all).cast()) };
        let own = Self { place, gather, end, _library: library };
        if started { Ok(own) } else { Err(failed(all)) }
    }

    /// The threads of a CPU for this rank.
    pub fn threads(&self) -> usize {
        index(self.place.threads)
    }

    /// Ends MPI, once all ranks do. After it ranks cannot be reached.
    pub fn end(&self) {
        // SAFETY: MPI was started.
        unsafe { (self.end)() }
    }
}

/// Opens the library: the one that a variable names, that beside this program, or the system's.
fn open() -> Result<Library, String> {
    let name = libloading::library_filename(NAME);
    let own = std::env::current_exe().ok();
    let beside = own.map(|own| own.with_file_name(&name)).filter(|path| path.is_file());
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let path = named.or(beside).unwrap_or_else(|| name.into());
    let told = |error: libloading::Error| {
        let cause = error.source().map(ToString::to_string);
        format!("{}: {}", path.display(), cause.unwrap_or_else(|| error.to_string()))
    };
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

        // Open MPI's own plugins look for its symbols in the program.
        // SAFETY: loading runs initialisers of MPI, as linking it would.
        let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_GLOBAL) };
        library.map(Into::into).map_err(told)
    }
    #[cfg(not(unix))]
    {
        // SAFETY: as above.
        unsafe { Library::new(&path) }.map_err(told)
    }
}

/// Appends bytes to a list.
///
/// # Safety
///
/// `context` is a `Vec<Vec<u8>>` that nothing else uses, and `bytes` has `length` bytes.
unsafe extern "C" fn take(context: *mut c_void, bytes: *const u8, length: usize) {
    // SAFETY: the caller says so.
    let (all, bytes) = unsafe {
        (&mut *context.cast::<Vec<Vec<u8>>>(), std::slice::from_raw_parts(bytes, length))
    };
    all.push(bytes.to_vec());
}

fn failed(all: Vec<Vec<u8>>) -> Error {
    Error::Internal(format!("MPI: {}", String::from_utf8_lossy(&all.concat())))
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Ranks for Connector {
    fn rank(&self) -> usize {
        index(self.place.rank)
    }

    fn size(&self) -> usize {
        index(self.place.size)
    }

    fn local_rank(&self) -> usize {
        index(self.place.local_rank)
    }

    fn local_size(&self) -> usize {
        index(self.place.local_size)
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let mut all = Vec::with_capacity(self.size());
        // SAFETY: the pointer and the length are those of `own`; `take` gets the vector it expects.
        let done = unsafe { (self.gather)(own.as_ptr(), own.len(), take, (&raw mut all).cast()) };
        if done { Ok(all) } else { Err(failed(all)) }
    }
}

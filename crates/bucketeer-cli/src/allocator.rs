//! A failed allocation ends the tool with an exit code instead of a signal.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crate::failure::OUT_OF_MEMORY;

/// The system's allocator, which ends the process when memory runs out.
struct OrExit;

#[global_allocator]
static ALLOCATOR: OrExit = OrExit;

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for OrExit {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        or_exit(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        or_exit(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        or_exit(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[inline]
fn or_exit(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() {
        exit(size);
    }
    pointer
}

/// Prints the error without allocating, removes what is half written and ends the process without
/// waiting for threads.
#[cold]
fn exit(size: usize) -> ! {
    thread_local! {
        static ENDING: Cell<bool> = const { Cell::new(false) };
    }
    static FIRST: AtomicBool = AtomicBool::new(true);
    if FIRST.swap(false, Relaxed) {
        ENDING.set(true);
        complain(size);
        bucketeer::io::try_abandon_writes();
    } else if !ENDING.get() {
        // The first thread to get here ends the process, in much less than this.
        std::thread::sleep(Duration::from_secs(10));
    }
    // Functions that libraries have registered would allocate again.
    #[cfg(unix)]
    // SAFETY: ends the process.
    unsafe {
        libc::_exit(OUT_OF_MEMORY.into())
    }
    #[cfg(not(unix))]
    std::process::exit(OUT_OF_MEMORY.into())
}

fn complain(size: usize) {
    let mut text = [0u8; 96];
    let mut rest = &mut text[..];
    // A truncated message is better than none.
    let _ = writeln!(rest, "error: out of memory: {size} bytes could not be allocated");
    let length = 96 - rest.len();
    let _ = std::io::stderr().write_all(&text[..length]);
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use bucketeer::io::write_atomically;

    /// The variable that tells the process which is to run out of memory where to write.
    const FOLDER: &str = "BUCKETEER_TEST_FOLDER";

    /// The temporary file used to stay.
    #[test]
    fn no_memory_while_a_file_is_written() {
        if let Some(folder) = std::env::var_os(FOLDER) {
            let path = std::path::PathBuf::from(folder).join("output");
            let written = write_atomically(&path, |_| {
                let absurd = Vec::<u8>::with_capacity(isize::MAX as usize);
                std::hint::black_box(absurd);
                Ok(())
            });
            unreachable!("it has that much memory: {written:?}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut own = Command::new(std::env::current_exe().expect("this program"));
        let name = "allocator::tests::no_memory_while_a_file_is_written";
        own.args(["--exact", name, "--nocapture"]).env(FOLDER, folder.path());
        let ran = own.output().expect("it starts");
        let message = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(4), "{message}");
        assert!(message.contains("error: out of memory: "), "{message}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
    }
}

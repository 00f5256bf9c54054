//! A failed allocation ends the tool with an exit code instead of a signal.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

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

/// Prints the error without allocating, and ends the process without waiting for threads.
#[cold]
fn exit(size: usize) -> ! {
    let mut text = [0u8; 96];
    let mut rest = &mut text[..];
    // A truncated message is better than none.
    let _ = writeln!(rest, "error: out of memory: {size} bytes could not be allocated");
    let length = 96 - rest.len();
    let _ = std::io::stderr().write_all(&text[..length]);
    std::process::exit(OUT_OF_MEMORY.into())
}

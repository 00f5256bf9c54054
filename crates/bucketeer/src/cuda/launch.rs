//! Launching kernels: the arguments are given as values, in the kernel's order and types.

use super::program::Program;
use crate::plan::{Layout, Plan};

/// `launch!(stream, program, source, "kernel", blocks, threads, shared; arguments…)`
macro_rules! launch {
    ($stream:expr, $program:expr, $source:expr, $kernel:literal, $blocks:expr, $threads:expr,
     $shared:expr; $($argument:expr),* $(,)?) => {{
        let kernel = $program.kernel($source, $kernel)?;
        $stream.launch(kernel, $blocks, $threads, $shared, &mut [
            $(std::ptr::from_ref(&$argument).cast_mut().cast::<std::ffi::c_void>()),*
        ])
    }};
}
pub(crate) use launch;

/// What every stage is told.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a> {
    pub program: &'a Program,
    pub plan: &'a Plan,
    pub layout: &'a Layout,
}

/// Blocks of `threads` for so many items.
pub(crate) fn blocks(items: u64, threads: u32) -> u64 {
    items.div_ceil(threads.into())
}

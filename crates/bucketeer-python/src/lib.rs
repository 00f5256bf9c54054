//! The native part of the Python package `bucketeer`.
//!
//! The package re-exports what is here. Comments on classes and methods are what Python's `help`
//! shows; they stand with the types in `python/bucketeer/__init__.pyi` too, and tests/test_stubs.py
//! compares both. Each file is one class or one step of a call:
//!
//! 1. `view`: memory of a Python object as rows of bytes, without copying.
//! 2. `points`, `scalars`: those bytes, or Python's integers, as packed points and scalars.
//! 3. `call`: the library's function, without the GIL, with panics and errors as exceptions.
//! 4. `point`: the sum, whose coordinates are Python's integers.
//!
//! `curve`, `device`, `bases`, `job` and `plan` are the classes, `options` their arguments.

mod bases;
mod call;
mod curve;
mod device;
mod job;
mod options;
mod plan;
mod point;
mod points;
mod scalars;
mod view;

use pyo3::prelude::*;

/// The native part of bucketeer.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::bases::{Bases, msm};
    #[pymodule_export]
    use super::curve::{Curve, curves};
    #[pymodule_export]
    use super::device::{Device, devices};
    #[pymodule_export]
    use super::job::Job;
    #[pymodule_export]
    use super::plan::{Plan, plan};
    #[pymodule_export]
    use super::point::Point;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

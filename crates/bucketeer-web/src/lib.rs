//! The MSM in a browser tab: what JavaScript sees of the library.
//!
//! This half deals in bytes and names. `js/` turns `bigint`s into bytes, runs this module in a
//! worker, and is what users import; nothing here is meant to be called by them.
//!
//! The library is compiled into several modules: one with every curve and WebGPU, and one for each
//! curve (`curves`).
//!
//! 1. A `Processor` is a device, opened once.
//! 2. It loads bases, or makes some with known logarithms, into a `Resident`.
//! 3. That computes MSMs, each with an `Outcome`.

mod begin;
mod curves;
mod facts;
mod failure;
mod form;
mod outcome;
mod processor;
mod progress;
mod resident;
#[cfg(feature = "full")]
mod route;
#[cfg(feature = "full")]
mod table;

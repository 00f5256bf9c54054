//! The MSM in a browser tab: what JavaScript sees of the library.
//!
//! This half deals in bytes and names. `js/` turns `bigint`s into bytes, runs this module in a
//! worker, and is what users import; nothing here is meant to be called by them.
//!
//! 1. A `Processor` is a device, opened once.
//! 2. It loads bases, or makes some with known logarithms, into a `Resident`.
//! 3. That computes MSMs, each with an `Outcome`.

mod facts;
mod failure;
mod outcome;
mod processor;
mod progress;
mod resident;

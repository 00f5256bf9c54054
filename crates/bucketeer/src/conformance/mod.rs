//! The conformance table.

mod inputs;

pub use inputs::{Distribution, KnownBases};

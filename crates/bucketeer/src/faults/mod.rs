//! Faults on purpose, for tests: with the feature `faults` only, so that other builds have nothing
//! of them.

pub mod flips;

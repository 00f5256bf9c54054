//! The conformance table.

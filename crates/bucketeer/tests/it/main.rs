//! All integration tests but those of memory, in one binary: every curve is compiled once.
#![cfg(feature = "conformance")]

#[cfg(feature = "io")]
mod browser;
mod conformance;
mod curves;
mod custom_curve;
mod devices;
mod eip2537;
mod errors;
#[cfg(feature = "io")]
mod io;
mod jobs;
mod large;
mod plan;
mod properties;
mod second_opinion;
mod small_order;

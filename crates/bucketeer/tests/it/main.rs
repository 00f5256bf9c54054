//! All integration tests of runs, in one binary: every curve is compiled once.
//! Without features they test the core; the table and the file formats need theirs.

#[cfg(feature = "any")]
mod any;
#[cfg(feature = "io")]
mod browser;
#[cfg(all(feature = "any", feature = "conformance"))]
mod conformance;
// Some are for the table alone.
#[cfg_attr(not(feature = "conformance"), allow(dead_code))]
mod curves;
#[cfg(feature = "conformance")]
mod custom_curve;
mod devices;
mod eip2537;
mod errors;
#[cfg(feature = "io")]
mod io;
mod jobs;
mod large;
mod packed;
mod properties;
#[cfg(all(feature = "any", feature = "conformance", feature = "io", feature = "ranks"))]
mod ranks;
mod second_opinion;
mod small_order;
#[cfg(feature = "conformance")]
mod tiny_curves;

//! Tests of the tool as its users meet it: arguments in; stdout, stderr and exit code out.

/// The tool's allocator, for its unit test.
#[path = "../../src/allocator.rs"]
mod allocator;
mod bad_input;
mod commands;
#[cfg(target_os = "linux")]
mod drivers;
/// What the allocator knows of the tool.
mod failure {
    pub const OUT_OF_MEMORY: u8 = 4;
}
mod files;
/// Least squares for rates, for their unit tests.
#[allow(dead_code)]
#[path = "../../src/bench/fit.rs"]
mod fit;
#[cfg(target_os = "linux")]
mod inputs;
#[cfg(target_os = "linux")]
mod interrupt;
mod json;
#[cfg(target_os = "linux")]
mod limits;
mod msm;
#[cfg(target_os = "linux")]
mod outputs;
mod prove;
mod ranks;
mod rates;
mod streamed;
mod support;
mod tables;
/// The tool's numbers, for their unit tests: they are free of curves and compile in no time.
#[allow(dead_code)]
#[path = "../../src/units.rs"]
mod units;
mod usage;

//! Tests of the tool as its users meet it: arguments in; stdout, stderr and exit code out.

mod bad_input;
mod commands;
mod files;
mod json;
mod msm;
mod support;
mod usage;

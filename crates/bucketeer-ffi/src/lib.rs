//! The C interface of Bucketeer. `include/bucketeer.h` is made from these sources by cbindgen.
//!
//! 1. [`handles`] keeps devices, bases and jobs; C programs hold numbers that name them. A number
//!    that names nothing, because it was freed or never given out, is an error.
//! 2. [`types`] has the structures that pass through the interface, and turns them into the
//!    library's own after checking every pointer, length and number.
//! 3. [`status`] turns errors and panics into a status and a message.
//! 4. [`device`], [`bases`], [`job`], [`plan`] and [`info`] are the functions.

mod bases;
mod device;
mod handles;
mod info;
mod job;
mod plan;
mod status;
mod types;

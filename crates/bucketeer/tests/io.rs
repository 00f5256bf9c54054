//! File formats: round trips, foreign files built by hand, and everything that can be wrong.
#![cfg(feature = "io")]

#[path = "io/bad_arkworks.rs"]
mod bad_arkworks;
#[path = "io/bad_json.rs"]
mod bad_json;
#[path = "io/bad_snarkjs.rs"]
mod bad_snarkjs;
#[path = "io/builders.rs"]
mod builders;
#[path = "io/round_trip.rs"]
mod round_trip;
#[path = "io/snarkjs.rs"]
mod snarkjs;
#[path = "io/writing.rs"]
mod writing;

//! File formats: round trips, foreign files built by hand, and everything that can be wrong.

mod bad_arkworks;
mod bad_json;
mod bad_snarkjs;
mod builders;
mod checkpoint;
mod foreign;
mod inspect;
mod round_trip;
mod snarkjs;
mod streamed;
mod tables;
mod writing;

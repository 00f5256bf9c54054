//! Proofs verified by ark-groth16, and files that must be refused.

mod bad_keys;
mod bad_witnesses;
mod circuit;
mod proofs;
mod setup;

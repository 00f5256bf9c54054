//! Witnesses, as arbitrary bytes and as files with a good header: no panic, and only the one
//! encoding of each witness is accepted.
#![no_main]

use arbitrary::Arbitrary;
use ark_bn254::Fr;
use ark_ff::{BigInteger, Field, PrimeField};
use bucketeer::io::parse_witness;
use bucketeer_fuzz::container;
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct File {
    version: bool,
    values: Vec<[u8; 32]>,
    /// A number of values that differs from the true one.
    count: Option<u32>,
    /// Bytes after the values.
    more: Vec<u8>,
    raw: Vec<u8>,
}

fn header(count: u32) -> Vec<u8> {
    let prime = Fr::MODULUS.to_bytes_le();
    [&32u32.to_le_bytes()[..], &prime, &count.to_le_bytes()].concat()
}

fn file(version: u32, count: u32, values: Vec<u8>) -> Vec<u8> {
    container("wtns", version, &[(1, header(count)), (2, values)])
}

fuzz_target!(|input: File| {
    let _ = parse_witness::<Fr>(&input.raw);
    let one = Fr::ONE.into_bigint().to_bytes_le();
    let values = [one, input.values.concat(), input.more].concat();
    let version = if input.version { 2 } else { 1 };
    let count = input.count.unwrap_or(input.values.len() as u32 + 1);
    let bytes = file(version, count, values);
    if let Ok(witness) = parse_witness::<Fr>(&bytes) {
        let again = witness.iter().flat_map(|value| value.into_bigint().to_bytes_le()).collect();
        assert_eq!(file(version, witness.len() as u32, again), bytes);
    }
});

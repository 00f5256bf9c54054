//! Headers of tables, as arbitrary bytes and as ones whose digest is right: no panic, and a header
//! that is accepted announces the length that the file has.
#![no_main]

use arbitrary::Arbitrary;
use bucketeer::io::{TableHeader, inspect_bytes};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

#[derive(Debug, Arbitrary)]
struct File {
    version: bool,
    arithmetic: u32,
    bases: u64,
    /// Window bits, bucket sets, copies, odd multiples, endomorphism, any point, scalar bits, words
    /// of a point.
    numbers: [u32; 8],
    digests: [[u8; 32]; 2],
    points: Vec<u8>,
    raw: Vec<u8>,
}

fuzz_target!(|input: File| {
    let _ = TableHeader::parse(&input.raw);
    let mut bytes = b"bucketeer table\n".to_vec();
    bytes.extend((if input.version { 1u32 } else { 2 }).to_le_bytes());
    bytes.extend(input.arithmetic.to_le_bytes());
    bytes.extend(input.bases.to_le_bytes());
    bytes.extend(input.numbers.into_iter().flat_map(u32::to_le_bytes));
    bytes.extend(input.digests.concat());
    let own: [u8; 32] = Sha256::digest(&bytes).into();
    bytes.extend(own);
    let header = bytes.len();
    bytes.extend(&input.points);
    let found = TableHeader::parse(&bytes);
    assert_eq!(inspect_bytes(&bytes).is_ok(), found.is_ok());
    if let Ok(found) = found {
        assert!(input.version);
        let points = found.bases() as u64 * u64::from(found.table().precompute);
        assert!(64 * points <= (bytes.len() - header) as u64);
    }
});

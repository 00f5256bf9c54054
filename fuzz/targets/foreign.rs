//! Points of gnark, bellman and Ignition, and `inspect`, on arbitrary bytes and on files whose
//! counts are right: no panic, and what is accepted is valid.
#![no_main]

use arbitrary::Arbitrary;
use ark_bls12_377::G1Affine as Flagged;
use ark_bls12_381::G1Affine as Zcash;
use ark_bn254::{G1Affine, G2Affine};
use bucketeer::Curve;
use bucketeer::curves::NamedCurve;
use bucketeer::io::{ReadOptions, inspect_bytes, parse_bases};
use bucketeer_fuzz::assert_valid;
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct File {
    magic: u8,
    manifest: [u8; 7],
    body: Vec<u8>,
    raw: Vec<u8>,
}

impl File {
    /// A slice of gnark of as many points as the body has room for.
    fn slice(&self, size: usize) -> Vec<u8> {
        let count = self.body.len() / size;
        [&(count as u32).to_be_bytes()[..], &self.body[..count * size]].concat()
    }

    /// A transcript of as many points of G1.
    fn transcript(&self) -> Vec<u8> {
        let count = (self.body.len() / 64) as u32;
        let mut numbers = self.manifest.map(u32::from);
        numbers[4] = count;
        let manifest = numbers.iter().flat_map(|number| number.to_be_bytes());
        let mut bytes: Vec<u8> =
            manifest.chain(self.body[..64 * count as usize].iter().copied()).collect();
        bytes.resize(bytes.len() + 128 * numbers[5] as usize + 64, 0);
        bytes
    }

    /// Parameters of bellman: the body for every vector that it has room for.
    fn parameters(&self) -> Vec<u8> {
        let mut bytes = self.body.clone();
        bytes.resize(864, 0);
        for size in [96, 96, 96, 96, 96, 192] {
            bytes.extend(self.slice(size));
        }
        bytes
    }

    /// A file of snarkjs by its first bytes.
    fn container(&self) -> Vec<u8> {
        let magic = [&b"ptau"[..], b"zkey", b"wtns", b"r1cs"][self.magic as usize % 4];
        [magic, &[1, 0, 0, 0], &self.raw].concat()
    }
}

fn check<C: Curve>(bytes: &[u8], name: &str) {
    let curve = NamedCurve::named(name).expect("a named curve");
    for first in [None, Some(1)] {
        let options = ReadOptions { first, ..ReadOptions::default() };
        assert_valid(&parse_bases::<C>(bytes, curve, None, &options).unwrap_or_default());
    }
}

fuzz_target!(|file: File| {
    let (transcript, container) = (file.transcript(), file.container());
    for bytes in [&file.raw, &transcript, &container, &file.slice(64), &file.slice(96)] {
        check::<G1Affine>(bytes, "bn254-g1");
        check::<Flagged>(bytes, "bls12-377-g1");
        let _ = inspect_bytes(bytes);
    }
    check::<G2Affine>(&file.slice(128), "bn254-g2");
    let parameters = file.parameters();
    check::<Zcash>(&parameters, "bls12-381-g1");
    let _ = inspect_bytes(&parameters);
});

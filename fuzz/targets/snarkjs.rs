//! snarkjs files, as arbitrary bytes and as files with an arbitrary section table: no panic, and
//! what is accepted is valid.
#![no_main]

use arbitrary::Arbitrary;
use ark_bn254::{Fq, Fr, G1Affine, G2Affine};
use ark_ff::{BigInteger, PrimeField};
use bucketeer::Curve;
use bucketeer::curves::NamedCurve;
use bucketeer::io::{ReadOptions, parse_bases};
use bucketeer_fuzz::assert_valid;
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct File {
    zkey: bool,
    header: [u8; 3],
    sections: Vec<(u8, Option<u8>, Vec<u8>)>,
    raw: Vec<u8>,
}

impl File {
    /// A file whose header is right for BN254 but for its counts; section lengths are true unless
    /// another one is given.
    fn bytes(&self) -> Vec<u8> {
        let prime = |bytes: Vec<u8>| [32u32.to_le_bytes().to_vec(), bytes].concat();
        let (q, r) = (prime(Fq::MODULUS.to_bytes_le()), prime(Fr::MODULUS.to_bytes_le()));
        let counts = self.header.map(|count| u32::from(count).to_le_bytes());
        let headers = match self.zkey {
            true => vec![(1, vec![1, 0, 0, 0]), (2, [q, r, counts.concat()].concat())],
            false => vec![(1, [q, counts[..2].concat()].concat())],
        };
        let mut out = if self.zkey { b"zkey".to_vec() } else { b"ptau".to_vec() };
        out.extend(1u32.to_le_bytes());
        out.extend(((headers.len() + self.sections.len()) as u32).to_le_bytes());
        let headers = headers.into_iter().map(|(kind, data)| (kind, None, data));
        let sections =
            self.sections.iter().map(|(k, length, data)| (u32::from(*k), *length, data.clone()));
        for (kind, length, data) in headers.chain(sections) {
            out.extend(u32::to_le_bytes(kind));
            let length = length.map_or(data.len() as u64, u64::from);
            out.extend(length.to_le_bytes());
            out.extend(data);
        }
        out
    }
}

fn check<C: Curve>(bytes: &[u8], name: &str) {
    let curve = NamedCurve::named(name).expect("a named curve");
    let options = ReadOptions::default();
    for section in [
        None,
        Some("tau-g1"),
        Some("tau-g2"),
        Some("lagrange-g1"),
        Some("lagrange-g1:1"),
        Some("lagrange-g2:0"),
        Some("c"),
        Some("h"),
        Some("ic"),
        Some("delta-g2"),
        Some("x"),
    ] {
        let points = parse_bases::<C>(bytes, curve, section, &options);
        assert_valid(&points.unwrap_or_default());
    }
}

fuzz_target!(|file: File| {
    for bytes in [&file.raw, &file.bytes()] {
        check::<G1Affine>(bytes, "bn254-g1");
        check::<G2Affine>(bytes, "bn254-g2");
    }
});

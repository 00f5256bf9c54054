//! Proving keys, as arbitrary bytes and as good keys with changes: no panic, and what is accepted
//! is consistent and valid.
#![no_main]

use arbitrary::Arbitrary;
use ark_bn254::{Bn254, Fq, Fr, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_ff::{BigInteger, PrimeField};
use bucketeer::io::{ReadOptions, parse_zkey};
use bucketeer_fuzz::{assert_valid, container};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct File {
    public: u8,
    private: u8,
    log_domain: u8,
    /// Whether points are generators instead of infinity.
    generators: bool,
    coefficients: Vec<(u8, u8, u8, u64)>,
    /// A section, and the position and the new value of a byte of it.
    changes: Vec<(u8, u16, u8)>,
    raw: Vec<u8>,
}

impl File {
    fn bytes(&self) -> Vec<u8> {
        let (public, private) = (u32::from(self.public % 4), u32::from(self.private % 4));
        let (signals, domain) = (public + private + 1, 1u32 << (self.log_domain % 3));
        let prime = |bytes: Vec<u8>| [32u32.to_le_bytes().to_vec(), bytes].concat();
        let g1 = |count: u32| self.points(encode_g1(), count);
        let g2 = |count: u32| self.points(encode_g2(), count);
        let mut header = prime(Fq::MODULUS.to_bytes_le());
        header.extend(prime(Fr::MODULUS.to_bytes_le()));
        [signals, public, domain].iter().for_each(|count| header.extend(count.to_le_bytes()));
        header.extend([g1(2), g2(2), g1(1), g2(1)].concat());
        let mut coefficients = (self.coefficients.len() as u32).to_le_bytes().to_vec();
        for (matrix, constraint, signal, value) in &self.coefficients {
            for position in [matrix, constraint, signal] {
                coefficients.extend(u32::from(*position).to_le_bytes());
            }
            coefficients.extend([&value.to_le_bytes()[..], &[0; 24]].concat());
        }
        let mut sections = [
            (1, vec![1, 0, 0, 0]),
            (2, header),
            (3, g1(public + 1)),
            (4, coefficients),
            (5, g1(signals)),
            (6, g1(signals)),
            (7, g2(signals)),
            (8, g1(private)),
            (9, g1(domain)),
        ];
        for (section, position, value) in &self.changes {
            let (_, data) = &mut sections[usize::from(*section) % 9];
            let length = data.len().max(1);
            if let Some(byte) = data.get_mut(usize::from(*position) % length) {
                *byte = *value;
            }
        }
        container("zkey", 1, &sections)
    }

    fn points(&self, generator: Vec<u8>, count: u32) -> Vec<u8> {
        let point = if self.generators { generator } else { vec![0; generator.len()] };
        point.repeat(count as usize)
    }
}

fn montgomery(element: Fq) -> Vec<u8> {
    element.0.to_bytes_le()
}

fn encode_g1() -> Vec<u8> {
    let point = G1Affine::generator();
    [point.x, point.y].map(montgomery).concat()
}

fn encode_g2() -> Vec<u8> {
    let point = G2Affine::generator();
    [point.x.c0, point.x.c1, point.y.c0, point.y.c1].map(montgomery).concat()
}

fn check(bytes: &[u8]) {
    let Ok(key) = parse_zkey::<Bn254>(bytes, &ReadOptions::default()) else { return };
    let signals = key.a_g1.len();
    assert!(key.domain.is_power_of_two() && key.h_g1.len() == key.domain);
    assert_eq!([key.b_g1.len(), key.b_g2.len()], [signals; 2]);
    assert_eq!(key.public_g1.len(), key.public + 1);
    assert_eq!(key.public_g1.len() + key.c_g1.len(), signals);
    assert_valid(&[key.alpha_g1, key.beta_g1, key.delta_g1]);
    assert_valid(&[key.beta_g2, key.gamma_g2, key.delta_g2]);
    for points in [&key.public_g1, &key.a_g1, &key.b_g1, &key.c_g1, &key.h_g1] {
        assert_valid(points);
    }
    assert_valid(&key.b_g2);
    for coefficient in &key.coefficients {
        assert!((coefficient.constraint as usize) < key.domain);
        assert!((coefficient.signal as usize) < signals);
        assert!(coefficient.value.0 < Fr::MODULUS);
    }
}

fuzz_target!(|file: File| {
    check(&file.raw);
    check(&file.bytes());
});

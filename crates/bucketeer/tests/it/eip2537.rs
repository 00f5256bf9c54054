//! The test vectors of EIP-2537, BLS12-381 precompiles for the Ethereum virtual machine.
//!
//! A field element is 64 bytes, big-endian, of which the first 16 are zero; a point of G1 is two of
//! them, of G2 four, the constant part of each coordinate first; infinity is all zeros. A scalar is
//! 32 bytes, big-endian, and may exceed the order: it then counts modulo the order.

use ark_bls12_381::{Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ec::CurveGroup;
use ark_ff::PrimeField;
use bucketeer::{Bases, Curve, Device, Error, PointFault};
use num_bigint::BigUint;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Vector {
    name: String,
    input: String,
    #[serde(default)]
    expected: String,
    #[serde(default)]
    expected_error: String,
}

fn vectors(json: &str) -> Vec<Vector> {
    serde_json::from_str(json).unwrap()
}

fn hex(text: &str) -> Vec<u8> {
    let byte = |i: usize| u8::from_str_radix(&text[i..i + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}

/// Why an input is not valid, in the words of the vectors.
#[derive(Debug, PartialEq)]
enum Refusal {
    Length,
    Element,
    TopBytes,
    Library(Error),
}

impl Refusal {
    fn text(&self) -> &'static str {
        use PointFault::{NotInSubgroup, NotOnCurve};
        match self {
            Self::Length => "invalid input length",
            Self::Element => "invalid fp.Element encoding",
            Self::TopBytes => "invalid field element top bytes",
            Self::Library(Error::InvalidBase { reason: NotOnCurve, .. }) => {
                "invalid point: not on curve"
            }
            Self::Library(Error::InvalidBase { reason: NotInSubgroup, .. }) => {
                "g1 point is not in the correct subgroup"
            }
            Self::Library(_) => "no error of EIP-2537",
        }
    }
}

/// Coordinates of a field as EIP-2537 writes them.
trait Coordinate: Sized {
    const BYTES: usize;
    fn read(bytes: &[u8]) -> Result<Self, Refusal>;
    fn write(&self, out: &mut Vec<u8>);
}

impl Coordinate for Fq {
    const BYTES: usize = 64;

    fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        if bytes[..16].iter().any(|&byte| byte != 0) {
            return Err(Refusal::TopBytes);
        }
        let integer = BigUint::from_bytes_be(bytes);
        if integer >= Fq::MODULUS.into() { Err(Refusal::Element) } else { Ok(integer.into()) }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let digits = BigUint::from(*self).to_bytes_be();
        out.resize(out.len() + 64 - digits.len(), 0);
        out.extend(digits);
    }
}

impl Coordinate for Fq2 {
    const BYTES: usize = 128;

    fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        Ok(Self::new(Fq::read(&bytes[..64])?, Fq::read(&bytes[64..])?))
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.c0.write(out);
        self.c1.write(out);
    }
}

/// Points and scalars of an input; whether the points are valid is for the library to say.
fn parse<C: Curve>(input: &[u8]) -> Result<(Vec<C>, Vec<[u64; 4]>), Refusal>
where
    C::BaseField: Coordinate,
{
    let size = C::BaseField::BYTES;
    let pair = 2 * size + 32;
    if input.is_empty() || !input.len().is_multiple_of(pair) {
        return Err(Refusal::Length);
    }
    let mut parsed = (Vec::new(), Vec::new());
    for pair in input.chunks(pair) {
        let (point, scalar) = pair.split_at(2 * size);
        parsed.0.push(match point.iter().all(|&byte| byte == 0) {
            true => C::zero(),
            false => {
                let (x, y) = point.split_at(size);
                C::from_coordinates(C::BaseField::read(x)?, C::BaseField::read(y)?)
            }
        });
        let word = |i: usize| scalar[32 - 8 * (i + 1)..][..8].try_into().unwrap();
        parsed.1.push([0, 1, 2, 3].map(|i| u64::from_be_bytes(word(i))));
    }
    Ok(parsed)
}

fn precompile<C: Curve<ScalarField = Fr>>(input: &[u8]) -> Result<Vec<u8>, Refusal>
where
    C::BaseField: Coordinate,
{
    let (points, integers) = parse::<C>(input)?;
    let bases = Bases::builder().check_subgroup().load(&Device::cpu(), &points);
    let bases = bases.map_err(Refusal::Library)?;
    // As integers above the order, and reduced first: the EIP asks for the same sum.
    let sum = bases.msm(&integers).map_err(Refusal::Library)?;
    let value =
        |words: &[u64; 4]| Fr::from(words.iter().rev().fold(BigUint::ZERO, |n, w| (n << 64) + w));
    let reduced: Vec<Fr> = integers.iter().map(value).collect();
    assert_eq!(bases.msm(&reduced).map_err(Refusal::Library)?, sum);
    let mut out = Vec::new();
    match sum.into_affine().xy() {
        None => out.resize(2 * C::BaseField::BYTES, 0),
        Some((x, y)) => {
            x.write(&mut out);
            y.write(&mut out);
        }
    }
    Ok(out)
}

fn successes<C: Curve<ScalarField = Fr>>(json: &str) -> usize
where
    C::BaseField: Coordinate,
{
    let vectors = vectors(json);
    for Vector { name, input, expected, .. } in &vectors {
        assert!(!expected.is_empty(), "{name}");
        assert_eq!(precompile::<C>(&hex(input)), Ok(hex(expected)), "{name}");
    }
    vectors.len()
}

#[test]
fn multiplications_in_g1() {
    assert_eq!(successes::<G1Affine>(include_str!("../vectors/eip2537-mul_G1_bls.json")), 11);
}

#[test]
fn multiplications_in_g2() {
    assert_eq!(successes::<G2Affine>(include_str!("../vectors/eip2537-mul_G2_bls.json")), 11);
}

/// All multiplications as one MSM.
#[test]
fn multiplications_in_g1_summed() {
    let vectors = vectors(include_str!("../vectors/eip2537-mul_G1_bls.json"));
    let input: Vec<u8> = vectors.iter().flat_map(|vector| hex(&vector.input)).collect();
    let point = |bytes: &[u8]| match bytes.iter().all(|&byte| byte == 0) {
        true => G1Affine::identity(),
        false => G1Affine::new(Fq::read(&bytes[..64]).unwrap(), Fq::read(&bytes[64..]).unwrap()),
    };
    let expected: ark_bls12_381::G1Projective =
        vectors.iter().map(|vector| point(&hex(&vector.expected))).sum();
    let sum = point(&precompile::<G1Affine>(&input).unwrap());
    assert_eq!(sum, expected.into_affine());
}

#[test]
fn failures_are_refused_for_the_stated_reason() {
    let failures = [
        include_str!("../vectors/eip2537-fail-mul_G1_bls.json"),
        include_str!("../vectors/eip2537-fail-msm_G1_bls.json"),
    ];
    for json in failures {
        let vectors = vectors(json);
        assert_eq!(vectors.len(), 8);
        for Vector { name, input, expected_error, .. } in &vectors {
            let input = hex(input);
            let refusal = precompile::<G1Affine>(&input).unwrap_err();
            assert_eq!(refusal.text(), expected_error, "{name}");
            // The same fault after a valid pair is found too.
            if !input.is_empty() {
                let after = [&[0; 160], &input[..]].concat();
                let refusal = precompile::<G1Affine>(&after).unwrap_err();
                assert_eq!(refusal.text(), expected_error, "{name}");
            }
        }
    }
}

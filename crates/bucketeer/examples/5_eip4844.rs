//! Ethereum's KZG: commits to a blob as EIP-4844 says.
//!
//! `cargo run --release -p bucketeer --example 5_eip4844 -- trusted_setup.txt blob.bin`
//!
//! The first file is the trusted setup as c-kzg has it, the second 4096 field elements of 32 bytes,
//! big-endian. Without arguments the setup is a small one whose secret is known, so that the
//! commitment can be checked. `crates/bucketeer-peers/src/eip4844` has proofs, too.

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInteger, FftField, Field, PrimeField, batch_inversion};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use bucketeer::{Bases, Device};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [setup, blob] => {
            let points = lagrange_points(&std::fs::read_to_string(setup)?)?;
            show(commit(points, &std::fs::read(blob)?)?)
        }
        [] => known_secret(),
        _ => Err("two files are expected, the setup and the blob, or none".into()),
    }
}

/// The commitment to a blob: one MSM. Programs load the bases once, and keep them.
fn commit(mut points: Vec<G1Affine>, blob: &[u8]) -> Outcome<G1Projective> {
    // Element i of a blob is the value at the root of unity whose index has the bits of i in
    // reverse order.
    reverse_bits(&mut points);
    let builder = Bases::builder().auto_precompute().memory_limit(96 << 20);
    let bases = builder.load(&Device::cpu(), &points)?;
    let (elements, rest) = blob.as_chunks::<32>();
    if elements.len() != points.len() || !rest.is_empty() {
        return Err(format!("a blob has {} bytes, not {}", 32 * points.len(), blob.len()).into());
    }
    let scalars: Outcome<Vec<Fr>> = elements.iter().map(element).collect();
    Ok(bases.msm(&scalars?)?)
}

/// A big-endian integer below the group order.
fn element(bytes: &[u8; 32]) -> Outcome<Fr> {
    let element = Fr::from_be_bytes_mod_order(bytes);
    match element.into_bigint().to_bytes_be() == bytes {
        true => Ok(element),
        false => Err("an element of the blob is not below the group order".into()),
    }
}

/// The Lagrange points of a setup: after the numbers of points in G1 and G2, one compressed point a
/// line.
fn lagrange_points(text: &str) -> Outcome<Vec<G1Affine>> {
    let mut words = text.split_whitespace();
    let count: usize = words.next().ok_or("the setup is empty")?.parse()?;
    let points = words.skip(1).take(count).map(|word| {
        let digits = word.as_bytes().chunks(2);
        let byte = |pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?);
        let bytes: Vec<u8> = digits.map(byte).collect::<Outcome<_>>()?;
        Ok(G1Affine::deserialize_compressed(&*bytes)?)
    });
    let points: Vec<_> = points.collect::<Outcome<_>>()?;
    match points.len() == count && count.is_power_of_two() {
        true => Ok(points),
        false => Err(format!("the setup has {} points of {count}", points.len()).into()),
    }
}

/// A setup of 64 points with a secret that is known: l(τ)·G for every Lagrange polynomial l. The
/// commitment to a polynomial f is f(τ)·G.
fn known_secret() -> Outcome<()> {
    const N: u64 = 64;
    let (tau, generator) = (Fr::from(0x1234_5678_9abc_def1u64), G1Affine::generator());
    let root = Fr::get_root_of_unity(N).ok_or("no root of unity")?;
    let mut roots: Vec<Fr> = (0..N).map(|i| root.pow([i])).collect();
    // lᵢ(τ) = ωᵢ·(τ^n − 1)/(n·(τ − ωᵢ))
    let mut inverses: Vec<Fr> = roots.iter().map(|root| Fr::from(N) * (tau - root)).collect();
    batch_inversion(&mut inverses);
    let scale = tau.pow([N]) - Fr::ONE;
    let points: Vec<_> =
        roots.iter().zip(&inverses).map(|(w, inverse)| generator * (scale * w * inverse)).collect();

    // f = X³ + 5 at every root, in the order of a blob.
    let f = |x: Fr| x * x * x + Fr::from(5);
    reverse_bits(&mut roots);
    let blob: Vec<u8> =
        roots.iter().flat_map(|root| f(*root).into_bigint().to_bytes_be()).collect();
    let commitment = commit(G1Projective::normalize_batch(&points), &blob)?;
    assert_eq!(commitment, generator * f(tau));
    show(commitment)
}

/// Prints a commitment as Ethereum writes it.
fn show(commitment: G1Projective) -> Outcome<()> {
    let mut bytes = Vec::new();
    commitment.into_affine().serialize_compressed(&mut bytes)?;
    println!("0x{}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    Ok(())
}

/// Puts item i in the place whose index has the bits of i in reverse order. The length is a power
/// of two.
fn reverse_bits<T>(items: &mut [T]) {
    let unused = usize::BITS - items.len().trailing_zeros();
    for i in 1..items.len() {
        let other = i.reverse_bits() >> unused;
        if i < other {
            items.swap(i, other);
        }
    }
}

//! A trusted setup by someone who keeps the secrets, written as snarkjs writes it. Every point is a
//! multiple of a generator, and bytes are made of big integers: nothing is shared with the reader
//! or the prover.

use ark_ec::pairing::Pairing;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInteger, Field, PrimeField};
use num_bigint::BigUint;

use crate::circuit::Circuit;

/// The sections of a `.zkey`, by type.
pub type Sections = Vec<(u32, Vec<u8>)>;

/// The secrets, fixed so that tests repeat.
struct Secrets<F> {
    tau: F,
    alpha: F,
    beta: F,
    gamma: F,
    delta: F,
}

impl<F: PrimeField> Secrets<F> {
    fn new() -> Self {
        let secret = |seed: u64| F::from(seed).pow([12_345_678_901, 987_654_321]);
        Self {
            tau: secret(3),
            alpha: secret(5),
            beta: secret(7),
            gamma: secret(11),
            delta: secret(13),
        }
    }
}

/// snarkjs' root of unity of this order: a power of 5, the smallest non-residue of both fields.
fn root<F: PrimeField>(order: usize) -> F {
    let two_adicity = 1u64 << F::TWO_ADICITY;
    F::from(5u64).pow(F::TRACE).pow([two_adicity / order as u64])
}

/// The Lagrange basis over the powers of `root`, at `x`.
fn lagrange<F: PrimeField>(order: usize, x: F) -> Vec<F> {
    let root = root::<F>(order);
    // Lᵢ(x) = ωⁱ·(xⁿ − 1) / (n·(x − ωⁱ)).
    let scale = (x.pow([order as u64]) - F::ONE) / F::from(order as u64);
    let powers = std::iter::successors(Some(F::ONE), |power| Some(*power * root));
    let powers: Vec<F> = powers.take(order).collect();
    let mut inverses: Vec<F> = powers.iter().map(|power| x - power).collect();
    ark_ff::batch_inversion(&mut inverses);
    powers.iter().zip(inverses).map(|(power, inverse)| scale * power * inverse).collect()
}

/// The sections of the proving key of a circuit.
pub fn zkey<E: Pairing>(circuit: &Circuit<E::ScalarField>) -> Sections {
    let Circuit { public, constraints, witness } = circuit;
    let (public, signals) = (*public, witness.len());
    let domain = (constraints.len() + public + 1).next_power_of_two().max(2);
    let Secrets { tau, alpha, beta, gamma, delta } = Secrets::<E::ScalarField>::new();
    let basis = lagrange(domain, tau);
    let zero = E::ScalarField::from(0u64);
    let mut at_tau = [vec![zero; signals], vec![zero; signals], vec![zero; signals]];
    let mut coefficients = Vec::new();
    let mut add = |matrix: usize, row: usize, (signal, value): (u32, E::ScalarField)| {
        at_tau[matrix][signal as usize] += basis[row] * value;
        if matrix < 2 {
            coefficients.push((matrix as u32, row as u32, signal, value));
        }
    };
    for (row, matrices) in constraints.iter().enumerate() {
        for (matrix, entries) in matrices.iter().enumerate() {
            entries.iter().for_each(|entry| add(matrix, row, *entry));
        }
    }
    for signal in 0..=public {
        add(0, constraints.len() + signal, (signal as u32, E::ScalarField::ONE));
    }
    let [a, b, c] = at_tau;
    let joined: Vec<_> = (0..signals).map(|s| beta * a[s] + alpha * b[s] + c[s]).collect();
    let over = |values: &[E::ScalarField], divisor: E::ScalarField| -> Vec<_> {
        values.iter().map(|value| *value / divisor).collect()
    };
    let odd: Vec<_> = lagrange(2 * domain, tau).into_iter().skip(1).step_by(2).collect();

    let mut header = sized(E::BaseField::MODULUS.into());
    header.extend(sized(E::ScalarField::MODULUS.into()));
    [signals, public, domain].iter().for_each(|n| header.extend((*n as u32).to_le_bytes()));
    for (scalar, g2) in
        [(alpha, false), (beta, false), (beta, true), (gamma, true), (delta, false), (delta, true)]
    {
        header.extend(if g2 { points::<E::G2>(&[scalar]) } else { points::<E::G1>(&[scalar]) });
    }
    vec![
        (1, 1u32.to_le_bytes().to_vec()),
        (2, header),
        (4, encode_coefficients(&coefficients)),
        (3, points::<E::G1>(&over(&joined[..=public], gamma))),
        (9, points::<E::G1>(&over(&odd, delta))),
        (8, points::<E::G1>(&over(&joined[public + 1..], delta))),
        (5, points::<E::G1>(&a)),
        (6, points::<E::G1>(&b)),
        (7, points::<E::G2>(&b)),
        (10, vec![0; 68]),
    ]
}

/// The sections of a witness.
pub fn wtns<F: PrimeField>(witness: &[F]) -> Sections {
    let mut header = sized(F::MODULUS.into());
    header.extend((witness.len() as u32).to_le_bytes());
    let values = witness.iter().flat_map(|value| value.into_bigint().to_bytes_le()).collect();
    vec![(1, header), (2, values)]
}

/// A file with these sections.
pub fn container(magic: &str, version: u32, sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = magic.as_bytes().to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend((sections.len() as u32).to_le_bytes());
    for (kind, data) in sections {
        bytes.extend(kind.to_le_bytes());
        bytes.extend((data.len() as u64).to_le_bytes());
        bytes.extend(data);
    }
    bytes
}

fn encode_coefficients<F: PrimeField>(coefficients: &[(u32, u32, u32, F)]) -> Vec<u8> {
    let (modulus, width) = (F::MODULUS.into(), width(&F::MODULUS.into()));
    let mut bytes = (coefficients.len() as u32).to_le_bytes().to_vec();
    for (matrix, row, signal, value) in coefficients {
        [matrix, row, signal].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        let value: BigUint = (*value).into();
        bytes.extend(padded(&((value << (16 * width)) % &modulus), width));
    }
    bytes
}

/// Multiples of the generator, x·R mod p and y·R mod p; infinity is zeros.
fn points<G: CurveGroup>(scalars: &[G::ScalarField]) -> Vec<u8> {
    let points = G::generator().batch_mul(scalars);
    points.into_iter().flat_map(encode_point).collect()
}

/// A point as snarkjs writes it.
pub fn encode_point<C: AffineRepr>(point: C) -> Vec<u8> {
    type Prime<C> = <<C as AffineRepr>::BaseField as Field>::BasePrimeField;
    let modulus: BigUint = Prime::<C>::MODULUS.into();
    let width = width(&modulus);
    let encode = |element: C::BaseField| {
        let parts: Vec<BigUint> = element.to_base_prime_field_elements().map(Into::into).collect();
        parts
            .into_iter()
            .flat_map(|part| padded(&((part << (8 * width)) % &modulus), width))
            .collect::<Vec<u8>>()
    };
    match point.xy() {
        Some((x, y)) => [encode(x), encode(y)].concat(),
        None => vec![0; 2 * width * C::BaseField::extension_degree() as usize],
    }
}

fn width(modulus: &BigUint) -> usize {
    modulus.bits().div_ceil(64) as usize * 8
}

fn sized(prime: BigUint) -> Vec<u8> {
    let width = width(&prime);
    [(width as u32).to_le_bytes().to_vec(), padded(&prime, width)].concat()
}

pub fn padded(integer: &BigUint, width: usize) -> Vec<u8> {
    let mut bytes = integer.to_bytes_le();
    bytes.resize(width, 0);
    bytes
}

//! Inputs for the tests, made without the code under test.

use std::path::PathBuf;

use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, BitIteratorBE, Field, PrimeField, Zero};
use bucketeer::curves::NamedCurve;
use bucketeer::io::{ReadOptions, ScalarVec};
use bucketeer::{Curve, Error, Model};
use num_bigint::BigUint;
use tempfile::TempDir;

pub const CHECKED: ReadOptions = ReadOptions { subgroup_check: true, reduce: false, first: None };
pub const NO_SUBGROUP_CHECK: ReadOptions =
    ReadOptions { subgroup_check: false, reduce: false, first: None };
pub const REDUCE: ReadOptions = ReadOptions { subgroup_check: true, reduce: true, first: None };

pub fn named(name: &str) -> &'static NamedCurve {
    NamedCurve::named(name).unwrap()
}

/// A file with these bytes in a directory of its own.
pub fn file(bytes: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("input.bin");
    std::fs::write(&path, bytes).unwrap();
    (directory, path)
}

/// The generator's multiples by 1, 2, …, with the identity in third place.
pub fn points<C: Curve>(n: usize) -> Vec<C> {
    let mut multiples = Vec::new();
    let mut sum = C::generator().into_group();
    for _ in 0..n {
        multiples.push(sum);
        sum += C::generator();
    }
    let mut points = C::Group::normalize_batch(&multiples);
    if let Some(third) = points.get_mut(2) {
        *third = C::zero();
    }
    points
}

/// 0, 1, −1, and from then on powers of one element.
pub fn residues<F: PrimeField>(n: usize) -> Vec<F> {
    let base = F::from(0x1234_5678_9abc_def1u64);
    let first = [F::ZERO, F::ONE, -F::ONE];
    first.into_iter().chain((3..n as u64).map(|i| base.pow([i]))).take(n).collect()
}

/// Scalars of the kind the curve has in files: residues, or integers up to the top of the range.
pub fn scalars<C: Curve>(curve: &NamedCurve, n: usize) -> ScalarVec<C::ScalarField> {
    let Some(bits) = curve.scalar_bits else { return ScalarVec::Residues(residues(n)) };
    let words_each = bits.div_ceil(64) as usize;
    let top = (BigUint::from(1u8) << bits) - 1u8;
    let words = (0..n).flat_map(|i| {
        let mut words = (&top - BigUint::from(i)).to_u64_digits();
        words.resize(words_each, 0);
        words
    });
    ScalarVec::Integers { words: words.collect(), words_each, bits }
}

/// A point of a short Weierstrass curve outside the prime-order subgroup.
pub fn outside_subgroup<C: Curve>() -> C {
    let Model::ShortWeierstrass { a, b } = C::model() else { panic!("short Weierstrass only") };
    let candidates = (1u64..).map(C::BaseField::from).filter_map(|x| {
        let y = (x.pow([3]) + a * x + b).sqrt()?;
        Some(C::from_coordinates(x, y))
    });
    // Double and add by hand: arkworks may reduce scalars modulo the order before it multiplies.
    let times_order = |point: &C| {
        BitIteratorBE::new(C::ScalarField::MODULUS).fold(C::Group::ZERO, |sum, bit| {
            let double = sum.double();
            if bit { double + point } else { double }
        })
    };
    let mut outside = candidates.filter(|point| !times_order(point).is_zero());
    outside.next().unwrap()
}

/// The smallest integer that is not the x of a point over the prime field.
pub fn x_of_no_point<C: Curve>() -> C::BaseField {
    let Model::ShortWeierstrass { a, b } = C::model() else { panic!("short Weierstrass only") };
    let no_point = |x: &C::BaseField| (x.pow([3]) + a * x + b).sqrt().is_none();
    (1u64..).map(C::BaseField::from).find(no_point).unwrap()
}

/// The reason of a file error; anything else fails the test.
#[track_caller]
pub fn reason<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::File { reason, .. }) => reason,
        other => panic!("expected a file error, found {other:?}"),
    }
}

/// Fails unless the reason contains every part.
#[track_caller]
pub fn assert_says(reason: &str, parts: &[&str]) {
    for part in parts {
        assert!(reason.contains(part), "\"{reason}\" does not contain \"{part}\"");
    }
}

/// A snarkjs container with these sections.
pub fn container(magic: &str, sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = magic.as_bytes().to_vec();
    bytes.extend(1u32.to_le_bytes());
    bytes.extend((sections.len() as u32).to_le_bytes());
    for (kind, data) in sections {
        bytes.extend(kind.to_le_bytes());
        bytes.extend((data.len() as u64).to_le_bytes());
        bytes.extend(data);
    }
    bytes
}

pub fn prime<C: Curve>() -> BigUint {
    <C::BaseField as Field>::BasePrimeField::MODULUS.into()
}

pub fn width<C: Curve>() -> usize {
    (prime::<C>().bits().div_ceil(64) * 8) as usize
}

/// An integer of the base prime field's width, with its length in front as snarkjs headers have it.
pub fn sized(integer: &BigUint, width: usize) -> Vec<u8> {
    let mut bytes = (width as u32).to_le_bytes().to_vec();
    bytes.extend(padded(integer, width));
    bytes
}

pub fn padded(integer: &BigUint, width: usize) -> Vec<u8> {
    let mut bytes = integer.to_bytes_le();
    bytes.resize(width, 0);
    bytes
}

/// Points as snarkjs writes them: x·R mod p and y·R mod p with R = 2^(8·width); infinity is zeros.
pub fn montgomery<C: Curve>(points: &[C]) -> Vec<u8> {
    let (prime, width) = (prime::<C>(), width::<C>());
    let degree = C::BaseField::extension_degree() as usize;
    let encode = |element: C::BaseField| -> Vec<u8> {
        let parts = element.to_base_prime_field_elements();
        parts
            .flat_map(|part| {
                let integer: BigUint = part.into();
                padded(&((integer << (8 * width)) % &prime), width)
            })
            .collect()
    };
    let encode = |point: &C| match point.xy() {
        Some((x, y)) => [encode(x), encode(y)].concat(),
        None => vec![0; 2 * degree * width],
    };
    points.iter().flat_map(encode).collect()
}

/// A `.ptau` of power 1, which has three points in G1 and two in G2.
pub fn ptau<G1: Curve, G2: Curve>(g1: &[G1], g2: &[G2]) -> Vec<u8> {
    container("ptau", &[ptau_header::<G1>(1), (2, montgomery(g1)), (3, montgomery(g2))])
}

pub fn ptau_header<G1: Curve>(power: u32) -> (u32, Vec<u8>) {
    let mut header = sized(&prime::<G1>(), width::<G1>());
    header.extend(power.to_le_bytes());
    header.extend(power.to_le_bytes());
    (1, header)
}

/// The sections of a `.zkey` with 4 variables, 1 public, domain 8.
pub fn zkey_sections<G1: Curve, G2: Curve>(g1: &[G1], g2: &[G2]) -> Vec<(u32, Vec<u8>)> {
    let order: BigUint = G1::ScalarField::MODULUS.into();
    let mut header = sized(&prime::<G1>(), width::<G1>());
    header.extend(sized(&order, 32));
    for count in [4u32, 1, 8] {
        header.extend(count.to_le_bytes());
    }
    let (first, second) = (montgomery(&g1[..1]), montgomery(&g2[..1]));
    for point in [&first, &first, &second, &second, &first, &second] {
        header.extend(point);
    }
    vec![
        (1, 1u32.to_le_bytes().to_vec()),
        (2, header),
        (4, vec![0; 4]),
        (3, montgomery(&g1[..2])),
        (5, montgomery(&g1[..4])),
        (6, montgomery(&g1[1..5])),
        (7, montgomery(&g2[..4])),
        (8, montgomery(&g1[2..4])),
        (9, montgomery(&g1[..8])),
        (10, vec![0; 68]),
    ]
}

/// A `.ptau` of this power after `prepare phase2`, for a known tau, alpha and beta: the sections of
/// G1 and G2 as their definitions say.
pub fn prepared_ptau<G1: Curve, G2: Curve<ScalarField = G1::ScalarField>>(power: u32) -> Vec<u8> {
    let known = Ceremony::<G1::ScalarField>::new();
    let n = 1 << power;
    let g1 = |scalars: Vec<G1::ScalarField>| montgomery(&multiples::<G1>(&scalars));
    let g2 = |scalars: Vec<G1::ScalarField>| montgomery(&multiples::<G2>(&scalars));
    let one = G1::ScalarField::ONE;
    let lagrange = |factor, last| -> Vec<G1::ScalarField> {
        (0..=last).flat_map(|k| known.lagrange(k, factor)).collect()
    };
    container(
        "ptau",
        &[
            ptau_header::<G1>(power),
            (2, g1(known.powers(2 * n - 1, one))),
            (3, g2(known.powers(n, one))),
            (4, g1(known.powers(n, known.alpha))),
            (5, g1(known.powers(n, known.beta))),
            (6, g2(vec![known.beta])),
            (7, 0u32.to_le_bytes().to_vec()),
            (
                12,
                g1((0..=power)
                    .flat_map(|k| known.lagrange(k, one))
                    .chain(known.last(power + 1))
                    .collect()),
            ),
            (13, g2(lagrange(one, power))),
            (14, g1(lagrange(known.alpha, power))),
            (15, g1(lagrange(known.beta, power))),
        ],
    )
}

/// The secrets of a ceremony.
pub struct Ceremony<F> {
    tau: F,
    pub alpha: F,
    pub beta: F,
}

impl<F: PrimeField + ark_ff::FftField> Ceremony<F> {
    pub fn new() -> Self {
        let [tau, alpha, beta] = [0x1234_5678_9abc_def1u64, 77, 1 << 40].map(F::from);
        Self { tau, alpha, beta }
    }

    /// `factor·tau^i`
    pub fn powers(&self, n: usize, factor: F) -> Vec<F> {
        std::iter::successors(Some(factor), |last| Some(*last * self.tau)).take(n).collect()
    }

    /// `factor·Lᵢ(tau)` on the domain of 2^k points: ωⁱ·(tau^n − 1)/(n·(tau − ωⁱ)).
    pub fn lagrange(&self, k: u32, factor: F) -> Vec<F> {
        let n = 1u64 << k;
        let root = F::get_root_of_unity(n).unwrap();
        let elements = std::iter::successors(Some(F::ONE), |last| Some(*last * root));
        let numerator = factor * (self.tau.pow([n]) - F::ONE) / F::from(n);
        elements.take(n as usize).map(|w| w * numerator / (self.tau - w)).collect()
    }

    /// The largest basis of tau in G1. There is one power too few: the last is taken as zero, which
    /// takes ω^(−i·(n−1))·tau^(n−1)/n away from each.
    pub fn last(&self, k: u32) -> Vec<F> {
        let n = 1u64 << k;
        let root = F::get_root_of_unity(n).unwrap();
        let missing = self.tau.pow([n - 1]) / F::from(n);
        let whole = self.lagrange(k, F::ONE);
        (0..n).zip(whole).map(|(i, l)| l - missing * root.pow([i])).collect()
    }
}

/// Multiples of the generator.
pub fn multiples<C: Curve>(scalars: &[C::ScalarField]) -> Vec<C> {
    let points: Vec<C::Group> = scalars.iter().map(|k| C::generator() * k).collect();
    C::Group::normalize_batch(&points)
}

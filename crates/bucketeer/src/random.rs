//! Random inputs with known results: bases with known logarithms, and scalars of many
//! distributions.

use ark_ec::CurveGroup;
use ark_ff::PrimeField;
use ark_std::UniformRand;
use ark_std::rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::curve::residue;
use crate::{Curve, Error, parallel};

/// Points that a thread generates and normalises at a time.
const BLOCK: usize = 1 << 10;

/// Bases with known logarithms: `Pᵢ = (start + i·step)·G`, all distinct for practical purposes.
///
/// The sum `Σ kᵢ·Pᵢ` is then `(Σ kᵢ·(start + i·step))·G`: n field operations and one scalar
/// multiplication check an MSM of any size.
#[derive(Debug, Clone)]
pub struct KnownBases<C: Curve> {
    /// The points.
    pub points: Vec<C>,
    start: C::ScalarField,
    step: C::ScalarField,
}

impl<C: Curve> KnownBases<C> {
    /// `n` bases from a seed.
    ///
    /// ```
    /// use bucketeer::random::KnownBases;
    /// use bucketeer::msm;
    /// let bases = KnownBases::<ark_bls12_377::G1Affine>::new(100, 7);
    /// let scalars = vec![ark_bls12_377::Fr::from(3u64); 100];
    /// assert_eq!(msm(&bases.points, &scalars)?, bases.expected(&scalars));
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    pub fn new(n: usize, seed: u64) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let start = C::ScalarField::rand(&mut rng);
        let step = C::ScalarField::rand(&mut rng);
        let increment = (C::GENERATOR * step).into_affine();
        let mut points = vec![C::zero(); n];
        parallel::for_blocks(&mut points, BLOCK, |block, out| {
            let first = residue::<C::ScalarField>((block * BLOCK) as u64);
            let mut point = C::GENERATOR * (start + step * first);
            let mut points = Vec::with_capacity(out.len());
            for _ in 0..out.len() {
                points.push(point);
                point += increment;
            }
            out.copy_from_slice(&C::Group::normalize_batch(&points));
        });
        Self { points, start, step }
    }

    /// The logarithm of base `index`.
    pub fn logarithm(&self, index: usize) -> C::ScalarField {
        self.start + self.step * residue::<C::ScalarField>(index as u64)
    }

    /// `Σ kᵢ·Pᵢ` over the first bases, from the logarithms.
    pub fn expected(&self, scalars: &[C::ScalarField]) -> C::Group {
        let sums = parallel::map(scalars.len().div_ceil(BLOCK), |block| {
            let first = block * BLOCK;
            let scalars = &scalars[first..scalars.len().min(first + BLOCK)];
            let terms = scalars.iter().enumerate();
            terms.map(|(i, k)| *k * self.logarithm(first + i)).sum::<C::ScalarField>()
        });
        let sum: C::ScalarField = sums.into_iter().sum();
        C::GENERATOR * sum
    }
}

/// Distributions of scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Distribution {
    /// Uniform below the group order.
    Uniform,
    /// All zero.
    Zero,
    /// All one.
    One,
    /// All r − 1.
    MinusOne,
    /// One random value throughout.
    Equal,
    /// Uniform below 2^bits.
    Bits(u32),
    /// Multiples of the highest power of 65536 below the order: only the top bits are set.
    Top,
    /// Half zeros and ones, the rest 64-bit: a typical witness.
    Skewed,
    /// Nine of ten are zero, the rest uniform.
    MostlyZero,
}

impl Distribution {
    /// All distributions, with their names.
    pub const ALL: [(&'static str, Self); 9] = [
        ("uniform", Self::Uniform),
        ("zero", Self::Zero),
        ("one", Self::One),
        ("minus-one", Self::MinusOne),
        ("equal", Self::Equal),
        ("few-bits", Self::Bits(5)),
        ("top", Self::Top),
        ("skewed", Self::Skewed),
        ("mostly-zero", Self::MostlyZero),
    ];

    /// The distribution with this name.
    pub fn named(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.iter().find(|(own, _)| *own == name);
        found.map(|(_, kind)| *kind).ok_or_else(|| Error::UnknownName {
            what: "distribution",
            name: name.into(),
            expected: Self::ALL.map(|(name, _)| name).join(", "),
        })
    }

    /// `n` scalars from a seed, the same on every machine and for any number of threads.
    pub fn scalars<F: PrimeField>(self, n: usize, seed: u64) -> Vec<F> {
        let mut rng = ChaCha20Rng::seed_from_u64(seed ^ 0x5ca1_a125);
        let same = F::rand(&mut rng);
        let top = F::from(2u64).pow([u64::from((F::MODULUS_BIT_SIZE - 1) / 16 * 16)]);
        let mut scalars = vec![F::ZERO; n];
        parallel::for_blocks(&mut scalars, BLOCK, |block, out| {
            let mut rng = ChaCha20Rng::seed_from_u64(seed ^ 0x5ca1_a125);
            rng.set_stream(1 + block as u64);
            out.fill_with(|| self.one::<F>(&mut rng, same, top));
        });
        scalars
    }

    fn one<F: PrimeField>(self, rng: &mut impl RngCore, same: F, top: F) -> F {
        match self {
            Self::Uniform => F::rand(rng),
            Self::Zero => F::ZERO,
            Self::One => F::ONE,
            Self::MinusOne => -F::ONE,
            Self::Equal => same,
            Self::Bits(bits) => {
                let mut bytes = vec![0; (bits as usize).div_ceil(8)];
                rng.fill_bytes(&mut bytes);
                if let (Some(last), rest @ 1..) = (bytes.last_mut(), bits % 8) {
                    *last &= (1 << rest) - 1;
                }
                F::from_le_bytes_mod_order(&bytes)
            }
            Self::Top => {
                let spare = (F::MODULUS_BIT_SIZE - 1) % 16;
                top * residue::<F>(rng.next_u64() & ((1 << spare) - 1))
            }
            Self::Skewed => match rng.next_u32() % 4 {
                0 => F::ZERO,
                1 => F::ONE,
                _ => residue(rng.next_u64()),
            },
            Self::MostlyZero => match rng.next_u32() % 10 {
                0 => F::rand(rng),
                _ => F::ZERO,
            },
        }
    }
}

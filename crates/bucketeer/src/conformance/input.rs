//! Inputs of single cases: bases in every arrangement, scalars, and the sum they must give.

use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, Field};

use super::{Distribution, KnownBases};
use crate::Curve;

/// Bases that cases take theirs from, with their logarithms.
pub(super) struct Known<C: Curve> {
    points: Vec<C>,
    logarithms: Vec<C::ScalarField>,
}

/// How bases relate to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrangement {
    Distinct,
    /// Every third is the point at infinity.
    Infinities,
    AllInfinite,
    /// Every base comes five times in a row.
    Repeats,
    /// P, −P, P', −P', …
    Opposites,
    AllEqual,
    /// P, P, −P, infinity, P', …
    Mixed,
}

impl Arrangement {
    pub(super) const ALL: [Self; 7] = [
        Self::Distinct,
        Self::Infinities,
        Self::AllInfinite,
        Self::Repeats,
        Self::Opposites,
        Self::AllEqual,
        Self::Mixed,
    ];

    /// Base `i` as a known base and a factor 1, −1 or 0.
    fn place(self, i: usize) -> (usize, i8) {
        match self {
            Self::Distinct => (i, 1),
            Self::Infinities => (i, if i % 3 == 2 { 0 } else { 1 }),
            Self::AllInfinite => (i, 0),
            Self::Repeats => (i / 5, 1),
            Self::Opposites => (i / 2, if i % 2 == 0 { 1 } else { -1 }),
            Self::AllEqual => (0, 1),
            Self::Mixed => (i / 4, [1, 1, -1, 0][i % 4]),
        }
    }
}

/// One MSM and its sum.
pub(super) struct Input<C: Curve> {
    pub name: String,
    pub points: Vec<C>,
    pub scalars: Vec<C::ScalarField>,
    pub expected: C::Group,
}

impl<C: Curve> Known<C> {
    /// The most bases a case may take.
    pub(super) const LENGTH: usize = (1 << 12) + 1;

    pub(super) fn new() -> Self {
        let bases = KnownBases::<C>::new(Self::LENGTH, 0xba5e5);
        let logarithms = (0..Self::LENGTH).map(|i| bases.logarithm(i)).collect();
        Self { points: bases.points, logarithms }
    }

    /// `n` bases in an arrangement, with their logarithms.
    pub(super) fn bases(&self, n: usize, how: Arrangement) -> (Vec<C>, Vec<C::ScalarField>) {
        let place = |i| {
            let (index, factor) = how.place(i);
            let (point, logarithm) = (self.points[index], self.logarithms[index]);
            match factor {
                0 => (C::zero(), C::ScalarField::ZERO),
                1 => (point, logarithm),
                _ => ((-point.into_group()).into_affine(), -logarithm),
            }
        };
        (0..n).map(place).unzip()
    }

    /// The sum that scalars must give on bases with these logarithms.
    pub(super) fn sum(logarithms: &[C::ScalarField], scalars: &[C::ScalarField]) -> C::Group {
        let products = logarithms.iter().zip(scalars).map(|(a, k)| *a * k);
        C::GENERATOR * products.sum::<C::ScalarField>()
    }

    /// An MSM with scalars of one kind.
    pub(super) fn input(&self, n: usize, how: Arrangement, kind: Distribution) -> Input<C> {
        let scalars = kind.scalars(n, n as u64);
        Input {
            name: format!("n = {n}, {kind:?} scalars, {how:?} bases"),
            ..self.with(how, scalars)
        }
    }

    /// An MSM with given scalars.
    pub(super) fn with(&self, how: Arrangement, scalars: Vec<C::ScalarField>) -> Input<C> {
        let (points, logarithms) = self.bases(scalars.len(), how);
        let expected = Self::sum(&logarithms, &scalars);
        Input { name: format!("n = {}", scalars.len()), points, scalars, expected }
    }

    /// `n` scalars that include those which windows of this width, negation and splitting find
    /// difficult: around multiples of half a window, around r/2, around 0 and r.
    pub(super) fn edges(&self, n: usize, window_bits: u32) -> Input<C> {
        let one = C::ScalarField::ONE;
        let two = one.double();
        let half = two.inverse().unwrap_or(one);
        let digit = two.pow([u64::from(window_bits) - 1]);
        let mut scalars = vec![C::ScalarField::ZERO, one, -one, -two, half, half - one, -digit];
        let ones = digit.double() - one;
        let repeated = (0..64 / window_bits).fold(digit, |k, _| k * digit.double() + digit);
        scalars.extend([digit, digit - one, digit + one, ones, ones + one, repeated, -repeated]);
        scalars.extend(Distribution::Top.scalars::<C::ScalarField>(3, 1));
        scalars.extend(Distribution::Uniform.scalars::<C::ScalarField>(n, 2));
        scalars.truncate(n);
        Input {
            name: format!("n = {n}, edge scalars"),
            ..self.with(Arrangement::Distinct, scalars)
        }
    }
}

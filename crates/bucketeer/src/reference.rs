//! Sums by another law than any engine's: double-and-add in Jacobian coordinates on the short
//! Weierstrass form, every case told apart. Right for every point of the curve; arkworks' law on
//! twisted Edwards curves is not, where they are incomplete, and its equality holds for the
//! coordinates (0, 0, 0, 0) against any point.

#[cfg(any(feature = "any", feature = "conformance"))]
use ark_ec::CurveGroup;
use ark_ff::Field;

use crate::{Curve, Weierstrass, parallel};

/// Points that one worker sums together, sharing their doublings.
const BLOCK: usize = 256;

/// `Σ kᵢ·Pᵢ` on the short Weierstrass form, for integers of `words_each` words: from the highest
/// bit down, double the sum and add every base whose scalar has the bit.
pub fn reference_sum<C: Curve>(
    bases: &[C],
    words: &[u64],
    words_each: usize,
) -> Weierstrass<C::BaseField> {
    let law = Law::of::<C>();
    let sums = parallel::map(bases.len().div_ceil(BLOCK), |block| {
        let first = block * BLOCK;
        let bases = &bases[first..bases.len().min(first + BLOCK)];
        let mut points = Vec::new();
        C::to_weierstrass(bases, &mut points);
        let scalars = &words[first * words_each..];
        (0..64 * words_each).rev().fold(Jacobian::INFINITY, |sum, bit| {
            let mut sum = law.double(&sum);
            for (point, scalar) in points.iter().zip(scalars.chunks_exact(words_each)) {
                if scalar[bit / 64] >> (bit % 64) & 1 == 1 {
                    sum = law.add(&sum, &Jacobian::of(*point));
                }
            }
            sum
        })
    });
    sums.iter().fold(Jacobian::INFINITY, |total, sum| law.add(&total, sum)).affine()
}

/// A sum of an engine in affine coordinates; `None` if it is not a point of the curve.
#[cfg(any(feature = "any", feature = "conformance"))]
pub(crate) fn affine<C: Curve>(sum: &C::Group) -> Option<C> {
    C::is_point(sum).then(|| sum.into_affine()).filter(Curve::on_curve)
}

/// `y² = x³ + a·x + b`
pub(crate) struct Law<F> {
    a: F,
}

/// x = X/Z², y = Y/Z³; Z = 0 is infinity.
#[derive(Clone, Copy)]
pub(crate) struct Jacobian<F> {
    x: F,
    y: F,
    z: F,
}

impl<F: Field> Jacobian<F> {
    pub(crate) const INFINITY: Self = Self { x: F::ONE, y: F::ONE, z: F::ZERO };

    pub(crate) fn of(point: Weierstrass<F>) -> Self {
        point.map_or(Self::INFINITY, |(x, y)| Self { x, y, z: F::ONE })
    }

    pub(crate) fn affine(&self) -> Weierstrass<F> {
        let inverse = self.z.inverse()?;
        let square = inverse.square();
        Some((self.x * square, self.y * square * inverse))
    }
}

impl<F: Field> Law<F> {
    pub(crate) fn of<C: Curve<BaseField = F>>() -> Self {
        let [a, _] = C::weierstrass_coefficients();
        Self { a }
    }

    /// λ = (3X² + a·Z⁴)/(2YZ): X₃ = M² − 2S, Y₃ = M(S − X₃) − 8Y⁴, Z₃ = 2YZ.
    pub(crate) fn double(&self, p: &Jacobian<F>) -> Jacobian<F> {
        let y2 = p.y.square();
        let s = (p.x * y2).double().double();
        let x2 = p.x.square();
        let m = x2.double() + x2 + self.a * p.z.square().square();
        let x = m.square() - s.double();
        let y = m * (s - x) - y2.square().double().double().double();
        Jacobian { x, y, z: (p.y * p.z).double() }
    }

    /// U = X·Z'², S = Y·Z'³ of both; H = U₂ − U₁, R = S₂ − S₁: X₃ = R² − H³ − 2U₁H²,
    /// Y₃ = R(U₁H² − X₃) − S₁H³, Z₃ = HZ₁Z₂.
    pub(crate) fn add(&self, p: &Jacobian<F>, q: &Jacobian<F>) -> Jacobian<F> {
        if p.z == F::ZERO {
            return *q;
        }
        if q.z == F::ZERO {
            return *p;
        }
        let (z1, z2) = (p.z.square(), q.z.square());
        let (u1, u2) = (p.x * z2, q.x * z1);
        let (s1, s2) = (p.y * z2 * q.z, q.y * z1 * p.z);
        let (h, r) = (u2 - u1, s2 - s1);
        if h == F::ZERO {
            return if r == F::ZERO { self.double(p) } else { Jacobian::INFINITY };
        }
        let h2 = h.square();
        let (h3, v) = (h * h2, u1 * h2);
        let x = r.square() - h3 - v.double();
        Jacobian { x, y: r * (v - x) - s1 * h3, z: h * p.z * q.z }
    }
}

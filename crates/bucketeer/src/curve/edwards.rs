//! Twisted Edwards ↔ short Weierstrass, by way of the Montgomery model.
//!
//! `a·x² + y² = 1 + d·x²·y²` is birational to `B·v² = u³ + A·u² + u` with `A = 2(a+d)/(a−d)`,
//! `B = 4/(a−d)`, `u = (1+y)/(1−y)`, `v = u/x` (Bernstein et al., "Twisted Edwards curves", thm
//! 3.2), and that to `Y² = X³ + αX + β` with `X = (u + A/3)/B`, `Y = v/B`. Two points are
//! exceptions: the identity (0, 1) ↦ infinity, and (0, −1) ↦ (u, v) = (0, 0). In the other
//! direction, `v = 0 ≠ u` and `u = −1` are points at infinity of a model that is not complete.

use ark_ec::AffineRepr;
use ark_ec::twisted_edwards::{Affine, Projective, TECurveConfig};
use ark_ff::{AdditiveGroup, Field};
use num_bigint::BigUint;

use super::{EdwardsForm, Model, Weierstrass, inverses};

/// Coefficients of the Montgomery model, as the maps need them.
struct Montgomery<F> {
    b: F,
    inverse_of_b: F,
    third_of_a: F,
}

impl<F: Field> Montgomery<F> {
    fn new(a: F, d: F) -> (Self, F) {
        let over_difference = (a - d).inverse().expect("a ≠ d on an Edwards curve");
        let coefficient_a = (a + d).double() * over_difference;
        let b = over_difference.double().double();
        let third = F::from(3u64).inverse().expect("the characteristic is not 3");
        let inverse_of_b = b.inverse().expect("4/(a−d) is not 0");
        (Self { b, inverse_of_b, third_of_a: coefficient_a * third }, coefficient_a)
    }
}

/// The coefficients `α = (3 − A²)/(3B²)` and `β = (2A³ − 9A)/(27B³)` of the short Weierstrass
/// model.
pub(super) fn weierstrass_coefficients<F: Field>(a: F, d: F) -> (F, F) {
    let (m, coefficient_a) = Montgomery::new(a, d);
    let third = F::from(3u64).inverse().expect("the characteristic is not 3");
    let a2 = coefficient_a.square();
    let alpha = (F::from(3u64) - a2) * third * m.inverse_of_b.square();
    let nine = F::from(9u64);
    let beta = (a2.double() - nine) * coefficient_a * (third * m.inverse_of_b).pow([3]);
    (alpha, beta)
}

pub(super) fn to_weierstrass<P: TECurveConfig>(
    points: &[Affine<P>],
    out: &mut Vec<Weierstrass<P::BaseField>>,
) {
    let (m, _) = Montgomery::new(P::COEFF_A, P::COEFF_D);
    let one = P::BaseField::ONE;
    let inverses = inverses(points.iter().map(|p| (one - p.y) * p.x));
    out.clear();
    out.extend(points.iter().zip(inverses).map(|(p, inverse)| {
        if p.x == P::BaseField::ZERO {
            return (!p.is_zero()).then(|| (m.third_of_a * m.inverse_of_b, P::BaseField::ZERO));
        }
        // inverse = 1/((1−y)·x), so u = (1+y)·x·inverse and v = u/x = (1+y)·inverse.
        let v = (one + p.y) * inverse;
        let u = v * p.x;
        Some(((u + m.third_of_a) * m.inverse_of_b, v * m.inverse_of_b))
    }));
}

pub(super) fn from_weierstrass<P: TECurveConfig>(
    point: Weierstrass<P::BaseField>,
) -> Option<Affine<P>> {
    let Some((x, y)) = point else { return Some(Affine::zero()) };
    let (m, _) = Montgomery::new(P::COEFF_A, P::COEFF_D);
    let one = P::BaseField::ONE;
    let (u, v) = (x * m.b - m.third_of_a, y * m.b);
    if u == P::BaseField::ZERO {
        return Some(Affine::new_unchecked(P::BaseField::ZERO, -one));
    }
    Some(Affine::new_unchecked(u * v.inverse()?, (u - one) * (u + one).inverse()?))
}

/// 2^times·P in extended coordinates. A doubling does not read T, so only the last one computes it:
/// 3M+4S instead of 4M+4S (EFD twisted/extended, dbl-2008-hwcd).
pub(super) fn double_times<P: TECurveConfig>(point: &mut Projective<P>, times: u32) {
    for left in (0..times).rev() {
        let (square, b) = (point.x.square(), point.y.square());
        let a = P::mul_by_a(square);
        let e = (point.x + point.y).square() - square - b;
        let (g, h) = (a + b, a - b);
        let f = g - point.z.square().double();
        if left == 0 {
            point.t = e * h;
        }
        (point.x, point.y, point.z) = (e * f, g * h, f * g);
    }
}

/// An affine point with the product that an addition needs.
#[derive(Clone, Copy)]
pub struct Addend<F> {
    x: F,
    y: F,
    /// d·x·y
    product: F,
}

impl<F: Field> Addend<F> {
    pub(super) fn new<P: TECurveConfig<BaseField = F>>(x: F, y: F) -> Self {
        Self { x, y, product: P::COEFF_D * x * y }
    }
}

/// `sum ± addend`, 8M; without T, which doublings do not read, 7M (EFD twisted/extended,
/// madd-2008-hwcd with d·x·y precomputed).
pub(super) fn add_to<P: TECurveConfig>(
    sum: &mut Projective<P>,
    addend: &Addend<P::BaseField>,
    negative: bool,
    doubled_next: bool,
) {
    let Addend { mut x, y, mut product } = *addend;
    if negative {
        (x, product) = (-x, -product);
    }
    let (a, b, c) = (sum.x * x, sum.y * y, sum.t * product);
    let e = (sum.x + sum.y) * (x + y) - a - b;
    let (f, g, h) = (sum.z - c, sum.z + c, b - P::mul_by_a(a));
    if !doubled_next {
        sum.t = e * h;
    }
    (sum.x, sum.y, sum.z) = (e * f, g * h, f * g);
}

/// The map from a curve to `−x² + y² = 1 + d·x²·y²` and back.
///
/// On a short Weierstrass curve it starts from a point (α, 0) of order 2: with s = 1/√(3α² + a) the
/// Montgomery model has A = 3αs and B = s. Scaling x by √(−a) makes the Edwards coefficient −1.
pub struct EdwardsMap<F> {
    /// The coefficient d of the form with a = −1.
    pub(super) d: F,
    scale: F,
    inverse_of_scale: F,
    /// `None` if the curve is in Edwards form already.
    montgomery: Option<Montgomery<F>>,
}

impl<F: Field> EdwardsMap<F> {
    /// The coefficient d.
    #[cfg(any(feature = "cuda", feature = "webgpu"))]
    pub(crate) fn d(&self) -> F {
        self.d
    }

    pub(super) fn new(model: &Model<F>) -> Option<Self> {
        if F::extension_degree() != 1 {
            return None;
        }
        let (a, d, montgomery) = match *model {
            Model::TwistedEdwards { a, d } => (a, d, None),
            Model::ShortWeierstrass { a, b } => {
                let on_axis = |x: &F| x.square() * x + a * x + b == F::ZERO;
                // The roots that occur in practice; others are not searched for.
                let alpha = [-F::ONE, F::ONE, F::ZERO].into_iter().find(on_axis)?;
                let slope = alpha.square() * F::from(3u64) + a;
                let s = slope.sqrt()?.inverse()?;
                let coefficient_a = alpha * s * F::from(3u64);
                let (two, inverse) = (F::from(2u64), s.inverse()?);
                let third_of_a = alpha * s;
                let m = Montgomery { b: s, inverse_of_b: inverse, third_of_a };
                ((coefficient_a + two) * inverse, (coefficient_a - two) * inverse, Some(m))
            }
        };
        let scale = (-a).sqrt()?;
        let inverse_of_scale = scale.inverse()?;
        Some(Self { d: -d * a.inverse()?, scale, inverse_of_scale, montgomery })
    }

    /// Whether the addition law is complete: −1 is a square and d is not.
    pub(super) fn complete(&self) -> bool {
        (-F::ONE).sqrt().is_some() && self.d.sqrt().is_none()
    }

    /// The form and the map to it as integers, for a device to apply.
    pub(super) fn form(&self, integer: impl Fn(&F) -> Option<BigUint>) -> Option<EdwardsForm> {
        let (scale, montgomery) = match &self.montgomery {
            None => (self.scale, None),
            // x = scale·u/v with v = B·y.
            Some(m) => {
                let coefficients = [integer(&m.b)?, integer(&m.third_of_a)?];
                (self.scale * m.inverse_of_b, Some(coefficients))
            }
        };
        let (d, scale) = (integer(&self.d)?, integer(&scale)?);
        Some(EdwardsForm { d, complete: self.complete(), scale, montgomery })
    }

    /// Edwards coordinates of a point given in the curve's own model, for comparison. Infinity is
    /// (0, 1), and (0, 0) stands for points at infinity of the form.
    #[cfg(all(test, feature = "curves"))]
    pub(crate) fn apply(&self, point: Option<(F, F)>) -> (F, F) {
        let Some((x, y)) = point else { return (F::ZERO, F::ONE) };
        let Some(m) = &self.montgomery else { return (x * self.scale, y) };
        let (u, v) = (x * m.b - m.third_of_a, y * m.b);
        match (v.inverse(), (u + F::ONE).inverse()) {
            (Some(over_v), Some(over_sum)) => (self.scale * u * over_v, (u - F::ONE) * over_sum),
            _ => (F::ZERO, F::ZERO),
        }
    }

    /// The point in the curve's own model; the inner `None` is infinity, the outer a point that the
    /// model cannot express.
    pub(super) fn undo(&self, (x, y): (F, F)) -> Option<Option<(F, F)>> {
        let x = x * self.inverse_of_scale;
        let Some(m) = &self.montgomery else { return Some(Some((x, y))) };
        if x == F::ZERO && y == F::ONE {
            return Some(None);
        }
        // u = (1+y)/(1−y) and v = u/x, with one inversion.
        let v = (F::ONE + y) * ((F::ONE - y) * x).inverse()?;
        let u = v * x;
        Some(Some(((u + m.third_of_a) * m.inverse_of_b, v * m.inverse_of_b)))
    }
}

#[cfg(all(test, feature = "curves"))]
mod tests {
    use super::*;
    use ark_ec::CurveGroup;
    use ark_std::{UniformRand, test_rng};

    /// Points of every order dividing the cofactor, and random ones, survive the round trip and
    /// satisfy the Weierstrass equation.
    fn round_trip<P: TECurveConfig>() {
        let one = P::BaseField::ONE;
        let mut rng = test_rng();
        let mut points = vec![Affine::<P>::zero(), Affine::new_unchecked(P::BaseField::ZERO, -one)];
        points.extend((0..20).map(|_| Affine::<P>::rand(&mut rng)));
        let moved = (points[2] + points[1]).into_affine();
        points.push(moved);
        let mut out = Vec::new();
        to_weierstrass::<P>(&points, &mut out);
        let (alpha, beta) = weierstrass_coefficients(P::COEFF_A, P::COEFF_D);
        for (point, image) in points.iter().zip(out) {
            if let Some((x, y)) = image {
                assert_eq!(y.square(), x.pow([3]) + alpha * x + beta);
            }
            assert_eq!(from_weierstrass::<P>(image), Some(*point));
        }
    }

    /// Images satisfy the equation with a = −1, add like the points they come from, and map back.
    fn equivalent<C: crate::Curve>() {
        let map = C::edwards().expect("the curve has an Edwards form");
        let mut rng = test_rng();
        let mut points: Vec<C> = (0..10).map(|_| C::Group::rand(&mut rng).into_affine()).collect();
        points.push(C::zero());
        let images: Vec<_> = points.iter().map(|point| map.apply(point.xy())).collect();
        for (&(x, y), point) in images.iter().zip(&points) {
            let (x2, y2) = (x.square(), y.square());
            assert_eq!(y2 - x2, C::BaseField::ONE + map.d * x2 * y2);
            assert_eq!(C::from_edwards(&map, (x, y)), Some(*point));
        }
        // The addition law of the form, on two of them.
        let ((x1, y1), (x2, y2)) = (images[0], images[1]);
        let t = map.d * x1 * x2 * y1 * y2;
        let x = (x1 * y2 + x2 * y1) / (C::BaseField::ONE + t);
        let y = (y1 * y2 + x1 * x2) / (C::BaseField::ONE - t);
        let sum = (points[0] + points[1]).into_affine();
        assert_eq!(C::from_edwards(&map, (x, y)), Some(sum));
    }

    #[test]
    fn forms_with_a_minus_one() {
        equivalent::<ark_bls12_377::G1Affine>();
        equivalent::<ark_ed_on_bls12_377::EdwardsAffine>();
        use crate::curve::models::Models;
        assert!(ark_bls12_381::G1Affine::edwards().is_none());
        assert!(ark_bn254::G1Affine::edwards().is_none());
        assert!(ark_bls12_377::G2Affine::edwards().is_none());
    }

    #[test]
    fn edwards_points_survive_the_round_trip() {
        round_trip::<ark_ed_on_bls12_377::EdwardsConfig>();
        round_trip::<ark_ed_on_bls12_381_bandersnatch::BandersnatchConfig>();
    }
}

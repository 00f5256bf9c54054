//! Types whose layout is another, and types of another curve.

use halo2curves::bn256::{Fq, Fr, G1, G1Affine};

use super::*;
use crate::{Bases, Device, msm, msm_best};

/// Delegates to G1Affine, with points or scalars of its own.
macro_rules! variant {
    ($name:ident, $scalar:ty, $ark:ty, $to_scalar:expr, $from_scalar:expr) => {
        impl From<$name> for G1Affine {
            fn from(point: $name) -> Self {
                Self { x: point.x, y: point.y }
            }
        }

        impl Api for $name {
            type Scalar = $scalar;
            type Curve = G1;
            type Ark = $ark;

            fn write(&self, out: &mut [u8]) -> bool {
                G1Affine::from(*self).write(out)
            }

            fn write_scalar(scalar: &$scalar, out: &mut [u8]) -> bool {
                G1Affine::write_scalar(&$from_scalar(*scalar), out)
            }

            fn read(bytes: &[u8]) -> Option<G1> {
                G1Affine::read(bytes)
            }

            fn probes() -> Vec<($scalar, Self)> {
                let probe = |(scalar, G1Affine { x, y }): (Fr, G1Affine)| {
                    let mut point = Self::default();
                    (point.x, point.y) = (x, y);
                    ($to_scalar(scalar), point)
                };
                G1Affine::probes().into_iter().map(probe).collect()
            }

            fn layout() -> &'static Cell {
                static LAYOUT: Cell = Cell::new();
                &LAYOUT
            }
        }
    };
}

/// y before x.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct Swapped {
    y: Fq,
    x: Fq,
}
variant!(Swapped, Fr, ark_bn254::G1Affine, |k| k, |k| k);

/// With a flag, as arkworks' points; scalars with another alignment.
#[derive(Debug, Clone, Copy, Default)]
struct Flagged {
    x: Fq,
    y: Fq,
    _infinity: bool,
}

#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Aligned(Fr);
variant!(Flagged, Aligned, ark_bn254::G1Affine, Aligned, |k: Aligned| k.0);

/// The scalar field's negatives: the right words in memory, of other values.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct Plain {
    x: Fq,
    y: Fq,
}

#[derive(Debug, Clone, Copy)]
struct Negative(Fr);
variant!(Plain, Negative, ark_bn254::G1Affine, |k: Fr| Negative(-k), |k: Negative| -k.0);

/// Said to be another curve, of which the base field happens to have the same size.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct Wrong {
    x: Fq,
    y: Fq,
}
variant!(Wrong, Fr, ark_grumpkin::Affine, |k| k, |k| k);

const INTERFACE: Layout = Layout { points: Access::Interface, scalars: Access::Interface };

/// Sums over a variant equal those over the type itself.
fn same_sums<C: Api<Curve = G1>>() {
    let probes = G1Affine::probes();
    let (scalars, points): (Vec<_>, Vec<_>) = probes.iter().copied().unzip();
    let expected = halo2curves::msm::msm_best(&scalars, &points);
    let (scalars, points): (Vec<_>, Vec<_>) = C::probes().into_iter().unzip();
    assert_eq!(msm_best(&scalars, &points), expected);
    assert_eq!(msm(&scalars, &points).unwrap(), expected);
    let bases = Bases::load(&Device::cpu(), &points).unwrap();
    assert_eq!(bases.msm(&scalars).unwrap(), expected);
    assert_eq!(bases.msm_batch(&[&scalars, &[]]).unwrap(), [expected, G1::default()]);
}

#[test]
fn another_order_of_coordinates() {
    let layout = Layout::of::<Swapped>().unwrap();
    assert_eq!(layout, Layout { points: Access::Interface, scalars: Access::Memory });
    same_sums::<Swapped>();
}

#[test]
fn another_size_and_alignment() {
    assert_eq!(Layout::of::<Flagged>().unwrap(), INTERFACE);
    same_sums::<Flagged>();
}

#[test]
fn other_words_of_scalars() {
    let layout = Layout::of::<Plain>().unwrap();
    assert_eq!(layout, Layout { points: Access::Memory, scalars: Access::Interface });
    same_sums::<Plain>();
}

#[test]
fn another_curve_is_an_error() {
    let error = Layout::of::<Wrong>().unwrap_err();
    // Its generator (1, 2) is not a point of Grumpkin.
    assert_eq!(error, Error::InvalidBase { index: 1, reason: PointFault::NotOnCurve });
    let (scalars, points): (Vec<_>, Vec<_>) = Wrong::probes().into_iter().unzip();
    assert_eq!(msm(&scalars, &points).unwrap_err(), error);
}

/// Both ways to read points and scalars agree, and the fast one is in use.
fn both_ways<C: Api>() {
    let layout = Layout::of::<C>().unwrap();
    assert_eq!(layout, Layout { points: Access::Memory, scalars: Access::Memory });
    let (scalars, points): (Vec<_>, Vec<_>) = C::probes().into_iter().unzip();
    for trusted in [false, true] {
        let expected = INTERFACE.points(&points, trusted).unwrap();
        assert_eq!(layout.points(&points, trusted).unwrap(), expected);
        assert_eq!(expected.iter().filter(|point| point.is_zero()).count(), 1);
    }
    let expected = INTERFACE.scalars::<C>(&scalars).unwrap();
    assert_eq!(layout.scalars::<C>(&scalars).unwrap(), expected);
    assert_eq!(expected.iter().filter(|scalar| **scalar == ArkScalar::<C>::from(2u64)).count(), 1);
}

#[test]
fn halo2curves() {
    use halo2curves::{bn256, grumpkin, pasta, secp256k1};
    both_ways::<bn256::G1Affine>();
    both_ways::<bn256::G2Affine>();
    both_ways::<grumpkin::G1Affine>();
    both_ways::<pasta::PallasAffine>();
    both_ways::<pasta::VestaAffine>();
    both_ways::<secp256k1::Secp256k1Affine>();
}

#[cfg(feature = "axiom")]
#[test]
fn axiom() {
    use halo2curves_axiom::{bn256, grumpkin, pasta, secp256k1};
    both_ways::<bn256::G1Affine>();
    both_ways::<bn256::G2Affine>();
    both_ways::<grumpkin::G1Affine>();
    both_ways::<pasta::pallas::Affine>();
    both_ways::<pasta::vesta::Affine>();
    both_ways::<secp256k1::Secp256k1Affine>();
}

#[cfg(feature = "pasta-0-6")]
#[test]
fn pasta() {
    use pasta_curves_0_6::{pallas, vesta};
    both_ways::<pallas::Affine>();
    both_ways::<vesta::Affine>();
}

/// Points off the curve and words that are not reduced come from unchecked readers.
#[test]
fn bad_points() {
    let layout = Layout::of::<G1Affine>().unwrap();
    let mut points = vec![G1Affine::generator(); 3000];
    points[2000] = G1Affine { x: Fq::from(1), y: Fq::from(3) };
    let off_curve = Error::InvalidBase { index: 2000, reason: PointFault::NotOnCurve };
    assert_eq!(layout.points(&points, false).unwrap_err(), off_curve);
    assert_eq!(INTERFACE.points(&points, true).unwrap_err(), off_curve);
    assert_eq!(Bases::load(&Device::cpu(), &points).unwrap_err(), off_curve);

    use halo2curves::serde::SerdeObject;
    points[2000].x = Fq::from_raw_bytes_unchecked(&[255; 32]);
    let error = msm(&[Fr::from(1); 3000], &points).unwrap_err().to_string();
    assert_eq!(error, "base 2000: x is not below the modulus");
}

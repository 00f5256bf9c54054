//! Prints MSMs for the tests of the C interface, one a line: curve, form, number of points, points,
//! two vectors of scalars, the sum of each; bytes in hexadecimal. Sums are arkworks', by
//! double-and-add.

use engine::Curve;
use engine::curves::{CURVES, NamedCurve, Visitor};
use engine::packed::{Representation, write_point};
use engine::random::{Distribution, KnownBases};

use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField};

const N: usize = 20;

fn main() {
    for curve in CURVES {
        for line in curve.visit(Vectors) {
            println!("{line}");
        }
    }
}

struct Vectors;

impl Visitor for Vectors {
    type Output = Vec<String>;

    fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Vec<String> {
        let mut points = KnownBases::<C>::new(N, 11).points;
        // The neutral element, equal points, P and −P.
        points[3] = C::zero();
        points[5] = points[4];
        points[7] = (-points[6].into_group()).into_affine();
        let mut first: Vec<C::ScalarField> = Distribution::Uniform.scalars(N, 12);
        let mut second: Vec<C::ScalarField> = Distribution::Uniform.scalars(N, 13);
        (first[0], first[1]) = (C::ScalarField::ZERO, -C::ScalarField::ONE);
        (first[5], first[7]) = (first[4], first[6]);
        second[8..].fill(C::ScalarField::ZERO);
        let forms =
            [Representation::Montgomery, Representation::LittleEndian, Representation::BigEndian];
        let line = |(number, form): (usize, &Representation)| {
            let points_hex: String =
                points.iter().map(|point| hex(&packed(point, *form))).collect();
            let sum = |scalars: &[C::ScalarField]| {
                let sum: C::Group = points.iter().zip(scalars).map(|(p, k)| *p * k).sum();
                hex(&packed::<C>(&sum.into_affine(), *form))
            };
            let scalars = |scalars: &[C::ScalarField]| -> String {
                scalars.iter().map(|k| hex(&scalar(k, *form))).collect()
            };
            format!(
                "{} {number} {N} {points_hex} {} {} {} {}",
                curve.name,
                scalars(&first),
                scalars(&second),
                sum(&first),
                sum(&second)
            )
        };
        forms.iter().enumerate().map(line).collect()
    }
}

fn packed<C: Curve>(point: &C, form: Representation) -> Vec<u8> {
    let mut bytes = vec![0; engine::packed::point_bytes::<C>()];
    write_point(point, form, &mut bytes).expect("room for a point");
    bytes
}

fn scalar<F: PrimeField>(scalar: &F, form: Representation) -> Vec<u8> {
    match form {
        Representation::Montgomery => {
            let radix = F::from(2u64).pow([64 * F::BigInt::NUM_LIMBS as u64]);
            (*scalar * radix).into_bigint().to_bytes_le()
        }
        Representation::LittleEndian => scalar.into_bigint().to_bytes_le(),
        Representation::BigEndian => scalar.into_bigint().to_bytes_be(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

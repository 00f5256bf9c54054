//! MSMs over snarkVM's own types.
//!
//! 1. The type parameters have no bounds. They are compared with the types of snarkvm-curves and
//!    snarkvm-utilities; only then is a slice of one viewed as a slice of the other, which is the
//!    same type. Nothing is assumed of any layout: coordinates are read from public fields.
//! 2. Field elements are six words. That they are the Montgomery words that arkworks has is checked
//!    on values in the first call, with multiples of the generator that snarkVM computes itself.
//! 3. The MSM runs on arkworks' types, and the sum comes back through the same fields.

use std::any::type_name;
use std::mem::transmute_copy;
use std::sync::OnceLock;

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInt, PrimeField};
use bucketeer::{Bases, Scalars};
use rayon::prelude::*;
use snarkvm_curves::bls12_377::{Fq, G1Affine, G1Projective};
use snarkvm_curves::{AffineCurve, ProjectiveCurve};
use snarkvm_utilities::{BigInteger256, BitIteratorBE};

use crate::cuda::Error;

type Ark = ark_bls12_377::G1Affine;
type ArkFq = ark_bls12_377::Fq;

pub fn msm<Affine, Projective, Scalar>(
    points: &[Affine],
    scalars: &[Scalar],
) -> Result<Projective, Error> {
    let points = same_slice::<_, G1Affine>(points)?;
    let scalars = same_slice::<_, BigInteger256>(scalars)?;
    require_same::<Projective, G1Projective>()?;
    let sum = sum(points, scalars)?;
    // SAFETY: the types are the same, so this is a copy of a `Copy` value.
    Ok(unsafe { transmute_copy::<G1Projective, Projective>(&sum) })
}

/// An error unless both are the same type.
fn require_same<A, B: 'static>() -> Result<(), Error> {
    if typeid::of::<A>() == typeid::of::<B>() {
        return Ok(());
    }
    let (given, known) = (type_name::<A>(), type_name::<B>());
    Err(Error::arguments(format!("the type {given} is not the {known} that this crate knows")))
}

/// The slice as one of a type that it must be of.
fn same_slice<A, B: 'static>(slice: &[A]) -> Result<&[B], Error> {
    require_same::<A, B>()?;
    // SAFETY: the types are the same. `B` has no lifetimes that the comparison could overlook.
    Ok(unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) })
}

fn sum(points: &[G1Affine], scalars: &[BigInteger256]) -> Result<G1Projective, Error> {
    let Some(points) = points.get(..scalars.len()) else {
        let (points, scalars) = (points.len(), scalars.len());
        return Err(Error::arguments(format!("{points} points but {scalars} scalars")));
    };
    static CHECKED: OnceLock<Result<(), Error>> = OnceLock::new();
    CHECKED.get_or_init(check).clone()?;

    let device = bucketeer_ark::device()?;
    tracing::debug!(n = points.len(), %device, "an MSM of snarkVM");
    let bases: Vec<Ark> = points.par_iter().map(to_ark).collect();
    let integers: Vec<[u64; 4]> = scalars.iter().map(|scalar| scalar.0).collect();
    let words = integers.as_flattened();
    let run = |scalars| Bases::builder().msm(&device, &bases, scalars);
    let sum = match run(Scalars::canonical(words)) {
        // Integers that are not below the order are taken as they are.
        Err(bucketeer::Error::ScalarTooLarge { .. }) => run(Scalars::words(words, 4)),
        result => result,
    }?;
    Ok(to_snarkvm(&sum.into_affine()))
}

fn to_ark(point: &G1Affine) -> Ark {
    let coordinate = |x: Fq| ArkFq::new_unchecked(BigInt(x.0.0));
    if point.infinity {
        Ark::zero()
    } else {
        Ark::new_unchecked(coordinate(point.x), coordinate(point.y))
    }
}

fn to_snarkvm(point: &Ark) -> G1Projective {
    let coordinate = |x: ArkFq| {
        let mut element = Fq::default();
        element.0.0 = x.0.0;
        element
    };
    match point.xy() {
        None => G1Projective::default(),
        Some((x, y)) => G1Affine::new(coordinate(x), coordinate(y), false).to_projective(),
    }
}

/// Multiples of the generator are the same in snarkVM and in arkworks.
fn check() -> Result<(), Error> {
    let order_less_one = (-ark_bls12_377::Fr::from(1)).into_bigint().0;
    let large = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, u64::MAX, 0x0123_4567_89ab_cdef];
    let generator = G1Affine::prime_subgroup_generator();
    let ark_generator = to_ark(&generator);
    let same = ark_generator.is_on_curve()
        && [[0; 4], [1, 0, 0, 0], [2, 0, 0, 0], large, order_less_one].into_iter().all(|k| {
            let multiple = generator.mul_bits(BitIteratorBE::new(BigInteger256(k)));
            let ark_multiple = ark_generator.mul_bigint(k).into_affine();
            to_ark(&multiple.to_affine()) == ark_multiple && to_snarkvm(&ark_multiple) == multiple
        });
    let differ = "the field elements of snarkvm-curves are not those of arkworks";
    if same { Ok(()) } else { Err(Error::arguments(differ.into())) }
}

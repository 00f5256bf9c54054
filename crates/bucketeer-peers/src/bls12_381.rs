//! blst: BLS12-381's two groups, on blst's own threads.
//!
//! Points cross over in the uncompressed big-endian form that blst and arkworks share for this
//! curve, scalars as little-endian bytes, which is how blst takes them.

use ark_ff::{BigInteger, PrimeField};
use blst::{BLST_ERROR, MultiPoint};
use bucketeer::Curve;
use rayon::prelude::*;

use crate::Outcome;
use crate::rounds::{Timed, timed};

/// Bits of the group order.
const SCALAR_BITS: usize = 255;

macro_rules! group {
    ($name:ident, $bytes:literal, $affine:ident, $sum:ident, $read:ident, $write:ident) => {
        /// The MSM on this group's blst types.
        pub fn $name<C: Curve>(
            points: &[C],
            scalars: &[C::ScalarField],
        ) -> Outcome<impl Fn() -> Timed<C::Group> + use<C>> {
            let read = |point: &C| -> Outcome<blst::$affine> {
                let mut bytes = [0; $bytes];
                point.serialize_uncompressed(&mut bytes[..])?;
                let mut out = blst::$affine::default();
                // SAFETY: the function reads as many bytes as `bytes` has and writes one point.
                match unsafe { blst::$read(&mut out, bytes.as_ptr()) } {
                    BLST_ERROR::BLST_SUCCESS => Ok(out),
                    error => Err(format!("blst does not read a base: {error:?}").into()),
                }
            };
            let points: Vec<_> = points.par_iter().map(read).collect::<Outcome<_>>()?;
            let scalars = little_endian(scalars);
            Ok(move || {
                let (time, sum): (_, blst::$sum) = timed(|| points.mult(&scalars, SCALAR_BITS));
                let mut bytes = [0; $bytes];
                // SAFETY: the function reads one point and writes as many bytes as `bytes` has.
                unsafe { blst::$write(bytes.as_mut_ptr(), &sum) };
                Ok((time, C::deserialize_uncompressed_unchecked(&bytes[..])?.into()))
            })
        }
    };
}

group!(g1, 96, blst_p1_affine, blst_p1, blst_p1_deserialize, blst_p1_serialize);
group!(g2, 192, blst_p2_affine, blst_p2, blst_p2_deserialize, blst_p2_serialize);

fn little_endian<F: PrimeField>(scalars: &[F]) -> Vec<u8> {
    scalars.par_iter().flat_map_iter(|k| k.into_bigint().to_bytes_le()).collect()
}

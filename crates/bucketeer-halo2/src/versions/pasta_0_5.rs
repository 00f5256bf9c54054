//! pasta_curves 0.5.

use pasta_curves_0_5::arithmetic::{Coordinates, CurveAffine};
use pasta_curves_0_5::group::Curve;
use pasta_curves_0_5::group::ff::PrimeField;
use pasta_curves_0_5::group::prime::PrimeCurveAffine;
use pasta_curves_0_5::{pallas, vesta};

use super::{copy, point};

point! {
    pallas::Affine => ark_pallas::Affine;
    vesta::Affine => ark_vesta::Affine;
}

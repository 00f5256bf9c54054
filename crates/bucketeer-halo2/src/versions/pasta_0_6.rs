//! pasta_curves 0.6.

use pasta_curves_0_6::arithmetic::{Coordinates, CurveAffine};
use pasta_curves_0_6::group::ff::PrimeField;
use pasta_curves_0_6::group::{Curve, CurveAffine as _};
use pasta_curves_0_6::{pallas, vesta};

use super::{copy, point};

point! {
    pallas::Affine => ark_pallas::Affine;
    vesta::Affine => ark_vesta::Affine;
}

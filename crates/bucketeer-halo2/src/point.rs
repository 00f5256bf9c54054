//! Points of halo2's libraries, and what is used of their public interface.

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::SWCurveConfig;

use crate::layout;

/// An affine point type of halo2curves, halo2curves-axiom or pasta_curves, and through it a curve.
///
/// | crate, feature | point types |
/// | --- | --- |
/// | halo2curves 0.10, `halo2curves` | `bn256::{G1Affine, G2Affine}`, `grumpkin::G1Affine`, `pasta::{PallasAffine, VestaAffine}`, `secp256k1::Secp256k1Affine` |
/// | halo2curves-axiom 0.7, `axiom` | `bn256::{G1Affine, G2Affine}`, `grumpkin::G1Affine`, `pasta::{pallas, vesta}::Affine`, `secp256k1::Secp256k1Affine` |
/// | pasta_curves 0.5 and 0.6, `pasta-0-5` and `pasta-0-6` | `pallas::Affine`, `vesta::Affine` |
///
/// It cannot be implemented elsewhere: reading points from memory depends on the list.
pub trait Point: Api {}

impl<C: Api> Point for C {}

/// The public interface of a point type. Cannot be named elsewhere, which seals [`Point`].
///
/// Points cross over as the bytes of x, then y, scalars as theirs: little-endian integers below the
/// modulus. All zeros are the identity.
pub trait Api: Copy + Send + Sync + 'static {
    /// The scalar field.
    type Scalar: Copy + Send + Sync + 'static;
    /// The projective point type.
    type Curve;
    /// The same curve in arkworks.
    type Ark: bucketeer::Curve + AffineRepr<Config: SWCurveConfig>;

    /// Writes the point; `false` if it is not on the curve or does not have as many bytes.
    fn write(&self, out: &mut [u8]) -> bool;

    /// Writes a scalar; `false` if it does not have as many bytes.
    fn write_scalar(scalar: &Self::Scalar, out: &mut [u8]) -> bool;

    /// The point with these bytes; `None` if it is not on the curve.
    fn read(bytes: &[u8]) -> Option<Self::Curve>;

    /// Some scalars, and the generator times each. The first two are zero and one.
    fn probes() -> Vec<(Self::Scalar, Self)>;

    /// Where the result of the check of this type is kept.
    fn layout() -> &'static layout::Cell;
}

//! MSMs in one call, on the best device.

use crate::bases::Builder;
use crate::{AsScalars, Curve, Device, Error, Scalars};

/// `Σ kᵢ·Pᵢ` on the best device present.
///
/// Points are trusted to lie in the prime-order subgroup, as in arkworks. See
/// [`Bases`](crate::Bases) for the alternatives.
///
/// ```
/// use ark_ec::AffineRepr;
/// use ark_bls12_381::{Fr, G1Affine};
/// let bases = vec![G1Affine::generator(); 10];
/// let scalars: Vec<Fr> = (1..=10u64).map(Fr::from).collect();
/// assert_eq!(bucketeer::msm(&bases, &scalars)?, G1Affine::generator() * Fr::from(55));
/// # Ok::<(), bucketeer::Error>(())
/// ```
pub fn msm<'a, C: Curve>(
    bases: &[C],
    scalars: impl Into<Scalars<'a, C::ScalarField>>,
) -> Result<C::Group, Error> {
    Builder::default().msm(&Device::best(), bases, scalars)
}

/// Many MSMs on the best device present. Each has its own bases and scalars; lengths may differ.
/// [`Builder::msm_batch`](crate::Builder::msm_batch) takes a device.
///
/// ```
/// use ark_ec::AffineRepr;
/// use ark_bls12_381::{Fr, G1Affine};
/// let g = G1Affine::generator();
/// let sums = bucketeer::msm_batch(&[(&[g, g][..], &[1u64, 2][..]), (&[g], &[7])])?;
/// assert_eq!(sums, [g * Fr::from(3), g * Fr::from(7)]);
/// # Ok::<(), bucketeer::Error>(())
/// ```
pub fn msm_batch<C, S>(batch: &[(&[C], &S)]) -> Result<Vec<C::Group>, Error>
where
    C: Curve,
    S: AsScalars<C::ScalarField> + ?Sized + Sync,
{
    Builder::default().msm_batch(&Device::best(), batch)
}

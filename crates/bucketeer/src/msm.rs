//! MSMs in one call, on the device that is predicted to end first.

use crate::bases::Builder;
use crate::plan::{Choice, MsmSize};
use crate::{AsScalars, Curve, CurveSpec, Device, Error, Report, Scalars};

/// `Σ kᵢ·Pᵢ` on the device present that is predicted to end first: a CPU for few points, a GPU for
/// many. [`Device::best_for`] says which; [`Builder::msm`](crate::Builder::msm) takes a device.
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
    Ok(msm_with_report(bases, scalars)?.result)
}

/// [`msm`], with plan, timings and the choice of the device.
///
/// ```
/// use ark_ec::AffineRepr;
/// use ark_bls12_381::G1Affine;
/// let report = bucketeer::msm_with_report(&[G1Affine::generator(); 2], &[3u64, 4])?;
/// assert_eq!(report.result, G1Affine::generator() * ark_bls12_381::Fr::from(7));
/// println!("{:?}", report.plan.device.kind);
/// if let Some(choice) = report.choice {
///     println!("{choice}");
/// }
/// # Ok::<(), bucketeer::Error>(())
/// ```
pub fn msm_with_report<'a, C: Curve>(
    bases: &[C],
    scalars: impl Into<Scalars<'a, C::ScalarField>>,
) -> Result<Report<C>, Error> {
    let scalars = scalars.into();
    let curve = CurveSpec::of::<C>();
    let (device, choice) = Device::best_for(&curve, scalars.len(), scalars.bound());
    let report = Builder::default().msm_with_report(&device, bases, scalars)?;
    Ok(Report { choice, ..report })
}

/// Many MSMs on the device present that is predicted to end first. Each has its own bases and
/// scalars; lengths may differ. [`Builder::msm_batch`](crate::Builder::msm_batch) takes a device.
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
    let curve = CurveSpec::of::<C>();
    let sizes: Vec<_> = batch.iter().map(|(_, s)| MsmSize::of(&s.as_scalars())).collect();
    let (device, _) = Device::routed(&|devices| Choice::of_batch(&curve, &sizes, devices));
    Builder::default().msm_batch(&device, batch)
}

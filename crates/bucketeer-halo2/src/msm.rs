//! MSMs in one call.

use ark_ec::VariableBaseMSM;
use bucketeer::{Error, Scalars};
use bucketeer_ark::{Affine, Projective, Wrapper};

use crate::layout::{self, Layout};
use crate::{Point, resident};

/// `Σ kᵢ·Pᵢ`, with the signature of halo2curves' `msm_best` and halo2's `best_multiexp`.
///
/// Over bases that are [`Resident`](crate::Resident) it uses those.
///
/// ```
/// use bucketeer_halo2::msm_best;
/// use halo2curves::bn256::{Fr, G1, G1Affine};
///
/// let sum: G1 = msm_best(&[Fr::from(3), Fr::from(4)], &[G1Affine::generator(); 2]);
/// assert_eq!(sum, G1::generator() * Fr::from(7));
/// ```
///
/// # Panics
///
/// With the error's text, if the numbers of scalars and bases differ, a coordinate is not reduced
/// or the device fails. [`Settings::allow_cpu_fallback`](crate::Settings::allow_cpu_fallback) lets
/// the CPU compute what the device could not. [`msm`] returns errors.
pub fn msm_best<C: Point>(coeffs: &[C::Scalar], bases: &[C]) -> C::Curve {
    let sum = attempt(coeffs, bases, |points, scalars| {
        Ok(Projective::msm_unchecked(Affine::wrap_slice(points), scalars).0)
    });
    match sum {
        Ok(sum) => sum,
        Err(error) => panic!("bucketeer-halo2: the MSM failed: {error}"),
    }
}

/// [`msm_best`] with errors: on the device of the process or of
/// [`with_device`](crate::with_device), and never on another one.
///
/// ```
/// # use halo2curves::bn256::{Fr, G1, G1Affine};
/// use bucketeer_halo2::{Error, msm};
/// let points = [G1Affine::generator(); 2];
/// assert_eq!(msm(&[Fr::from(3), Fr::from(4)], &points)?, G1::generator() * Fr::from(7));
/// assert!(matches!(msm(&[Fr::from(3)], &points), Err(Error::LengthMismatch { .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn msm<C: Point>(scalars: &[C::Scalar], bases: &[C]) -> Result<C::Curve, Error> {
    let device = crate::device()?;
    attempt(scalars, bases, |points, scalars| {
        bucketeer::Bases::builder().msm(&device, points, Scalars::residues(scalars))
    })
}

/// The MSM over resident bases if they are, otherwise by `run` on arkworks' types.
fn attempt<C: Point>(
    scalars: &[C::Scalar],
    bases: &[C],
    run: impl FnOnce(&[C::Ark], &[layout::ArkScalar<C>]) -> Result<layout::ArkGroup<C>, Error>,
) -> Result<C::Curve, Error> {
    if scalars.len() != bases.len() {
        return Err(Error::LengthMismatch { bases: bases.len(), scalars: scalars.len() });
    }
    let layout = Layout::of::<C>()?;
    let scalars = layout.scalars::<C>(scalars)?;
    if let Some((resident, first)) = resident::find(bases) {
        tracing::debug!(n = bases.len(), first, "msm over resident bases");
        match resident.slice(first..first + bases.len()).msm(Scalars::residues(&scalars)) {
            Ok(sum) => return layout::sum::<C>(sum),
            Err(error) => tracing::warn!(%error, "an MSM over resident bases failed"),
        }
    }
    layout::sum::<C>(run(&layout.points(bases, true)?, &scalars)?)
}

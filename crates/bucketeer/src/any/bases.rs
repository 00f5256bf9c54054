//! Points of a named curve on a device.

#[cfg(feature = "io")]
use std::path::Path;

use crate::curves::NamedCurve;
use crate::packed::PackedScalars;
use crate::plan::Settings;
use crate::wait::{Pending, wait};
use crate::{Bases, Builder, Curve, Error, Hook, Plan, Report, Timings};

use super::{AnyJob, AnyScalars, AnyShare, AnySum, share};

/// How to load bases and run MSMs.
#[derive(Clone, Default)]
pub struct RunOptions {
    /// Settings of the plan.
    pub settings: Settings,
    /// Called during a run.
    pub hook: Option<Hook>,
}

impl RunOptions {
    pub(super) fn builder<C: Curve>(&self) -> Builder<C> {
        let builder = Bases::builder().settings(self.settings.clone());
        match &self.hook {
            Some(hook) => builder.on_progress(hook.clone()),
            None => builder,
        }
    }
}

/// A sum with the plan that produced it and the time each stage took.
#[derive(Debug)]
#[non_exhaustive]
pub struct AnyReport {
    /// The sum.
    pub sum: AnySum,
    /// The plan carried out.
    pub plan: Plan,
    /// Time per stage.
    pub timings: Timings,
}

impl AnyReport {
    pub(super) fn new<C: Curve>(report: Report<C>) -> Self {
        let Report { result, plan, timings, .. } = report;
        Self { sum: AnySum::new::<C>(result), plan, timings }
    }
}

/// Bases of a named curve on a device; see [`Bases`].
pub trait AnyBases: Send + Sync {
    /// How many bases there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The plan for one MSM.
    fn plan(&self) -> &Plan;

    /// [`Bases::save`].
    #[cfg(feature = "io")]
    fn save(&self, path: &Path) -> Result<(), Error>;

    /// [`Bases::msm_with_report_async`].
    fn msm_with_report_async<'a>(
        &'a self,
        scalars: &'a AnyScalars,
    ) -> Pending<'a, Result<AnyReport, Error>>;

    /// [`Bases::msm_batch_async`].
    fn msm_batch_async<'a>(
        &'a self,
        batch: &'a [AnyScalars],
    ) -> Pending<'a, Result<Vec<AnySum>, Error>>;

    /// The sum where these bases are a share of those of an MSM.
    fn share_async<'a>(&'a self, scalars: &'a AnyScalars) -> Pending<'a, Result<AnyShare, Error>>;

    /// The same for each MSM of a batch: [`AnyShare::sum`] of each.
    fn share_batch_async<'a>(
        &'a self,
        batch: &'a [AnyScalars],
    ) -> Pending<'a, Result<Vec<Vec<u8>>, Error>>;

    /// An MSM over the bases from `first` on.
    fn msm_packed(&self, first: usize, scalars: &PackedScalars<'_>) -> Result<AnyReport, Error>;

    /// Several MSMs over the bases from `first` on.
    fn msm_batch_packed(
        &self,
        first: usize,
        batch: &[PackedScalars<'_>],
    ) -> Result<Vec<AnySum>, Error>;

    /// An MSM over the bases from `first` on, in the background. The scalars are copied.
    fn submit_packed(
        &self,
        first: usize,
        scalars: &PackedScalars<'_>,
    ) -> Result<Box<dyn AnyJob>, Error>;
}

impl dyn AnyBases + '_ {
    /// [`Bases::msm_with_report`].
    pub fn msm_with_report(&self, scalars: &AnyScalars) -> Result<AnyReport, Error> {
        wait(self.msm_with_report_async(scalars))
    }

    /// [`Bases::msm_batch`].
    pub fn msm_batch(&self, batch: &[AnyScalars]) -> Result<Vec<AnySum>, Error> {
        wait(self.msm_batch_async(batch))
    }

    /// [`share_async`](AnyBases::share_async).
    pub fn share(&self, scalars: &AnyScalars) -> Result<AnyShare, Error> {
        wait(self.share_async(scalars))
    }

    /// [`share_batch_async`](AnyBases::share_batch_async).
    pub fn share_batch(&self, batch: &[AnyScalars]) -> Result<Vec<Vec<u8>>, Error> {
        wait(self.share_batch_async(batch))
    }
}

pub(super) struct Loaded<C: Curve> {
    pub(super) curve: &'static NamedCurve,
    pub(super) bases: Bases<C>,
}

impl<C: Curve> AnyBases for Loaded<C> {
    fn len(&self) -> usize {
        self.bases.len()
    }

    fn plan(&self) -> &Plan {
        self.bases.plan()
    }

    #[cfg(feature = "io")]
    fn save(&self, path: &Path) -> Result<(), Error> {
        self.bases.save(path)
    }

    fn msm_with_report_async<'a>(
        &'a self,
        scalars: &'a AnyScalars,
    ) -> Pending<'a, Result<AnyReport, Error>> {
        Box::pin(async move {
            let scalars = scalars.typed::<C>(self.curve)?;
            Ok(AnyReport::new(self.bases.msm_with_report_async(scalars).await?))
        })
    }

    fn msm_batch_async<'a>(
        &'a self,
        batch: &'a [AnyScalars],
    ) -> Pending<'a, Result<Vec<AnySum>, Error>> {
        Box::pin(async move {
            let batch = batch.iter().map(|scalars| scalars.typed::<C>(self.curve));
            let batch = batch.collect::<Result<Vec<_>, _>>()?;
            let sums = self.bases.msm_batch_async(&batch).await?;
            Ok(sums.into_iter().map(AnySum::new::<C>).collect())
        })
    }

    fn share_async<'a>(&'a self, scalars: &'a AnyScalars) -> Pending<'a, Result<AnyShare, Error>> {
        Box::pin(share::share((&self.bases, self.curve), scalars))
    }

    fn share_batch_async<'a>(
        &'a self,
        batch: &'a [AnyScalars],
    ) -> Pending<'a, Result<Vec<Vec<u8>>, Error>> {
        Box::pin(share::batch((&self.bases, self.curve), batch))
    }

    fn msm_packed(&self, first: usize, scalars: &PackedScalars<'_>) -> Result<AnyReport, Error> {
        let scalars = scalars.unpack::<C::ScalarField>()?;
        Ok(AnyReport::new(self.bases.slice(first..).msm_with_report(&scalars)?))
    }

    fn msm_batch_packed(
        &self,
        first: usize,
        batch: &[PackedScalars<'_>],
    ) -> Result<Vec<AnySum>, Error> {
        let unpacked = batch.iter().enumerate().map(|(index, scalars)| {
            scalars.unpack::<C::ScalarField>().map_err(|error| error.in_msm(index))
        });
        let batch = unpacked.collect::<Result<Vec<_>, _>>()?;
        let batch: Vec<_> = batch.iter().collect();
        let sums = self.bases.slice(first..).msm_batch(&batch)?;
        Ok(sums.into_iter().map(AnySum::new::<C>).collect())
    }

    fn submit_packed(
        &self,
        first: usize,
        scalars: &PackedScalars<'_>,
    ) -> Result<Box<dyn AnyJob>, Error> {
        let scalars = scalars.unpack::<C::ScalarField>()?.into_owned()?;
        Ok(Box::new(self.bases.slice(first..).submit(scalars)?))
    }
}

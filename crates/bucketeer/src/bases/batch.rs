//! Batches of MSMs, each over its own bases.

use super::builder::check_points;
use super::{Builder, finished};
use crate::control::{CancelToken, Control};
use crate::engine::{Msm, Placement};
use crate::plan::{BatchPlan, MsmSize, Request};
use crate::sum::Sum;
use crate::wait::wait;
use crate::{AsScalars, Curve, CurveSpec, Device, Error, Scalars};

impl<C: Curve> Builder<C> {
    /// Many MSMs on a device. Each has its own bases and scalars; lengths may differ.
    pub fn msm_batch<S>(
        &self,
        device: &Device,
        batch: &[(&[C], &S)],
    ) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        wait(self.msm_batch_async(device, batch))
    }

    /// [`msm_batch`](Self::msm_batch) without blocking, for WebGPU in a browser.
    pub async fn msm_batch_async<S>(
        &self,
        device: &Device,
        batch: &[(&[C], &S)],
    ) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        // Called once: a second call could return another length.
        let batch: Vec<_> = batch.iter().map(|(bases, s)| (*bases, s.as_scalars())).collect();
        finished(self.batch_sums(device, &batch).await?)
    }

    pub(super) async fn batch_sums(
        &self,
        device: &Device,
        batch: &[(&[C], Scalars<'_, C::ScalarField>)],
    ) -> Result<Vec<Sum<C>>, Error> {
        #[cfg(feature = "ranks")]
        if let Some(member) = device.member() {
            return self.batch_on_ranks(member, batch);
        }
        for (index, (bases, scalars)) in batch.iter().enumerate() {
            let (bases, scalars) = (bases.len(), scalars.len());
            if bases != scalars {
                return Err(Error::LengthMismatch { bases, scalars }.in_msm(index));
            }
        }
        if self.check_subgroup {
            for (index, (bases, _)) in batch.iter().enumerate() {
                check_points(device, bases).map_err(|error| error.in_msm(index))?;
            }
        }
        let sums = self.batch_once(device, batch).await?;
        self.verify_batch(device, batch, &sums).await?;
        Ok(sums)
    }

    /// The same without checks and verification.
    pub(super) async fn batch_once(
        &self,
        device: &Device,
        batch: &[(&[C], Scalars<'_, C::ScalarField>)],
    ) -> Result<Vec<Sum<C>>, Error> {
        if !device.parts().is_empty() {
            return self.batch_shares(device, batch);
        }
        let sizes: Vec<_> = batch.iter().map(|(_, scalars)| MsmSize::of(scalars)).collect();
        let curve = CurveSpec::of::<C>();
        let request = Request::new(&curve, 0, device.facts()).settings(&self.settings);
        let plan = BatchPlan::own_bases(&request, &sizes, &|n| self.settings_for(n))?;
        let Some(any) = plan.first() else { return Ok(Vec::new()) };
        let engine = device.engine::<C>(any)?;
        let msms: Vec<_> = batch
            .iter()
            .map(|(bases, scalars)| Msm { bases: Placement::Borrowed(bases), scalars: *scalars })
            .collect();
        let control = Control::new(self.hook.clone(), CancelToken::default(), 0);
        engine.run_batch(&plan, &msms, &control).await
    }
}

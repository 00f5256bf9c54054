//! Batches: side by side on a CPU, in one plan on a GPU.

use super::{Builder, finished};
use crate::control::{CancelToken, Control};
use crate::device::DeviceKind;
use crate::engine::Source;
use crate::plan::{Plan, Request, ScalarBound};
use crate::sum::Sum;
use crate::wait::wait;
use crate::{AsScalars, Curve, CurveSpec, Device, Error, Scalars, parallel};

/// Longest MSMs of a batch that are run side by side; longer ones fill the device by themselves.
pub(super) const SIDE_BY_SIDE: usize = 1 << 14;

/// Runs the MSMs of a batch, side by side or one after the other; an error names its place.
pub(super) fn in_batch<T: Sync, R: Send>(
    device: &Device,
    batch: &[T],
    side_by_side: bool,
    run: impl Fn(&Device, &T) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    let share = device.shared_by(if side_by_side { batch.len() } else { 1 });
    let one = |(index, item)| {
        run(&share, item).map_err(|source| Error::Batch { index, source: Box::new(source) })
    };
    if !side_by_side {
        return batch.iter().enumerate().map(one).collect();
    }
    device.install(|| parallel::map(batch.len(), |i| one((i, &batch[i]))).into_iter().collect())
}

/// What is known of all scalars of a batch; `None` if there are fewer than two or they differ.
pub(super) fn common_bound<F>(scalars: &[Scalars<'_, F>]) -> Option<ScalarBound> {
    let (first, rest) = scalars.split_first().filter(|(_, rest)| !rest.is_empty())?;
    rest.iter().all(|s| s.bound() == first.bound()).then_some(first.bound())
}

impl<C: Curve> Builder<C> {
    /// Many MSMs on a device, each with bases and scalars of its own, of any lengths.
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

    /// [`msm_batch`](Self::msm_batch) where nothing may block: for WebGPU in a browser.
    pub async fn msm_batch_async<S>(
        &self,
        device: &Device,
        batch: &[(&[C], &S)],
    ) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        // Asked for once: nobody says that the next answer has the same length.
        let batch: Vec<_> = batch.iter().map(|(bases, s)| (*bases, s.as_scalars())).collect();
        finished(self.batch_sums(device, &batch).await?)
    }

    async fn batch_sums(
        &self,
        device: &Device,
        batch: &[(&[C], Scalars<'_, C::ScalarField>)],
    ) -> Result<Vec<Sum<C>>, Error> {
        let small = batch.iter().all(|(bases, _)| bases.len() <= SIDE_BY_SIDE);
        if small && device.kind() != DeviceKind::Cpu && device.parts().is_empty() {
            return self.small_batch(device, batch).await;
        }
        self.each(device, batch, small).await
    }

    /// The MSMs of a batch, each with a plan of its own.
    async fn each(
        &self,
        device: &Device,
        batch: &[(&[C], Scalars<'_, C::ScalarField>)],
        side_by_side: bool,
    ) -> Result<Vec<Sum<C>>, Error> {
        if device.kind() != DeviceKind::WebGpu {
            let side_by_side = side_by_side && self.settings.memory_limit.is_none();
            return in_batch(device, batch, side_by_side, |device, (bases, scalars)| {
                Ok(self.run(device, bases, scalars, CancelToken::default())?.sum)
            });
        }
        let mut sums = Vec::with_capacity(batch.len());
        for (index, (bases, scalars)) in batch.iter().enumerate() {
            let part = self.run_async(device, bases, scalars, CancelToken::default()).await;
            let named = |source| Error::Batch { index, source: Box::new(source) };
            sums.push(part.map_err(named)?.sum);
        }
        Ok(sums)
    }

    /// A batch of small MSMs on a GPU: as many at once as make a large one.
    async fn small_batch(
        &self,
        device: &Device,
        batch: &[(&[C], Scalars<'_, C::ScalarField>)],
    ) -> Result<Vec<Sum<C>>, Error> {
        const AT_ONCE: usize = 1 << 22;
        let longest = batch.iter().map(|(bases, _)| bases.len()).max().unwrap_or(0).max(1);
        let mut sums = Vec::with_capacity(batch.len());
        for part in batch.chunks(AT_ONCE / longest) {
            let result = match self.padded_batch(device, part, longest).await {
                Some(result) => result,
                None => self.each(device, part, false).await,
            };
            sums.extend(result.map_err(|error| error.in_batch_from(sums.len()))?);
        }
        Ok(sums)
    }

    /// MSMs filled up to one length with infinities and zeros, in one plan; `None` where that cannot be.
    async fn padded_batch(
        &self,
        device: &Device,
        batch: &[(&[C], Scalars<'_, C::ScalarField>)],
        length: usize,
    ) -> Option<Result<Vec<Sum<C>>, Error>> {
        let scalars: Vec<_> = batch.iter().map(|(_, scalars)| *scalars).collect();
        let bound = common_bound(&scalars)?;
        let paired = batch.iter().zip(&scalars).all(|((bases, _), s)| bases.len() == s.len());
        if !paired || self.check_subgroup {
            return None;
        }
        let mut points = vec![C::zero(); batch.len() * length];
        for ((bases, _), own) in batch.iter().zip(points.chunks_mut(length)) {
            own[..bases.len()].copy_from_slice(bases);
        }
        let settings = self.settings_for(length);
        let plan = Plan::new(&Request {
            curve: &CurveSpec::of::<C>(),
            n: length,
            batch: batch.len(),
            scalars: bound,
            resident: false,
            table: None,
            device: device.facts(),
            settings: &settings,
        });
        let digits = |plan: &Plan| u64::from(plan.shape.windows) * points.len() as u64;
        let prepared = plan.and_then(|plan| Ok((device.engine::<C>(&plan)?, plan)));
        let (engine, plan) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return Some(Err(error)),
        };
        let control = Control::new(self.hook.clone(), CancelToken::default(), digits(&plan));
        let source = Source::Borrowed(&points[..]);
        Some(engine.run_batch_async(&plan, source, &scalars, &control)?.await)
    }
}

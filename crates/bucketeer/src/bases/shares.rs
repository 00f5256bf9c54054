//! Bases shared by several devices: a range on each, with a plan of its own; sums are added.

use std::ops::Range;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

use super::{Bases, Builder, Held, Inner, Report};
use crate::control::CancelToken;
use crate::{AsScalars, Curve, CurveSpec, Device, Error, Scalars};

impl<C: Curve> Builder<C> {
    /// Loads a range of the bases onto each of several devices.
    pub(super) fn load_shares(&self, device: &Device, points: &[C]) -> Result<Bases<C>, Error> {
        let parts = device.parts();
        let ranges = shares(points.len(), parts.len());
        let loaded = in_shares(&ranges, |index, range| {
            self.for_share(index).load(&parts[index], &points[range.clone()])
        })?;
        let mut plan = loaded[0].plan().clone();
        plan.n = points.len();
        let (device, hook) = (device.clone(), self.hook.clone());
        let (curve, settings) = (CurveSpec::of::<C>(), self.settings_for(points.len()));
        let held = Held::Shares(ranges.into_iter().zip(loaded).collect());
        Ok(Bases { inner: Arc::new(Inner { device, curve, settings, plan, held, hook }) })
    }

    /// One MSM over borrowed bases, a range of them on each of several devices.
    pub(super) fn run_shares(
        &self,
        device: &Device,
        points: &[C],
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Report<C>, Error> {
        let parts = device.parts();
        let reports = in_shares(&shares(points.len(), parts.len()), |index, range| {
            let (points, scalars) = (&points[range.clone()], scalars.slice(range));
            self.for_share(index).run(&parts[index], points, &scalars, cancel.clone())
        })?;
        Report::sum(reports)
    }
}

/// `n` bases in equal ranges.
fn shares(n: usize, parts: usize) -> Vec<Range<usize>> {
    (0..parts).map(|i| i * n / parts..(i + 1) * n / parts).collect()
}

/// Runs one share on each device, side by side.
pub(super) fn in_shares<R: Send>(
    ranges: &[Range<usize>],
    run: impl Fn(usize, &Range<usize>) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    std::thread::scope(|scope| {
        let run = &run;
        let spawn = |(index, range)| {
            let own: &Range<usize> = range;
            // An error names the place in the whole.
            scope.spawn(move || run(index, own).map_err(|error| error.in_share_from(own.start)))
        };
        let threads: Vec<_> = ranges.iter().enumerate().map(spawn).collect();
        threads.into_iter().map(joined).collect()
    })
}

fn joined<R>(thread: ScopedJoinHandle<'_, Result<R, Error>>) -> Result<R, Error> {
    thread.join().unwrap_or_else(|_| Err(Error::Internal("a share's thread panicked".into())))
}

/// A batch over bases in shares: each device computes all MSMs on its range.
pub(super) fn batch_in_shares<C: Curve, S>(
    bases: &[(Range<usize>, Bases<C>)],
    batch: &[&S],
) -> Result<Vec<C::Group>, Error>
where
    S: AsScalars<C::ScalarField> + ?Sized + Sync,
{
    let ranges: Vec<_> = bases.iter().map(|(range, _)| range.clone()).collect();
    let sums = in_shares(&ranges, |index, range| {
        let own: Vec<_> = batch.iter().map(|scalars| scalars.as_scalars().slice(range)).collect();
        bases[index].1.msm_batch(&own.iter().collect::<Vec<_>>())
    })?;
    let add = |mut total: Vec<C::Group>, share: Vec<C::Group>| {
        total.iter_mut().zip(share).for_each(|(sum, own)| *sum += own);
        total
    };
    sums.into_iter().reduce(add).ok_or_else(|| Error::Internal("a batch without shares".into()))
}

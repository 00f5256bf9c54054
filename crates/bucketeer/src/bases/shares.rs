//! Bases shared by several devices: a range on each, with a plan of its own; sums are added.

use std::ops::Range;
use std::sync::Arc;

use super::{Bases, Builder, Held, Inner, Partial};
use crate::control::CancelToken;
use crate::sum::Sum;
use crate::threads::side_by_side;
use crate::wait::wait;
use crate::{Curve, CurveSpec, Device, Error, Scalars};

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
    ) -> Result<Partial<C>, Error> {
        let parts = device.parts();
        let reports = in_shares(&shares(points.len(), parts.len()), |index, range| {
            let (points, scalars) = (&points[range.clone()], scalars.slice(range));
            self.for_share(index).run(&parts[index], points, &scalars, cancel.clone())
        })?;
        Partial::total(reports)
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
    let shares = side_by_side(ranges.len(), "a share", |index| {
        let own = &ranges[index];
        // An error names the place in the whole.
        run(index, own).map_err(|error| error.in_share_from(own.start))
    });
    shares.into_iter().collect()
}

/// A batch over bases in shares: each device computes all MSMs on its range.
pub(super) fn batch_in_shares<C: Curve>(
    bases: &[(Range<usize>, Bases<C>)],
    batch: &[Scalars<'_, C::ScalarField>],
) -> Result<Vec<Sum<C>>, Error> {
    let ranges: Vec<_> = bases.iter().map(|(range, _)| range.clone()).collect();
    let shares = in_shares(&ranges, |index, range| {
        let own: Vec<_> = batch.iter().map(|scalars| scalars.slice(range)).collect();
        wait(bases[index].1.batch_sums(&own))
    })?;
    let mut shares: Vec<_> = shares.into_iter().map(Vec::into_iter).collect();
    let parts = |_| shares.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>();
    batch.iter().map(parts).map(Sum::total).collect()
}

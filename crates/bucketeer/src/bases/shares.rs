//! Bases on several devices. Each holds a range of them, with its own plan; their sums are added.

use std::ops::Range;

use super::{Bases, BasesSlice, Builder, Held, Inner, Partial};
use crate::control::CancelToken;
use crate::sum::Sum;
use crate::threads::concurrently;
use crate::wait::wait;
use crate::{Curve, Device, Error, Scalars};

impl<C: Curve> Builder<C> {
    /// Loads a range of the bases onto each of several devices.
    pub(super) fn load_shares(&self, device: &Device, points: &[C]) -> Result<Inner<C>, Error> {
        let parts = device.parts();
        let ranges = shares(points.len(), parts.len());
        let loaded = in_shares(&ranges, |index, range| {
            self.for_share(index).load(&parts[index], &points[range.clone()])
        })?;
        let mut plan = loaded[0].plan().clone();
        plan.n = points.len();
        let held = Held::Shares(ranges.into_iter().zip(loaded).collect());
        let settings = self.settings_for(points.len());
        let scalars = self.scalar_bound();
        Ok(Inner::new(device, settings, plan, scalars, held, self.hook.clone()))
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
            wait(self.for_share(index).run(&parts[index], points, &scalars, cancel.clone()))
        })?;
        Partial::total(reports)
    }

    /// A batch of MSMs, each over its own bases. Every device computes a range of every MSM.
    pub(super) fn batch_shares(
        &self,
        device: &Device,
        batch: &[(&[C], Scalars<'_, C::ScalarField>)],
    ) -> Result<Vec<Sum<C>>, Error> {
        let parts = device.parts();
        let range = |index: usize, n: usize| shares(n, parts.len())[index].clone();
        let sums = concurrently(parts.len(), "a share", |index| {
            let mut own = Vec::with_capacity(batch.len());
            for (bases, scalars) in batch {
                let range = range(index, bases.len());
                own.push((&bases[range.clone()], scalars.slice(&range)));
            }
            let sums = wait(self.for_share(index).batch_sums(&parts[index], &own));
            sums.map_err(|error| match error {
                Error::Batch { index: msm, source } => {
                    let first = range(index, batch[msm].0.len()).start;
                    source.in_share_from(first).in_msm(msm)
                }
                other => other,
            })
        });
        totals(sums.into_iter().collect::<Result<_, _>>()?, batch.len())
    }
}

/// The sums of a batch from those of its shares.
pub(super) fn totals<C: Curve>(
    shares: Vec<Vec<Sum<C>>>,
    msms: usize,
) -> Result<Vec<Sum<C>>, Error> {
    let mut shares: Vec<_> = shares.into_iter().map(Vec::into_iter).collect();
    let parts = |_| shares.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>();
    (0..msms).map(parts).map(Sum::total).collect()
}

/// `n` bases in equal ranges.
fn shares(n: usize, parts: usize) -> Vec<Range<usize>> {
    (0..parts).map(|i| i * n / parts..(i + 1) * n / parts).collect()
}

/// Runs one share on each device, concurrently.
pub(super) fn in_shares<R: Send>(
    ranges: &[Range<usize>],
    run: impl Fn(usize, &Range<usize>) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    let shares = concurrently(ranges.len(), "a share", |index| {
        let own = &ranges[index];
        // An error has the index in the whole input.
        run(index, own).map_err(|error| error.in_share_from(own.start))
    });
    shares.into_iter().collect()
}

/// One MSM over bases in shares, from place `first` on: each device sums up those it has.
pub(super) fn run_in_shares<C: Curve>(
    shares: &[(Range<usize>, Bases<C>)],
    first: usize,
    scalars: &Scalars<'_, C::ScalarField>,
    cancel: &CancelToken,
) -> Result<Partial<C>, Error> {
    let parts = in_shares(&scalar_ranges(shares, first, scalars.len()), |index, range| {
        let own = slice_of(&shares[index], first, range);
        wait(own.run(&scalars.slice(range), None, cancel.clone()))
    })?;
    Partial::total(parts)
}

/// A batch over bases in shares: each device computes all MSMs on its range.
pub(super) fn batch_in_shares<C: Curve>(
    shares: &[(Range<usize>, Bases<C>)],
    first: usize,
    batch: &[Scalars<'_, C::ScalarField>],
) -> Result<Vec<Sum<C>>, Error> {
    let longest = batch.iter().map(Scalars::len).max().unwrap_or(0);
    let sums = in_shares(&scalar_ranges(shares, first, longest), |index, range| {
        let own: Vec<_> = batch.iter().map(|scalars| scalars.slice(range)).collect();
        wait(slice_of(&shares[index], first, range).batch_sums(&own))
    })?;
    totals(sums, batch.len())
}

/// For each share the range of `n` scalars whose bases it has, if these begin at place `first`.
pub(super) fn scalar_ranges<C: Curve>(
    shares: &[(Range<usize>, Bases<C>)],
    first: usize,
    n: usize,
) -> Vec<Range<usize>> {
    let own = |(share, _): &(Range<usize>, Bases<C>)| {
        let start = share.start.clamp(first, first + n);
        start - first..share.end.clamp(start, first + n) - first
    };
    shares.iter().map(own).collect()
}

/// The bases of a share for a range of scalars.
pub(super) fn slice_of<'a, C: Curve>(
    (share, bases): &'a (Range<usize>, Bases<C>),
    first: usize,
    scalars: &Range<usize>,
) -> BasesSlice<'a, C> {
    let start = (first + scalars.start).clamp(share.start, share.end) - share.start;
    bases.slice(start..start + scalars.len())
}

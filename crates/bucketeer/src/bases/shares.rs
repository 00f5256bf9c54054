//! Bases shared by several devices: a range on each, with a plan of its own; sums are added.

use std::ops::Range;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

use super::{Bases, Builder, Held, Inner, Partial};
use crate::control::{CancelToken, panic_message};
use crate::sum::Sum;
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

/// Runs one share on each device, side by side; on this thread where the system starts no other.
pub(super) fn in_shares<R: Send>(
    ranges: &[Range<usize>],
    run: impl Fn(usize, &Range<usize>) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    // An error names the place in the whole.
    let run = |index: usize, own: &Range<usize>| {
        run(index, own).map_err(|error| error.in_share_from(own.start))
    };
    std::thread::scope(|scope| {
        let run = &run;
        let start = |(index, own)| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, move || run(index, own));
            (index, own, thread)
        };
        let shares: Vec<_> = ranges.iter().enumerate().map(start).collect();
        let finish = |(index, own, thread): (_, _, std::io::Result<ScopedJoinHandle<'_, _>>)| {
            thread.map_or_else(|_| run(index, own), joined)
        };
        shares.into_iter().map(finish).collect()
    })
}

fn joined<R>(thread: ScopedJoinHandle<'_, Result<R, Error>>) -> Result<R, Error> {
    thread.join().unwrap_or_else(|panic| {
        let panic = panic_message(&*panic);
        Err(Error::Internal(format!("a share's thread panicked: {panic}")))
    })
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

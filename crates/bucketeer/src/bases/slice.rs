//! Ranges of resident bases, and MSMs over them.

use std::fmt;
use std::ops::{Bound, RangeBounds};

use super::shares::{batch_in_shares, run_in_shares};
use super::{Bases, Held, Partial, execute, finished};
use crate::control::{CancelToken, Control};
use crate::engine::{Msm, Placement};
use crate::plan::{BatchPlan, MsmSize, ScalarBound};
use crate::report::Report;
use crate::sum::Sum;
use crate::wait::wait;
use crate::{AsScalars, Curve, Error, Job, Scalars};

/// A range of resident bases, made by [`Bases::slice`]. Cheap to copy.
pub struct BasesSlice<'a, C: Curve> {
    bases: &'a Bases<C>,
    range: Checked,
}

/// A range of bases, or a requested range that is out of bounds.
#[derive(Debug, Clone, Copy)]
enum Checked {
    Within { start: usize, end: usize },
    Outside { start: usize, end: usize, bases: usize },
}

impl<C: Curve> Clone for BasesSlice<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Curve> Copy for BasesSlice<'_, C> {}

impl<C: Curve> fmt::Debug for BasesSlice<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BasesSlice({:?} of {:?})", self.range, self.bases)
    }
}

impl<'a, C: Curve> From<&'a Bases<C>> for BasesSlice<'a, C> {
    fn from(bases: &'a Bases<C>) -> Self {
        Self::of(bases)
    }
}

impl<'a, C: Curve> BasesSlice<'a, C> {
    /// All of them.
    pub(super) fn of(bases: &'a Bases<C>) -> Self {
        Self { bases, range: Checked::Within { start: 0, end: bases.len() } }
    }

    /// The bases that this is a range of.
    pub fn bases(&self) -> &'a Bases<C> {
        self.bases
    }

    /// The number of bases; zero if the range is out of bounds.
    pub fn len(&self) -> usize {
        match self.range {
            Checked::Within { start, end } => end - start,
            Checked::Outside { .. } => 0,
        }
    }

    /// Whether there are no bases.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A range of this range, counted from its first base.
    #[must_use]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Self {
        let Checked::Within { start: own, .. } = self.range else { return *self };
        let bases = self.len();
        let start = match range.start_bound() {
            Bound::Included(start) => *start,
            Bound::Excluded(before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(last) => last.saturating_add(1),
            Bound::Excluded(end) => *end,
            Bound::Unbounded => bases,
        };
        let range = match start <= end && end <= bases {
            true => Checked::Within { start: own + start, end: own + end },
            false => Checked::Outside { start, end, bases },
        };
        Self { range, ..*self }
    }

    /// `Σ kᵢ·Pᵢ`. Fewer scalars than bases use the first bases.
    pub fn msm<'s>(
        &self,
        scalars: impl Into<Scalars<'s, C::ScalarField>>,
    ) -> Result<C::Group, Error> {
        Ok(self.msm_with_report(scalars)?.result)
    }

    /// [`msm`](Self::msm), with plan and timings.
    pub fn msm_with_report<'s>(
        &self,
        scalars: impl Into<Scalars<'s, C::ScalarField>>,
    ) -> Result<Report<C>, Error> {
        wait(self.run(&scalars.into(), None, CancelToken::default()))?.finish()
    }

    /// [`msm_with_report`](Self::msm_with_report) without blocking, for WebGPU in a browser.
    pub async fn msm_with_report_async<'s>(
        &self,
        scalars: impl Into<Scalars<'s, C::ScalarField>>,
    ) -> Result<Report<C>, Error> {
        let scalars = scalars.into();
        self.run(&scalars, None, CancelToken::default()).await?.finish()
    }

    /// One MSM per element of `batch`, all over these bases. Fewer scalars than bases use the first
    /// bases.
    pub fn msm_batch<S>(&self, batch: &[&S]) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        wait(self.msm_batch_async(batch))
    }

    /// [`msm_batch`](Self::msm_batch) without blocking, for WebGPU in a browser.
    pub async fn msm_batch_async<S>(&self, batch: &[&S]) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        // Called once: a second call could return another length.
        let scalars: Vec<_> = batch.iter().map(|scalars| scalars.as_scalars()).collect();
        finished(self.batch_sums(&scalars).await?)
    }

    /// Starts an MSM in the background. The job owns the scalars and keeps the bases alive.
    pub fn submit<S>(&self, scalars: S) -> Result<Job<C>, Error>
    where
        S: AsScalars<C::ScalarField> + Send + 'static,
    {
        #[cfg(feature = "ranks")]
        if let Held::Rank(held) = &self.bases.inner.held {
            return held.submit(self, scalars);
        }
        let n = scalars.as_scalars().len();
        self.place(n)?;
        let (bases, range) = (self.bases.clone(), self.range);
        Job::spawn(move |cancel| {
            let scalars = scalars.as_scalars();
            let slice = BasesSlice { bases: &bases, range };
            // A second call may return another length.
            let report = match scalars.len() == n {
                true => wait(slice.run(&scalars, None, cancel)).and_then(Partial::finish),
                false => Err(Error::LengthMismatch { bases: n, scalars: scalars.len() }),
            };
            Box::new(move || report)
        })
    }

    /// The place of the first base, for this many scalars.
    pub(super) fn place(&self, scalars: usize) -> Result<usize, Error> {
        match self.range {
            Checked::Outside { start, end, bases } => {
                Err(Error::InvalidRange { start, end, bases })
            }
            Checked::Within { start, end } if scalars <= end - start => Ok(start),
            Checked::Within { .. } => Err(Error::LengthMismatch { bases: self.len(), scalars }),
        }
    }

    /// The place of the first base, for each MSM of a batch.
    pub(super) fn places(&self, batch: &[Scalars<'_, C::ScalarField>]) -> Result<usize, Error> {
        for (index, scalars) in batch.iter().enumerate() {
            self.place(scalars.len()).map_err(|error| error.in_msm(index))?;
        }
        self.place(0)
    }

    /// One MSM, on a number of the device's threads or on all of them.
    pub(super) async fn run(
        &self,
        scalars: &Scalars<'_, C::ScalarField>,
        threads: Option<usize>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        let run = self.run_once(scalars, threads, cancel.clone()).await?;
        let (batch, sums) = (std::slice::from_ref(scalars), std::slice::from_ref(&run.sum));
        self.verify(self.place(scalars.len())?, batch, sums, (threads, cancel)).await?;
        Ok(run)
    }

    /// The same without verification.
    pub(super) async fn run_once(
        &self,
        scalars: &Scalars<'_, C::ScalarField>,
        threads: Option<usize>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        let inner = &*self.bases.inner;
        let first = self.place(scalars.len());
        let (engine, first) = match &inner.held {
            Held::Engine { engine, .. } => (engine, first?),
            Held::Shares(shares) => return run_in_shares(shares, first?, scalars, &cancel),
            // An error of one rank is an error of all.
            #[cfg(feature = "ranks")]
            Held::Rank(held) => return held.run(self, scalars, cancel),
        };
        let plan = self.bases.plan_for(scalars.len(), scalars.bound(), threads)?;
        inner.device.check_threads()?;
        execute(&**engine, plan, self.one(first, *scalars), &inner.hook, cancel).await
    }

    /// The sums of a batch.
    pub(super) async fn batch_sums(
        &self,
        batch: &[Scalars<'_, C::ScalarField>],
    ) -> Result<Vec<Sum<C>>, Error> {
        let sums = self.batch_once(batch).await?;
        self.verify(self.place(0)?, batch, &sums, (None, CancelToken::default())).await?;
        Ok(sums)
    }

    /// The same without verification.
    async fn batch_once(
        &self,
        batch: &[Scalars<'_, C::ScalarField>],
    ) -> Result<Vec<Sum<C>>, Error> {
        let inner = &*self.bases.inner;
        let first = self.places(batch);
        let (engine, first) = match &inner.held {
            Held::Shares(shares) => return batch_in_shares(shares, first?, batch),
            Held::Engine { engine, .. } => (engine, first?),
            #[cfg(feature = "ranks")]
            Held::Rank(held) => return held.batch(self, batch),
        };
        inner.device.check_threads()?;
        let msms: Vec<_> = batch.iter().map(|scalars| self.one(first, *scalars)).collect();
        let sizes: Vec<_> = batch.iter().map(MsmSize::of).collect();
        let request = self.bases.request(self.len(), ScalarBound::Order);
        let plan = BatchPlan::shared_bases(&request, first, &sizes)?;
        let control = Control::new(inner.hook.clone(), CancelToken::default(), 0);
        engine.run_batch(&plan, &msms, &control).await
    }

    /// An MSM over the bases from place `first` on, for the engine.
    fn one<'s>(&self, first: usize, scalars: Scalars<'s, C::ScalarField>) -> Msm<'s, C>
    where
        'a: 's,
    {
        let bases = match &self.bases.inner.held {
            Held::Engine { streamed: Some(points), .. } => {
                Placement::Borrowed(&points[first..first + scalars.len()])
            }
            _ => Placement::Resident { first },
        };
        Msm { bases, scalars }
    }
}

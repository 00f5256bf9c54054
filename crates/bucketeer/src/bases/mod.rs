//! Bases on a device, and MSMs over them.

mod batch;
mod builder;
#[cfg(feature = "ranks")]
mod over_ranks;
mod several;
mod shares;
mod slice;
#[cfg(feature = "io")]
mod stored;
mod verified;

pub use builder::Builder;
#[cfg(feature = "ranks")]
use over_ranks::RankShare;
#[cfg(all(feature = "io", feature = "ranks"))]
pub(crate) use over_ranks::{exchange_sum, speeds};
pub use several::{Batch, Sums, Ticket, msm_resident};
pub use slice::BasesSlice;
#[cfg(feature = "io")]
pub(crate) use stored::StoredTable;

use std::ops::{Range, RangeBounds};
use std::sync::{Arc, Mutex, PoisonError};

use crate::control::{CancelToken, Control, Hook};
use crate::engine::{Engine, Msm};
use crate::plan::{Plan, Request, ScalarBound, Settings, Table};
use crate::report::{Report, Timings};
use crate::sum::Sum;
use crate::verify::Verifier;
use crate::{AsScalars, Curve, CurveSpec, Device, Error, Job, Scalars};

/// Bases resident on a device, ready for any number of MSMs. Cheap to clone.
///
/// ```
/// use ark_ec::{AffineRepr, CurveGroup};
/// use ark_bls12_377::{Fr, G1Affine};
/// use bucketeer::{Bases, Device};
///
/// let g = G1Affine::generator();
/// let points = vec![g, (g + g).into_affine(), G1Affine::identity()];
/// let bases = Bases::load(&Device::cpu(), &points)?;
/// let sum = bases.msm(&[Fr::from(5), Fr::from(7), Fr::from(9)])?;
/// assert_eq!(sum, g * Fr::from(5 + 2 * 7));
/// let sums = bases.msm_batch(&[&[1u64, 1, 1], &[0, 1, 0]])?;
/// assert_eq!(sums, [g * Fr::from(3), g * Fr::from(2)]);
/// # Ok::<(), bucketeer::Error>(())
/// ```
///
/// # Trusted points
///
/// Like arkworks' own endomorphism code, this API trusts that an `Affine` value lies in the
/// prime-order subgroup. [`Builder::any_point`] is right for every point of the curve, at the cost
/// of what relies on the subgroup. [`Builder::check_subgroup`] checks the points when they are
/// loaded.
pub struct Bases<C: Curve> {
    inner: Arc<Inner<C>>,
}

struct Inner<C: Curve> {
    device: Device,
    curve: Arc<CurveSpec>,
    /// The settings of runs. Their memory limit is what the table leaves.
    settings: Settings,
    /// The plan that the bases were loaded with.
    plan: Plan,
    /// The table that they are in, if they are resident.
    table: Table,
    /// The scalars that the table was made for, which a file of it says.
    #[cfg_attr(not(feature = "io"), allow(dead_code))]
    table_scalars: ScalarBound,
    /// The plan of the last run, and what it was made for. Planning takes 11 µs at n = 2^8 on a CPU
    /// (`bucketeer plan --json`), 1 % of the run.
    last_plan: Mutex<Option<(PlanKey, Plan)>>,
    held: Held<C>,
    hook: Option<Hook>,
    /// Verifies runs, if requested.
    verifier: Option<Verifier<C>>,
}

/// What the plans of runs over the same bases differ by: the number of scalars, their bound, and
/// the threads.
type PlanKey = (usize, ScalarBound, usize);

/// Where bases are held.
enum Held<C: Curve> {
    /// In an engine. `streamed` has the bases if their table did not fit; every run converts them
    /// chunk by chunk.
    Engine { engine: Box<dyn Engine<C>>, streamed: Option<Vec<C>> },
    /// In shares, one per device.
    Shares(Vec<(Range<usize>, Bases<C>)>),
    /// This rank's share.
    #[cfg(feature = "ranks")]
    Rank(Box<RankShare<C>>),
}

impl<C: Curve> Inner<C> {
    fn new(
        device: &Device,
        settings: Settings,
        plan: Plan,
        scalars: ScalarBound,
        held: Held<C>,
        hook: Option<Hook>,
    ) -> Self {
        let table = (plan.table(), scalars);
        Self::on_table(device, settings, plan, table, held, hook)
    }

    /// On a table that may hold more than the plan for one MSM uses.
    fn on_table(
        device: &Device,
        mut settings: Settings,
        plan: Plan,
        (own, table_scalars): (Table, ScalarBound),
        held: Held<C>,
        hook: Option<Hook>,
    ) -> Self {
        let table = if plan.resident { plan.table_bytes() } else { 0 };
        settings.memory_limit = settings.memory_limit.map(|limit| limit.saturating_sub(table));
        let (device, curve) = (device.clone(), CurveSpec::of::<C>());
        Self {
            device,
            curve,
            settings,
            plan,
            table: own,
            table_scalars,
            last_plan: Mutex::default(),
            held,
            hook,
            verifier: None,
        }
    }
}

impl<C: Curve> Clone for Bases<C> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<C: Curve> std::fmt::Debug for Bases<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bases({} on {})", self.len(), self.inner.device)
    }
}

/// A report whose sum is still in its engine's coordinates.
pub(crate) struct Partial<C: Curve> {
    pub(crate) sum: Sum<C>,
    pub(crate) plan: Plan,
    pub(crate) timings: Timings,
}

impl<C: Curve> Partial<C> {
    fn finish(self) -> Result<Report<C>, Error> {
        let Self { sum, plan, timings } = self;
        Ok(Report { result: sum.into_group()?, plan, timings, choice: None })
    }

    /// The report of a run on several devices: sums are added, each stage counts as its longest
    /// share.
    fn total(parts: Vec<Self>) -> Result<Self, Error> {
        let mut sums = Vec::with_capacity(parts.len());
        let mut whole: Option<(Plan, Timings)> = None;
        for Self { sum, plan, timings } in parts {
            sums.push(sum);
            whole = Some(match whole {
                None => (plan, timings),
                Some((mut total, longest)) => {
                    // Those of another rank are what it says they are.
                    total.n = total.n.saturating_add(plan.n);
                    total.chunks = total.chunks.saturating_add(plan.chunks);
                    (total, longest.max(&timings))
                }
            });
        }
        let empty = || Error::Internal("a run without shares".into());
        let (plan, timings) = whole.ok_or_else(empty)?;
        Ok(Self { sum: Sum::total(sums)?, plan, timings })
    }
}

impl<C: Curve> Bases<C> {
    /// Loads bases with default settings.
    pub fn load(device: &Device, points: &[C]) -> Result<Self, Error> {
        Self::builder().load(device, points)
    }

    /// Settings for loading.
    pub fn builder() -> Builder<C> {
        Builder::default()
    }

    /// The number of bases.
    pub fn len(&self) -> usize {
        self.inner.plan.n
    }

    /// Whether there are no bases.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The plan for one MSM over all bases.
    pub fn plan(&self) -> &Plan {
        &self.inner.plan
    }

    /// The device of the bases.
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// A range of the bases, without copying them. Provers take ranges of their keys: Groth16
    /// leaves the first base out, KZG skips the coefficients that are zero.
    ///
    /// A range beyond the bases is an error of the runs over it.
    ///
    /// ```
    /// # use ark_ec::AffineRepr;
    /// # use ark_bls12_377::{Fr, G1Affine};
    /// # use bucketeer::{Bases, Device, Error};
    /// let bases = Bases::load(&Device::cpu(), &[G1Affine::generator(); 10])?;
    /// assert_eq!(bases.slice(1..4).msm(&[1u64, 2, 3])?, G1Affine::generator() * Fr::from(6));
    /// assert!(matches!(bases.slice(8..11).msm(&[1u64]), Err(Error::InvalidRange { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn slice(&self, range: impl RangeBounds<usize>) -> BasesSlice<'_, C> {
        BasesSlice::of(self).slice(range)
    }

    /// `Σ kᵢ·Pᵢ`. Fewer scalars than bases use the first bases.
    pub fn msm<'a>(
        &self,
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<C::Group, Error> {
        self.slice(..).msm(scalars)
    }

    /// [`msm`](Self::msm), with plan and timings.
    pub fn msm_with_report<'a>(
        &self,
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<Report<C>, Error> {
        self.slice(..).msm_with_report(scalars)
    }

    /// [`msm_with_report`](Self::msm_with_report) without blocking, for WebGPU in a browser.
    pub async fn msm_with_report_async<'a>(
        &self,
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<Report<C>, Error> {
        self.slice(..).msm_with_report_async(scalars).await
    }

    /// One MSM per element of `batch`, all over these bases. Fewer scalars than bases use the first
    /// bases.
    pub fn msm_batch<S>(&self, batch: &[&S]) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        self.slice(..).msm_batch(batch)
    }

    /// [`msm_batch`](Self::msm_batch) without blocking, for WebGPU in a browser.
    pub async fn msm_batch_async<S>(&self, batch: &[&S]) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        self.slice(..).msm_batch_async(batch).await
    }

    /// One MSM whose sum stays in its engine's coordinates.
    #[cfg(all(feature = "any", not(test)))]
    pub(crate) async fn partial<'a>(
        &self,
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<Partial<C>, Error> {
        self.slice(..).run(&scalars.into(), None, CancelToken::default()).await
    }

    /// The same for a batch.
    #[cfg(all(feature = "any", not(test)))]
    pub(crate) async fn batch_partials<S>(&self, batch: &[&S]) -> Result<Vec<Sum<C>>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        let scalars: Vec<_> = batch.iter().map(|scalars| scalars.as_scalars()).collect();
        self.slice(..).batch_sums(&scalars).await
    }

    /// Starts an MSM in the background. The job owns the scalars and keeps the bases alive.
    pub fn submit<S>(&self, scalars: S) -> Result<Job<C>, Error>
    where
        S: AsScalars<C::ScalarField> + Send + 'static,
    {
        self.slice(..).submit(scalars)
    }

    /// The request for a plan on the loaded table.
    fn request(&self, n: usize, scalars: ScalarBound) -> Request<'_> {
        let inner = &*self.inner;
        let request = Request::new(&inner.curve, n, inner.device.facts())
            .scalars(scalars)
            .settings(&inner.settings);
        if inner.plan.resident { request.table(inner.table) } else { request }
    }

    /// The plan for `n` bases on a number of threads, all of the device's if `None`: the one of the
    /// last run if it was for the same and its memory is still free, otherwise a new one.
    fn plan_for(
        &self,
        n: usize,
        scalars: ScalarBound,
        threads: Option<usize>,
    ) -> Result<Plan, Error> {
        let mut request = self.request(n, scalars);
        request.device.threads = threads.unwrap_or(request.device.threads);
        let key = (n, scalars, request.device.threads);
        let lock = || self.inner.last_plan.lock().unwrap_or_else(PoisonError::into_inner);
        let free = request.settings.memory_limit.unwrap_or(request.device.memory);
        if let Some((last, plan)) = &*lock()
            && *last == key
            && plan.bytes() <= free
        {
            return Ok(plan.clone());
        }
        let plan = Plan::new(&request)?;
        *lock() = Some((key, plan.clone()));
        Ok(plan)
    }
}

/// Carries out the plan of one MSM.
async fn execute<C: Curve>(
    engine: &dyn Engine<C>,
    plan: Plan,
    msm: Msm<'_, C>,
    hook: &Option<Hook>,
    cancel: CancelToken,
) -> Result<Partial<C>, Error> {
    let control = Control::new(hook.clone(), cancel, plan.digits(msm.scalars.len()));
    tracing::debug!(n = plan.n, window_bits = plan.shape.window_bits, "msm");
    let (sum, timings) = engine.run(&plan, msm, &control).await?;
    Ok(Partial { sum, plan, timings })
}

/// The sums of a batch as points of the curve.
fn finished<C: Curve>(sums: Vec<Sum<C>>) -> Result<Vec<C::Group>, Error> {
    let finish = |(index, sum): (usize, Sum<C>)| sum.into_group().map_err(|e| e.in_msm(index));
    sums.into_iter().enumerate().map(finish).collect()
}

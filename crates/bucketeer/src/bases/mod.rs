//! Bases held on a device, and the MSMs computed from them.

mod batch;
mod builder;
mod shares;

pub use builder::Builder;

use std::ops::Range;
use std::sync::Arc;

use batch::{SIDE_BY_SIDE, common_bound, in_batch};
use shares::{batch_in_shares, in_shares};

use crate::control::{CancelToken, Control, Hook};
use crate::device::DeviceKind;
use crate::engine::{Engine, Source, Timings};
use crate::plan::{Accumulate, Plan, Request, ScalarBound, Settings};
use crate::sum::Sum;
use crate::wait::wait;
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
/// # What is assumed of the points
///
/// Like arkworks' own endomorphism code, this API trusts that an `Affine` value lies in the prime-order
/// subgroup. [`Builder::any_point`] gives up what depends on it and is right for every point of the
/// curve; [`Builder::check_subgroup`] proves it when the bases are loaded.
pub struct Bases<C: Curve> {
    inner: Arc<Inner<C>>,
}

struct Inner<C: Curve> {
    device: Device,
    curve: Arc<CurveSpec>,
    settings: Settings,
    plan: Plan,
    held: Held<C>,
    hook: Option<Hook>,
}

/// Where bases are held.
enum Held<C: Curve> {
    /// In an engine; `streamed` are bases that did not fit in their table and are converted chunk by
    /// chunk.
    Engine { engine: Box<dyn Engine<C>>, streamed: Option<Vec<C>> },
    /// In shares, on a device each.
    Shares(Vec<(Range<usize>, Bases<C>)>),
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

/// A result with the plan that produced it and the time each stage took.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report<C: Curve> {
    /// The sum.
    pub result: C::Group,
    /// The plan carried out.
    pub plan: Plan,
    /// Time per stage.
    pub timings: Timings,
}

/// A report whose sum is still in its engine's coordinates.
struct Partial<C: Curve> {
    sum: Sum<C>,
    plan: Plan,
    timings: Timings,
}

impl<C: Curve> Partial<C> {
    fn finish(self) -> Result<Report<C>, Error> {
        let Self { sum, plan, timings } = self;
        Ok(Report { result: sum.into_group()?, plan, timings })
    }

    /// The report of a run that was shared: sums added, stages as long as the longest.
    fn total(parts: Vec<Self>) -> Result<Self, Error> {
        let mut sums = Vec::with_capacity(parts.len());
        let mut whole: Option<(Plan, Timings)> = None;
        for Self { sum, plan, timings } in parts {
            sums.push(sum);
            whole = Some(match whole {
                None => (plan, timings),
                Some((mut total, longest)) => {
                    total.n += plan.n;
                    total.chunks += plan.chunks;
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

    /// How many bases there are.
    pub fn len(&self) -> usize {
        self.inner.plan.n
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The plan for one MSM over all bases.
    pub fn plan(&self) -> &Plan {
        &self.inner.plan
    }

    /// The device they are on.
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// `Σ kᵢ·Pᵢ` over all bases.
    pub fn msm<'a>(
        &self,
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<C::Group, Error> {
        Ok(self.msm_with_report(scalars)?.result)
    }

    /// The same, with plan and timings.
    pub fn msm_with_report<'a>(
        &self,
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<Report<C>, Error> {
        let scalars = scalars.into();
        self.run(&scalars, CancelToken::default())?.finish()
    }

    /// [`msm_with_report`](Self::msm_with_report) where nothing may block: for WebGPU in a browser.
    pub async fn msm_with_report_async<'a>(
        &self,
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<Report<C>, Error> {
        let scalars = scalars.into();
        self.run_async(&scalars, CancelToken::default()).await?.finish()
    }

    /// One MSM per element of `batch`, all over these bases. Scalars shorter than the bases take the
    /// first ones.
    pub fn msm_batch<S>(&self, batch: &[&S]) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        wait(self.msm_batch_async(batch))
    }

    /// [`msm_batch`](Self::msm_batch) where nothing may block: for WebGPU in a browser.
    pub async fn msm_batch_async<S>(&self, batch: &[&S]) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        // Asked for once: nobody says that the next answer has the same length.
        let scalars: Vec<_> = batch.iter().map(|scalars| scalars.as_scalars()).collect();
        finished(self.batch_sums(&scalars).await?)
    }

    /// The sums of a batch.
    async fn batch_sums(
        &self,
        batch: &[Scalars<'_, C::ScalarField>],
    ) -> Result<Vec<Sum<C>>, Error> {
        let bases = self.len();
        let lengths = batch.iter().map(Scalars::len);
        if let Some((index, scalars)) = lengths.clone().enumerate().find(|(_, len)| *len > bases) {
            let source = Box::new(Error::LengthMismatch { bases, scalars });
            return Err(Error::Batch { index, source });
        }
        let longest = lengths.max().unwrap_or(0);
        if let Held::Shares(bases) = &self.inner.held {
            return batch_in_shares(bases, batch);
        }
        let device = &self.inner.device;
        if device.kind() == DeviceKind::Cpu {
            let small = longest <= SIDE_BY_SIDE && self.inner.settings.memory_limit.is_none();
            return in_batch(device, batch, small, |device, scalars| {
                Ok(wait(self.run_on(device, scalars, CancelToken::default()))?.sum)
            });
        }
        if let Some(sums) = self.run_batch(batch, longest).await {
            return sums;
        }
        let mut sums = Vec::with_capacity(batch.len());
        for (index, scalars) in batch.iter().enumerate() {
            let part = self.run_on(device, scalars, CancelToken::default()).await;
            let named = |source| Error::Batch { index, source: Box::new(source) };
            sums.push(part.map_err(named)?.sum);
        }
        Ok(sums)
    }

    /// The whole batch in one plan, where the engine can.
    async fn run_batch(
        &self,
        batch: &[Scalars<'_, C::ScalarField>],
        longest: usize,
    ) -> Option<Result<Vec<Sum<C>>, Error>> {
        let inner = &*self.inner;
        let Held::Engine { engine, streamed: None } = &inner.held else { return None };
        let bound = common_bound(batch).filter(|_| longest > 0)?;
        let plan = self.plan_for(&inner.device, longest, batch.len(), bound).ok()?;
        let digits = u64::from(plan.shape.windows) * (longest * batch.len()) as u64;
        let control = Control::new(inner.hook.clone(), CancelToken::default(), digits);
        Some(engine.run_batch_async(&plan, Source::Resident, batch, &control)?.await)
    }

    /// Starts an MSM in the background. The job owns the scalars and keeps the bases alive.
    pub fn submit<S>(&self, scalars: S) -> Result<Job<C>, Error>
    where
        S: AsScalars<C::ScalarField> + Send + 'static,
    {
        self.check_length(scalars.as_scalars().len(), self.len())?;
        let bases = self.clone();
        Job::spawn(move |cancel| bases.run(&scalars.as_scalars(), cancel)?.finish())
    }

    fn check_length(&self, scalars: usize, bases: usize) -> Result<(), Error> {
        if scalars == bases { Ok(()) } else { Err(Error::LengthMismatch { bases, scalars }) }
    }

    fn run(
        &self,
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        wait(self.run_async(scalars, cancel))
    }

    /// One MSM over all bases.
    async fn run_async(
        &self,
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        self.check_length(scalars.len(), self.len())?;
        self.run_on(&self.inner.device, scalars, cancel).await
    }

    /// One MSM over the first bases, on a share of the device's threads.
    async fn run_on(
        &self,
        device: &Device,
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        let inner = &*self.inner;
        let (engine, streamed) = match &inner.held {
            Held::Engine { engine, streamed } => (engine, streamed),
            Held::Shares(bases) => {
                let ranges: Vec<_> = bases.iter().map(|(range, _)| range.clone()).collect();
                return Partial::total(in_shares(&ranges, |index, range| {
                    bases[index].1.run(&scalars.slice(range), cancel.clone())
                })?);
            }
        };
        let plan = self.plan_for(device, scalars.len(), 1, scalars.bound())?;
        let source = streamed.as_ref().map_or(Source::Resident, |s| Source::Borrowed(s));
        execute(device, &**engine, plan, source, scalars, &inner.hook, cancel).await
    }

    /// The loading plan where it fits these scalars, another one on the same table where it does not.
    fn plan_for(
        &self,
        device: &Device,
        n: usize,
        batch: usize,
        scalars: ScalarBound,
    ) -> Result<Plan, Error> {
        let inner = &*self.inner;
        let table = inner.plan.table();
        let mut settings = inner.settings.clone();
        // The table is there already; what remains of the limit is for the rest.
        let table_bytes = if inner.plan.resident { inner.plan.table_bytes() } else { 0 };
        settings.memory_limit = settings.memory_limit.map(|l| l.saturating_sub(table_bytes));
        Plan::new(&Request {
            curve: &inner.curve,
            n,
            batch,
            scalars,
            resident: inner.plan.resident,
            table: inner.plan.resident.then_some(table),
            device: device.facts(),
            settings: &settings,
        })
    }
}

/// Carries out one plan on a device's threads.
async fn execute<C: Curve>(
    device: &Device,
    engine: &dyn Engine<C>,
    plan: Plan,
    source: Source<'_, C>,
    scalars: &Scalars<'_, C::ScalarField>,
    hook: &Option<Hook>,
    cancel: CancelToken,
) -> Result<Partial<C>, Error> {
    device.check_threads()?;
    let digits = u64::from(plan.shape.windows) * plan.shape.halves() as u64;
    let control = Control::new(hook.clone(), cancel, digits * scalars.len() as u64);
    tracing::debug!(n = plan.n, window_bits = plan.shape.window_bits, "msm");
    let (sum, timings) = match device.kind() {
        DeviceKind::WebGpu => engine.run_async(&plan, source, scalars, &control).await,
        // On the thread it is on.
        DeviceKind::Cpu if plan.accumulate == Accumulate::Straus => {
            engine.run(&plan, source, scalars, &control)
        }
        _ => device.install(|| engine.run(&plan, source, scalars, &control)),
    }?;
    Ok(Partial { sum, plan, timings })
}

/// The sums of a batch as points of the curve.
fn finished<C: Curve>(sums: Vec<Sum<C>>) -> Result<Vec<C::Group>, Error> {
    let named = |index, source| Error::Batch { index, source: Box::new(source) };
    let finish = |(index, sum): (usize, Sum<C>)| sum.into_group().map_err(|e| named(index, e));
    sums.into_iter().enumerate().map(finish).collect()
}

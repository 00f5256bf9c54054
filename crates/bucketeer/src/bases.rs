//! Bases held on a device, and the MSMs computed from them.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

use crate::control::{CancelToken, Control, Hook};
use crate::device::DeviceKind;
use crate::engine::{Engine, Source, Timings};
use crate::error::PointFault;
use crate::plan::{Plan, Preset, Request, ScalarBound, Settings};
use crate::{AsScalars, Curve, CurveSpec, Device, Error, Job, Scalars, parallel};

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

/// How bases are to be loaded; made by [`Bases::builder`].
///
/// ```
/// use ark_ec::AffineRepr;
/// use bucketeer::{Bases, Device};
/// let points = vec![ark_bls12_381::G1Affine::generator(); 100];
/// let bases = Bases::builder().precompute(4).window_bits(8).load(&Device::cpu(), &points)?;
/// assert_eq!(bases.plan().shape.precompute, 4);
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[must_use]
pub struct Builder<C: Curve> {
    settings: Settings,
    preset: Option<&'static Preset>,
    scalar_bits: Option<u32>,
    check_subgroup: bool,
    hook: Option<Hook>,
    curve: PhantomData<C>,
}

impl<C: Curve> Default for Builder<C> {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            preset: None,
            scalar_bits: None,
            check_subgroup: false,
            hook: None,
            curve: PhantomData,
        }
    }
}

impl<C: Curve> Clone for Builder<C> {
    fn clone(&self) -> Self {
        let (settings, hook) = (self.settings.clone(), self.hook.clone());
        Self { settings, hook, ..*self }
    }
}

impl<C: Curve> Builder<C> {
    /// Stores `factor` shifted copies of each base: more memory, fewer buckets. Default 1.
    pub fn precompute(mut self, factor: u32) -> Self {
        self.settings.precompute = Some(factor);
        self
    }

    /// Bits of a window, 1 to 26. By default the plan chooses.
    pub fn window_bits(mut self, bits: u32) -> Self {
        self.settings.window_bits = Some(bits);
        self
    }

    /// Plans for integer scalars below `2^bits` instead of residues. Runs with such scalars say so
    /// themselves by their type or [`Scalars::with_bits`]; this makes the table fit them.
    pub fn scalar_bits(mut self, bits: u32) -> Self {
        self.scalar_bits = Some(bits);
        self
    }

    /// Allows at most this many bytes beyond the inputs, table included. Less memory means more
    /// chunks, never another result.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.settings.memory_limit = Some(bytes);
        self
    }

    /// Starts from a published strategy; settings made on the builder take precedence.
    pub fn preset(mut self, preset: &'static Preset) -> Self {
        self.preset = Some(preset);
        self
    }

    /// Sets everything a plan can be told at once.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Makes runs right for every point of the curve, inside the prime-order subgroup or not: no
    /// endomorphism, and no scalar replaced by another that is equal modulo the order.
    pub fn any_point(mut self) -> Self {
        self.settings.any_point = true;
        self
    }

    /// Checks at load that every base is on the curve and in the prime-order subgroup.
    pub fn check_subgroup(mut self) -> Self {
        self.check_subgroup = true;
        self
    }

    /// Calls `hook` during every run; see [`Hook`].
    pub fn on_progress(mut self, hook: Hook) -> Self {
        self.hook = Some(hook);
        self
    }

    /// Loads the bases onto the device.
    pub fn load(&self, device: &Device, points: &[C]) -> Result<Bases<C>, Error> {
        if self.check_subgroup {
            check_points(device, points)?;
        }
        if !device.parts().is_empty() {
            return self.load_shares(device, points);
        }
        let curve = CurveSpec::of::<C>();
        let settings = self.settings_for(points.len());
        let scalars = self.scalar_bits.map_or(ScalarBound::Order, ScalarBound::Bits);
        let mut request = Request {
            curve: &curve,
            n: points.len(),
            batch: 1,
            scalars,
            resident: true,
            table: None,
            device: device.facts(),
            settings: &settings,
        };
        let plan = Plan::new(&request).or_else(|error| match error {
            // The table does not fit: keep the points and convert them as they are needed.
            Error::OutOfMemory { .. } => {
                request.resident = false;
                Plan::new(&request)
            }
            other => Err(other),
        })?;
        let mut engine = device.engine::<C>(&plan)?;
        let mut streamed = None;
        if plan.resident {
            device.install(|| engine.load(&plan, points))?;
        } else {
            streamed = Some(points.to_vec());
        }
        let (device, hook) = (device.clone(), self.hook.clone());
        let held = Held::Engine { engine, streamed };
        Ok(Bases { inner: Arc::new(Inner { device, curve, settings, plan, held, hook }) })
    }

    /// Loads a range of the bases onto each of several devices.
    fn load_shares(&self, device: &Device, points: &[C]) -> Result<Bases<C>, Error> {
        let unchecked = Self { check_subgroup: false, hook: None, ..self.clone() };
        let parts = device.parts();
        let ranges = shares(points.len(), parts.len());
        let loaded: Result<Vec<_>, Error> = std::thread::scope(|scope| {
            let one = |(device, range): (&'_ Device, &Range<usize>)| {
                unchecked.load(device, &points[range.clone()])
            };
            let threads: Vec<_> =
                parts.iter().zip(&ranges).map(|part| scope.spawn(move || one(part))).collect();
            threads.into_iter().map(joined).collect()
        });
        let loaded = loaded?;
        let mut plan = loaded[0].plan().clone();
        plan.n = points.len();
        let (device, hook) = (device.clone(), self.hook.clone());
        let (curve, settings) = (CurveSpec::of::<C>(), self.settings_for(points.len()));
        let held = Held::Shares(ranges.into_iter().zip(loaded).collect());
        Ok(Bases { inner: Arc::new(Inner { device, curve, settings, plan, held, hook }) })
    }

    /// One MSM over borrowed bases, without keeping them.
    pub fn msm<'a>(
        &self,
        device: &Device,
        points: &[C],
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<C::Group, Error> {
        Ok(self.run(device, points, &scalars.into(), CancelToken::default())?.result)
    }

    /// One MSM over borrowed bases, with its plan and timings.
    pub fn msm_with_report<'a>(
        &self,
        device: &Device,
        points: &[C],
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<Report<C>, Error> {
        self.run(device, points, &scalars.into(), CancelToken::default())
    }

    /// Many MSMs on a device, each with bases and scalars of its own, of any lengths.
    pub fn msm_batch<S>(
        &self,
        device: &Device,
        batch: &[(&[C], &S)],
    ) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        let small = batch.iter().all(|(bases, _)| bases.len() <= SIDE_BY_SIDE);
        if small && device.kind() != DeviceKind::Cpu && device.parts().is_empty() {
            return self.small_batch(device, batch);
        }
        in_batch(device, batch, small, |(bases, scalars)| {
            self.msm(device, bases, scalars.as_scalars())
        })
    }

    /// A batch of small MSMs on a GPU: as many at once as make a large one.
    fn small_batch<S>(&self, device: &Device, batch: &[(&[C], &S)]) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        const AT_ONCE: usize = 1 << 22;
        let longest = batch.iter().map(|(bases, _)| bases.len()).max().unwrap_or(0).max(1);
        let mut sums = Vec::with_capacity(batch.len());
        for (turn, part) in batch.chunks(AT_ONCE / longest).enumerate() {
            let first = turn * (AT_ONCE / longest);
            match self.padded_batch(device, part, longest) {
                Some(result) => {
                    sums.extend(result.map_err(|error| error.in_batch_from(first))?);
                }
                None => sums.extend(
                    in_batch(device, part, false, |(bases, scalars)| {
                        self.msm(device, bases, scalars.as_scalars())
                    })
                    .map_err(|error| error.in_batch_from(first))?,
                ),
            }
        }
        Ok(sums)
    }

    /// MSMs filled up to one length with infinities and zeros, in one plan; `None` where that cannot be.
    fn padded_batch<S>(
        &self,
        device: &Device,
        batch: &[(&[C], &S)],
        length: usize,
    ) -> Option<Result<Vec<C::Group>, Error>>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        let scalars: Vec<_> = batch.iter().map(|(_, scalars)| scalars.as_scalars()).collect();
        let alike = scalars.iter().all(|s| s.bound() == scalars[0].bound());
        let paired = batch.iter().zip(&scalars).all(|((bases, _), s)| bases.len() == s.len());
        if batch.len() < 2 || !alike || !paired || self.check_subgroup {
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
            scalars: scalars[0].bound(),
            resident: false,
            table: None,
            device: device.facts(),
            settings: &settings,
        });
        let digits = |plan: &Plan| u64::from(plan.shape.windows) * points.len() as u64;
        let run = || {
            let plan = plan?;
            let control = Control::new(self.hook.clone(), CancelToken::default(), digits(&plan));
            let engine = device.engine::<C>(&plan)?;
            engine.run_batch(&plan, Source::Borrowed(&points), &scalars, &control).transpose()
        };
        run().transpose()
    }

    fn run(
        &self,
        device: &Device,
        points: &[C],
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Report<C>, Error> {
        if points.len() != scalars.len() {
            let (bases, scalars) = (points.len(), scalars.len());
            return Err(Error::LengthMismatch { bases, scalars });
        }
        if self.check_subgroup {
            check_points(device, points)?;
        }
        if !device.parts().is_empty() {
            return self.run_shares(device, points, scalars, cancel);
        }
        let curve = CurveSpec::of::<C>();
        let settings = self.settings_for(points.len());
        let plan = Plan::new(&Request {
            curve: &curve,
            n: points.len(),
            batch: 1,
            scalars: scalars.bound(),
            resident: false,
            table: None,
            device: device.facts(),
            settings: &settings,
        })?;
        let engine = device.engine::<C>(&plan)?;
        execute(device, &*engine, plan, Source::Borrowed(points), scalars, &self.hook, cancel)
    }

    /// One MSM over borrowed bases, a range of them on each of several devices.
    fn run_shares(
        &self,
        device: &Device,
        points: &[C],
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Report<C>, Error> {
        let unchecked = Self { check_subgroup: false, hook: None, ..self.clone() };
        let parts = device.parts();
        let reports = in_shares(&shares(points.len(), parts.len()), |index, range| {
            let (points, scalars) = (&points[range.clone()], scalars.slice(range));
            unchecked.run(&parts[index], points, &scalars, cancel.clone())
        })?;
        Report::sum(reports)
    }

    /// The preset's settings, overridden by those made on the builder.
    fn settings_for(&self, n: usize) -> Settings {
        let Some(preset) = self.preset else { return self.settings.clone() };
        let (base, own) = (preset.settings(n), self.settings.clone());
        Settings {
            window_bits: own.window_bits.or(base.window_bits),
            // A width of the user's own goes for all windows.
            last_window_bits: match own.window_bits {
                Some(_) => own.last_window_bits,
                None => own.last_window_bits.or(base.last_window_bits),
            },
            precompute: own.precompute.or(base.precompute),
            endomorphism: own.endomorphism.or(base.endomorphism),
            negate: own.negate.or(base.negate),
            digits: own.digits.or(base.digits),
            group: own.group.or(base.group),
            accumulate: own.accumulate.or(base.accumulate),
            reduce: own.reduce.or(base.reduce),
            chunk: own.chunk.or(base.chunk),
            memory_limit: own.memory_limit,
            any_point: own.any_point,
            preset: base.preset,
        }
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

impl<C: Curve> Report<C> {
    /// The report of a run that was shared: sums added, stages as long as the longest.
    fn sum(reports: Vec<Self>) -> Result<Self, Error> {
        let add = |a: Self, b: Self| Self {
            result: a.result + b.result,
            plan: Plan { n: a.plan.n + b.plan.n, chunks: a.plan.chunks + b.plan.chunks, ..a.plan },
            timings: a.timings.max(&b.timings),
        };
        let empty = || Error::Internal("a run without shares".into());
        reports.into_iter().reduce(add).ok_or_else(empty)
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
        self.check_length(scalars.len(), self.len())?;
        self.run(&scalars, CancelToken::default())
    }

    /// One MSM per element of `batch`, all over these bases. Scalars shorter than the bases take the
    /// first ones.
    pub fn msm_batch<S>(&self, batch: &[&S]) -> Result<Vec<C::Group>, Error>
    where
        S: AsScalars<C::ScalarField> + ?Sized + Sync,
    {
        let bases = self.len();
        let lengths = batch.iter().map(|scalars| scalars.as_scalars().len());
        if let Some((index, scalars)) = lengths.clone().enumerate().find(|(_, len)| *len > bases) {
            let source = Box::new(Error::LengthMismatch { bases, scalars });
            return Err(Error::Batch { index, source });
        }
        let longest = lengths.max().unwrap_or(0);
        if let Held::Shares(bases) = &self.inner.held {
            return batch_in_shares(bases, batch);
        }
        if let Some(result) = self.run_batch(batch, longest) {
            return result;
        }
        let one_by_one = self.inner.device.kind() != DeviceKind::Cpu;
        let small = longest <= SIDE_BY_SIDE && self.inner.settings.memory_limit.is_none();
        in_batch(&self.inner.device, batch, small && !one_by_one, |scalars| {
            Ok(self.run(&scalars.as_scalars(), CancelToken::default())?.result)
        })
    }

    /// The whole batch in one plan, where the engine can.
    fn run_batch<S>(&self, batch: &[&S], longest: usize) -> Option<Result<Vec<C::Group>, Error>>
    where
        S: AsScalars<C::ScalarField> + ?Sized,
    {
        let inner = &*self.inner;
        let Held::Engine { engine, streamed: None } = &inner.held else { return None };
        if batch.len() < 2 || longest == 0 {
            return None;
        }
        let scalars: Vec<_> = batch.iter().map(|scalars| scalars.as_scalars()).collect();
        let alike = scalars.iter().all(|s| s.bound() == scalars[0].bound());
        let plan = self.plan_for(longest, batch.len(), scalars[0].bound()).ok()?;
        let digits = u64::from(plan.shape.windows) * (longest * batch.len()) as u64;
        let control = Control::new(inner.hook.clone(), CancelToken::default(), digits);
        if alike { engine.run_batch(&plan, Source::Resident, &scalars, &control) } else { None }
    }

    /// Starts an MSM in the background. The job owns the scalars and keeps the bases alive.
    pub fn submit<S>(&self, scalars: S) -> Result<Job<C>, Error>
    where
        S: AsScalars<C::ScalarField> + Send + 'static,
    {
        self.check_length(scalars.as_scalars().len(), self.len())?;
        let bases = self.clone();
        Job::spawn(move |cancel| bases.run(&scalars.as_scalars(), cancel))
    }

    fn check_length(&self, scalars: usize, bases: usize) -> Result<(), Error> {
        if scalars == bases { Ok(()) } else { Err(Error::LengthMismatch { bases, scalars }) }
    }

    fn run(
        &self,
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Report<C>, Error> {
        let inner = &*self.inner;
        let (engine, streamed) = match &inner.held {
            Held::Engine { engine, streamed } => (engine, streamed),
            Held::Shares(bases) => {
                let ranges: Vec<_> = bases.iter().map(|(range, _)| range.clone()).collect();
                return Report::sum(in_shares(&ranges, |index, range| {
                    bases[index].1.run(&scalars.slice(range), cancel.clone())
                })?);
            }
        };
        let plan = self.plan_for(scalars.len(), 1, scalars.bound())?;
        let source = streamed.as_ref().map_or(Source::Resident, |s| Source::Borrowed(s));
        execute(&inner.device, &**engine, plan, source, scalars, &inner.hook, cancel)
    }

    /// The loading plan where it fits these scalars, another one on the same table where it does not.
    fn plan_for(&self, n: usize, batch: usize, scalars: ScalarBound) -> Result<Plan, Error> {
        let inner = &*self.inner;
        let table = inner.plan.shape.table();
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
            device: inner.device.facts(),
            settings: &settings,
        })
    }
}

/// `n` bases in equal ranges.
fn shares(n: usize, parts: usize) -> Vec<Range<usize>> {
    (0..parts).map(|i| i * n / parts..(i + 1) * n / parts).collect()
}

/// Runs one share on each device, side by side.
fn in_shares<R: Send>(
    ranges: &[Range<usize>],
    run: impl Fn(usize, &Range<usize>) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    std::thread::scope(|scope| {
        let run = &run;
        let spawn = |(i, range)| scope.spawn(move || run(i, range));
        let threads: Vec<_> = ranges.iter().enumerate().map(spawn).collect();
        threads.into_iter().map(joined).collect()
    })
}

fn joined<R>(thread: ScopedJoinHandle<'_, Result<R, Error>>) -> Result<R, Error> {
    thread.join().unwrap_or_else(|_| Err(Error::Internal("a share's thread panicked".into())))
}

/// A batch over bases in shares: each device computes all MSMs on its range.
fn batch_in_shares<C: Curve, S>(
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

/// Carries out one plan on a device's threads.
fn execute<C: Curve>(
    device: &Device,
    engine: &dyn Engine<C>,
    plan: Plan,
    source: Source<'_, C>,
    scalars: &Scalars<'_, C::ScalarField>,
    hook: &Option<Hook>,
    cancel: CancelToken,
) -> Result<Report<C>, Error> {
    let digits = u64::from(plan.shape.windows) * plan.shape.halves() as u64;
    let control = Control::new(hook.clone(), cancel, digits * scalars.len() as u64);
    tracing::debug!(n = plan.n, window_bits = plan.shape.window_bits, "msm");
    let (result, timings) = device.install(|| engine.run(&plan, source, scalars, &control))?;
    Ok(Report { result, plan, timings })
}

/// Longest MSMs of a batch that are run side by side; longer ones fill the device by themselves.
pub(crate) const SIDE_BY_SIDE: usize = 1 << 14;

/// Runs the MSMs of a batch, side by side or one after the other; an error names its place.
pub(crate) fn in_batch<T: Sync, R: Send>(
    device: &Device,
    batch: &[T],
    side_by_side: bool,
    run: impl Fn(&T) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    let one = |(index, item)| {
        run(item).map_err(|source| Error::Batch { index, source: Box::new(source) })
    };
    if !side_by_side {
        return batch.iter().enumerate().map(one).collect();
    }
    device.install(|| parallel::map(batch.len(), |i| one((i, &batch[i]))).into_iter().collect())
}

fn check_points<C: Curve>(device: &Device, points: &[C]) -> Result<(), Error> {
    let fault = |point: &C| match (point.on_curve(), point.in_subgroup()) {
        (false, _) => Some(PointFault::NotOnCurve),
        (true, false) => Some(PointFault::NotInSubgroup),
        (true, true) => None,
    };
    let found = device
        .install(|| parallel::find_first(points.len(), |i| fault(&points[i]).map(|f| (i, f))));
    found.map_or(Ok(()), |(index, reason)| Err(Error::InvalidBase { index, reason }))
}

//! One call for several MSMs over several resident bases, of any curves and on any devices.
//!
//! 1. [`Batch::add`] notes the MSMs; the type of a curve is erased there.
//! 2. [`Batch::run`] plans them together (`plan/batch.rs`). On a CPU, short ones run concurrently
//!    on a few threads each, long ones in turn on all threads. On GPUs a few run at a time.
//! 3. Every curve takes its sums out of [`Sums`] by the [`Ticket`]s.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::BasesSlice;
use crate::control::CancelToken;
use crate::plan::share_threads;
use crate::threads::concurrently;
use crate::wait::{Pending, wait};
use crate::{AsScalars, Curve, Device, DeviceKind, Error, Scalars, parallel};

/// Several MSMs, each over resident bases of its own, that run in one call.
///
/// ```
/// use ark_ec::AffineRepr;
/// use ark_bls12_381::{Fr, G1Affine, G2Affine};
/// use bucketeer::{Bases, Batch, Device};
///
/// let device = Device::cpu();
/// let g1 = Bases::load(&device, &[G1Affine::generator(); 8])?;
/// let g2 = Bases::load(&device, &[G2Affine::generator(); 8])?;
/// let witness = [Fr::from(3); 8];
///
/// let mut batch = Batch::new();
/// let a = batch.add(&g1, &witness);
/// let b = batch.add(g2.slice(1..), &witness[1..]);
/// let mut sums = batch.run()?;
/// assert_eq!(sums.take(a)?, G1Affine::generator() * Fr::from(24));
/// assert_eq!(sums.take(b)?, G2Affine::generator() * Fr::from(21));
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[must_use = "a batch does nothing until it is run"]
pub struct Batch<'a> {
    id: u64,
    msms: Vec<Box<dyn Erased + 'a>>,
}

/// Stands for the sum of one MSM of a [`Batch`].
#[derive(Debug)]
pub struct Ticket<C> {
    batch: u64,
    index: usize,
    curve: PhantomData<fn() -> C>,
}

/// The sums of a [`Batch`].
#[derive(Debug)]
pub struct Sums {
    batch: u64,
    sums: Vec<Option<Box<dyn Any + Send>>>,
}

type ErasedSum = Result<Box<dyn Any + Send>, Error>;

/// An MSM whose curve is erased.
trait Erased: Send + Sync {
    fn device(&self) -> &Device;

    /// The number of scalars.
    fn length(&self) -> usize;

    /// About how long it takes, in any unit: bases times the cost of a product, which grows with
    /// the square of the field's length.
    fn work(&self) -> u128;

    /// Runs it on a number of threads, or on all of the device's.
    fn run(&self, threads: Option<usize>) -> Pending<'_, ErasedSum>;
}

struct OfCurve<'a, C: Curve> {
    bases: BasesSlice<'a, C>,
    scalars: Scalars<'a, C::ScalarField>,
}

impl<C: Curve> Erased for OfCurve<'_, C> {
    fn device(&self) -> &Device {
        self.bases.bases().device()
    }

    fn length(&self) -> usize {
        self.scalars.len()
    }

    fn work(&self) -> u128 {
        let bytes = u128::from(self.bases.bases().inner.curve.point_bytes());
        self.scalars.len() as u128 * bytes * bytes
    }

    fn run(&self, threads: Option<usize>) -> Pending<'_, ErasedSum> {
        Box::pin(async move {
            let run = self.bases.run(&self.scalars, threads, CancelToken::default());
            let sum: C::Group = run.await?.finish()?.result;
            Ok(Box::new(sum) as Box<dyn Any + Send>)
        })
    }
}

impl Default for Batch<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Batch({} MSMs)", self.msms.len())
    }
}

impl<'a> Batch<'a> {
    /// No MSMs.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { id: NEXT.fetch_add(1, Relaxed), msms: Vec::new() }
    }

    /// The number of MSMs.
    pub fn len(&self) -> usize {
        self.msms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.msms.is_empty()
    }

    /// Adds an MSM. Fewer scalars than bases use the first bases.
    pub fn add<C: Curve>(
        &mut self,
        bases: impl Into<BasesSlice<'a, C>>,
        scalars: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Ticket<C> {
        let ticket = Ticket { batch: self.id, index: self.msms.len(), curve: PhantomData };
        let (bases, scalars) = (bases.into(), scalars.into());
        self.msms.push(Box::new(OfCurve { bases, scalars }));
        ticket
    }

    /// Runs all MSMs and waits for them. If several fail, the error is that of the first.
    pub fn run(self) -> Result<Sums, Error> {
        let device = |index: &usize| self.msms[*index].device();
        // Ranks make their calls in the same order, from one thread.
        let (on_ranks, by_themselves): (Vec<_>, Vec<_>) =
            (0..self.len()).partition(|index| device(index).is_over_ranks());
        let (on_cpus, on_gpus): (Vec<_>, Vec<_>) =
            by_themselves.into_iter().partition(|index| device(index).kind() == DeviceKind::Cpu);
        // GPUs are driven from threads of their own, which mostly wait.
        let drivers = on_gpus.len().min(GPU_RUNS);
        let tracks = drivers + usize::from(!on_cpus.is_empty());
        let next = AtomicUsize::new(0);
        let track = |index: usize| match index < drivers {
            true => self.take_turns(&on_gpus, &next),
            false => self.run_on_cpus(&on_cpus),
        };
        let tracks = match tracks {
            0 | 1 => Ok((0..tracks).map(track).collect()),
            _ => concurrently(tracks, "a batch", |index| Ok(track(index)))
                .into_iter()
                .collect::<Result<Vec<_>, Error>>(),
        };
        // Also where a track has failed: other ranks wait for this one.
        let over_ranks = self.take_turns(&on_ranks, &AtomicUsize::new(0));
        let mut results: Vec<_> = tracks?.into_iter().flatten().chain(over_ranks).collect();
        results.sort_by_key(|(index, _)| *index);
        self.sums(results.into_iter().map(|(_, result)| result))
    }

    /// [`run`](Self::run) without blocking, for WebGPU in a browser. The MSMs run in turn.
    pub async fn run_async(self) -> Result<Sums, Error> {
        let mut results = Vec::with_capacity(self.len());
        for msm in &self.msms {
            results.push(msm.run(None).await);
        }
        self.sums(results.into_iter())
    }

    fn sums(&self, results: impl Iterator<Item = ErasedSum>) -> Result<Sums, Error> {
        let sum = |(index, result): (usize, ErasedSum)| {
            result.map(Some).map_err(|error| error.in_msm(index))
        };
        let sums = results.enumerate().map(sum).collect::<Result<_, _>>()?;
        Ok(Sums { batch: self.id, sums })
    }

    /// Runs one MSM after the other, while other threads do the same.
    fn take_turns(&self, msms: &[usize], next: &AtomicUsize) -> Vec<(usize, ErasedSum)> {
        let turns = std::iter::from_fn(|| msms.get(next.fetch_add(1, Relaxed)).copied());
        turns.map(|index| (index, wait(self.msms[index].run(None)))).collect()
    }

    /// Runs long MSMs in turn, then short ones concurrently: the longest first, so that no thread
    /// is left alone with it at the end.
    fn run_on_cpus(&self, msms: &[usize]) -> Vec<(usize, ErasedSum)> {
        let Some(first) = msms.first() else { return Vec::new() };
        let device = self.msms[*first].device();
        let lengths: Vec<_> = msms.iter().map(|index| self.msms[*index].length()).collect();
        let threads = share_threads(device.facts().threads, &lengths);
        let (mut short, long): (Vec<_>, Vec<_>) =
            msms.iter().copied().zip(threads).partition(|(_, threads)| threads.is_some());
        short.sort_by_key(|(index, _)| std::cmp::Reverse(self.msms[*index].work()));
        let run =
            |(index, threads): (usize, Option<usize>)| (index, wait(self.msms[index].run(threads)));
        let mut results: Vec<_> = long.into_iter().map(run).collect();
        results.extend(device.install(|| parallel::map(short.len(), |i| run(short[i]))));
        results
    }
}

/// Runs on GPUs at a time: one computes while the host prepares the next and combines the last.
const GPU_RUNS: usize = 3;

impl Sums {
    /// The sum of an MSM. A ticket of another batch is an error.
    pub fn take<C: Curve>(&mut self, ticket: Ticket<C>) -> Result<C::Group, Error> {
        let own = (ticket.batch == self.batch).then_some(ticket.index);
        let sum = own.and_then(|index| self.sums.get_mut(index)).and_then(Option::take);
        let sum = sum.and_then(|sum| sum.downcast::<C::Group>().ok());
        sum.map(|sum| *sum).ok_or_else(|| Error::InvalidSetting {
            setting: "ticket",
            value: ticket.index.to_string(),
            reason: "it is of another batch".into(),
        })
    }
}

/// Several MSMs, each over resident bases of its own, in one call. [`Batch`] is for several curves.
///
/// ```
/// use ark_ec::AffineRepr;
/// use ark_bn254::{Fr, G1Affine};
/// use bucketeer::{Bases, Device, msm_resident};
///
/// let load = |n: usize| Bases::load(&Device::cpu(), &vec![G1Affine::generator(); n]);
/// let (first, second) = (load(2)?, load(3)?);
/// let scalars = [1u64, 10];
/// let sums = msm_resident(&[(first.slice(..), &scalars), (second.slice(1..), &scalars)])?;
/// assert_eq!(sums, [G1Affine::generator() * Fr::from(11); 2]);
/// # Ok::<(), bucketeer::Error>(())
/// ```
pub fn msm_resident<C: Curve, S>(batch: &[(BasesSlice<'_, C>, &S)]) -> Result<Vec<C::Group>, Error>
where
    S: AsScalars<C::ScalarField> + ?Sized,
{
    let mut together = Batch::new();
    let tickets: Vec<_> =
        batch.iter().map(|(bases, scalars)| together.add(*bases, scalars.as_scalars())).collect();
    let mut sums = together.run()?;
    tickets.into_iter().map(|ticket| sums.take(ticket)).collect()
}

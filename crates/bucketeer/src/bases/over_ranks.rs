//! Bases over the ranks of a parallel program. Each holds a range of them; sums of the ranges are
//! exchanged, and every rank adds them.
//!
//! 1. Ranks tell each other how fast they are by their plans; the ranges are proportional to that.
//! 2. Each rank loads its range, or borrows it, and computes as on a single device. Its sum goes to
//!    all as bytes, on the short Weierstrass form (`sum.rs`).
//! 3. Every rank adds the sums.
//!
//! Bases and jobs have a number, which rank 0 gives them ([`Numbered`]). Names of calls have it, so
//! that ranks that call for other bases, or wait for another job, find out.

use std::borrow::Cow;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ark_ff::PrimeField;

use super::shares::{scalar_ranges, slice_of, totals};
use super::{Bases, BasesSlice, Builder, Held, Inner, Partial};
use crate::control::{CancelToken, panic_message};
use crate::device::Member;
use crate::plan::Request;
use crate::report::Timings;
use crate::sum::{Sum, take_sum, write_sum};
use crate::wait::wait;
use crate::{AsScalars, Curve, CurveSpec, Device, Error, Job, Plan, Scalars};

/// What a rank holds of the bases.
pub(super) struct RankShare<C: Curve> {
    member: Arc<Member>,
    share: (Range<usize>, Bases<C>),
    /// The number of the bases.
    number: u64,
}

/// Numbers that are the same on all ranks.
struct Numbered;

impl Numbered {
    /// What a rank brings to the exchange.
    fn proposal() -> Vec<u8> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        NEXT.fetch_add(1, Relaxed).to_le_bytes().to_vec()
    }

    /// What rank 0 has brought.
    fn agreed(proposals: Vec<Vec<u8>>) -> u64 {
        let first = proposals.into_iter().next();
        first.and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
    }
}

impl<C: Curve> Builder<C> {
    /// Loads this rank's range of `n` bases; `read` gives them.
    pub(crate) fn load_on_ranks<'p>(
        &self,
        device: &Device,
        member: &Arc<Member>,
        n: usize,
        read: impl FnOnce(&Range<usize>) -> Result<Cow<'p, [C]>, Error>,
    ) -> Result<Bases<C>, Error> {
        let range = own_range::<C>(member, n)?;
        let load = || {
            let own = self.load(member.local(), &read(&range)?);
            Ok((own.map_err(|error| error.in_share_from(range.start))?, Numbered::proposal()))
        };
        let (own, numbers) = member.exchange("load", load)?;
        let number = Numbered::agreed(numbers);
        let mut plan = own.plan().clone();
        plan.n = n;
        let held = RankShare { member: member.clone(), share: (range, own), number };
        let held = Held::Rank(Box::new(held));
        let (settings, scalars) = (self.settings_for(n), self.scalar_bound());
        let inner = Inner::new(device, settings, plan, scalars, held, self.hook.clone());
        Ok(Bases { inner: Arc::new(inner) })
    }

    /// One MSM over borrowed bases, of which every rank computes a range.
    pub(super) fn run_on_ranks(
        &self,
        member: &Member,
        points: &[C],
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        let range = own_range::<C>(member, points.len())?;
        let what = format!("an MSM of {} scalars over borrowed bases", scalars.len());
        exchange_partials(member, &what, || {
            if points.len() != scalars.len() {
                let (bases, scalars) = (points.len(), scalars.len());
                return Err(Error::LengthMismatch { bases, scalars });
            }
            let own = scalars.slice(&range);
            let run = self.run(member.local(), &points[range.clone()], &own, cancel);
            wait(run).map_err(|error| error.in_share_from(range.start))
        })
    }

    /// A batch of MSMs, each over its own bases. Every rank computes a range of every MSM.
    pub(super) fn batch_on_ranks(
        &self,
        member: &Member,
        batch: &[(&[C], Scalars<'_, C::ScalarField>)],
    ) -> Result<Vec<Sum<C>>, Error> {
        let longest = batch.iter().map(|(bases, _)| bases.len()).max().unwrap_or(0);
        let speeds = speeds::<C>(member, longest)?;
        let rank = member.ranks.rank();
        let range = |n| ranges(n, &speeds)[rank].clone();
        let scalars = batch.iter().map(|(_, scalars)| scalars.len()).sum::<usize>();
        let what = format!("a batch of {} MSMs of {scalars} scalars", batch.len());
        exchange_sums(member, &what, batch.len(), || {
            let mut own = Vec::with_capacity(batch.len());
            for (index, (bases, scalars)) in batch.iter().enumerate() {
                let (n, count) = (bases.len(), scalars.len());
                if n != count {
                    let error = Error::LengthMismatch { bases: n, scalars: count };
                    return Err(error.in_msm(index));
                }
                own.push((&bases[range(n)], scalars.slice(&range(n))));
            }
            let sums = wait(self.batch_sums(member.local(), &own));
            sums.map_err(|error| match error {
                Error::Batch { index, source } => {
                    source.in_share_from(range(batch[index].0.len()).start).in_msm(index)
                }
                other => other,
            })
        })
    }
}

impl<C: Curve> Bases<C> {
    /// The bases that this process holds: all of them, or on a device of
    /// [ranks](crate::Device::over_ranks) the range of this one.
    pub fn share(&self) -> Range<usize> {
        match &self.inner.held {
            Held::Rank(held) => held.share.0.clone(),
            _ => 0..self.len(),
        }
    }

    /// An MSM of which every rank has the scalars of its own [bases](Self::share), and no others.
    /// Fewer scalars than these use the first of them. Collective.
    ///
    /// ```
    /// use ark_bn254::{Fr, G1Affine};
    /// use ark_ec::AffineRepr;
    /// use bucketeer::{Bases, Device, ranks};
    /// let sums = ranks::on_threads(2, |ranks| {
    ///     let device = Device::over_ranks(ranks, Device::cpu_with_threads(1)?);
    ///     let bases = Bases::load(&device, &[G1Affine::generator(); 10])?;
    ///     bases.msm_of_shares(&bases.share().map(|i| i as u64).collect::<Vec<_>>())
    /// });
    /// assert_eq!(sums[1], Ok(G1Affine::generator() * Fr::from(45)));
    /// ```
    pub fn msm_of_shares<'a>(
        &self,
        own: impl Into<Scalars<'a, C::ScalarField>>,
    ) -> Result<C::Group, Error> {
        let own = own.into();
        let Held::Rank(held) = &self.inner.held else { return self.msm(own) };
        let (range, bases) = &held.share;
        let what = format!("an MSM of scalars in shares over bases {}", held.number);
        let sum = exchange_partials(&held.member, &what, || {
            let slice = bases.slice(..);
            run_here(slice.run(&own, None, CancelToken::default()), range.start)
        })?;
        Ok(sum.finish()?.result)
    }
}

impl<C: Curve> RankShare<C> {
    /// The name of a call: of what, over these bases.
    fn named(&self, what: &str, slice: &BasesSlice<'_, C>) -> String {
        // A range that is not within the bases is an error of the call itself.
        format!("{what} over bases {} from {} on", self.number, slice.place(0).unwrap_or(0))
    }

    /// The bases of `slice` that are here, for this many scalars, and the range of these.
    fn part<'a>(
        &'a self,
        slice: &BasesSlice<'_, C>,
        scalars: usize,
    ) -> Result<(BasesSlice<'a, C>, Range<usize>), Error> {
        let first = slice.place(scalars)?;
        let share = std::slice::from_ref(&self.share);
        let range = scalar_ranges(share, first, scalars).remove(0);
        Ok((slice_of(&self.share, first, &range), range))
    }

    /// One MSM over a range of the bases.
    pub(super) fn run(
        &self,
        slice: &BasesSlice<'_, C>,
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        let what = self.named(&format!("an MSM of {} scalars", scalars.len()), slice);
        exchange_partials(&self.member, &what, || self.run_own(slice, scalars, cancel))
    }

    /// This rank's part of an MSM.
    fn run_own(
        &self,
        slice: &BasesSlice<'_, C>,
        scalars: &Scalars<'_, C::ScalarField>,
        cancel: CancelToken,
    ) -> Result<Partial<C>, Error> {
        let (own, range) = self.part(slice, scalars.len())?;
        run_here(own.run(&scalars.slice(&range), None, cancel), range.start)
    }

    /// A batch over a range of the bases.
    pub(super) fn batch(
        &self,
        slice: &BasesSlice<'_, C>,
        batch: &[Scalars<'_, C::ScalarField>],
    ) -> Result<Vec<Sum<C>>, Error> {
        let scalars = batch.iter().map(Scalars::len).sum::<usize>();
        let what = format!("a batch of {} MSMs of {scalars} scalars", batch.len());
        let what = self.named(&what, slice);
        exchange_sums(&self.member, &what, batch.len(), || {
            slice.places(batch)?;
            let longest = batch.iter().map(Scalars::len).max().unwrap_or(0);
            let (own, range) = self.part(slice, longest)?;
            let scalars: Vec<_> = batch.iter().map(|scalars| scalars.slice(&range)).collect();
            run_here(own.batch_sums(&scalars), range.start)
        })
    }

    /// Starts this rank's part of an MSM; all are added by [`Job::wait`].
    pub(super) fn submit<S>(&self, slice: &BasesSlice<'_, C>, scalars: S) -> Result<Job<C>, Error>
    where
        S: AsScalars<C::ScalarField> + Send + 'static,
    {
        let n = scalars.as_scalars().len();
        let what = self.named(&format!("a job of {n} scalars"), slice);
        let number = Arc::new(OnceLock::new());
        let start = || {
            let (own, range) = self.part(slice, n)?;
            let first = own.place(0)?;
            let (bases, member) = (own.bases().clone(), self.member.clone());
            let (name, number) = (what.clone(), number.clone());
            let job = Job::spawn(move |cancel| {
                let own = bases.slice(first..first + range.len());
                let part = Part { scalars: &scalars, n, range: &range };
                let run = || own.run_part(part, cancel);
                let outcome = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
                    Err(Error::Internal(format!("a job panicked: {}", panic_message(&*panic))))
                });
                Box::new(move || {
                    // Set before anybody can wait.
                    let name = format!("{name}, number {}", number.get().unwrap_or(&0));
                    exchange_partials(&member, &name, || outcome)?.finish()
                })
            });
            Ok((job?, Numbered::proposal()))
        };
        let (job, numbers) = self.member.exchange(&what, start)?;
        number.get_or_init(|| Numbered::agreed(numbers));
        Ok(job)
    }
}

/// Scalars that were `n` when they were handed over, and the range of them that is used.
struct Part<'a, S> {
    scalars: &'a S,
    n: usize,
    range: &'a Range<usize>,
}

impl<C: Curve> BasesSlice<'_, C> {
    fn run_part<S>(&self, part: Part<'_, S>, cancel: CancelToken) -> Result<Partial<C>, Error>
    where
        S: AsScalars<C::ScalarField>,
    {
        let scalars = part.scalars.as_scalars();
        // A second call may return another length.
        if scalars.len() != part.n {
            return Err(Error::LengthMismatch { bases: part.n, scalars: scalars.len() });
        }
        run_here(self.run(&scalars.slice(part.range), None, cancel), part.range.start)
    }
}

/// Waits for a run on the scalars from `first` on.
fn run_here<T>(run: impl Future<Output = Result<T, Error>>, first: usize) -> Result<T, Error> {
    wait(run).map_err(|error| error.in_share_from(first))
}

/// This rank's range of `n` bases.
fn own_range<C: Curve>(member: &Member, n: usize) -> Result<Range<usize>, Error> {
    Ok(ranges(n, &speeds::<C>(member, n)?)[member.ranks.rank()].clone())
}

/// How fast each rank is, by its plan for its share of `n` bases: bases per nanosecond, 0 for those
/// that get none. Ranks within 5 % of each other count as equal. They also tell which GPUs they
/// use, so that ranks with the same divide its memory.
pub(crate) fn speeds<C: Curve>(member: &Member, n: usize) -> Result<Vec<f64>, Error> {
    let what =
        format!("sharing of {n} bases of a curve of {} bits", C::ScalarField::MODULUS_BIT_SIZE);
    let own = || {
        let speed = own_speed::<C>(member, n)?.to_le_bytes();
        Ok(((), [&speed[..], member.gpus().join("\n").as_bytes()].concat()))
    };
    let (_, all) = member.exchange(&what, own)?;
    let (mut speeds, mut gpus) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
    for bytes in &all {
        let (speed, names) = bytes.split_first_chunk().ok_or_else(damaged)?;
        speeds.push(f64::from_le_bytes(*speed));
        gpus.push(String::from_utf8_lossy(names).lines().map(str::to_owned).collect());
    }
    member.know(&gpus);
    let active = || speeds.iter().copied().filter(|speed| *speed > 0.0);
    let (least, most) = (active().fold(f64::MAX, f64::min), active().fold(0.0, f64::max));
    match most <= 1.05 * least {
        true => Ok(speeds.iter().map(|speed| f64::from(u8::from(*speed > 0.0))).collect()),
        false => Ok(speeds),
    }
}

fn own_speed<C: Curve>(member: &Member, n: usize) -> Result<f64, Error> {
    if member.ranks.rank() >= member.active {
        return Ok(0.0);
    }
    let parts = member.local().parts();
    let count = parts.len().max(1);
    let n = n.div_ceil(member.active * count).max(1);
    // What fits in memory is decided by the run itself.
    let facts = parts.first().unwrap_or(member.local()).facts().with_memory(1 << 60);
    let plan = Plan::new(&Request::new(&CurveSpec::of::<C>(), n, facts))?;
    Ok((n * count) as f64 / plan.cost.nanoseconds.max(1.0))
}

/// `n` bases in ranges proportional to the speeds of the ranks.
fn ranges(n: usize, speeds: &[f64]) -> Vec<Range<usize>> {
    let total: f64 = speeds.iter().sum();
    let (mut sum, mut start) = (0.0, 0);
    let range = |speed: &f64| {
        sum += speed;
        let end = ((n as f64 * (sum / total)).round() as usize).clamp(start, n);
        let range = start..end;
        start = end;
        range
    };
    let mut ranges: Vec<_> = speeds.iter().map(range).collect();
    // The last rank that has bases gets what rounding leaves.
    if let Some(last) = speeds.iter().rposition(|speed| *speed > 0.0) {
        ranges[last].end = n;
        ranges[last + 1..].fill(n..n);
    }
    ranges
}

/// The total of the sums of all ranks.
fn exchange_partials<C: Curve>(
    member: &Member,
    what: &str,
    own: impl FnOnce() -> Result<Partial<C>, Error>,
) -> Result<Partial<C>, Error> {
    let (plan, all) = member.exchange(what, || {
        let Partial { sum, plan, timings } = own()?;
        let stages = timings.stages().map(|(_, time)| time.as_nanos() as u64);
        let numbers = [plan.n as u64, plan.chunks as u64].into_iter().chain(stages);
        let mut bytes: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
        write_sum::<C>(&sum.weierstrass()?, &mut bytes)?;
        Ok((plan, bytes))
    })?;
    Partial::total(all.iter().map(|bytes| partial(bytes, &plan)).collect::<Result<_, _>>()?)
}

/// A rank's partial sum from its bytes, with this rank's plan for its size.
fn partial<C: Curve>(mut bytes: &[u8], plan: &Plan) -> Result<Partial<C>, Error> {
    let mut number = || {
        let (number, rest) = bytes.split_first_chunk().ok_or_else(damaged)?;
        bytes = rest;
        Ok::<_, Error>(u64::from_le_bytes(*number))
    };
    let (n, chunks) = (number()? as usize, number()? as usize);
    let mut stages = [Duration::ZERO; 7];
    for stage in &mut stages {
        *stage = Duration::from_nanos(number()?);
    }
    let sum = Sum::Weierstrass(take_sum::<C>(&mut bytes).ok_or_else(damaged)?);
    let mut plan = plan.clone();
    (plan.n, plan.chunks) = (n, chunks);
    Ok(Partial { sum, plan, timings: Timings::of_stages(stages) })
}

fn damaged() -> Error {
    Error::Internal("a rank sent a damaged message".into())
}

/// The totals of a batch.
fn exchange_sums<C: Curve>(
    member: &Member,
    what: &str,
    msms: usize,
    own: impl FnOnce() -> Result<Vec<Sum<C>>, Error>,
) -> Result<Vec<Sum<C>>, Error> {
    let (_, all) = member.exchange(what, || {
        let mut bytes = Vec::new();
        for sum in own()? {
            write_sum::<C>(&sum.weierstrass()?, &mut bytes)?;
        }
        Ok(((), bytes))
    })?;
    let sums = |bytes: &Vec<u8>| {
        let mut bytes = &bytes[..];
        let sum = |_| Ok(Sum::Weierstrass(take_sum::<C>(&mut bytes).ok_or_else(damaged)?));
        (0..msms).map(sum).collect::<Result<Vec<_>, Error>>()
    };
    totals(all.iter().map(sums).collect::<Result<_, _>>()?, msms)
}

/// The total of the sums of all ranks, and further bytes of each.
#[cfg(feature = "io")]
pub(crate) fn exchange_sum<C: Curve>(
    member: &Member,
    what: &str,
    own: impl FnOnce() -> Result<(Sum<C>, Vec<u8>), Error>,
) -> Result<(Sum<C>, Vec<Vec<u8>>), Error> {
    let (_, all) = member.exchange(what, || {
        let (sum, beside) = own()?;
        let mut bytes = Vec::new();
        write_sum::<C>(&sum.weierstrass()?, &mut bytes)?;
        Ok(((), [bytes, beside].concat()))
    })?;
    let (mut sums, mut beside) = (Vec::new(), Vec::new());
    for bytes in &all {
        let mut bytes = &bytes[..];
        sums.push(Sum::Weierstrass(take_sum::<C>(&mut bytes).ok_or_else(damaged)?));
        beside.push(bytes.to_vec());
    }
    Ok((Sum::total(sums)?, beside))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts in a damaged message used to overflow.
    #[test]
    fn counts_that_a_rank_sends_may_be_any() {
        type G = ark_bn254::G1Affine;
        let curve = CurveSpec::of::<G>();
        let plan = Plan::new(&Request::new(&curve, 5, Device::cpu().facts())).expect("a plan");
        let message = [vec![0xff; 2 * 8], vec![0; 7 * 8 + 1]].concat();
        let part = || partial::<G>(&message, &plan).expect("whole");
        let total = Partial::total(vec![part(), part()]).expect("a sum");
        assert_eq!((total.plan.n, total.plan.chunks), (usize::MAX, usize::MAX));
        assert!(partial::<G>(&message[1..], &plan).is_err());
    }

    #[test]
    fn ranges_are_as_long_as_ranks_are_fast() {
        assert_eq!(ranges(10, &[1.0, 1.0]), [0..5, 5..10]);
        assert_eq!(ranges(10, &[1.0, 4.0]), [0..2, 2..10]);
        assert_eq!(ranges(8, &[1.0, 1.0, 0.0]), [0..4, 4..8, 8..8]);
        assert_eq!(ranges(0, &[1.0, 3.0]), [0..0, 0..0]);
        assert_eq!(ranges(1, &[1.0, 1.0, 1.0]).iter().map(Range::len).sum::<usize>(), 1);
        for ranks in 1..40 {
            let speeds: Vec<f64> = (0..ranks).map(|rank| 0.1 + f64::from(rank % 7)).collect();
            let ranges = ranges(1_000_003, &speeds);
            assert_eq!((ranges[0].start, ranges[ranges.len() - 1].end), (0, 1_000_003));
            assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}

//! Streamed MSMs over the ranks of a parallel program. Each reads and computes some of the chunks.
//!
//! 1. Ranks tell each other how fast they are, and agree on the length of a chunk: the one that the
//!    rank with the least memory can take, and such that all have chunks in proportion to their
//!    speed.
//! 2. Chunks are dealt out in turns ([`dealt`]). With a checkpoint, those whose sums are kept are
//!    then spread over all ranks, whoever computed them.
//! 3. Every rank streams its chunks, then the sums are exchanged.
//!
//! A checkpoint's folder must be the same for all ranks, on a file system that they share. Ranks on
//! other machines only compute again what they do not find.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::{BasesFile, Part, StreamPlan, StreamReport, Streamed};
use crate::bases::{Builder, exchange_sum, speeds};
use crate::device::Member;
use crate::report::Timings;
use crate::{Bases, Curve, Device, Error};

/// Chunks of the fastest rank at least, where ranks are not equally fast or finished chunks are
/// kept.
const TURNS: usize = 8;

impl<C: Curve> BasesFile<C> {
    /// Loads all bases of the file. Over [ranks](Device::over_ranks) each reads and checks only its
    /// range of them.
    ///
    /// ```
    /// use ark_bn254::{Fr, G1Affine};
    /// use ark_ec::AffineRepr;
    /// use bucketeer::curves::NamedCurve;
    /// use bucketeer::io::{self, BasesFile, Encoding, ReadOptions};
    /// use bucketeer::{Bases, Device, Error, ranks};
    ///
    /// let folder = tempfile::tempdir().map_err(|e| Error::Internal(e.to_string()))?;
    /// let path = folder.path().join("bases");
    /// io::write_bases(&path, &[G1Affine::generator(); 100], Encoding::Uncompressed)?;
    /// let sums = ranks::on_threads(3, |ranks| {
    ///     let device = Device::over_ranks(ranks, Device::cpu_with_threads(1)?);
    ///     let curve = NamedCurve::named("bn254")?;
    ///     let file = BasesFile::<G1Affine>::open(&path, curve, None, &ReadOptions::default())?;
    ///     file.load(&device, &Bases::builder())?.msm(&[2u8; 100])
    /// });
    /// assert_eq!(sums[2], Ok(G1Affine::generator() * Fr::from(200)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn load(&self, device: &Device, builder: &Builder<C>) -> Result<Bases<C>, Error> {
        match device.member() {
            None => builder.load(device, &self.read(0..self.len())?),
            Some(member) => builder.load_on_ranks(device, member, self.len(), |own| {
                Ok(Cow::Owned(self.read(own.clone())?))
            }),
        }
    }
}

impl<C: Curve> Streamed<C> {
    pub(super) fn msm_on_ranks(
        &self,
        member: &Arc<Member>,
        builder: &Builder<C>,
    ) -> Result<StreamReport<C>, Error> {
        let speeds = speeds::<C>(member, self.len())?;
        let local = member.local();
        let most = self.len().div_ceil(self.turns(&speeds)).max(1);
        // The lengths that ranks can take, of which the shortest is everybody's.
        let (own, lengths) = member.exchange("length of a chunk", || {
            local.check_threads()?;
            let plan = self.plan_for(local, builder, Some(most))?;
            let length = (plan.chunk as u64).to_le_bytes().to_vec();
            Ok((plan, length))
        })?;
        let length =
            lengths.into_iter().map(|bytes| bytes.try_into().map_or(1, u64::from_le_bytes));
        let length = length.min().unwrap_or(1).max(1) as usize;
        let mut plan = None;
        let what = format!("a streamed MSM over {} bases in chunks of {length}", self.len());
        let (sum, parts) = exchange_sum::<C>(member, &what, || {
            // Another plan would read again how much memory is free, and could find less.
            let of_length = match own.chunk == length {
                true => own,
                false => self.plan_of_length(local, builder, length)?,
            };
            let plan = plan.insert(of_length);
            let own = dealt(plan.chunks(), &speeds).swap_remove(member.ranks.rank());
            let part = self.sum_of_chunks(local, builder, plan, &own)?;
            let numbers = numbers(&part);
            Ok((part.sum, numbers))
        })?;
        let plan = plan.ok_or_else(|| Error::Internal("a stream without a plan".into()))?;
        let mut report = StreamReport {
            result: sum.into_group()?,
            plan,
            kept: 0,
            wait: Duration::ZERO,
            parse: Duration::ZERO,
            timings: Timings::default(),
        };
        parts.iter().for_each(|part| report.add(part));
        Ok(report)
    }

    /// Parts that the bases are divided into at least.
    fn turns(&self, speeds: &[f64]) -> usize {
        let active = || speeds.iter().copied().filter(|speed| *speed > 0.0);
        let (total, least) = (active().sum::<f64>(), active().fold(f64::MAX, f64::min));
        let equal = active().all(|speed| speed == least);
        match equal && self.checkpoint.is_none() {
            true => active().count().max(1),
            false => (total / active().fold(0.0, f64::max)).ceil() as usize * TURNS,
        }
    }

    /// The plan with chunks of this length, which this rank can take.
    fn plan_of_length(
        &self,
        local: &Device,
        builder: &Builder<C>,
        length: usize,
    ) -> Result<StreamPlan, Error> {
        let mut settings = builder.settings_for(self.len());
        settings.chunk = Some(length);
        let plan = self.plan(local, &builder.clone().settings(settings))?;
        if plan.chunk == length || self.is_empty() {
            return Ok(plan);
        }
        // Memory that was free when the ranks agreed is gone.
        let (needed, available) = (plan.bytes(), local.facts().memory);
        Err(Error::OutOfMemory { needed, available })
    }
}

/// The chunks of each rank, dealt in turns, in proportion to its speed.
fn dealt(chunks: usize, speeds: &[f64]) -> Vec<Vec<usize>> {
    let mut hands = vec![Vec::new(); speeds.len()];
    for chunk in 0..chunks {
        // When the rank would be done with one more.
        let end = |rank: &usize| (hands[*rank].len() + 1) as f64 / speeds[*rank];
        let next = (0..speeds.len()).filter(|rank| speeds[*rank] > 0.0);
        if let Some(rank) = next.min_by(|a, b| end(a).total_cmp(&end(b))) {
            hands[rank].push(chunk);
        }
    }
    hands
}

/// What a rank reports of its chunks beside their sum.
fn numbers<C: Curve>(part: &Part<C>) -> Vec<u8> {
    let Part { kept, wait, parse, timings, .. } = part;
    let stages = timings.stages().map(|(_, time)| time);
    let times = [*wait, *parse].into_iter().chain(stages).map(|time| time.as_nanos() as u64);
    [*kept as u64].into_iter().chain(times).flat_map(u64::to_le_bytes).collect()
}

impl<C: Curve> StreamReport<C> {
    /// Adds what a rank told: chunks are counted, times are those of the slowest.
    fn add(&mut self, numbers: &[u8]) {
        let mut numbers = numbers.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let mut next = || numbers.next().unwrap_or(0);
        self.kept += next() as usize;
        self.wait = self.wait.max(Duration::from_nanos(next()));
        self.parse = self.parse.max(Duration::from_nanos(next()));
        let stages = [(); 7].map(|()| Duration::from_nanos(next()));
        self.timings = self.timings.max(&Timings::of_stages(stages));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_dealt_in_turns() {
        assert_eq!(dealt(5, &[1.0, 1.0]), [vec![0, 2, 4], vec![1, 3]]);
        assert_eq!(dealt(6, &[1.0, 2.0]), [vec![1, 4], vec![0, 2, 3, 5]]);
        assert_eq!(dealt(3, &[1.0, 0.0]), [vec![0, 1, 2], vec![]]);
        for ranks in 1..20 {
            let speeds: Vec<f64> = (0..ranks).map(|rank| 1.0 + f64::from(rank % 3)).collect();
            let mut all: Vec<usize> = dealt(101, &speeds).concat();
            all.sort_unstable();
            assert_eq!(all, (0..101).collect::<Vec<_>>());
        }
    }
}

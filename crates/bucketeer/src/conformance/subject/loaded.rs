//! Cases that are not one MSM at a time: jobs, batches, and ranges of loaded bases.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ark_ff::PrimeField;
use num_bigint::BigInt as Integer;

use super::{Case, Input, OnCurve, residue};
use crate::{AsScalars, Curve, Error, Hook, Scalars, msm_resident};

impl<C: Curve> OnCurve<'_, C> {
    /// Jobs over loaded bases, all submitted before the first is waited for.
    pub(super) fn jobs(&self, case: &Case, input: &Input<C>) -> Option<String> {
        let run = || -> Result<bool, Error> {
            let bases = self.builder(case).load(self.device, &input.points)?;
            let ones = || vec![true; input.points.len()];
            let owned = || Owned(input.residues.clone());
            let jobs = [bases.submit(owned())?, bases.submit(owned())?, bases.submit(owned())?];
            let other = bases.submit(ones())?;
            drop(bases);
            let n = input.points.len();
            let all = other.wait()? == input.points.iter().map(|p| p.into_group()).sum();
            let right = jobs.into_iter().map(|job| Ok(input.is_sum(&job.wait()?, n)));
            Ok(all && right.collect::<Result<Vec<bool>, Error>>()?.into_iter().all(|right| right))
        };
        verdict(run())
    }

    /// A run whose hook stops it, and another on the same bases that must not notice.
    pub(super) async fn cancelled_first(&self, case: &Case, input: &Input<C>) -> Option<String> {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let hook: Hook = Arc::new(move |_| match flag.load(Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        let scalars = || Scalars::residues(&input.residues);
        let run = async || -> Result<bool, Error> {
            let builder = self.builder(case).on_progress(hook);
            // A load that is verified asks the hook, too.
            let bases = builder.load_async(self.device, &input.points).await?;
            stop.store(true, Relaxed);
            let cancelled = bases.msm_with_report_async(scalars()).await;
            let cancelled = cancelled.map_err(Error::without_rank);
            let cancelled = matches!(cancelled, Err(Error::Cancelled));
            stop.store(false, Relaxed);
            let sum = bases.msm_with_report_async(scalars()).await?.result;
            Ok(cancelled && input.is_sum(&sum, input.points.len()))
        };
        verdict(run().await)
    }

    pub(super) async fn pinned(&self, case: &Case, input: &Input<C>) -> Option<String> {
        let run = async || -> Result<bool, Error> {
            let scalars = self.device.pinned(&input.residues)?;
            let bases = self.builder(case).load_async(self.device, &input.points).await?;
            let sum = bases.msm_with_report_async(Scalars::residues(&scalars)).await?.result;
            Ok(scalars.len() == input.points.len() && input.is_sum(&sum, scalars.len()))
        };
        verdict(run().await)
    }

    /// Prefixes of the scalars as a batch, over shared bases or each with its own.
    pub(super) async fn batch(
        &self,
        case: &Case,
        input: &Input<C>,
        shared: bool,
    ) -> Option<String> {
        let n = input.points.len();
        let lengths = [n, 0, 1.min(n), n / 2, n.saturating_sub(1), n];
        let scalars = lengths.map(|length| Scalars::residues(&input.residues[..length]));
        let result = if shared {
            let batch: Vec<_> = scalars.iter().collect();
            match self.builder(case).load_async(self.device, &input.points).await {
                Ok(bases) => bases.msm_batch_async(&batch).await,
                Err(error) => Err(error),
            }
        } else {
            let own = scalars.iter().map(|scalars| (&input.points[..scalars.len()], scalars));
            let own: Vec<_> = own.collect();
            self.builder(case).msm_batch_async(self.device, &own).await
        };
        let at_infinity = lengths.iter().position(|length| input.is_at_infinity(*length));
        let sums = match (result, at_infinity) {
            (Err(Error::Batch { index, source }), Some(place))
                if index == place && *source == Error::NotRepresentable =>
            {
                return None;
            }
            (Ok(sums), None) => sums,
            (Ok(_), Some(_)) => return Some("a sum that the affine model cannot express".into()),
            (Err(error), _) => return Some(format!("error: {error}")),
        };
        input.wrong(&sums, &lengths.map(|length| (0, length)))
    }

    /// A batch of residues, of the same as integers, of integers of two lengths with one bound, and
    /// of their negatives, over loaded bases and over own.
    pub(super) async fn mixed_batch(&self, case: &Case, input: &Input<C>) -> Option<String> {
        let n = input.points.len();
        let words = |k: &C::ScalarField| k.into_bigint().as_ref().to_vec();
        let canonical: Vec<u64> = input.residues.iter().flat_map(words).collect();
        let short: Vec<u64> = (0..n as u64).collect();
        let long: Vec<[u64; 2]> = short.iter().map(|&k| [k, 0]).collect();
        let negative: Vec<i64> = short.iter().map(|&k| -(k as i64)).collect();
        let batch = [
            Scalars::residues(&input.residues),
            Scalars::from(&negative),
            Scalars::canonical(&canonical),
            Scalars::from(&short),
            Scalars::from(&long).with_bits(64),
            Scalars::residues(&input.residues[..n / 2]),
        ];
        let run = async || -> Result<Vec<Vec<C::Group>>, Error> {
            let builder = self.builder(case);
            let bases = builder.load_async(self.device, &input.points).await?;
            let own = batch.each_ref().map(|scalars| (&input.points[..scalars.len()], scalars));
            let shared = bases.msm_batch_async(&batch.each_ref()).await?;
            Ok(vec![shared, builder.msm_batch_async(self.device, &own).await?])
        };
        let of_integers = |integers: Vec<Integer>| Input {
            points: input.points.clone(),
            residues: integers.iter().map(residue).collect(),
            logarithms: input.logarithms.clone(),
            integers,
        };
        let integers = of_integers(short.iter().map(|&k| k.into()).collect());
        let negatives = of_integers(negative.iter().map(|&k| k.into()).collect());
        let right = |sums: &Vec<C::Group>| {
            let of = [input, &negatives, input, &integers, &integers, input];
            let lengths = batch.each_ref().map(|scalars| scalars.len());
            let all = sums.iter().zip(of).zip(lengths);
            sums.len() == batch.len() && all.into_iter().all(|((s, of), n)| of.is_sum(s, n))
        };
        verdict(run().await.map(|sums| sums.iter().all(right)))
    }

    /// Ranges of loaded bases: all, all but the first, some in the middle, none, the last, and
    /// fewer scalars than bases.
    pub(super) async fn slices(&self, case: &Case, input: &Input<C>) -> Option<String> {
        let n = input.points.len();
        let run = async || -> Result<Option<String>, Error> {
            let bases = self.builder(case).load_async(self.device, &input.points).await?;
            for (first, length, scalars) in ranges(n) {
                let slice = bases.slice(first..).slice(..length);
                let own = Scalars::residues(&input.residues[..scalars]);
                let sum = slice.msm_with_report_async(own).await?.result;
                let half = Scalars::residues(&input.residues[..scalars / 2]);
                let batch = slice.msm_batch_async(&[&own, &half, &own]).await?;
                let lengths = [(first, scalars), (first, scalars / 2), (first, scalars)];
                let fault = input.wrong(&[sum], &lengths[..1]);
                if let Some(fault) = fault.or_else(|| input.wrong(&batch, &lengths)) {
                    return Ok(Some(fault));
                }
            }
            Ok(None)
        };
        run().await.unwrap_or_else(|error| Some(format!("error: {error}")))
    }

    /// Ranges of the bases, loaded twice, in one call.
    pub(super) fn several_bases(&self, case: &Case, input: &Input<C>) -> Option<String> {
        let run = || -> Result<Option<String>, Error> {
            let load = || self.builder(case).load(self.device, &input.points);
            let loaded = [load()?, load()?];
            let ranges = ranges(input.points.len());
            let scalars = ranges.map(|range| Scalars::residues(&input.residues[..range.2]));
            let msm = |(index, (first, length, _)): (usize, (usize, usize, usize))| {
                (loaded[index % 2].slice(first..first + length), &scalars[index])
            };
            let msms: Vec<_> = ranges.into_iter().enumerate().map(msm).collect();
            let expected = ranges.map(|(first, _, scalars)| (first, scalars));
            Ok(input.wrong(&msm_resident(&msms)?, &expected))
        };
        run().unwrap_or_else(|error| Some(format!("error: {error}")))
    }
}

/// Ranges of `n` bases: first base, bases and scalars.
fn ranges(n: usize) -> [(usize, usize, usize); 7] {
    let (one, third) = (1.min(n), n / 3);
    [
        (0, n, n),
        (one, n - one, n - one),
        (third, n / 2, n / 2),
        (n, 0, 0),
        (n - one, one, one),
        (third, n - third, third),
        (0, third, third),
    ]
}

/// Residues that a job owns.
struct Owned<F>(Vec<F>);

impl<F> AsScalars<F> for Owned<F> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        Scalars::residues(&self.0)
    }
}

/// What is wrong with the outcome of a run that must be right.
fn verdict(result: Result<bool, Error>) -> Option<String> {
    match result {
        Ok(true) => None,
        Ok(false) => Some("a wrong outcome".into()),
        Err(error) => Some(format!("error: {error}")),
    }
}

//! Verification of runs (`verify/`): the second computation, and the comparison.

use std::ops::Range;

use super::{BasesSlice, Builder};
use crate::control::CancelToken;
use crate::plan::Settings;
use crate::sum::Sum;
use crate::verify::{Combined, Ring, Term, Verifier, failed, is_multiple, points};
use crate::{AsScalars, Curve, CurveSpec, Device, DeviceKind, Error, Scalars, Weierstrass};

/// The message where a combination of sums is wrong.
const DIFFERENT: &str = "a random combination of the results is not what an MSM with the same \
                         combination of the scalars gives";

impl<C: Curve> Builder<C> {
    /// Computes the anchors of bases, if MSMs over them are to be verified.
    pub(super) async fn verifier(
        &self,
        device: &Device,
        bases: &[C],
    ) -> Result<Option<Verifier<C>>, Error> {
        let any_point = self.settings.any_point;
        if !self.settings.verify {
            return Ok(None);
        }
        let mut verifier = Verifier::<C>::new(bases.len(), any_point)?;
        let on_cpu = device.kind() == DeviceKind::Cpu;
        let own = device.parts().first().unwrap_or(device);
        let host = if on_cpu { own.clone() } else { Device::cpu() }.portable()?;
        let memory_limit = self.settings.memory_limit.filter(|_| on_cpu);
        let settings = Settings { any_point, memory_limit, ..Settings::default() };
        let builder = Self::default().settings(settings);
        let blocks: Vec<Range<usize>> = verifier.blocks().collect();
        for round in &mut verifier.rounds {
            for block in &blocks {
                let masks = verifier.ring.combine(block, Some(&round.seed), &[])?;
                let (bases, cancel) = (&bases[block.clone()], CancelToken::default());
                let run = builder.run_once(&host, bases, &masks.as_scalars(), cancel).await?;
                round.anchors.push(run.sum.weierstrass()?);
            }
        }
        Ok(Some(verifier))
    }

    /// Verifies the sum of an MSM over the caller's bases.
    pub(super) async fn verify_one(
        &self,
        device: &Device,
        (bases, scalars): (&[C], &Scalars<'_, C::ScalarField>),
        (sum, window_bits): (&Sum<C>, u32),
        cancel: CancelToken,
    ) -> Result<(), Error> {
        if !self.settings.verify {
            return Ok(());
        }
        let again = Again::new(self, std::slice::from_ref(scalars), std::slice::from_ref(sum))?;
        let scaled = again.scaled[0].as_scalars();
        let other = self.with_other_windows(window_bits);
        let run = match other.run_once(device, bases, &scaled, cancel.clone()).await {
            Err(Error::InvalidSetting { .. } | Error::OutOfMemory { .. }) => {
                self.run_once(device, bases, &scaled, cancel).await
            }
            run => run,
        };
        again.compare(&[run?.sum])
    }

    /// Verifies the sums of a batch over the caller's bases.
    pub(super) async fn verify_batch(
        &self,
        device: &Device,
        batch: &[(&[C], Scalars<'_, C::ScalarField>)],
        sums: &[Sum<C>],
    ) -> Result<(), Error> {
        if !self.settings.verify {
            return Ok(());
        }
        let scalars: Vec<_> = batch.iter().map(|(_, scalars)| *scalars).collect();
        let again = Again::new(self, &scalars, sums)?;
        let pairs = batch.iter().zip(&again.scaled);
        let scaled: Vec<_> =
            pairs.map(|((bases, _), scaled)| (*bases, scaled.as_scalars())).collect();
        again.compare(&self.batch_once(device, &scaled).await?)
    }

    /// The builder of a plan with windows of another width, where the plan chooses them.
    fn with_other_windows(&self, bits: u32) -> Self {
        let mut other = self.clone();
        if other.settings.last_window_bits.is_none() {
            other.settings.window_bits = Some(if bits > 3 { bits - 1 } else { bits + 1 });
        }
        other
    }
}

/// MSMs over the caller's bases, to be computed again with their scalars times coefficients.
struct Again<C: Curve> {
    terms: Vec<(u128, Weierstrass<C::BaseField>)>,
    scaled: Vec<Combined<C::ScalarField>>,
}

impl<C: Curve> Again<C> {
    fn new(
        builder: &Builder<C>,
        batch: &[Scalars<'_, C::ScalarField>],
        sums: &[Sum<C>],
    ) -> Result<Self, Error> {
        let any_point = builder.settings.any_point;
        let ring = Ring::new(&CurveSpec::of::<C>(), any_point)?;
        let coefficients = ring.coefficients(batch.len());
        let scaled = batch.iter().zip(&coefficients).map(|(scalars, coefficient)| {
            let term = Term { coefficient: *coefficient, scalars: *scalars, first: 0 };
            ring.combine(&(0..scalars.len()), None, &[term])
        });
        let scaled = scaled.collect::<Result<_, Error>>()?;
        let terms = coefficients.iter().copied().zip(points(sums, any_point)?).collect();
        Ok(Self { terms, scaled })
    }

    fn compare(&self, sums: &[Sum<C>]) -> Result<(), Error> {
        for (index, (term, sum)) in self.terms.iter().zip(sums).enumerate() {
            if !is_multiple::<C>(sum.weierstrass()?, *term) {
                let error = failed("a second run with other scalars and windows disagrees");
                return Err(if sums.len() > 1 { error.in_msm(index) } else { error });
            }
        }
        Ok(())
    }
}

impl<C: Curve> BasesSlice<'_, C> {
    /// Verifies the table, as it was just made.
    pub(super) async fn verify_table(&self) -> Result<(), Error> {
        let whole = 0..self.bases().len();
        self.verify_over(&whole, &[], &[], (None, CancelToken::default())).await
    }

    /// Verifies the sums of MSMs whose bases begin at place `first`.
    pub(super) async fn verify(
        &self,
        first: usize,
        batch: &[Scalars<'_, C::ScalarField>],
        sums: &[Sum<C>],
        how: (Option<usize>, CancelToken),
    ) -> Result<(), Error> {
        let longest = batch.iter().map(Scalars::len).max().unwrap_or(0);
        match batch {
            [] => Ok(()),
            _ => self.verify_over(&(first..first + longest), batch, sums, how).await,
        }
    }

    async fn verify_over(
        &self,
        places: &Range<usize>,
        batch: &[Scalars<'_, C::ScalarField>],
        sums: &[Sum<C>],
        (threads, cancel): (Option<usize>, CancelToken),
    ) -> Result<(), Error> {
        let inner = &*self.bases().inner;
        let Some(verifier) = &inner.verifier else { return Ok(()) };
        let found = points(sums, inner.settings.any_point)?;
        let cover = verifier.cover(places);
        let slice = self.bases().slice(cover.clone());
        for round in &verifier.rounds {
            let coefficients = verifier.ring.coefficients(batch.len());
            let terms = batch.iter().zip(&coefficients).map(|(scalars, coefficient)| Term {
                coefficient: *coefficient,
                scalars: *scalars,
                first: places.start,
            });
            let terms: Vec<_> = terms.collect();
            let combined = verifier.ring.combine(&cover, Some(&round.seed), &terms)?;
            let run = slice.run_once(&combined.as_scalars(), threads, cancel.clone()).await?;
            let terms: Vec<_> = coefficients.into_iter().zip(found.iter().copied()).collect();
            if !verifier.agrees(round, &cover, &terms, run.sum.weierstrass()?) {
                let table = "the table of the bases does not have the sum that the bases have";
                return Err(failed(if batch.is_empty() { table } else { DIFFERENT }));
            }
        }
        Ok(())
    }
}

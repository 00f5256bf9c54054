//! The engine of all GPUs: carries plans out on any [`Backend`].
//!
//! 1. Kernels that the plan needs are compiled.
//! 2. Chunks of scalars go through the stages, pass by pass; the device leaves a few points of each
//!    bucket set.
//! 3. The host combines these points (`combine.rs`).

use std::sync::Arc;

use super::backend::{Backend, Job, Points, Run};
use super::combine;
use super::parts::Part;
use super::{Affine, Raw, batch, schedule, supported};
use crate::control::Control;
use crate::curve::{EdwardsMap, Form};
use crate::engine::{Engine, Msm, Placement};
#[cfg(feature = "faults")]
use crate::faults::flips::{self, Place};
#[cfg(feature = "faults")]
use crate::plan::BufferKind;
use crate::plan::{BatchPlan, Plan, SumLists};
use crate::platform::Instant;
use crate::report::Timings;
use crate::sum::Sum;
use crate::wait::Pending;
use crate::{Curve, CurveSpec, Error};

/// The engine of one curve on one GPU.
pub(crate) struct GpuEngine<B: Backend, C: Curve> {
    backend: B,
    curve: Arc<CurveSpec>,
    /// The form that the kernels add in.
    form: Form,
    /// The way back from it, where that is the Edwards form.
    edwards: Option<EdwardsMap<C::BaseField>>,
    resident: Option<B::Table>,
}

/// The engine for a curve; `backend` makes the GPU's part of it.
pub(crate) fn engine<B: Backend + 'static, C: Curve>(
    plan: &Plan,
    backend: impl FnOnce(Arc<CurveSpec>) -> B,
) -> Result<Box<dyn Engine<C>>, Error> {
    let (curve, form) = (supported::<C>()?, plan.form);
    let edwards = match form {
        Form::Edwards => C::edwards(),
        Form::Weierstrass => None,
    };
    let backend = backend(curve.clone());
    Ok(Box::new(GpuEngine { backend, curve, form, edwards, resident: None }))
}

impl<B: Backend, C: Curve> GpuEngine<B, C> {
    fn affine<'a>(&'a self, points: &'a [C]) -> Affine<'a, C> {
        Affine { points, curve: &self.curve, form: self.form }
    }

    /// The sums of all MSMs of a plan: over resident bases, or over borrowed ones of which each MSM
    /// has `plan.n` of its own, one after the other.
    pub(super) async fn sums(
        &self,
        plan: &Plan,
        bases: Placement<'_, C>,
        raw: &Raw<'_>,
        control: &Control,
    ) -> Result<(Vec<Sum<C>>, Timings), Error> {
        let msms = raw.parts.len();
        if raw.length == 0 {
            return Ok(((0..msms).map(|_| Sum::zero()).collect(), Timings::default()));
        }
        let affine;
        let points = match (bases, &self.resident) {
            (Placement::Borrowed(points), _) => {
                affine = self.affine(points);
                Points::Borrowed(&affine)
            }
            (Placement::Resident { first }, Some(table)) => Points::Resident { table, first },
            (Placement::Resident { .. }, None) => {
                return Err(Error::Internal("no bases are loaded".into()));
            }
        };
        let schedule = plan.gpu()?;
        let loads = matches!(points, Points::Borrowed(_));
        let compile = self.backend.prepare(schedule, loads).await?;
        let job = Job { plan, schedule, points, raw };
        let mut run = self.backend.start(job).await?;
        let parts = match carry_out(&mut run, job, control).await {
            Ok(parts) => parts,
            Err(error) => {
                run.abandon().await;
                return Err(error);
            }
        };
        let mut timings = run.finish().await?;
        timings.compile = compile;
        let start = Instant::now();
        let sums = self.combine(plan, parts, msms)?;
        timings.combine = start.elapsed();
        Ok((sums, timings))
    }

    fn combine(
        &self,
        plan: &Plan,
        mut parts: Vec<Part>,
        msms: usize,
    ) -> Result<Vec<Sum<C>>, Error> {
        for part in &mut parts {
            self.backend.to_arkworks::<C::BaseField>(&mut part.words)?;
        }
        combine::sums::<C>(self.edwards.as_ref(), plan, &parts, msms)
    }
}

/// The stages of a run in order.
async fn carry_out<R: Run, T>(
    run: &mut R,
    job: Job<'_, T>,
    control: &Control,
) -> Result<Vec<Part>, Error> {
    let Job { plan, schedule, raw, .. } = job;
    let n = raw.len();
    control.reach(0)?;
    let mut parts = Vec::new();
    for chunk in schedule::chunks(plan, schedule, job.first(), n) {
        let bases = run.bases(&chunk).await?;
        run.decompose(&chunk).await?;
        #[cfg(feature = "faults")]
        flipped(run, Place::Scalars, BufferKind::Scalars).await?;
        for pass in chunk.passes(plan, schedule) {
            run.group(&chunk, pass, &bases).await?;
            if pass.first_set == 0 {
                run.load(&chunk).await?;
                #[cfg(feature = "faults")]
                if let Points::Borrowed(_) = job.points {
                    flipped(run, Place::Table, BufferKind::Bases).await?;
                }
            }
            if schedule.accumulate != SumLists::FusedSweep {
                run.accumulate(&bases, !pass.first).await?;
            }
            #[cfg(feature = "faults")]
            if schedule.accumulate != SumLists::FusedSweep {
                flipped(run, Place::Buckets, BufferKind::BucketSums).await?;
            }
            if pass.last {
                run.reduce(&bases).await?;
                let words = run.results().await?;
                parts.push(Part::new(&job, &chunk, pass, words));
            }
        }
        let done = run.end_chunk(&chunk).await?;
        control.reach(plan.digits(done))?;
    }
    if let Some(index) = run.too_large().await? {
        return Err(raw.too_large(index));
    }
    control.reach(plan.digits(n))?;
    Ok(parts)
}

/// Flips a bit of a buffer, if a fault on purpose is due there.
#[cfg(feature = "faults")]
async fn flipped<R: Run>(run: &mut R, place: Place, buffer: BufferKind) -> Result<(), Error> {
    match flips::take(place) {
        Some(flip) => run.flip(buffer, flip).await,
        None => Ok(()),
    }
}

impl<B: Backend, C: Curve> Engine<C> for GpuEngine<B, C> {
    fn load<'a>(&'a mut self, plan: &'a Plan, points: &'a [C]) -> Pending<'a, Result<(), Error>> {
        Box::pin(async move {
            let (table, compiled) = self.backend.load(plan, &self.affine(points)).await?;
            #[cfg(feature = "faults")]
            if let Some(flip) = flips::take(Place::Table) {
                self.backend.flip(&table, flip).await?;
            }
            tracing::info!(seconds = compiled.as_secs_f64(), "kernels compiled and loaded");
            self.resident = Some(table);
            Ok(())
        })
    }

    fn run<'a>(
        &'a self,
        plan: &'a Plan,
        msm: Msm<'a, C>,
        control: &'a Control,
    ) -> Pending<'a, Result<(Sum<C>, Timings), Error>> {
        Box::pin(async move {
            let Msm { bases, scalars } = msm;
            let raw = Raw::new(std::slice::from_ref(&scalars), scalars.len());
            let (mut sums, timings) = self.sums(plan, bases, &raw, control).await?;
            let sum = sums.pop().ok_or_else(|| Error::Internal("a run without a sum".into()))?;
            Ok((sum, timings))
        })
    }

    fn run_batch<'a>(
        &'a self,
        plan: &'a BatchPlan,
        msms: &'a [Msm<'a, C>],
        control: &'a Control,
    ) -> Pending<'a, Result<Vec<Sum<C>>, Error>> {
        Box::pin(batch::run(self, plan, msms, control))
    }
}

//! Batches on a GPU: steps of the plan in order, MSMs that share a plan padded to one length.

use super::Raw;
use super::backend::Backend;
use super::engine::GpuEngine;
use crate::control::Control;
use crate::engine::{Engine, Msm, Placement};
use crate::plan::{BatchPlan, BatchWay};
use crate::sum::Sum;
use crate::{Curve, Error};

/// Carries out a batch.
pub(super) async fn run<B: Backend, C: Curve>(
    engine: &GpuEngine<B, C>,
    plan: &BatchPlan,
    msms: &[Msm<'_, C>],
    control: &Control,
) -> Result<Vec<Sum<C>>, Error> {
    let mut sums = Vec::with_capacity(msms.len());
    for step in &plan.steps {
        let (first, msms) = (step.msms.start, &msms[step.msms.clone()]);
        match &step.way {
            BatchWay::Together(plan) => {
                let digits = plan.digits(plan.n * msms.len());
                let padded = padded(msms, plan.n);
                let bases = match (&padded, msms.first()) {
                    (None, Some(first)) => first.bases,
                    (padded, _) => Placement::Borrowed(padded.as_deref().unwrap_or_default()),
                };
                let scalars: Vec<_> = msms.iter().map(|msm| msm.scalars).collect();
                let raw = Raw::new(&scalars, plan.n);
                let own = engine.sums(plan, bases, &raw, &control.again(digits)).await;
                sums.extend(own.map_err(|error| error.in_batch_from(first))?.0);
            }
            BatchWay::Concurrently(plans) | BatchWay::InTurn(plans) => {
                for (index, (msm, plan)) in msms.iter().zip(plans).enumerate() {
                    let control = control.again(plan.digits(msm.scalars.len()));
                    let run = engine.run(plan, *msm, &control).await;
                    sums.push(run.map_err(|error| error.in_msm(first + index))?.0);
                }
            }
        }
    }
    Ok(sums)
}

/// Borrowed bases one after the other, filled up to `length` each with infinity.
fn padded<C: Curve>(msms: &[Msm<'_, C>], length: usize) -> Option<Vec<C>> {
    let mut points = Vec::new();
    for (index, msm) in msms.iter().enumerate() {
        let Placement::Borrowed(bases) = msm.bases else { return None };
        points.extend_from_slice(bases);
        points.resize((index + 1) * length, C::zero());
    }
    Some(points)
}

//! Plans for batches: which MSMs share a plan, and which run at the same time.
//!
//! 1. A GPU takes a batch over resident bases in one plan, if one chunk holds all of it.
//! 2. Short MSMs that bring bases of their own go to a GPU in groups, padded to one length.
//! 3. A CPU runs short MSMs concurrently, each on a few threads.
//! 4. All others run one after the other: each fills the device by itself, or has a memory limit.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::{Plan, Request, ScalarBound, Settings};
use crate::facts::{DeviceFacts, DeviceKind};
use crate::scalars::ScalarLayout;
use crate::{Error, Scalars};

/// Most bases of an MSM that shares the device with others of its batch.
const SHORT: usize = 1 << 14;
/// Bases, padding included, of a group of MSMs that a GPU takes in one plan.
const GROUP: usize = 1 << 22;

/// One MSM of a batch, as far as a plan looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MsmSize {
    pub n: usize,
    pub scalars: ScalarBound,
    pub layout: ScalarLayout,
}

impl MsmSize {
    pub(crate) fn of<F>(scalars: &Scalars<'_, F>) -> Self {
        Self { n: scalars.len(), scalars: scalars.bound(), layout: scalars.layout() }
    }
}

/// Every decision of a batch.
#[derive(Debug, Clone)]
pub(crate) struct BatchPlan {
    /// Carried out in order.
    pub steps: Vec<BatchStep>,
}

/// Consecutive MSMs of a batch.
#[derive(Debug, Clone)]
pub(crate) struct BatchStep {
    pub msms: Range<usize>,
    pub way: BatchWay,
}

/// How the MSMs of a step are run.
#[derive(Debug, Clone)]
pub(crate) enum BatchWay {
    /// In one plan, padded to the length of the longest.
    Together(Arc<Plan>),
    /// Each in a plan of its own, at the same time.
    Concurrently(Vec<Arc<Plan>>),
    /// Each in a plan of its own, one after the other.
    InTurn(Vec<Arc<Plan>>),
}

impl BatchPlan {
    /// For MSMs over the same bases: the resident ones of `request.table` from place `first` on, or
    /// streamed ones.
    pub(crate) fn shared_bases(
        request: &Request<'_>,
        first: usize,
        msms: &[MsmSize],
    ) -> Result<Self, Error> {
        let gpu = request.device.kind != DeviceKind::Cpu;
        let together = if gpu && request.table.is_some() { together(request, msms) } else { None };
        let way = match together.filter(|plan| first == 0 || plan.in_one_buffer(first)) {
            Some(plan) => BatchWay::Together(plan.into()),
            None => each(request, msms, &|_| request.settings.clone())?,
        };
        Ok(Self::in_one_step(msms, way))
    }

    /// For MSMs that each bring bases of their own; `settings` are those for a number of bases.
    pub(crate) fn own_bases(
        request: &Request<'_>,
        msms: &[MsmSize],
        settings: &dyn Fn(usize) -> Settings,
    ) -> Result<Self, Error> {
        let longest = msms.iter().map(|msm| msm.n).max().unwrap_or(0).max(1);
        if request.device.kind == DeviceKind::Cpu || longest > SHORT {
            return Ok(Self::in_one_step(msms, each(request, msms, settings)?));
        }
        let padded = request.clone().settings(&settings(longest));
        let mut steps = Vec::new();
        let mut first = 0;
        for group in msms.chunks(GROUP / longest) {
            let way = match together(&padded, group) {
                Some(plan) => BatchWay::Together(plan.into()),
                None => {
                    each(request, group, settings).map_err(|error| error.in_batch_from(first))?
                }
            };
            steps.push(BatchStep { msms: first..first + group.len(), way });
            first += group.len();
        }
        Ok(Self { steps })
    }

    fn in_one_step(msms: &[MsmSize], way: BatchWay) -> Self {
        Self { steps: vec![BatchStep { msms: 0..msms.len(), way }] }
    }

    /// Predicted time of the whole batch on a device with this many threads.
    pub(crate) fn nanoseconds(&self, threads: usize) -> f64 {
        let step = |step: &BatchStep| match &step.way {
            // A plan of several MSMs predicts the time of each.
            BatchWay::Together(plan) => step.msms.len() as f64 * plan.cost.nanoseconds,
            BatchWay::Concurrently(plans) => {
                let own = |plan: &Arc<Plan>| plan.cost.nanoseconds * plan.device.threads as f64;
                plans.iter().map(own).sum::<f64>() / threads.max(1) as f64
            }
            BatchWay::InTurn(plans) => plans.iter().map(|plan| plan.cost.nanoseconds).sum(),
        };
        self.steps.iter().map(step).sum()
    }

    /// Any plan of the batch.
    pub(crate) fn first(&self) -> Option<&Plan> {
        self.steps.iter().find_map(|step| match &step.way {
            BatchWay::Together(plan) => Some(&**plan),
            BatchWay::Concurrently(plans) | BatchWay::InTurn(plans) => {
                plans.first().map(|plan| &**plan)
            }
        })
    }
}

/// One plan for all MSMs, if they are two or more with scalars of one kind and fit in one chunk.
fn together(request: &Request<'_>, msms: &[MsmSize]) -> Option<Plan> {
    let (first, rest) = msms.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let n = msms.iter().map(|msm| msm.n).max().filter(|n| *n > 0)?;
    let MsmSize { scalars, layout, .. } = *first;
    if rest.iter().any(|msm| msm.scalars != scalars || msm.layout != layout) {
        return None;
    }
    let batch = msms.len();
    let plan = Plan::new(&Request { n, batch, scalars, ..request.clone() });
    plan.ok().filter(|plan| plan.chunks == 1)
}

/// A plan for each MSM; those of the same size share it.
fn each(
    request: &Request<'_>,
    msms: &[MsmSize],
    settings: &dyn Fn(usize) -> Settings,
) -> Result<BatchWay, Error> {
    let concurrently = request.device.kind == DeviceKind::Cpu
        && request.settings.memory_limit.is_none()
        && msms.len() > 1
        && msms.iter().all(|msm| msm.n <= SHORT);
    let device = match concurrently {
        true => shared(request.device, msms.len()),
        false => request.device,
    };
    let mut known: HashMap<MsmSize, Arc<Plan>> = HashMap::new();
    let plan = |(index, msm): (usize, &MsmSize)| {
        if let Some(plan) = known.get(msm) {
            return Ok(plan.clone());
        }
        let MsmSize { n, scalars, .. } = *msm;
        let settings = settings(n);
        let plan = Plan::new(&Request { n, scalars, device, settings, ..request.clone() });
        let plan = Arc::new(plan.map_err(|error| error.in_msm(index))?);
        known.insert(*msm, plan.clone());
        Ok(plan)
    };
    let plans: Result<_, Error> = msms.iter().enumerate().map(plan).collect();
    Ok(if concurrently { BatchWay::Concurrently(plans?) } else { BatchWay::InTurn(plans?) })
}

/// The threads of each MSM over bases of its own, where several run on a CPU: a few for short ones,
/// which run concurrently, each within its own memory limit; `None` for long ones, which run in
/// turn on all threads. `lengths` are the numbers of bases.
pub(crate) fn share_threads(threads: usize, lengths: &[usize]) -> Vec<Option<usize>> {
    let concurrent = lengths.iter().filter(|n| **n <= SHORT).count();
    let own =
        |n: &usize| (concurrent > 1 && *n <= SHORT).then(|| threads_of_each(threads, concurrent));
    lengths.iter().map(own).collect()
}

/// The part of a CPU that each of this many concurrent MSMs is planned for.
fn shared(device: DeviceFacts, msms: usize) -> DeviceFacts {
    DeviceFacts { threads: threads_of_each(device.threads, msms), ..device }
}

/// MSMs get four times their share of the threads, so that none is idle at the end.
fn threads_of_each(threads: usize, msms: usize) -> usize {
    (4 * threads / msms.max(1)).clamp(1, threads.max(1))
}

//! The WebGPU backend: the five stages in WGSL, on any GPU, in a program or in a browser.
//!
//! Shaders are in `shaders`, specialised to a curve by a [`prelude`] of constants, put together and their inner
//! loops written out ([`unroll`]) in [`program`]. Field elements are cut into limbs whose products add up
//! without carries: limbs of 13 bits with the 32-bit integers that WGSL has, of 29 bits where the adapter has
//! 64-bit ones. A curve is added on in its Edwards form where it has one, otherwise in XYZZ coordinates.
//!
//! A browser must not be blocked, so everything here is asynchronous; the blocking functions wait.

mod accumulate;
mod adapter;
mod decompose;
mod group;
mod prelude;
mod program;
mod recorder;
mod reduce;
mod stages;
mod table;
#[cfg(all(test, feature = "conformance"))]
mod tests;
mod unroll;
mod workspace;

use std::fmt;
use std::sync::Arc;

use adapter::{AdapterFacts, Faults};
use prelude::Field;
use program::{Modules, Program};
use stages::{Points, Resident};
use workspace::Pool;

use crate::control::Control;
use crate::cpu::formulas::read;
use crate::curve::EdwardsMap;
use crate::device::DeviceFacts;
use crate::engine::{Engine, Source, Timings};
use crate::gpu::{self, Affine, Raw};
use crate::plan::{Form, Plan};
use crate::platform::Instant;
use crate::sum::Sum;
use crate::wait::{Pending, wait};
use crate::{Curve, CurveSpec, Error, Scalars, WordField};

/// An open adapter, shared by all engines on it.
pub(crate) struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    facts: AdapterFacts,
    faults: Faults,
    modules: Modules,
    pool: Pool,
    index: usize,
    /// Whether shaders use 64-bit integers.
    wide: bool,
}

impl Gpu {
    /// Opens the adapter with this number; with 32-bit integers only if `portable`.
    pub(crate) async fn open(index: usize, portable: bool) -> Result<Self, Error> {
        let adapter::Opened { device, queue, facts, faults } =
            adapter::open(index, portable).await?;
        let (modules, pool, wide) = (Modules::default(), Pool::default(), facts.wide);
        Ok(Self { device, queue, facts, faults, modules, pool, index, wide })
    }

    /// How many adapters there are.
    pub(crate) async fn count() -> usize {
        adapter::count().await
    }

    /// The same adapter, restricted to 32-bit integers.
    pub(crate) async fn portable(&self) -> Result<Self, Error> {
        Self::open(self.index, true).await
    }

    pub(crate) fn facts(&self) -> DeviceFacts {
        self.facts.plan_facts()
    }
}

impl fmt::Display for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AdapterFacts { name, backend, driver, software, .. } = &self.facts;
        write!(f, "webgpu:{}, {name} ({backend}", self.index)?;
        if !driver.is_empty() {
            write!(f, ", {driver}")?;
        }
        let integers = if self.wide { "64-bit" } else { "32-bit" };
        let software = if *software { ", on the CPU" } else { "" };
        write!(f, "), {integers} integers{software}")
    }
}

/// The engine for a curve on an adapter.
pub(crate) fn engine<C: Curve>(
    device: &Arc<Gpu>,
    plan: &Plan,
) -> Result<Box<dyn Engine<C>>, Error> {
    let curve = gpu::supported::<C>()?;
    let program = Program::new(&curve, plan.form);
    let edwards = match plan.form {
        Form::Edwards => C::edwards(),
        Form::Weierstrass => None,
    };
    let (gpu, form) = (device.clone(), plan.form);
    Ok(Box::new(WebGpu { gpu, curve, program, form, edwards, resident: None }))
}

/// The WebGPU engine of one curve.
struct WebGpu<C: Curve> {
    gpu: Arc<Gpu>,
    curve: Arc<CurveSpec>,
    program: Program,
    /// The form that the shaders add in.
    form: Form,
    /// The way back from it, where that is the Edwards form.
    edwards: Option<EdwardsMap<C::BaseField>>,
    resident: Option<Resident>,
}

impl<C: Curve> WebGpu<C> {
    fn affine<'a>(&'a self, points: &'a [C]) -> Affine<'a, C> {
        Affine { points, curve: &self.curve, form: self.form }
    }

    async fn sums(
        &self,
        plan: &Plan,
        source: Source<'_, C>,
        raw: &Raw<'_>,
        control: &Control,
    ) -> Result<(Vec<Sum<C>>, Timings), Error> {
        let msms = raw.parts.len();
        if raw.length == 0 {
            return Ok(((0..msms).map(|_| Sum::zero()).collect(), Timings::default()));
        }
        let affine;
        let points = match (source, &self.resident) {
            (Source::Borrowed(points), _) => {
                affine = self.affine(points);
                Points::Borrowed(&affine)
            }
            (Source::Resident, Some(resident)) => Points::Resident(resident),
            (Source::Resident, None) => return Err(Error::Internal("no bases are loaded".into())),
        };
        let (gpu, program) = (&*self.gpu, &self.program);
        let (mut parts, mut timings) =
            stages::run(gpu, program, &self.curve, plan, &points, raw, control).await?;
        let start = Instant::now();
        for part in &mut parts {
            to_arkworks::<C::BaseField>(&self.curve, self.gpu.wide, &mut part.words)?;
        }
        let sums = gpu::sums::<C>(&self.curve, self.edwards.as_ref(), plan, &parts, msms)?;
        timings.combine = start.elapsed();
        Ok((sums, timings))
    }
}

/// Brings elements from the shaders' Montgomery form into arkworks'.
fn to_arkworks<F: WordField>(
    curve: &CurveSpec,
    wide: bool,
    words: &mut [u64],
) -> Result<(), Error> {
    let excess = Field::base(curve, wide).excess();
    let power = F::from(2u64).pow([excess.unsigned_abs()]);
    let factor = if excess > 0 { power.inverse() } else { Some(power) };
    let factor = factor.ok_or_else(|| Error::Internal("a field of characteristic 2".into()))?;
    for words in words.chunks_exact_mut(curve.limbs * curve.degree) {
        let value = read::<F>(words) * factor;
        value.write_words(words);
    }
    Ok(())
}

impl<C: Curve> Engine<C> for WebGpu<C> {
    fn load(&mut self, plan: &Plan, points: &[C]) -> Result<(), Error> {
        wait(self.load_async(plan, points))
    }

    fn run(
        &self,
        plan: &Plan,
        source: Source<'_, C>,
        scalars: &Scalars<'_, C::ScalarField>,
        control: &Control,
    ) -> Result<(Sum<C>, Timings), Error> {
        wait(self.run_async(plan, source, scalars, control))
    }

    fn run_batch(
        &self,
        plan: &Plan,
        source: Source<'_, C>,
        batch: &[Scalars<'_, C::ScalarField>],
        control: &Control,
    ) -> Option<Result<Vec<Sum<C>>, Error>> {
        let sums = self.run_batch_async(plan, source, batch, control)?;
        Some(wait(sums))
    }

    fn load_async<'a>(
        &'a mut self,
        plan: &'a Plan,
        points: &'a [C],
    ) -> Pending<'a, Result<(), Error>> {
        Box::pin(async move {
            let affine = self.affine(points);
            let (gpu, program) = (&*self.gpu, &self.program);
            let loaded = stages::load(gpu, program, &self.curve, plan, &affine).await;
            let (resident, compiled) = loaded?;
            tracing::info!(seconds = compiled.as_secs_f64(), "shaders compiled");
            self.resident = Some(resident);
            Ok(())
        })
    }

    fn run_async<'a>(
        &'a self,
        plan: &'a Plan,
        source: Source<'a, C>,
        scalars: &'a Scalars<'a, C::ScalarField>,
        control: &'a Control,
    ) -> Pending<'a, Result<(Sum<C>, Timings), Error>> {
        Box::pin(async move {
            let raw = Raw::new(std::slice::from_ref(scalars), scalars.len());
            let (mut sums, timings) = self.sums(plan, source, &raw, control).await?;
            let sum = sums.pop().ok_or_else(|| Error::Internal("a run without a sum".into()))?;
            Ok((sum, timings))
        })
    }

    fn run_batch_async<'a>(
        &'a self,
        plan: &'a Plan,
        source: Source<'a, C>,
        batch: &'a [Scalars<'a, C::ScalarField>],
        control: &'a Control,
    ) -> Option<Pending<'a, Result<Vec<Sum<C>>, Error>>> {
        if plan.chunks > 1 || batch.len() < 2 {
            return None;
        }
        Some(Box::pin(async move {
            let raw = Raw::new(batch, plan.n);
            Ok(self.sums(plan, source, &raw, control).await?.0)
        }))
    }
}

//! The WebGPU backend: the five stages in WGSL, on any GPU, in a program or in a browser.
//!
//! Shaders are in `shaders`, specialised to a curve by a [`prelude`] of constants, put together and
//! their inner loops unrolled ([`unroll`]) in [`program`]. Field elements are cut into limbs whose
//! products add up without carries: limbs of 13 bits with the 32-bit integers that WGSL has, of 29
//! bits where the adapter has 64-bit ones. A curve is added on in its Edwards form where it has
//! one, otherwise in XYZZ coordinates. The engine is that of all GPUs (`gpu/engine.rs`); a [`run`]
//! is what it does here.
//!
//! A browser must not be blocked, so everything here is asynchronous.

mod accumulate;
mod adapter;
mod decompose;
mod group;
mod launch;
#[cfg(all(test, feature = "conformance"))]
mod lost_tests;
mod prelude;
mod program;
mod recorder;
mod reduce;
mod run;
mod table;
#[cfg(all(test, feature = "conformance"))]
mod tests;
mod unroll;
mod workspace;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use adapter::{AdapterFacts, Faults};
use prelude::Field;
use program::{Modules, Program, Source};
use run::WebGpuRun;
use table::Table;
use workspace::Pool;

use crate::curve::read_element;
use crate::engine::Engine;
use crate::facts::DeviceFacts;
#[cfg(feature = "faults")]
use crate::faults::flips::Flip;
use crate::gpu::{self, AffineSource, Backend, Job};
use crate::plan::{GpuSchedule, Plan};
use crate::{Curve, CurveSpec, Error, WordField};

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

    /// Its number among the adapters of this machine.
    #[cfg(feature = "ranks")]
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    #[cfg(test)]
    pub(crate) fn lose(&self) {
        self.device.destroy();
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
    gpu::engine(plan, |curve| {
        let program = Program::new(&curve, plan.form);
        WebGpu { gpu: device.clone(), curve, program }
    })
}

/// An adapter with the shaders of a curve.
pub(crate) struct WebGpu {
    gpu: Arc<Gpu>,
    curve: Arc<CurveSpec>,
    program: Program,
}

impl Backend for WebGpu {
    type Table = Table;
    type Run<'a> = WebGpuRun<'a>;

    async fn prepare(&self, schedule: &GpuSchedule, loads: bool) -> Result<Duration, Error> {
        self.gpu.faults.check()?;
        self.program.prepare(&self.gpu, &Source::of(schedule, loads)).await
    }

    async fn load(
        &self,
        plan: &Plan,
        bases: &dyn AffineSource,
    ) -> Result<(Table, Duration), Error> {
        let sources = Source::loading(plan.gpu()?);
        let compiled = self.program.prepare(&self.gpu, &sources).await?;
        Ok((table::load(self, plan, bases).await?, compiled))
    }

    async fn start<'a>(&'a self, job: Job<'a, Table>) -> Result<WebGpuRun<'a>, Error> {
        WebGpuRun::new(self, job).await
    }

    #[cfg(feature = "faults")]
    async fn flip(&self, table: &Table, flip: Flip) -> Result<(), Error> {
        recorder::flip(&self.gpu, table.first_piece(), flip).await
    }

    fn to_arkworks<F: WordField>(&self, words: &mut [u64]) -> Result<(), Error> {
        to_arkworks::<F>(&self.curve, self.gpu.wide, words)
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
        let value = read_element::<F>(words) * factor;
        value.write_words(words);
    }
    Ok(())
}

//! The CUDA backend: the five stages on an NVIDIA GPU.
//!
//! Kernels are CUDA C++ in `kernels`, specialised to a curve by a [`prelude`] of constants,
//! compiled by NVRTC for the GPU at hand and kept in a [`cache`] on disk. Nothing of CUDA is needed
//! to build this; to run it, the driver and NVRTC are looked for, and an error says what is
//! missing.
//!
//! A curve is added on in its Edwards form where it has one (`kernels/edwards.cuh`), otherwise in
//! XYZZ coordinates (`kernels/weierstrass.cuh`). The engine is that of all GPUs (`gpu/engine.rs`);
//! a [`run`] is what it does here.

mod accumulate;
mod affine;
mod cache;
mod decompose;
mod driver;
mod functions;
mod group;
#[cfg(all(test, unix, feature = "curves"))]
mod host_tests;
mod launch;
mod nvrtc;
mod page_locked;
mod pool;
mod prelude;
mod program;
mod reduce;
mod run;
mod search;
mod staging;
mod table;
mod tasks;
mod workspace;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use driver::Context;
use program::{Modules, Program, Source};
use run::CudaRun;
use table::Table;
use workspace::Pool;

pub(crate) use page_locked::PageLocked;

use crate::engine::Engine;
use crate::facts::DeviceFacts;
#[cfg(feature = "faults")]
use crate::faults::flips::Flip;
use crate::gpu::{self, AffineSource, Backend, Job};
use crate::plan::{GpuSchedule, Plan};
use crate::{Curve, Error};

/// An open GPU, shared by all engines on it.
pub(crate) struct Gpu {
    context: Arc<Context>,
    modules: Modules,
    pool: Arc<Pool>,
    index: usize,
}

impl Gpu {
    /// Opens the GPU with this number; fails if its kernels could not be compiled.
    pub(crate) fn open(index: usize) -> Result<Self, Error> {
        let context = Context::open(index)?;
        nvrtc::nvrtc()?;
        Ok(Self { context, modules: Modules::default(), pool: workspace::pool(index), index })
    }

    /// How many GPUs there are.
    pub(crate) fn count() -> Result<usize, Error> {
        driver::count()
    }

    pub(crate) fn facts(&self) -> DeviceFacts {
        let memory = self.pool.available(&self.context).unwrap_or(0);
        let driver::GpuFacts { multiprocessors, shared_memory, .. } = self.context.facts;
        DeviceFacts { shared_memory, ..DeviceFacts::cuda(multiprocessors, memory) }
    }

    /// A name that no other GPU has, on any machine.
    #[cfg(feature = "ranks")]
    pub(crate) fn unique_name(&self) -> String {
        self.context.facts.uuid.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Page-locked memory that holds these values.
    pub(crate) fn pinned<T: Copy>(&self, values: &[T]) -> Result<PageLocked<T>, Error> {
        PageLocked::new(&self.context, values)
    }
}

impl fmt::Display for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = &self.context.facts;
        let (major, minor) = (facts.architecture / 10, facts.architecture % 10);
        write!(
            f,
            "cuda:{}, {}, compute capability {major}.{minor}, {} multiprocessors, CUDA {}.{}",
            self.index,
            facts.name,
            facts.multiprocessors,
            facts.driver / 1000,
            facts.driver % 1000 / 10
        )
    }
}

/// The engine for a curve on a GPU.
pub(crate) fn engine<C: Curve>(
    device: &Arc<Gpu>,
    plan: &Plan,
) -> Result<Box<dyn Engine<C>>, Error> {
    gpu::engine(plan, |curve| {
        let program = device.modules.program(&device.context, &curve, plan.form);
        Cuda { gpu: device.clone(), program }
    })
}

/// A GPU with the kernels of a curve.
pub(crate) struct Cuda {
    gpu: Arc<Gpu>,
    program: Program,
}

impl Backend for Cuda {
    type Table = Table;
    type Run<'a> = CudaRun<'a>;

    async fn prepare(&self, schedule: &GpuSchedule, loads: bool) -> Result<Duration, Error> {
        self.program.prepare(&Source::of(schedule, loads))
    }

    /// Kernels of a run are compiled with those that load, all in parallel.
    async fn load(
        &self,
        plan: &Plan,
        bases: &dyn AffineSource,
    ) -> Result<(Table, Duration), Error> {
        let compiled = self.prepare(plan.gpu()?, true).await?;
        Ok((table::load(self, plan, bases)?, compiled))
    }

    async fn start<'a>(&'a self, job: Job<'a, Table>) -> Result<CudaRun<'a>, Error> {
        CudaRun::new(self, job)
    }

    #[cfg(feature = "faults")]
    async fn flip(&self, table: &Table, flip: Flip) -> Result<(), Error> {
        self.gpu.context.bind()?;
        table.flip(&driver::Stream::new(&self.gpu.context, false)?, flip)
    }
}

//! The CUDA backend: the five stages on an NVIDIA GPU.
//!
//! Kernels are CUDA C++ in `kernels`, specialised to a curve by a [`prelude`] of constants, compiled by NVRTC
//! for the GPU at hand and kept in a [`cache`] on disk. Nothing of CUDA is needed to build this; to run it,
//! the driver and NVRTC are looked for and what is missing is said.
//!
//! A curve is added on in its Edwards form where it has one (`kernels/edwards.cuh`), otherwise in XYZZ coordinates
//! (`kernels/weierstrass.cuh`). What is compiled for each curve here is small: writing bases as words, reading
//! results, and the additions of the combine stage.

mod accumulate;
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
mod stages;
mod table;
mod workspace;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use driver::Context;
use program::{Modules, Program};
use stages::{Points, Resident, Stages};
use workspace::Pool;

pub(crate) use page_locked::PageLocked;

use crate::control::Control;
use crate::curve::EdwardsMap;
use crate::device::DeviceFacts;
use crate::engine::{Engine, Source, Timings};
use crate::gpu::{self, Affine, Raw};
use crate::plan::{Form, Plan};
use crate::sum::Sum;
use crate::{Curve, CurveSpec, Error, Scalars};

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
        DeviceFacts::cuda(self.context.facts.multiprocessors, memory)
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
    let curve = gpu::supported::<C>()?;
    let program = device.modules.program(&device.context, &curve, plan.form);
    let edwards = match plan.form {
        Form::Edwards => C::edwards(),
        Form::Weierstrass => None,
    };
    let (gpu, form) = (device.clone(), plan.form);
    Ok(Box::new(Cuda { gpu, curve, program, form, edwards, resident: None }))
}

/// The CUDA engine of one curve.
struct Cuda<C: Curve> {
    gpu: Arc<Gpu>,
    curve: Arc<CurveSpec>,
    program: Program,
    /// The form that the kernels add in.
    form: Form,
    /// The way back from it, where that is the Edwards form.
    edwards: Option<EdwardsMap<C::BaseField>>,
    resident: Option<Resident>,
}

impl<C: Curve> Cuda<C> {
    fn stages(&self) -> Stages<'_> {
        Stages {
            context: &self.gpu.context,
            pool: &self.gpu.pool,
            program: &self.program,
            curve: &self.curve,
        }
    }

    fn affine<'a>(&'a self, points: &'a [C]) -> Affine<'a, C> {
        Affine { points, curve: &self.curve, form: self.form }
    }

    fn sums(
        &self,
        plan: &Plan,
        points: &Points<'_>,
        raw: &Raw<'_>,
        control: &Control,
    ) -> Result<(Vec<Sum<C>>, Timings), Error> {
        let msms = raw.parts.len();
        if raw.length == 0 {
            return Ok(((0..msms).map(|_| Sum::zero()).collect(), Timings::default()));
        }
        let (parts, mut timings) = self.stages().run(plan, points, raw, control)?;
        let start = Instant::now();
        let sums = gpu::sums::<C>(&self.curve, self.edwards.as_ref(), plan, &parts, msms)?;
        timings.combine = start.elapsed();
        Ok((sums, timings))
    }
}

impl<C: Curve> Engine<C> for Cuda<C> {
    fn load(&mut self, plan: &Plan, points: &[C]) -> Result<(), Error> {
        let (resident, compiled) = self.stages().load(plan, &self.affine(points))?;
        tracing::info!(seconds = compiled.as_secs_f64(), "kernels compiled and loaded");
        self.resident = Some(resident);
        Ok(())
    }

    fn run(
        &self,
        plan: &Plan,
        source: Source<'_, C>,
        scalars: &Scalars<'_, C::ScalarField>,
        control: &Control,
    ) -> Result<(Sum<C>, Timings), Error> {
        let raw = Raw::new(std::slice::from_ref(scalars), scalars.len());
        let (mut sums, timings) = match (source, &self.resident) {
            (Source::Borrowed(points), _) => {
                let affine = self.affine(points);
                self.sums(plan, &Points::Borrowed(&affine), &raw, control)
            }
            (Source::Resident, Some(resident)) => {
                self.sums(plan, &Points::Resident(resident), &raw, control)
            }
            (Source::Resident, None) => Err(Error::Internal("no bases are loaded".into())),
        }?;
        let sum = sums.pop().ok_or_else(|| Error::Internal("a run without a sum".into()))?;
        Ok((sum, timings))
    }

    fn run_batch(
        &self,
        plan: &Plan,
        source: Source<'_, C>,
        batch: &[Scalars<'_, C::ScalarField>],
        control: &Control,
    ) -> Option<Result<Vec<Sum<C>>, Error>> {
        if plan.chunks > 1 || batch.len() < 2 {
            return None;
        }
        let raw = Raw::new(batch, plan.n);
        let affine;
        let points = match source {
            Source::Resident => Points::Resident(self.resident.as_ref()?),
            Source::Borrowed(points) => {
                affine = self.affine(points);
                Points::Borrowed(&affine)
            }
        };
        Some(self.sums(plan, &points, &raw, control).map(|(sums, _)| sums))
    }
}

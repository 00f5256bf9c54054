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
mod combine;
mod decompose;
mod driver;
mod group;
#[cfg(all(test, unix, feature = "curves"))]
mod host_tests;
mod launch;
mod nvrtc;
mod page_locked;
mod prelude;
mod program;
mod reduce;
mod stages;
mod table;
mod workspace;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use ark_ff::PrimeField;
use rayon::prelude::*;

use combine::{Edwards, combine};
use decompose::Raw;
use driver::Context;
use program::{Modules, Program};
use stages::{Points, Resident, Stages};
use table::AffineSource;
use workspace::Pool;

pub(crate) use page_locked::PageLocked;

use crate::control::Control;
use crate::cpu::formulas::Xyzz;
use crate::cpu::table::{BaseSource, Points as Slice};
use crate::curve::{EdwardsMap, to_words};
use crate::device::DeviceFacts;
use crate::engine::{Engine, Source, Timings};
use crate::plan::{Form, Plan};
use crate::scalars::Data;
use crate::{Curve, CurveSpec, Error, Scalars, parallel};

/// An open GPU, shared by all engines on it.
pub(crate) struct Gpu {
    context: Arc<Context>,
    modules: Modules,
    pool: Pool,
    index: usize,
}

impl Gpu {
    /// Opens the GPU with this number; fails if its kernels could not be compiled.
    pub(crate) fn open(index: usize) -> Result<Self, Error> {
        let context = Context::open(index)?;
        nvrtc::nvrtc()?;
        Ok(Self { context, modules: Modules::default(), pool: Pool::default(), index })
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
pub(crate) fn engine<C: Curve>(gpu: &Arc<Gpu>, plan: &Plan) -> Result<Box<dyn Engine<C>>, Error> {
    let curve = CurveSpec::of::<C>();
    let unsupported = |what, reason: &str| Error::InvalidSetting {
        setting: what,
        value: std::any::type_name::<C>().into(),
        reason: reason.into(),
    };
    if !curve.montgomery || !curve.montgomery_scalars {
        return Err(unsupported("field", "GPUs need elements in arkworks' Montgomery form"));
    }
    if curve.degree > 2 || curve.limbs > 12 {
        return Err(unsupported(
            "field",
            "GPUs need prime fields of at most 768 bits or their quadratic extensions",
        ));
    }
    let program = gpu.modules.program(&gpu.context, &curve, plan.form);
    let edwards = match plan.form {
        Form::Edwards => C::edwards(),
        Form::Weierstrass => None,
    };
    Ok(Box::new(Cuda { gpu: gpu.clone(), curve, program, edwards, resident: None }))
}

/// The CUDA engine of one curve.
struct Cuda<C: Curve> {
    gpu: Arc<Gpu>,
    curve: Arc<CurveSpec>,
    program: Program,
    /// The way to the form that the kernels add in, where that is the Edwards form.
    edwards: Option<EdwardsMap<C::BaseField>>,
    resident: Option<Resident>,
}

/// Points in the coordinates of the kernels' form.
struct Affine<'a, C: Curve> {
    points: &'a [C],
    curve: &'a CurveSpec,
    edwards: Option<&'a EdwardsMap<C::BaseField>>,
}

impl<C: Curve> AffineSource for Affine<'_, C> {
    fn write(&self, range: Range<usize>, out: &mut [u8]) {
        const BLOCK: usize = 512;
        let words = 2 * self.curve.limbs * self.curve.degree;
        out.par_chunks_mut(BLOCK * 8 * words).enumerate().for_each(|(block, out)| {
            let first = range.start + block * BLOCK;
            let own = first..first + out.len() / (8 * words);
            let mut buffer = vec![u64::MAX; own.len() * words];
            match self.edwards {
                None => {
                    let slice = Slice { points: self.points, curve: self.curve };
                    slice.write(own, false, words, &mut buffer);
                }
                Some(map) => {
                    let points = C::to_edwards(map, &self.points[own]);
                    for ((x, y), out) in points.into_iter().zip(buffer.chunks_mut(words)) {
                        let (first, second) = out.split_at_mut(words / 2);
                        first.copy_from_slice(to_words(&x));
                        second.copy_from_slice(to_words(&y));
                    }
                }
            }
            for (bytes, word) in out.chunks_exact_mut(8).zip(buffer) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        });
    }
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
        Affine { points, curve: &self.curve, edwards: self.edwards.as_ref() }
    }

    fn sums(
        &self,
        plan: &Plan,
        points: &Points<'_>,
        raw: &Raw<'_>,
        control: &Control,
    ) -> Result<(Vec<C::Group>, Timings), Error> {
        let msms = raw.parts.len();
        if raw.length == 0 {
            return Ok((vec![C::zero().into_group(); msms], Timings::default()));
        }
        let (parts, mut timings) = self.stages().run(plan, points, raw, control)?;
        let start = Instant::now();
        let layout = plan.gpu_layout(&self.curve);
        let affine: Option<Vec<C>> = match &self.edwards {
            Some(map) => {
                let host = Edwards { d: map.d() };
                let sums = combine(&host, plan, &layout, &parts, msms);
                let affine = parallel::map(msms, |i| C::from_edwards(map, sums[i].affine()?));
                affine.into_iter().collect()
            }
            None => {
                let host = Xyzz { a: crate::cpu::coefficient::<C>(&self.curve)? };
                let sums = combine(&host, plan, &layout, &parts, msms);
                let affine = parallel::map(msms, |i| C::from_weierstrass(sums[i].affine()));
                affine.into_iter().collect()
            }
        };
        let sums = affine.ok_or(Error::NotRepresentable)?;
        timings.combine = start.elapsed();
        Ok((sums.into_iter().map(C::into_group).collect(), timings))
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
    ) -> Result<(C::Group, Timings), Error> {
        let raw = raw(std::slice::from_ref(scalars), scalars.len());
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
    ) -> Option<Result<Vec<C::Group>, Error>> {
        if plan.chunks > 1 || batch.len() < 2 {
            return None;
        }
        let raw = raw(batch, plan.n);
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

/// The bytes of scalars of one form.
fn raw<'a, F: PrimeField>(batch: &[Scalars<'a, F>], length: usize) -> Raw<'a> {
    fn bytes<T>(values: &[T]) -> &[u8] {
        // SAFETY: the callers pass integers, booleans and field elements that consist of words: no
        // padding, so every byte is initialised.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
    }
    let mut width = 1;
    let part = |scalars: &Scalars<'a, F>| {
        let (own, data) = match scalars.data {
            Data::Residues(s) => (size_of::<F>(), bytes(s)),
            Data::Bools(s) => (1, bytes(s)),
            Data::U8(s) => (1, s),
            Data::U16(s) => (2, bytes(s)),
            Data::U32(s) => (4, bytes(s)),
            Data::Words { data, words } => (8 * words, bytes(data)),
        };
        width = own;
        data
    };
    let parts = batch.iter().map(part).collect();
    let bound = batch.first().map_or(crate::plan::ScalarBound::Order, Scalars::bound);
    Raw { parts, bytes: width, length, bound }
}

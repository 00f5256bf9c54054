//! The CPU backend: the five stages on rayon's threads ([`stages`]), or Straus' method for a few
//! bases ([`straus`]).
//!
//! The stages know a curve only as a [`kernel`] on points of W words: AVX-512 IFMA if the processor
//! has it, SIMD128 in WebAssembly, 64-bit words otherwise. Little is compiled per curve: this file,
//! the conversion of bases and scalars, and arkworks' arithmetic for single additions and for
//! fields without a kernel of their own.

mod accumulate;
mod buffer;
mod combine;
mod decompose;
mod formulas;
mod group;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod in_place;
mod inverse;
mod kernel;
mod pairs;
mod passes;
mod pool;
mod portable;
mod prefetch;
mod processor;
mod recode;
mod reduce;
#[cfg(any(target_feature = "simd128", all(test, feature = "curves")))]
mod simd128;
mod stages;
mod straus;
#[cfg(any(feature = "any", feature = "io"))]
mod subsets;
mod table;

pub(crate) use processor::Processor;
#[cfg(feature = "io")]
pub(crate) use subsets::subset_bytes;
#[cfg(any(feature = "any", feature = "io"))]
pub(crate) use subsets::subset_sums;

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use kernel::AnyKernel;
use stages::{Bases, Stages};
use straus::Multiples;

use crate::control::Control;
use crate::curve::read_element as read;
use crate::engine::{Engine, Msm, Placement};
use crate::facts::Arithmetic;
#[cfg(feature = "io")]
use crate::plan::Table;
use crate::plan::{BatchPlan, BatchWay, Plan, Schedule};
use crate::platform::Instant;
use crate::report::Timings;
use crate::sum::Sum;
use crate::wait::Pending;
use crate::{Curve, CurveSpec, Error, parallel};

/// The engine for a curve on a CPU.
pub(crate) fn engine<C: Curve>(
    processor: &Processor,
    plan: &Plan,
) -> Result<Box<dyn Engine<C>>, Error> {
    let curve = CurveSpec::of::<C>();
    let kernel = kernel::<C>(&curve, Arithmetic::choose(&curve, &plan.device))?;
    let stages = stages::new::<C::BaseField>(kernel, curve.clone());
    Ok(Box::new(Cpu::<C> { processor: processor.clone(), curve, stages, multiples: None }))
}

/// Overwrites and frees the memory that runs have kept for the next.
pub(crate) fn release() {
    stages::release();
}

/// The kernel of a curve, built once: that takes as long as an MSM of one base.
fn kernel<C: Curve>(curve: &CurveSpec, arithmetic: Arithmetic) -> Result<AnyKernel, Error> {
    type Kernels = HashMap<(TypeId, Arithmetic), AnyKernel>;
    static KERNELS: LazyLock<Mutex<Kernels>> = LazyLock::new(Mutex::default);
    let lock = || KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (TypeId::of::<C>(), arithmetic);
    if let Some(kernel) = lock().get(&key) {
        return Ok(kernel.clone());
    }
    let [a, _] = C::weierstrass_coefficients();
    let kernel = match arithmetic {
        Arithmetic::Ifma => vector_kernel::<C>(curve, a),
        Arithmetic::Portable => portable::kernel(curve, a)?,
        #[cfg(any(target_feature = "simd128", all(test, feature = "curves")))]
        Arithmetic::Simd128 => simd128::kernel::<C::BaseField>(curve, portable::kernel(curve, a)?),
        #[cfg(not(any(target_feature = "simd128", all(test, feature = "curves"))))]
        Arithmetic::Simd128 => unreachable!("only WebAssembly reports SIMD128"),
    };
    lock().insert(key, kernel.clone());
    Ok(kernel)
}

#[cfg(target_arch = "x86_64")]
fn vector_kernel<C: Curve>(curve: &CurveSpec, a: C::BaseField) -> AnyKernel {
    use crate::curve::FieldWords;
    use crate::curve::xyzz::Xyzz;
    use ifma::{Prime4, Prime6, Prime12, Quadratic4, Quadratic6};
    let formulas = Xyzz { a };
    // The branches are constant, so each field is compiled for one width only.
    if const { C::BaseField::WORDS == 4 } {
        AnyKernel::W8(Prime4::boxed(curve, Box::new(formulas)).into())
    } else if const { C::BaseField::WORDS == 6 } {
        AnyKernel::W12(Prime6::boxed(curve, Box::new(formulas)).into())
    } else if const { C::BaseField::WORDS == 8 } {
        AnyKernel::W16(Quadratic4::boxed(curve, Box::new(formulas)).into())
    } else if curve.degree == 1 {
        AnyKernel::W24(Prime12::boxed(curve, Box::new(formulas)).into())
    } else {
        AnyKernel::W24(Quadratic6::boxed(curve, Box::new(formulas)).into())
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn vector_kernel<C: Curve>(_: &CurveSpec, _: C::BaseField) -> AnyKernel {
    unreachable!("only x86-64 processors report AVX-512")
}

/// The CPU engine of one curve.
struct Cpu<C: Curve> {
    processor: Processor,
    curve: Arc<CurveSpec>,
    stages: Box<dyn Stages>,
    /// Multiples of resident bases, where they are so few that the plan needs no buckets.
    multiples: Option<Multiples<C>>,
}

impl<C: Curve> Cpu<C> {
    /// One MSM: on the calling thread where the plan has no buckets, otherwise on the processor's.
    fn run_now(
        &self,
        plan: &Plan,
        msm: &Msm<'_, C>,
        control: &Control,
    ) -> Result<(Sum<C>, Timings), Error> {
        let Msm { bases, scalars } = msm;
        let n = scalars.len();
        if let Schedule::Straus(_) = plan.schedule {
            let kept = self.multiples.as_ref();
            let run = straus::run(plan, bases, kept, scalars, n, &self.curve, control)?;
            return Ok((Sum::Group(run.0), run.1));
        }
        let bases = match bases {
            Placement::Resident { first } => Bases::Resident { first: *first },
            Placement::Borrowed(points) => Bases::Borrowed(points),
        };
        let run = || self.stages.run(plan, bases, scalars, n, control);
        let (sum, timings) = self.processor.install(run)?;
        let sum = sum.map(|words| {
            let (x, y) = words.split_at(words.len() / 2);
            (read(x), read(y))
        });
        Ok((Sum::Weierstrass(sum), timings))
    }

    fn run_batch_now(
        &self,
        plan: &BatchPlan,
        msms: &[Msm<'_, C>],
        control: &Control,
    ) -> Result<Vec<Sum<C>>, Error> {
        let mut sums = Vec::with_capacity(msms.len());
        for step in &plan.steps {
            let one = |plan: &Plan, index: usize| {
                let msm = &msms[index];
                let run = self.run_now(plan, msm, &control.again(plan.digits(msm.scalars.len())));
                Ok(run.map_err(|error: Error| error.in_msm(index))?.0)
            };
            let first = step.msms.start;
            let own: Result<Vec<_>, _> = match &step.way {
                BatchWay::Concurrently(plans) => {
                    let all = || parallel::map(plans.len(), |i| one(&plans[i], first + i));
                    self.processor.install(all).into_iter().collect()
                }
                BatchWay::InTurn(plans) => {
                    plans.iter().enumerate().map(|(i, plan)| one(plan, first + i)).collect()
                }
                BatchWay::Together(_) => Err(Error::Internal("a GPU's plan on a CPU".into())),
            };
            sums.extend(own?);
        }
        Ok(sums)
    }
}

impl<C: Curve> Engine<C> for Cpu<C> {
    fn load<'a>(&'a mut self, plan: &'a Plan, points: &'a [C]) -> Pending<'a, Result<(), Error>> {
        Box::pin(async move {
            match plan.schedule {
                Schedule::Straus(_) => {
                    let make = || Multiples::new(plan, points, &self.curve);
                    self.multiples = Some(self.processor.install(make));
                }
                _ => {
                    let stages = &mut self.stages;
                    self.processor.install(|| stages.load(plan, &points))?;
                }
            }
            Ok(())
        })
    }

    #[cfg(feature = "io")]
    fn table_words(&self) -> Option<&[u64]> {
        self.stages.table_words()
    }

    #[cfg(feature = "io")]
    fn restore(
        &mut self,
        table: &Table,
        bases: usize,
        read: &mut dyn FnMut(&mut [u64]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.stages.restore(table, bases, read)
    }

    fn run<'a>(
        &'a self,
        plan: &'a Plan,
        msm: Msm<'a, C>,
        control: &'a Control,
    ) -> Pending<'a, Result<(Sum<C>, Timings), Error>> {
        Box::pin(async move { self.run_now(plan, &msm, control) })
    }

    fn run_batch<'a>(
        &'a self,
        plan: &'a BatchPlan,
        msms: &'a [Msm<'a, C>],
        control: &'a Control,
    ) -> Pending<'a, Result<Vec<Sum<C>>, Error>> {
        Box::pin(async move { self.run_batch_now(plan, msms, control) })
    }
}

/// Runs `work` and adds its time to `total`.
fn timed<R>(total: &mut Duration, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    *total += start.elapsed();
    result
}

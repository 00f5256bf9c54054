//! The CPU backend: the five stages on rayon's threads.
//!
//! For every chunk of bases: *decompose* the scalars once; then pass by pass over the bucket sets *group*,
//! *accumulate* and *reduce*, adding each window's point to those of earlier chunks; finally *combine* the
//! windows.
//!
//! The stages know a curve only as a [`kernel`] on points of W words: AVX-512 IFMA where the processor
//! has it, 64-bit words elsewhere. What is compiled for each curve is here and small: reading bases and
//! scalars, and arkworks' arithmetic for single additions and for fields that have no other.

mod accumulate;
mod combine;
mod decompose;
pub(crate) mod formulas;
mod group;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod in_place;
mod inverse;
mod kernel;
mod pool;
mod portable;
mod recode;
mod reduce;
mod room;
mod stages;
mod straus;
pub(crate) mod table;

pub(crate) use room::make_room;

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use formulas::read;
use kernel::AnyKernel;
use stages::Stages;
use straus::Multiples;

use crate::control::Control;
use crate::device::{Arithmetic, DeviceFacts};
use crate::engine::{Engine, Source, Timings};
use crate::plan::{Accumulate, Plan};
use crate::sum::Sum;
use crate::{Curve, CurveSpec, Error, Scalars, WordField};

/// The engine for a curve on a CPU with these facts.
pub(crate) fn engine<C: Curve>(facts: &DeviceFacts) -> Result<Box<dyn Engine<C>>, Error> {
    let curve = CurveSpec::of::<C>();
    let kernel = kernel::<C>(&curve, Arithmetic::choose(&curve, facts))?;
    let stages = stages::new(kernel, curve.clone());
    Ok(Box::new(Cpu::<C> { curve, stages, multiples: None }))
}

/// Overwrites and frees what runs have left for the next.
pub(crate) fn release() {
    stages::release();
}

/// The kernel of a curve, made once: that takes as long as an MSM of one base.
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
    };
    lock().insert(key, kernel.clone());
    Ok(kernel)
}

#[cfg(target_arch = "x86_64")]
fn vector_kernel<C: Curve>(curve: &CurveSpec, a: C::BaseField) -> AnyKernel {
    use formulas::Xyzz;
    use ifma::{Prime4, Prime6, Prime12, Quadratic4, Quadratic6};
    let formulas = Xyzz { a };
    // The branch is known when a field is compiled, so each gets the formulas of one width only.
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
    curve: Arc<CurveSpec>,
    stages: Box<dyn Stages>,
    /// The bases that stay, where there are so few of them that the plan does without buckets.
    multiples: Option<Multiples<C>>,
}

impl<C: Curve> Engine<C> for Cpu<C> {
    fn load(&mut self, plan: &Plan, points: &[C]) -> Result<(), Error> {
        match plan.accumulate {
            Accumulate::Straus => {
                self.multiples = Some(Multiples::new(plan, points, &self.curve));
            }
            _ => self.stages.load(plan, &points)?,
        }
        Ok(())
    }

    fn run(
        &self,
        plan: &Plan,
        source: Source<'_, C>,
        scalars: &Scalars<'_, C::ScalarField>,
        control: &Control,
    ) -> Result<(Sum<C>, Timings), Error> {
        let n = scalars.len();
        if plan.accumulate == Accumulate::Straus {
            let kept = self.multiples.as_ref();
            let run = straus::run(plan, &source, kept, scalars, n, &self.curve, control)?;
            return Ok((Sum::Group(run.0), run.1));
        }
        let (sum, timings) = match source {
            Source::Resident => self.stages.run(plan, None, scalars, n, control),
            Source::Borrowed(points) => self.stages.run(plan, Some(&points), scalars, n, control),
        }?;
        let sum = sum.map(|words| {
            let (x, y) = words.split_at(words.len() / 2);
            (read(x), read(y))
        });
        Ok((Sum::Weierstrass(sum), timings))
    }
}

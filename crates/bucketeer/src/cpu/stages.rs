//! The five stages in order, for points of any width. For each chunk of bases:
//!
//! 1. *Decompose* its scalars.
//! 2. Fill the table with its bases, unless they are resident.
//! 3. In [`passes`] over the bucket sets: *group*, *accumulate* and *reduce*.
//! 4. Add the window sums to those of earlier chunks.
//!
//! Finally *combine* the windows.

use std::ops::Range;
use std::sync::Arc;

use super::buffer::PointBuffer;
use super::combine::combine;
use super::decompose::{Decomposed, decompose};
use super::kernel::{AnyKernel, Kernel, Point, XyzzPoint, is_infinity, width_of};
use super::passes::{self, Passes};
use super::pool::{Pool, Pooled, wipe};
use super::{accumulate, in_place, table, timed};
use crate::control::Control;
use crate::curve::{BaseSource, FieldWords};
#[cfg(feature = "faults")]
use crate::faults::flips::{self, Place};
use crate::plan::{Plan, Table};
use crate::report::Timings;
use crate::scalars::ScalarSource;
use crate::{CurveSpec, Error};

/// A sum's coordinates in arkworks' words, x then y; `None` is infinity.
pub(super) type Sum = Option<Vec<u64>>;

/// The bases of a run.
#[derive(Clone, Copy)]
pub(super) enum Bases<'a> {
    /// Those of the caller.
    Borrowed(&'a dyn BaseSource),
    /// Those of the resident table, from this one on.
    Resident { first: usize },
}

/// The stages of a curve, with its type erased.
pub(super) trait Stages: Send + Sync {
    /// Fills and keeps the table of the plan.
    fn load(&mut self, plan: &Plan, source: &dyn BaseSource) -> Result<(), Error>;

    /// The words of the table that is kept.
    #[cfg(feature = "io")]
    fn table_words(&self) -> Option<&[u64]>;

    /// Has `read` fill a table of this many bases, and keeps it.
    #[cfg(feature = "io")]
    fn restore(
        &mut self,
        table: &Table,
        bases: usize,
        read: &mut dyn FnMut(&mut [u64]) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Executes a plan on `n` scalars.
    fn run(
        &self,
        plan: &Plan,
        bases: Bases<'_>,
        scalars: &dyn ScalarSource,
        n: usize,
        control: &Control,
    ) -> Result<(Sum, Timings), Error>;
}

/// The stages on a kernel.
pub(super) fn new<F: FieldWords>(kernel: AnyKernel, curve: Arc<CurveSpec>) -> Box<dyn Stages> {
    fn boxed<const W: usize>(kernel: Arc<dyn Kernel<W>>, curve: Arc<CurveSpec>) -> Box<dyn Stages> {
        Box::new(OnKernel { kernel, curve, resident: None })
    }
    match kernel {
        AnyKernel::W8(kernel) if const { width_of::<F>() == 8 } => boxed(kernel, curve),
        AnyKernel::W12(kernel) if const { width_of::<F>() == 12 } => boxed(kernel, curve),
        AnyKernel::W16(kernel) if const { width_of::<F>() == 16 } => boxed(kernel, curve),
        AnyKernel::W24(kernel) if const { width_of::<F>() == 24 } => boxed(kernel, curve),
        AnyKernel::W48(kernel) if const { width_of::<F>() == 48 } => boxed(kernel, curve),
        _ => unreachable!("the width of a kernel is that of its field"),
    }
}

struct OnKernel<const W: usize> {
    kernel: Arc<dyn Kernel<W>>,
    curve: Arc<CurveSpec>,
    resident: Option<Resident>,
}

/// A resident table.
struct Resident {
    table: Table,
    buffer: PointBuffer,
    length: usize,
}

/// Working memory of one run.
#[derive(Default)]
struct Memory {
    streamed: PointBuffer,
    scalars: Vec<u64>,
}

impl Pooled for Memory {
    fn bytes(&self) -> usize {
        self.streamed.bytes() + 8 * self.scalars.capacity()
    }

    fn wipe(&mut self) {
        wipe(&mut self.scalars);
    }
}

static RUNS: Pool<Memory> = Pool::new();

/// Overwrites and frees the memory that runs have kept for the next.
pub(super) fn release() {
    RUNS.release();
    passes::WORKSPACES.release();
    accumulate::WORKSPACES.release();
    in_place::WORKSPACES.release();
}

impl<const W: usize> Stages for OnKernel<W> {
    fn load(&mut self, plan: &Plan, source: &dyn BaseSource) -> Result<(), Error> {
        let table = plan.table();
        let length = plan.n * table.stored();
        let mut buffer = PointBuffer::default();
        let threads = plan.device.threads;
        let out = buffer.reserve(length)?;
        table::fill(&*self.kernel, &table, source, 0..plan.n, None, threads, out);
        #[cfg(feature = "faults")]
        flips::apply(Place::Table, buffer.words_mut::<W>(length));
        self.resident = Some(Resident { table, buffer, length });
        Ok(())
    }

    #[cfg(feature = "io")]
    fn table_words(&self) -> Option<&[u64]> {
        let Resident { buffer, length, .. } = self.resident.as_ref()?;
        Some(buffer.points::<W>(*length).as_flattened())
    }

    #[cfg(feature = "io")]
    fn restore(
        &mut self,
        table: &Table,
        bases: usize,
        read: &mut dyn FnMut(&mut [u64]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let length = bases * table.stored();
        let mut buffer = PointBuffer::default();
        read(buffer.reserve::<W>(length)?.as_flattened_mut())?;
        self.resident = Some(Resident { table: *table, buffer, length });
        Ok(())
    }

    fn run(
        &self,
        plan: &Plan,
        bases: Bases<'_>,
        scalars: &dyn ScalarSource,
        n: usize,
        control: &Control,
    ) -> Result<(Sum, Timings), Error> {
        RUNS.with(|memory| self.run_in(memory, plan, bases, scalars, n, control))
    }
}

impl<const W: usize> OnKernel<W> {
    fn run_in(
        &self,
        memory: &mut Memory,
        plan: &Plan,
        bases: Bases<'_>,
        scalars: &dyn ScalarSource,
        n: usize,
        control: &Control,
    ) -> Result<(Sum, Timings), Error> {
        let mut timings = Timings::default();
        let (shape, schedule) = (&plan.shape, plan.cpu()?);
        let formulas = self.kernel.formulas();
        let mut windows = vec![XyzzPoint::INFINITY; shape.bucket_sets as usize];
        let Memory { streamed, scalars: data } = memory;
        let digits_per_base = u64::from(shape.windows) * shape.halves() as u64;
        for start in (0..n).step_by(plan.chunk) {
            let range = start..(start + plan.chunk).min(n);
            let digits = timed(&mut timings.decompose, || {
                let (curve, device) = (&self.curve, &plan.device);
                let data = std::mem::take(data);
                decompose(scalars, range.clone(), shape, curve, device, data, control)
            })?;
            #[cfg(feature = "faults")]
            let digits = digits.flipped();
            let (table, points) = timed(&mut timings.load, || {
                self.chunk(plan, bases, range.clone(), (&digits, control), streamed)
            })?;
            control.advance(0)?;
            let kernel = &*self.kernel;
            let passes = Passes { kernel, plan, schedule, table, points, digits: &digits, control };
            for (first, sums) in passes.run(&mut timings)? {
                for (window, sum) in windows[first as usize..].iter_mut().zip(sums) {
                    *window = formulas.add(window, &sum);
                }
            }
            control.reach(range.end as u64 * digits_per_base)?;
            *data = digits.into_data();
        }
        let sum = timed(&mut timings.combine, || {
            formulas.to_point(&combine(&windows, shape.window_bits, formulas))
        });
        Ok(((!is_infinity(&sum.0)).then(|| sum.0.to_vec()), timings))
    }

    /// The stored points of a chunk: part of the resident table, or a table filled for these
    /// digits.
    fn chunk<'a>(
        &'a self,
        plan: &Plan,
        bases: Bases<'_>,
        range: Range<usize>,
        digits: (&Decomposed, &Control),
        streamed: &'a mut PointBuffer,
    ) -> Result<(Table, &'a [Point<W>]), Error> {
        match (bases, &self.resident) {
            (Bases::Borrowed(source), _) => {
                let table = plan.table();
                let length = range.len() * table.stored();
                let out = streamed.reserve(length)?;
                let threads = plan.device.threads;
                table::fill(&*self.kernel, &table, source, range, Some(digits), threads, out);
                #[cfg(feature = "faults")]
                flips::apply(Place::Table, streamed.words_mut::<W>(length));
                Ok((table, streamed.points(length)))
            }
            (Bases::Resident { first }, Some(Resident { table, buffer, length })) => {
                let stored = table.stored();
                let points = buffer.points(*length);
                let (start, end) = (first + range.start, first + range.end);
                Ok((*table, &points[start * stored..end * stored]))
            }
            (Bases::Resident { .. }, None) => Err(Error::Internal("a run before its bases".into())),
        }
    }
}

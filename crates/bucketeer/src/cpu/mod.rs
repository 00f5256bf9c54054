//! The CPU backend: the five stages on rayon's threads.
//!
//! For every chunk of bases: *decompose* the scalars once; then pass by pass over the bucket sets *group*,
//! *accumulate* and *reduce*, adding each window's point to those of earlier chunks; finally *combine* the
//! windows. Stages are generic over the [`arithmetic`]: AVX-512 IFMA where the processor has it, arkworks'
//! fields elsewhere.

mod accumulate;
mod arithmetic;
mod combine;
mod decompose;
mod group;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod pool;
mod portable;
mod reduce;
mod table;
mod xyzz;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ark_ff::Field;

use accumulate::{List, Workspace, sum_runs, sum_runs_plainly, sweep};
use arithmetic::Coordinates;
use decompose::{Decomposed, decompose};
use group::{Grouped, group};
use pool::Pool;
use portable::Portable;
use reduce::{Buckets, running_sums, window_splitting};
use xyzz::Xyzz;

use crate::control::Control;
use crate::device::{DeviceFacts, Kernel};
use crate::engine::{Engine, Source, Timings};
use crate::plan::{Accumulate, Plan, Reduce, Table};
use crate::{Curve, CurveSpec, Error, Scalars};

/// The engine for a curve on a CPU with these facts.
pub(crate) fn engine<C: Curve>(facts: &DeviceFacts) -> Box<dyn Engine<C>> {
    let curve = CurveSpec::of::<C>();
    let a = coefficient_a::<C>(&curve);
    #[cfg(target_arch = "x86_64")]
    if Kernel::choose(&curve, facts) == Kernel::Ifma {
        use ifma::{Prime4, Prime6, Prime12, Quadratic4, Quadratic6};
        let inverse = ifma::inverse::<C::BaseField>;
        match (curve.limbs, curve.degree) {
            (4, 1) => return Cpu::boxed(Prime4::new(&curve, inverse), curve, a),
            (4, 2) => return Cpu::boxed(Quadratic4::new(&curve, inverse), curve, a),
            (6, 1) => return Cpu::boxed(Prime6::new(&curve, inverse), curve, a),
            (6, 2) => return Cpu::boxed(Quadratic6::new(&curve, inverse), curve, a),
            (12, 1) => return Cpu::boxed(Prime12::new(&curve, inverse), curve, a),
            _ => {}
        }
    }
    Cpu::boxed(Portable { a }, curve, a)
}

fn coefficient_a<C: Curve>(curve: &CurveSpec) -> C::BaseField {
    let parts = curve.weierstrass[0].iter().cloned().map(Into::into);
    C::BaseField::from_base_prime_field_elems(parts).expect("as many parts as the degree")
}

/// The CPU engine of one curve with one kind of arithmetic.
struct Cpu<C: Curve, A: Coordinates<C::BaseField>> {
    arithmetic: A,
    curve: Arc<CurveSpec>,
    a: C::BaseField,
    resident: Option<(Table, Vec<A::Point>)>,
    pool: Pool<Workspace<A>>,
}

impl<C: Curve, A: Coordinates<C::BaseField> + 'static> Cpu<C, A> {
    fn boxed(arithmetic: A, curve: Arc<CurveSpec>, a: C::BaseField) -> Box<dyn Engine<C>> {
        Box::new(Self { arithmetic, curve, a, resident: None, pool: Pool::default() })
    }
}

impl<C: Curve, A: Coordinates<C::BaseField>> Engine<C> for Cpu<C, A> {
    fn load(&mut self, plan: &Plan, points: &[C]) {
        let table = plan.shape.table();
        let mut out = self.arithmetic.blank(points.len() * table::copies(&table));
        table::fill(&self.arithmetic, &self.curve, &table, points, &mut out);
        self.resident = Some((table, out));
    }

    fn run(
        &self,
        plan: &Plan,
        source: Source<'_, C>,
        scalars: &Scalars<'_, C::ScalarField>,
        control: &Control,
    ) -> Result<(C::Group, Timings), Error> {
        let mut timings = Timings::default();
        let shape = &plan.shape;
        let mut windows = vec![Xyzz::INFINITY; shape.bucket_sets as usize];
        let (mut streamed, mut grouped, mut sums) = (Vec::new(), Grouped::default(), Vec::new());
        let digits_per_base = u64::from(shape.windows) * shape.halves() as u64;
        for start in (0..scalars.len()).step_by(plan.chunk) {
            let range = start..(start + plan.chunk).min(scalars.len());
            let (table, points) = timed(&mut timings.load, || {
                self.chunk(plan, &source, range.clone(), &mut streamed)
            });
            let digits = timed(&mut timings.decompose, || {
                decompose(scalars, range.clone(), shape, &self.curve)
            })?;
            for first in (0..shape.bucket_sets).step_by(plan.sets_per_pass as usize) {
                let sets = first..(first + plan.sets_per_pass).min(shape.bucket_sets);
                let pass =
                    Pass { plan, table, points, digits: &digits, sets: sets.clone(), control };
                let sums = self.pass(&pass, &mut grouped, &mut sums, &mut timings)?;
                for (set, sum) in sets.clone().zip(sums) {
                    let window = &mut windows[set as usize];
                    *window = window.add(&sum, &self.a);
                }
                let within =
                    u64::from(sets.end) * range.len() as u64 / u64::from(shape.bucket_sets);
                control.reach((start as u64 + within) * digits_per_base)?;
            }
        }
        let sum =
            timed(&mut timings.combine, || combine::combine(&windows, shape.window_bits, &self.a));
        let affine = C::from_weierstrass(sum.to_affine()).ok_or(Error::NotRepresentable)?;
        Ok((affine.into_group(), timings))
    }
}

/// Everything the stages of one pass need.
struct Pass<'a, P> {
    plan: &'a Plan,
    table: Table,
    points: &'a [P],
    digits: &'a Decomposed,
    sets: Range<u32>,
    control: &'a Control,
}

impl<C: Curve, A: Coordinates<C::BaseField>> Cpu<C, A> {
    /// The stored points of a chunk: a part of the resident table, or a table made now.
    fn chunk<'a>(
        &'a self,
        plan: &Plan,
        source: &Source<'_, C>,
        range: Range<usize>,
        streamed: &'a mut Vec<A::Point>,
    ) -> (Table, &'a [A::Point]) {
        match (source, &self.resident) {
            (Source::Borrowed(points), _) => {
                let table = plan.shape.table();
                let length = range.len() * table::copies(&table);
                if streamed.len() < length {
                    *streamed = self.arithmetic.blank(length);
                }
                let out = &mut streamed[..length];
                table::fill(&self.arithmetic, &self.curve, &table, &points[range], out);
                (table, &streamed[..length])
            }
            (Source::Resident, Some((table, points))) => {
                let copies = table::copies(table);
                (*table, &points[range.start * copies..range.end * copies])
            }
            (Source::Resident, None) => unreachable!("load comes before a resident run"),
        }
    }

    /// Group, accumulate and reduce some bucket sets: one point for each.
    fn pass(
        &self,
        pass: &Pass<'_, A::Point>,
        grouped: &mut Grouped,
        sums: &mut Vec<A::Point>,
        timings: &mut Timings,
    ) -> Result<Vec<Xyzz<C::BaseField>>, Error> {
        let &Pass { plan, control, .. } = pass;
        timed(&mut timings.group, || {
            group(pass.digits, plan, pass.table, pass.sets.clone(), grouped);
        });
        let grouped = &*grouped;
        let entry = |position| grouped.entry(position);
        let list = List { points: pass.points, entry, starts: &grouped.starts };
        let (arithmetic, a) = (&self.arithmetic, &self.a);
        let buckets = plan.shape.buckets;
        let count = pass.sets.len();
        timed(&mut timings.accumulate, || match plan.accumulate {
            Accumulate::Slices => {
                sum_runs(arithmetic, &list, plan.slice, &self.pool, control, sums).map(|()| None)
            }
            Accumulate::PerBucket => {
                *sums = sum_runs_plainly(arithmetic, &list, a, control)?;
                Ok(None)
            }
            Accumulate::FusedSweep => {
                sweep(arithmetic, &list, &grouped.keys, buckets, plan.slice, a, control).map(Some)
            }
        })
        .and_then(|partial| {
            timed(&mut timings.reduce, || {
                if let Some(partial) = partial {
                    let mut windows = vec![Xyzz::INFINITY; count];
                    for (set, sum) in partial {
                        windows[set] = windows[set].add(&sum, a);
                    }
                    return Ok(windows);
                }
                let sets = by_set(&grouped.keys, buckets, count, sums);
                match plan.reduce {
                    Reduce::WindowSplitting => {
                        window_splitting(arithmetic, sets, plan.slice, &self.pool, control, a)
                    }
                    Reduce::RunningSum => Ok(running_sums(arithmetic, &sets, 1, a)),
                    Reduce::SlicedRunningSum { slices } => {
                        Ok(running_sums(arithmetic, &sets, slices.max(1) as usize, a))
                    }
                }
            })
        })
    }
}

/// Cuts the runs of a pass into its bucket sets.
fn by_set<'a, P>(keys: &[u32], buckets: u64, count: usize, sums: &'a [P]) -> Vec<Buckets<'a, P>> {
    let mut rest = keys;
    (0..count as u64)
        .map(|set| {
            let end = rest.partition_point(|&key| u64::from(key) < (set + 1) * buckets);
            let (own, after) = rest.split_at(end);
            rest = after;
            let weights = own.iter().map(|&key| (u64::from(key) - set * buckets) as u32 + 1);
            Buckets { weights: weights.collect(), sums }
        })
        .collect()
}

fn timed<R>(total: &mut Duration, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    *total += start.elapsed();
    result
}

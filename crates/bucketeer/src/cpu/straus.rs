//! A few bases, without buckets: the multiples 1·P … m·P of every stored point, and one sweep from the top
//! window down that doubles c times and adds the multiples that the window's digits name (Straus 1964).
//!
//! Everything is in arkworks' own coordinates of the curve and on the calling thread: where a run takes
//! microseconds, changing coordinates or waking a thread would cost more than it saves.

use ark_ff::{AdditiveGroup, Field};

use super::decompose::{Decomposed, ZERO, decompose};
use super::kernel::NEGATIVE;
use super::stages::timed;
use super::table::copies;
use crate::control::Control;
use crate::engine::{Source, Timings};
use crate::plan::{Plan, Table};
use crate::scalars::ScalarSource;
use crate::{Curve, CurveSpec, Error};

/// Multiples of bases, 1·P … m·P for every point of a [`Table`], in its order.
pub(super) struct Multiples<C> {
    table: Table,
    points: Vec<C>,
}

impl<C: Curve> Multiples<C> {
    pub(super) fn new(plan: &Plan, bases: &[C], curve: &CurveSpec) -> Self {
        let table = plan.table();
        let multiples = table.multiples as usize;
        let shifted = shifted(&table, bases);
        let mut group = Vec::with_capacity(shifted.len() * multiples);
        for point in &shifted {
            let first = group.len();
            group.push(point.into_group());
            for multiple in 2..=multiples {
                let next = match multiple % 2 {
                    0 => group[first + multiple / 2 - 1].double(),
                    _ => group[first + multiple - 2] + point,
                };
                group.push(next);
            }
        }
        let affine = C::to_affine(&group);
        let images = curve.endomorphism.as_ref().filter(|_| table.endomorphism);
        let Some(endomorphism) = images else { return Self { table, points: affine } };
        let beta = endomorphism.beta.clone().into();
        let image = |point: &C| {
            let (x, y) = point.xy()?;
            Some(C::from_coordinates(x.mul_by_base_prime_field(&beta), y))
        };
        let mut points = Vec::with_capacity(2 * affine.len());
        for own in affine.chunks_exact(multiples) {
            points.extend_from_slice(own);
            points.extend(own.iter().map(|point| image(point).unwrap_or(*point)));
        }
        Self { table, points }
    }

    /// The sum over a chunk of bases, of which the first is `start`.
    fn sum(
        &self,
        plan: &Plan,
        start: usize,
        digits: &Decomposed,
        control: &Control,
    ) -> Result<C::Group, Error> {
        let (shape, table) = (&plan.shape, &self.table);
        let (halves, multiples) = (shape.halves(), table.multiples as usize);
        let stored_halves = 1 + usize::from(table.endomorphism);
        let mut row = vec![ZERO; digits.len() * halves];
        let mut sum = C::Group::ZERO;
        for set in (0..shape.bucket_sets).rev() {
            C::double_times(&mut sum, shape.window_bits);
            for copy in 0..shape.precompute {
                let window = copy * shape.bucket_sets + set;
                if window >= digits.windows() {
                    continue;
                }
                digits.read(window, 0..digits.len(), &mut row);
                for (i, &digit) in row.iter().enumerate().filter(|(_, digit)| **digit != ZERO) {
                    let base = (start + i / halves) * copies(table);
                    let point = base + copy as usize * stored_halves + i % halves;
                    let multiple = self.points[point * multiples + (digit & !NEGATIVE) as usize];
                    if digit & NEGATIVE == 0 {
                        sum += multiple;
                    } else {
                        sum -= multiple;
                    }
                }
                control.advance(row.len() as u64)?;
            }
        }
        Ok(sum)
    }
}

/// The copies `2^(j·shift)·P` of every base.
fn shifted<C: Curve>(table: &Table, bases: &[C]) -> Vec<C> {
    if table.precompute == 1 {
        return bases.to_vec();
    }
    let shift = table.window_bits * table.bucket_sets;
    let mut points = Vec::with_capacity(bases.len() * table.precompute as usize);
    for base in bases {
        let mut point = base.into_group();
        for copy in 0..table.precompute {
            C::double_times(&mut point, if copy == 0 { 0 } else { shift });
            points.push(point);
        }
    }
    C::to_affine(&points)
}

/// Carries out a plan without buckets, over borrowed bases or the multiples kept.
pub(super) fn run<C: Curve>(
    plan: &Plan,
    source: &Source<'_, C>,
    kept: Option<&Multiples<C>>,
    scalars: &dyn ScalarSource,
    n: usize,
    curve: &CurveSpec,
    control: &Control,
) -> Result<(C::Group, Timings), Error> {
    let mut timings = Timings::default();
    let mut sum = C::Group::ZERO;
    let digits_per_base = u64::from(plan.shape.windows) * plan.shape.halves() as u64;
    let mut data = Vec::new();
    for start in (0..n).step_by(plan.chunk) {
        let range = start..(start + plan.chunk).min(n);
        let digits = timed(&mut timings.decompose, || {
            decompose(scalars, range.clone(), &plan.shape, curve, std::mem::take(&mut data))
        })?;
        let made = timed(&mut timings.load, || match source {
            Source::Borrowed(bases) => Some(Multiples::new(plan, &bases[range.clone()], curve)),
            Source::Resident => None,
        });
        let (multiples, first) = match (&made, kept) {
            (Some(made), _) => (made, 0),
            (None, Some(kept)) => (kept, start),
            (None, None) => return Err(Error::Internal("a run before its bases".into())),
        };
        sum += timed(&mut timings.accumulate, || multiples.sum(plan, first, &digits, control))?;
        control.reach(range.end as u64 * digits_per_base)?;
        data = digits.into_data();
    }
    Ok((sum, timings))
}

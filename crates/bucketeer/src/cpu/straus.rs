//! A few bases, without buckets (Straus 1964):
//!
//! 1. Compute odd multiples of every stored point.
//! 2. Recode scalars into the width-(c + 1) non-adjacent form: digits are odd and below 2^c, and at
//!    most one of c + 1 consecutive digits is non-zero. The windows of the plan determine the
//!    number of multiples and where a scalar is cut for its copies.
//! 3. Sweep over the bits from the top: double, and add the multiples that the digits name.
//!
//! Everything is in arkworks' coordinates and on the calling thread: in a run of microseconds,
//! changing coordinates or waking a thread would cost more than it saves.

use ark_ff::AdditiveGroup;

use super::decompose::{Decomposed, decompose};
use super::timed;
use crate::control::Control;
use crate::engine::Placement;
use crate::plan::{Digits, Plan, Shape, Table};
use crate::report::Timings;
use crate::scalars::ScalarSource;
use crate::{Curve, CurveSpec, DeviceFacts, Error};

/// Multiples of bases, 1·P, 3·P, 5·P … for every point of a [`Table`], in its order.
pub(super) struct Multiples<C: Curve> {
    table: Table,
    addends: Vec<C::Addend>,
}

impl<C: Curve> Multiples<C> {
    pub(super) fn new(plan: &Plan, bases: &[C], curve: &CurveSpec) -> Self {
        let table = plan.table();
        let multiples = table.multiples as usize;
        let shift = table.window_bits * table.bucket_sets;
        let mut points = Vec::with_capacity(bases.len() * table.precompute as usize * multiples);
        for base in bases {
            let mut point = base.reduced().point().into_group();
            for copy in 0..table.precompute {
                if copy > 0 {
                    C::double_times(&mut point, shift);
                }
                let twice = point.double();
                points.push(point);
                for _ in 1..multiples {
                    points.push(points[points.len() - 1] + twice);
                }
            }
        }
        let own = C::addends(&points);
        let images = curve.endomorphism.as_ref().filter(|_| table.endomorphism);
        let Some(endomorphism) = images else { return Self { table, addends: own } };
        let beta = endomorphism.beta.clone().into();
        let mut addends = Vec::with_capacity(2 * own.len());
        for own in own.chunks_exact(multiples) {
            addends.extend_from_slice(own);
            addends.extend(own.iter().map(|addend| C::image(addend, &beta)));
        }
        Self { table, addends }
    }

    /// The sum over a chunk of bases that begins at `start`.
    fn sum(
        &self,
        shape: &Shape,
        start: usize,
        scalars: &Decomposed,
        control: &Control,
    ) -> Result<C::Group, Error> {
        let (table, halves) = (&self.table, shape.halves());
        let stored_halves = 1 + usize::from(table.endomorphism);
        let length = (shape.window_bits * shape.bucket_sets) as usize;
        // The digits of one bit are contiguous: those of every base, copy and half.
        let streams = scalars.len() * shape.precompute as usize * halves;
        let mut digits = vec![0i16; streams * (length + 1)];
        let mut firsts = Vec::with_capacity(streams);
        for base in 0..scalars.len() {
            for copy in 0..shape.precompute as usize {
                for half in 0..halves {
                    let digits = digits[firsts.len()..].iter_mut().step_by(streams);
                    let bits = Bits { scalars, base, half, first: copy * length, length };
                    bits.recode(shape.window_bits, digits);
                    let point = (start + base) * table.stored() + copy * stored_halves + half;
                    firsts.push(point * table.multiples as usize);
                }
            }
        }
        let mut sum = C::Group::ZERO;
        let mut doublings = 0;
        for (bit, digits) in digits.chunks_exact(streams).enumerate().rev() {
            let mut named = digits.iter().zip(&firsts).filter(|(digit, _)| **digit != 0).peekable();
            if named.peek().is_some() || bit == 0 {
                C::double_times(&mut sum, doublings);
                doublings = 0;
            }
            while let Some((digit, first)) = named.next() {
                let addend = &self.addends[first + usize::from(digit.unsigned_abs() >> 1)];
                // The last addition is followed by doublings, or by the end.
                let last = named.peek().is_none() && bit > 0;
                C::add_to(&mut sum, addend, *digit < 0, last);
            }
            doublings += 1;
            if bit % shape.window_bits as usize == 0 {
                control.advance(0)?;
            }
        }
        Ok(sum)
    }
}

/// A range of bits of a shortened scalar, or of one half.
struct Bits<'a> {
    scalars: &'a Decomposed,
    base: usize,
    half: usize,
    first: usize,
    length: usize,
}

impl Bits<'_> {
    /// Up to 16 bits from this one on.
    fn get(&self, at: usize, count: usize) -> u32 {
        let (word, shift) = ((self.first + at) / 64, (self.first + at) % 64);
        let read = |word| self.scalars.word(self.base, self.half, word);
        let bits = read(word) >> shift | (read(word + 1) << 1) << (63 - shift);
        bits as u32 & ((1 << count) - 1)
    }

    /// Writes the non-adjacent form with digits below 2^`bits`: one more digit than bits.
    fn recode<'a>(&self, bits: u32, digits: impl Iterator<Item = &'a mut i16>) {
        let negative = self.scalars.is_negative(self.base, self.half);
        let (mut carry, mut done) = (0, 0);
        for (at, digit) in digits.enumerate() {
            if at < done || (at < self.length && self.get(at, 1) == carry) {
                continue;
            }
            let count = (bits as usize + 1).min(self.length - at);
            let value = self.get(at, count) + carry;
            carry = value >> bits & 1;
            let value = value as i16 - ((carry as i16) << (bits + 1));
            *digit = if negative { -value } else { value };
            done = at + count.max(1);
        }
    }
}

/// Executes a plan without buckets, on borrowed bases or resident multiples.
pub(super) fn run<C: Curve>(
    plan: &Plan,
    source: &Placement<'_, C>,
    kept: Option<&Multiples<C>>,
    scalars: &dyn ScalarSource,
    n: usize,
    curve: &CurveSpec,
    control: &Control,
) -> Result<(C::Group, Timings), Error> {
    let mut timings = Timings::default();
    let mut sum = C::Group::ZERO;
    let digits_per_base = u64::from(plan.shape.windows) * plan.shape.halves() as u64;
    // Plain bits, without the bias of signed windows.
    let plain = Shape { digits: Digits::Unsigned, ..plan.shape };
    let one_thread = DeviceFacts { threads: 1, ..plan.device };
    let mut data = Vec::new();
    for start in (0..n).step_by(plan.chunk) {
        let range = start..(start + plan.chunk).min(n);
        let shortened = timed(&mut timings.decompose, || {
            decompose(
                scalars,
                range.clone(),
                &plain,
                curve,
                &one_thread,
                std::mem::take(&mut data),
                control,
            )
        })?;
        let made = timed(&mut timings.load, || match source {
            Placement::Borrowed(bases) => Some(Multiples::new(plan, &bases[range.clone()], curve)),
            Placement::Resident { .. } => None,
        });
        let (multiples, first) = match (&made, source, kept) {
            (Some(made), ..) => (made, 0),
            (None, Placement::Resident { first }, Some(kept)) => (kept, first + start),
            (None, ..) => return Err(Error::Internal("a run before its bases".into())),
        };
        sum += timed(&mut timings.accumulate, || {
            multiples.sum(&plan.shape, first, &shortened, control)
        })?;
        control.reach(range.end as u64 * digits_per_base)?;
        data = shortened.into_data();
    }
    Ok((sum, timings))
}

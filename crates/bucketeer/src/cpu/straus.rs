//! A few bases, without buckets: odd multiples of every stored point, and one sweep over the bits from the top
//! down that doubles and adds the multiples that the digits there name (Straus 1964).
//!
//! Digits are those of the non-adjacent form: odd, below 2^c, and at most one non-zero in c + 1 bits. The plan's
//! windows say how many multiples there are, and where a scalar is cut for its copies.
//!
//! Everything is in arkworks' own coordinates of the curve and on the calling thread: where a run takes
//! microseconds, changing coordinates or waking a thread would cost more than it saves.

use ark_ff::AdditiveGroup;

use super::decompose::{Decomposed, decompose};
use super::stages::timed;
use crate::control::Control;
use crate::engine::{Source, Timings};
use crate::plan::{Digits, Plan, Shape, Table};
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
            let mut point = base.reduced().into_group();
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

    /// The sum over a chunk of bases, of which the first is `start`.
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
        // All digits of one bit lie together: of every base, copy and half, with its multiples.
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
                // After the last one come doublings, or the end.
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

/// Some bits of a shortened scalar, or of one half of it.
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

    /// Writes the non-adjacent form with digits below 2^`bits`, one more digit than there are bits.
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
    // Bits as they are, without the bias of signed windows.
    let plain = Shape { digits: Digits::Unsigned, ..plan.shape };
    let alone = DeviceFacts { threads: 1, ..plan.device };
    let mut data = Vec::new();
    for start in (0..n).step_by(plan.chunk) {
        let range = start..(start + plan.chunk).min(n);
        let shortened = timed(&mut timings.decompose, || {
            decompose(scalars, range.clone(), &plain, curve, &alone, std::mem::take(&mut data))
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
        sum += timed(&mut timings.accumulate, || {
            multiples.sum(&plan.shape, first, &shortened, control)
        })?;
        control.reach(range.end as u64 * digits_per_base)?;
        data = shortened.into_data();
    }
    Ok((sum, timings))
}

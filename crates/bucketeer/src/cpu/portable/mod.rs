//! Batched affine additions on 64-bit words, for every processor and every field.
//!
//! The steps are those of Montgomery's trick, 5M+1S per addition:
//!
//! 1. Forward: denominators d = x₂ − x₁, and the product of all before each.
//! 2. Invert the product of all.
//! 3. Backward: 1/d from the products; λ = (y₂ − y₁)/d, x₃ = λ² − x₁ − x₂, y₃ = λ(x₁ − x₃) − y₁.
//!
//! The kernel is generic over the field operations of [`arithmetic`]. [`prime`] and [`quadratic`]
//! implement them on words; [`ark`] on arkworks' fields, for all other shapes and forms.

// Index loops are unrolled into straight code; iterators would bring closures.
#![allow(clippy::needless_range_loop, clippy::manual_memcpy)]

#[cfg(target_arch = "x86_64")]
mod adx;
mod arithmetic;
mod ark;
#[cfg(target_arch = "x86_64")]
mod chains;
mod double;
mod edwards;
mod prime;
mod quadratic;
pub(in crate::cpu) mod residues;
mod shapes;
#[cfg(all(test, feature = "curves"))]
pub(in crate::cpu) mod tests;

use super::buffer::clear_with_capacity;
use super::kernel::{ArkPoint, Formulas, Kernel, Point, Scratch, infinity, is_infinity};
use super::pairs::{NEGATIVE, Pairs, Reads};
use super::prefetch::prefetch;
use crate::curve::CoordinateSystem;
use arithmetic::{Arithmetic, CHAIN, INVERSE, P, SLOPE, TWICE};
use edwards::Edwards;
pub(crate) use shapes::kernel;

/// The curve `y² = x³ + a·x + b` over a field.
struct Portable<F: Arithmetic, const W: usize> {
    field: F,
    a: F::Element,
    /// β of φ(x, y) = (β·x, y), if the curve has the endomorphism.
    beta: Option<F::Base>,
    /// The map from twisted Edwards coordinates, if bases come in them.
    edwards: Option<Edwards<F::Element>>,
    formulas: Box<dyn Formulas<W>>,
}

/// What to do for a pair once the denominators are inverted.
#[derive(Clone, Copy)]
enum Case {
    Add,
    Double,
    Left,
    Right,
    Infinity,
}

/// One pair: its case, its denominator and the product of all denominators before it.
#[derive(Clone, Copy)]
struct Step<E, C> {
    d: E,
    before: C,
    case: Case,
}

/// A step on elements of F.
type StepOf<F> = Step<<F as Arithmetic>::Element, <F as Arithmetic>::Loose<CHAIN>>;

/// How many pairs ahead points are prefetched.
const PREFETCH: usize = 6;

/// An operand: a point, and whether it is to be negated.
type Operand<'a, const W: usize> = (&'a Point<W>, bool);

/// The operand of an entry.
#[inline(always)]
fn operand<const W: usize>(src: &[Point<W>], entry: u32) -> Operand<'_, W> {
    (&src[(entry & !NEGATIVE) as usize], entry & NEGATIVE != 0)
}

/// Whether a point is infinity; fast if it is not.
#[inline(always)]
fn infinite<const W: usize>(point: &Point<W>) -> bool {
    point[0] == u64::MAX && is_infinity(point)
}

impl<F: Arithmetic, const W: usize> Portable<F, W> {
    #[inline(always)]
    fn x<'a>(&self, point: &'a Point<W>) -> F::Stored<'a> {
        self.field.read(&point[..W / 2])
    }

    #[inline(always)]
    fn y<'a>(&self, point: &'a Point<W>) -> F::Stored<'a> {
        self.field.read(&point[W / 2..])
    }

    fn signed_y(&self, (point, negative): Operand<'_, W>) -> F::Element {
        let (y, zero) = (*self.y(point), self.field.zero());
        if negative { self.field.sub(&zero, F::loose(&y)) } else { y }
    }

    /// The case and denominator of a pair that is not an addition of different points.
    #[cold]
    #[inline(never)]
    fn classify(&self, p: Operand<'_, W>, q: Operand<'_, W>) -> (Case, F::Element) {
        let f = &self.field;
        if is_infinity(p.0) {
            return (Case::Right, f.one());
        }
        if is_infinity(q.0) {
            return (Case::Left, f.one());
        }
        let (y1, y2) = (self.signed_y(p), self.signed_y(q));
        if y1 == y2 && y1 != f.zero() {
            (Case::Double, f.add(&y1, F::loose(&y1)))
        } else {
            (Case::Infinity, f.one())
        }
    }

    /// The sum of a pair that is not an addition of different points.
    #[cold]
    #[inline(never)]
    fn special(
        &self,
        p: Operand<'_, W>,
        q: Operand<'_, W>,
        case: Case,
        inverse: &F::Loose<INVERSE>,
    ) -> Point<W> {
        let own = |(point, negative): Operand<'_, W>| match negative {
            true => self.negate(point),
            false => *point,
        };
        match case {
            Case::Left => own(p),
            Case::Right => own(q),
            Case::Infinity => infinity(),
            Case::Add | Case::Double => {
                let f = &self.field;
                let (x, y) = (*self.x(p.0), self.signed_y(p));
                let (add, sub) = (
                    |a: &F::Element, b: &F::Element| f.add(a, F::loose(b)),
                    |a: &F::Element, b: &F::Element| f.sub(a, F::loose(b)),
                );
                let square = f.square(F::loose(&x));
                let rise = add(&add(&add(&square, &square), &square), &self.a);
                let slope = f.mul(F::loose(&rise), inverse);
                let x3 = sub(&sub(&f.square(F::loose(&slope)), &x), &x);
                let y3 = sub(&f.mul(F::loose(&slope), F::loose(&sub(&x, &x3))), &y);
                let mut sum = infinity();
                f.write(&x3, &mut sum[..W / 2]);
                f.write(&y3, &mut sum[W / 2..]);
                sum
            }
        }
    }

    /// All additions, with one inversion.
    #[inline(always)]
    fn add_all(
        &self,
        src: &[Point<W>],
        pairs: &mut Pairs,
        dst: &mut [Point<W>],
        steps: &mut Vec<StepOf<F>>,
    ) {
        let f = &self.field;
        let one: F::Loose<CHAIN> = *F::widen(F::loose(&f.one()));
        let [a, b, _] = pairs.lists();
        if steps.len() <= a.len() {
            clear_with_capacity(steps, a.len() + 1);
            steps.resize(a.len() + 1, Step { d: f.one(), before: one, case: Case::Add });
        }
        steps[0].before = one;
        for i in 0..a.len() {
            let first = if pairs.in_place { &*dst } else { src };
            if pairs.reads != Reads::Cached && i + PREFETCH < a.len() {
                prefetch(operand(first, a[i + PREFETCH]).0);
                prefetch(operand(src, b[i + PREFETCH]).0);
            }
            let (p, q) = (operand(first, a[i]), operand(src, b[i]));
            let [step, next] = &mut steps[i..i + 2] else { unreachable!("two") };
            let (mut d, mut case) = (f.sub(&self.x(q.0), F::loose(&self.x(p.0))), Case::Add);
            if d == f.zero() || infinite(p.0) || infinite(q.0) {
                (case, d) = self.classify(p, q);
            }
            next.before = f.loose_mul::<CHAIN, P, CHAIN>(&step.before, F::loose(&d));
            (step.d, step.case) = (d, case);
        }
        let inverse = f.invert(&steps[a.len()].before);
        let mut inverse: F::Loose<CHAIN> = *F::widen(F::loose(&inverse));
        let mut left = a.len();
        while left > 0 {
            if let [.., Step { case: Case::Add, .. }, Step { case: Case::Add, .. }] = &steps[..left]
                && F::PAIRED
            {
                left -= 2;
                self.finish::<2>(src, pairs, dst, &steps[left..], left, &mut inverse);
            } else {
                left -= 1;
                self.finish::<1>(src, pairs, dst, &steps[left..], left, &mut inverse);
            }
        }
    }

    /// Writes the sums of the K pairs from `start` on, whose steps are the first of `steps`; more
    /// than one only if all are plain additions. `inverse` is the inverse of the product of all
    /// denominators up to theirs on entry, and of those before on return.
    #[inline(always)]
    fn finish<const K: usize>(
        &self,
        src: &[Point<W>],
        pairs: &Pairs,
        dst: &mut [Point<W>],
        steps: &[StepOf<F>],
        start: usize,
        inverse: &mut F::Loose<CHAIN>,
    ) {
        let f = &self.field;
        let [a, b, out] = pairs.lists().map(|list| &list[start..start + K]);
        let to_prefetch = pairs.to_prefetch();
        let mut own: [F::Loose<INVERSE>; K] = [*F::widen::<CHAIN, INVERSE>(inverse); K];
        for k in (0..K).rev() {
            if let Some(&entry) = to_prefetch.get(start + k) {
                prefetch(operand(src, entry).0);
            }
            own[k] = f.loose_mul::<CHAIN, CHAIN, INVERSE>(inverse, &steps[k].before);
            *inverse = f.loose_mul::<CHAIN, P, CHAIN>(inverse, F::loose(&steps[k].d));
        }
        let first = if pairs.in_place { &*dst } else { src };
        let p: [_; K] = std::array::from_fn(|k| operand(first, a[k]));
        let q: [_; K] = std::array::from_fn(|k| operand(src, b[k]));
        if K == 1 && !matches!(steps[0].case, Case::Add) {
            dst[out[0] as usize] = self.special(p[0], q[0], steps[0].case, &own[0]);
            return;
        }
        // Signs are random, so branches on them would be mispredicted half of the time.
        let y1: [_; K] = std::array::from_fn(|k| match pairs.in_place {
            true => *F::loose(&self.y(p[k].0)),
            false => f.negate_if(p[k].1, &self.y(p[k].0)),
        });
        let slope: [F::Loose<SLOPE>; K] = std::array::from_fn(|k| {
            let y2 = f.negate_if(q[k].1, &self.y(q[k].0));
            f.loose_mul::<TWICE, INVERSE, SLOPE>(&f.loose_sub(&y2, &y1[k]), &own[k])
        });
        let x3: [_; K] = std::array::from_fn(|k| {
            let (x1, x2) = (self.x(p[k].0), self.x(q[k].0));
            f.sub(&f.sub(&f.square::<SLOPE>(&slope[k]), F::loose(&x1)), F::loose(&x2))
        });
        let y3: [_; K] = std::array::from_fn(|k| {
            let run = f.loose_sub(F::loose(&self.x(p[k].0)), F::loose(&x3[k]));
            f.sub(&f.mul::<TWICE, SLOPE>(&run, &slope[k]), &y1[k])
        });
        for k in 0..K {
            let sum = &mut dst[out[k] as usize];
            f.write(&x3[k], &mut sum[..W / 2]);
            f.write(&y3[k], &mut sum[W / 2..]);
        }
    }

    /// The same, compiled for BMI2 and ADX.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2,adx")]
    fn add_all_adx(
        &self,
        src: &[Point<W>],
        pairs: &mut Pairs,
        dst: &mut [Point<W>],
        steps: &mut Vec<StepOf<F>>,
    ) {
        self.add_all(src, pairs, dst, steps);
    }
}

impl<F: Arithmetic, const W: usize> Kernel<W> for Portable<F, W> {
    fn add_pairs(
        &self,
        src: &[Point<W>],
        pairs: &mut Pairs,
        dst: &mut [Point<W>],
        scratch: &mut Scratch,
    ) {
        #[cfg(target_arch = "x86_64")]
        if F::ADX {
            // SAFETY: such a field is built only if the processor has the instructions.
            return unsafe { self.add_all_adx(src, pairs, dst, scratch.of()) };
        }
        self.add_all(src, pairs, dst, scratch.of());
    }

    fn double(&self, points: &mut [Point<W>], times: u32, scratch: &mut Scratch) {
        #[cfg(target_arch = "x86_64")]
        if F::ADX {
            // SAFETY: such a field is built only if the processor has the instructions.
            return unsafe { self.double_all_adx(points, times, scratch.of()) };
        }
        self.double_all(points, times, scratch.of());
    }

    fn negate(&self, point: &Point<W>) -> Point<W> {
        let mut out = *point;
        if !is_infinity(point) {
            let y = self.field.sub(&self.field.zero(), F::loose(&self.y(point)));
            self.field.write(&y, &mut out[W / 2..]);
        }
        out
    }

    fn import<'a>(&self, points: &'a mut [ArkPoint<W>], image: bool) -> &'a mut [Point<W>] {
        let points = ArkPoint::words(points);
        if image {
            self.images(points);
        }
        points
    }

    fn base_coordinates(&self) -> CoordinateSystem {
        match self.edwards {
            Some(_) => CoordinateSystem::Own,
            None => CoordinateSystem::Weierstrass,
        }
    }

    fn import_bases<'a>(&self, points: &'a mut [ArkPoint<W>], image: bool) -> &'a mut [Point<W>] {
        match &self.edwards {
            Some(map) => {
                let points = ArkPoint::words(points);
                self.import_edwards(points, map);
                points
            }
            None => self.import(points, image),
        }
    }

    fn images(&self, points: &mut [Point<W>]) {
        let Some(beta) = self.beta else { return };
        for point in points.iter_mut().filter(|point| !is_infinity(point)) {
            let x = self.field.scale(&self.x(point), &beta);
            self.field.write(&x, &mut point[..W / 2]);
        }
    }

    fn export(&self, point: &Point<W>) -> ArkPoint<W> {
        ArkPoint(*point)
    }

    fn formulas(&self) -> &dyn Formulas<W> {
        &*self.formulas
    }
}

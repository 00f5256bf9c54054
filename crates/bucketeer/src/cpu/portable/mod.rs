//! Batched affine additions in plain words: right on every processor and for every field.
//!
//! One kernel over the field operations of [`arithmetic`], which [`prime`] and [`quadratic`] do on words
//! of their own and [`ark`] on arkworks' fields, for those of another shape or form.

// Index loops are what is unrolled into straight code; iterators bring closures.
#![allow(clippy::needless_range_loop, clippy::manual_memcpy)]

#[cfg(target_arch = "x86_64")]
mod adx;
mod arithmetic;
mod ark;
#[cfg(target_arch = "x86_64")]
mod chains;
mod edwards;
mod prime;
mod quadratic;
mod shapes;
#[cfg(all(test, feature = "curves"))]
mod tests;

use super::accumulate::empty;
use super::kernel::{
    Formulas, Infinity, Kernel, NEGATIVE, Pairs, Point, Scratch, fetch, is_infinity,
};
use super::table::Coordinates;
use arithmetic::Arithmetic;
use edwards::Edwards;
pub(crate) use shapes::kernel;

/// The curve `y² = x³ + a·x + b` over a field.
struct Portable<F: Arithmetic, const W: usize> {
    field: F,
    a: F::Element,
    /// φ(x, y) = (β·x, y), where the curve has it.
    beta: Option<F::Base>,
    /// The way from twisted Edwards coordinates, where bases come in them.
    edwards: Option<Edwards<F::Element>>,
    formulas: Box<dyn Formulas<W>>,
}

/// What has to be done for one pair once the denominators are inverted.
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
struct Step<E> {
    d: E,
    before: E,
    case: Case,
}

/// How many pairs ahead points are fetched.
const PREFETCH: usize = 6;

/// An operand: a point, and whether it is to be negated.
type Operand<'a, const W: usize> = (&'a Point<W>, bool);

/// The operand of an entry.
#[inline(always)]
fn operand<const W: usize>(src: &[Point<W>], entry: u32) -> Operand<'_, W> {
    (&src[(entry & !NEGATIVE) as usize], entry & NEGATIVE != 0)
}

/// Whether a point is infinity; quick where it is not.
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
        if negative { self.field.sub(&zero, &y) } else { y }
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
            (Case::Double, f.add(&y1, &y1))
        } else {
            (Case::Infinity, f.one())
        }
    }

    /// The sum of such a pair.
    #[cold]
    #[inline(never)]
    fn special(
        &self,
        p: Operand<'_, W>,
        q: Operand<'_, W>,
        case: Case,
        inverse: &F::Element,
    ) -> Point<W> {
        let own = |(point, negative): Operand<'_, W>| match negative {
            true => self.negate(point),
            false => *point,
        };
        match case {
            Case::Left => own(p),
            Case::Right => own(q),
            Case::Infinity => Infinity::POINT,
            Case::Add | Case::Double => {
                let f = &self.field;
                let (x, y) = (*self.x(p.0), self.signed_y(p));
                let square = f.square(&x);
                let rise = f.add(&f.add(&f.add(&square, &square), &square), &self.a);
                let slope = f.mul(&rise, inverse);
                let x3 = f.sub(&f.sub(&f.square(&slope), &x), &x);
                let y3 = f.sub(&f.mul(&slope, &f.sub(&x, &x3)), &y);
                let mut sum = Infinity::POINT;
                f.write(&x3, &mut sum[..W / 2]);
                f.write(&y3, &mut sum[W / 2..]);
                sum
            }
        }
    }

    /// Montgomery's trick: λ = (y₂−y₁)/(x₂−x₁), x₃ = λ²−x₁−x₂, y₃ = λ(x₁−x₃)−y₁. 5M+1S.
    #[inline(always)]
    fn add_all(
        &self,
        src: &[Point<W>],
        pairs: &mut Pairs,
        dst: &mut [Point<W>],
        steps: &mut Vec<Step<F::Element>>,
    ) {
        let f = &self.field;
        let [a, b, _] = pairs.lists();
        if steps.len() <= a.len() {
            empty(steps, a.len() + 1);
            steps.resize(a.len() + 1, Step { d: f.one(), before: f.one(), case: Case::Add });
        }
        steps[0].before = f.one();
        for i in 0..a.len() {
            let first = if pairs.in_place { &*dst } else { src };
            if pairs.scattered && i + PREFETCH < a.len() {
                fetch(operand(first, a[i + PREFETCH]).0);
                fetch(operand(src, b[i + PREFETCH]).0);
            }
            let (p, q) = (operand(first, a[i]), operand(src, b[i]));
            let [step, next] = &mut steps[i..i + 2] else { unreachable!("two") };
            let (mut d, mut case) = (f.sub(&self.x(q.0), &self.x(p.0)), Case::Add);
            if d == f.zero() || infinite(p.0) || infinite(q.0) {
                (case, d) = self.classify(p, q);
            }
            next.before = f.loose_mul(&step.before, &d);
            (step.d, step.case) = (d, case);
        }
        let mut inverse = f.invert(&steps[a.len()].before);
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

    /// Writes the sums of K pairs, of one or of such as need no special case: those from `start` on, to which the first
    /// `steps` belong. `inverse` is that of all denominators up to theirs, and then of those before.
    #[inline(always)]
    fn finish<const K: usize>(
        &self,
        src: &[Point<W>],
        pairs: &Pairs,
        dst: &mut [Point<W>],
        steps: &[Step<F::Element>],
        start: usize,
        inverse: &mut F::Element,
    ) {
        let f = &self.field;
        let [a, b, out] = pairs.lists().map(|list| &list[start..start + K]);
        let later = pairs.later();
        let mut own = [*inverse; K];
        for k in (0..K).rev() {
            if let Some(&entry) = later.get(start + k) {
                fetch(operand(src, entry).0);
            }
            own[k] = f.loose_mul(inverse, &steps[k].before);
            *inverse = f.loose_mul(inverse, &steps[k].d);
        }
        let first = if pairs.in_place { &*dst } else { src };
        let p: [_; K] = std::array::from_fn(|k| operand(first, a[k]));
        let q: [_; K] = std::array::from_fn(|k| operand(src, b[k]));
        if K == 1 && !matches!(steps[0].case, Case::Add) {
            dst[out[0] as usize] = self.special(p[0], q[0], steps[0].case, &own[0]);
            return;
        }
        // Signs are as good as random: no branches.
        let y1: [_; K] = std::array::from_fn(|k| match pairs.in_place {
            true => *self.y(p[k].0),
            false => f.negate_if(p[k].1, &self.y(p[k].0)),
        });
        let slope: [_; K] = std::array::from_fn(|k| {
            let y2 = f.negate_if(q[k].1, &self.y(q[k].0));
            f.loose_mul(&f.loose_sub(&y2, &y1[k]), &own[k])
        });
        let x3: [_; K] = std::array::from_fn(|k| {
            f.sub(&f.sub(&f.square(&slope[k]), &self.x(p[k].0)), &self.x(q[k].0))
        });
        let y3: [_; K] = std::array::from_fn(|k| {
            f.sub(&f.mul(&f.loose_sub(&self.x(p[k].0), &x3[k]), &slope[k]), &y1[k])
        });
        for k in 0..K {
            let sum = &mut dst[out[k] as usize];
            f.write(&x3[k], &mut sum[..W / 2]);
            f.write(&y3[k], &mut sum[W / 2..]);
        }
    }

    /// The same, compiled with multiplications that leave the flags alone.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2,adx")]
    fn add_all_adx(
        &self,
        src: &[Point<W>],
        pairs: &mut Pairs,
        dst: &mut [Point<W>],
        steps: &mut Vec<Step<F::Element>>,
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
            // SAFETY: such a field is made only where the processor has the instructions.
            return unsafe { self.add_all_adx(src, pairs, dst, scratch.of()) };
        }
        self.add_all(src, pairs, dst, scratch.of());
    }

    fn negate(&self, point: &Point<W>) -> Point<W> {
        let mut out = *point;
        if !is_infinity(point) {
            let y = self.field.sub(&self.field.zero(), &self.y(point));
            self.field.write(&y, &mut out[W / 2..]);
        }
        out
    }

    fn import(&self, points: &mut [Point<W>], image: bool) {
        let Some(beta) = self.beta.filter(|_| image) else { return };
        for point in points.iter_mut().filter(|point| !is_infinity(point)) {
            let x = self.field.scale(&self.x(point), &beta);
            self.field.write(&x, &mut point[..W / 2]);
        }
    }

    fn base_coordinates(&self) -> Coordinates {
        match self.edwards {
            Some(_) => Coordinates::Own,
            None => Coordinates::Weierstrass,
        }
    }

    fn import_bases(&self, points: &mut [Point<W>], image: bool) {
        match &self.edwards {
            Some(map) => self.import_edwards(points, map),
            None => self.import(points, image),
        }
    }

    fn export(&self, point: &Point<W>) -> Point<W> {
        *point
    }

    fn formulas(&self) -> &dyn Formulas<W> {
        &*self.formulas
    }
}

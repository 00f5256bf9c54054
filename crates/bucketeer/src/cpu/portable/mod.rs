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
    fn x(&self, point: &Point<W>) -> F::Element {
        self.field.read(&point[..W / 2])
    }

    #[inline(always)]
    fn y(&self, point: &Point<W>) -> F::Element {
        self.field.read(&point[W / 2..])
    }

    fn signed_y(&self, (point, negative): Operand<'_, W>) -> F::Element {
        let (y, zero) = (self.y(point), self.field.zero());
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
                let (x, y) = (self.x(p.0), self.signed_y(p));
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
        let [a, b, out] = pairs.lists();
        if steps.len() < a.len() {
            empty(steps, a.len());
            steps.resize(a.len(), Step { d: f.one(), before: f.one(), case: Case::Add });
        }
        let steps = &mut steps[..a.len()];
        let mut product = f.one();
        for (i, step) in steps.iter_mut().enumerate() {
            let first = if pairs.in_place { &*dst } else { src };
            if pairs.scattered && i + PREFETCH < a.len() {
                fetch(operand(first, a[i + PREFETCH]).0);
                fetch(operand(src, b[i + PREFETCH]).0);
            }
            let (p, q) = (operand(first, a[i]), operand(src, b[i]));
            let (x1, x2) = (self.x(p.0), self.x(q.0));
            (step.d, step.case) = (f.sub(&x2, &x1), Case::Add);
            if x1 == x2 || infinite(p.0) || infinite(q.0) {
                (step.case, step.d) = self.classify(p, q);
            }
            step.before = product;
            product = f.mul(&product, &step.d);
        }
        let mut inverse = f.invert(&product);
        let later = pairs.later();
        for (i, step) in steps.iter().enumerate().rev() {
            if let Some(&entry) = later.get(i) {
                fetch(operand(src, entry).0);
            }
            let own = f.mul(&inverse, &step.before);
            inverse = f.mul(&inverse, &step.d);
            let first = if pairs.in_place { &*dst } else { src };
            let (p, q) = (operand(first, a[i]), operand(src, b[i]));
            if !matches!(step.case, Case::Add) {
                dst[out[i] as usize] = self.special(p, q, step.case, &own);
                continue;
            }
            let (x1, x2) = (self.x(p.0), self.x(q.0));
            // Signs are as good as random: no branches.
            let y1 = f.negate_if(p.1, &self.y(p.0));
            let y2 = f.negate_if(q.1, &self.y(q.0));
            let slope = f.mul(&f.sub(&y2, &y1), &own);
            let x3 = f.sub(&f.square(&slope), &f.add(&x1, &x2));
            let y3 = f.sub(&f.mul(&slope, &f.sub(&x1, &x3)), &y1);
            let sum = &mut dst[out[i] as usize];
            f.write(&x3, &mut sum[..W / 2]);
            f.write(&y3, &mut sum[W / 2..]);
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

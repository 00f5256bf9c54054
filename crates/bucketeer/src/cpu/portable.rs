//! Batched affine additions on arkworks' own fields: right on every processor and for every field.

use ark_ff::Field;

use super::accumulate::empty;
use super::formulas::{Xyzz, point, read, write};
use super::kernel::{
    Formulas, Infinity, Kernel, NEGATIVE, Pairs, Point, Scratch, fetch, is_infinity,
};

/// The curve `y² = x³ + a·x + b` over `F`.
pub(crate) struct Portable<F: Field> {
    formulas: Xyzz<F>,
    /// φ(x, y) = (β·x, y), where the curve has it.
    beta: Option<F::BasePrimeField>,
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
struct Step<F> {
    case: Case,
    d: F,
    before: F,
}

/// How many pairs ahead points are fetched.
const PREFETCH: usize = 4;

/// The point of an entry, and whether it is to be negated.
#[inline(always)]
fn operand<const W: usize>(src: &[Point<W>], entry: u32) -> (&Point<W>, bool) {
    (&src[(entry & !NEGATIVE) as usize], entry & NEGATIVE != 0)
}

/// Whether a point is infinity; quick where it is not.
#[inline(always)]
fn infinite<const W: usize>(point: &Point<W>) -> bool {
    point[0] == u64::MAX && is_infinity(point)
}

impl<F: Field> Portable<F> {
    pub(crate) fn new(a: F, beta: Option<F::BasePrimeField>) -> Self {
        Self { formulas: Xyzz { a }, beta }
    }

    /// The case and denominator of a pair that is not an addition of different points.
    #[cold]
    fn classify<const W: usize>(&self, p: (&Point<W>, bool), q: (&Point<W>, bool)) -> (Case, F) {
        if is_infinity(p.0) {
            return (Case::Right, F::ONE);
        }
        if is_infinity(q.0) {
            return (Case::Left, F::ONE);
        }
        let y: F = read(&p.0[W / 2..]);
        let (y1, y2) = (signed_y::<F, W>(p), signed_y::<F, W>(q));
        if y1 == y2 && y != F::ZERO {
            (Case::Double, y1.double())
        } else {
            (Case::Infinity, F::ONE)
        }
    }

    /// The sum of such a pair.
    #[cold]
    fn finish_special<const W: usize>(
        &self,
        p: (&Point<W>, bool),
        q: (&Point<W>, bool),
        case: Case,
        inverse: F,
    ) -> Point<W> {
        let own = |(point, negative): (&Point<W>, bool)| match negative {
            true => Kernel::<W>::negate(self, point),
            false => *point,
        };
        match case {
            Case::Left => own(p),
            Case::Right => own(q),
            Case::Infinity => Infinity::POINT,
            Case::Add | Case::Double => {
                let (x, y): (F, F) = (read(&p.0[..W / 2]), signed_y::<F, W>(p));
                let square = x.square();
                let slope = (square.double() + square + self.formulas.a) * inverse;
                let x3 = slope.square() - x.double();
                point(&x3, &(slope * (x - x3) - y))
            }
        }
    }
}

fn signed_y<F: Field, const W: usize>((point, negative): (&Point<W>, bool)) -> F {
    let y: F = read(&point[W / 2..]);
    if negative { -y } else { y }
}

impl<F: Field, const W: usize> Kernel<W> for Portable<F> {
    /// Montgomery's trick: λ = (y₂−y₁)/(x₂−x₁), x₃ = λ²−x₁−x₂, y₃ = λ(x₁−x₃)−y₁. 5M+1S.
    fn add_pairs(
        &self,
        src: &[Point<W>],
        pairs: &mut Pairs,
        dst: &mut [Point<W>],
        scratch: &mut Scratch,
    ) {
        let steps: &mut Vec<Step<F>> = scratch.of();
        empty(steps, pairs.len());
        let [a, b, out] = pairs.lists();
        let mut product = F::ONE;
        for (i, (&a_entry, &b_entry)) in a.iter().zip(b).enumerate() {
            if pairs.scattered && i + PREFETCH < a.len() {
                fetch(operand(src, a[i + PREFETCH]).0);
                fetch(operand(src, b[i + PREFETCH]).0);
            }
            let (p, q) = (operand(src, a_entry), operand(src, b_entry));
            let mut d = read::<F>(&q.0[..W / 2]) - read::<F>(&p.0[..W / 2]);
            let mut case = Case::Add;
            if d == F::ZERO || infinite(p.0) || infinite(q.0) {
                (case, d) = self.classify(p, q);
            }
            steps.push(Step { case, d, before: product });
            product *= d;
        }
        let mut inverse = product.inverse().expect("no denominator is zero");
        for (i, step) in steps.iter().enumerate().rev() {
            let own = inverse * step.before;
            inverse *= step.d;
            let (p, q) = (operand(src, a[i]), operand(src, b[i]));
            let sum = &mut dst[out[i] as usize];
            if !matches!(step.case, Case::Add) {
                *sum = self.finish_special(p, q, step.case, own);
                continue;
            }
            let (x1, y1): (F, F) = (read(&p.0[..W / 2]), read(&p.0[W / 2..]));
            let (x2, y2): (F, F) = (read(&q.0[..W / 2]), read(&q.0[W / 2..]));
            let rise = match (p.1, q.1) {
                (false, false) => y2 - y1,
                (true, true) => y1 - y2,
                (true, false) => y1 + y2,
                (false, true) => -(y1 + y2),
            };
            let slope = rise * own;
            let x3 = slope.square() - x1 - x2;
            let y3 = slope * (x1 - x3);
            write(&x3, &mut sum[..W / 2]);
            write(&if p.1 { y3 + y1 } else { y3 - y1 }, &mut sum[W / 2..]);
        }
    }

    fn negate(&self, point: &Point<W>) -> Point<W> {
        let mut out = *point;
        if !is_infinity(point) {
            write(&-read::<F>(&point[W / 2..]), &mut out[W / 2..]);
        }
        out
    }

    fn import(&self, points: &mut [Point<W>], image: bool) {
        let Some(beta) = self.beta.filter(|_| image) else { return };
        for point in points.iter_mut().filter(|point| !is_infinity(point)) {
            let x = read::<F>(&point[..W / 2]).mul_by_base_prime_field(&beta);
            write(&x, &mut point[..W / 2]);
        }
    }

    fn export(&self, point: &Point<W>) -> Point<W> {
        *point
    }

    fn formulas(&self) -> &dyn Formulas<W> {
        &self.formulas
    }
}

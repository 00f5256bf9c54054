//! Batched affine additions on arkworks' own fields: right on every processor and for every field.

use ark_ff::Field;

use super::accumulate::empty;
use super::formulas::{Xyzz, point, read, write};
use super::kernel::{Formulas, Infinity, Kernel, Pairs, Point, Scratch, is_infinity};

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

/// For each pair its case, its denominator and the product of all denominators before it.
type Memory<F> = Vec<(Case, F, F)>;

impl<F: Field> Portable<F> {
    pub(crate) fn new(a: F, beta: Option<F::BasePrimeField>) -> Self {
        Self { formulas: Xyzz { a }, beta }
    }

    fn classify<const W: usize>(p: &Point<W>, q: &Point<W>) -> (Case, F) {
        if is_infinity(p) {
            return (Case::Right, F::ONE);
        }
        if is_infinity(q) {
            return (Case::Left, F::ONE);
        }
        if p[..W / 2] != q[..W / 2] {
            return (Case::Add, read::<F>(&q[..W / 2]) - read::<F>(&p[..W / 2]));
        }
        let y: F = read(&p[W / 2..]);
        if p[W / 2..] == q[W / 2..] && y != F::ZERO {
            (Case::Double, y.double())
        } else {
            (Case::Infinity, F::ONE)
        }
    }

    /// λ = (y₂−y₁)/(x₂−x₁) or (3x²+a)/(2y); x₃ = λ²−x₁−x₂, y₃ = λ(x₁−x₃)−y₁. 2M+1S after inversion.
    fn finish<const W: usize>(
        &self,
        p: &Point<W>,
        q: &Point<W>,
        case: Case,
        inverse: F,
    ) -> Point<W> {
        let (x1, y1): (F, F) = (read(&p[..W / 2]), read(&p[W / 2..]));
        let (x2, slope) = match case {
            Case::Left => return *p,
            Case::Right => return *q,
            Case::Infinity => return Infinity::POINT,
            Case::Add => {
                let (x2, y2): (F, F) = (read(&q[..W / 2]), read(&q[W / 2..]));
                (x2, (y2 - y1) * inverse)
            }
            Case::Double => {
                let square = x1.square();
                (x1, (square.double() + square + self.formulas.a) * inverse)
            }
        };
        let x = slope.square() - x1 - x2;
        point(&x, &(slope * (x1 - x) - y1))
    }
}

impl<F: Field, const W: usize> Kernel<W> for Portable<F> {
    fn add_pairs(
        &self,
        src: &[Point<W>],
        pairs: &mut Pairs,
        dst: &mut [Point<W>],
        scratch: &mut Scratch,
    ) {
        let memory: &mut Memory<F> = scratch.of();
        empty(memory, pairs.len());
        // Montgomery's trick.
        let mut product = F::ONE;
        let [a, b, out] = pairs.lists();
        for (&a, &b) in a.iter().zip(b) {
            let p = Kernel::<W>::signed(self, src, a);
            let q = Kernel::<W>::signed(self, src, b);
            let (case, denominator) = Self::classify(&p, &q);
            memory.push((case, denominator, product));
            product *= denominator;
        }
        let mut inverse = product.inverse().expect("no denominator is zero");
        for (i, (case, denominator, before)) in memory.iter().enumerate().rev() {
            let own = inverse * before;
            inverse *= denominator;
            let p = Kernel::<W>::signed(self, src, a[i]);
            let q = Kernel::<W>::signed(self, src, b[i]);
            dst[out[i] as usize] = self.finish(&p, &q, *case, own);
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

//! What the stages ask of a field: many affine additions at once.

use crate::curve::Weierstrass;

/// `out = ±a ± b`: indices of two points, each with its sign in the top bit, and where the sum goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub a: u32,
    pub b: u32,
    pub out: u32,
}

/// Top bit of an entry: the point is to be negated.
pub(crate) const NEGATIVE: u32 = 1 << 31;

/// Affine point arithmetic over one field representation.
pub(crate) trait Arithmetic: Send + Sync {
    /// A packed affine point; infinity has an encoding of its own.
    type Point: Copy + Send + Sync;
    /// Working memory for a batch of additions.
    type Scratch: Default + Send;

    const INFINITY: Self::Point;

    fn negate(&self, point: &Self::Point) -> Self::Point;

    /// `dst[out] = ±src[a] ± src[b]` for all pairs, with one inversion for all of them. Complete:
    /// infinities, equal points and opposite points give the right sums.
    fn add_pairs(
        &self,
        src: &[Self::Point],
        pairs: &[Pair],
        dst: &mut [Self::Point],
        scratch: &mut Self::Scratch,
    );

    /// Room for `length` points, to be overwritten.
    fn blank(&self, length: usize) -> Vec<Self::Point> {
        vec![Self::INFINITY; length]
    }

    /// The point an entry refers to.
    fn signed(&self, src: &[Self::Point], entry: u32) -> Self::Point {
        let point = &src[(entry & !NEGATIVE) as usize];
        if entry & NEGATIVE == 0 { *point } else { self.negate(point) }
    }
}

/// Conversion between an arkworks field's coordinates and the kernel's packed points.
pub(crate) trait Coordinates<F>: Arithmetic {
    fn pack(&self, points: &[Weierstrass<F>], out: &mut [Self::Point]);
    fn unpack(&self, point: &Self::Point) -> Weierstrass<F>;
}

//! What the stages ask of a curve's arithmetic. Everything is words: a point is W of them, x in the first
//! half and y in the second, so that the stages are compiled once per width and not once per curve.

use std::any::Any;

/// An affine point in a kernel's own form; [`Infinity::POINT`] in every form is all ones, which no
/// reduced coordinate is.
pub(crate) type Point<const W: usize> = [u64; W];

/// The point at infinity.
pub(crate) struct Infinity<const W: usize>;

impl<const W: usize> Infinity<W> {
    pub(crate) const POINT: Point<W> = [u64::MAX; W];
}

pub(crate) fn is_infinity<const W: usize>(point: &Point<W>) -> bool {
    point.iter().all(|&word| word == u64::MAX)
}

/// `out = ±a ± b`: indices of two points, each with its sign in the top bit, and where the sum goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub a: u32,
    pub b: u32,
    pub out: u32,
}

/// Top bit of an entry: the point is to be negated.
pub(crate) const NEGATIVE: u32 = 1 << 31;

/// Working memory of a kernel, of a type only it knows.
pub(crate) type Scratch = Box<dyn Any + Send>;

/// Affine additions, many at once.
pub(crate) trait Kernel<const W: usize>: Send + Sync {
    /// Working memory for [`add_pairs`](Self::add_pairs).
    fn scratch(&self) -> Scratch;

    /// `dst[out] = ±src[a] ± src[b]` for all pairs, with one inversion for all of them. Complete:
    /// infinities, equal points and opposite points give the right sums.
    fn add_pairs(
        &self,
        src: &[Point<W>],
        pairs: &[Pair],
        dst: &mut [Point<W>],
        scratch: &mut Scratch,
    );

    fn negate(&self, point: &Point<W>) -> Point<W>;

    /// From arkworks' words to the kernel's form, in place.
    fn import(&self, points: &mut [Point<W>]);

    /// From the kernel's form to arkworks' words.
    fn export(&self, point: &Point<W>) -> Point<W>;

    /// One addition at a time, on arkworks' words.
    fn formulas(&self) -> &dyn Formulas<W>;

    /// The point an entry refers to.
    fn signed(&self, src: &[Point<W>], entry: u32) -> Point<W> {
        let point = &src[(entry & !NEGATIVE) as usize];
        if entry & NEGATIVE == 0 { *point } else { self.negate(point) }
    }
}

/// An accumulator in XYZZ coordinates, as words: X, Y and then ZZ, ZZZ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wide<const W: usize>(pub [Point<W>; 2]);

impl<const W: usize> Wide<W> {
    /// ZZ = ZZZ = 0.
    pub(crate) const INFINITY: Self = Self([[0; W]; 2]);
}

/// Additions one at a time, for where they cannot be batched: the combine stage and the plain variants of
/// accumulate and reduce. Points are in arkworks' words.
pub(crate) trait Formulas<const W: usize>: Send + Sync {
    fn add(&self, a: &Wide<W>, b: &Wide<W>) -> Wide<W>;
    fn add_point(&self, a: &Wide<W>, b: &Point<W>) -> Wide<W>;
    fn double(&self, a: &Wide<W>) -> Wide<W>;
    fn to_point(&self, a: &Wide<W>) -> Point<W>;

    /// Double-and-add, for the small multiples of sliced reductions.
    fn mul(&self, a: &Wide<W>, k: u64) -> Wide<W> {
        let mut sum = Wide::INFINITY;
        for bit in (0..u64::BITS - k.leading_zeros()).rev() {
            sum = self.double(&sum);
            if k >> bit & 1 == 1 {
                sum = self.add(&sum, a);
            }
        }
        sum
    }
}

/// A kernel of any width there is.
pub(crate) enum AnyKernel {
    W8(Box<dyn Kernel<8>>),
    W12(Box<dyn Kernel<12>>),
    W16(Box<dyn Kernel<16>>),
    W24(Box<dyn Kernel<24>>),
    W48(Box<dyn Kernel<48>>),
}

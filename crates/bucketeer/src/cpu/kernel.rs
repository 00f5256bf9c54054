//! The interface between the stages and a curve's arithmetic. Everything is words: a point is W of
//! them, x in the first half and y in the second, so that the stages are compiled once per width
//! and not once per curve.

use std::any::Any;
use std::sync::Arc;

use super::pairs::{NEGATIVE, Pairs};
use crate::curve::{CoordinateSystem, FieldWords};

/// An affine point in a kernel's own form. [`infinity`] is the same in every form: all ones, which
/// no reduced coordinate is.
pub(crate) type Point<const W: usize> = [u64; W];

/// An affine point in arkworks' words.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct ArkPoint<const W: usize>(pub [u64; W]);

impl<const W: usize> ArkPoint<W> {
    pub(crate) const INFINITY: Self = Self(infinity());

    /// The words of points, to be converted in place.
    pub(crate) fn words(points: &mut [Self]) -> &mut [[u64; W]] {
        // SAFETY: the type is its words.
        unsafe { &mut *(&raw mut *points as *mut [[u64; W]]) }
    }
}

/// The point at infinity.
pub(crate) const fn infinity<const W: usize>() -> [u64; W] {
    [u64::MAX; W]
}

pub(crate) fn is_infinity<const W: usize>(point: &[u64; W]) -> bool {
    point.iter().all(|&word| word == u64::MAX)
}

/// Working memory of a kernel; its type is known to the kernel that used it last.
pub(crate) struct Scratch(Box<dyn Any + Send>);

impl Default for Scratch {
    fn default() -> Self {
        Self(Box::new(()))
    }
}

impl Scratch {
    /// The memory of a kernel; empty if another kernel used it last.
    pub(crate) fn of<T: Any + Send + Default>(&mut self) -> &mut T {
        if !self.0.is::<T>() {
            self.0 = Box::<T>::default();
        }
        let Some(memory) = self.0.downcast_mut() else { unreachable!("just made") };
        memory
    }
}

/// Affine additions, many at once.
pub(crate) trait Kernel<const W: usize>: Send + Sync {
    /// `dst[out] = ±src[a] ± src[b]` for all pairs, with one inversion for all of them. Complete:
    /// infinities, equal points and opposite points give the right sums.
    fn add_pairs(
        &self,
        src: &[Point<W>],
        pairs: &mut Pairs,
        dst: &mut [Point<W>],
        scratch: &mut Scratch,
    );

    /// Doubles every point `times` times, with one inversion for all of it. Complete: infinity and
    /// points of even order give the right multiples.
    fn double(&self, points: &mut [Point<W>], times: u32, scratch: &mut Scratch);

    fn negate(&self, point: &Point<W>) -> Point<W>;

    /// Converts points from Weierstrass coordinates in arkworks' words to the kernel's form, in
    /// place; with `image`, φ(P) for each P.
    fn import<'a>(&self, points: &'a mut [ArkPoint<W>], image: bool) -> &'a mut [Point<W>];

    /// The coordinates that [`import_bases`](Self::import_bases) takes.
    fn base_coordinates(&self) -> CoordinateSystem {
        CoordinateSystem::Weierstrass
    }

    /// The same for bases in [`base_coordinates`](Self::base_coordinates).
    fn import_bases<'a>(&self, points: &'a mut [ArkPoint<W>], image: bool) -> &'a mut [Point<W>] {
        self.import(points, image)
    }

    /// Replaces points by their images φ(P). Only on curves with an endomorphism.
    fn images(&self, points: &mut [Point<W>]);

    /// Converts a point from the kernel's form to arkworks' words.
    fn export(&self, point: &Point<W>) -> ArkPoint<W>;

    /// Additions one at a time, on arkworks' words.
    fn formulas(&self) -> &dyn Formulas<W>;

    /// The point an entry refers to.
    fn signed(&self, src: &[Point<W>], entry: u32) -> Point<W> {
        let point = &src[(entry & !NEGATIVE) as usize];
        if entry & NEGATIVE == 0 { *point } else { self.negate(point) }
    }
}

/// An accumulator in XYZZ coordinates, in arkworks' words: X, Y and then ZZ, ZZZ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct XyzzPoint<const W: usize>(pub [[u64; W]; 2]);

impl<const W: usize> XyzzPoint<W> {
    /// ZZ = ZZZ = 0.
    pub(crate) const INFINITY: Self = Self([[0; W]; 2]);
}

/// Additions one at a time, where they cannot be batched: in combine and in the textbook variants
/// of accumulate and reduce.
pub(crate) trait Formulas<const W: usize>: Send + Sync {
    fn add(&self, a: &XyzzPoint<W>, b: &XyzzPoint<W>) -> XyzzPoint<W>;
    fn add_point(&self, a: &XyzzPoint<W>, b: &ArkPoint<W>) -> XyzzPoint<W>;
    fn double(&self, a: &XyzzPoint<W>) -> XyzzPoint<W>;
    fn to_point(&self, a: &XyzzPoint<W>) -> ArkPoint<W>;

    /// Double-and-add, for the small multiples of sliced reductions.
    fn mul(&self, a: &XyzzPoint<W>, k: u64) -> XyzzPoint<W> {
        let mut sum = XyzzPoint::INFINITY;
        for bit in (0..u64::BITS - k.leading_zeros()).rev() {
            sum = self.double(&sum);
            if k >> bit & 1 == 1 {
                sum = self.add(&sum, a);
            }
        }
        sum
    }
}

/// A kernel of any width.
#[derive(Clone)]
pub(crate) enum AnyKernel {
    W8(Arc<dyn Kernel<8>>),
    W12(Arc<dyn Kernel<12>>),
    W16(Arc<dyn Kernel<16>>),
    W24(Arc<dyn Kernel<24>>),
    W48(Arc<dyn Kernel<48>>),
}

/// The width of the kernels of a field: the narrowest one that holds two elements. Where a kernel
/// is matched, it is a constant guard, so that a program contains code for the widths of its curves
/// only.
pub(crate) const fn width_of<F: FieldWords>() -> usize {
    match F::WORDS {
        ..=4 => 8,
        5..=6 => 12,
        7..=8 => 16,
        9..=12 => 24,
        _ => 48,
    }
}

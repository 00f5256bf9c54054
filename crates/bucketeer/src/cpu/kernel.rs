//! What the stages ask of a curve's arithmetic. Everything is words: a point is W of them, x in the first
//! half and y in the second, so that the stages are compiled once per width and not once per curve.

use std::any::Any;
use std::sync::Arc;

use super::accumulate::empty;
use super::pool::wipe;
use super::table::Coordinates;

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

/// Additions `dst[out] = ±src[a] ± src[b]`: indices of two points, each with its sign in the top bit, and
/// where the sum goes.
#[derive(Default)]
pub(crate) struct Pairs {
    a: Vec<u32>,
    b: Vec<u32>,
    out: Vec<u32>,
    length: usize,
    /// Whether `src` is read here and there and not in cache: then a kernel fetches points early.
    pub scattered: bool,
    /// Whether it lies beyond the caches besides.
    pub far: bool,
    /// Whether these are `dst[a] = dst[a] ± src[b]` instead.
    pub in_place: bool,
    /// Entries of `src` to be asked for during these additions.
    later: Vec<u32>,
}

impl Pairs {
    /// Pairs are padded to a multiple of this, with copies of the last one.
    pub(crate) const GROUP: usize = 8;

    /// Forgets all pairs and makes room for `length`.
    pub(crate) fn clear(&mut self, length: usize) {
        let padded = length.next_multiple_of(Self::GROUP);
        empty(&mut self.a, padded);
        empty(&mut self.b, padded);
        empty(&mut self.out, padded);
        self.later.clear();
        self.length = 0;
    }

    /// Adds pairs of entries to be written one after the other, from `out` on.
    #[inline(always)]
    pub(crate) fn extend(&mut self, pairs: impl ExactSizeIterator<Item = (u32, u32)>, out: u32) {
        let length = pairs.len();
        self.out.extend(out..out + length as u32);
        self.length += length;
        for (a, b) in pairs {
            self.a.push(a);
            self.b.push(b);
        }
    }

    /// Adds one to be carried out in place.
    #[inline(always)]
    pub(crate) fn push(&mut self, a: u32, b: u32) {
        self.a.push(a);
        self.b.push(b);
        self.length += 1;
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Overwrites what the lists held.
    pub(crate) fn wipe(&mut self) {
        for list in [&mut self.a, &mut self.b, &mut self.out, &mut self.later] {
            wipe(list);
        }
        self.length = 0;
    }

    /// Has points that other pairs refer to asked for during the additions.
    pub(crate) fn fetch_meanwhile(&mut self, pairs: &Self) {
        self.later.extend_from_slice(&pairs.b);
    }

    /// Entries of points to be asked for meanwhile.
    pub(crate) fn later(&self) -> &[u32] {
        &self.later
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The lists a, b and out, unpadded.
    pub(crate) fn lists(&self) -> [&[u32]; 3] {
        let out = if self.in_place { &self.a } else { &self.out };
        [&self.a, &self.b, out].map(|list| &list[..self.length])
    }

    /// The same in groups, of which the last may repeat its last pair, and the points to be asked for meanwhile.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn groups(&mut self) -> [&[[u32; Self::GROUP]]; 4] {
        let padded = self.length.next_multiple_of(Self::GROUP);
        for list in [&mut self.a, &mut self.b, &mut self.out] {
            let last = list.last().copied().unwrap_or(0);
            list.resize(padded, last);
        }
        let out = if self.in_place { &self.a } else { &self.out };
        [&self.a, &self.b, out, &self.later].map(|list| list.as_chunks().0)
    }
}

/// Top bit of an entry: the point is to be negated.
pub(crate) const NEGATIVE: u32 = 1 << 31;

/// Asks for the cache lines of a point, into the first cache.
#[inline(always)]
pub(crate) fn fetch<const W: usize>(point: *const Point<W>) {
    #[cfg(target_arch = "x86_64")]
    fetch_with::<{ core::arch::x86_64::_MM_HINT_T0 }, W>(point);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = point;
}

/// The same into one of the caches.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn fetch_with<const HINT: i32, const W: usize>(point: *const Point<W>) {
    use core::arch::x86_64::_mm_prefetch;
    let first: *const i8 = point.cast();
    // Points start at multiples of 32 bytes: every line they start once.
    for byte in (0..8 * W).step_by(64) {
        // SAFETY: prefetching has no effect on memory and cannot fault.
        unsafe { _mm_prefetch::<HINT>(first.wrapping_add(byte)) };
    }
    if !W.is_multiple_of(8) {
        // SAFETY: as above; the last word of the point.
        unsafe { _mm_prefetch::<HINT>(first.wrapping_add(8 * W - 8)) };
    }
}

/// Working memory of kernels, of a type that only the one that used it last knows.
pub(crate) struct Scratch(Box<dyn Any + Send>);

impl Default for Scratch {
    fn default() -> Self {
        Self(Box::new(()))
    }
}

impl Scratch {
    /// The memory of a kernel; empty where another kernel had it.
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

    fn negate(&self, point: &Point<W>) -> Point<W>;

    /// From Weierstrass coordinates in arkworks' words to the kernel's form, in place; with `image`, that of
    /// φ(P) for each P.
    fn import(&self, points: &mut [Point<W>], image: bool);

    /// The coordinates that [`import_bases`](Self::import_bases) takes.
    fn base_coordinates(&self) -> Coordinates {
        Coordinates::Weierstrass
    }

    /// The same from bases in these coordinates.
    fn import_bases(&self, points: &mut [Point<W>], image: bool) {
        self.import(points, image);
    }

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
#[derive(Clone)]
pub(crate) enum AnyKernel {
    W8(Arc<dyn Kernel<8>>),
    W12(Arc<dyn Kernel<12>>),
    W16(Arc<dyn Kernel<16>>),
    W24(Arc<dyn Kernel<24>>),
    W48(Arc<dyn Kernel<48>>),
}

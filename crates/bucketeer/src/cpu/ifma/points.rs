//! Points of W words in memory ↔ elements in lanes.

use super::extension::Element;
use super::field::{self, Canonical, Residue, Signed, Value};
use super::lanes::{MAX_WORDS, broadcast, gather, scatter, to_limbs, to_words, zero};
use super::vector::Curve;

impl<const W: usize, const L: usize, const D: usize> Curve<W, L, D> {
    /// Words of one prime-field element.
    pub(super) const N: usize = W / (2 * D);

    /// One coordinate of eight points: `at` is 0 for x, 1 for y.
    #[inline(always)]
    pub(super) unsafe fn load(
        &self,
        points: &[*const u64; 8],
        at: usize,
    ) -> Element<Canonical<L>, D> {
        // SAFETY: a point has W = 2·D·N words, and the caller runs with AVX-512F.
        unsafe {
            let mut out = Element::zero();
            for component in 0..D {
                let pointers = offset(points, (at * D + component) * Self::N);
                out.0[component] = Canonical::stored(to_limbs(&gather(&pointers, Self::N)));
            }
            out
        }
    }

    /// y with the signs of its lanes applied.
    #[inline(always)]
    pub(super) unsafe fn load_y(
        &self,
        points: &[*const u64; 8],
        negative: u8,
    ) -> Element<Signed<L>, D> {
        // SAFETY: AVX-512, and pointers to the W words of a point, as the caller promises.
        unsafe { self.field.negate(negative, &self.load(points, 1)) }
    }

    #[inline(always)]
    pub(super) unsafe fn store(
        &self,
        x: &Element<Canonical<L>, D>,
        y: &Element<Canonical<L>, D>,
        points: &[*mut u64; 8],
    ) {
        // SAFETY: a point has W = 2·D·N words, and the caller runs with AVX-512F.
        unsafe {
            let mut columns = [zero(); MAX_WORDS];
            for component in 0..D {
                let (at, after) = (component * Self::N, (D + component) * Self::N);
                to_words(x.0[component].limbs(), &mut columns[at..at + Self::N]);
                to_words(y.0[component].limbs(), &mut columns[after..after + Self::N]);
            }
            scatter(&columns, W, points);
        }
    }

    /// Lanes whose point is infinity: all words of x set, more than any canonical value.
    #[inline(always)]
    pub(super) unsafe fn infinite(&self, x: &Element<Canonical<L>, D>) -> u8 {
        // SAFETY: the caller runs with AVX-512F.
        unsafe {
            let mut ones = [broadcast(u64::MAX); MAX_WORDS];
            ones[Self::N..].fill(zero());
            field::equal_limbs(x.0[0].limbs(), &to_limbs(&ones))
        }
    }

    /// Multiplies the coordinates of eight points by constants: from one Montgomery form to
    /// another.
    ///
    /// # Safety
    /// AVX-512 F, DQ, VL and IFMA.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) unsafe fn rescale(
        &self,
        points: &mut [[u64; W]; 8],
        x: &Residue<L>,
        y: &Residue<L>,
    ) {
        // SAFETY: every pointer is to one of the eight points, W words each.
        unsafe {
            let m = &self.field.modulus;
            let mut pointers = [points.as_mut_ptr().cast::<u64>(); 8];
            for lane in 0..8 {
                pointers[lane] = points.as_mut_ptr().add(lane).cast();
            }
            for coordinate in 0..2 * D {
                let at = offset_mut(&pointers, coordinate * Self::N);
                let words = gather(&at.map(<*mut u64>::cast_const), Self::N);
                let factor = if coordinate < D { x } else { y };
                let value = Canonical::<L>::stored(to_limbs(&words));
                let reduced = field::canonical(&field::mul(&value, &factor.splat(), m), m);
                let mut columns = [zero(); MAX_WORDS];
                to_words(reduced.limbs(), &mut columns[..Self::N]);
                scatter(&columns, Self::N, &at);
            }
        }
    }
}

/// The pointers, `words` further on.
#[inline(always)]
unsafe fn offset(pointers: &[*const u64; 8], words: usize) -> [*const u64; 8] {
    let mut out = *pointers;
    for pointer in &mut out {
        // SAFETY: the caller stays inside what the pointers point to.
        *pointer = unsafe { pointer.add(words) };
    }
    out
}

/// The pointers, `words` further on.
#[inline(always)]
unsafe fn offset_mut(pointers: &[*mut u64; 8], words: usize) -> [*mut u64; 8] {
    let mut out = *pointers;
    for pointer in &mut out {
        // SAFETY: the caller stays inside what the pointers point to.
        *pointer = unsafe { pointer.add(words) };
    }
    out
}

//! The one inversion of a batch.

use super::extension::Element;
use super::field::{self, Lanes};
use super::lanes::{MAX_WORDS, limbs_of, words_of, zero};
use super::vector::Curve;

impl<const W: usize, const L: usize, const D: usize> Curve<W, L, D> {
    /// The inverses of eight elements: with their product inverted, each is that times the other seven.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    #[inline(never)]
    pub(super) unsafe fn invert(&self, e: &Element<L, D>) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let f = &self.field;
            // Products of two, four and eight lanes, in every lane those that differ from it in some bits.
            let one = f.rotate::<4>(e);
            let two = f.mul(e, &one);
            let others = f.rotate::<2>(&two);
            let four = f.mul(&two, &others);
            let half = f.rotate::<1>(&four);
            let all = self.invert_alike(&f.mul(&four, &half));
            f.mul(&f.mul(&all, &half), &f.mul(&others, &one))
        }
    }

    /// The inverse of one element in all lanes: conjugate over norm in a quadratic extension.
    #[inline(always)]
    unsafe fn invert_alike(&self, e: &Element<L, D>) -> Element<L, D> {
        // SAFETY: passed on.
        unsafe {
            let m = &self.field.modulus;
            let norm = field::canonical(&self.field.norm(e), 0, m);
            let mut words = [0; MAX_WORDS];
            words_of(&norm.0, &mut words[..Self::N]);
            self.inverter.invert(&mut words[..Self::N]);
            // 1/(xR) times R³ is R/x · R.
            let inverse = field::constant(&limbs_of(&words[..Self::N]));
            let inverse = field::mul(&inverse, &field::constant(&self.cube), m);
            let mut out = *e;
            if D == 1 {
                out.0[0] = inverse;
            } else {
                let nought = Lanes([zero(); L]);
                out.0[0] = field::mul(&e.0[0], &inverse, m);
                out.0[1] = field::mul(&field::sub(&nought, &e.0[1], 1, m), &inverse, m);
            }
            out
        }
    }
}

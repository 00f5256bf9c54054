//! The one inversion of a batch.

use super::extension::Product;
use super::field::{self, Below, Canonical, Residue, Value};
use super::lanes::{MAX_WORDS, words_of};
use super::vector::Curve;

impl<const W: usize, const L: usize, const D: usize> Curve<W, L, D> {
    /// The inverses of eight elements: each is the inverse of the product of all, times the other
    /// seven. 5M per lane and one inversion.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    #[inline(never)]
    pub(super) unsafe fn invert(&self, e: &Product<L, D>) -> Product<L, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let f = &self.field;
            // Products over two, four and eight lanes: every lane times those whose index differs
            // from it in one, two and three bits.
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
    unsafe fn invert_alike(&self, e: &Product<L, D>) -> Product<L, D> {
        // SAFETY: values only; the caller runs with AVX-512 F, DQ, VL and IFMA.
        unsafe {
            let m = &self.field.modulus;
            let norm = field::canonical(&self.field.norm(e), m);
            let mut words = [0; MAX_WORDS];
            words_of(norm.limbs(), &mut words[..Self::N]);
            self.inverter.invert(&mut words[..Self::N]);
            // 1/(xR) times R³ is R/x · R.
            let inverse = Residue::<L>::from_words(&words[..Self::N]);
            let inverse = field::mul(&inverse.splat(), &self.cube.splat(), m);
            let mut out = *e;
            if D == 1 {
                out.0[0] = inverse;
            } else {
                let conjugate: Below<L, 3> = field::sub(&Canonical::zero(), &e.0[1], m);
                out.0[0] = field::mul(&e.0[0], &inverse, m);
                out.0[1] = field::mul(&conjugate, &inverse, m);
            }
            out
        }
    }
}

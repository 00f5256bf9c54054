//! AVX-512 IFMA: affine additions in eight lanes of 52-bit limbs.
//!
//! Layers, one file each: [`lanes`] moves words, [`field`] computes in a prime field, [`extension`] in the
//! field itself or its quadratic extension, [`kernel`] adds points. None depends on a curve at compile time:
//! code is shared by all curves with the same number of words W of a point, limbs L and degree D.
//! A packed point is x then y, canonical values of x·2^(52L) in 64-bit words; all ones is infinity.

mod extension;
mod field;
mod kernel;
mod lanes;

use ark_ff::Field;
use num_bigint::BigUint;

use super::arithmetic::{Arithmetic, Coordinates, NEGATIVE, Pair};
use crate::CurveSpec;
use crate::curve::{Weierstrass, from_words, to_words};
use kernel::{Curve, Scratch};
use lanes::LIMB_BITS;

/// Points of W words on a field of degree D over a prime field of L limbs.
struct Ifma<const W: usize, const L: usize, const D: usize> {
    curve: Curve<W, L, D>,
    /// p as words, for negating single points.
    modulus: Vec<u64>,
    to_ark: [u64; L],
    from_ark: [u64; L],
}

/// Working memory of a batch of additions.
pub(crate) struct Memory<const L: usize, const D: usize>(Scratch<L, D>);

impl<const L: usize, const D: usize> Default for Memory<L, D> {
    fn default() -> Self {
        Self(Scratch::default())
    }
}

// SAFETY: the scratch holds only plain vectors of integers.
unsafe impl<const L: usize, const D: usize> Send for Memory<L, D> {}

/// Inverts elements given as arkworks' words; none is zero.
pub(crate) fn inverse<F: Field>(words: &mut [u64]) {
    let each = size_of::<F>() / 8;
    let mut elements: Vec<F> = words.chunks(each).map(from_words).collect();
    ark_ff::serial_batch_inversion_and_mul(&mut elements, &F::ONE);
    for (words, element) in words.chunks_mut(each).zip(&elements) {
        words.copy_from_slice(to_words(element));
    }
}

impl<const W: usize, const L: usize, const D: usize> Ifma<W, L, D> {
    const N: usize = W / (2 * D);

    /// For a curve that [`Kernel::choose`](crate::device::Kernel::choose) found fit, on a processor
    /// that has the instructions.
    fn new(curve: &CurveSpec, inverse: fn(&mut [u64])) -> Self {
        let p = &curve.modulus;
        let power = |bits: usize| field::limbs(&((BigUint::from(1u32) << bits) % p));
        let a = std::array::from_fn(|i| {
            field::limbs(&((&curve.weierstrass[0][i] << (LIMB_BITS * L)) % p))
        });
        let (to_ark, from_ark) = (power(64 * Self::N), power(2 * LIMB_BITS * L - 64 * Self::N));
        let mut modulus = p.to_u64_digits();
        modulus.resize(Self::N, 0);
        Self {
            curve: Curve {
                field: extension::Field::new(p, curve.non_residue.as_ref()),
                a,
                to_ark,
                from_ark,
                inverse,
            },
            modulus,
            to_ark,
            from_ark,
        }
    }

    fn is_infinity(point: &[u64; W]) -> bool {
        point[..Self::N].iter().all(|&word| word == u64::MAX)
    }
}

impl<const W: usize, const L: usize, const D: usize> Ifma<W, L, D> {
    fn negate(&self, point: &[u64; W]) -> [u64; W] {
        let mut out = *point;
        if Self::is_infinity(point) {
            return out;
        }
        for y in out[W / 2..].chunks_mut(Self::N) {
            if y.iter().all(|&word| word == 0) {
                continue;
            }
            let mut borrow = false;
            for (word, &p) in y.iter_mut().zip(&self.modulus) {
                let (difference, b1) = p.overflowing_sub(*word);
                let (difference, b2) = difference.overflowing_sub(u64::from(borrow));
                (*word, borrow) = (difference, b1 | b2);
            }
        }
        out
    }

    fn add_pairs(
        &self,
        src: &[[u64; W]],
        pairs: &[Pair],
        dst: &mut [[u64; W]],
        scratch: &mut Scratch<L, D>,
    ) {
        let operands = |p: &Pair| (p.a & !NEGATIVE).max(p.b & !NEGATIVE);
        let Some(largest) = pairs.iter().map(operands).max() else { return };
        let last = pairs.iter().map(|p| p.out).max().unwrap_or(0);
        assert!((largest as usize) < src.len() && (last as usize) < dst.len());
        // SAFETY: this type is made only where the instructions exist, the indices were checked, and
        // there is at least one pair.
        unsafe { self.curve.add_pairs(src.as_ptr(), pairs, dst.as_mut_ptr(), scratch) }
    }

    /// Eight points in arkworks' form → packed points.
    fn from_ark(&self, points: &mut [[u64; W]; 8]) {
        // SAFETY: this type is made only where the instructions exist.
        unsafe { self.curve.rescale(points, &self.from_ark) }
    }

    /// Eight packed points → arkworks' form.
    fn to_ark(&self, points: &mut [[u64; W]; 8]) {
        // SAFETY: this type is made only where the instructions exist.
        unsafe { self.curve.rescale(points, &self.to_ark) }
    }
}

/// Types without parameters, so that the kernels are compiled once, in this crate, and not again in
/// every crate that names a curve.
macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident: $w:literal words, $l:literal limbs, degree $d:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name(Ifma<$w, $l, $d>);

        impl $name {
            pub(crate) fn new(curve: &CurveSpec, inverse: fn(&mut [u64])) -> Self {
                Self(Ifma::new(curve, inverse))
            }

            fn from_ark(&self, points: &mut [[u64; $w]; 8]) {
                self.0.from_ark(points);
            }

            fn to_ark(&self, points: &mut [[u64; $w]; 8]) {
                self.0.to_ark(points);
            }
        }

        impl Arithmetic for $name {
            type Point = [u64; $w];
            type Scratch = Memory<$l, $d>;

            const INFINITY: [u64; $w] = [u64::MAX; $w];

            fn negate(&self, point: &[u64; $w]) -> [u64; $w] {
                self.0.negate(point)
            }

            fn add_pairs(
                &self,
                src: &[[u64; $w]],
                pairs: &[Pair],
                dst: &mut [[u64; $w]],
                scratch: &mut Memory<$l, $d>,
            ) {
                self.0.add_pairs(src, pairs, dst, &mut scratch.0);
            }

            /// Zeroed pages come from the system untouched, and are then first written by the
            /// threads that fill them.
            fn blank(&self, length: usize) -> Vec<[u64; $w]> {
                vec![[0; $w]; length]
            }
        }

        impl<F: Field> Coordinates<F> for $name {
            fn pack(&self, points: &[Weierstrass<F>], out: &mut [[u64; $w]]) {
                for (points, out) in points.chunks(8).zip(out.chunks_mut(8)) {
                    let mut block = [[0u64; $w]; 8];
                    for (point, words) in points.iter().zip(&mut block) {
                        if let Some((x, y)) = point {
                            words[..$w / 2].copy_from_slice(to_words(x));
                            words[$w / 2..].copy_from_slice(to_words(y));
                        }
                    }
                    self.from_ark(&mut block);
                    for ((point, words), out) in points.iter().zip(&block).zip(out) {
                        *out = if point.is_some() { *words } else { Self::INFINITY };
                    }
                }
            }

            fn unpack(&self, point: &[u64; $w]) -> Weierstrass<F> {
                if Ifma::<$w, $l, $d>::is_infinity(point) {
                    return None;
                }
                let mut block = [[0u64; $w]; 8];
                block[0] = *point;
                self.to_ark(&mut block);
                Some((from_words(&block[0][..$w / 2]), from_words(&block[0][$w / 2..])))
            }
        }
    )*};
}

shapes! {
    /// Prime fields of 4 words.
    Prime4: 8 words, 5 limbs, degree 1;
    /// Quadratic extensions of fields of 4 words.
    Quadratic4: 16 words, 5 limbs, degree 2;
    /// Prime fields of 6 words.
    Prime6: 12 words, 8 limbs, degree 1;
    /// Quadratic extensions of fields of 6 words.
    Quadratic6: 24 words, 8 limbs, degree 2;
    /// Prime fields of 12 words.
    Prime12: 24 words, 15 limbs, degree 1;
}

//! AVX-512 IFMA: affine additions in eight lanes of 52-bit limbs.
//!
//! One file per layer: [`lanes`] moves words, [`field`] computes in a prime field, [`extension`] in
//! the field itself or its quadratic extension, [`groups`] turns pairs into addresses, [`points`]
//! loads and stores points, [`vector`] adds points with the one inversion of [`invert`] and the
//! exceptions of [`special`], [`double`] doubles points many times, [`edwards`] maps points to the
//! Weierstrass form. None depends on a curve at compile time: all curves with the same number of
//! words W of a point, limbs L and degree D share code. A packed point is x then y, canonical
//! values of x·2^(52L) in 64-bit words; all ones is infinity.

// Index loops are unrolled into straight vector code; iterators would bring closures (see `lanes`).
#![allow(clippy::needless_range_loop, clippy::manual_memcpy)]

mod double;
mod edwards;
mod extension;
mod field;
mod groups;
mod invert;
mod lanes;
mod points;
mod special;
mod vector;

use num_bigint::BigUint;

use super::inverse::Inverter;
use super::kernel::{ArkPoint, Formulas, Kernel, Point, Scratch, infinity, is_infinity};
use super::pairs::{NEGATIVE, Pairs, Reads};
use crate::CurveSpec;
use crate::curve::CoordinateSystem;
use double::Doublings;
use edwards::Edwards;
use field::Residue;
use groups::Groups;
use lanes::LIMB_BITS;
use vector::{Batch, Curve};

/// Points of W words on a field of degree D over a prime field of L limbs.
struct Ifma<const W: usize, const L: usize, const D: usize> {
    curve: Curve<W, L, D>,
    /// p as words, for negating single points.
    modulus: Vec<u64>,
    /// Converts x from arkworks' form to that of φ(P).
    image: Residue<L>,
    /// β and 1 in the kernel's form, which take a point to φ(P); 1 and 1 without an endomorphism.
    to_image: [Residue<L>; 2],
    /// The map for bases of a twisted Edwards curve.
    edwards: Option<Edwards<L>>,
}

impl<const W: usize, const L: usize, const D: usize> Ifma<W, L, D> {
    const N: usize = W / (2 * D);

    /// For a curve that [`Arithmetic::choose`](crate::facts::Arithmetic::choose) accepts, on a
    /// processor that has the instructions.
    fn new(curve: &CurveSpec) -> Self {
        let p = &curve.modulus;
        let power = |bits: usize| Residue::shifted(&BigUint::from(1u32), bits, p);
        let a =
            std::array::from_fn(|i| Residue::shifted(&curve.weierstrass[0][i], LIMB_BITS * L, p));
        let (to_ark, from_ark) = (64 * Self::N, 2 * LIMB_BITS * L - 64 * Self::N);
        let one = BigUint::from(1u32);
        let beta = curve.endomorphism.as_ref().map_or(&one, |e| &e.beta);
        let image = Residue::shifted(beta, from_ark, p);
        let to_image = [beta, &one].map(|factor| Residue::shifted(factor, LIMB_BITS * L, p));
        let mut modulus = p.to_u64_digits();
        modulus.resize(Self::N, 0);
        Self {
            curve: Curve {
                field: extension::Field::new(p, curve.non_residue.as_ref()),
                a,
                has_a: curve.weierstrass[0].iter().any(|part| *part != BigUint::ZERO),
                to_ark: power(to_ark),
                from_ark: power(from_ark),
                cube: power(3 * LIMB_BITS * L),
                inverter: Inverter::new(&modulus),
            },
            modulus,
            image,
            to_image,
            edwards: Edwards::new(curve),
        }
    }
}

impl<const W: usize, const L: usize, const D: usize> Ifma<W, L, D> {
    fn negate(&self, point: &[u64; W]) -> [u64; W] {
        let mut out = *point;
        if is_infinity(point) {
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
        pairs: &mut Pairs,
        dst: &mut [[u64; W]],
        scratch: &mut Batch<L, D>,
    ) {
        if pairs.is_empty() {
            return;
        }
        let (reads, in_place) = (pairs.reads, pairs.in_place);
        let (random, beyond_l2) = (reads != Reads::Cached, reads == Reads::RandomBeyondL2);
        let [a, b, out, next] = pairs.groups();
        let largest = |list: &[[u32; 8]], mask: u32| {
            list.as_flattened().iter().fold(0, |most, index| most.max(index & mask)) as usize
        };
        let others = if in_place { dst.len() } else { src.len() };
        assert!(largest(a, !NEGATIVE) < others && largest(b, !NEGATIVE) < src.len());
        assert!(largest(out, u32::MAX) < dst.len());
        let (src, dst) = (src.as_ptr(), dst.as_mut_ptr());
        let first = if in_place { dst.cast_const() } else { src };
        let groups = Groups { a, b, out, next, first, src, dst, random, beyond_l2 };
        // SAFETY: this type is built only if the processor has the instructions, and the indices
        // were checked.
        unsafe { self.curve.add_pairs(&groups, scratch) }
    }

    fn double(&self, points: &mut [[u64; W]], times: u32, scratch: &mut Doublings<L, D>) {
        if !points.is_empty() && times > 0 {
            // SAFETY: this type is built only if the processor has the instructions.
            unsafe { self.curve.double(points, times, scratch) }
        }
    }

    fn base_coordinates(&self) -> CoordinateSystem {
        match self.edwards {
            Some(_) => CoordinateSystem::Own,
            None => CoordinateSystem::Weierstrass,
        }
    }

    fn import_bases(&self, points: &mut [[u64; W]], image: bool) {
        match &self.edwards {
            // SAFETY: this type is built only if the processor has the instructions.
            Some(map) => unsafe { self.curve.import_edwards(points, map) },
            None => self.import(points, image),
        }
    }

    fn import(&self, points: &mut [[u64; W]], image: bool) {
        let from_ark = &self.curve.from_ark;
        self.scale(points, if image { &self.image } else { from_ark }, from_ark);
    }

    fn images(&self, points: &mut [[u64; W]]) {
        let [x, y] = &self.to_image;
        self.scale(points, x, y);
    }

    /// Multiplies the coordinates of all points but infinity.
    fn scale(&self, points: &mut [[u64; W]], x: &Residue<L>, y: &Residue<L>) {
        let (whole, rest) = points.as_chunks_mut();
        for eight in whole {
            self.scale_eight(eight, x, y);
        }
        if !rest.is_empty() {
            let mut eight = [[0; W]; 8];
            eight[..rest.len()].copy_from_slice(rest);
            self.scale_eight(&mut eight, x, y);
            rest.copy_from_slice(&eight[..rest.len()]);
        }
    }

    fn scale_eight(&self, points: &mut [[u64; W]; 8], x: &Residue<L>, y: &Residue<L>) {
        let infinite: [bool; 8] = std::array::from_fn(|lane| is_infinity(&points[lane]));
        // SAFETY: this type is built only if the processor has the instructions.
        unsafe { self.curve.rescale(points, x, y) }
        for (point, infinite) in points.iter_mut().zip(infinite) {
            if infinite {
                *point = infinity();
            }
        }
    }

    /// Eight packed points → arkworks' form.
    fn export(&self, points: &mut [[u64; W]; 8]) {
        // SAFETY: this type is built only if the processor has the instructions.
        unsafe { self.curve.rescale(points, &self.curve.to_ark, &self.curve.to_ark) }
    }
}

/// Types without parameters, so that the kernels are compiled once, in this crate, and not in every
/// crate that names a curve.
macro_rules! shapes {
    ($(
        $(#[$doc:meta])* $name:ident: $w:literal words, $l:literal limbs, degree $d:literal;
    )*) => {$(
        $(#[$doc])*
        pub(crate) struct $name {
            ifma: Ifma<$w, $l, $d>,
            formulas: Box<dyn Formulas<$w>>,
        }

        impl $name {
            pub(crate) fn boxed(
                curve: &CurveSpec,
                formulas: Box<dyn Formulas<$w>>,
            ) -> Box<dyn Kernel<$w>> {
                Box::new(Self { ifma: Ifma::new(curve), formulas })
            }
        }

        impl Kernel<$w> for $name {
            fn add_pairs(
                &self,
                src: &[Point<$w>],
                pairs: &mut Pairs,
                dst: &mut [Point<$w>],
                scratch: &mut Scratch,
            ) {
                self.ifma.add_pairs(src, pairs, dst, scratch.of());
            }

            fn double(&self, points: &mut [Point<$w>], times: u32, scratch: &mut Scratch) {
                self.ifma.double(points, times, scratch.of());
            }

            fn negate(&self, point: &Point<$w>) -> Point<$w> {
                self.ifma.negate(point)
            }

            fn base_coordinates(&self) -> CoordinateSystem {
                self.ifma.base_coordinates()
            }

            fn import_bases<'a>(
                &self,
                points: &'a mut [ArkPoint<$w>],
                image: bool,
            ) -> &'a mut [Point<$w>] {
                let points = ArkPoint::words(points);
                self.ifma.import_bases(points, image);
                points
            }

            fn import<'a>(
                &self,
                points: &'a mut [ArkPoint<$w>],
                image: bool,
            ) -> &'a mut [Point<$w>] {
                let points = ArkPoint::words(points);
                self.ifma.import(points, image);
                points
            }

            fn images(&self, points: &mut [Point<$w>]) {
                self.ifma.images(points);
            }

            fn export(&self, point: &Point<$w>) -> ArkPoint<$w> {
                if is_infinity(point) {
                    return ArkPoint::INFINITY;
                }
                let mut block = [[0; $w]; 8];
                block[0] = *point;
                self.ifma.export(&mut block);
                ArkPoint(block[0])
            }

            fn formulas(&self) -> &dyn Formulas<$w> {
                &*self.formulas
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

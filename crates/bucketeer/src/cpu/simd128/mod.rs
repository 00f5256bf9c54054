//! WebAssembly's SIMD128: affine additions in four lanes of 13-bit digits, for prime fields of 4
//! and 6 words.
//!
//! [`lanes`] has the instructions, [`digits`] loads and stores points, [`field`] computes,
//! [`batch`] adds points. What is rare is left to the portable kernel, on points in arkworks'
//! words: doublings, opposite points, infinities, and bases of twisted Edwards curves.
//!
//! WebAssembly has no 64×64-bit product with a result of 128 bits, and SIMD128 none of 32-bit
//! lanes that keeps the upper halves without moving lanes. It has the product of eight 16-bit
//! lanes, added in pairs, which processors have as one instruction. Digits of 13 bits leave room
//! to add the products of a whole column in 32 bits. `docs/cpu.md` has the times of the
//! alternatives.

mod batch;
mod digits;
mod field;
mod lanes;
#[cfg(all(test, feature = "curves"))]
mod tests;

use std::sync::Arc;

use num_bigint::BigUint;

use super::inverse::Inverter;
use super::kernel::{
    AnyKernel, ArkPoint, Formulas, Kernel, Point, Scratch, infinity, is_infinity, width_of,
};
use super::pairs::Pairs;
use super::portable::residues::minus;
use crate::CurveSpec;
use crate::curve::{CoordinateSystem, FieldWords};
use batch::Batch;
use digits::{BITS, Loose, Normal, bias_words, load, load_residues, store};
use field::Field;

/// Points of W words on a prime field of N words, or 2H digits.
struct Simd128<const W: usize, const N: usize, const H: usize> {
    field: Field<N, H>,
    inverter: Inverter,
    /// R³ mod p
    cube: Normal<H>,
    /// Converts from arkworks' form.
    from_ark: Normal<H>,
    /// Converts x from arkworks' form to that of φ(P).
    image: Normal<H>,
    /// Converts to arkworks' form.
    to_ark: Normal<H>,
    /// Two biases: what a coordinate and its negative add up to in memory.
    twice_bias: [u64; N],
    portable: Arc<dyn Kernel<W>>,
}

/// The kernel for a curve that [`Arithmetic::choose`](crate::facts::Arithmetic::choose) accepts,
/// from its portable one.
pub(crate) fn kernel<F: FieldWords>(curve: &CurveSpec, portable: AnyKernel) -> AnyKernel {
    match portable {
        AnyKernel::W8(portable) if const { width_of::<F>() == 8 } => {
            AnyKernel::W8(Arc::new(Simd128::<8, 4, 10>::new(curve, portable)))
        }
        AnyKernel::W12(portable) if const { width_of::<F>() == 12 } => {
            AnyKernel::W12(Arc::new(Simd128::<12, 6, 15>::new(curve, portable)))
        }
        other => other,
    }
}

impl<const W: usize, const N: usize, const H: usize> Simd128<W, N, H> {
    fn new(curve: &CurveSpec, portable: Arc<dyn Kernel<W>>) -> Self {
        let p = &curve.modulus;
        let bits = 2 * H * BITS as usize;
        let shifted = |value: &BigUint, bits| Field::<N, H>::shifted(value, bits, p);
        let one = BigUint::from(1u32);
        let image = curve.endomorphism.as_ref().map_or(&one, |e| &e.beta);
        let mut twice_bias = bias_words::<N, H>();
        let bias = twice_bias.map(|word| !word);
        // a + b is a − ¬b − 1.
        (twice_bias, _) = minus(&twice_bias, &bias, true);
        let mut modulus = p.to_u64_digits();
        modulus.resize(N, 0);
        Self {
            field: Field::new(p),
            inverter: Inverter::new(&modulus),
            cube: shifted(&one, 3 * bits),
            from_ark: shifted(&one, 2 * bits - 64 * N),
            image: shifted(image, 2 * bits - 64 * N),
            to_ark: shifted(&one, 64 * N),
            twice_bias,
            portable,
        }
    }

    /// Points in arkworks' words to this form, in place.
    fn convert(&self, points: &mut [[u64; W]], x: &Normal<H>) {
        for four in points.chunks_mut(4) {
            let finite = std::array::from_fn::<_, 4, _>(|i| {
                four.get(i).is_some_and(|point| !is_infinity(point))
            });
            let mut padded = [[0; W]; 4];
            padded[..four.len()].copy_from_slice(four);
            for (half, factor) in [(0..N, x), (N..W, &self.from_ark)] {
                let residues: Loose<H> =
                    load_residues::<N, H>(padded.each_ref().map(|point| &point[half.clone()]));
                let converted = self.field.single(&residues.0, factor);
                store::<N, H>(&converted, padded.each_mut().map(|point| &mut point[half.clone()]));
            }
            for ((point, padded), finite) in four.iter_mut().zip(&padded).zip(finite) {
                *point = if finite { *padded } else { infinity() };
            }
        }
    }

    /// Points of this form, in arkworks' words.
    fn export_all<'a>(&self, points: &'a mut [[u64; W]]) -> &'a mut [[u64; W]] {
        for four in points.chunks_mut(4) {
            let mut padded = [[0; W]; 4];
            padded[..four.len()].copy_from_slice(four);
            let halves = [0..N, N..W].map(|half| {
                let mut elements = self.to_ark;
                load::<N, H>(padded.each_ref().map(|point| &point[half.clone()]), |j, digits| {
                    elements.0[j] = digits;
                });
                (half, self.field.single(&elements.0, &self.to_ark))
            });
            for (lane, point) in
                four.iter_mut().enumerate().filter(|(_, point)| !is_infinity(point))
            {
                for (half, elements) in &halves {
                    point[half.clone()].copy_from_slice(&self.field.residue(elements, lane));
                }
            }
        }
        points
    }

    /// The inverses of all lanes, each from the inverse of the product of all times the other
    /// three; `None` if some lane is zero.
    fn invert(&self, a: &Normal<H>) -> Option<Normal<H>> {
        let f = &self.field;
        let neighbours = a.permuted(lanes::swap_neighbours);
        let two = f.single(&a.0, &neighbours);
        let others = two.permuted(lanes::swap_halves);
        let all = f.single(&two.0, &others);
        let mut words = f.residue(&all, 0);
        if words == [0; N] {
            return None;
        }
        self.inverter.invert(&mut words);
        let words = [&words[..]; 4];
        // 1/(aR) times R³ is R/a · R.
        let inverse = f.single(&load_residues::<N, H>(words).0, &self.cube);
        Some(f.single(&f.single(&inverse.0, &others).0, &neighbours))
    }
}

impl<const W: usize, const N: usize, const H: usize> Kernel<W> for Simd128<W, N, H> {
    fn add_pairs(
        &self,
        src: &[Point<W>],
        pairs: &mut Pairs,
        dst: &mut [Point<W>],
        scratch: &mut Scratch,
    ) {
        if !pairs.is_empty() {
            self.add_all(src, pairs, dst, scratch.of::<Batch<W, H>>());
        }
    }

    fn double(&self, points: &mut [Point<W>], times: u32, scratch: &mut Scratch) {
        self.portable.double(self.export_all(points), times, scratch);
        self.convert(points, &self.from_ark);
    }

    fn negate(&self, point: &Point<W>) -> Point<W> {
        let mut out = *point;
        if !is_infinity(point) {
            let y = out[N..].try_into().expect("half a point");
            out[N..].copy_from_slice(&minus(&self.twice_bias, &y, false).0);
        }
        out
    }

    fn import<'a>(&self, points: &'a mut [ArkPoint<W>], image: bool) -> &'a mut [Point<W>] {
        let points = ArkPoint::words(points);
        self.convert(points, if image { &self.image } else { &self.from_ark });
        points
    }

    fn base_coordinates(&self) -> CoordinateSystem {
        self.portable.base_coordinates()
    }

    fn import_bases<'a>(&self, points: &'a mut [ArkPoint<W>], image: bool) -> &'a mut [Point<W>] {
        if let CoordinateSystem::Weierstrass = self.base_coordinates() {
            return self.import(points, image);
        }
        let points = self.portable.import_bases(points, image);
        self.convert(points, &self.from_ark);
        points
    }

    fn images(&self, points: &mut [Point<W>]) {
        self.export_all(points);
        self.convert(points, &self.image);
    }

    fn export(&self, point: &Point<W>) -> ArkPoint<W> {
        let mut point = [*point];
        self.export_all(&mut point);
        ArkPoint(point[0])
    }

    fn formulas(&self) -> &dyn Formulas<W> {
        self.portable.formulas()
    }
}

/// All ones in the lanes whose bit is set.
fn lane_mask(bits: u32) -> lanes::V {
    lanes::from_array(std::array::from_fn(|lane| -((bits >> lane & 1) as i32)))
}

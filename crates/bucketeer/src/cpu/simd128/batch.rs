//! Batched affine additions, four at a time.
//!
//! 1. Forward over the groups of four pairs: denominators d = x₂ − x₁, and their running products.
//! 2. One inversion, of the product of all four lanes.
//! 3. Backward: 1/d from the running products; λ = (y₂ − y₁)/d, x₃ = λ² − x₁ − x₂,
//!    y₃ = λ(x₁ − x₃) − y₁. 5M+1S in all.
//!
//! Coordinates have several representatives, so that equal ones need not have equal digits: if the
//! product of step 2 is zero, step 1 runs again with a test of every denominator. Pairs that are
//! not additions of different finite points are *special*: their denominator is 1, and the portable
//! kernel adds them.

use super::digits::{Loose, Normal, load, signed, store};
use super::field::Work;
use super::lanes::{V, add16, from_array, select, splat, sub16, to_array};
use super::{Simd128, lane_mask};
use crate::cpu::buffer::clear_with_capacity;
use crate::cpu::kernel::{ArkPoint, Kernel, Point, Scratch, is_infinity};
use crate::cpu::pairs::{NEGATIVE, Pairs};

/// Additions at a time.
const LANES: usize = 4;

/// What the backward loop needs of the forward loop, for one group.
#[derive(Clone)]
struct Step<const H: usize> {
    x1: Normal<H>,
    d: Loose<H>,
    /// Product of all denominators before.
    before: Normal<H>,
}

/// Working memory of a batch.
pub(super) struct Batch<const W: usize, const H: usize> {
    steps: Vec<Step<H>>,
    group: Group<H>,
    special: Special<W>,
}

/// Values of one group, kept here as [`Work`] is.
struct Group<const H: usize> {
    work: Work<H>,
    /// The product of all denominators up to here, later its inverse.
    product: Normal<H>,
    /// 1/d
    own: Normal<H>,
    slope: Normal<H>,
    /// y₁, with the sign of its entry.
    y1: Normal<H>,
    x3: Normal<H>,
    y3: Normal<H>,
    /// y₂ − y₁, 2x₁ + d and x₁ − x₃ in turn.
    difference: [V; H],
}

/// The special pairs of a batch.
struct Special<const W: usize> {
    /// Their indices.
    indices: Vec<usize>,
    /// Both operands of each, in arkworks' words.
    operands: Vec<Point<W>>,
    pairs: Pairs,
    sums: Vec<ArkPoint<W>>,
    scratch: Scratch,
}

impl<const W: usize, const H: usize> Default for Batch<W, H> {
    fn default() -> Self {
        let special = Special {
            indices: Vec::new(),
            operands: Vec::new(),
            pairs: Pairs::default(),
            sums: Vec::new(),
            scratch: Scratch::default(),
        };
        let zero = Normal([splat(0); H]);
        let group = Group {
            work: Work::default(),
            product: zero,
            own: zero,
            slope: zero,
            y1: zero,
            x3: zero,
            y3: zero,
            difference: zero.0,
        };
        Self { steps: Vec::new(), group, special }
    }
}

/// The entries of a group of pairs. Lanes beyond the last pair repeat it.
#[inline(always)]
fn entries(list: &[u32], group: usize) -> [u32; LANES] {
    match list.get(LANES * group..LANES * group + LANES) {
        Some(entries) => [entries[0], entries[1], entries[2], entries[3]],
        None => std::array::from_fn(|lane| list[(LANES * group + lane).min(list.len() - 1)]),
    }
}

#[inline(always)]
fn points<const W: usize>(from: &[Point<W>], entries: [u32; LANES]) -> [&Point<W>; LANES] {
    entries.map(|entry| &from[(entry & !NEGATIVE) as usize])
}

/// All ones in the lanes of negative entries.
fn signs(entries: [u32; LANES]) -> V {
    from_array(entries.map(|entry| entry as i32 >> 31))
}

#[inline(always)]
fn infinite<const W: usize>(points: [&Point<W>; LANES]) -> u32 {
    let bit =
        |lane: usize| u32::from(points[lane][0] == u64::MAX && is_infinity(points[lane])) << lane;
    bit(0) | bit(1) | bit(2) | bit(3)
}

impl<const W: usize, const N: usize, const H: usize> Simd128<W, N, H> {
    pub(super) fn add_all(
        &self,
        src: &[Point<W>],
        pairs: &Pairs,
        dst: &mut [Point<W>],
        batch: &mut Batch<W, H>,
    ) {
        let first = if pairs.in_place { &*dst } else { src };
        self.forward::<false>([first, src], pairs, batch);
        let inverse = self.invert(&batch.group.product).unwrap_or_else(|| {
            self.forward::<true>([first, src], pairs, batch);
            self.invert(&batch.group.product).expect("zeros were replaced")
        });
        batch.special.list([first, src], pairs, |points| {
            self.export_all(points);
        });
        batch.group.product = inverse;
        self.backward(src, pairs, dst, &batch.steps, &mut batch.group);
        if !batch.special.indices.is_empty() {
            let [.., out] = pairs.lists();
            batch.special.add(&*self.portable, |points| self.import(points, false), out, dst);
        }
    }

    /// Fills the steps and lists special pairs; with `EXACT` also those whose denominator is zero.
    /// Leaves the product of all denominators.
    fn forward<const EXACT: bool>(
        &self,
        [first, second]: [&[Point<W>]; 2],
        pairs: &Pairs,
        batch: &mut Batch<W, H>,
    ) {
        let f = &self.field;
        let [a, b, _] = pairs.lists();
        let Batch { steps, group: Group { work, product, .. }, special } = batch;
        let groups = a.len().div_ceil(LANES);
        if steps.len() < groups {
            let zero = Normal([splat(0); H]);
            clear_with_capacity(steps, groups);
            steps.resize(groups, Step { x1: zero, d: Loose(zero.0), before: zero });
        }
        special.indices.clear();
        *product = f.one;
        for (i, Step { x1, d, before }) in steps[..groups].iter_mut().enumerate() {
            let start = LANES * i;
            let (p, q) = (points(first, entries(a, i)), points(second, entries(b, i)));
            load::<N, H>(p.map(|point| &point[..N]), |j, digits| x1.0[j] = digits);
            load::<N, H>(q.map(|point| &point[..N]), |j, x2| d.0[j] = sub16(x2, x1.0[j]));
            let mut specials = infinite(p) | infinite(q);
            if EXACT {
                let zero = to_array(f.is_zero(d));
                specials |= (0..LANES).map(|lane| (zero[lane] as u32 & 1) << lane).sum::<u32>();
            }
            if specials != 0 {
                for (d, one) in d.0.iter_mut().zip(&f.one.0) {
                    *d = select(lane_mask(specials), *one, *d);
                }
                let lanes =
                    (0..LANES.min(a.len() - start)).filter(|lane| specials >> lane & 1 == 1);
                special.indices.extend(lanes.map(|lane| start + lane));
            }
            before.0.copy_from_slice(&product.0);
            f.mul(&d.0, before, work, product);
        }
    }

    /// Writes all sums; those of special pairs are to be overwritten.
    fn backward(
        &self,
        src: &[Point<W>],
        pairs: &Pairs,
        dst: &mut [Point<W>],
        steps: &[Step<H>],
        group: &mut Group<H>,
    ) {
        let f = &self.field;
        let [a, b, out] = pairs.lists();
        let Group { work, product: inverse, own, slope, y1, x3, y3, difference } = group;
        for (i, Step { x1, d, before }) in steps[..a.len().div_ceil(LANES)].iter().enumerate().rev()
        {
            f.mul(&before.0, inverse, work, own);
            f.product(&d.0, inverse, work);
            work.normal(inverse);
            let (first, second) = (entries(a, i), entries(b, i));
            let (p, sign) = match pairs.in_place {
                true => (points(dst, first), splat(0)),
                false => (points(src, first), signs(first)),
            };
            load::<N, H>(p.map(|point| &point[N..]), |j, y| y1.0[j] = signed(y, sign));
            let (q, sign) = (points(src, second), signs(second));
            load::<N, H>(q.map(|point| &point[N..]), |j, y2| {
                difference[j] = sub16(signed(y2, sign), y1.0[j]);
            });
            f.mul(difference, own, work, slope);
            f.product(&slope.0, slope, work);
            // x₁ + x₂ = 2x₁ + d
            for ((sum, x1), d) in difference.iter_mut().zip(&x1.0).zip(&d.0) {
                *sum = add16(add16(*x1, *x1), *d);
            }
            f.minus(work, difference, x3);
            for ((run, x1), x3) in difference.iter_mut().zip(&x1.0).zip(&x3.0) {
                *run = sub16(*x1, *x3);
            }
            f.product(difference, slope, work);
            f.minus(work, &y1.0, y3);
            let (mut x, mut y) = ([[0; N]; LANES], [[0; N]; LANES]);
            store::<N, H>(x3, x.each_mut().map(|x| &mut x[..]));
            store::<N, H>(y3, y.each_mut().map(|y| &mut y[..]));
            for (lane, out) in entries(out, i).into_iter().enumerate() {
                let sum = &mut dst[out as usize];
                sum[..N].copy_from_slice(&x[lane]);
                sum[N..].copy_from_slice(&y[lane]);
            }
        }
    }
}

impl<const W: usize> Special<W> {
    /// Lists the operands, before sums are written over them.
    fn list(
        &mut self,
        [first, second]: [&[Point<W>]; 2],
        pairs: &Pairs,
        export: impl FnOnce(&mut [Point<W>]),
    ) {
        let [a, b, _] = pairs.lists();
        self.operands.clear();
        self.pairs.clear(self.indices.len());
        for &i in &self.indices {
            let at = self.operands.len() as u32;
            for (from, entry) in [(first, a[i]), (second, b[i])] {
                self.operands.push(from[(entry & !NEGATIVE) as usize]);
            }
            let pair = (at | a[i] & NEGATIVE, (at + 1) | b[i] & NEGATIVE);
            self.pairs.extend(std::iter::once(pair), at / 2);
        }
        export(&mut self.operands);
    }

    /// Adds them.
    fn add(
        &mut self,
        kernel: &dyn Kernel<W>,
        import: impl for<'a> FnOnce(&'a mut [ArkPoint<W>]) -> &'a mut [Point<W>],
        out: &[u32],
        dst: &mut [Point<W>],
    ) {
        self.sums.clear();
        self.sums.resize(self.indices.len(), ArkPoint::INFINITY);
        let sums = ArkPoint::words(&mut self.sums);
        kernel.add_pairs(&self.operands, &mut self.pairs, sums, &mut self.scratch);
        for (sum, &i) in import(&mut self.sums).iter().zip(&self.indices) {
            dst[out[i] as usize] = *sum;
        }
    }
}

//! Bases as a device gets them.

use std::ops::Range;

use crate::curve::{CoordinateSystem, write_points};
use crate::parallel::loops::*;
use crate::plan::{Form, Plan};
use crate::{Curve, CurveSpec};

/// Bases as words of their affine coordinates.
pub(crate) trait AffineSource: Sync {
    /// Writes the bases in `range` as they are uploaded: x and y, all ones for infinity.
    fn write(&self, range: Range<usize>, out: &mut [u64]);
}

/// Points as the kernels of a form import them: in the curve's own coordinates for the Edwards
/// form, otherwise in those of its Weierstrass form.
pub(crate) struct Affine<'a, C: Curve> {
    pub points: &'a [C],
    pub curve: &'a CurveSpec,
    pub form: Form,
}

impl<C: Curve> AffineSource for Affine<'_, C> {
    fn write(&self, range: Range<usize>, out: &mut [u64]) {
        // 48 to 192 KiB: some for each thread even of a small piece.
        const BLOCK: usize = 512;
        let words = 2 * self.curve.limbs * self.curve.degree;
        let coordinates = match self.form {
            Form::Edwards => CoordinateSystem::Own,
            Form::Weierstrass => CoordinateSystem::Weierstrass,
        };
        let blocks = out.par_chunks_mut(BLOCK * words).zip(self.points[range].par_chunks(BLOCK));
        blocks.for_each(|(out, points)| write_points(points.iter(), coordinates, words, out));
    }
}

/// Points that share an inversion when copies are computed with WebGPU.
#[cfg(feature = "webgpu")]
const SHARED_INVERSION: u64 = 32;

/// Where bases go: copy j of base i is at j·stride + i.
pub(crate) struct Place<M> {
    pub table: M,
    /// Memory to work in, for `scratch_points` points.
    pub scratch: M,
    pub scratch_points: u64,
    /// Points between two copies of a base.
    pub stride: u64,
    pub copies: u32,
    /// Doublings from one copy to the next.
    pub doublings: u32,
}

impl<M> Place<M> {
    /// A place for the copies of a plan.
    pub(crate) fn new(plan: &Plan, table: M, scratch: (M, u64), stride: u64) -> Self {
        let (scratch, scratch_points) = scratch;
        let doublings = plan.shape.window_bits * plan.shape.bucket_sets;
        let copies = plan.shape.precompute;
        Self { table, scratch, scratch_points, stride, copies, doublings }
    }
}

#[cfg(feature = "webgpu")]
impl<M> Place<M> {
    /// Bases that can be brought here at a time. Every copy but the first takes scratch.
    pub(crate) fn fitting(&self) -> usize {
        (self.scratch_points / u64::from(self.copies - 1).max(1)).max(1) as usize
    }

    /// Threads that compute the copies of `count` bases.
    pub(crate) fn copying_threads(&self, count: u32) -> u64 {
        let each = SHARED_INVERSION.div_ceil(u64::from(self.copies - 1).max(1));
        u64::from(count).div_ceil(each)
    }
}

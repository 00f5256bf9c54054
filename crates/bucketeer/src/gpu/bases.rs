//! Bases as a device gets them.

use std::ops::Range;

use rayon::prelude::*;

use crate::cpu::table::{BaseSource, Coordinates};
use crate::plan::Form;
use crate::{Curve, CurveSpec};

/// Bases as words of their affine coordinates.
pub(crate) trait AffineSource: Sync {
    /// Writes the bases in `range` as they are uploaded: x and y, all ones for infinity.
    fn write(&self, range: Range<usize>, out: &mut [u8]);
}

/// Points as the kernels of a form import them: in the curve's own coordinates for the Edwards form, otherwise in
/// those of its Weierstrass form.
pub(crate) struct Affine<'a, C: Curve> {
    pub points: &'a [C],
    pub curve: &'a CurveSpec,
    pub form: Form,
}

impl<C: Curve> AffineSource for Affine<'_, C> {
    fn write(&self, range: Range<usize>, out: &mut [u8]) {
        const BLOCK: usize = 512;
        let words = 2 * self.curve.limbs * self.curve.degree;
        let coordinates = match self.form {
            Form::Edwards => Coordinates::Own,
            Form::Weierstrass => Coordinates::Weierstrass,
        };
        out.par_chunks_mut(BLOCK * 8 * words).enumerate().for_each(|(block, out)| {
            let first = range.start + block * BLOCK;
            let bases: Vec<usize> = (first..first + out.len() / (8 * words)).collect();
            let mut buffer = vec![u64::MAX; bases.len() * words];
            self.points.write(&bases, coordinates, words, &mut buffer);
            for (bytes, word) in out.chunks_exact_mut(8).zip(buffer) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        });
    }
}

//! Bases as a device gets them.

use std::ops::Range;

use rayon::prelude::*;

use crate::cpu::table::{BaseSource, Coordinates};
use crate::curve::EdwardsMap;
use crate::{Curve, CurveSpec, WordField};

/// Bases as words of their affine coordinates.
pub(crate) trait AffineSource: Sync {
    /// Writes the bases in `range` as they are uploaded: x and y in the plan's form, all ones for infinity.
    fn write(&self, range: Range<usize>, out: &mut [u8]);
}

/// Points in the coordinates of the kernels' form.
pub(crate) struct Affine<'a, C: Curve> {
    pub points: &'a [C],
    pub curve: &'a CurveSpec,
    /// The way to the form that points are added in, where that is the Edwards form.
    pub edwards: Option<&'a EdwardsMap<C::BaseField>>,
}

impl<C: Curve> AffineSource for Affine<'_, C> {
    fn write(&self, range: Range<usize>, out: &mut [u8]) {
        const BLOCK: usize = 512;
        let words = 2 * self.curve.limbs * self.curve.degree;
        out.par_chunks_mut(BLOCK * 8 * words).enumerate().for_each(|(block, out)| {
            let first = range.start + block * BLOCK;
            let own = first..first + out.len() / (8 * words);
            let mut buffer = vec![u64::MAX; own.len() * words];
            match self.edwards {
                None => {
                    let bases: Vec<usize> = own.collect();
                    self.points.write(&bases, Coordinates::Weierstrass, words, &mut buffer);
                }
                Some(map) => {
                    let points = C::to_edwards(map, &self.points[own]);
                    for ((x, y), out) in points.into_iter().zip(buffer.chunks_mut(words)) {
                        let (first, second) = out.split_at_mut(words / 2);
                        x.write_words(first);
                        y.write_words(second);
                    }
                }
            }
            for (bytes, word) in out.chunks_exact_mut(8).zip(buffer) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        });
    }
}

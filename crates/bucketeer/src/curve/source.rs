//! Bases as words, independent of their type: the source that every backend reads.

use super::{Curve, Model, write_element};

/// The coordinates that bases are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CoordinateSystem {
    /// Of the curve's own model.
    Own,
    /// Of its short Weierstrass form.
    Weierstrass,
}

/// Bases as arkworks' words, independent of their type.
pub(crate) trait BaseSource: Sync {
    /// Writes the bases with these indices as points of `width` words each, all ones for infinity.
    fn write(&self, bases: &[usize], coordinates: CoordinateSystem, width: usize, out: &mut [u64]);
}

impl<C: Curve> BaseSource for &[C] {
    fn write(&self, bases: &[usize], coordinates: CoordinateSystem, width: usize, out: &mut [u64]) {
        write_points(bases.iter().map(|&base| &self[base]), coordinates, width, out);
    }
}

/// Writes points as `width` words each, all ones for infinity.
pub(crate) fn write_points<'a, C: Curve>(
    points: impl Iterator<Item = &'a C>,
    coordinates: CoordinateSystem,
    width: usize,
    out: &mut [u64],
) {
    let put = |out: &mut [u64], point| match point {
        Some((x, y)) => {
            let (first, second) = out.split_at_mut(width / 2);
            write_element::<C::BaseField>(&x, first);
            write_element::<C::BaseField>(&y, second);
        }
        None => out.fill(u64::MAX),
    };
    let places = out.chunks_exact_mut(width);
    let weierstrass = matches!(C::model(), Model::ShortWeierstrass { .. });
    if weierstrass || coordinates == CoordinateSystem::Own {
        for (point, out) in points.zip(places) {
            // Two calls of `put`: coordinates that a branch selects first are copied twice.
            match point.as_reduced() {
                Some(reduced) => put(out, reduced.point().xy()),
                None => put(out, point.reduced().point().xy()),
            }
        }
    } else {
        let points: Vec<C> = points.map(|point| *point.reduced().point()).collect();
        let mut converted = Vec::new();
        C::to_weierstrass(&points, &mut converted);
        for (point, out) in converted.into_iter().zip(places) {
            put(out, point);
        }
    }
}

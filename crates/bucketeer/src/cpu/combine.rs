//! Stage 5, combine: window points → result, by Horner's rule: Q = Σ 2^(c·j)·Wⱼ.

use super::kernel::{Formulas, Wide};

/// Combines the sums of windows of `window_bits` bits, lowest first.
pub(crate) fn combine<const W: usize>(
    windows: &[Wide<W>],
    window_bits: u32,
    formulas: &dyn Formulas<W>,
) -> Wide<W> {
    windows.iter().rev().fold(Wide::INFINITY, |sum, window| {
        let shifted = (0..window_bits).fold(sum, |sum, _| formulas.double(&sum));
        formulas.add(&shifted, window)
    })
}

//! Stage 5, combine: window points → result, by Horner's rule: Q = Σ 2^(c·j)·Wⱼ. Per window c
//! doublings (6M+3S each where a = 0) and one addition (12M+2S).

use super::kernel::{Formulas, XyzzPoint};

/// Combines the sums of windows of `window_bits` bits, lowest first.
pub(crate) fn combine<const W: usize>(
    windows: &[XyzzPoint<W>],
    window_bits: u32,
    formulas: &dyn Formulas<W>,
) -> XyzzPoint<W> {
    windows.iter().rev().fold(XyzzPoint::INFINITY, |sum, window| {
        let shifted = (0..window_bits).fold(sum, |sum, _| formulas.double(&sum));
        formulas.add(&shifted, window)
    })
}

//! Stage 5, combine: window points → result, by Horner's rule: Q = Σ 2^(c·j)·Wⱼ.

use ark_ff::Field;

use super::xyzz::Xyzz;

/// Combines the sums of windows of `window_bits` bits, lowest first.
pub(crate) fn combine<F: Field>(windows: &[Xyzz<F>], window_bits: u32, a: &F) -> Xyzz<F> {
    windows.iter().rev().fold(Xyzz::INFINITY, |sum, window| {
        let shifted = (0..window_bits).fold(sum, |sum, _| sum.double(a));
        shifted.add(window, a)
    })
}

//! Prefetches of points; no-ops on processors other than x86-64.

use super::kernel::Point;

/// Prefetches the cache lines of a point into L1.
#[inline(always)]
pub(crate) fn prefetch<const W: usize>(point: *const Point<W>) {
    #[cfg(target_arch = "x86_64")]
    prefetch_to::<{ core::arch::x86_64::_MM_HINT_T0 }, W>(point);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = point;
}

/// Prefetches the cache lines of a point into the level that the hint names.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn prefetch_to<const HINT: i32, const W: usize>(point: *const Point<W>) {
    use core::arch::x86_64::_mm_prefetch;
    let first: *const i8 = point.cast();
    // Points start at multiples of 32 bytes: one prefetch per line that begins in the point.
    for byte in (0..8 * W).step_by(64) {
        // SAFETY: prefetching has no effect on memory and cannot fault.
        unsafe { _mm_prefetch::<HINT>(first.wrapping_add(byte)) };
    }
    if !W.is_multiple_of(8) {
        // SAFETY: as above; the last word of the point.
        unsafe { _mm_prefetch::<HINT>(first.wrapping_add(8 * W - 8)) };
    }
}

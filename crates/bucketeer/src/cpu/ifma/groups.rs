//! Pairs as addresses, eight at a time.

use core::arch::x86_64::*;

use super::lanes::broadcast;
use crate::cpu::kernel::{NEGATIVE, fetch, fetch_with};

/// Groups of a batch where points are far away: enough to share an inversion, and few enough that the points of the
/// next batch find room in the second cache during the work on one.
pub(super) const BATCH: usize = 64;

/// Pairs in groups of eight, and the memory they refer to.
pub(super) struct Groups<'a, const W: usize> {
    pub a: &'a [[u32; 8]],
    pub b: &'a [[u32; 8]],
    pub out: &'a [[u32; 8]],
    /// Points to be asked for meanwhile.
    pub later: &'a [[u32; 8]],
    /// What `a` refers to, and `b`.
    pub first: *const [u64; W],
    pub src: *const [u64; W],
    pub dst: *mut [u64; W],
    pub scattered: bool,
    pub far: bool,
}

/// Eight pairs: addresses of both operands and their signs.
pub(super) struct Group {
    pub a: [*const u64; 8],
    pub b: [*const u64; 8],
    pub negative_a: u8,
    pub negative_b: u8,
}

/// The points of eight entries, counted from `base`, and their signs.
#[inline(always)]
unsafe fn addresses<const W: usize>(
    base: *const [u64; W],
    entries: &[u32; 8],
) -> ([*const u64; 8], u8) {
    // SAFETY: the caller runs with AVX-512 DQ and VL; addresses and words are of one size.
    unsafe {
        let entries = _mm256_loadu_si256(entries.as_ptr().cast());
        let negative = _mm256_movepi32_mask(entries);
        let indices = _mm256_and_si256(entries, _mm256_set1_epi32(!NEGATIVE as i32));
        let offsets = _mm512_mul_epu32(_mm512_cvtepu32_epi64(indices), broadcast(8 * W as u64));
        let addresses = _mm512_add_epi64(offsets, broadcast(base as u64));
        let mut out: [*const u64; 8] = [base.cast(); 8];
        _mm512_storeu_si512(out.as_mut_ptr().cast(), addresses);
        (out, negative)
    }
}

impl<const W: usize> Groups<'_, W> {
    #[inline(always)]
    pub(super) unsafe fn group(&self, g: usize) -> Group {
        // SAFETY: the caller runs with AVX-512 and stays within the groups.
        unsafe {
            let (a, negative_a) = addresses(self.first, self.a.get_unchecked(g));
            let (b, negative_b) = addresses(self.src, self.b.get_unchecked(g));
            Group { a, b, negative_a, negative_b }
        }
    }

    /// Where the sums of a group go.
    #[inline(always)]
    pub(super) unsafe fn targets(&self, g: usize) -> [*mut u64; 8] {
        // SAFETY: as above.
        unsafe { addresses(self.dst, self.out.get_unchecked(g)).0.map(<*const u64>::cast_mut) }
    }

    /// Where points are far away, asks for half of those of the group one batch later, into the second cache.
    #[inline(always)]
    pub(super) unsafe fn fetch_later(&self, g: usize, second: bool) {
        let entries = match (self.far, second) {
            (true, false) => self.a.get(g + BATCH),
            (true, true) => self.b.get(g + BATCH),
            (false, false) => self.later.get(g),
            (false, true) => None,
        };
        if let Some(entries) = entries {
            // SAFETY: the caller runs with AVX-512.
            let points = unsafe { addresses(self.src, entries).0 };
            for point in points {
                fetch_with::<_MM_HINT_T1, W>(point.cast());
            }
        }
    }

    /// Asks for the points of a group.
    #[inline(always)]
    pub(super) unsafe fn fetch(&self, g: usize) {
        // SAFETY: as above.
        let group = unsafe { self.group(g) };
        for lane in 0..8 {
            fetch(group.a[lane].cast::<[u64; W]>());
            fetch(group.b[lane].cast::<[u64; W]>());
        }
    }
}

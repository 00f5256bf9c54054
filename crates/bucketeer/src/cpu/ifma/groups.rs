//! Pairs as addresses, eight at a time.

use core::arch::x86_64::*;

use super::lanes::broadcast;
use crate::cpu::pairs::NEGATIVE;
use crate::cpu::prefetch::{prefetch, prefetch_to};

/// Groups of a batch if points are read from beyond L2: enough to amortise an inversion, and few
/// enough that the points of the next batch fit in L2 meanwhile.
pub(super) const BATCH: usize = 64;

/// Pairs in groups of eight, and the memory they refer to.
pub(super) struct Groups<'a, const W: usize> {
    pub a: &'a [[u32; 8]],
    pub b: &'a [[u32; 8]],
    pub out: &'a [[u32; 8]],
    /// Entries to prefetch for the additions after these.
    pub next: &'a [[u32; 8]],
    /// The points that `a` indexes.
    pub first: *const [u64; W],
    /// The points that `b` indexes.
    pub src: *const [u64; W],
    pub dst: *mut [u64; W],
    /// Whether points are read at random.
    pub random: bool,
    /// Whether they lie beyond L2.
    pub beyond_l2: bool,
}

/// One operand of the pairs of a group.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    A,
    B,
}

/// Eight pairs: addresses of both operands and their signs.
pub(super) struct Group {
    pub a: [*const u64; 8],
    pub b: [*const u64; 8],
    pub negative_a: u8,
    pub negative_b: u8,
}

/// The addresses of the points of eight entries, and their signs.
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

    /// The addresses of the sums of a group.
    #[inline(always)]
    pub(super) unsafe fn targets(&self, g: usize) -> [*mut u64; 8] {
        // SAFETY: as above.
        unsafe { addresses(self.dst, self.out.get_unchecked(g)).0.map(<*const u64>::cast_mut) }
    }

    /// Prefetches points for later into L2: from beyond L2, one operand of the group one batch
    /// later; otherwise the points of [`next`](Self::next).
    #[inline(always)]
    pub(super) unsafe fn prefetch_next(&self, g: usize, operand: Operand) {
        let entries = match (self.beyond_l2, operand) {
            (true, Operand::A) => self.a.get(g + BATCH),
            (true, Operand::B) => self.b.get(g + BATCH),
            (false, Operand::A) => self.next.get(g),
            (false, Operand::B) => None,
        };
        if let Some(entries) = entries {
            // SAFETY: the caller runs with AVX-512.
            let points = unsafe { addresses(self.src, entries).0 };
            for point in points {
                prefetch_to::<_MM_HINT_T1, W>(point.cast());
            }
        }
    }

    /// Prefetches the points of a group into L1.
    #[inline(always)]
    pub(super) unsafe fn prefetch(&self, g: usize) {
        // SAFETY: as above.
        let group = unsafe { self.group(g) };
        for lane in 0..8 {
            prefetch(group.a[lane].cast::<[u64; W]>());
            prefetch(group.b[lane].cast::<[u64; W]>());
        }
    }
}

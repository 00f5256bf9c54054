//! Buffers of points, laid out for random reads: points start at cache lines, so that none touches
//! more lines than it must, and lie on huge pages where the system has them. With pages of 4 KiB
//! every read of a base misses the TLB, which costs as much as half an addition.

use std::alloc::{Layout, alloc_zeroed};

use super::kernel::Point;
use crate::Error;
use crate::vectors::out_of_memory;

/// Bytes of a cache line.
const LINE: usize = 64;

/// A buffer for points of any width.
#[derive(Default)]
pub(crate) struct PointBuffer {
    words: Vec<u64>,
    /// First word at the start of a cache line.
    first: usize,
}

impl PointBuffer {
    /// Memory for `length` points, to be overwritten. Zeroed pages come from the system untouched,
    /// so that the threads that fill them touch them first.
    pub(crate) fn reserve<const W: usize>(
        &mut self,
        length: usize,
    ) -> Result<&mut [Point<W>], Error> {
        let words = length * W + LINE / 8;
        if self.words.len() < words {
            // The old memory is freed before the new is allocated.
            self.words = Vec::new();
            self.words = zeroed(words)?;
            self.first = self.words.as_ptr().align_offset(LINE).min(LINE / 8);
        }
        Ok(self.words[self.first..][..length * W].as_chunks_mut().0)
    }

    /// The first `length` points, of those that were reserved.
    pub(crate) fn points<const W: usize>(&self, length: usize) -> &[Point<W>] {
        self.words[self.first..][..length * W].as_chunks().0
    }

    /// The same points, for faults on purpose.
    #[cfg(feature = "faults")]
    pub(crate) fn words_mut<const W: usize>(&mut self, length: usize) -> &mut [u64] {
        &mut self.words[self.first..][..length * W]
    }

    pub(crate) fn bytes(&self) -> usize {
        8 * self.words.capacity()
    }
}

/// Zeroed words on huge pages; an error if the system has no memory for them.
pub(crate) fn zeroed(length: usize) -> Result<Vec<u64>, Error> {
    if length == 0 {
        return Ok(Vec::new());
    }
    let layout = Layout::array::<u64>(length).map_err(|_| out_of_memory::<u64>(length))?;
    // SAFETY: the layout is not empty. The allocation holds `length` words, all of them zero, and
    // is handed to a vector with the layout that it will free.
    let words = unsafe {
        let first = alloc_zeroed(layout).cast::<u64>();
        if first.is_null() {
            return Err(out_of_memory::<u64>(length));
        }
        Vec::from_raw_parts(first, length, length)
    };
    advise_huge_pages(&words);
    Ok(words)
}

/// Clears a vector and reserves memory for `length` items and no more, since the plan counts every
/// byte. For what a thread keeps for a batch of additions, which no input makes larger;
/// see [`crate::vectors`] for all else.
pub(crate) fn clear_with_capacity<T>(vector: &mut Vec<T>, length: usize) {
    vector.clear();
    if vector.capacity() < length {
        *vector = Vec::new();
        vector.reserve_exact(length);
    }
}

/// Asks for huge pages under memory that was not written to yet.
#[cfg(target_os = "linux")]
pub(crate) fn advise_huge_pages<T>(memory: &[T]) {
    const PAGE: usize = 4096;
    const HUGE_PAGE: usize = 2 << 20;
    let bytes = size_of_val(memory);
    let first = memory.as_ptr().cast::<u8>();
    let skip = first.align_offset(PAGE);
    if bytes < HUGE_PAGE + skip {
        return;
    }
    // SAFETY: the pages lie within memory that we own, and their contents stay as they are. A
    // refusal only costs time.
    unsafe {
        libc::madvise(first.add(skip).cast_mut().cast(), bytes - skip, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn advise_huge_pages<T>(_: &[T]) {}

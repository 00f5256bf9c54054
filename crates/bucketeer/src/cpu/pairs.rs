//! Lists of additions for a kernel: pairs of points, by index.

use super::buffer::clear_with_capacity;
use super::pool::wipe;

/// Top bit of an entry: the point is to be negated.
pub(crate) const NEGATIVE: u32 = 1 << 31;

/// How a kernel finds the points of `src`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Reads {
    /// In order, or in L2 anyway.
    #[default]
    Cached,
    /// At random: points are prefetched a few pairs ahead.
    Random,
    /// At random from a table beyond L2: points are also prefetched one batch ahead.
    RandomBeyondL2,
}

/// Additions `dst[out] = ±src[a] ± src[b]`: indices of two points, each with its sign in the top
/// bit, and the index of the sum.
#[derive(Default)]
pub(crate) struct Pairs {
    a: Vec<u32>,
    b: Vec<u32>,
    out: Vec<u32>,
    length: usize,
    pub reads: Reads,
    /// Whether these are `dst[a] = dst[a] ± src[b]` instead.
    pub in_place: bool,
    /// Entries of `src` to prefetch during these additions.
    prefetch: Vec<u32>,
}

impl Pairs {
    /// Pairs are padded to a multiple of this, with copies of the last one.
    pub(crate) const GROUP: usize = 8;

    /// Removes all pairs and reserves memory for `length`.
    pub(crate) fn clear(&mut self, length: usize) {
        let padded = length.next_multiple_of(Self::GROUP);
        clear_with_capacity(&mut self.a, padded);
        clear_with_capacity(&mut self.b, padded);
        clear_with_capacity(&mut self.out, padded);
        self.prefetch.clear();
        self.length = 0;
    }

    /// Appends pairs of entries whose sums are written one after the other, from `out` on.
    #[inline(always)]
    pub(crate) fn extend(&mut self, pairs: impl ExactSizeIterator<Item = (u32, u32)>, out: u32) {
        let length = pairs.len();
        self.out.extend(out..out + length as u32);
        self.length += length;
        for (a, b) in pairs {
            self.a.push(a);
            self.b.push(b);
        }
    }

    /// Appends an addition in place.
    #[inline(always)]
    pub(crate) fn push(&mut self, a: u32, b: u32) {
        self.a.push(a);
        self.b.push(b);
        self.length += 1;
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Overwrites the memory of all lists.
    pub(crate) fn wipe(&mut self) {
        for list in [&mut self.a, &mut self.b, &mut self.out, &mut self.prefetch] {
            wipe(list);
        }
        self.length = 0;
    }

    /// Has the points that other pairs add prefetched during these additions.
    pub(crate) fn prefetch_for(&mut self, pairs: &Self) {
        self.prefetch.extend_from_slice(&pairs.b);
    }

    /// Entries of points to prefetch during the additions.
    pub(crate) fn to_prefetch(&self) -> &[u32] {
        &self.prefetch
    }

    /// The lists a, b and out, unpadded.
    pub(crate) fn lists(&self) -> [&[u32]; 3] {
        let out = if self.in_place { &self.a } else { &self.out };
        [&self.a, &self.b, out].map(|list| &list[..self.length])
    }

    /// The lists a, b and out in groups, and the entries to prefetch. The last group may repeat its
    /// last pair.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn groups(&mut self) -> [&[[u32; Self::GROUP]]; 4] {
        let padded = self.length.next_multiple_of(Self::GROUP);
        for list in [&mut self.a, &mut self.b, &mut self.out] {
            let last = list.last().copied().unwrap_or(0);
            list.resize(padded, last);
        }
        let out = if self.in_place { &self.a } else { &self.out };
        [&self.a, &self.b, out, &self.prefetch].map(|list| list.as_chunks().0)
    }
}

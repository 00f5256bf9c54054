//! Inputs in ordinary memory on their way to the device: several threads copy them into page-locked
//! memory, from which the device copies at the speed of its link.
//!
//! 1. The page-locked memory is a ring of [`SLOTS`] slots. A piece of the input is written to the
//!    next slot as soon as the device has copied what was there.
//! 2. Pieces grow up to the size of a slot: the first is on its way within microseconds, and later
//!    ones are long enough that waking the threads costs little.

use std::ops::Range;
use std::sync::Arc;

use super::driver::{Address, Context, Event, HostMemory, Stream};
use super::launch::Element;
use crate::Error;

/// More than two, so that a piece that took long to write does not leave the link idle.
const SLOTS: usize = 4;
/// Bytes of the largest slot. At 55 GB/s it is copied in 150 µs, several times what it takes to
/// wake threads.
pub(super) const LARGEST_SLOT: usize = 8 << 20;
/// Bytes of the first piece.
const FIRST_PIECE: usize = 512 << 10;

pub(crate) struct Staging {
    memory: HostMemory,
    slot: usize,
    /// Recorded after the copy out of each slot.
    copied: [Event; SLOTS],
    next: usize,
}

impl Staging {
    /// A ring with slots of at least `slot` bytes.
    pub(super) fn new(context: &Arc<Context>, slot: usize) -> Result<Self, Error> {
        let slot = slot.next_multiple_of(64);
        let event = || Event::new(context);
        Ok(Self {
            memory: HostMemory::new(context, SLOTS * slot)?,
            slot,
            copied: [event()?, event()?, event()?, event()?],
            next: 0,
        })
    }

    /// Bytes of a slot.
    pub(super) fn slot(&self) -> usize {
        self.slot
    }

    /// Uploads items of `length` elements each in growing pieces; `fill` writes those of a range.
    pub(super) fn upload<T: Element>(
        &mut self,
        stream: &Stream,
        to: Address,
        items: Range<usize>,
        length: usize,
        fill: impl Fn(Range<usize>, &mut [T]),
    ) -> Result<(), Error> {
        let bytes = length * size_of::<T>();
        let start = items.start;
        for piece in pieces(items, bytes, self.slot) {
            let slot = self.next;
            self.next = (slot + 1) % SLOTS;
            self.copied[slot].wait()?;
            let own = slot * self.slot..slot * self.slot + piece.len() * bytes;
            let at = to + ((piece.start - start) * bytes) as u64;
            fill(piece, self.memory.elements_mut(own.clone()));
            stream.upload(at, &self.memory.as_mut_slice()[own])?;
            self.copied[slot].record(stream)?;
        }
        Ok(())
    }
}

/// Cuts items of `bytes` bytes into pieces that grow up to `most` bytes, of at least one item.
fn pieces(items: Range<usize>, bytes: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    let (mut start, mut size) = (items.start, FIRST_PIECE.min(most));
    std::iter::from_fn(move || {
        let piece = start..items.end.min(start + (size / bytes).max(1));
        (start, size) = (piece.end, most.min(2 * size));
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_grow_and_cover_everything() {
        for (items, bytes, most) in [(3..100_000, 96, 1 << 20), (0..1, 64, 64), (5..5, 8, 64)] {
            let pieces: Vec<_> = pieces(items.clone(), bytes, most).collect();
            let mut end = items.start;
            for piece in &pieces {
                assert!(piece.start == end && !piece.is_empty() && piece.len() * bytes <= most);
                end = piece.end;
            }
            assert_eq!(end, items.end);
            let growing = pieces.len().saturating_sub(1);
            assert!(pieces[..growing].is_sorted_by_key(Range::len), "{pieces:?}");
        }
    }
}

//! Parsing in parallel blocks.

use std::sync::{Mutex, PoisonError};

use super::Malformed;
use super::source::ByteRange;
use crate::parallel;

/// Elements that a thread reads and parses at a time.
const BLOCK: usize = 256;

/// Consecutive elements of `size` bytes each.
#[derive(Clone, Copy)]
pub(super) struct Elements<'a> {
    pub(super) range: ByteRange<'a>,
    pub(super) size: usize,
    /// The name of an element in errors.
    pub(super) what: &'static str,
    /// The number of the first one in errors.
    pub(super) index: usize,
}

impl<'a> Elements<'a> {
    pub(super) fn new(range: ByteRange<'a>, size: usize, what: &'static str) -> Self {
        Self { range, size, what, index: 0 }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.range.length() / self.size as u64
    }

    /// The first elements, all of them by default.
    pub(super) fn first(mut self, count: Option<usize>) -> Result<Elements<'a>, Malformed> {
        let Some(count) = count else { return Ok(self) };
        let found = self.count();
        if count as u64 > found {
            return Err(Malformed::new(too_few(count, found, self.what)));
        }
        self.range = self.range.range(0..count as u64 * self.size as u64);
        Ok(self)
    }

    /// Parses every element into `stride` values of the result. Reports the error of the first bad
    /// element.
    pub(super) fn parse<T: Clone + Send>(
        &self,
        stride: usize,
        empty: T,
        read: impl Fn(&[u8], &mut [T]) -> Result<(), String> + Sync,
    ) -> Result<Vec<T>, Malformed> {
        let length = self.count().saturating_mul(stride as u64);
        let no_memory = || Malformed::no_memory(length.saturating_mul(size_of::<T>() as u64));
        let length = usize::try_from(length).map_err(|_| no_memory())?;
        let mut values = Vec::new();
        values.try_reserve_exact(length).map_err(|_| no_memory())?;
        values.resize(length, empty);
        let blocks: Vec<_> = values.chunks_mut(BLOCK * stride).map(Mutex::new).collect();
        let fault = parallel::find_first(blocks.len(), |block| {
            let mut values = blocks[block].lock().unwrap_or_else(PoisonError::into_inner);
            self.parse_block(block, &mut values, stride, &read).err()
        });
        drop(blocks);
        fault.map_or(Ok(values), Err)
    }

    fn parse_block<T>(
        &self,
        block: usize,
        values: &mut [T],
        stride: usize,
        read: &impl Fn(&[u8], &mut [T]) -> Result<(), String>,
    ) -> Result<(), Malformed> {
        let first = block * BLOCK;
        let mut bytes = vec![0; values.len() / stride * self.size];
        self.range.read((first * self.size) as u64, &mut bytes)?;
        let elements = values.chunks_mut(stride).zip(bytes.chunks(self.size));
        for (index, (values, bytes)) in elements.enumerate() {
            read(bytes, values).map_err(|reason| {
                let index = self.index + first + index;
                Malformed::new(format!("{} {index}: {reason}", self.what))
            })?;
        }
        Ok(())
    }
}

/// The fault of a file with fewer elements than were requested.
pub(super) fn too_few(requested: usize, found: u64, what: &str) -> String {
    format!("{requested} {what}s were requested, but there are {found}")
}

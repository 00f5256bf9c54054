//! Parsing in parallel blocks.

use std::sync::{Mutex, PoisonError};

use super::Malformed;
use crate::parallel;

/// Elements parsed by one worker in one go.
const BLOCK: usize = 256;

/// Elements of `size` bytes each, one after the other.
pub(super) struct Elements<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) size: usize,
    /// What an element is called in an error.
    pub(super) what: &'static str,
}

impl Elements<'_> {
    /// Parses every element into `stride` values of the result. The error is that of the first
    /// element that has one.
    pub(super) fn parse<T: Clone + Send>(
        &self,
        stride: usize,
        empty: T,
        read: impl Fn(&[u8], &mut [T]) -> Result<(), String> + Sync,
    ) -> Result<Vec<T>, Malformed> {
        let length = self.bytes.len() / self.size * stride;
        let mut values = Vec::new();
        values.try_reserve_exact(length).map_err(|_| {
            Malformed::new(format!("no memory for {} {}s", length / stride, self.what))
        })?;
        values.resize(length, empty);
        let blocks: Vec<_> = values.chunks_mut(BLOCK * stride).map(Mutex::new).collect();
        let fault = parallel::find_first(blocks.len(), |block| {
            let mut values = blocks[block].lock().unwrap_or_else(PoisonError::into_inner);
            let bytes = &self.bytes[block * BLOCK * self.size..];
            let mut pairs = values.chunks_mut(stride).zip(bytes.chunks(self.size)).enumerate();
            pairs.find_map(|(index, (values, bytes))| {
                let reason = read(bytes, values).err()?;
                Some(format!("{} {}: {reason}", self.what, block * BLOCK + index))
            })
        });
        drop(blocks);
        fault.map_or(Ok(values), |reason| Err(Malformed::new(reason)))
    }
}

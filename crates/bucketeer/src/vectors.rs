//! Vectors whose memory may be refused: an error where `Vec`'s own functions end the process. All
//! that grows with an input is made here.

use crate::Error;
use crate::platform::available_memory;

/// A vector with room for `length` items.
pub(crate) fn try_with_capacity<T>(length: usize) -> Result<Vec<T>, Error> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(length).map_err(|_| out_of_memory::<T>(length))?;
    Ok(vector)
}

/// The items in a vector.
pub(crate) fn try_collect<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut vector = try_with_capacity(items.len())?;
    vector.extend(items);
    Ok(vector)
}

/// Clears a vector and reserves memory for `length` items and no more, since the plan counts every
/// byte.
pub(crate) fn try_clear_with_capacity<T>(vector: &mut Vec<T>, length: usize) -> Result<(), Error> {
    vector.clear();
    if vector.capacity() < length {
        // The old memory is freed before the new is allocated.
        *vector = Vec::new();
        *vector = try_with_capacity(length)?;
    }
    Ok(())
}

/// Makes room for `more` items.
pub(crate) fn try_reserve<T>(vector: &mut Vec<T>, more: usize) -> Result<(), Error> {
    vector.try_reserve(more).map_err(|_| out_of_memory::<T>(vector.len().saturating_add(more)))
}

/// The error for a vector of so many items.
pub(crate) fn out_of_memory<T>(length: usize) -> Error {
    let needed = (length as u64).saturating_mul(size_of::<T>() as u64);
    // The allocation failed, so less is available than needed even if the system reports more.
    let available = available_memory().min(needed.saturating_sub(1));
    Error::OutOfMemory { needed, available }
}

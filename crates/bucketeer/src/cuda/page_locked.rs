//! Vectors in page-locked memory of the host.

use std::marker::PhantomData;
use std::sync::Arc;

use super::driver::{Context, HostMemory};
use crate::Error;

/// A vector that a GPU copies from at full speed and beside computation.
pub(crate) struct PageLocked<T> {
    memory: HostMemory,
    length: usize,
    element: PhantomData<T>,
}

impl<T: Copy> PageLocked<T> {
    pub(super) fn new(context: &Arc<Context>, values: &[T]) -> Result<Self, Error> {
        let memory = HostMemory::new(context, size_of_val(values))?;
        // SAFETY: the allocation has room for all values, page-aligned, and is new.
        unsafe {
            let target = memory.pointer.cast::<T>();
            std::ptr::copy_nonoverlapping(values.as_ptr(), target, values.len());
        }
        Ok(Self { memory, length: values.len(), element: PhantomData })
    }
}

impl<T> PageLocked<T> {
    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: `length` elements were written in `new`.
        unsafe { std::slice::from_raw_parts(self.memory.pointer.cast(), self.length) }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.memory.pointer.cast(), self.length) }
    }
}

// SAFETY: it owns its elements like a vector does.
unsafe impl<T: Send> Send for PageLocked<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for PageLocked<T> {}

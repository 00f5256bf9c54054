//! Page-locked host memory, from which a device copies scalars fastest.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::{AsScalars, ScalarElement, Scalars};

/// A vector in page-locked memory; made by [`Device::pinned`](crate::Device::pinned).
///
/// Copies of scalars to a GPU are about five times faster than from pageable memory. In every other
/// respect it is a slice; for a CPU it is an ordinary vector.
pub struct PinnedVec<T>(Storage<T>);

enum Storage<T> {
    Plain(Vec<T>),
    #[cfg(feature = "cuda")]
    PageLocked(crate::cuda::PageLocked<T>),
}

impl<T> PinnedVec<T> {
    pub(crate) fn plain(values: Vec<T>) -> Self {
        Self(Storage::Plain(values))
    }

    #[cfg(feature = "cuda")]
    pub(crate) fn page_locked(values: crate::cuda::PageLocked<T>) -> Self {
        Self(Storage::PageLocked(values))
    }
}

impl<T> Deref for PinnedVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Storage::Plain(values) => values,
            #[cfg(feature = "cuda")]
            Storage::PageLocked(values) => values.as_slice(),
        }
    }
}

impl<T> DerefMut for PinnedVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Storage::Plain(values) => values,
            #[cfg(feature = "cuda")]
            Storage::PageLocked(values) => values.as_mut_slice(),
        }
    }
}

impl<T> fmt::Debug for PinnedVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedVec({} elements)", self.len())
    }
}

impl<F, E: ScalarElement<F>> AsScalars<F> for PinnedVec<E> {
    fn as_scalars(&self) -> Scalars<'_, F> {
        E::scalars(self)
    }
}

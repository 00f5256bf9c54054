//! rayon's iterators on one thread, by the same names: what a module of WebAssembly has. rayon's
//! own are compiled for every closure, and were a quarter of the module that a browser downloads.

/// An iterator with rayon's methods.
pub(crate) struct Serial<I>(I);

impl<I: Iterator> Serial<I> {
    pub(crate) fn with_min_len(self, _: usize) -> Self {
        self
    }

    pub(crate) fn enumerate(self) -> Serial<std::iter::Enumerate<I>> {
        Serial(self.0.enumerate())
    }

    pub(crate) fn zip<J: Iterator>(self, other: Serial<J>) -> Serial<std::iter::Zip<I, J>> {
        Serial(self.0.zip(other.0))
    }

    pub(crate) fn map<R, F: FnMut(I::Item) -> R>(self, map: F) -> Serial<std::iter::Map<I, F>> {
        Serial(self.0.map(map))
    }

    pub(crate) fn for_each(self, work: impl FnMut(I::Item)) {
        self.0.for_each(work);
    }

    pub(crate) fn for_each_init<S>(
        self,
        init: impl FnOnce() -> S,
        mut work: impl FnMut(&mut S, I::Item),
    ) {
        let mut state = init();
        self.0.for_each(|item| work(&mut state, item));
    }

    pub(crate) fn try_for_each<E>(
        mut self,
        work: impl FnMut(I::Item) -> Result<(), E>,
    ) -> Result<(), E> {
        self.0.try_for_each(work)
    }

    pub(crate) fn reduce(
        self,
        identity: impl FnOnce() -> I::Item,
        join: impl FnMut(I::Item, I::Item) -> I::Item,
    ) -> I::Item {
        self.0.fold(identity(), join)
    }

    pub(crate) fn collect<B: FromIterator<I::Item>>(self) -> B {
        self.0.collect()
    }
}

/// `into_par_iter`.
pub(crate) trait IntoSerial: IntoIterator + Sized {
    fn into_par_iter(self) -> Serial<Self::IntoIter> {
        Serial(self.into_iter())
    }
}

impl<I: IntoIterator> IntoSerial for I {}

/// The methods of slices.
pub(crate) trait SerialSlice<T> {
    fn par_chunks(&self, size: usize) -> Serial<std::slice::Chunks<'_, T>>;
    fn par_chunks_mut(&mut self, size: usize) -> Serial<std::slice::ChunksMut<'_, T>>;
    fn par_sort_unstable(&mut self)
    where
        T: Ord;
    fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> SerialSlice<T> for [T] {
    fn par_chunks(&self, size: usize) -> Serial<std::slice::Chunks<'_, T>> {
        Serial(self.chunks(size))
    }

    fn par_chunks_mut(&mut self, size: usize) -> Serial<std::slice::ChunksMut<'_, T>> {
        Serial(self.chunks_mut(size))
    }

    fn par_sort_unstable(&mut self)
    where
        T: Ord,
    {
        self.sort_unstable();
    }

    fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        self.sort_unstable_by_key(key);
    }
}

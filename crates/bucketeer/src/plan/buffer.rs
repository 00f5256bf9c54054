//! The buffers of a plan.

/// One buffer of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Buffer {
    /// What it holds.
    pub name: &'static str,
    /// Its size.
    pub bytes: u64,
    /// What it holds, for the engines.
    pub(crate) kind: BufferKind,
}

impl Buffer {
    pub(crate) fn new(kind: BufferKind, bytes: u64) -> Self {
        Self { name: kind.name(), bytes, kind }
    }
}

macro_rules! buffer_kinds {
    ($($(#[$meta:meta])* $kind:ident = $name:literal),* $(,)?) => {
        /// What a buffer holds.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum BufferKind {
            $($(#[$meta])* $kind),*
        }

        impl BufferKind {
            /// The name that a printed plan shows.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name),*
                }
            }
        }
    };
}

buffer_kinds! {
    /// Bases in the device's form, with their copies.
    Bases = "bases",
    /// Coordinates of bases on their way into that form, and products for a batch inversion.
    Loading = "loading",
    /// Scalars as the caller has them.
    RawScalars = "raw scalars",
    /// Biased integers.
    Scalars = "scalars",
    /// Digits, where they are stored.
    Digits = "digits",
    /// Counts, cursors and starts of the group stage.
    Counters = "counters",
    /// Entries in bins, each with its key.
    BinnedEntries = "binned entries",
    /// Lists of all buckets.
    Entries = "entries",
    /// Tasks, split buckets and their counters.
    Tasks = "tasks",
    /// Runs of the lists, and the sums at the borders of slices.
    Runs = "runs",
    /// Entries in the order of the steps that add them.
    StepEntries = "entries by step",
    /// Sums and prefixes of tasks that add in affine coordinates, and the products of all threads.
    AffineSums = "affine sums",
    /// Sums of a round that the next one adds.
    Pieces = "pieces",
    BucketSums = "bucket sums",
    /// Sums of parts of a bucket.
    PartialSums = "partial sums",
    /// Sums of slices of a fused sweep.
    PartialWindowSums = "partial window sums",
    /// Bucket sums before they are sorted by bucket.
    UnorderedSums = "unordered sums",
    /// Sums of the reduce stage.
    Reduce = "reduce",
    /// Deferred additions in place.
    Deferred = "deferred",
    WindowSums = "window sums",
    /// Odd multiples of bases while they are made.
    Multiples = "multiples",
    /// What each thread needs.
    Workspaces = "workspaces",
}

/// Bytes of all buffers together.
pub(super) fn total(buffers: &[Buffer]) -> u64 {
    buffers.iter().fold(0, |sum, buffer| sum.saturating_add(buffer.bytes))
}

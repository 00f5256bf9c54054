//! The choices of a plan, and the user's settings for them.

/// How digits are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Digits {
    /// `0 … 2^c − 1`
    Unsigned,
    /// `−2^(c−1) … 2^(c−1) − 1`: half as many buckets, since −P is free.
    Signed,
}

/// How the bases of each bucket are brought together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// Sort (bucket, base) pairs. Cost and memory follow the number of bases, not of buckets.
    Sort,
    /// Count, scan, scatter: a transposition of the digit matrix in CSR form.
    Csr,
}

/// How the bases of each bucket are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Accumulate {
    /// One thread per bucket, longest first, one accumulator each.
    PerBucket,
    /// Equal slices of the grouped list, summed as trees of batched affine additions; a bucket that
    /// crosses a slice border is completed afterwards. Large buckets need nothing special.
    Slices,
    /// Tasks add one entry each at a time, in affine coordinates, and share the inversions of each
    /// such step. Buckets are affine. NVIDIA GPUs only; on a CPU slices are summed like that.
    BatchedAffine,
    /// No grouping: bases are read in their order and added to bucket sums that stay in L2, in
    /// batches of affine additions to different buckets. CPU only.
    InPlace,
    /// Slices swept once from the largest bucket down, adding the running sum as the bucket index
    /// falls: accumulate and reduce in one, leaving one partial window sum per slice.
    FusedSweep,
    /// No buckets: odd multiples of every base, of which each window adds those that its digits
    /// select (Straus 1964). One thread, for a few bases; nothing is grouped or reduced. CPU only.
    Straus,
}

/// How bucket sums become one point per window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// One running sum over all buckets ("big triangle").
    RunningSum,
    /// Running sums over this many slices, each corrected by a small multiple (cuZK, algorithm 4).
    SlicedRunningSum {
        /// Slices per bucket set.
        slices: u32,
    },
    /// Halve the bits of the bucket index each round until single bits remain.
    WindowSplitting,
}

/// What the user chooses; `None` leaves a choice to the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Bits of a window, 1 to 26.
    pub window_bits: Option<u32>,
    /// Bits of the last window where they differ, 1 to 26; for unsigned digits.
    pub last_window_bits: Option<u32>,
    /// How many shifted copies of each base are stored. If not set, 1; for bases that stay on an
    /// NVIDIA GPU, as many as there are windows, memory permitting.
    pub precompute: Option<u32>,
    /// How many odd multiples P, 3P, 5P … of every copy are stored, a power of two up to 1024: the
    /// number of buckets is divided by it. If not set, 1. CPU only.
    pub odd_multiples: Option<u32>,
    /// Whether the plan for bases that stay chooses both: the copies and multiples that fit in
    /// memory and with which a thousand runs and the making of the table take the least time.
    pub auto_precompute: bool,
    /// Whether to use the endomorphism.
    pub endomorphism: Option<bool>,
    /// Whether a residue is replaced by its negative when that is shorter.
    pub negate: Option<bool>,
    /// Signed or unsigned digits.
    pub digits: Option<Digits>,
    /// Choice in the group stage.
    pub group: Option<Group>,
    /// Choice in the accumulate stage.
    pub accumulate: Option<Accumulate>,
    /// Choice in the reduce stage.
    pub reduce: Option<Reduce>,
    /// Most bases per chunk.
    pub chunk: Option<usize>,
    /// Most bytes beyond the inputs.
    pub memory_limit: Option<u64>,
    /// Whether bases may lie outside the prime-order subgroup.
    pub any_point: bool,
    /// Whether runs verify their sums; see [`Builder::verify`](crate::Builder::verify). Plans are
    /// the same.
    pub verify: bool,
    /// Name of the preset these settings came from.
    pub preset: Option<&'static str>,
}

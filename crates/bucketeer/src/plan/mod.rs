//! The plan: every decision of a run, taken before it.
//!
//! [`Plan::new`] is a pure function of a [`Request`] — curve, sizes, device and the user's settings — and
//! can be asked on any machine about any device. Backends carry a plan out and never re-decide: they
//! allocate what [`Plan::buffers`] lists and nothing else that grows with the input.
//!
//! 1. *Shape* (`shape`): digits, endomorphism, window bits, precompute factor → windows and bucket sets.
//! 2. *Cost* (`cost`): additions × cost of each, for every window width; the cheapest shape wins.
//! 3. *Memory* (`memory`): bucket sets per pass and bases per chunk such that the buffers fit, then a
//!    smaller window, then a smaller factor, and only then [`Error::OutOfMemory`].

mod cost;
mod display;
mod gpu;
mod memory;
mod odd;
mod passes;
mod preset;
mod reads;
mod shape;
mod straus;
mod validate;

#[cfg(feature = "conformance")]
pub(crate) use gpu::GROWING;
#[cfg(feature = "cuda")]
pub(crate) use gpu::{FOLD, accumulate_blocks};
#[cfg(any(feature = "cuda", feature = "webgpu"))]
pub(crate) use gpu::{Input, Layout, TASK_COUNTERS};
#[cfg(feature = "webgpu")]
pub(crate) use memory::BASES;
pub(crate) use memory::{BATCH, LISTED, LISTED_BASES, WAITING};
pub(crate) use odd::Weights;
#[cfg(feature = "conformance")]
pub(crate) use straus::adds_any_point;

pub use cost::Cost;
pub use memory::Buffer;
pub use odd::MAX_ODD_MULTIPLES;
pub use preset::{PRESETS, Preset};
pub use shape::{MAX_PRECOMPUTE, MAX_SCALAR_BITS, MAX_WINDOW_BITS, Shape, Table};

use crate::device::{DeviceFacts, DeviceKind};
use crate::{CurveSpec, Error};
use shape::Widths;

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
    /// One worker per bucket, longest first, one accumulator each.
    PerBucket,
    /// Equal slices of the grouped list, summed as trees of batched affine additions; a bucket that
    /// crosses a slice border is completed afterwards. Large buckets need nothing special.
    Slices,
    /// No grouping: bases in their order, added to bucket sums that stay in a cache, in batches of affine additions to
    /// different buckets. CPU only.
    InPlace,
    /// Slices swept once from the largest bucket down, adding the running sum as the bucket index
    /// falls: accumulate and reduce in one, leaving one partial window sum per slice.
    FusedSweep,
    /// No buckets: small multiples of every base, of which each window adds those that its digits name
    /// (Straus 1964). One thread, for a few bases; there is nothing to group or to reduce. CPU only.
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

/// The form of the curve that points are added in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// `y² = x³ + a·x + b`
    Weierstrass,
    /// `−x² + y² = 1 + d·x²·y²`, whose additions are the cheapest and need no case distinctions.
    Edwards,
}

/// What is known of the scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarBound {
    /// Residues below the group order, where k·P = (k − r)·P may be used.
    Order,
    /// Integers below 2^bits, taken as they are.
    Bits(u32),
}

/// The user's wishes; `None` leaves a choice to the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Bits of a window, 1 to 26.
    pub window_bits: Option<u32>,
    /// Bits of the last window where they differ, 1 to 26; for unsigned digits.
    pub last_window_bits: Option<u32>,
    /// How many shifted copies of each base are stored. If not set, 1; for bases that stay on a GPU, as
    /// many as there are windows, memory permitting.
    pub precompute: Option<u32>,
    /// How many odd multiples P, 3P, 5P … of every copy are stored, a power of two up to 1024: so many times fewer
    /// buckets. If not set, 1. CPU only.
    pub odd_multiples: Option<u32>,
    /// Whether the plan for bases that stay chooses both, as many copies and multiples as make runs faster and fit
    /// in memory. A table takes long to make: worth it for dozens of runs.
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
    /// Name of the preset these settings came from.
    pub preset: Option<&'static str>,
}

/// Everything a plan is a function of.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The curve.
    pub curve: &'a CurveSpec,
    /// Bases per MSM.
    pub n: usize,
    /// MSMs computed from the same bases.
    pub batch: usize,
    /// What is known of the scalars.
    pub scalars: ScalarBound,
    /// Whether the bases are loaded before the run and kept.
    pub resident: bool,
    /// The table to run on, where the bases are loaded already.
    pub table: Option<Table>,
    /// The device.
    pub device: DeviceFacts,
    /// The user's wishes.
    pub settings: &'a Settings,
}

/// Every decision of a run.
///
/// ```
/// use bucketeer::plan::{Plan, Request, ScalarBound, Settings};
/// use bucketeer::{CurveSpec, DeviceFacts};
/// let plan = Plan::new(&Request {
///     curve: &CurveSpec::of::<ark_bls12_377::G1Affine>(),
///     n: 1 << 20,
///     batch: 1,
///     scalars: ScalarBound::Order,
///     resident: false,
///     table: None,
///     device: DeviceFacts::cpu(16, true, 64 << 30),
///     settings: &Settings::default(),
/// })?;
/// println!("{plan}");
/// assert_eq!(plan.chunks * plan.chunk >= plan.n, true);
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// Bases per MSM.
    pub n: usize,
    /// MSMs in the batch.
    pub batch: usize,
    /// Windows, bucket sets and the form of the digits.
    pub shape: Shape,
    /// The form points are added in.
    pub form: Form,
    /// Choice in the group stage.
    pub group: Group,
    /// Choice in the accumulate stage.
    pub accumulate: Accumulate,
    /// Choice in the reduce stage.
    pub reduce: Reduce,
    /// Bases of a chunk.
    pub chunk: usize,
    /// Chunks the bases are cut into.
    pub chunks: usize,
    /// Whether chunks grow — an eighth, three eighths, one half — so that a GPU has work after the first
    /// few scalars have arrived.
    pub growing: bool,
    /// Chunks, or MSMs of a batch, that a GPU handles side by side, each with bucket sets of its own; on a CPU,
    /// such ranges of the bases of a chunk.
    pub segments: usize,
    /// Bucket sets handled at once.
    pub sets_per_pass: u32,
    /// Passes that a CPU works on side by side.
    pub passes_in_flight: usize,
    /// Whether its threads that run out of passes help with those of others; in place, whether the last passes are cut
    /// for all of them.
    pub helping: bool,
    /// Entries of the grouped list that one worker sums at a time.
    pub slice: usize,
    /// Ranges of the buckets of a set that are passes of their own on a CPU.
    pub ranges: usize,
    /// Copies of each base in the table, of which `shape.precompute` are used.
    pub stored: u32,
    /// Whether the bases stay on the device between runs.
    pub resident: bool,
    /// Most bytes beyond the inputs, where the user set a limit.
    pub memory_limit: Option<u64>,
    /// Every buffer and its bytes.
    pub buffers: Vec<Buffer>,
    /// Predicted additions and time.
    pub cost: Cost,
    /// The device planned for.
    pub device: DeviceFacts,
    /// The preset the settings came from.
    pub preset: Option<&'static str>,
}

/// GPUs add in the Edwards form where the curve has one and the bases allow it; the CPU's batched affine
/// additions are faster than either.
fn form(request: &Request<'_>) -> Form {
    let any_point = request.settings.any_point;
    match &request.curve.edwards {
        Some(edwards)
            if request.device.kind != DeviceKind::Cpu && (edwards.complete || !any_point) =>
        {
            Form::Edwards
        }
        _ => Form::Weierstrass,
    }
}

/// Chooses passes and chunks such that all buffers fit, and lists them; `Err` says what the smallest
/// variant lacks. Predicts the work.
type Fit = fn(&mut Plan, &Request<'_>, u64) -> Result<(), Unfit>;

/// Why no variant of a plan fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unfit {
    /// The smallest needs so many bytes in all.
    Memory(u64),
    /// There is memory, but the smallest needs so many bytes in one buffer, and the device has no such.
    Buffer(u64),
}

impl Plan {
    /// Takes every decision.
    pub fn new(request: &Request<'_>) -> Result<Self, Error> {
        let request = &Request { device: request.device.within_reason(), ..request.clone() };
        Self::choose(request).or_else(|error| {
            // Buckets of a wide window do not fit in one binding of WebGPU.
            let narrower = match error {
                Error::OutOfMemory { .. } | Error::BufferTooLarge { .. } => {
                    shape::narrower(request)
                }
                _ => None,
            };
            let Some(settings) = narrower else { return Err(error) };
            let plan = Self::new(&Request { settings: &settings, ..request.clone() });
            plan.map_err(|_| error)
        })
    }

    fn choose(request: &Request<'_>) -> Result<Self, Error> {
        let available = request.settings.memory_limit.unwrap_or(request.device.memory);
        // Sizes stop at the largest number, which therefore never fits.
        let available = available.min(u64::MAX - 1);
        validate::settings(request)?;
        let mut unfit: Option<Unfit> = None;
        // Narrower windows than are worth it, and a smaller factor than the wished one, are a matter of
        // memory, not of cost.
        let factors = shape::factors(request);
        let alternatives =
            factors.iter().flat_map(|own| [(own, Widths::Usual), (own, Widths::Narrow)]);
        for (factors, widths) in alternatives {
            let mut best: Option<Self> = None;
            let candidates =
                factors.iter().flat_map(|&factor| shape::candidates(request, factor, widths));
            for (accumulate, shape) in candidates {
                let mut plan = Self::with_shape(request, accumulate, shape);
                let fit: Fit = match (request.device.kind, accumulate) {
                    (DeviceKind::Cpu, Accumulate::Straus) => straus::fit,
                    (DeviceKind::Cpu, _) => memory::fit,
                    (DeviceKind::Cuda | DeviceKind::WebGpu, _) => gpu::fit,
                };
                if let Err(own) = fit(&mut plan, request, available) {
                    unfit = Some(unfit.map_or(own, |least| least.min(own)));
                    continue;
                }
                if best.as_ref().is_none_or(|b| plan.cost.nanoseconds < b.cost.nanoseconds) {
                    best = Some(plan);
                }
            }
            if let Some(plan) = best {
                return Ok(plan);
            }
        }
        Err(match unfit {
            None => Error::Internal("no shape fits the loaded table".into()),
            Some(Unfit::Memory(needed)) => Error::OutOfMemory { needed, available },
            Some(Unfit::Buffer(needed)) => {
                Error::BufferTooLarge { needed, largest: request.device.binding }
            }
        })
    }

    fn with_shape(request: &Request<'_>, accumulate: Accumulate, shape: Shape) -> Self {
        let settings = request.settings;
        let chunk = settings.chunk.unwrap_or(usize::MAX).clamp(1, request.n.max(1));
        let entries = shape.entries_per_set(chunk);
        let sparse = shape.buckets / 4 > entries as u64;
        Self {
            n: request.n,
            batch: request.batch,
            shape,
            form: form(request),
            group: settings.group.unwrap_or(match request.device.kind {
                DeviceKind::Cpu if !sparse => Group::Csr,
                DeviceKind::WebGpu => Group::Csr,
                _ => Group::Sort,
            }),
            accumulate,
            reduce: settings.reduce.unwrap_or(Reduce::WindowSplitting),
            chunk,
            chunks: request.n.div_ceil(chunk).max(1),
            growing: false,
            segments: 1,
            sets_per_pass: 1,
            passes_in_flight: 1,
            helping: false,
            slice: memory::slice_entries(request),
            ranges: 1,
            stored: shape.precompute,
            resident: request.resident,
            memory_limit: settings.memory_limit,
            buffers: Vec::new(),
            cost: Cost::default(),
            device: request.device,
            preset: settings.preset,
        }
    }

    /// The ranges of scalars that a GPU handles one after the other, of `n` in all; none reaches from one
    /// piece of the bases into the next.
    #[cfg(any(feature = "cuda", feature = "webgpu"))]
    pub(crate) fn ranges(&self, n: usize, layout: &gpu::Layout) -> Vec<std::ops::Range<usize>> {
        if self.growing {
            return vec![0..n / 8, n / 8..n / 2, n / 2..n];
        }
        let step = self.segments * self.chunk.max(1);
        let piece = match self.batch {
            0 | 1 => usize::try_from(layout.piece).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        let mut ranges = Vec::new();
        let mut start = 0;
        while start < n {
            let border = (start / piece + 1).saturating_mul(piece);
            let end = (start + step).min(border).min(n);
            ranges.push(start..end);
            start = end;
        }
        ranges
    }

    /// Whether a GPU takes in the next scalars while it adds the last ones.
    pub(crate) fn double_buffered(&self) -> bool {
        self.device.kind == DeviceKind::Cuda && self.chunks.max(self.batch) > self.segments
    }

    /// Whether bucket sums are carried from chunk to chunk and reduced once, after the last: where one pass
    /// holds the buckets of all sets of one MSM. A fused sweep leaves no buckets that could be carried.
    pub(crate) fn carries_buckets(&self) -> bool {
        self.sets_per_pass >= self.shape.bucket_sets
            && self.segments == 1
            && self.batch <= 1
            && self.accumulate != Accumulate::FusedSweep
    }

    /// Threads of a CPU for each pass.
    pub(crate) fn workers(&self) -> usize {
        self.device.threads.div_ceil(self.passes_in_flight)
    }

    /// Bases of a segment on a CPU.
    fn segment(&self) -> usize {
        self.chunk.div_ceil(self.segments)
    }

    /// The buffers of a GPU run in detail.
    #[cfg(any(feature = "cuda", feature = "webgpu"))]
    pub(crate) fn gpu_layout(&self, curve: &CurveSpec) -> gpu::Layout {
        gpu::Layout::new(self, curve)
    }

    /// The table of bases this plan asks for.
    pub fn table(&self) -> Table {
        Table {
            window_bits: self.shape.window_bits,
            bucket_sets: self.shape.bucket_sets,
            precompute: self.shape.precompute,
            endomorphism: self.shape.endomorphism,
            odd_multiples: self.shape.odd_multiples,
            multiples: match self.accumulate {
                Accumulate::Straus => self.shape.buckets,
                _ => 0,
            },
        }
    }

    /// Bytes of the stored bases.
    pub fn table_bytes(&self) -> u64 {
        self.buffers.iter().filter(|b| b.name == memory::BASES).map(|b| b.bytes).sum()
    }

    /// Additions and doublings that make the stored bases: `window_bits·bucket_sets` doublings from one
    /// copy to the next, one addition for each further odd multiple.
    pub fn table_additions(&self) -> f64 {
        let table = self.table();
        let shift = f64::from(table.window_bits) * f64::from(table.bucket_sets);
        let copies = f64::from(table.precompute);
        let multiples = copies * (f64::from(table.odd_multiples) - 1.0).max(0.0);
        self.n as f64 * (shift * (copies - 1.0) + multiples)
    }

    /// Bytes of all buffers together: the most the run allocates beyond its inputs.
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().fold(0, |sum, b| sum.saturating_add(b.bytes))
    }
}

//! The plan: every decision of a run, taken before it.
//!
//! [`Plan::new`] is a pure function of a [`Request`]: curve, sizes, device and the user's settings.
//! It can be called on any machine for any device. Engines carry a plan out: a run allocates what
//! [`Plan::buffers`] lists and nothing else that grows with the input. The CUDA engine sizes the
//! tiles in shared memory and the scratch of a table that is loaded.
//!
//! 1. *Validate* (`validate`): settings that no plan can carry out are refused.
//! 2. *Shape* (`candidates`, `shape`, `odd`): for every way to accumulate, precompute factor,
//!    number of odd multiples and window width worth pricing, how scalars become digits and how
//!    many bucket sets there are.
//! 3. *Fit* (`straus`, `cpu` and `passes`, `gpu`): the [`Schedule`] of each shape on the device,
//!    with passes and chunks such that its buffers fit in memory.
//! 4. *Price* (`cost`, `reads`): additions × the cost of each, and what the stages cost beside
//!    them.
//! 5. The cheapest plan that fits wins; where the plan may choose a table, with a share of the time
//!    that making it takes. Where none fits, narrower windows are tried, then smaller
//!    precompute factors; only then is it [`Error::OutOfMemory`].
//!
//! `batch` decides which MSMs of a batch share a plan, and which run concurrently. `route` decides
//! which of several devices takes an MSM, by their plans.

mod batch;
mod buffer;
mod candidates;
mod cost;
mod cpu;
mod display;
mod draft;
mod gpu;
mod odd;
mod passes;
mod preset;
mod reads;
mod request;
mod route;
mod schedule;
mod settings;
mod shape;
mod straus;
mod validate;

pub(crate) use batch::{BatchPlan, BatchWay, MsmSize, share_threads};
pub(crate) use buffer::BufferKind;
#[cfg(feature = "io")]
pub(crate) use cpu::stored_point_bytes;
pub(crate) use cpu::{IN_PLACE_BATCH, LISTED_DIGITS, MAX_DEFERRED, MIN_LISTED_BASES};
#[cfg(feature = "cuda")]
pub(crate) use gpu::{
    ACCUMULATE_BLOCK, AFFINE_BLOCK, AffineLayout, FOLD, STEP_BOUNDS, SumStep, TREE_BLOCK,
    accumulate_blocks, affine_blocks, affine_shared_bytes,
};
#[cfg(any(feature = "cuda", feature = "webgpu"))]
pub(crate) use gpu::{CLASSES, Layout, Mode, Round, SumInput, TASK_COUNTERS};
#[cfg(feature = "conformance")]
pub(crate) use gpu::{GROWING, GROWING_AFFINE};
#[cfg(feature = "webgpu")]
pub(crate) use gpu::{MAX_WEBGPU_BIN_BITS, WEBGPU_FOLD};
pub(crate) use odd::Weights;
#[cfg(feature = "conformance")]
pub(crate) use straus::adds_any_point;

pub use crate::curve::Form;
pub use crate::scalars::{MAX_SCALAR_BITS, ScalarBound};
pub use buffer::Buffer;
pub use cost::Cost;
pub use odd::MAX_ODD_MULTIPLES;
pub use preset::{PRESETS, Preset};
pub use request::Request;
pub use route::{Choice, Contender, Prediction};
pub use schedule::{CpuAccumulate, CpuSchedule, GpuSchedule, Schedule, StrausSchedule, SumLists};
pub use settings::{Accumulate, Digits, Group, Reduce, Settings};
pub use shape::{MAX_PRECOMPUTE, MAX_WINDOW_BITS, Shape, Table};

use crate::Error;
use crate::facts::{DeviceFacts, DeviceKind};
use candidates::Widths;
use draft::{Draft, Shortage};
use validate::Valid;

/// Every decision of a run.
///
/// ```
/// use bucketeer::plan::{Plan, Request};
/// use bucketeer::{CurveSpec, DeviceFacts};
/// let curve = CurveSpec::of::<ark_bls12_377::G1Affine>();
/// let device = DeviceFacts::cpu(16, true, 64 << 30);
/// let plan = Plan::new(&Request::new(&curve, 1 << 20, device))?;
/// println!("{plan}");
/// assert!(plan.chunks * plan.chunk >= plan.n);
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
    /// Bases of a chunk.
    pub chunk: usize,
    /// Chunks the bases are cut into.
    pub chunks: usize,
    /// How the device carries the plan out.
    pub schedule: Schedule,
    /// Whether the bases stay on the device between runs.
    pub resident: bool,
    /// Most bytes beyond the inputs, if the user set a limit.
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

impl Plan {
    /// Takes every decision.
    pub fn new(request: &Request<'_>) -> Result<Self, Error> {
        let valid = Valid::new(request)?;
        Self::choose(&valid).or_else(|error| {
            // Buckets of a wide window may not fit in one binding of WebGPU.
            let narrower = match error {
                Error::OutOfMemory { .. } | Error::BufferTooLarge { .. } => {
                    candidates::narrower(&valid)
                }
                _ => None,
            };
            let Some(settings) = narrower else { return Err(error) };
            Self::new(&request.clone().settings(&settings)).map_err(|_| error)
        })
    }

    /// The cheapest plan among those that fit in memory.
    fn choose(request: &Valid<'_>) -> Result<Self, Error> {
        let available = request.available();
        let mut least = Shortage::Table;
        // Narrower windows than are worth it, and a smaller factor than the requested one, are a
        // matter of memory, not of cost.
        let factors = candidates::factors(request);
        let alternatives =
            factors.iter().flat_map(|own| [(own, Widths::Usual), (own, Widths::Narrow)]);
        for (factors, widths) in alternatives {
            let mut best: Option<(f64, Self)> = None;
            let candidates =
                factors.iter().flat_map(|&factor| candidates::candidates(request, factor, widths));
            for (accumulate, shape) in candidates {
                match Self::fit(Draft::new(request, available, shape), accumulate) {
                    Err(shortage) => least = least.min(shortage),
                    Ok(plan) => {
                        let price = Self::price(request, &plan);
                        if best.as_ref().is_none_or(|(least, _)| price < *least) {
                            best = Some((price, plan));
                        }
                    }
                }
            }
            if let Some((_, plan)) = best {
                return Ok(plan);
            }
        }
        Err(match least {
            Shortage::Memory(needed) => Error::OutOfMemory { needed, available },
            Shortage::Buffer(needed) => {
                Error::BufferTooLarge { needed, largest: request.device.binding }
            }
            Shortage::Table => Error::Internal("no shape fits the loaded table".into()),
        })
    }

    /// The time of a run. If the plan chooses a table for a CPU, the share of one run in making it
    /// is included.
    fn price(request: &Valid<'_>, plan: &Self) -> f64 {
        let cpu = request.device.kind == DeviceKind::Cpu;
        let table = match cpu && candidates::chooses_table(request) {
            true => cost::share_of_table(plan, request.curve),
            false => 0.0,
        };
        plan.cost.nanoseconds + table
    }

    /// Step 3 and 4: chooses passes and chunks such that all buffers fit, lists them and prices the
    /// plan. `Err` says what the smallest variant lacks.
    fn fit(draft: Draft<'_>, accumulate: Accumulate) -> Result<Self, Shortage> {
        match (draft.request.device.kind, accumulate.of_lists()) {
            (DeviceKind::Cpu, None) if accumulate == Accumulate::Straus => straus::fit(draft),
            (DeviceKind::Cpu, None) => cpu::fit(draft, CpuAccumulate::InPlace),
            (DeviceKind::Cpu, Some(lists)) => {
                cpu::fit(draft, CpuAccumulate::Grouped(draft.group(), lists))
            }
            (DeviceKind::Cuda | DeviceKind::WebGpu, Some(lists)) => gpu::fit(draft, lists),
            (DeviceKind::Cuda | DeviceKind::WebGpu, None) => Err(Shortage::Table),
        }
    }

    /// The ranges of scalars that a GPU handles one after the other, of `n` in all, whose bases
    /// begin at place `first` of their table. None reaches from one buffer of the table into the
    /// next.
    #[cfg(any(feature = "cuda", feature = "webgpu"))]
    pub(crate) fn scalar_ranges(
        &self,
        schedule: &GpuSchedule,
        first: usize,
        n: usize,
    ) -> Vec<std::ops::Range<usize>> {
        let per_buffer = match self.batch {
            0 | 1 => usize::try_from(schedule.layout.bases_per_buffer).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        let step = schedule.chunks_per_pass * self.chunk.max(1);
        let mut ranges = Vec::new();
        let mut start = 0;
        while start < n {
            let border = ((first + start) / per_buffer + 1).saturating_mul(per_buffer) - first;
            let whole = match schedule.growing_chunks {
                true => [n / 8, n / 2, n].into_iter().find(|end| *end > start).unwrap_or(n),
                false => start + step,
            };
            let end = whole.min(border).min(n);
            ranges.push(start..end);
            start = end;
        }
        ranges
    }

    /// Whether the bases from place `first` of a GPU's table on are all in one of its buffers.
    pub(crate) fn in_one_buffer(&self, first: usize) -> bool {
        let Schedule::Gpu(schedule) = &self.schedule else { return true };
        let place = |base: usize| base as u64 / schedule.layout.bases_per_buffer.max(1);
        place(first) == place(first + self.n.max(1) - 1)
    }

    /// Digits of `n` scalars: the unit that progress is reported in.
    pub(crate) fn digits(&self, n: usize) -> u64 {
        u64::from(self.shape.windows) * self.shape.halves() as u64 * n as u64
    }

    /// The table of bases this plan needs.
    pub fn table(&self) -> Table {
        Table {
            window_bits: self.shape.window_bits,
            bucket_sets: self.shape.bucket_sets,
            precompute: self.shape.precompute,
            endomorphism: self.shape.endomorphism,
            odd_multiples: self.shape.odd_multiples,
            multiples: match &self.schedule {
                Schedule::Straus(schedule) => schedule.multiples,
                Schedule::Cpu(_) | Schedule::Gpu(_) => 0,
            },
        }
    }

    /// Bytes of the stored bases.
    pub fn table_bytes(&self) -> u64 {
        self.buffers.iter().filter(|b| b.kind == BufferKind::Bases).map(|b| b.bytes).sum()
    }

    /// Additions and doublings that make the stored bases: `window_bits·bucket_sets` doublings from
    /// one copy to the next and one addition for each further odd multiple. Images φ(P), where they
    /// are stored, take neither.
    pub fn table_additions(&self) -> f64 {
        let operations = self.table().operations(self.n);
        operations.doublings + operations.additions
    }

    /// Bytes of all buffers together: the most the run allocates beyond its inputs.
    pub fn bytes(&self) -> u64 {
        buffer::total(&self.buffers)
    }
}

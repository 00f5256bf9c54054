//! MSMs over files that are larger than memory: bases and scalars are read chunk by chunk.
//!
//! 1. [`BasesFile`] and [`ScalarsFile`] find the elements of a file and read any range of them
//!    ([`files`]).
//! 2. A [`StreamPlan`] says how many bases a chunk has, such that everything fits in memory
//!    ([`plan`]).
//! 3. A thread reads the bytes of the next chunk while one is computed ([`ahead`]). All other
//!    threads parse and check a chunk, then compute it.
//! 4. Sums of chunks are added where additions are complete (`sum.rs`). They can be kept in a
//!    folder ([`checkpoint`]).
//!
//! A file that becomes shorter or is changed during the run is an error.

mod ahead;
mod checkpoint;
mod files;
#[cfg(feature = "ranks")]
mod over_ranks;
mod plan;

pub use files::{BasesFile, ScalarsFile, is_streamable};
pub use plan::StreamPlan;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::digest::{Digest32, digest, digest_of_blocks};
use super::table::curve_digest;
use crate::bases::Builder;
use crate::control::{CancelToken, Control, Hook, Progress};
use crate::plan::{Request, Settings};
use crate::platform::{Instant, available_memory};
use crate::report::Timings;
use crate::sum::Sum;
use crate::wait::wait;
use crate::{AsScalars, Curve, CurveSpec, Device, DeviceKind, Error};
use ahead::Ahead;
use checkpoint::Checkpoint;
use plan::ElementBytes;

/// Bases and scalars in files, for one MSM that has few of them in memory at a time.
///
/// ```
/// use bucketeer::curves::NamedCurve;
/// use bucketeer::io::{self, BasesFile, Encoding, ReadOptions, ScalarVec, ScalarsFile, Streamed};
/// use bucketeer::{Bases, Device};
/// use ark_bn254::{Fr, G1Affine};
/// use ark_ec::AffineRepr;
///
/// let folder = tempfile::tempdir().map_err(|e| bucketeer::Error::Internal(e.to_string()))?;
/// let [bases, scalars] = ["bases", "scalars"].map(|name| folder.path().join(name));
/// io::write_bases(&bases, &[G1Affine::generator(); 1000], Encoding::Uncompressed)?;
/// io::write_scalars(&scalars, &ScalarVec::Residues(vec![Fr::from(3); 1000]))?;
///
/// let (curve, options) = (NamedCurve::named("bn254")?, ReadOptions::default());
/// let bases = BasesFile::<G1Affine>::open(&bases, curve, None, &options)?;
/// let scalars = ScalarsFile::open(&scalars, curve, &options)?;
/// let streamed = Streamed::new(bases, scalars)?;
/// let builder = Bases::builder().memory_limit(8 << 20);
/// assert!(streamed.plan(&Device::cpu(), &builder)?.bytes() <= 8 << 20);
/// let sum = streamed.msm(&Device::cpu(), &builder)?;
/// assert_eq!(sum, G1Affine::generator() * Fr::from(3000));
/// # Ok::<(), bucketeer::Error>(())
/// ```
pub struct Streamed<C: Curve> {
    bases: BasesFile<C>,
    scalars: ScalarsFile<C>,
    checkpoint: Option<Checkpoint>,
}

/// The sum of a streamed MSM, with its plan and the time it took.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StreamReport<C: Curve> {
    /// The sum.
    pub result: C::Group,
    /// The plan carried out.
    pub plan: StreamPlan,
    /// Chunks whose sums an earlier run has kept; see [`Streamed::with_checkpoint`].
    pub kept: usize,
    /// Time spent waiting for the disk.
    pub wait: Duration,
    /// Time to parse and to check bases and scalars.
    pub parse: Duration,
    /// Time per stage, all chunks together.
    pub timings: Timings,
}

impl<C: Curve> Streamed<C> {
    /// Pairs bases and scalars, of which there must be as many.
    pub fn new(bases: BasesFile<C>, scalars: ScalarsFile<C>) -> Result<Self, Error> {
        if bases.len() != scalars.len() {
            let (bases, scalars) = (bases.len(), scalars.len());
            return Err(Error::LengthMismatch { bases, scalars });
        }
        Ok(Self { bases, scalars, checkpoint: None })
    }

    /// Keeps the sum of every finished chunk in a folder, which is made if it does not exist. A run
    /// that was killed, and is started again on the same files, computes only what is missing: of
    /// the other chunks the bytes are read and compared by their digests.
    ///
    /// A folder may serve several runs. If the files have changed, their new chunks are computed.
    /// Chunks have the length that they had in the folder's first run, unless the settings have
    /// another. What a run leaves in the folder can be deleted when its sum is no longer needed.
    pub fn with_checkpoint(self, folder: &Path) -> Result<Self, Error> {
        Ok(Self { checkpoint: Some(Checkpoint::open(folder)?), ..self })
    }

    /// The number of bases.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// Whether there are no bases.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all bases and scalars, if they were in memory.
    pub fn bytes_in_memory(&self) -> u64 {
        (self.len() as u64).saturating_mul(self.element_bytes().memory)
    }

    fn element_bytes(&self) -> ElementBytes {
        ElementBytes {
            file: (self.bases.element_bytes() + self.scalars.element_bytes()) as u64,
            memory: (size_of::<C>() + self.scalars.element_bytes_in_memory()) as u64,
        }
    }

    /// The plan for a device. The builder's memory limit is that of everything: of the bytes that
    /// were read, of bases and scalars, and on a CPU of the run. On a GPU, it is also the limit of
    /// the run in the memory of the device.
    ///
    /// Over [ranks](Device::over_ranks) it is the plan of one, for all chunks; its chunks may have
    /// to be shorter for ranks with less memory.
    pub fn plan(&self, device: &Device, builder: &Builder<C>) -> Result<StreamPlan, Error> {
        self.plan_for(device, builder, None)
    }

    /// The plan with chunks of at most `most` bases, unless the settings or the checkpoint say how
    /// many.
    fn plan_for(
        &self,
        device: &Device,
        builder: &Builder<C>,
        most: Option<usize>,
    ) -> Result<StreamPlan, Error> {
        let curve = CurveSpec::of::<C>();
        let mut settings = builder.settings_for(self.len());
        if let (Some(checkpoint), None) = (&self.checkpoint, settings.chunk) {
            settings.chunk = checkpoint.chunk()?;
        }
        settings.chunk = settings.chunk.or(most);
        let available = settings.memory_limit.unwrap_or_else(|| device.part_of(available_memory()));
        let request = Request::new(&curve, self.len(), device.facts())
            .scalars(self.scalars.bound())
            .settings(&settings);
        let devices = device.parts().len().max(1);
        let checks = self.bases.options().subgroup_check;
        StreamPlan::new(&request, devices, self.element_bytes(), checks, available)
    }

    /// The sum.
    pub fn msm(&self, device: &Device, builder: &Builder<C>) -> Result<C::Group, Error> {
        Ok(self.msm_with_report(device, builder)?.result)
    }

    /// The sum, with plan and timings. The builder's hook is told of the progress of all chunks and
    /// can cancel the run.
    pub fn msm_with_report(
        &self,
        device: &Device,
        builder: &Builder<C>,
    ) -> Result<StreamReport<C>, Error> {
        #[cfg(feature = "ranks")]
        if let Some(member) = device.member() {
            return self.msm_on_ranks(member, builder);
        }
        device.check_threads()?;
        let plan = self.plan(device, builder)?;
        let own: Vec<usize> = (0..plan.chunks()).collect();
        let Part { sum, kept, wait, parse, timings } =
            self.sum_of_chunks(device, builder, &plan, &own)?;
        Ok(StreamReport { result: sum.into_group()?, plan, kept, wait, parse, timings })
    }

    /// The sum of some of the chunks.
    fn sum_of_chunks(
        &self,
        device: &Device,
        builder: &Builder<C>,
        plan: &StreamPlan,
        own: &[usize],
    ) -> Result<Part<C>, Error> {
        tracing::debug!(n = plan.n, chunk = plan.chunk, chunks = own.len(), "streamed msm");
        if let Some(checkpoint) = &self.checkpoint {
            checkpoint.keep_chunk(plan.chunk.max(1))?;
        }
        let mut run = Run {
            streamed: self,
            device,
            builder: &plan.builder(builder),
            hook: builder.hook(),
            plan,
            own,
            kept: 0,
            parse: Duration::ZERO,
            timings: Timings::default(),
        };
        let read = |index: usize| self.read(plan, own[index]);
        let (sum, wait) = ahead::read_ahead(own.len(), &read, |ahead| run.chunks(ahead))?;
        let Run { kept, parse, timings, .. } = run;
        Ok(Part { sum, kept, wait, parse, timings })
    }

    /// The bytes of a chunk.
    fn read(&self, plan: &StreamPlan, chunk: usize) -> Result<Bytes, Error> {
        let range = plan.range(chunk);
        Ok(Bytes { bases: self.bases.bytes(&range)?, scalars: self.scalars.bytes(&range)? })
    }

    /// The name of a chunk's sum: the digest of all that it depends on. A run that verifies its
    /// sums, or checks its bases, does not take one where that was not done.
    fn name_of_sum(&self, bytes: &Bytes, builder: &Builder<C>) -> Digest32 {
        let Settings { any_point, verify, .. } = builder.settings_for(self.len());
        let mut all = curve_digest(&CurveSpec::of::<C>()).to_vec();
        let (bases, scalars) = (self.bases.encoding(), self.scalars.encoding());
        let verified = if verify { " verified" } else { "" };
        let checked = if builder.checks_subgroup() { " checked" } else { "" };
        all.extend(format!("{bases} {scalars} {any_point}{verified}{checked}").into_bytes());
        all.extend(digest_of_blocks(&bytes.bases));
        all.extend(digest_of_blocks(&bytes.scalars));
        digest(&all)
    }
}

/// A chunk as it is in the files.
struct Bytes {
    bases: Vec<u8>,
    scalars: Vec<u8>,
}

/// The outcome of some chunks.
struct Part<C: Curve> {
    sum: Sum<C>,
    kept: usize,
    wait: Duration,
    parse: Duration,
    timings: Timings,
}

/// A run over some chunks, in order.
struct Run<'a, C: Curve> {
    streamed: &'a Streamed<C>,
    device: &'a Device,
    /// The settings of every chunk.
    builder: &'a Builder<C>,
    hook: Option<&'a Hook>,
    plan: &'a StreamPlan,
    /// The chunks, by their numbers.
    own: &'a [usize],
    /// Chunks whose sums were kept.
    kept: usize,
    parse: Duration,
    timings: Timings,
}

impl<C: Curve> Run<'_, C> {
    /// The sum of the chunks, and the time spent waiting for the disk.
    fn chunks(&mut self, ahead: &mut Ahead<'_, Bytes>) -> Result<(Sum<C>, Duration), Error> {
        let (mut total, mut waited) = (Sum::zero(), Duration::ZERO);
        for index in 0..self.own.len() {
            let started = Instant::now();
            let bytes = ahead.next(index)?;
            waited += started.elapsed();
            total = Sum::total([total, self.kept_or_computed(index, bytes)?])?;
        }
        Ok((total, waited))
    }

    /// The sum of one chunk, from the checkpoint or by computing it.
    fn kept_or_computed(&mut self, index: usize, bytes: Bytes) -> Result<Sum<C>, Error> {
        let Some(checkpoint) = &self.streamed.checkpoint else { return self.chunk(index, bytes) };
        let name = self.device.install(|| self.streamed.name_of_sum(&bytes, self.builder));
        if let Some(sum) = checkpoint.sum::<C>(&name)? {
            self.kept += 1;
            self.skip(index)?;
            return Ok(Sum::Weierstrass(sum));
        }
        let sum = self.chunk(index, bytes)?.weierstrass()?;
        checkpoint.keep::<C>(&name, &sum)?;
        Ok(Sum::Weierstrass(sum))
    }

    /// Reports a chunk that need not be computed.
    fn skip(&self, index: usize) -> Result<(), Error> {
        let (each, chunks) = (self.plan.digits(), self.own.len() as u64);
        let control = Control::new(self.hook.cloned(), CancelToken::default(), chunks * each);
        control.reach((index as u64 + 1) * each)
    }

    /// The sum of one chunk.
    fn chunk(&mut self, index: usize, bytes: Bytes) -> Result<Sum<C>, Error> {
        let first = self.plan.range(self.own[index]).start;
        let started = Instant::now();
        let Bytes { bases, scalars } = bytes;
        let streamed = self.streamed;
        let (points, scalars) = self.device.install(move || {
            let points = streamed.bases.parse(first, &bases)?;
            Ok::<_, Error>((points, streamed.scalars.parse(first, &scalars)?))
        })?;
        self.parse += started.elapsed();
        let builder = match self.hook {
            Some(hook) => self.builder.clone().on_progress(self.hook_of(index, hook.clone())),
            None => self.builder.clone(),
        };
        let scalars = scalars.as_scalars();
        let run = builder.run(self.device, &points, &scalars, CancelToken::default());
        let partial = wait(run).map_err(|error| error.in_share_from(first))?;
        self.timings = self.timings.plus(&partial.timings);
        Ok(partial.sum)
    }

    /// A hook for one chunk that reports the progress of all.
    fn hook_of(&self, index: usize, hook: Hook) -> Hook {
        let each = self.plan.digits();
        let (before, total) = (index as u64 * each, self.own.len() as u64 * each);
        Arc::new(move |Progress { done, total: own }| {
            let done = u128::from(done) * u128::from(each) / u128::from(own.max(1));
            match before + done as u64 {
                // Another chunk follows: the run is not over when this one is.
                done if done >= before + each && done < total => ControlFlow::Continue(()),
                done => hook(Progress { done, total }),
            }
        })
    }
}

/// Whether the plans for a device are for host memory.
fn in_host_memory(kind: DeviceKind) -> bool {
    kind == DeviceKind::Cpu
}

//! Devices: the processors a plan can be made for and a run carried out on.

use std::fmt;
use std::sync::{Arc, OnceLock};

use rayon::{ThreadPool, ThreadPoolBuilder};

#[cfg(feature = "cuda")]
use crate::cuda::Gpu;
use crate::engine::Engine;
use crate::platform::available_memory;
use crate::threads::{self, MAX_THREADS};
#[cfg(feature = "webgpu")]
use crate::wait::wait;
#[cfg(feature = "webgpu")]
use crate::webgpu;
use crate::{Curve, CurveSpec, Error, PinnedVec, Plan, cpu};

/// What sort of processor a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// The processor this program runs on.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
    /// A GPU through WebGPU.
    WebGpu,
}

/// What the plan needs to know of a device. Made for the device at hand by [`Device::facts`], or by hand
/// for one that is elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceFacts {
    /// The sort of processor.
    pub kind: DeviceKind,
    /// Workers that run side by side: threads of a CPU, multiprocessors of a GPU.
    pub threads: usize,
    /// Whether it has AVX-512 IFMA.
    pub ifma: bool,
    /// Bytes it may allocate.
    pub memory: u64,
    /// Bytes that a kernel can reach in one buffer.
    pub binding: u64,
}

impl DeviceFacts {
    /// A CPU with this many threads, with or without AVX-512 IFMA, and this much free memory.
    pub fn cpu(threads: usize, ifma: bool, memory: u64) -> Self {
        let threads = threads.max(1);
        Self { kind: DeviceKind::Cpu, threads, ifma, memory, binding: u64::MAX }
    }

    /// An NVIDIA GPU with this many multiprocessors and this much free memory.
    pub fn cuda(multiprocessors: usize, memory: u64) -> Self {
        let threads = multiprocessors.max(1);
        Self { kind: DeviceKind::Cuda, threads, ifma: false, memory, binding: u64::MAX }
    }

    /// A GPU behind WebGPU: about this many multiprocessors, this much memory and the largest storage
    /// buffer binding.
    pub fn webgpu(multiprocessors: usize, memory: u64, binding: u64) -> Self {
        let (threads, binding) = (multiprocessors.max(1), binding.max(1 << 20));
        Self { kind: DeviceKind::WebGpu, threads, ifma: false, memory, binding }
    }

    /// The same device with numbers that a plan can count with.
    pub(crate) fn within_reason(self) -> Self {
        const MOST: u64 = 1 << 48;
        Self {
            threads: self.threads.clamp(1, 1 << 16),
            memory: self.memory.min(MOST),
            binding: self.binding.clamp(1 << 20, MOST),
            ..self
        }
    }

    /// The same device with another amount of free memory.
    #[must_use]
    pub fn with_memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }
}

/// The field arithmetic a CPU run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Arithmetic {
    /// Eight lanes of 52-bit limbs.
    Ifma,
    /// 64-bit words, or arkworks' own fields.
    Portable,
}

impl Arithmetic {
    /// The vector kernel exists for fields of 4, 6 and 12 words that leave four bits of headroom in
    /// 5, 8 and 15 limbs of 52 bits.
    pub(crate) fn choose(curve: &CurveSpec, device: &DeviceFacts) -> Self {
        let limbs = match curve.limbs {
            4 => 5,
            6 => 8,
            12 if curve.degree == 1 => 15,
            _ => return Self::Portable,
        };
        let fits = curve.modulus.bits() + 4 <= 52 * limbs && curve.degree <= 2;
        if device.ifma && curve.montgomery && fits { Self::Ifma } else { Self::Portable }
    }
}

/// A processor to run on. Cheap to clone.
///
/// ```
/// use bucketeer::Device;
/// let device = Device::cpu();
/// println!("{device}");
/// let two_threads = Device::cpu_with_threads(2)?;
/// assert_eq!(two_threads.facts().threads, 2);
/// # Ok::<(), bucketeer::Error>(())
/// ```
#[derive(Clone)]
pub struct Device {
    inner: Inner,
}

#[derive(Clone)]
enum Inner {
    Cpu(Arc<Cpu>),
    #[cfg(feature = "cuda")]
    Cuda(Arc<Gpu>),
    #[cfg(feature = "webgpu")]
    WebGpu(Arc<webgpu::Gpu>),
    /// Devices of one kind that share every MSM.
    Several(Arc<[Device]>),
}

struct Cpu {
    /// `None` is rayon's global pool.
    pool: Option<Arc<ThreadPool>>,
    threads: usize,
    ifma: bool,
}

impl Device {
    /// The CPU, with all threads of the global rayon pool. Where the system refuses to start a thread, the
    /// calling thread is the pool, and runs from others fail with [`Error::NoThread`].
    pub fn cpu() -> Self {
        threads::start();
        Self::of_cpu(Cpu { pool: None, threads: rayon::current_num_threads(), ifma: has_ifma() })
    }

    /// The CPU, with a pool of its own of this many threads.
    pub fn cpu_with_threads(threads: usize) -> Result<Self, Error> {
        let pool = Some(Arc::new(pool(threads)?));
        Ok(Self::of_cpu(Cpu { pool, threads, ifma: has_ifma() }))
    }

    fn of_cpu(cpu: Cpu) -> Self {
        Self { inner: Inner::Cpu(Arc::new(cpu)) }
    }

    /// The NVIDIA GPU with this number.
    ///
    /// Fails with [`Error::NoDevice`] where the driver, a GPU or NVRTC is missing; the error says which and
    /// how to get it.
    #[cfg(feature = "cuda")]
    pub fn cuda(index: usize) -> Result<Self, Error> {
        Ok(Self { inner: Inner::Cuda(Arc::new(Gpu::open(index)?)) })
    }

    /// The GPU with this number among those that WebGPU finds, hardware first; software adapters, which
    /// compute on the CPU, come last.
    ///
    /// Fails with [`Error::NoDevice`] where there is none. In a browser use
    /// [`webgpu_async`](Self::webgpu_async).
    #[cfg(feature = "webgpu")]
    pub fn webgpu(index: usize) -> Result<Self, Error> {
        wait(Self::open_webgpu(index))
    }

    /// The first GPU that WebGPU finds, in a browser or in a program.
    #[cfg(feature = "webgpu")]
    pub async fn webgpu_async() -> Result<Self, Error> {
        Self::open_webgpu(0).await
    }

    #[cfg(feature = "webgpu")]
    async fn open_webgpu(index: usize) -> Result<Self, Error> {
        let gpu = webgpu::Gpu::open(index, false).await?;
        Ok(Self { inner: Inner::WebGpu(Arc::new(gpu)) })
    }

    /// How many GPUs WebGPU finds.
    #[cfg(feature = "webgpu")]
    pub fn webgpu_count() -> usize {
        wait(async { Ok(webgpu::Gpu::count().await) }).unwrap_or(0)
    }

    /// Several devices of one kind as one: each holds a range of the bases and adds up its share, and the
    /// sums are added.
    ///
    /// ```
    /// use bucketeer::Device;
    /// let halves = [Device::cpu_with_threads(1)?, Device::cpu_with_threads(1)?];
    /// println!("{}", Device::several(&halves)?);
    /// # Ok::<(), bucketeer::Error>(())
    /// ```
    pub fn several(devices: &[Self]) -> Result<Self, Error> {
        let flat: Vec<Self> = devices
            .iter()
            .flat_map(|device| match device.parts() {
                [] => std::slice::from_ref(device),
                parts => parts,
            })
            .cloned()
            .collect();
        let refuse = |reason: &str| {
            let device = "several".into();
            Err(Error::NoDevice { device, reason: reason.into() })
        };
        match &flat[..] {
            [] => refuse("none is named"),
            [one] => Ok(one.clone()),
            [first, rest @ ..] if rest.iter().any(|device| device.kind() != first.kind()) => {
                refuse("they are of different kinds")
            }
            _ => Ok(Self { inner: Inner::Several(flat.into()) }),
        }
    }

    /// Several NVIDIA GPUs as one device; see [`several`](Self::several). A GPU that is named twice is opened
    /// twice.
    #[cfg(feature = "cuda")]
    pub fn several_cuda(indices: &[usize]) -> Result<Self, Error> {
        let devices = indices.iter().map(|index| Self::cuda(*index));
        Self::several(&devices.collect::<Result<Vec<_>, _>>()?)
    }

    /// The devices that share the work, where there are several.
    pub(crate) fn parts(&self) -> &[Self] {
        match &self.inner {
            Inner::Several(devices) => devices,
            _ => &[],
        }
    }

    /// How many NVIDIA GPUs there are; an error says why none can be used.
    #[cfg(feature = "cuda")]
    pub fn cuda_count() -> Result<usize, Error> {
        Gpu::count()
    }

    /// The same device restricted to portable arithmetic, for comparison and for tests: a CPU without
    /// vector instructions, WebGPU without 64-bit integers. NVIDIA GPUs stay as they are.
    pub fn portable(self) -> Result<Self, Error> {
        match &self.inner {
            Inner::Cpu(cpu) => {
                // On the same threads: those of a second pool would be woken on cores where the first ones are.
                let (threads, pool) = (cpu.threads, cpu.pool.clone());
                Ok(Self::of_cpu(Cpu { pool, threads, ifma: false }))
            }
            #[cfg(feature = "cuda")]
            Inner::Cuda(_) => Ok(self),
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(gpu) => {
                let gpu = wait(gpu.portable())?;
                Ok(Self { inner: Inner::WebGpu(Arc::new(gpu)) })
            }
            Inner::Several(devices) => {
                let devices = devices.iter().cloned().map(Self::portable);
                Self::several(&devices.collect::<Result<Vec<_>, _>>()?)
            }
        }
    }

    /// The same device for each of `runs` runs side by side: a CPU's threads are shared among them, a few for each so
    /// that none is idle at the end.
    pub(crate) fn shared_by(&self, runs: usize) -> Self {
        match &self.inner {
            Inner::Cpu(cpu) => {
                let threads = (4 * cpu.threads / runs.max(1)).clamp(1, cpu.threads);
                Self::of_cpu(Cpu { pool: cpu.pool.clone(), threads, ifma: cpu.ifma })
            }
            _ => self.clone(),
        }
    }

    /// The fastest device present: the first NVIDIA GPU that can be used, or else the CPU. Chosen once;
    /// never falls to another one later.
    pub fn best() -> Self {
        static BEST: OnceLock<Device> = OnceLock::new();
        BEST.get_or_init(|| {
            #[cfg(feature = "cuda")]
            if let Ok(device) = Self::cuda(0) {
                return device;
            }
            Self::cpu()
        })
        .clone()
    }

    /// The device with this name: `auto`, `cpu`, `cuda`, `cuda:1`, `cuda:0,1`, `webgpu`, …
    pub fn named(name: &str) -> Result<Self, Error> {
        let (kind, index) = name.split_once(':').unwrap_or((name, "0"));
        #[cfg(not(all(feature = "cuda", feature = "webgpu")))]
        let unavailable = |what: &str| {
            Err(Error::NoDevice {
                device: name.into(),
                reason: format!("this build of Bucketeer has no {what} engine; use --device cpu"),
            })
        };
        let indices: Result<Vec<usize>, _> = index.split(',').map(str::parse).collect();
        match (kind, indices) {
            ("auto", _) if name == kind => Ok(Self::best()),
            ("cpu", _) if name == kind => Ok(Self::cpu()),
            #[cfg(feature = "cuda")]
            ("cuda", Ok(indices)) => Self::several_cuda(&indices),
            #[cfg(not(feature = "cuda"))]
            ("cuda", Ok(_)) => unavailable("CUDA"),
            #[cfg(feature = "webgpu")]
            ("webgpu", Ok(indices)) => {
                let devices = indices.iter().map(|index| Self::webgpu(*index));
                Self::several(&devices.collect::<Result<Vec<_>, _>>()?)
            }
            #[cfg(not(feature = "webgpu"))]
            ("webgpu", Ok(_)) => unavailable("WebGPU"),
            _ => Err(Error::UnknownName {
                what: "device",
                name: name.into(),
                expected: "auto, cpu, cuda[:i[,j…]], webgpu[:i[,j…]]".into(),
            }),
        }
    }

    /// What sort of device this is.
    pub fn kind(&self) -> DeviceKind {
        match &self.inner {
            Inner::Cpu(_) => DeviceKind::Cpu,
            #[cfg(feature = "cuda")]
            Inner::Cuda(_) => DeviceKind::Cuda,
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(_) => DeviceKind::WebGpu,
            Inner::Several(devices) => devices[0].kind(),
        }
    }

    /// What a plan for this device starts from; free memory is that of the last moments.
    pub fn facts(&self) -> DeviceFacts {
        match &self.inner {
            Inner::Cpu(cpu) => DeviceFacts::cpu(cpu.threads, cpu.ifma, available_memory()),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => gpu.facts(),
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(gpu) => gpu.facts(),
            // What each has at least.
            Inner::Several(devices) => {
                let least = |a: DeviceFacts, b: DeviceFacts| DeviceFacts {
                    threads: a.threads.min(b.threads),
                    ifma: a.ifma && b.ifma,
                    memory: a.memory.min(b.memory),
                    binding: a.binding.min(b.binding),
                    ..a
                };
                devices[1..].iter().map(Self::facts).fold(devices[0].facts(), least)
            }
        }
    }

    /// The values in memory that this device copies from fastest: page-locked for a GPU.
    pub fn pinned<T: Copy>(&self, values: &[T]) -> Result<PinnedVec<T>, Error> {
        match &self.inner {
            Inner::Cpu(_) => Ok(PinnedVec::plain(values.to_vec())),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => Ok(PinnedVec::page_locked(gpu.pinned(values)?)),
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(_) => Ok(PinnedVec::plain(values.to_vec())),
            Inner::Several(devices) => devices[0].pinned(values),
        }
    }

    /// The engine that carries a plan out for a curve.
    pub(crate) fn engine<C: Curve>(&self, plan: &Plan) -> Result<Box<dyn Engine<C>>, Error> {
        self.check_threads()?;
        match &self.inner {
            Inner::Cpu(_) => cpu::engine::<C>(&plan.device),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => crate::cuda::engine::<C>(gpu, plan),
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(gpu) => webgpu::engine::<C>(gpu, plan),
            Inner::Several(_) => {
                Err(Error::Internal("several devices have no plan of their own".into()))
            }
        }
    }

    /// Refuses a run whose threads cannot take it up.
    pub(crate) fn check_threads(&self) -> Result<(), Error> {
        match &self.inner {
            Inner::Cpu(cpu) if cpu.pool.is_some() => Ok(()),
            _ => threads::check(),
        }
    }

    /// Runs `work` on this device's threads.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.inner {
            Inner::Cpu(cpu) => match &cpu.pool {
                Some(pool) => pool.install(work),
                // As one job of the global pool: a thread from outside would be put to sleep and woken
                // at every parallel step.
                None => rayon::scope(|_| work()),
            },
            _ => work(),
        }
    }
}

fn pool(threads: usize) -> Result<ThreadPool, Error> {
    let invalid = |reason: String| Error::InvalidSetting {
        setting: "threads",
        value: threads.to_string(),
        reason,
    };
    if threads == 0 || threads > MAX_THREADS {
        return Err(invalid(format!("it must be from 1 to {MAX_THREADS}")));
    }
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| invalid(error.to_string()))
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.inner {
            Inner::Cpu(cpu) => {
                let arithmetic = if cpu.ifma { "AVX-512 IFMA" } else { "portable arithmetic" };
                let plural = if cpu.threads == 1 { "" } else { "s" };
                write!(f, "cpu, {} thread{plural}, {arithmetic}", cpu.threads)
            }
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => gpu.fmt(f),
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(gpu) => gpu.fmt(f),
            Inner::Several(devices) => {
                let names: Vec<_> = devices.iter().map(ToString::to_string).collect();
                f.write_str(&names.join(" + "))
            }
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}

fn has_ifma() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512ifma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

//! Devices: the processors that plans are made for and that run them.

#[cfg(feature = "ranks")]
mod member;

#[cfg(feature = "ranks")]
pub(crate) use member::Member;

use std::fmt;
use std::sync::{Arc, OnceLock};

#[cfg(feature = "cuda")]
use crate::cuda::Gpu;
use crate::engine::Engine;
use crate::facts::{DeviceFacts, DeviceKind};
use crate::plan::{Choice, Contender, Request, ScalarBound};
use crate::threads;
#[cfg(feature = "webgpu")]
use crate::wait::wait;
#[cfg(feature = "webgpu")]
use crate::webgpu;
use crate::{Curve, CurveSpec, Error, PinnedVec, Plan, Rates, cpu};

/// Multiprocessors of the GPU that the built-in rates are of.
#[cfg(feature = "cuda")]
const H200_MULTIPROCESSORS: usize = 132;

/// The first NVIDIA GPU, once it was looked for.
#[cfg(feature = "cuda")]
static FIRST_GPU: OnceLock<Option<Device>> = OnceLock::new();

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
    /// What its operations cost, for plans.
    rates: &'static Rates,
    /// Processes that share its memory, of which this one takes its part.
    sharers: usize,
    /// Processes that share the memory of the machine: more, where each has a GPU of its own.
    #[cfg_attr(not(feature = "io"), allow(dead_code))]
    host_sharers: usize,
}

#[derive(Clone)]
enum Inner {
    Cpu(cpu::Processor),
    #[cfg(feature = "cuda")]
    Cuda(Arc<Gpu>),
    #[cfg(feature = "webgpu")]
    WebGpu(Arc<webgpu::Gpu>),
    /// Devices of one kind that share every MSM.
    Several(Arc<[Device]>),
    /// The device of one rank, where all ranks share every MSM.
    #[cfg(feature = "ranks")]
    Rank(Arc<Member>),
}

impl Device {
    /// The CPU, with all threads of rayon's global pool. If the system cannot start a thread, the
    /// calling thread is the pool, and runs from other threads fail with [`Error::NoThread`].
    pub fn cpu() -> Self {
        Self::new(Inner::Cpu(cpu::Processor::new()))
    }

    /// The CPU, with a separate pool of this many threads; [`Error::NoThread`] if the system does
    /// not start as many.
    pub fn cpu_with_threads(threads: usize) -> Result<Self, Error> {
        Ok(Self::new(Inner::Cpu(cpu::Processor::with_threads(threads)?)))
    }

    /// Destroys the adapter's device, as a driver does that has lost it.
    #[cfg(all(test, feature = "webgpu"))]
    pub(crate) fn lose(&self) {
        if let Inner::WebGpu(gpu) = &self.inner {
            gpu.lose();
        }
    }

    fn new(inner: Inner) -> Self {
        Self { inner, rates: Rates::built_in(), sharers: 1, host_sharers: 1 }
    }

    /// The NVIDIA GPU with this index.
    ///
    /// Fails with [`Error::NoDevice`] if the driver, a GPU or NVRTC is missing. The error says
    /// which, and how to get it.
    #[cfg(feature = "cuda")]
    pub fn cuda(index: usize) -> Result<Self, Error> {
        Ok(Self::new(Inner::Cuda(Arc::new(Gpu::open(index)?))))
    }

    /// The WebGPU adapter with this index. Hardware comes first; software adapters, which compute
    /// on the CPU, come last.
    ///
    /// Fails with [`Error::NoDevice`] if there is none. In a browser use
    /// [`webgpu_async`](Self::webgpu_async).
    #[cfg(feature = "webgpu")]
    pub fn webgpu(index: usize) -> Result<Self, Error> {
        wait(Self::open_webgpu(index))
    }

    /// The first WebGPU adapter, in a browser or in a program.
    #[cfg(feature = "webgpu")]
    pub async fn webgpu_async() -> Result<Self, Error> {
        Self::open_webgpu(0).await
    }

    #[cfg(feature = "webgpu")]
    async fn open_webgpu(index: usize) -> Result<Self, Error> {
        let gpu = webgpu::Gpu::open(index, false).await?;
        Ok(Self::new(Inner::WebGpu(Arc::new(gpu))))
    }

    /// The number of WebGPU adapters.
    #[cfg(feature = "webgpu")]
    pub fn webgpu_count() -> usize {
        wait(async { Ok(webgpu::Gpu::count().await) }).unwrap_or(0)
    }

    /// Several devices of one kind as one. Each holds a range of the bases and computes their share
    /// of every MSM; the sums are added.
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
            [first, ..] => {
                let first = first.clone();
                Ok(Self { inner: Inner::Several(flat.into()), ..first })
            }
        }
    }

    /// Several NVIDIA GPUs as one device; see [`several`](Self::several). An index that occurs
    /// twice opens its GPU twice.
    #[cfg(feature = "cuda")]
    pub fn several_cuda(indices: &[usize]) -> Result<Self, Error> {
        let devices = indices.iter().map(|index| Self::cuda(*index));
        Self::several(&devices.collect::<Result<Vec<_>, _>>()?)
    }

    /// The devices that share the work; empty for a single device.
    pub(crate) fn parts(&self) -> &[Self] {
        match &self.inner {
            Inner::Several(devices) => devices,
            _ => &[],
        }
    }

    /// This process's part of the machine's memory.
    #[cfg(feature = "io")]
    pub(crate) fn part_of(&self, memory: u64) -> u64 {
        match &self.inner {
            #[cfg(feature = "ranks")]
            Inner::Rank(member) => member.local().part_of(memory),
            _ => memory / self.host_sharers as u64,
        }
    }

    /// Whether all ranks of a program share the work.
    pub(crate) fn is_over_ranks(&self) -> bool {
        match &self.inner {
            #[cfg(feature = "ranks")]
            Inner::Rank(_) => true,
            _ => false,
        }
    }

    /// The number of NVIDIA GPUs. The error says why none can be used.
    #[cfg(feature = "cuda")]
    pub fn cuda_count() -> Result<usize, Error> {
        Gpu::count()
    }

    /// The same device restricted to portable arithmetic, for comparisons and tests: a CPU without
    /// vector instructions, WebGPU without 64-bit integers. NVIDIA GPUs have no such restriction.
    pub fn portable(self) -> Result<Self, Error> {
        match &self.inner {
            Inner::Cpu(cpu) => Ok(Self { inner: Inner::Cpu(cpu.portable()), ..self }),
            #[cfg(feature = "cuda")]
            Inner::Cuda(_) => Ok(self),
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(gpu) => {
                let gpu = wait(gpu.portable())?;
                Ok(Self { inner: Inner::WebGpu(Arc::new(gpu)), ..self })
            }
            Inner::Several(devices) => {
                let devices = devices.iter().cloned().map(Self::portable);
                Self::several(&devices.collect::<Result<Vec<_>, _>>()?)
            }
            #[cfg(feature = "ranks")]
            Inner::Rank(member) => {
                let local = member.local().clone().portable()?;
                Ok(Self::of_member(member.with(|_| local)))
            }
        }
    }

    /// The same device with other rates: plans for it choose what is fastest by them. They are kept
    /// for the life of the process.
    ///
    /// ```
    /// use bucketeer::{Device, Rates};
    /// let rates = Rates::parse("ifma.4.addition = 35.5")?;
    /// let device = Device::cpu().with_rates(&rates);
    /// assert_eq!(*device.facts().rates, rates);
    /// # Ok::<(), String>(())
    /// ```
    #[must_use]
    pub fn with_rates(self, rates: &Rates) -> Self {
        let inner = match self.inner {
            Inner::Several(devices) => {
                let devices = devices.iter().map(|device| device.clone().with_rates(rates));
                Inner::Several(devices.collect())
            }
            #[cfg(feature = "ranks")]
            Inner::Rank(member) => {
                return Self::of_member(member.with(|local| local.with_rates(rates)));
            }
            one => one,
        };
        Self { inner, rates: rates.kept(), ..self }
    }

    /// The device for large MSMs and for bases that stay: the first usable NVIDIA GPU, otherwise
    /// the CPU. The choice is made once per process; there is no fallback later.
    ///
    /// It does not know how many bases there will be. Where that is known, ask
    /// [`best_for`](Self::best_for): a hundred bases end sooner on a CPU.
    pub fn best() -> Self {
        #[cfg(feature = "cuda")]
        if let Some(gpu) = Self::first_gpu() {
            return gpu.clone();
        }
        Self::first_cpu().clone()
    }

    /// The device of those present on which one MSM over `n` bases is predicted to end first, and
    /// what was predicted; `None` if no GPU was considered.
    ///
    /// A GPU is opened only if it can be worth it: if the one that the built-in rates are of, an
    /// H200, would end sooner than the CPU. Compiling its kernels on first use is not counted.
    ///
    /// ```
    /// use bucketeer::{CurveSpec, Device, DeviceKind, plan::ScalarBound};
    /// let curve = CurveSpec::of::<ark_bls12_377::G1Affine>();
    /// let (device, _) = Device::best_for(&curve, 10, ScalarBound::Order);
    /// assert_eq!(device.kind(), DeviceKind::Cpu);
    /// ```
    pub fn best_for(curve: &CurveSpec, n: usize, scalars: ScalarBound) -> (Self, Option<Choice>) {
        Self::best_for_request(|device| Request::new(curve, n, device).scalars(scalars))
    }

    /// The same for any work: `request` says what it would be on a device. One on which its
    /// settings are not possible is not chosen, unless it is the only one.
    ///
    /// ```
    /// use bucketeer::{CurveSpec, Device, DeviceKind, plan::Request};
    /// let curve = CurveSpec::of::<ark_bls12_377::G1Affine>();
    /// let ten_of_each = |device| Request::new(&curve, 10, device).batch(10);
    /// assert_eq!(Device::best_for_request(ten_of_each).0.kind(), DeviceKind::Cpu);
    /// ```
    pub fn best_for_request<'a>(
        request: impl Fn(DeviceFacts) -> Request<'a>,
    ) -> (Self, Option<Choice>) {
        Self::routed(&|devices| {
            let contenders: Vec<_> =
                devices.iter().map(|device| Contender::new(request(*device))).collect();
            Choice::among(&contenders)
        })
    }

    /// The device that `choose` takes of those present. The cheapest tests come first: a plan for a
    /// GPU takes longer than an MSM of a few bases.
    #[cfg(feature = "cuda")]
    pub(crate) fn routed(choose: &dyn Fn(&[DeviceFacts]) -> Choice) -> (Self, Option<Choice>) {
        let cpu = Self::first_cpu();
        if FIRST_GPU.get().is_some_and(Option::is_none) {
            return (cpu.clone(), None);
        }
        let facts = cpu.facts();
        let alone = choose(&[facts]).nanoseconds();
        if alone.is_some_and(|nanoseconds| nanoseconds <= facts.rates.cuda.pass) {
            return (cpu.clone(), None);
        }
        // What the rates are of, with memory for anything.
        let fastest = choose(&[facts, DeviceFacts::cuda(H200_MULTIPROCESSORS, 1 << 40)]);
        let gpu = if fastest.is_cpu() { None } else { Self::first_gpu() };
        let Some(gpu) = gpu else { return (cpu.clone(), None) };
        let choice = choose(&[facts, gpu.facts()]);
        let device = if choice.is_cpu() { cpu } else { gpu };
        (device.clone(), Some(choice))
    }

    /// The only device there can be.
    #[cfg(not(feature = "cuda"))]
    pub(crate) fn routed(_: &dyn Fn(&[DeviceFacts]) -> Choice) -> (Self, Option<Choice>) {
        (Self::first_cpu().clone(), None)
    }

    /// The CPU, found once.
    fn first_cpu() -> &'static Self {
        static CPU: OnceLock<Device> = OnceLock::new();
        CPU.get_or_init(Self::cpu)
    }

    /// The first NVIDIA GPU, opened once; `None` if none is usable.
    #[cfg(feature = "cuda")]
    fn first_gpu() -> Option<&'static Self> {
        FIRST_GPU.get_or_init(|| Self::cuda(0).ok()).as_ref()
    }

    /// The device with this name: `auto`, `cpu`, `cuda`, `cuda:1`, `cuda:0,1`, `webgpu`, …
    pub fn named(name: &str) -> Result<Self, Error> {
        let (kind, index) = name.split_once(':').unwrap_or((name, "0"));
        #[cfg(not(all(feature = "cuda", feature = "webgpu")))]
        let unavailable = |what: &str| {
            Err(Error::NoDevice {
                device: name.into(),
                reason: format!("this build of Bucketeer is without {what}"),
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

    /// The kind of this device.
    pub fn kind(&self) -> DeviceKind {
        match &self.inner {
            Inner::Cpu(_) => DeviceKind::Cpu,
            #[cfg(feature = "cuda")]
            Inner::Cuda(_) => DeviceKind::Cuda,
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(_) => DeviceKind::WebGpu,
            Inner::Several(devices) => devices[0].kind(),
            #[cfg(feature = "ranks")]
            Inner::Rank(member) => member.local().kind(),
        }
    }

    /// The facts that plans for this device use. Free memory is current to about 100 ms.
    pub fn facts(&self) -> DeviceFacts {
        let facts = match &self.inner {
            Inner::Cpu(cpu) => cpu.facts(),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => gpu.facts(),
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(gpu) => gpu.facts(),
            // What each has at least.
            Inner::Several(devices) => {
                let least = |a: DeviceFacts, b: DeviceFacts| DeviceFacts {
                    threads: a.threads.min(b.threads),
                    ifma: a.ifma && b.ifma,
                    simd128: a.simd128 && b.simd128,
                    memory: a.memory.min(b.memory),
                    binding: a.binding.min(b.binding),
                    ..a
                };
                devices[1..].iter().map(Self::facts).fold(devices[0].facts(), least)
            }
            #[cfg(feature = "ranks")]
            Inner::Rank(member) => return member.local().facts(),
        };
        let memory = facts.memory / self.sharers as u64;
        DeviceFacts { rates: self.rates, memory, ..facts }
    }

    /// Copies the values into the memory that this device reads fastest: page-locked for an NVIDIA
    /// GPU.
    pub fn pinned<T: Copy>(&self, values: &[T]) -> Result<PinnedVec<T>, Error> {
        match &self.inner {
            Inner::Cpu(_) => Ok(PinnedVec::plain(values.to_vec())),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => Ok(PinnedVec::page_locked(gpu.pinned(values)?)),
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(_) => Ok(PinnedVec::plain(values.to_vec())),
            Inner::Several(devices) => devices[0].pinned(values),
            #[cfg(feature = "ranks")]
            Inner::Rank(member) => member.local().pinned(values),
        }
    }

    /// The engine that runs plans for a curve.
    pub(crate) fn engine<C: Curve>(&self, plan: &Plan) -> Result<Box<dyn Engine<C>>, Error> {
        self.check_threads()?;
        match &self.inner {
            Inner::Cpu(cpu) => cpu::engine::<C>(cpu, plan),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => crate::cuda::engine::<C>(gpu, plan),
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(gpu) => webgpu::engine::<C>(gpu, plan),
            Inner::Several(_) => {
                Err(Error::Internal("several devices have no plan of their own".into()))
            }
            #[cfg(feature = "ranks")]
            Inner::Rank(_) => Err(Error::Internal("ranks have no plan of their own".into())),
        }
    }

    /// Fails if the threads of this device cannot run anything.
    pub(crate) fn check_threads(&self) -> Result<(), Error> {
        match &self.inner {
            Inner::Cpu(cpu) => cpu.check(),
            #[cfg(feature = "ranks")]
            Inner::Rank(member) => member.local().check_threads(),
            _ => threads::check(),
        }
    }

    /// Runs `work` on this device's threads.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.inner {
            Inner::Cpu(cpu) => cpu.install(work),
            #[cfg(feature = "ranks")]
            Inner::Rank(member) => member.local().install(work),
            _ => work(),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.inner {
            Inner::Cpu(cpu) => cpu.fmt(f),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => gpu.fmt(f),
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(gpu) => gpu.fmt(f),
            Inner::Several(devices) => {
                let names: Vec<_> = devices.iter().map(ToString::to_string).collect();
                f.write_str(&names.join(" + "))
            }
            #[cfg(feature = "ranks")]
            Inner::Rank(member) => member.fmt(f),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}

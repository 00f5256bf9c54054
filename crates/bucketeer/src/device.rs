//! Devices: the processors a plan can be made for and a run carried out on.

use std::fmt;
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{CurveSpec, Error};

/// What the plan needs to know of a device. Made for the device at hand by [`Device::facts`], or by hand
/// for one that is elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceFacts {
    /// Workers that run side by side.
    pub threads: usize,
    /// Whether it has AVX-512 IFMA.
    pub ifma: bool,
    /// Bytes it may allocate.
    pub memory: u64,
}

impl DeviceFacts {
    /// A CPU with this many threads, with or without AVX-512 IFMA, and this much free memory.
    pub fn cpu(threads: usize, ifma: bool, memory: u64) -> Self {
        Self { threads: threads.max(1), ifma, memory }
    }
}

/// The field arithmetic a CPU run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    /// Eight lanes of 52-bit limbs.
    Ifma,
    /// arkworks' own fields.
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
    inner: Arc<Cpu>,
}

struct Cpu {
    /// `None` is rayon's global pool.
    pool: Option<ThreadPool>,
    threads: usize,
    ifma: bool,
}

impl Device {
    /// The CPU, with all threads of the global rayon pool.
    pub fn cpu() -> Self {
        let threads = rayon::current_num_threads();
        Self { inner: Arc::new(Cpu { pool: None, threads, ifma: has_ifma() }) }
    }

    /// The CPU, with a pool of its own of this many threads.
    pub fn cpu_with_threads(threads: usize) -> Result<Self, Error> {
        let invalid = |reason: String| Error::InvalidSetting {
            setting: "threads",
            value: threads.to_string(),
            reason,
        };
        if threads == 0 || threads > 4096 {
            return Err(invalid("it must be from 1 to 4096".into()));
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| invalid(error.to_string()))?;
        Ok(Self { inner: Arc::new(Cpu { pool: Some(pool), threads, ifma: has_ifma() }) })
    }

    /// The same device restricted to portable arithmetic, for comparison and for tests.
    pub fn portable(self) -> Result<Self, Error> {
        let threads = self.inner.threads;
        let pool = Self::cpu_with_threads(threads)?;
        let Some(Cpu { pool, .. }) = Arc::into_inner(pool.inner) else {
            return Err(Error::Internal("a new device is shared already".into()));
        };
        Ok(Self { inner: Arc::new(Cpu { pool, threads, ifma: false }) })
    }

    /// The fastest device present. Never falls to another one later.
    pub fn best() -> Self {
        Self::cpu()
    }

    /// The device with this name: `auto`, `cpu`, `cuda`, `cuda:1`, `webgpu`, …
    pub fn named(name: &str) -> Result<Self, Error> {
        let (kind, index) = name.split_once(':').unwrap_or((name, "0"));
        let unavailable = |what: &str| {
            Err(Error::NoDevice {
                device: name.into(),
                reason: format!("this build of Bucketeer has no {what} engine; use --device cpu"),
            })
        };
        match kind {
            "auto" if name == kind => Ok(Self::best()),
            "cpu" if name == kind => Ok(Self::cpu()),
            "cuda" if index.parse::<u32>().is_ok() => unavailable("CUDA"),
            "webgpu" if index.parse::<u32>().is_ok() => unavailable("WebGPU"),
            _ => Err(Error::UnknownName {
                what: "device",
                name: name.into(),
                expected: "auto, cpu, cuda[:i], webgpu[:i]".into(),
            }),
        }
    }

    /// What a plan for this device starts from; free memory is read now.
    pub fn facts(&self) -> DeviceFacts {
        DeviceFacts::cpu(self.inner.threads, self.inner.ifma, available_memory())
    }

    /// Runs `work` on this device's threads.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.inner.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arithmetic = if self.inner.ifma { "AVX-512 IFMA" } else { "portable arithmetic" };
        write!(f, "cpu, {} threads, {arithmetic}", self.inner.threads)
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

/// Memory that can be had without swapping; 8 GiB where the system does not say.
fn available_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok())
        .map_or(8 << 30, |kib| kib << 10)
}

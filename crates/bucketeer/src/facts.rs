//! What a plan has to know of a device, whether or not the device is present.

use crate::CurveSpec;
use crate::caches::Caches;
use crate::rates::Rates;

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

/// What the plan needs to know about a device: read from it by
/// [`Device::facts`](crate::Device::facts), or made by hand for a device of another machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceFacts {
    /// The sort of processor.
    pub kind: DeviceKind,
    /// Workers that run concurrently: threads of a CPU, multiprocessors of a GPU.
    pub threads: usize,
    /// Whether it has AVX-512 IFMA.
    pub ifma: bool,
    /// Whether this is WebAssembly with SIMD128.
    pub simd128: bool,
    /// Bytes it may allocate.
    pub memory: u64,
    /// Bytes that a kernel can reach in one buffer.
    pub binding: u64,
    /// Bytes of shared memory that a block of an NVIDIA GPU can have.
    pub shared_memory: u32,
    /// Data caches of a CPU.
    pub caches: Caches,
    /// What its operations cost.
    pub rates: &'static Rates,
}

impl DeviceFacts {
    fn new(kind: DeviceKind, threads: usize, memory: u64) -> Self {
        Self {
            kind,
            threads: threads.max(1),
            ifma: false,
            simd128: false,
            memory,
            binding: u64::MAX,
            shared_memory: 227 << 10,
            caches: Caches::default(),
            rates: Rates::built_in(),
        }
    }

    /// A CPU with this many threads, with or without AVX-512 IFMA, and this much free memory. Its
    /// caches have the [default sizes](Caches::default).
    pub fn cpu(threads: usize, ifma: bool, memory: u64) -> Self {
        Self { ifma, ..Self::new(DeviceKind::Cpu, threads, memory) }
    }

    /// An NVIDIA GPU with this many multiprocessors and this much free memory. Its blocks can have
    /// 227 KiB of shared memory, as those of Hopper GPUs.
    pub fn cuda(multiprocessors: usize, memory: u64) -> Self {
        Self::new(DeviceKind::Cuda, multiprocessors, memory)
    }

    /// A GPU behind WebGPU: about this many multiprocessors, this much memory and the largest
    /// storage buffer binding.
    pub fn webgpu(multiprocessors: usize, memory: u64, binding: u64) -> Self {
        let binding = binding.max(1 << 20);
        Self { binding, ..Self::new(DeviceKind::WebGpu, multiprocessors, memory) }
    }

    /// The same device with numbers that a plan can count with.
    pub(crate) fn within_reason(self) -> Self {
        const MOST: u64 = 1 << 48;
        Self {
            threads: self.threads.clamp(1, 1 << 16),
            memory: self.memory.min(MOST),
            binding: self.binding.clamp(1 << 20, MOST),
            caches: self.caches.within_reason().as_fitted(),
            ..self
        }
    }

    /// The same device with another amount of free memory.
    #[must_use]
    pub fn with_memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// The same device with other rates, which are kept for the life of the process.
    #[must_use]
    pub fn with_rates(self, rates: &Rates) -> Self {
        Self { rates: rates.kept(), ..self }
    }

    /// The same device with other sizes of caches.
    #[must_use]
    pub fn with_caches(self, caches: Caches) -> Self {
        Self { caches, ..self }
    }
}

/// The field arithmetic a CPU run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Arithmetic {
    /// Eight lanes of 52-bit limbs.
    Ifma,
    /// Four lanes of 13-bit digits.
    Simd128,
    /// 64-bit words, or arkworks' own fields.
    Portable,
}

#[cfg(feature = "io")]
impl std::fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ifma => "AVX-512 IFMA",
            Self::Simd128 => "SIMD128",
            Self::Portable => "portable arithmetic",
        })
    }
}

impl Arithmetic {
    /// The kernel for IFMA exists for fields of 4, 6 and 12 words that leave four bits of headroom
    /// in 5, 8 and 15 limbs of 52 bits. The one for SIMD128 exists for prime fields of 4 and 6
    /// words that leave one bit unused, and use some of the last of 20 and 30 digits of 13 bits or
    /// nearly.
    pub(crate) fn choose(curve: &CurveSpec, device: &DeviceFacts) -> Self {
        if device.simd128 {
            let used = match curve.limbs {
                4 => 246..256,
                6 => 376..384,
                _ => return Self::Portable,
            };
            let fits = curve.degree == 1 && used.contains(&curve.modulus.bits());
            return if curve.montgomery && fits { Self::Simd128 } else { Self::Portable };
        }
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

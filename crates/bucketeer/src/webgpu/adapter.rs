//! Finding an adapter and opening its device.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;
use crate::facts::DeviceFacts;
use crate::platform::available_memory;

/// What an adapter is.
#[derive(Debug, Clone)]
pub(crate) struct AdapterFacts {
    pub name: String,
    /// The interface behind WebGPU.
    pub backend: String,
    pub driver: String,
    /// Whether it computes on the CPU.
    pub software: bool,
    pub limits: wgpu::Limits,
    /// Whether it has 64-bit integers.
    pub wide: bool,
    /// Whether the device can tell when a pass began and ended.
    pub timestamps: bool,
}

/// An open device and what has gone wrong with it since.
pub(crate) struct Opened {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub facts: AdapterFacts,
    pub faults: Faults,
}

/// Errors that a device reported by itself, of which the first is kept.
#[derive(Clone, Default)]
pub(crate) struct Faults(Arc<Mutex<Option<Error>>>);

impl Faults {
    fn report(&self, error: Error) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// The first error, if there was one. It stays: the device is in an unknown state.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }
}

/// The adapters of this machine, hardware first. A browser shows one.
async fn adapters() -> Vec<wgpu::Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    #[cfg(target_family = "wasm")]
    {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        instance.request_adapter(&options).await.into_iter().collect()
    }
    #[cfg(not(target_family = "wasm"))]
    {
        let backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
        let mut adapters = instance.enumerate_adapters(backends).await;
        adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu => 1,
            wgpu::DeviceType::VirtualGpu | wgpu::DeviceType::Other => 2,
            wgpu::DeviceType::Cpu => 3,
        });
        adapters
    }
}

/// How many adapters there are.
pub(crate) async fn count() -> usize {
    adapters().await.len()
}

impl AdapterFacts {
    fn new(adapter: &wgpu::Adapter) -> Self {
        let (info, features) = (adapter.get_info(), adapter.features());
        let unnamed = || String::from("an adapter without a name");
        let driver = [&*info.driver, &*info.driver_info].join(" ");
        Self {
            name: if info.name.is_empty() { unnamed() } else { info.name.clone() },
            backend: match info.backend {
                wgpu::Backend::BrowserWebGpu => "browser".into(),
                backend => format!("{backend:?}"),
            },
            driver: driver.trim().into(),
            software: info.device_type == wgpu::DeviceType::Cpu,
            limits: adapter.limits(),
            wide: features.contains(wgpu::Features::SHADER_INT64),
            timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
        }
    }

    /// What a plan starts from. WebGPU tells neither the memory nor the size of a GPU: two of the
    /// largest buffers and a mid-range GPU are assumed.
    pub(crate) fn plan_facts(&self) -> DeviceFacts {
        const MULTIPROCESSORS: usize = 64;
        /// Small working sets stay in a CPU's caches, and tests on it cover what is cut by
        /// bindings.
        const SOFTWARE_BINDING: u64 = 2 << 20;
        let limits = &self.limits;
        let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        match self.software {
            true => DeviceFacts::webgpu(1, available_memory() / 2, binding.min(SOFTWARE_BINDING)),
            false => {
                let memory = limits.max_buffer_size.clamp(128 << 20, 1 << 34).saturating_mul(2);
                DeviceFacts::webgpu(MULTIPROCESSORS, memory, binding)
            }
        }
    }
}

/// Opens the adapter with this number; without 64-bit integers if `portable`.
pub(crate) async fn open(index: usize, portable: bool) -> Result<Opened, Error> {
    let missing = |reason: String| Error::NoDevice { device: format!("webgpu:{index}"), reason };
    let adapters = adapters().await;
    let count = adapters.len();
    let adapter = adapters.into_iter().nth(index).ok_or_else(|| {
        missing(match count {
            0 if cfg!(target_family = "wasm") => {
                "this browser offers no WebGPU adapter; it may have to be switched on, or the GPU \
                 or its driver is not supported"
                    .into()
            }
            0 => "no adapter was found; install a Vulkan driver (on Debian mesa-vulkan-drivers \
                  brings one for every GPU and one for the CPU), or use --device cpu"
                .into(),
            _ => format!("there are {count} adapters, numbered from 0"),
        })
    })?;
    let mut facts = AdapterFacts::new(&adapter);
    facts.wide &= !portable;
    let mut features = wgpu::Features::empty();
    features.set(wgpu::Features::SHADER_INT64, facts.wide);
    features.set(wgpu::Features::TIMESTAMP_QUERY, facts.timestamps);
    let needed = wgpu::Limits::default();
    let limits = &facts.limits;
    for (name, offered, least) in [
        (
            "storage buffers per shader stage",
            limits.max_storage_buffers_per_shader_stage,
            needed.max_storage_buffers_per_shader_stage,
        ),
        (
            "invocations per workgroup",
            limits.max_compute_invocations_per_workgroup,
            needed.max_compute_invocations_per_workgroup,
        ),
        (
            "bytes of workgroup memory",
            limits.max_compute_workgroup_storage_size,
            needed.max_compute_workgroup_storage_size,
        ),
    ] {
        if offered < least {
            let name = format!("{} offers {offered} {name}, and {least} are needed", facts.name);
            return Err(missing(name));
        }
    }
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("bucketeer"),
        required_features: features,
        required_limits: facts.limits.clone(),
        memory_hints: wgpu::MemoryHints::Performance,
        ..Default::default()
    };
    let opened = adapter.request_device(&descriptor).await;
    let (device, queue) =
        opened.map_err(|error| missing(format!("{} cannot be opened: {error}", facts.name)))?;
    let faults = Faults::default();
    let (uncaptured, lost) = (faults.clone(), faults.clone());
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        uncaptured.report(failure(&error, 0));
    }));
    device.set_device_lost_callback(move |reason, text| {
        lost.report(Error::DeviceFailed {
            reason: format!("the device was lost ({reason:?}): {text}"),
        });
    });
    Ok(Opened { device, queue, facts, faults })
}

/// An error of WebGPU as ours; `bytes` is the requested size.
pub(crate) fn failure(error: &wgpu::Error, bytes: u64) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory { needed: bytes, available: 0 },
        error => Error::DeviceFailed { reason: error.to_string() },
    }
}

//! The CUDA driver: contexts, memory, streams, events, modules. Every call is checked, and every
//! handle is released when its owner is dropped.

use std::ffi::{CString, c_void};
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;

use super::launch::{Element, Grid};
use super::{functions, search};
use crate::Error;
use crate::platform::available_memory;

/// Oldest driver that the kernels' features need, as the driver counts: CUDA 12.0.
const OLDEST_DRIVER: i32 = 12_000;

/// Turns a driver's error into ours.
fn failed(what: &str, error: DriverError) -> Error {
    let name = error.error_name().ok().and_then(|name| name.to_str().ok()).unwrap_or("unknown");
    let text = error.error_string().ok().and_then(|text| text.to_str().ok()).unwrap_or("");
    Error::DeviceFailed { reason: format!("{what}: {text} ({name})") }
}

trait Checked<T> {
    fn or_fail(self, what: &str) -> Result<T, Error>;
}

impl<T> Checked<T> for Result<T, DriverError> {
    fn or_fail(self, what: &str) -> Result<T, Error> {
        self.map_err(|error| failed(what, error))
    }
}

/// What a GPU is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GpuFacts {
    pub name: String,
    /// Compute capability, major · 10 + minor.
    pub architecture: u32,
    pub multiprocessors: usize,
    /// Shared memory that a block can be given.
    pub shared_memory: u32,
    pub total_memory: u64,
    pub driver: i32,
    /// Tells it, or a part of one that is divided, from all others.
    pub uuid: [u8; 16],
}

/// A GPU's primary context.
pub(crate) struct Context {
    raw: sys::CUcontext,
    device: sys::CUdevice,
    pub facts: GpuFacts,
}

// SAFETY: a context may be used from any thread once it is made current there, which `bind` does.
unsafe impl Send for Context {}
// SAFETY: as above; the driver's functions are thread-safe.
unsafe impl Sync for Context {}

/// Loads and starts the driver; the error says what is missing.
fn start(device: &str) -> Result<i32, Error> {
    let missing = |reason: String| Error::NoDevice { device: device.into(), reason };
    if let Some(reason) = search::planted() {
        return Err(missing(reason));
    }
    // SAFETY: only tries to open the library.
    if !unsafe { sys::is_culib_present() } {
        return Err(missing(
            "the NVIDIA driver (libcuda.so.1) was not found; install the driver of your GPU, \
             version 525 or newer, or use --device cpu"
                .into(),
        ));
    }
    if let Some(function) = functions::missing() {
        return Err(missing(format!(
            "the NVIDIA driver (libcuda.so.1) lacks the function {function}; install driver 525 or \
             newer, or use --device cpu"
        )));
    }
    result::init().map_err(|error| {
        missing(format!("{}; is there an NVIDIA GPU in this machine?", failed("cuInit", error)))
    })?;
    let mut version = 0;
    // SAFETY: writes one integer.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result().or_fail("cuDriverGetVersion")?;
    if version < OLDEST_DRIVER {
        return Err(missing(format!(
            "the NVIDIA driver supports CUDA {}.{}, and 12.0 is needed; install driver 525 or \
             newer",
            version / 1000,
            version % 1000 / 10
        )));
    }
    Ok(version)
}

/// How many GPUs there are.
pub(crate) fn count() -> Result<usize, Error> {
    start("cuda")?;
    Ok(result::device::get_count().or_fail("cuDeviceGetCount")?.max(0) as usize)
}

impl Context {
    pub(crate) fn open(index: usize) -> Result<Arc<Self>, Error> {
        let name = format!("cuda:{index}");
        let driver = start(&name)?;
        let count = result::device::get_count().or_fail("cuDeviceGetCount")?;
        if index >= count.max(0) as usize {
            let reason = match count {
                0 => "there is no NVIDIA GPU in this machine".into(),
                _ => format!("there are {count} NVIDIA GPUs, numbered from 0"),
            };
            return Err(Error::NoDevice { device: name, reason });
        }
        let device = result::device::get(index as i32).or_fail("cuDeviceGet")?;
        let attribute = |attribute| {
            // SAFETY: `device` comes from the driver.
            unsafe { result::device::get_attribute(device, attribute) }
                .or_fail("cuDeviceGetAttribute")
        };
        use sys::CUdevice_attribute as A;
        let mut uuid = sys::CUuuid_st { bytes: [0; 16] };
        // SAFETY: writes 16 bytes; `device` comes from the driver.
        unsafe { sys::cuDeviceGetUuid_v2(&mut uuid, device) }
            .result()
            .or_fail("cuDeviceGetUuid")?;
        let major = attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let facts = GpuFacts {
            name: result::device::get_name(device).or_fail("cuDeviceGetName")?,
            architecture: (10 * major + minor) as u32,
            multiprocessors: attribute(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as usize,
            shared_memory: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?
                as u32,
            // SAFETY: `device` comes from the driver.
            total_memory: unsafe { result::device::total_mem(device) }
                .or_fail("cuDeviceTotalMem")? as u64,
            driver,
            uuid: uuid.bytes.map(|byte| byte as u8),
        };
        if facts.architecture < 70 {
            let reason =
                format!("{} has compute capability {major}.{minor}, and 7.0 is needed", facts.name);
            return Err(Error::NoDevice { device: name, reason });
        }
        // Kernels differ in the local memory they need; giving it back after each launch and taking
        // it again stops the device every time.
        const KEEP_LOCAL_MEMORY: u32 = sys::CUctx_flags_enum::CU_CTX_LMEM_RESIZE_TO_MAX as u32;
        // SAFETY: `device` comes from the driver. Where the context is in use already its flags
        // stay.
        let _ = unsafe { sys::cuDevicePrimaryCtxSetFlags_v2(device, KEEP_LOCAL_MEMORY) };
        // SAFETY: `device` comes from the driver; released in `drop`.
        let raw =
            unsafe { result::primary_ctx::retain(device) }.or_fail("cuDevicePrimaryCtxRetain")?;
        Ok(Arc::new(Self { raw, device, facts }))
    }

    /// Makes the context current for this thread.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        // SAFETY: the context is retained as long as `self` lives.
        unsafe { result::ctx::set_current(self.raw) }.or_fail("cuCtxSetCurrent")
    }

    /// Bytes that can be allocated now.
    pub(crate) fn free_memory(&self) -> Result<u64, Error> {
        self.bind()?;
        Ok(result::mem_get_info().or_fail("cuMemGetInfo")?.0 as u64)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained in `open`. Nothing can be done about a failure here.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// An address on the device.
pub(crate) type Address = sys::CUdeviceptr;

/// Device memory.
pub(crate) struct DeviceMemory {
    context: Arc<Context>,
    pub address: Address,
    pub bytes: u64,
}

impl DeviceMemory {
    /// Allocates at least one byte; [`Error::OutOfMemory`] if there is not enough.
    pub(crate) fn new(context: &Arc<Context>, bytes: u64) -> Result<Self, Error> {
        context.bind()?;
        // SAFETY: a plain allocation, freed in `drop`.
        match unsafe { result::malloc_sync(bytes.max(1) as usize) } {
            Ok(address) => Ok(Self { context: context.clone(), address, bytes }),
            Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                let available = context.free_memory()?;
                Err(Error::OutOfMemory { needed: bytes, available })
            }
            Err(error) => Err(failed("cuMemAlloc", error)),
        }
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: allocated in `new`, and nobody else frees it.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// Page-locked memory of the host.
pub(crate) struct HostMemory {
    context: Arc<Context>,
    pub pointer: *mut u8,
    pub bytes: usize,
}

// SAFETY: plain memory, used by whoever holds it.
unsafe impl Send for HostMemory {}
// SAFETY: shared references only read.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Allocates zeroed memory.
    pub(crate) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, Error> {
        context.bind()?;
        // Memory of every context, so that any GPU copies from it at full speed.
        const PORTABLE: u32 = 1;
        // SAFETY: a plain allocation, freed in `drop`.
        let pointer = match unsafe { result::malloc_host(bytes.max(1), PORTABLE) } {
            Ok(pointer) => pointer,
            Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                let needed = bytes as u64;
                // Less can be locked than is free.
                let available = available_memory().min(needed.saturating_sub(1));
                return Err(Error::OutOfMemory { needed, available });
            }
            Err(error) => return Err(failed("cuMemHostAlloc", error)),
        };
        // SAFETY: the allocation is `bytes` long.
        unsafe { ptr::write_bytes(pointer.cast::<u8>(), 0, bytes) };
        Ok(Self { context: context.clone(), pointer: pointer.cast(), bytes })
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: `bytes` initialised bytes, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.bytes) }
    }

    /// A range of bytes as elements; it begins and ends with one.
    pub(super) fn elements_mut<T: Element>(&mut self, range: Range<usize>) -> &mut [T] {
        let bytes = &mut self.as_mut_slice()[range];
        // SAFETY: elements consist of integers, for which any initialised bytes are valid.
        let (before, elements, after) = unsafe { bytes.align_to_mut() };
        assert!(before.is_empty() && after.is_empty(), "a range that cuts elements");
        elements
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: allocated in `new`, and nobody else frees it.
            let _ = unsafe { result::free_host(self.pointer.cast()) };
        }
    }
}

/// Whether the driver knows this memory as page-locked.
pub(crate) fn is_page_locked(pointer: *const u8) -> bool {
    let mut kind = 0u32;
    let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    // SAFETY: writes one integer; an address that the driver does not know is an error.
    let result = unsafe {
        sys::cuPointerGetAttribute(ptr::from_mut(&mut kind).cast(), attribute, pointer as Address)
    };
    const HOST: u32 = sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32;
    result == sys::CUresult::CUDA_SUCCESS && kind == HOST
}

/// A queue of work on the device.
pub(crate) struct Stream {
    context: Arc<Context>,
    raw: sys::CUstream,
}

// SAFETY: streams may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// A stream; an urgent one's work goes before that of others.
    pub(crate) fn new(context: &Arc<Context>, urgent: bool) -> Result<Self, Error> {
        context.bind()?;
        let kind = result::stream::StreamKind::NonBlocking;
        let raw = if urgent {
            let (_, highest) =
                result::stream::get_priority_range().or_fail("cuCtxGetStreamPriorityRange")?;
            result::stream::create_with_priority(kind, highest)
        } else {
            result::stream::create(kind)
        };
        Ok(Self { context: context.clone(), raw: raw.or_fail("cuStreamCreate")? })
    }

    /// Waits until everything in the stream is done.
    pub(crate) fn wait(&self) -> Result<(), Error> {
        // SAFETY: the stream lives as long as `self`.
        unsafe { result::stream::synchronize(self.raw) }.or_fail("the device")
    }

    /// Lets later work of this stream wait for `event`.
    pub(crate) fn after(&self, event: &Event) -> Result<(), Error> {
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: both live.
        unsafe { result::stream::wait_event(self.raw, event.raw, flags) }
            .or_fail("cuStreamWaitEvent")
    }

    /// Sets bytes to zero.
    pub(crate) fn zero(&self, address: Address, bytes: u64) -> Result<(), Error> {
        self.fill(address, 0, bytes)
    }

    /// Sets bytes to a value.
    pub(crate) fn fill(&self, address: Address, value: u8, bytes: u64) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: callers pass ranges of live allocations.
        unsafe { result::memset_d8_async(address, value, bytes as usize, self.raw) }
            .or_fail("cuMemset")
    }

    /// Copies to the device. Page-locked memory must stay as it is until the stream has done it.
    pub(crate) fn upload(&self, to: Address, from: &[u8]) -> Result<(), Error> {
        if from.is_empty() {
            return Ok(());
        }
        // SAFETY: callers pass targets with room for `from`.
        unsafe { result::memcpy_htod_async(to, from, self.raw) }.or_fail("copying to the device")
    }

    /// Copies from the device; the bytes are valid once the stream has done it.
    pub(crate) fn download(&self, to: &mut [u8], from: Address) -> Result<(), Error> {
        if to.is_empty() {
            return Ok(());
        }
        // SAFETY: callers pass sources of at least that length.
        unsafe { result::memcpy_dtoh_async(to, from, self.raw) }.or_fail("copying from the device")
    }

    /// Flips a bit of a word, as a fault on purpose.
    #[cfg(feature = "faults")]
    pub(crate) fn flip(&self, at: Address, bit: u32) -> Result<(), Error> {
        let mut word = [0; 4];
        self.wait()?;
        self.download(&mut word, at)?;
        self.wait()?;
        let flipped = u32::from_le_bytes(word) ^ 1 << (bit % 32);
        self.upload(at, &flipped.to_le_bytes())?;
        self.wait()
    }

    /// Launches a kernel of one-dimensional blocks; nothing for an empty grid.
    pub(super) fn launch(
        &self,
        kernel: Kernel,
        grid: Grid,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Error> {
        let Grid { blocks, threads, shared } = grid;
        if blocks == 0 {
            return Ok(());
        }
        let Ok(blocks) = u32::try_from(blocks) else {
            return Err(Error::Internal(format!("a grid of {blocks} blocks")));
        };
        // SAFETY: the launchers pass arguments of the number and types of the prototype that the
        // kernel was compiled with.
        unsafe {
            let (grid, block) = ((blocks, 1, 1), (threads, 1, 1));
            result::launch_kernel(kernel.0, grid, block, shared, self.raw, arguments)
        }
        .or_fail("launching a kernel")
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: created in `new`.
            let _ = unsafe { result::stream::destroy(self.raw) };
        }
    }
}

/// A mark in a stream.
pub(crate) struct Event {
    context: Arc<Context>,
    raw: sys::CUevent,
}

// SAFETY: events may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        context.bind()?;
        let raw =
            result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).or_fail("cuEventCreate")?;
        Ok(Self { context: context.clone(), raw })
    }

    /// Puts the mark at the end of a stream.
    pub(crate) fn record(&self, stream: &Stream) -> Result<(), Error> {
        // SAFETY: both live.
        unsafe { result::event::record(self.raw, stream.raw) }.or_fail("cuEventRecord")
    }

    /// Waits until the stream has reached the mark.
    pub(crate) fn wait(&self) -> Result<(), Error> {
        // SAFETY: the event lives.
        unsafe { result::event::synchronize(self.raw) }.or_fail("the device")
    }

    /// Milliseconds from an earlier mark to this one; both must have been reached.
    pub(crate) fn since(&self, earlier: &Self) -> Result<f32, Error> {
        // SAFETY: both live.
        unsafe { result::event::elapsed(earlier.raw, self.raw) }.or_fail("cuEventElapsedTime")
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: created in `new`.
            let _ = unsafe { result::event::destroy(self.raw) };
        }
    }
}

/// A kernel of a module that is never unloaded while its device is open.
#[derive(Clone, Copy)]
pub(crate) struct Kernel(sys::CUfunction);

// SAFETY: functions may be used from any thread.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

/// Compiled code on the device.
pub(crate) struct Module {
    context: Arc<Context>,
    raw: sys::CUmodule,
}

// SAFETY: modules may be used from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    pub(crate) fn load(context: &Arc<Context>, image: &[u8]) -> Result<Self, Error> {
        context.bind()?;
        // SAFETY: the image is a complete cubin: compiled by NVRTC now, or read from the cache,
        // which checks what it reads.
        let raw = unsafe { result::module::load_data(image.as_ptr().cast()) }
            .or_fail("loading compiled kernels")?;
        Ok(Self { context: context.clone(), raw })
    }

    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        let text = CString::new(name).map_err(|_| Error::Internal("a kernel's name".into()))?;
        // SAFETY: the module is loaded.
        unsafe { result::module::get_function(self.raw, text) }.or_fail(name).map(Kernel)
    }
}

impl Kernel {
    /// Allows launches with this much shared memory.
    pub(crate) fn allow_shared(self, bytes: u32) -> Result<(), Error> {
        self.set(
            sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            bytes as i32,
        )
    }

    /// Asks for as much shared memory, at the cost of L1, as there can be. Kernels that ask for the
    /// same run beside each other on a multiprocessor; others wait until it is idle.
    pub(crate) fn prefer_shared(self) -> Result<(), Error> {
        let percent = 100;
        self.set(
            sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
            percent,
        )
    }

    fn set(self, attribute: sys::CUfunction_attribute_enum, value: i32) -> Result<(), Error> {
        // SAFETY: the function's module is loaded.
        unsafe { result::function::set_function_attribute(self.0, attribute, value) }
            .or_fail("cuFuncSetAttribute")
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: loaded in `load`.
            let _ = unsafe { result::module::unload(self.raw) };
        }
    }
}

//! The driver's functions that are used here, and whether they are all there.
//!
//! cudarc looks a function up at its first call and panics where it is missing: in a driver that is
//! too old, in a stub, in a library of another kind with the driver's name.

use std::ffi::c_void;

use cudarc::driver::sys;

/// What `driver.rs` calls of cudarc, and the name under which cudarc looks it up.
const FUNCTIONS: [(&str, &str); 39] = [
    ("init", "cuInit"),
    ("cuDriverGetVersion", "cuDriverGetVersion"),
    ("error_name", "cuGetErrorName"),
    ("error_string", "cuGetErrorString"),
    ("device::get_count", "cuDeviceGetCount"),
    ("device::get", "cuDeviceGet"),
    ("device::get_attribute", "cuDeviceGetAttribute"),
    ("device::get_name", "cuDeviceGetName"),
    ("cuDeviceGetUuid_v2", "cuDeviceGetUuid_v2"),
    ("device::total_mem", "cuDeviceTotalMem_v2"),
    ("cuDevicePrimaryCtxSetFlags_v2", "cuDevicePrimaryCtxSetFlags_v2"),
    ("primary_ctx::retain", "cuDevicePrimaryCtxRetain"),
    ("primary_ctx::release", "cuDevicePrimaryCtxRelease_v2"),
    ("ctx::set_current", "cuCtxSetCurrent"),
    ("mem_get_info", "cuMemGetInfo_v2"),
    ("malloc_sync", "cuMemAlloc_v2"),
    ("free_sync", "cuMemFree_v2"),
    ("malloc_host", "cuMemHostAlloc"),
    ("free_host", "cuMemFreeHost"),
    ("cuPointerGetAttribute", "cuPointerGetAttribute"),
    ("stream::get_priority_range", "cuCtxGetStreamPriorityRange"),
    ("stream::create_with_priority", "cuStreamCreateWithPriority"),
    ("stream::create", "cuStreamCreate"),
    ("stream::synchronize", "cuStreamSynchronize"),
    ("stream::wait_event", "cuStreamWaitEvent"),
    ("stream::destroy", "cuStreamDestroy_v2"),
    ("memset_d8_async", "cuMemsetD8Async"),
    ("memcpy_htod_async", "cuMemcpyHtoDAsync_v2"),
    ("memcpy_dtoh_async", "cuMemcpyDtoHAsync_v2"),
    ("launch_kernel", "cuLaunchKernel"),
    ("event::create", "cuEventCreate"),
    ("event::record", "cuEventRecord"),
    ("event::synchronize", "cuEventSynchronize"),
    ("event::elapsed", "cuEventElapsedTime"),
    ("event::destroy", "cuEventDestroy_v2"),
    ("module::load_data", "cuModuleLoadData"),
    ("module::get_function", "cuModuleGetFunction"),
    ("function::set_function_attribute", "cuFuncSetAttribute"),
    ("module::unload", "cuModuleUnload"),
];

/// The first function that the driver lacks. cudarc must have found the library.
pub(super) fn missing() -> Option<&'static str> {
    // SAFETY: the library is open, or can be opened, as the caller has checked.
    let library = unsafe { sys::culib() };
    FUNCTIONS.iter().map(|(_, name)| *name).find(|name| {
        // SAFETY: the address is not called.
        unsafe { library.get::<*const c_void>(name.as_bytes()) }.is_err()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::FUNCTIONS;

    /// Names that follow `prefix` and are called.
    fn calls<'a>(text: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        text.split(prefix).skip(1).filter_map(|rest| {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || "_:".contains(c)))?;
            rest[end..].starts_with('(').then_some(&rest[..end])
        })
    }

    #[test]
    fn every_call_of_the_driver_is_in_the_table() {
        let text = include_str!("driver.rs");
        let direct = calls(text, "sys::").filter(|name| name.starts_with("cu"));
        let errors = calls(text, "error.").filter(|name| name.starts_with("error_"));
        let called: BTreeSet<_> = calls(text, "result::").chain(direct).chain(errors).collect();
        let listed: BTreeSet<_> = FUNCTIONS.iter().map(|(call, _)| *call).collect();
        assert_eq!(called, listed);
    }
}

//! Devices.

use std::ffi::c_char;

use crate::handles::{DEVICES, Device};
use crate::info::write_text;
use crate::status::{Failure, Status, guard, guard_run};
use crate::types::{check, text, write};

/// Opens a device by name: "auto" (an NVIDIA GPU if there is one, else the CPU), "cpu", "cuda",
/// "cuda:1", "cuda:0,1" (both share every MSM), "webgpu", "webgpu:1". `threads` is the number of
/// threads of a CPU, 0 for all; it is an error with other devices. No other device is taken
/// silently.
///
/// # Safety
///
/// `name` is a string that ends with a zero; `out` may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_device_open(
    name: *const c_char,
    threads: u32,
    out: *mut Device,
) -> Status {
    guard_run(|| {
        check(out, "out")?;
        // SAFETY: null, or valid by the contract of this function.
        let name = unsafe { text(name, "name") }?;
        let device = match (name, threads) {
            (_, 0) => engine::Device::named(name)?,
            ("cpu", threads) => engine::Device::cpu_with_threads(threads as usize)?,
            _ => return Err(Failure::argument(format!("threads are for cpu, not for {name}"))),
        };
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write(out, "out", Device { id: DEVICES.insert(device) }) }
    })
}

/// Closes a device. Bases on it stay usable, and keep its memory, until they are freed. Closing
/// device 0 does nothing; closing one twice is an error.
#[unsafe(no_mangle)]
pub extern "C" fn bucketeer_device_close(device: Device) -> Status {
    guard(|| DEVICES.remove(device.id))
}

/// Writes what the device is, with a zero at the end, into `size` bytes. `needed`, if it is not
/// null, gets the bytes of the whole text, its zero among them; a longer text is cut.
///
/// # Safety
///
/// `size` bytes may be written at `out`; `needed` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_device_describe(
    device: Device,
    out: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> Status {
    guard(|| {
        let device = DEVICES.get(device.id)?;
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write_text(&device.to_string(), out, size, needed) }
    })
}

//! Plans: what a run would do, and the memory it would take.

use std::ffi::c_char;

use engine::Plan as EnginePlan;
use engine::plan::Request;

use crate::handles::{DEVICES, Device};
use crate::status::{Status, guard};
use crate::types::{Options, curve, write};

/// What a run would do.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Bytes beyond the inputs, the table among them.
    pub memory_bytes: u64,
    /// Bytes of the table that is kept on the device.
    pub table_bytes: u64,
    /// Predicted time of one MSM.
    pub nanoseconds: f64,
    /// Chunks that the bases are cut into.
    pub chunks: u64,
    /// Bits of a window.
    pub window_bits: u32,
    /// Copies of each base in the table.
    pub precompute: u32,
    /// Zeros.
    pub reserved: [u32; 4],
}

/// Plans an MSM over `count` bases, without running it: `resident` not 0 for bases that
/// bucketeer_bases_load keeps, 0 for bucketeer_msm_once. `options` may be null.
///
/// # Safety
///
/// `curve_name` is a string that ends with a zero; `options` is null or valid; `out` may be written
/// to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_plan(
    device: Device,
    curve_name: *const c_char,
    count: usize,
    resident: u32,
    options: *const Options,
    out: *mut Plan,
) -> Status {
    guard(|| {
        let device = DEVICES.get(device.id)?;
        // SAFETY: null, or valid by the contract of this function.
        let (curve, (options, _)) = unsafe { (curve(curve_name)?, Options::read(options)?) };
        let spec = curve.any().spec();
        let request = Request::new(&spec, count, device.facts())
            .settings(&options.settings)
            .resident(resident != 0);
        let plan = EnginePlan::new(&request)?;
        let plan = Plan {
            memory_bytes: plan.bytes(),
            table_bytes: plan.table_bytes(),
            nanoseconds: plan.cost.nanoseconds,
            chunks: plan.chunks as u64,
            window_bits: plan.shape.window_bits,
            precompute: plan.shape.precompute,
            reserved: [0; 4],
        };
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write(out, "out", plan) }
    })
}

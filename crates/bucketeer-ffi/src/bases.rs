//! Bases, and MSMs over them.

use std::ffi::{c_char, c_void};

use engine::any::{AnyBases, AnyCurve, AnyPoints, AnySum, Layout, RunOptions};
use engine::packed::Representation;
use engine::{Error, PointFault};

use crate::handles::{BASES, Bases, DEVICES, Device};
use crate::info::write_text;
use crate::status::{Failure, Status, guard, guard_run};
use crate::types::{
    Options, Points, Scalars, check, check_room, curve, reference, representation, room, write,
};

/// Bases on a device.
pub(crate) struct Loaded {
    pub(crate) bases: Box<dyn AnyBases>,
    pub(crate) layout: Layout,
}

/// The caller's points, checked as the options say, and those options.
///
/// # Safety
///
/// The pointers are valid, and so are those inside of what they point to.
unsafe fn unpack(
    curve: &dyn AnyCurve,
    layout: &Layout,
    points: *const Points,
    options: *const Options,
) -> Result<(Box<dyn AnyPoints>, RunOptions), Failure> {
    // SAFETY: null, or valid by the contract of this function.
    let (points, (options, check)) =
        unsafe { (reference(points, "points")?.packed(layout)?, Options::read(options)?) };
    let points = curve.unpack_points(&points)?;
    if check {
        let mut seed = [0; 32];
        let no_seed = |error| Error::Internal(format!("no random bytes: {error}"));
        getrandom::fill(&mut seed).map_err(no_seed)?;
        if let Some(index) = points.first_outside(Some(seed)) {
            let reason = PointFault::NotInSubgroup;
            return Err(Error::InvalidBase { index, reason }.into());
        }
    }
    Ok((points, options))
}

/// Writes sums one after the other.
///
/// # Safety
///
/// `size` bytes may be written at `out`.
pub(crate) unsafe fn write_sums(
    sums: &[AnySum],
    layout: &Layout,
    representation: Representation,
    out: *mut c_void,
    size: usize,
) -> Result<(), Failure> {
    // SAFETY: null, or valid by the contract of this function.
    let room = unsafe { room(out, size, sums.len().saturating_mul(layout.point())) }?;
    for (sum, out) in sums.iter().zip(room.chunks_exact_mut(layout.point())) {
        sum.write(representation, out)?;
    }
    Ok(())
}

/// Loads points onto a device and keeps them there. That they lie on the curve is checked, unless
/// they are trusted. `options` may be null.
///
/// # Safety
///
/// The pointers are valid, and `points->data` has the bytes that its fields describe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_bases_load(
    device: Device,
    curve_name: *const c_char,
    points: *const Points,
    options: *const Options,
    out: *mut Bases,
) -> Status {
    guard_run(|| {
        check(out, "out")?;
        let device = DEVICES.get(device.id)?;
        // SAFETY: null, or valid by the contract of this function.
        let curve = unsafe { curve(curve_name) }?.any();
        let layout = curve.layout();
        // SAFETY: null, or valid by the contract of this function.
        let (points, options) = unsafe { unpack(&*curve, &layout, points, options) }?;
        let bases = points.load(&device, points.len(), &options)?;
        let id = BASES.insert(Loaded { bases, layout });
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write(out, "out", Bases { id }) }
    })
}

/// Frees bases. Runs in progress end first; jobs go on. Freeing bases 0 does nothing; freeing some
/// twice is an error.
#[unsafe(no_mangle)]
pub extern "C" fn bucketeer_bases_free(bases: Bases) -> Status {
    guard(|| BASES.remove(bases.id))
}

/// The number of bases.
///
/// # Safety
///
/// `out` may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_bases_count(bases: Bases, out: *mut usize) -> Status {
    guard(|| {
        let count = BASES.get(bases.id)?.bases.len();
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write(out, "out", count) }
    })
}

/// Writes the plan of an MSM over all bases, as bucketeer_device_describe writes its text.
///
/// # Safety
///
/// `size` bytes may be written at `out`; `needed` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_bases_describe(
    bases: Bases,
    out: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> Status {
    guard(|| {
        let text = BASES.get(bases.id)?.bases.plan().to_string();
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write_text(&text, out, size, needed) }
    })
}

/// The MSM of the scalars and as many bases, from base `first` on. The sum is written as a point of
/// this form, of BucketeerLayout.point_bytes bytes; `out_bytes` is the room there is.
///
/// # Safety
///
/// The pointers are valid, `scalars->data` has the bytes that its fields describe, and `out_bytes`
/// bytes may be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_msm(
    bases: Bases,
    first: usize,
    scalars: *const Scalars,
    form: u32,
    out: *mut c_void,
    out_bytes: usize,
) -> Status {
    guard_run(|| {
        let Loaded { bases, layout } = &*BASES.get(bases.id)?;
        let representation = representation(form)?;
        check_room(out, out_bytes, layout.point())?;
        // SAFETY: null, or valid by the contract of this function.
        let scalars = unsafe { reference(scalars, "scalars")?.packed(layout) }?;
        let sum = bases.msm_packed(first, &scalars)?.sum;
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write_sums(&[sum], layout, representation, out, out_bytes) }
    })
}

/// `count` MSMs over the same bases, from base `first` on. The scalars of each have a length and a
/// form of their own. Sums are written one after the other.
///
/// # Safety
///
/// `scalars` points to `count` structures, and the data of each has the bytes that its fields
/// describe; `out_bytes` bytes may be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_msm_batch(
    bases: Bases,
    first: usize,
    scalars: *const Scalars,
    count: usize,
    form: u32,
    out: *mut c_void,
    out_bytes: usize,
) -> Status {
    guard_run(|| {
        let Loaded { bases, layout } = &*BASES.get(bases.id)?;
        let representation = representation(form)?;
        check_room(out, out_bytes, count.saturating_mul(layout.point()))?;
        let scalars = match count {
            0 => &[],
            _ => {
                check(scalars, "scalars")?;
                if count > isize::MAX as usize / size_of::<Scalars>() {
                    return Err(Failure::argument(format!("{count} MSMs do not exist")));
                }
                // SAFETY: neither null nor misaligned; valid by the contract of this function.
                unsafe { std::slice::from_raw_parts(scalars, count) }
            }
        };
        // SAFETY: null, or valid by the contract of this function.
        let batch = scalars.iter().map(|scalars| unsafe { scalars.packed(layout) });
        let sums = bases.msm_batch_packed(first, &batch.collect::<Result<Vec<_>, _>>()?)?;
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write_sums(&sums, layout, representation, out, out_bytes) }
    })
}

/// One MSM over points that are not kept: as many points as scalars. `options` may be null.
///
/// # Safety
///
/// The pointers are valid, `points->data` and `scalars->data` have the bytes that their fields
/// describe, and `out_bytes` bytes may be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_msm_once(
    device: Device,
    curve_name: *const c_char,
    points: *const Points,
    scalars: *const Scalars,
    options: *const Options,
    form: u32,
    out: *mut c_void,
    out_bytes: usize,
) -> Status {
    guard_run(|| {
        let device = DEVICES.get(device.id)?;
        // SAFETY: null, or valid by the contract of this function.
        let curve = unsafe { curve(curve_name) }?.any();
        let layout = curve.layout();
        let representation = representation(form)?;
        check_room(out, out_bytes, layout.point())?;
        // SAFETY: null, or valid by the contract of this function.
        let given = unsafe { (reference(points, "points")?, reference(scalars, "scalars")?) };
        if given.0.count != given.1.count {
            let (bases, scalars) = (given.0.count, given.1.count);
            return Err(Error::LengthMismatch { bases, scalars }.into());
        }
        // SAFETY: null, or valid by the contract of this function.
        let scalars = unsafe { given.1.packed(&layout) }?;
        // SAFETY: null, or valid by the contract of this function.
        let (points, options) = unsafe { unpack(&*curve, &layout, points, options) }?;
        let sum = points.msm_packed(&device, &options, &scalars)?.sum;
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write_sums(&[sum], &layout, representation, out, out_bytes) }
    })
}

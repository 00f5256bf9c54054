//! Versions, curves and texts.

use std::ffi::{CString, c_char};
use std::sync::LazyLock;

use engine::curves::CURVES;

use crate::status::{Failure, Status, guard};
use crate::types::{Layout, check, curve, room, write};

/// The version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn bucketeer_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The number of curves.
#[unsafe(no_mangle)]
pub extern "C" fn bucketeer_curve_count() -> usize {
    CURVES.len()
}

/// The name of a curve, from 0 on; null beyond the last one. The string is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn bucketeer_curve_name(index: usize) -> *const c_char {
    static NAMES: LazyLock<Vec<CString>> = LazyLock::new(|| {
        CURVES.iter().map(|curve| CString::new(curve.name).unwrap_or_default()).collect()
    });
    NAMES.get(index).map_or(std::ptr::null(), |name| name.as_ptr())
}

/// The sizes of a curve's points and scalars. Names are as on the command line: "bn254",
/// "bn254-g2", "bls12-381", …; case, hyphens and underscores do not matter.
///
/// # Safety
///
/// `name` is a string that ends with a zero; `out` may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bucketeer_curve_layout(name: *const c_char, out: *mut Layout) -> Status {
    guard(|| {
        // SAFETY: null, or valid by the contract of this function.
        let layout = unsafe { curve(name) }?.any().layout();
        // SAFETY: null, or valid by the contract of this function.
        unsafe { write(out, "out", layout.into()) }
    })
}

/// Frees the working memory that runs on the CPU keep for later runs, and overwrites what depends
/// on scalars.
#[unsafe(no_mangle)]
pub extern "C" fn bucketeer_release_workspaces() -> Status {
    guard(|| {
        engine::release_workspaces();
        Ok(())
    })
}

/// Writes a text that ends with a zero, cut to `size` bytes.
///
/// # Safety
///
/// `size` bytes may be written at `out`; `needed` is null, misaligned or may be written to.
pub(crate) unsafe fn write_text(
    text: &str,
    out: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> Result<(), Failure> {
    if !needed.is_null() {
        check(needed, "needed")?;
    }
    let within = |(at, c): (usize, char)| at + c.len_utf8() < size;
    let kept = text.char_indices().take_while(|at| within(*at)).last();
    let cut = kept.map_or(0, |(at, c)| at + c.len_utf8());
    if size > 0 {
        // SAFETY: valid by the contract of this function; the text has at most `size` bytes with
        // its zero.
        let out = unsafe { room(out.cast(), size, cut + 1) }?;
        out[..cut].copy_from_slice(&text.as_bytes()[..cut]);
        out[cut] = 0;
    }
    if needed.is_null() {
        return Ok(());
    }
    // SAFETY: null, or valid by the contract of this function.
    unsafe { write(needed, "needed", text.len() + 1) }
}

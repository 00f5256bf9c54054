//! Validation: settings that no plan can carry out are refused before anything else, and all later
//! steps take a [`Valid`] request.

use std::ops::Deref;

use super::odd::{MAX_ODD_MULTIPLES, Weights};
use super::shape::{MAX_PRECOMPUTE, MAX_WINDOW_BITS};
use super::{
    Accumulate, Digits, MAX_SCALAR_BITS, Reduce, Request, ScalarBound, Settings, gpu, straus,
};
use crate::Error;
use crate::facts::DeviceKind;

/// A request whose settings some plan can carry out, with device facts small enough to compute
/// with.
#[derive(Debug, Clone)]
pub(super) struct Valid<'a>(Request<'a>);

impl<'a> Valid<'a> {
    /// Refuses settings that no plan can carry out.
    pub(super) fn new(request: &Request<'a>) -> Result<Self, Error> {
        check_settings(request)?;
        Ok(Self(Request { device: request.device.within_reason(), ..request.clone() }))
    }

    /// Bytes that all buffers together may take.
    pub(super) fn available(&self) -> u64 {
        let available = self.settings.memory_limit.unwrap_or(self.device.memory);
        // Sizes saturate at the largest number, which therefore never fits.
        available.min(u64::MAX - 1)
    }
}

impl<'a> Deref for Valid<'a> {
    type Target = Request<'a>;

    fn deref(&self) -> &Request<'a> {
        &self.0
    }
}

fn check_settings(request: &Request<'_>) -> Result<(), Error> {
    let settings = &request.settings;
    check("window bits", settings.window_bits, MAX_WINDOW_BITS)?;
    check("precompute factor", settings.precompute, MAX_PRECOMPUTE)?;
    let invalid = |setting, value: &str, reason: &str| {
        Err(Error::InvalidSetting { setting, value: value.into(), reason: reason.into() })
    };
    if let Some(count) = settings.odd_multiples {
        odd_multiples_allowed(request, count)?;
    }
    if settings.chunk == Some(0) {
        return invalid("chunk", "0", "a chunk holds at least one base");
    }
    if settings.accumulate == Some(Accumulate::InPlace) && request.device.kind != DeviceKind::Cpu {
        return invalid("accumulate", "in place", "GPUs group digits first");
    }
    if settings.accumulate == Some(Accumulate::BatchedAffine) {
        match request.device.kind {
            DeviceKind::Cuda if gpu::affine_fits(request) => {}
            DeviceKind::Cuda => {
                let reason = "the curve's coordinates need more shared memory than the GPU has";
                return invalid("accumulate", "affine", reason);
            }
            DeviceKind::Cpu => {
                return invalid("accumulate", "affine", "a CPU sums slices in affine coordinates");
            }
            DeviceKind::WebGpu => {
                return invalid("accumulate", "affine", "there are no shaders for it");
            }
        }
    }
    if settings.accumulate == Some(Accumulate::Straus) {
        if request.device.kind != DeviceKind::Cpu {
            return invalid("accumulate", "straus", "GPUs have no way without buckets");
        }
        if !straus::possible(request) {
            let reason = "the curve's own additions are not right for every point of it";
            return invalid("accumulate", "straus", reason);
        }
        if settings.digits == Some(Digits::Unsigned) {
            return invalid("digits", "unsigned", "without buckets they are signed");
        }
        if let Some(bits) = settings.window_bits.filter(|bits| !straus::BITS.contains(bits)) {
            let reason =
                "without buckets, where multiples of every base are stored, it must be from 2 to 8";
            return invalid("window bits", &bits.to_string(), reason);
        }
    }
    let bits = match request.scalars {
        ScalarBound::Order => request.curve.scalar_bits(),
        ScalarBound::Bits(bits) | ScalarBound::Signed(bits) => bits,
    };
    check("scalar bits", Some(bits), MAX_SCALAR_BITS)?;
    if settings.window_bits == Some(1) && settings.digits == Some(Digits::Signed) {
        return invalid("window bits", "1", "signed digits need at least 2");
    }
    check("last window bits", settings.last_window_bits, MAX_WINDOW_BITS)?;
    if settings.last_window_bits.is_some()
        && (settings.digits != Some(Digits::Unsigned) || settings.window_bits.is_none())
    {
        let reason = "it needs unsigned digits and a width of the other windows";
        return invalid("last window bits", "another width", reason);
    }
    if settings.endomorphism == Some(true) {
        if request.curve.endomorphism.is_none() {
            return invalid("endomorphism", "true", "the curve has none of the form (β·x, y)");
        }
        if request.device.kind != DeviceKind::Cpu {
            return invalid("endomorphism", "true", "GPUs fold windows by precomputation instead");
        }
        if settings.any_point {
            return invalid("endomorphism", "true", "it needs bases in the prime-order subgroup");
        }
    }
    Ok(())
}

/// Refuses numbers of odd multiples that no plan can use.
fn odd_multiples_allowed(request: &Request<'_>, count: u32) -> Result<(), Error> {
    let settings = &request.settings;
    let refused = |reason: String| {
        let setting = "odd multiples";
        Err(Error::InvalidSetting { setting, value: count.to_string(), reason })
    };
    if !count.is_power_of_two() || count > MAX_ODD_MULTIPLES {
        return refused(format!("it must be a power of two from 1 to {MAX_ODD_MULTIPLES}"));
    }
    if count == 1 {
        return Ok(());
    }
    if request.device.kind != DeviceKind::Cpu {
        return refused("GPUs fold windows by precomputation only".into());
    }
    if let Some(what) = needs_all_weights(settings) {
        return refused(format!("{what} needs buckets of all weights"));
    }
    let widths = Weights::widths(count);
    match settings.window_bits.filter(|bits| !widths.contains(bits)) {
        Some(bits) => {
            let (least, most) = widths.into_inner();
            let reason =
                format!("windows of {bits} bits cannot use them, but those of {least} to {most}");
            refused(reason)
        }
        None => Ok(()),
    }
}

/// The setting, if any, that needs buckets of all weights in their order. Odd multiples leave out
/// some.
pub(super) fn needs_all_weights(settings: &Settings) -> Option<&'static str> {
    if settings.digits == Some(Digits::Unsigned) {
        return Some("unsigned digits");
    }
    let ways = [None, Some(Accumulate::Slices), Some(Accumulate::InPlace)];
    if !ways.contains(&settings.accumulate) {
        return Some("this way to accumulate");
    }
    settings.reduce.filter(|way| *way != Reduce::WindowSplitting).map(|_| "this way to reduce")
}

fn check(setting: &'static str, value: Option<u32>, most: u32) -> Result<(), Error> {
    match value {
        Some(value) if value == 0 || value > most => Err(Error::InvalidSetting {
            setting,
            value: value.to_string(),
            reason: format!("it must be from 1 to {most}"),
        }),
        _ => Ok(()),
    }
}

//! Checks a sum by a second method.
//!
//! Few points: sums by double-and-add, which share nothing with the engines, not even the addition
//! law. Many points: a plan that differs in every stage — unsigned digits, one XYZZ accumulator per
//! bucket, running sums — on arkworks' field arithmetic.

use bucketeer::any::{AnyCurve, AnyPoints, AnyScalars, AnyStream, Coordinates, RunOptions};
use bucketeer::plan::{Accumulate, Digits, Reduce};
use bucketeer::{Device, Error};

use crate::ranks;

/// Word products up to which double-and-add takes about a second at most.
const FEW: u128 = 1 << 26;

/// The sum by another method, and that method's name.
pub fn second_opinion(
    curve: &dyn AnyCurve,
    points: &dyn AnyPoints,
    scalars: &AnyScalars,
    any_point: bool,
) -> Result<(Coordinates, &'static str), Error> {
    let spec = curve.spec();
    let products = spec.limbs * spec.limbs * if spec.degree == 1 { 1 } else { 3 };
    if (scalars.words() * 64) as u128 * products as u128 <= FEW {
        return Ok((points.reference(scalars)?, "by double-and-add"));
    }
    let sum = points.msm_with_report(&plain_device()?, &plain(any_point, None), scalars)?.sum;
    Ok((existing(sum.coordinates())?, PLAIN))
}

/// The sum of streamed files by the plain plan, within the same memory.
pub fn streamed_second_opinion(
    stream: &dyn AnyStream,
    any_point: bool,
    memory_limit: Option<u64>,
) -> Result<(Coordinates, &'static str), Error> {
    let sum = stream.msm_with_report(&plain_device()?, &plain(any_point, memory_limit))?.sum;
    Ok((existing(sum.coordinates())?, PLAIN))
}

const PLAIN: &str = "by a plain plan on arkworks' arithmetic";

fn plain_device() -> Result<Device, Error> {
    Ok(ranks::over(Device::cpu().portable()?))
}

/// Options of a plan that differs in every stage from those of runs.
fn plain(any_point: bool, memory_limit: Option<u64>) -> RunOptions {
    let mut options = RunOptions::default();
    let settings = &mut options.settings;
    settings.digits = Some(Digits::Unsigned);
    settings.endomorphism = Some(false);
    settings.negate = Some(false);
    settings.accumulate = Some(Accumulate::PerBucket);
    settings.reduce = Some(Reduce::SlicedRunningSum { slices: 64 });
    settings.any_point = any_point;
    settings.memory_limit = memory_limit;
    options
}

/// The sum, unless it is not a point.
fn existing(sum: Coordinates) -> Result<Coordinates, Error> {
    match sum {
        Coordinates::None => Err(Error::NotRepresentable),
        sum => Ok(sum),
    }
}

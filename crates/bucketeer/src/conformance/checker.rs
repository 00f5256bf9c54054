//! Runs cases and keeps the score.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::input::{Input, Known};
use super::{CaseResult, Filter};
use crate::plan::Settings;
use crate::{Bases, Builder, Curve, Device, Error};

/// Cases of one curve on one device.
pub(super) struct Checker<'a, C: Curve> {
    pub(super) device: &'a Device,
    pub(super) filter: &'a Filter,
    /// Bases to take inputs from.
    pub(super) known: Known<C>,
    curve: &'static str,
    passed: usize,
    failed: Vec<String>,
}

impl<'a, C: Curve> Checker<'a, C> {
    pub(super) fn new(curve: &'static str, device: &'a Device, filter: &'a Filter) -> Self {
        Self { device, filter, known: Known::new(), curve, passed: 0, failed: Vec::new() }
    }

    /// Runs the cases of one row group.
    pub(super) fn group(&mut self, group: &str, cases: fn(&mut Self)) -> CaseResult {
        let start = Instant::now();
        cases(self);
        CaseResult {
            curve: self.curve,
            group: group.into(),
            passed: std::mem::take(&mut self.passed),
            failed: std::mem::take(&mut self.failed),
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    /// The first of two values in a full run, the second in a quick one.
    pub(super) fn full_or<T>(&self, full: T, quick: T) -> T {
        if self.filter.quick { quick } else { full }
    }

    /// A builder with these settings, on top of the preset under test.
    pub(super) fn builder(&self, settings: &Settings) -> Builder<C> {
        let builder = Bases::builder().settings(settings.clone());
        match self.filter.preset {
            Some(preset) => builder.preset(preset),
            None => builder,
        }
    }

    /// One MSM of residues over borrowed bases, and the same over loaded ones.
    pub(super) fn case(&mut self, input: &Input<C>, settings: &Settings) {
        let builder = self.builder(settings);
        let device = self.device;
        let Input { name, points, scalars, expected } = input;
        let scalars = crate::Scalars::residues(scalars);
        self.sum(format!("{name}, borrowed"), settings, expected, || {
            builder.msm(device, points, scalars)
        });
        self.sum(format!("{name}, loaded"), settings, expected, || {
            builder.load(device, points)?.msm(scalars)
        });
    }

    /// A run that must yield this sum.
    pub(super) fn sum(
        &mut self,
        case: impl Display,
        settings: &Settings,
        expected: &C::Group,
        run: impl FnOnce() -> Result<C::Group, Error>,
    ) {
        self.check(case, settings, run, |result| match result {
            Ok(sum) if sum == expected => None,
            Ok(_) => Some("a wrong sum".into()),
            Err(error) => Some(format!("error: {error}")),
        });
    }

    /// A run whose outcome `judge` finds no fault with.
    pub(super) fn check<R>(
        &mut self,
        case: impl Display,
        settings: &Settings,
        run: impl FnOnce() -> Result<R, Error>,
        judge: impl FnOnce(&Result<R, Error>) -> Option<String>,
    ) {
        let fault = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(result) => judge(&result),
            Err(panic) => Some(format!("panic: {}", panic_text(&*panic))),
        };
        match fault {
            None => self.passed += 1,
            Some(fault) => {
                let (curve, device) = (self.curve, self.device);
                let settings = self.describe(settings);
                self.failed.push(format!("{curve}: {case}; {settings}; {device}: {fault}"));
            }
        }
    }

    /// The settings that were set, in words.
    fn describe(&self, settings: &Settings) -> String {
        let Settings {
            window_bits,
            precompute,
            endomorphism,
            negate,
            digits,
            group,
            accumulate,
            reduce,
            chunk,
            memory_limit,
            any_point,
            preset,
        } = settings;
        let text = |name: &str, value: Option<String>| value.map(|v| format!("{name} {v}"));
        let preset = self.filter.preset.map(|p| p.name).or(*preset);
        let parts = [
            text("preset", preset.map(Into::into)),
            text("window bits", window_bits.map(|v| v.to_string())),
            text("precompute factor", precompute.map(|v| v.to_string())),
            text("endomorphism", endomorphism.map(|v| v.to_string())),
            text("negate", negate.map(|v| v.to_string())),
            digits.map(|v| v.to_string()),
            group.map(|v| v.to_string()),
            accumulate.map(|v| v.to_string()),
            reduce.map(|v| v.to_string()),
            text("chunk", chunk.map(|v| v.to_string())),
            text("memory limit", memory_limit.map(|v| v.to_string())),
            any_point.then(|| "any point".into()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { "automatic settings".into() } else { parts.join(", ") }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("of unknown kind")
}

//! The conformance table: what every device, preset and curve is held to.
//!
//! A *row group* of the table fixes what is varied — sizes, kinds of scalars, kinds of bases, window
//! widths, precompute factors, choices of the stages, presets, batches, chunks, integers, points outside
//! the subgroup. Every case is an MSM whose answer is known without the engine: bases have known
//! logarithms ([`KnownBases`]), so that the answer is one inner product and one scalar multiplication
//! by arkworks; points outside the subgroup are summed one by one, by double-and-add.
//!
//! Tests, `bucketeer selftest` and users who define a curve of their own run the same table:
//!
//! ```
//! use bucketeer::conformance::{Filter, run_curve};
//! use bucketeer::Device;
//! let filter = Filter { quick: true, ..Filter::default() };
//! let summary = run_curve::<ark_secp256r1::Affine>("secp256r1", &Device::cpu(), &filter, &mut |row| {
//!     assert!(row.failed.is_empty(), "{:?}", row.failed);
//! });
//! assert_eq!(summary.failed, 0);
//! ```

mod any_point;
mod checker;
mod input;
mod inputs;
mod integers;
mod rows;
mod runs;
mod settings;

pub use inputs::{Distribution, KnownBases};

use std::ops::AddAssign;

use checker::Checker;

use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::plan::Preset;
use crate::{Curve, Device};

/// Which part of the table to run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    /// Only this curve; all named ones if not set.
    pub curve: Option<&'static NamedCurve>,
    /// Start every case from this preset; otherwise from the automatic plan, with a row group for all
    /// presets.
    pub preset: Option<&'static Preset>,
    /// A fraction of the cases, for a first look.
    pub quick: bool,
}

/// One row group on one curve.
#[derive(Debug, Clone)]
pub struct CaseResult {
    /// The curve.
    pub curve: &'static str,
    /// What the row group varies.
    pub group: String,
    /// Cases with the right sum.
    pub passed: usize,
    /// Every other case: curve, case, settings, and what came instead.
    pub failed: Vec<String>,
    /// Time taken.
    pub seconds: f64,
}

/// Cases in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Cases with the right sum.
    pub passed: usize,
    /// Cases with a wrong sum, an unexpected error or a panic.
    pub failed: usize,
}

impl AddAssign for Summary {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// Runs the table on the named curves.
pub fn run(device: &Device, filter: &Filter, report: &mut dyn FnMut(&CaseResult)) -> Summary {
    struct Table<'a> {
        device: &'a Device,
        filter: &'a Filter,
        report: &'a mut dyn FnMut(&CaseResult),
    }
    impl Visitor for Table<'_> {
        type Output = Summary;
        fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Summary {
            run_curve::<C>(curve.name, self.device, self.filter, self.report)
        }
    }
    let mut summary = Summary::default();
    for curve in CURVES.iter().filter(|curve| filter.curve.is_none_or(|only| only == *curve)) {
        summary += curve.visit(Table { device, filter, report });
    }
    summary
}

/// Runs the table on any curve; `filter.curve` is not looked at.
pub fn run_curve<C: Curve>(
    name: &'static str,
    device: &Device,
    filter: &Filter,
    report: &mut dyn FnMut(&CaseResult),
) -> Summary {
    let groups: [(&str, fn(&mut Checker<'_, C>)); 13] = [
        ("sizes", rows::sizes),
        ("scalars", rows::scalars),
        ("bases", rows::bases),
        ("window widths", settings::window_widths),
        ("decompositions", settings::decompositions),
        ("precompute factors", settings::precompute_factors),
        ("stages", settings::stages),
        ("presets", settings::presets),
        ("batches", runs::batches),
        ("chunks", runs::chunks),
        ("integers", integers::integers),
        ("any point", any_point::any_point),
        ("large", runs::large),
    ];
    let mut checker = Checker::<C>::new(name, device, filter);
    let mut summary = Summary::default();
    for (group, cases) in groups {
        let result = checker.group(group, cases);
        summary += Summary { passed: result.passed, failed: result.failed.len() };
        report(&result);
    }
    summary
}

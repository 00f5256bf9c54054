//! The conformance table: what every device, preset and curve is held to.
//!
//! 1. A *case* is data: bases, scalars, settings and a way to run them (`case`).
//! 2. A *row group* is a list of cases that vary one thing: sizes, kinds of scalars, kinds of bases, window
//!    widths, precompute factors, choices of the stages, presets, batches, chunks, integers, points
//!    outside the subgroup (`inputs`(self), `settings`, `runs`).
//! 3. A *subject* is a curve that carries cases out and judges the sums (`subject`). It knows every sum
//!    without the engine: bases have known logarithms ([`KnownBases`]), so the sum is one inner
//!    product and one scalar multiplication by arkworks; points outside the subgroup are added up
//!    one by one, by double-and-add.
//!
//! Only the subject is generic over the curve. Tests, `bucketeer selftest` and users with a curve of
//! their own run the same table:
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

mod case;
mod inputs;
mod rows;
mod runs;
mod settings;
mod subject;

pub use inputs::{Distribution, KnownBases};

use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::Instant;

use case::Case;
use subject::{OnCurve, Subject};

use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::plan::Preset;
use crate::{Curve, Device, DeviceKind};

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
    /// Cases with the right outcome.
    pub passed: usize,
    /// Every other case: curve, case, settings, device, and what came instead.
    pub failed: Vec<String>,
    /// Time taken.
    pub seconds: f64,
}

/// Cases in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Cases with the right outcome.
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

/// Curves tested side by side on a GPU, where much of the time is the host's: making inputs, compiling
/// kernels and waiting.
const SIDE_BY_SIDE: usize = 5;

/// Runs the table on the named curves.
pub fn run(device: &Device, filter: &Filter, report: &mut dyn FnMut(&CaseResult)) -> Summary {
    struct Named<'a> {
        device: &'a Device,
        filter: &'a Filter,
        report: &'a mut dyn FnMut(&CaseResult),
    }
    impl Visitor for Named<'_> {
        type Output = Summary;
        fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Summary {
            run_curve::<C>(curve.name, self.device, self.filter, self.report)
        }
    }
    let wanted = |curve: &&NamedCurve| filter.curve.is_none_or(|only| only == *curve);
    let curves: Vec<&'static NamedCurve> = CURVES.iter().filter(wanted).collect();
    let workers = if device.kind() == DeviceKind::Cpu { 1 } else { SIDE_BY_SIDE };
    let (next, (sender, results)) = (AtomicUsize::new(0), mpsc::channel());
    let mut summary = Summary::default();
    std::thread::scope(|scope| {
        for _ in 0..workers.min(curves.len()) {
            let (next, curves, sender) = (&next, &curves, sender.clone());
            scope.spawn(move || {
                while let Some(curve) = curves.get(next.fetch_add(1, Relaxed)) {
                    // The receiver outlives the senders, so sending cannot fail.
                    let report = &mut |result: &CaseResult| drop(sender.send(result.clone()));
                    curve.visit(Named { device, filter, report });
                }
            });
        }
        drop(sender);
        for result in results {
            summary += Summary { passed: result.passed, failed: result.failed.len() };
            report(&result);
        }
    });
    summary
}

/// Runs the table on any curve; `filter.curve` is not looked at.
pub fn run_curve<C: Curve>(
    name: &'static str,
    device: &Device,
    filter: &Filter,
    report: &mut dyn FnMut(&CaseResult),
) -> Summary {
    run_table(name, &OnCurve::<C>::new(device, filter.preset), device, filter, report)
}

/// A row group: its cases for a subject.
type Group = fn(&dyn Subject, &Filter) -> Vec<Case>;

const GROUPS: [(&str, Group); 15] = [
    ("sizes", rows::sizes),
    ("scalars", rows::scalars),
    ("bases", rows::bases),
    ("window widths", settings::window_widths),
    ("decompositions", settings::decompositions),
    ("last windows", settings::last_windows),
    ("precompute factors", settings::precompute_factors),
    ("stages", settings::stages),
    ("presets", settings::presets),
    ("batches", runs::batches),
    ("chunks", runs::chunks),
    ("service", runs::service),
    ("integers", rows::integers),
    ("any point", rows::any_point),
    ("large", runs::large),
];

fn run_table(
    curve: &'static str,
    subject: &dyn Subject,
    device: &Device,
    filter: &Filter,
    report: &mut dyn FnMut(&CaseResult),
) -> Summary {
    let mut summary = Summary::default();
    for (group, cases) in GROUPS {
        let start = Instant::now();
        let (mut passed, mut failed) = (0, Vec::new());
        for case in cases(subject, filter) {
            match fault(subject, &case) {
                None => passed += 1,
                Some(fault) => failed.push(format!("{curve}: {case}; {device}: {fault}")),
            }
        }
        summary += Summary { passed, failed: failed.len() };
        let seconds = start.elapsed().as_secs_f64();
        report(&CaseResult { curve, group: group.into(), passed, failed, seconds });
    }
    summary
}

/// What is wrong with the outcome of a case. A panic is a fault like any other.
fn fault(subject: &dyn Subject, case: &Case) -> Option<String> {
    catch_unwind(AssertUnwindSafe(|| subject.fault(case))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Some(format!("panic: {}", text.unwrap_or("of unknown kind")))
    })
}

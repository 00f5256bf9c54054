//! The conformance table: what every device, preset and curve must pass.
//!
//! 1. A *case* is data: bases, scalars, settings and a way to run them (`case`).
//! 2. A *row group* is a list of cases that vary one thing: sizes, kinds of scalars, kinds of
//!    bases, window widths, precompute factors, choices of the stages, presets, batches, chunks,
//!    integers, points outside the subgroup (`rows`, `settings`, `runs`).
//! 3. A *subject* is a curve that carries cases out and judges the sums (`subject`). It knows every
//!    sum without the engine. Bases have known logarithms
//!    ([`KnownBases`](crate::random::KnownBases)), so the sum is one inner product and one scalar
//!    multiplication by arkworks. Points outside the subgroup are summed by double-and-add.
//!
//! Over the [ranks](Device::over_ranks) of a parallel program all of them run the table together,
//! one case after the other; every rank judges every sum.
//!
//! Only the subject is generic over the curve. Tests, `bucketeer selftest` and users with a curve
//! of their own run the same table:
//!
//! ```
//! use bucketeer::conformance::{CaseResult, Filter, run_curve};
//! use bucketeer::Device;
//! let filter = Filter { quick: true, ..Filter::default() };
//! let mut check = |row: &CaseResult| assert!(row.failed.is_empty(), "{:?}", row.failed);
//! let device = Device::cpu();
//! let summary = run_curve::<ark_secp256r1::Affine>("secp256r1", &device, &filter, &mut check);
//! assert_eq!(summary.failed, 0);
//! ```

mod affine;
mod case;
#[cfg(any(test, all(feature = "any", not(target_family = "wasm"))))]
mod limits;
#[cfg(all(feature = "any", not(test)))]
mod named;
mod rows;
mod runs;
mod settings;
#[cfg(all(feature = "any", not(any(test, target_family = "wasm"))))]
mod soak;
mod subject;
mod verified;

pub use crate::reference::reference_sum;
#[cfg(all(feature = "any", not(test)))]
pub use named::{run, run_async};
#[cfg(all(feature = "any", not(any(test, target_family = "wasm"))))]
pub use soak::{CallTimes, SoakOptions, SoakReport, soak};
pub use subject::on_weierstrass;

use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use case::Case;
use subject::{OnCurve, Subject};

use crate::control::panic_message;
use crate::curves::NamedCurve;
use crate::plan::Preset;
use crate::platform::Instant;
use crate::threads::concurrently;
use crate::wait::wait;
use crate::{Curve, Device, DeviceKind};

/// Which part of the table to run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    /// Only this curve; all named ones if not set.
    pub curve: Option<&'static NamedCurve>,
    /// Start every case from this preset; otherwise from the automatic plan, with a row group for
    /// all presets.
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

/// Cases that run concurrently on a GPU, where a small MSM is mostly latency.
const CONCURRENT_CASES: usize = 10;

/// Runs the table on any curve; `filter.curve` is ignored.
pub fn run_curve<C: Curve>(
    name: &'static str,
    device: &Device,
    filter: &Filter,
    report: &mut dyn FnMut(&CaseResult),
) -> Summary {
    run_blocking(name, &OnCurve::<C>::new(device, filter.preset), device, filter, report)
}

/// A row group: its cases for a subject.
type Group = fn(&dyn Subject, &Filter) -> Vec<Case>;

const GROUPS: [(&str, Group); 20] = [
    ("sizes", rows::sizes),
    ("scalars", rows::scalars),
    ("bases", rows::bases),
    ("window widths", settings::window_widths),
    ("decompositions", settings::decompositions),
    ("last windows", settings::last_windows),
    ("precompute factors", settings::precompute_factors),
    ("odd multiples", settings::odd_multiples),
    ("stages", settings::stages),
    ("affine additions", affine::additions),
    ("few bases", settings::few),
    ("presets", settings::presets),
    ("batches", runs::batches),
    ("slices", runs::slices),
    ("chunks", runs::chunks),
    ("service", runs::service),
    ("integers", rows::integers),
    ("any point", rows::any_point),
    ("verified", verified::verified),
    ("large", runs::large),
];

fn run_blocking(
    curve: &'static str,
    subject: &dyn Subject,
    device: &Device,
    filter: &Filter,
    report: &mut dyn FnMut(&CaseResult),
) -> Summary {
    let table = run_table(curve, subject, device, filter, report, true);
    // A table whose cases may block is never pending.
    wait(async { Ok(table.await) }).unwrap_or_default()
}

/// Runs every row group on a subject; `blocking` says whether cases may block.
async fn run_table(
    curve: &'static str,
    subject: &dyn Subject,
    device: &Device,
    filter: &Filter,
    report: &mut dyn FnMut(&CaseResult),
    blocking: bool,
) -> Summary {
    let mut summary = Summary::default();
    for (group, cases) in GROUPS {
        let start = Instant::now();
        let mut cases = cases(subject, filter);
        if cfg!(target_family = "wasm") && subject.device().kind != DeviceKind::Cpu {
            cases.retain(|case| !matches!(case.run, case::Run::Jobs | case::Run::SeveralBases));
        }
        let faults = if blocking {
            faults(subject, &cases)
        } else {
            let mut faults = Vec::new();
            for case in &cases {
                faults.push(subject.fault(case).await);
            }
            faults
        };
        let result = judged(curve, group, device, &cases, faults, start);
        summary += Summary { passed: result.passed, failed: result.failed.len() };
        report(&result);
    }
    summary
}

/// The result of a row group from the faults of its cases.
fn judged(
    curve: &'static str,
    group: &str,
    device: &Device,
    cases: &[Case],
    faults: Vec<Option<String>>,
    start: Instant,
) -> CaseResult {
    let text = |(case, fault): (&Case, Option<String>)| {
        fault.map(|fault| format!("{curve}: {case}; {device}: {fault}"))
    };
    let failed: Vec<String> = cases.iter().zip(faults).filter_map(text).collect();
    let passed = cases.len() - failed.len();
    let seconds = start.elapsed().as_secs_f64();
    CaseResult { curve, group: group.into(), passed, failed, seconds }
}

/// What is wrong with the outcome of each case.
fn faults(subject: &dyn Subject, cases: &[Case]) -> Vec<Option<String>> {
    if subject.device().kind == DeviceKind::Cpu || subject.is_over_ranks() {
        return cases.iter().map(|case| fault(subject, case)).collect();
    }
    let (next, found) = (AtomicUsize::new(0), Mutex::new(vec![None; cases.len()]));
    concurrently(CONCURRENT_CASES.min(cases.len()), "a case", |_| {
        while let Some((index, case)) = next_of(&next, cases) {
            let fault = fault(subject, case);
            found.lock().unwrap_or_else(PoisonError::into_inner)[index] = fault;
        }
        Ok(())
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn next_of<'a>(next: &AtomicUsize, cases: &'a [Case]) -> Option<(usize, &'a Case)> {
    let index = next.fetch_add(1, Relaxed);
    Some((index, cases.get(index)?))
}

/// What is wrong with the outcome of a case. A panic is a fault like any other.
fn fault(subject: &dyn Subject, case: &Case) -> Option<String> {
    let carry_out = || wait(async { Ok(subject.fault(case).await) });
    let outcome = catch_unwind(AssertUnwindSafe(carry_out));
    outcome
        .map(|outcome| outcome.unwrap_or_else(|e| Some(e.to_string())))
        .unwrap_or_else(|panic| Some(format!("panic: {}", panic_message(&*panic))))
}

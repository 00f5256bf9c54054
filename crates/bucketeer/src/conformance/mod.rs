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
mod reference;
mod rows;
mod runs;
mod settings;
mod subject;

pub use inputs::{Distribution, KnownBases};
pub use reference::{on_weierstrass, reference_sum};

use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use case::Case;
use subject::{OnCurve, Subject};

use crate::control::panic_message;
use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::plan::{Accumulate, Preset, Settings};
use crate::platform::Instant;
use crate::threads::side_by_side;
use crate::wait::{Pending, wait};
use crate::{Bases, Curve, Device, DeviceKind};

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

/// Cases that are run side by side on a GPU, where a small MSM is mostly waiting.
const SIDE_BY_SIDE: usize = 10;

/// Runs the table on the named curves.
// Inline, so that all curves are compiled in the crate that calls this and nowhere else: such a crate
// mostly compiles them for its own ends too, and generic code is not shared between crates.
#[inline]
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
    if device.kind() != DeviceKind::Cpu {
        warm_up(device, &curves);
    }
    let mut summary = Summary::default();
    for curve in curves {
        summary += curve.visit(Named { device, filter, report });
    }
    summary
}

/// [`run`] where nothing may block: one case after the other, for WebGPU in a browser. Background jobs, which
/// need threads, are left out there.
#[inline]
pub async fn run_async(
    device: &Device,
    filter: &Filter,
    report: &mut dyn FnMut(&CaseResult),
) -> Summary {
    struct Named<'a> {
        device: &'a Device,
        filter: &'a Filter,
        report: &'a mut dyn FnMut(&CaseResult),
    }
    impl<'a> Visitor for Named<'a> {
        type Output = Pending<'a, Summary>;
        fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Self::Output {
            let Self { device, filter, report } = self;
            Box::pin(async move {
                let subject = OnCurve::<C>::new(device, filter.preset);
                run_table_async(curve.name, &subject, device, filter, report).await
            })
        }
    }
    let mut summary = Summary::default();
    for curve in CURVES.iter().filter(|curve| filter.curve.is_none_or(|only| only == *curve)) {
        summary += curve.visit(Named { device, filter, report }).await;
    }
    summary
}

/// Has the kernels of all curves compiled side by side. What fails here fails again in its case, where it is
/// reported.
#[inline]
fn warm_up(device: &Device, curves: &[&'static NamedCurve]) {
    struct Smallest<'a>(&'a Device);
    impl Visitor for Smallest<'_> {
        type Output = ();
        fn visit<C: Curve>(self, _: &'static NamedCurve) {
            let sweep = Some(Accumulate::FusedSweep);
            for any_point in [false, true] {
                let settings = Settings { any_point, accumulate: sweep, ..Settings::default() };
                let builder = Bases::<C>::builder().settings(settings);
                let loaded = builder.load(self.0, &[C::GENERATOR]);
                drop(loaded.and_then(|bases| bases.msm(&[true])));
            }
        }
    }
    // The table says itself what fails.
    side_by_side(curves.len(), "warming up", |index| {
        curves[index].visit(Smallest(device));
        Ok(())
    });
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

const GROUPS: [(&str, Group); 17] = [
    ("sizes", rows::sizes),
    ("scalars", rows::scalars),
    ("bases", rows::bases),
    ("window widths", settings::window_widths),
    ("decompositions", settings::decompositions),
    ("last windows", settings::last_windows),
    ("precompute factors", settings::precompute_factors),
    ("odd multiples", settings::odd_multiples),
    ("stages", settings::stages),
    ("few bases", settings::few),
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
        let cases = cases(subject, filter);
        let faults = faults(subject, &cases);
        let result = judged(curve, group, device, &cases, faults, start);
        summary += Summary { passed: result.passed, failed: result.failed.len() };
        report(&result);
    }
    summary
}

async fn run_table_async(
    curve: &'static str,
    subject: &dyn Subject,
    device: &Device,
    filter: &Filter,
    report: &mut dyn FnMut(&CaseResult),
) -> Summary {
    let mut summary = Summary::default();
    for (group, cases) in GROUPS {
        let start = Instant::now();
        let mut cases = cases(subject, filter);
        if cfg!(target_family = "wasm") && subject.device().kind != DeviceKind::Cpu {
            cases.retain(|case| !matches!(case.run, case::Run::Jobs));
        }
        let mut faults = Vec::new();
        for case in &cases {
            faults.push(subject.fault(case).await);
        }
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
    if subject.device().kind == DeviceKind::Cpu {
        return cases.iter().map(|case| fault(subject, case)).collect();
    }
    let (next, found) = (AtomicUsize::new(0), Mutex::new(vec![None; cases.len()]));
    let work = || {
        loop {
            let index = next.fetch_add(1, Relaxed);
            let Some(case) = cases.get(index) else { break };
            let fault = fault(subject, case);
            found.lock().unwrap_or_else(PoisonError::into_inner)[index] = fault;
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..SIDE_BY_SIDE.min(cases.len()) {
            // Where no thread can be started, this one does all.
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// What is wrong with the outcome of a case. A panic is a fault like any other.
fn fault(subject: &dyn Subject, case: &Case) -> Option<String> {
    let carry_out = || wait(async { Ok(subject.fault(case).await) });
    let outcome = catch_unwind(AssertUnwindSafe(carry_out));
    outcome
        .map(|outcome| outcome.unwrap_or_else(|e| Some(e.to_string())))
        .unwrap_or_else(|panic| Some(format!("panic: {}", panic_message(&*panic))))
}

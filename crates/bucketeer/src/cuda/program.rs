//! Kernels: their sources, compiled for a curve and an architecture, and loaded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::cache;
use super::driver::{Context, Kernel, Module};
use super::nvrtc::nvrtc;
use super::prelude;
use crate::plan::{Form, GpuSchedule, Reduce, SumLists};
use crate::threads::concurrently;
use crate::{CurveSpec, Error};

/// A source file, compiled by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    Decompose,
    Group,
    Tasks,
    Accumulate,
    Affine,
    Fold,
    Reduce,
    Running,
    Table,
}

impl Source {
    pub(crate) const ALL: [Self; 9] = [
        Self::Accumulate,
        Self::Affine,
        Self::Reduce,
        Self::Fold,
        Self::Table,
        Self::Running,
        Self::Decompose,
        Self::Group,
        Self::Tasks,
    ];

    /// The sources of a schedule's kernels, with `loads` those that load bases too. The slowest to
    /// compile come first.
    pub(super) fn of(schedule: &GpuSchedule, loads: bool) -> Vec<Self> {
        let lists = match schedule.accumulate {
            SumLists::BatchedAffine => Self::Affine,
            SumLists::PerBucket | SumLists::Slices | SumLists::FusedSweep => Self::Accumulate,
        };
        let mut sources =
            vec![lists, Self::Reduce, Self::Fold, Self::Decompose, Self::Group, Self::Tasks];
        let fused = schedule.accumulate == SumLists::FusedSweep;
        if fused || schedule.reduce != Reduce::WindowSplitting {
            sources.push(Self::Running);
        }
        if loads {
            sources.push(Self::Table);
        }
        sources
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Decompose => "decompose.cu",
            Self::Group => "group.cu",
            Self::Tasks => "tasks.cu",
            Self::Accumulate => "accumulate.cu",
            Self::Affine => "affine.cu",
            Self::Fold => "fold.cu",
            Self::Reduce => "reduce.cu",
            Self::Running => "running.cu",
            Self::Table => "table.cu",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Decompose => include_str!("kernels/decompose.cu"),
            Self::Group => include_str!("kernels/group.cu"),
            Self::Tasks => include_str!("kernels/tasks.cu"),
            Self::Accumulate => include_str!("kernels/accumulate.cu"),
            Self::Affine => include_str!("kernels/affine.cu"),
            Self::Fold => include_str!("kernels/fold.cu"),
            Self::Reduce => include_str!("kernels/reduce.cu"),
            Self::Running => include_str!("kernels/running.cu"),
            Self::Table => include_str!("kernels/table.cu"),
        }
    }

    /// The constants it is specialised by; the same text for curves that share the code.
    fn prelude(self, preludes: &Preludes) -> &Arc<str> {
        match self {
            Self::Group | Self::Tasks => &preludes.none,
            Self::Decompose => &preludes.scalars,
            _ => &preludes.curve,
        }
    }
}

/// The constants of a curve in a form, in the portions that sources ask for.
struct Preludes {
    none: Arc<str>,
    scalars: Arc<str>,
    curve: Arc<str>,
}

impl Preludes {
    fn new(curve: &CurveSpec, form: Form) -> Self {
        Self {
            none: "".into(),
            scalars: prelude::scalars(curve).into(),
            curve: prelude::curve(curve, form).into(),
        }
    }
}

/// The headers that sources include.
fn headers() -> Vec<(&'static str, &'static str)> {
    [("interface.cuh", prelude::interface())].into_iter().chain(HEADERS).collect()
}

const HEADERS: [(&str, &str); 10] = [
    ("words.cuh", include_str!("kernels/words.cuh")),
    ("digits.cuh", include_str!("kernels/digits.cuh")),
    ("field.cuh", include_str!("kernels/field.cuh")),
    ("inverse.cuh", include_str!("kernels/inverse.cuh")),
    ("extension.cuh", include_str!("kernels/extension.cuh")),
    ("async.cuh", include_str!("kernels/async.cuh")),
    ("weierstrass.cuh", include_str!("kernels/weierstrass.cuh")),
    ("edwards.cuh", include_str!("kernels/edwards.cuh")),
    ("curve.cuh", include_str!("kernels/curve.cuh")),
    ("tree.cuh", include_str!("kernels/tree.cuh")),
];

/// Machine code of a source for an architecture, from the cache or the compiler, and the compiler's
/// report.
fn compile(
    source: Source,
    preludes: &Preludes,
    architecture: u32,
) -> Result<(Vec<u8>, String), Error> {
    let nvrtc = nvrtc()?;
    let text = [&**source.prelude(preludes), source.text()].concat();
    let options = [
        format!("--gpu-architecture=sm_{architecture}"),
        "--std=c++17".into(),
        "--ptxas-options=-v".into(),
    ];
    let compiler = format!("nvrtc {}.{}", nvrtc.version.0, nvrtc.version.1);
    let headers = headers();
    let parts = headers.iter().map(|(_, text)| *text);
    let parts = parts.chain(options.iter().map(String::as_str)).chain([&*text, &*compiler]);
    let key = cache::Key::of(parts);
    if let Some(found) = cache::read(&key) {
        return Ok(found);
    }
    let (code, report) = nvrtc.compile(source.name(), &text, &headers, &options)?;
    cache::write(&key, &code, &report);
    Ok((code, report))
}

/// Modules of one device, each compiled and loaded once.
#[derive(Default)]
pub(crate) struct Modules {
    loaded: Mutex<HashMap<Key, Arc<Slot>>>,
}

/// A source and the constants before it.
type Key = (Source, Arc<str>);

/// A module, once it was loaded. A failure is not kept: there may be memory for it later.
#[derive(Default)]
struct Slot {
    module: OnceLock<Module>,
    /// Held while it is loaded.
    loading: Mutex<()>,
}

/// The kernels of one curve in one form on one device.
pub(crate) struct Program {
    context: Arc<Context>,
    preludes: Preludes,
    slots: HashMap<Source, Arc<Slot>>,
}

impl Modules {
    /// The kernels of a curve; compiled on first use.
    pub(crate) fn program(&self, context: &Arc<Context>, curve: &CurveSpec, form: Form) -> Program {
        let preludes = Preludes::new(curve, form);
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let slots = Source::ALL.into_iter().map(|source| {
            let key = (source, source.prelude(&preludes).clone());
            (source, loaded.entry(key).or_default().clone())
        });
        let slots = slots.collect();
        Program { context: context.clone(), preludes, slots }
    }
}

impl Program {
    fn module(&self, source: Source) -> Result<&Module, Error> {
        let Slot { module, loading } = &*self.slots[&source];
        if let Some(module) = module.get() {
            return Ok(module);
        }
        let _loading = loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = module.get() {
            return Ok(module);
        }
        let (code, _) = compile(source, &self.preludes, self.context.facts.architecture)?;
        let loaded = Module::load(&self.context, &code)?;
        Ok(module.get_or_init(|| loaded))
    }

    /// Compiles and loads sources in parallel; returns the time it took.
    pub(crate) fn prepare(&self, sources: &[Source]) -> Result<Duration, Error> {
        let start = Instant::now();
        let missing = sources.iter().filter(|source| self.slots[source].module.get().is_none());
        let missing: Vec<_> = missing.collect();
        let compile = |index: usize| self.module(*missing[index]).map(|_| ());
        let compiled = concurrently(missing.len(), "compiling kernels", compile);
        compiled.into_iter().collect::<Result<Vec<()>, _>>()?;
        Ok(start.elapsed())
    }

    pub(crate) fn kernel(&self, source: Source, name: &str) -> Result<Kernel, Error> {
        self.module(source)?.kernel(name)
    }
}

#[cfg(all(test, feature = "curves"))]
mod tests {
    use super::*;
    use crate::Curve;
    use crate::curves::{CURVES, NamedCurve, Visitor};
    use crate::parallel;

    struct Spec;
    impl Visitor for Spec {
        type Output = Arc<CurveSpec>;
        fn visit<C: Curve>(self, _: &'static NamedCurve) -> Arc<CurveSpec> {
            CurveSpec::of::<C>()
        }
    }

    /// Kernels that take the time of a run, and those that add two sums. In large fields two sums
    /// do not fit in registers, and the latter take a few per cent.
    fn hot(curve: &CurveSpec) -> &'static [&'static str] {
        match curve.limbs * curve.degree {
            0..=8 => &["accumulate", "add_step", "sums", "fold"],
            _ => &["accumulate", "add_step"],
        }
    }

    /// The spills that a report names for hot kernels.
    fn spills(report: &str, hot: &[&str]) -> Vec<String> {
        let mut kernel = "";
        let mut found = Vec::new();
        for line in report.lines() {
            if let Some((_, name)) = line.split_once("Function properties for ") {
                kernel = name.trim();
            }
            let clean = line.contains(" 0 bytes spill stores, 0 bytes spill loads");
            if line.contains("bytes spill stores") && !clean && hot.contains(&kernel) {
                found.push(format!("{kernel}: {}", line.trim()));
            }
        }
        found
    }

    /// Types are checked when kernels are compiled; a swap of two parameters of one type would not
    /// be noticed there.
    #[test]
    fn kernels_have_the_parameters_of_their_launchers() {
        let normal = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let sources: String = Source::ALL.iter().map(|source| normal(source.text())).collect();
        let sources = sources.replace("( ", "(");
        let interface = prelude::interface();
        let prototypes: Vec<_> =
            interface.lines().filter_map(|line| line.split_once("__global__ void ")).collect();
        for (_, prototype) in &prototypes {
            let definition = format!(" {} {{", prototype.trim_end_matches(';'));
            assert!(sources.contains(&definition), "{prototype}");
        }
        assert_eq!(sources.matches("__global__").count(), prototypes.len());
    }

    /// Curves that have a shape of kernels for themselves.
    const SHAPES: [&str; 8] = [
        "bls12-377-g1",
        "bls12-381-g1",
        "bls12-381-g2",
        "bn254-g1",
        "bn254-g2",
        "bw6-761-g1",
        "ed-on-bls12-377",
        "bandersnatch",
    ];

    /// Every source in every form that a curve has, for Hopper: of a curve for each shape of
    /// kernels. `BUCKETEER_TESTS=all`: of every named curve, and of the common ones for Ampere too.
    /// The kernels that take the time must keep to their registers.
    #[test]
    fn all_kernels_compile_without_spills() {
        let all = std::env::var("BUCKETEER_TESTS").is_ok_and(|tests| tests == "all");
        let mut jobs = Vec::new();
        for curve in CURVES.iter().filter(|curve| all || SHAPES.contains(&curve.name)) {
            let spec = curve.visit(Spec);
            let common = ["bls12-377-g1", "bls12-381-g1", "bn254-g1"].contains(&curve.name);
            for architecture in if all && common { vec![90, 80] } else { vec![90] } {
                let edwards = spec.edwards.as_ref().map(|_| Form::Edwards);
                for form in [Form::Weierstrass].into_iter().chain(edwards) {
                    // There are no affine additions in the Edwards form.
                    let there = |s: &Source| *s != Source::Affine || form == Form::Weierstrass;
                    let sources = Source::ALL.into_iter().filter(there);
                    jobs.extend(sources.map(|s| (curve.name, spec.clone(), form, architecture, s)));
                }
            }
        }
        let reports = parallel::map(jobs.len(), |job| {
            let (name, spec, form, architecture, source) = &jobs[job];
            let title = format!("{name} {form:?} sm_{architecture} {}", source.name());
            let compiled = compile(*source, &Preludes::new(spec, *form), *architecture);
            let (code, report) = compiled.unwrap_or_else(|error| panic!("{title}: {error}"));
            assert!(code.starts_with(b"\x7fELF"), "{title}");
            assert!(report.contains("bytes spill stores"), "{title}: no report: {report}");
            spills(&report, hot(spec))
                .iter()
                .map(|spill| format!("{title}: {spill}"))
                .collect::<Vec<_>>()
        });
        let faults = reports.concat();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}

//! Shaders: their sources put together for a curve, and the pipelines made of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::Gpu;
use super::launch::Interface;
use super::prelude::{self, Field};
use super::unroll::unroll;
use super::{accumulate, decompose, group, reduce, table};
use crate::plan::{Form, GpuSchedule, Group, Reduce, SumLists};
use crate::platform::Instant;
#[cfg(not(target_family = "wasm"))]
use crate::threads::concurrently;
#[cfg(not(target_family = "wasm"))]
use crate::wait::wait;
use crate::{CurveSpec, Error};

/// A shader, compiled by itself. Small ones compile sooner, and only those that a plan needs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    Decompose,
    Group,
    Sort,
    Scan,
    Tasks,
    Accumulate,
    Fold,
    Reduce,
    Running,
    Sweep,
    Import,
    Shift,
}

macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!("shaders/", $name, ".wgsl"))
    };
}

impl Source {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 12] = [
        Self::Decompose,
        Self::Group,
        Self::Sort,
        Self::Scan,
        Self::Tasks,
        Self::Accumulate,
        Self::Fold,
        Self::Reduce,
        Self::Running,
        Self::Sweep,
        Self::Import,
        Self::Shift,
    ];

    /// The shaders of a schedule, with `loads` those that load bases too.
    pub(super) fn of(schedule: &GpuSchedule, loads: bool) -> Vec<Self> {
        let mut sources = vec![Self::Decompose, Self::Scan, Self::Reduce];
        sources.push(match schedule.group {
            Group::Csr => Self::Group,
            Group::Sort => Self::Sort,
        });
        if schedule.accumulate == SumLists::FusedSweep {
            sources.push(Self::Sweep);
        } else {
            sources.extend([Self::Tasks, Self::Accumulate, Self::Fold]);
            if schedule.reduce != Reduce::WindowSplitting {
                sources.push(Self::Running);
            }
        }
        if loads {
            sources.extend(Self::loading(schedule));
        }
        sources
    }

    /// The shaders that load bases.
    pub(super) fn loading(schedule: &GpuSchedule) -> Vec<Self> {
        match schedule.stored_copies {
            0 | 1 => vec![Self::Import],
            _ => vec![Self::Import, Self::Shift],
        }
    }

    /// What it shares with the host.
    pub(super) fn interface(self) -> &'static Interface {
        match self {
            Self::Decompose => &decompose::DECOMPOSE_SHADER,
            Self::Group => &group::GROUP_SHADER,
            Self::Sort => &group::SORT_SHADER,
            Self::Scan => &group::SCAN_SHADER,
            Self::Tasks => &accumulate::TASKS_SHADER,
            Self::Accumulate => &accumulate::ACCUMULATE_SHADER,
            Self::Fold => &accumulate::FOLD_SHADER,
            Self::Reduce => &reduce::REDUCE_SHADER,
            Self::Running => &reduce::RUNNING_SHADER,
            Self::Sweep => &reduce::SWEEP_SHADER,
            Self::Import => &table::IMPORT_SHADER,
            Self::Shift => &table::SHIFT_SHADER,
        }
    }

    /// Invocations of a workgroup.
    pub(super) fn invocations(self) -> u32 {
        match self {
            Self::Group | Self::Sort | Self::Scan | Self::Tasks => 256,
            _ => 64,
        }
    }

    /// The text that goes before it: what it shares with the host.
    fn declarations(self) -> String {
        let constants = [group::CONSTANTS, accumulate::CONSTANTS].concat();
        self.interface().text(self.invocations(), &constants)
    }

    fn text(self) -> &'static str {
        match self {
            Self::Decompose => shader!("decompose"),
            Self::Group => shader!("group"),
            Self::Sort => shader!("sort"),
            Self::Scan => shader!("scan"),
            Self::Tasks => shader!("tasks"),
            Self::Accumulate => shader!("accumulate"),
            Self::Fold => shader!("fold"),
            Self::Reduce => shader!("reduce"),
            Self::Running => shader!("running"),
            Self::Sweep => shader!("sweep"),
            Self::Import => shader!("import"),
            Self::Shift => shader!("shift"),
        }
    }

    /// Buffers of field elements: those it reads from, and those it writes to.
    fn elements(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Accumulate => (&["table", "buckets"], &["buckets", "slots"]),
            Self::Fold => (&["buckets", "slots"], &["buckets", "slots"]),
            Self::Reduce => (&["buckets", "sums"], &["sums"]),
            Self::Running => (&["buckets"], &["sums"]),
            Self::Sweep => (&["table"], &["sums"]),
            Self::Import => (&["raw"], &["raw", "table"]),
            Self::Shift => (&["table", "scratch"], &["table", "scratch"]),
            _ => (&[], &[]),
        }
    }

    /// The whole shader for a curve.
    pub(crate) fn assemble(self, curve: &CurveSpec, form: Form, wide: bool) -> String {
        self.declarations() + &self.kernels(curve, form, wide)
    }

    fn kernels(self, curve: &CurveSpec, form: Form, wide: bool) -> String {
        match self {
            Self::Group | Self::Sort => [shader!("digits"), self.text()].concat(),
            Self::Scan | Self::Tasks => self.text().into(),
            Self::Decompose => {
                let field = Field::scalar(curve, wide);
                let parts = [shader!("field"), self.text()].concat();
                prelude::scalars(&field) + &unroll(&parts, &field.constants())
            }
            _ => {
                let field = Field::base(curve, wide);
                let mut parts = self.curve_arithmetic(curve, form) + self.text();
                if self == Self::Import {
                    parts += match curve.to_edwards_by_inversion(form) {
                        true => shader!("import_montgomery"),
                        false => shader!("import_plain"),
                    };
                }
                prelude::curve(curve, form, &field) + &unroll(&parts, &field.constants())
            }
        }
    }

    fn curve_arithmetic(self, curve: &CurveSpec, form: Form) -> String {
        let edwards = form == Form::Edwards;
        let mut text = String::from(shader!("field"));
        text += if curve.degree == 1 { shader!("prime") } else { shader!("quadratic") };
        text += if edwards { shader!("edwards") } else { shader!("weierstrass") };
        text += match curve.degree {
            _ if edwards => "",
            1 => shader!("xyzz"),
            _ => shader!("xyzz_steps"),
        };
        if matches!(self, Self::Running | Self::Sweep) {
            text += shader!("times");
        }
        let (read, written) = self.elements();
        for name in read {
            text += &shader!("load").replace("elements", name);
            text += &match curve.degree {
                1 => format!("fn {name}_fq(at: u32) -> Fq {{ return {name}_fp(at); }}\n"),
                _ => format!(
                    "fn {name}_fq(at: u32) -> Fq {{ \
                     return Fq({name}_fp(at), {name}_fp(at + WORDS)); }}\n"
                ),
            };
        }
        for name in written {
            text += &shader!("store").replace("elements", name);
            let set = format!("fn {name}_set_fq(at: u32, value: Fq) {{ {name}_set_fp(at, value");
            text += &match curve.degree {
                1 => format!("{set}); }}\n"),
                _ => format!("{set}.c0); {name}_set_fp(at + WORDS, value.c1); }}\n"),
            };
        }
        if read.contains(&"table") {
            text += if edwards { shader!("base_edwards") } else { shader!("base_weierstrass") };
        }
        if written.contains(&"table") {
            text +=
                if edwards { shader!("set_base_edwards") } else { shader!("set_base_weierstrass") };
        }
        text
    }
}

type Pipelines = HashMap<&'static str, wgpu::ComputePipeline>;
/// A shader and what its text depends on beside the device.
type Key = (Source, Arc<str>);

/// The pipelines of a device, by shader.
#[derive(Default)]
pub(crate) struct Modules {
    made: Mutex<HashMap<Key, Arc<Pipelines>>>,
}

/// The pipelines of one curve in one form.
pub(crate) struct Program {
    curve: Arc<CurveSpec>,
    form: Form,
    /// What the texts of the curve's shaders depend on.
    key: Arc<str>,
    pipelines: Mutex<HashMap<Source, Arc<Pipelines>>>,
}

impl Program {
    pub(crate) fn new(curve: &Arc<CurveSpec>, form: Form) -> Self {
        let key = format!("{form:?} {curve:?}").into();
        Self { curve: curve.clone(), form, key, pipelines: Mutex::default() }
    }

    /// Whether importing a base inverts an element.
    pub(crate) fn inverts_on_import(&self) -> bool {
        self.curve.to_edwards_by_inversion(self.form)
    }

    /// Has pipelines made that are not there yet; how long that took.
    pub(crate) async fn prepare(&self, gpu: &Gpu, sources: &[Source]) -> Result<Duration, Error> {
        let start = Instant::now();
        let missing: Vec<Source> = {
            let own = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
            sources.iter().copied().filter(|source| !own.contains_key(source)).collect()
        };
        for (source, pipelines) in missing.iter().zip(self.make(gpu, &missing).await) {
            let mut own = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
            own.insert(*source, pipelines?);
        }
        Ok(start.elapsed())
    }

    /// Makes pipelines in parallel, where there are threads.
    #[cfg(not(target_family = "wasm"))]
    async fn make(&self, gpu: &Gpu, sources: &[Source]) -> Vec<Result<Arc<Pipelines>, Error>> {
        let compile = |index: usize| wait(self.module(gpu, sources[index]));
        concurrently(sources.len(), "compiling a shader", compile)
    }

    #[cfg(target_family = "wasm")]
    async fn make(&self, gpu: &Gpu, sources: &[Source]) -> Vec<Result<Arc<Pipelines>, Error>> {
        let mut made = Vec::new();
        for source in sources {
            made.push(self.module(gpu, *source).await);
        }
        made
    }

    /// The pipelines of a shader, which curves share where it does not depend on them.
    async fn module(&self, gpu: &Gpu, source: Source) -> Result<Arc<Pipelines>, Error> {
        let shared = matches!(source, Source::Group | Source::Sort | Source::Scan | Source::Tasks);
        let key = (source, if shared { "".into() } else { self.key.clone() });
        let lock = || gpu.modules.made.lock().unwrap_or_else(PoisonError::into_inner);
        let found = lock().get(&key).cloned();
        if let Some(pipelines) = found {
            return Ok(pipelines);
        }
        let text = source.assemble(&self.curve, self.form, gpu.wide);
        let kernels: Vec<_> = source.interface().kernels.iter().map(|(name, _)| *name).collect();
        let made = Arc::new(compile(gpu, source, &kernels, &text).await?);
        lock().insert(key, made.clone());
        Ok(made)
    }

    /// A kernel of a source that `prepare` has compiled.
    pub(crate) fn kernel(
        &self,
        source: Source,
        name: &str,
    ) -> Result<wgpu::ComputePipeline, Error> {
        let pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        let found = pipelines.get(&source).and_then(|pipelines| pipelines.get(name)).cloned();
        found.ok_or_else(|| Error::Internal(format!("the kernel {name} was not prepared")))
    }
}

async fn compile(
    gpu: &Gpu,
    source: Source,
    kernels: &[&'static str],
    text: &str,
) -> Result<Pipelines, Error> {
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: kernels.first().copied(),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    };
    let checks = wgpu::ShaderRuntimeChecks::unchecked();
    // SAFETY: every index is below a bound that the plan laid the buffers out for; the conformance
    // table holds each kernel to it, and where a browser compiles the shader it checks the indices
    // itself.
    let module = unsafe { gpu.device.create_shader_module_trusted(descriptor, checks) };
    let make = |&name: &&'static str| {
        let descriptor = wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: None,
            module: &module,
            entry_point: Some(name),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        };
        (name, gpu.device.create_compute_pipeline(&descriptor))
    };
    let pipelines = kernels.iter().map(make).collect();
    match scope.pop().await {
        None => Ok(pipelines),
        Some(error) => Err(Error::DeviceFailed { reason: format!("shader {source:?}: {error}") }),
    }
}

/// A kernel `arithmetic` on the curve's field, with the buffers of [`Source::Import`].
#[cfg(test)]
pub(crate) async fn arithmetic_for_tests(
    gpu: &Gpu,
    curve: &CurveSpec,
    text: &str,
) -> Result<wgpu::ComputePipeline, Error> {
    let field = Field::base(curve, gpu.wide);
    let form = Form::Weierstrass;
    let parts = Source::Import.curve_arithmetic(curve, form) + text;
    let text = prelude::curve(curve, form, &field) + &unroll(&parts, &field.constants());
    let mut pipelines = compile(gpu, Source::Import, &["arithmetic"], &text).await?;
    pipelines.remove("arithmetic").ok_or_else(|| Error::Internal("no pipeline".into()))
}

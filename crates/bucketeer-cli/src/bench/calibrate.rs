//! `bench --calibrate`: rates of this machine, beside the built-in ones.
//!
//! 1. Runs of chosen shapes are timed: window widths and sizes in which one rate or another
//!    outweighs the rest, over a curve of each kernel.
//! 2. How often a run does what a rate is the cost of is the derivative of its predicted time by
//!    that rate. A plan with fixed windows does not depend on rates, so two plans tell it.
//! 3. Least squares over the runs gives the rates ([`fit`]).
//!
//! A CPU is measured on one thread, since its rates are those of one core. Rates that the runs do
//! not determine stay as they are.

use bucketeer::curves::NamedCurve;
use bucketeer::plan::{Accumulate, Digits, Plan, Request, Settings};
use bucketeer::{Device, DeviceFacts, DeviceKind, Error, Rates, Timings, io};
use serde::Serialize;

use super::workload::Workload;
use super::{Args, fit};
use crate::failure::Failure;
use crate::output::{self, Outcome, Table};
use crate::progress::Activity;
use crate::units;

/// A curve for each kernel of a CPU.
const CPU_CURVES: [&str; 5] =
    ["bn254-g1", "bls12-381-g1", "bw6-761-g1", "bn254-g2", "bls12-381-g2"];

/// Sizes, as powers of two, and widths: inversions, additions of reduce or of accumulate prevail.
const RUNS: [(u32, u32); 6] = [(5, 4), (7, 6), (9, 8), (11, 9), (12, 12), (13, 10)];
/// The largest of these sizes.
const LARGEST: usize = 1 << 13;
/// The least size whose decompose and group are looked at.
const LEAST_STAGES: usize = 1 << 11;
/// A measurement is repeated for this long, at most this often, so that short runs meet an idle
/// moment.
const LEAST_SECONDS: f64 = 0.15;
const MOST_RUNS: usize = 100;
/// The size at which grouped lists leave the caches.
const FAR: usize = 1 << 17;

/// Curves, sizes and widths on a GPU.
const GPU_CURVES: [&str; 3] = ["bn254-g1", "bls12-377-g1", "bls12-381-g2"];
const GPU_RUNS: [(u32, u32); 7] =
    [(8, 8), (10, 10), (12, 8), (14, 13), (16, 10), (18, 14), (20, 16)];

/// Runs the command.
pub fn run(args: &Args, device: &Device) -> Outcome {
    let activity = Activity::spinner("calibrating");
    let mut own = Calibration { args, activity, rates: *device.facts().rates, fitted: vec![] };
    match device.kind() {
        DeviceKind::Cpu => own.cpu(device)?,
        DeviceKind::WebGpu => own.gpu(device, "webgpu")?,
        _ => own.gpu(device, "cuda")?,
    }
    let Calibration { activity, rates, fitted, .. } = own;
    drop(activity);
    if let Some(path) = &args.output {
        let text = format!("# bucketeer bench --calibrate: {device}\n{rates}");
        io::write_atomically(path, |file| file.write_all(text.as_bytes()))?;
    }
    let report = Report::new(device, &rates, &fitted);
    if args.json { output::json(&report) } else { Ok(report.text()) }
}

/// Which times of a run are looked at.
#[derive(Clone, Copy)]
enum Times {
    Decompose,
    Group,
    Additions,
    Total,
}

/// The shortest times of one run.
struct Observation {
    n: usize,
    settings: Settings,
    timings: Timings,
    seconds: f64,
}

impl Observation {
    fn nanoseconds(&self, times: Times) -> f64 {
        let timings = &self.timings;
        let seconds = match times {
            Times::Decompose => timings.decompose.as_secs_f64(),
            Times::Group => timings.group.as_secs_f64(),
            Times::Additions => {
                (timings.accumulate + timings.reduce + timings.combine).as_secs_f64()
            }
            Times::Total => self.seconds,
        };
        seconds * 1e9
    }
}

struct Calibration<'a> {
    args: &'a Args,
    activity: Activity,
    /// As fitted so far.
    rates: Rates,
    /// Names of those that were.
    fitted: Vec<String>,
}

impl<'a> Calibration<'a> {
    /// On one thread: first what all curves share, then each kernel with both arithmetics.
    fn cpu(&mut self, device: &Device) -> Result<(), Failure> {
        let facts = device.facts();
        let single = Device::cpu_with_threads(1)?.with_rates(&self.rates);
        let portable = single.clone().portable()?;
        let fastest = if facts.ifma { &single } else { &portable };
        self.straus(fastest)?;
        self.stages(fastest)?;
        for (arithmetic, device) in [("ifma", &single), ("portable", &portable)] {
            if arithmetic == "ifma" && !facts.ifma {
                continue;
            }
            for curve in self.curves(&CPU_CURVES)? {
                self.activity.say(&format!("calibrating {arithmetic}, {curve}"));
                self.kernel(device, arithmetic, curve)?;
            }
        }
        Ok(())
    }

    /// Products of arkworks' fields, from runs without buckets.
    fn straus(&mut self, device: &Device) -> Result<(), Failure> {
        let mut settings = Settings::default();
        settings.accumulate = Some(Accumulate::Straus);
        settings.endomorphism = Some(false);
        let mut rows = Vec::new();
        let names = ["arkworks.word_product", "arkworks.product"].map(String::from);
        for curve in &CPU_CURVES[..3] {
            let workload = self.workload(NamedCurve::named(curve)?, device, 16)?;
            for n in [4, 16] {
                let seen = self.observe(&workload, device, settings.clone(), n)?;
                rows.push(self.row(&workload, device, &seen, Times::Total, &names)?);
            }
        }
        self.fit(&names, &rows)
    }

    /// Decompose and group, which are alike for all curves, and sums of a few points.
    fn stages(&mut self, device: &Device) -> Result<(), Failure> {
        let workload = self.workload(NamedCurve::named(CPU_CURVES[0])?, device, FAR)?;
        let mut seen = Vec::new();
        for (log, bits) in RUNS {
            seen.push(self.observe(&workload, device, windows(bits, false), 1 << log)?);
        }
        seen.push(self.observe(&workload, device, windows(10, true), LARGEST)?);
        // Twice as many counters as L1 holds.
        let counters = device.facts().caches.l1d / 2;
        let bits = counters.ilog2().clamp(12, 18) + 1;
        seen.push(self.observe(&workload, device, windows(bits, false), FAR)?);
        // Stages of short runs are too short to be timed.
        let long = seen.iter().filter(|one| one.n >= LEAST_STAGES).count();
        let long = &seen[seen.len() - long..];
        let names = ["decompose.scalar", "decompose.split"].map(String::from);
        self.fit_all(&workload, device, long, Times::Decompose, &names)?;
        let names = ["group.near_entry", "group.far_entry", "group.bucket"].map(String::from);
        self.fit_all(&workload, device, long, Times::Group, &names)?;
        seen.truncate(RUNS.len());
        let shape = if device.facts().ifma { "ifma.4" } else { "portable.4" };
        let mut names = kernel_names(shape);
        names.push("arkworks.projective".into());
        self.fit_all(&workload, device, &seen, Times::Additions, &names)?;
        // What is left of short runs.
        let names = ["passes.start".to_owned()];
        self.fit_all(&workload, device, &seen[..3], Times::Total, &names)
    }

    /// The kernel of one curve; fields without one of their own are left alone.
    fn kernel(
        &mut self,
        device: &Device,
        arithmetic: &str,
        curve: &'static NamedCurve,
    ) -> Result<(), Failure> {
        let workload = self.workload(curve, device, LARGEST)?;
        let spec = workload.spec();
        let section = match (spec.limbs, spec.degree) {
            (words @ (4 | 6 | 12), 1) => format!("{arithmetic}.{words}"),
            (words @ (4 | 6), 2) => format!("{arithmetic}.{words}x2"),
            _ => return Ok(()),
        };
        let mut seen = Vec::new();
        for (log, bits) in RUNS {
            seen.push(self.observe(&workload, device, windows(bits, false), 1 << log)?);
        }
        let names = kernel_names(&section);
        self.fit_all(&workload, device, &seen, Times::Additions, &names)?;
        // The difference of two sizes, since planning takes time of its own.
        let mut seconds = [f64::INFINITY; 2];
        for _ in 0..self.args.repeat {
            for (least, n) in seconds.iter_mut().zip([LARGEST, LARGEST / 4]) {
                let loaded = workload.load(device, windows(10, false), n)?;
                *least = least.min(loaded.load_seconds());
            }
        }
        let bases = (LARGEST - LARGEST / 4) as f64;
        let row = fit::Row { counts: vec![bases], nanoseconds: (seconds[0] - seconds[1]) * 1e9 };
        self.fit(&[format!("{section}.load")], &[row])
    }

    /// A GPU: all rates from the times of whole runs.
    fn gpu(&mut self, device: &Device, section: &str) -> Result<(), Failure> {
        let names = ["product", "latency", "byte", "entry", "bucket", "pass"];
        let names = names.map(|name| format!("{section}.{name}"));
        let mut rows = Vec::new();
        for curve in self.curves(&GPU_CURVES)? {
            let workload = self.workload(curve, device, 1 << 20)?;
            for (log, bits) in GPU_RUNS {
                self.activity.say(&format!("calibrating {section}, {curve} 2^{log}"));
                for precompute in [Some(1), None] {
                    let mut settings = windows(bits, false);
                    settings.precompute = precompute;
                    let seen = match self.observe(&workload, device, settings, 1 << log) {
                        Err(Failure::Library(
                            Error::OutOfMemory { .. } | Error::BufferTooLarge { .. },
                        )) => continue,
                        other => other?,
                    };
                    rows.push(self.row(&workload, device, &seen, Times::Total, &names)?);
                }
            }
        }
        self.fit(&names, &rows)
    }

    /// The curves that were named, or else these.
    fn curves(&self, usual: &[&str]) -> Result<Vec<&'static NamedCurve>, Error> {
        match &self.args.curve[..] {
            [] => usual.iter().map(|name| NamedCurve::named(name)).collect(),
            named => Ok(named.to_vec()),
        }
    }

    fn workload(
        &self,
        curve: &'static NamedCurve,
        device: &Device,
        largest: usize,
    ) -> Result<Workload<'a>, Failure> {
        Workload::new(curve, self.args, device, largest)
    }

    /// Runs, checks, and keeps the shortest times.
    fn observe(
        &self,
        workload: &Workload<'_>,
        device: &Device,
        settings: Settings,
        n: usize,
    ) -> Result<Observation, Failure> {
        let loaded = workload.load(device, settings.clone(), n)?;
        loaded.check()?;
        let (mut seconds, mut timings) = loaded.run()?;
        let (mut runs, mut spent) = (1, seconds);
        while runs < self.args.repeat.max(3) || (spent < LEAST_SECONDS && runs < MOST_RUNS) {
            let (again, stages) = loaded.run()?;
            (runs, spent) = (runs + 1, spent + again);
            seconds = seconds.min(again);
            timings.decompose = timings.decompose.min(stages.decompose);
            timings.group = timings.group.min(stages.group);
            timings.accumulate = timings.accumulate.min(stages.accumulate);
            timings.reduce = timings.reduce.min(stages.reduce);
            timings.combine = timings.combine.min(stages.combine);
        }
        Ok(Observation { n, settings, timings, seconds })
    }

    /// Fits the named rates to some times of several runs.
    fn fit_all(
        &mut self,
        workload: &Workload<'_>,
        device: &Device,
        seen: &[Observation],
        times: Times,
        names: &[String],
    ) -> Result<(), Failure> {
        let rows: Result<Vec<_>, _> =
            seen.iter().map(|one| self.row(workload, device, one, times, names)).collect();
        self.fit(names, &rows?)
    }

    /// The equation of one run: what is measured, less what known rates explain.
    fn row(
        &self,
        workload: &Workload<'_>,
        device: &Device,
        seen: &Observation,
        times: Times,
        names: &[String],
    ) -> Result<fit::Row, Failure> {
        let predict = |rates: &Rates| -> Result<f64, Error> {
            let facts = device.facts().with_rates(rates);
            predicted(workload, facts, seen)
        };
        let all = predict(&self.rates)?;
        let count = |name: &str| -> Result<f64, Error> {
            let mut more = self.rates;
            let value = value(&self.rates, name);
            more.set(name, 2.0 * value)?;
            Ok((predict(&more)? - all) / value)
        };
        let counts = names.iter().map(|name| count(name)).collect::<Result<Vec<_>, _>>()?;
        let known = match times {
            Times::Decompose | Times::Group => 0.0,
            Times::Additions => {
                let projective = "arkworks.projective";
                let other = !names.iter().any(|name| name == projective);
                let value = value(&self.rates, projective);
                if other { count(projective)? * value } else { 0.0 }
            }
            Times::Total => {
                let pairs = names.iter().zip(&counts);
                all - pairs.map(|(name, count)| value(&self.rates, name) * count).sum::<f64>()
            }
        };
        Ok(fit::Row { counts, nanoseconds: seen.nanoseconds(times) - known })
    }

    /// Sets the rates that fit the rows best.
    fn fit(&mut self, names: &[String], rows: &[fit::Row]) -> Result<(), Failure> {
        let start: Vec<f64> = names.iter().map(|name| value(&self.rates, name)).collect();
        for (name, value) in names.iter().zip(fit::solve(&start, rows)) {
            let Some(value) = value else { continue };
            self.rates.set(name, rounded(value))?;
            if !self.fitted.contains(name) {
                self.fitted.push(name.clone());
            }
        }
        Ok(())
    }
}

fn kernel_names(section: &str) -> Vec<String> {
    ["addition", "reduction", "inversion"].map(|name| format!("{section}.{name}")).into()
}

/// Settings that leave nothing to rates.
fn windows(bits: u32, endomorphism: bool) -> Settings {
    let mut settings = Settings::default();
    settings.window_bits = Some(bits);
    settings.accumulate = Some(Accumulate::Slices);
    settings.digits = Some(Digits::Signed);
    settings.endomorphism = Some(endomorphism);
    settings
}

/// Nanoseconds that the model predicts for a run.
fn predicted(
    workload: &Workload<'_>,
    device: DeviceFacts,
    seen: &Observation,
) -> Result<f64, Error> {
    let curve = workload.spec();
    let request = Request::new(&curve, seen.n, device).resident(true).settings(&seen.settings);
    let plan = Plan::new(&request)?;
    Ok(plan.cost.nanoseconds)
}

fn value(rates: &Rates, name: &str) -> f64 {
    let found = rates.list().into_iter().find(|rate| rate.full_name() == name);
    found.map_or(f64::NAN, |rate| rate.value)
}

/// Four digits: more are noise.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[derive(Serialize)]
struct Report {
    device: String,
    rates: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    unit: &'static str,
    built_in: f64,
    /// `null` where nothing was measured.
    fitted: Option<f64>,
    ratio: Option<f64>,
}

impl Report {
    fn new(device: &Device, rates: &Rates, fitted: &[String]) -> Self {
        let pairs = rates.list().into_iter().zip(Rates::built_in().list());
        let rates = pairs.map(|(rate, built_in)| {
            let name = rate.full_name();
            let fitted = fitted.contains(&name).then_some(rate.value);
            let ratio = fitted.map(|value| value / built_in.value);
            Entry { name, unit: rate.unit, built_in: built_in.value, fitted, ratio }
        });
        Self { device: device.to_string(), rates: rates.collect() }
    }

    fn text(&self) -> String {
        let mut table = Table::new(&["rate", "unit", "built in", "fitted", "ratio"], 2);
        let mut kept = Vec::new();
        for Entry { name, unit, built_in, fitted, ratio } in &self.rates {
            let (Some(fitted), Some(ratio)) = (fitted, ratio) else {
                kept.push(name.as_str());
                continue;
            };
            let [built_in, fitted] = [*built_in, *fitted].map(units::number);
            let ratio = format!("{ratio:.2}");
            table.row(vec![name.clone(), (*unit).into(), built_in, fitted, ratio]);
        }
        let kept = kept.join(", ");
        format!("{}\n\n{}\nnot measured, kept as they are: {kept}\n", self.device, table.text())
    }
}

//! `bucketeer bench`: times MSMs of many sizes; prints a table or raw data, draws a plot.
//!
//! For every preset and size, bases are loaded once and timed separately. One warm-up run is
//! checked against the bases' logarithms. Then `--repeat` runs are timed, from scalars in memory to
//! the sum. With `--one-shot` nothing is loaded: every run starts from bases and scalars in
//! ordinary memory, and the table shows its stages. With `--mpi` it times how MSMs scale over ranks
//! ([`scaling`]).

mod calibrate;
mod fit;
mod scaling;
mod widths;
mod workload;

use std::collections::BTreeMap;
use std::path::PathBuf;

use bucketeer::curves::NamedCurve;
use bucketeer::io;
use bucketeer::plan::{PRESETS, Preset};
use bucketeer::{Device, Error, Timings};
use clap::builder::RangedU64ValueParser;
use serde::Serialize;

use crate::args::{self, DeviceArgs, PlanArgs, RandomArgs};
use crate::failure::Failure;
use crate::output::{self, Outcome, Table};
use crate::plot::{self, Series};
use crate::progress::Activity;
use crate::ranks::{self, MpiArgs};
use crate::units::{self, Sweep};
use workload::Workload;

#[derive(clap::Args)]
pub struct Args {
    /// Curve, e.g. bls12-377 or bn254-g2; with --widths and --calibrate also several, separated
    /// by commas
    #[arg(long, value_name = "CURVE", value_parser = args::curve, value_delimiter = ',',
          required_unless_present = "calibrate")]
    curve: Vec<&'static NamedCurve>,
    /// Sizes: a range like 2^10..2^20 or a list like 1000,2^16
    #[arg(short, value_name = "SIZES", default_value = "2^10..2^18", value_parser = Sweep::parse)]
    n: Sweep,
    /// Step of a range's exponent
    #[arg(long, value_name = "STEP", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    /// Timed runs of each size
    #[arg(long, value_name = "COUNT", default_value = "5",
          value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    repeat: usize,
    /// A published strategy, or all of them [default: bucketeer]
    #[arg(long, value_name = "NAME|all", value_parser = Presets::parse)]
    preset: Option<Presets>,
    #[command(flatten)]
    random: RandomArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    mpi: MpiArgs,
    #[command(flatten)]
    plan: PlanArgs,
    /// MSMs over the same bases in one call; times are of the whole batch
    #[arg(long, value_name = "COUNT", default_value = "1",
          value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    batch: usize,
    /// Use pageable instead of page-locked memory for the scalars
    #[arg(long)]
    pageable: bool,
    /// Time MSMs whose bases and scalars are in ordinary, pageable memory; nothing stays on the
    /// device
    #[arg(long, conflicts_with_all = ["batch", "widths", "calibrate"])]
    one_shot: bool,
    /// Time runs that verify their sums by one more MSM
    #[arg(long, conflicts_with_all = ["widths", "calibrate"])]
    verify: bool,
    /// Plot time against size to this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Compare the plan's choice with every other window width
    #[arg(long, conflicts_with_all = ["preset", "window_bits", "batch", "plot"])]
    widths: bool,
    /// Sizes that have not begun after this many seconds are left out; with --widths
    #[arg(long, value_name = "SECONDS", default_value = "540", requires = "widths",
          value_parser = units::parse_seconds)]
    time_limit: f64,
    /// Measure what the operations of a plan cost on this device, which should be idle, beside the
    /// built-in rates
    #[arg(long, conflicts_with_all = ["n", "widths", "preset", "batch", "plot"])]
    calibrate: bool,
    /// Write the measured rates to this file, for --rates
    #[arg(long, value_name = "FILE", requires = "calibrate")]
    output: Option<PathBuf>,
    /// Print one JSON object, with every sample
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy)]
struct Presets(&'static [Preset]);

impl Presets {
    fn parse(name: &str) -> Result<Self, Error> {
        match name {
            "all" => Ok(Self(&PRESETS)),
            name => Preset::named(name).map(|preset| Self(std::slice::from_ref(preset))),
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let device = args.device.open()?;
    match &args.curve[..] {
        _ if ranks::current().is_some() && (args.calibrate || args.widths || args.one_shot) => {
            let reason = "--calibrate, --widths and --one-shot are for one process, not --mpi";
            Err(Failure::Usage(reason.into()))
        }
        _ if args.calibrate => calibrate::run(args, &device),
        _ if args.widths => widths::run(args, &device),
        [curve] if ranks::current().is_some() => scaling::run(args, &device, curve),
        [curve] => sizes(args, &device, curve),
        _ => Err(Failure::Usage("several curves are for --widths and --calibrate only".into())),
    }
}

/// Times every size.
fn sizes(args: &Args, device: &Device, curve: &'static NamedCurve) -> Outcome {
    let sizes = args.n.sizes(args.step);
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let activity = Activity::spinner("making bases");
    let workload = Workload::new(curve, args, device, largest)?;
    let results = Task { args, device, workload: &workload }.run(&activity, &sizes)?;
    drop(activity);
    let report = Report {
        curve: curve.name,
        device: device.to_string(),
        distribution: args.random.distribution_name(),
        batch: args.batch,
        one_shot: args.one_shot,
        seed: args.random.seed,
        repeat: args.repeat,
        results,
    };
    if let Some(path) = &args.plot {
        let drawing = report.plot();
        io::write_atomically(path, |file| file.write_all(drawing.as_bytes()))?;
    }
    if args.json { output::json(&report) } else { Ok(report.text()) }
}

#[derive(Serialize)]
struct Report {
    curve: &'static str,
    device: String,
    distribution: &'static str,
    batch: usize,
    one_shot: bool,
    seed: u64,
    repeat: usize,
    results: Vec<Measurement>,
}

/// One preset at one size.
#[derive(Serialize)]
struct Measurement {
    preset: &'static str,
    n: usize,
    #[serde(flatten)]
    outcome: Measured,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Measured {
    Times(Times),
    /// A preset that needs more memory than is available. The others still run.
    Skipped {
        error: String,
    },
}

#[derive(Serialize)]
struct Times {
    median_seconds: f64,
    min_seconds: f64,
    /// Median of each stage. On a GPU loading and decomposing overlap the others.
    stage_seconds: BTreeMap<&'static str, f64>,
    samples: Vec<f64>,
    /// What loading resident bases took; of a one-shot MSM its load stage.
    load_seconds: f64,
    /// What the plan predicts, and that over the median.
    predicted_seconds: f64,
    predicted_ratio: f64,
    points_per_second: f64,
    /// The plan's additions divided by the median.
    additions_per_second: f64,
    window_bits: u32,
    precompute: u32,
    odd_multiples: u32,
    plan_bytes: u64,
}

struct Task<'a> {
    args: &'a Args,
    device: &'a Device,
    workload: &'a Workload<'a>,
}

impl Task<'_> {
    fn run(&self, activity: &Activity, sizes: &[usize]) -> Result<Vec<Measurement>, Failure> {
        let presets = self.args.preset.map_or(&PRESETS[..1], |presets| presets.0);
        let mut results = Vec::new();
        for preset in presets {
            for &n in sizes {
                activity.say(&format!("{} {}", preset.name, units::size(n)));
                let outcome = match self.measure(preset, n) {
                    Ok(times) => Measured::Times(times),
                    Err(Failure::Library(error @ Error::OutOfMemory { .. }))
                        if presets.len() > 1 =>
                    {
                        Measured::Skipped { error: error.to_string() }
                    }
                    Err(Failure::WrongResult(text)) => {
                        return Err(Failure::WrongResult(format!(
                            "preset {}, {text}",
                            preset.name
                        )));
                    }
                    Err(failure) => return Err(failure),
                };
                results.push(Measurement { preset: preset.name, n, outcome });
            }
        }
        Ok(results)
    }

    fn measure(&self, preset: &'static Preset, n: usize) -> Result<Times, Failure> {
        let Args { plan, repeat, batch, one_shot, verify, .. } = self.args;
        let mut settings = plan.settings(Some(preset), n);
        settings.verify = *verify;
        if *one_shot {
            let borrowed = self.workload.borrow(self.device, settings, n)?;
            let plan = borrowed.check()?;
            let (samples, stages) = timed(*repeat, || borrowed.run())?;
            let load = stages.get("load").copied().unwrap_or_default();
            return Ok(Times::new(n, samples, stages, load, &plan));
        }
        let loaded = self.workload.load(self.device, settings, n)?;
        loaded.check()?;
        let (samples, stages) = timed(*repeat, || loaded.run())?;
        Ok(Times::new(n * batch, samples, stages, loaded.load_seconds(), loaded.plan()))
    }
}

/// The seconds of each run, and the median of each stage.
fn timed(
    repeat: usize,
    run: impl Fn() -> Result<(f64, Timings), Failure>,
) -> Result<(Vec<f64>, BTreeMap<&'static str, f64>), Failure> {
    let mut samples = Vec::with_capacity(repeat);
    let mut stages: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for _ in 0..repeat {
        let (seconds, timings) = run()?;
        samples.push(seconds);
        for (stage, time) in timings.stages() {
            stages.entry(stage).or_default().push(time.as_secs_f64());
        }
    }
    let stages = stages.into_iter().map(|(stage, times)| (stage, median(&times)));
    Ok((samples, stages.collect()))
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

impl Times {
    fn new(
        n: usize,
        samples: Vec<f64>,
        stage_seconds: BTreeMap<&'static str, f64>,
        load_seconds: f64,
        plan: &bucketeer::Plan,
    ) -> Self {
        let median_seconds = median(&samples);
        let msms = n as f64 / plan.n.max(1) as f64;
        let predicted_seconds = msms * plan.cost.nanoseconds / 1e9;
        let additions = msms * (plan.cost.bucket_additions + plan.cost.reduce_additions);
        Self {
            median_seconds,
            min_seconds: samples.iter().copied().fold(f64::INFINITY, f64::min),
            stage_seconds,
            samples,
            load_seconds,
            predicted_seconds,
            predicted_ratio: predicted_seconds / median_seconds,
            points_per_second: n as f64 / median_seconds,
            additions_per_second: additions / median_seconds,
            window_bits: plan.shape.window_bits,
            precompute: plan.shape.precompute,
            odd_multiples: plan.shape.odd_multiples,
            plan_bytes: plan.bytes(),
        }
    }

    /// The cells of these stages.
    fn stages(&self, names: &[&str]) -> Vec<String> {
        let seconds = |name: &&str| self.stage_seconds.get(name).copied().unwrap_or_default();
        names.iter().map(|name| units::seconds(seconds(name))).collect()
    }

    /// The cells beside the times of resident bases.
    fn rates(&self) -> Vec<String> {
        vec![
            format!("{:.2}", self.predicted_ratio),
            units::count(self.points_per_second),
            units::count(self.additions_per_second),
            units::seconds(self.load_seconds),
        ]
    }
}

impl Report {
    fn text(&self) -> String {
        let headings: &[&str] = match self.one_shot {
            true => &["load", "decompose", "group", "accumulate", "reduce", "combine"],
            false => &["pred/meas", "points/s", "additions/s", "load"],
        };
        let start = ["preset", "n", if self.one_shot { "total" } else { "median" }, "min"];
        let mut table = Table::new(&[&start, headings, &["c", "memory"]].concat(), 1);
        for Measurement { preset, n, outcome } in &self.results {
            let start = [(*preset).to_owned(), units::size(*n)];
            let rest = match outcome {
                Measured::Skipped { error } => vec![error.clone()],
                Measured::Times(times) => {
                    let seconds = [times.median_seconds, times.min_seconds].map(units::seconds);
                    let end =
                        [times.window_bits.to_string(), units::bytes(times.plan_bytes.into())];
                    let own = match self.one_shot {
                        true => times.stages(headings),
                        false => times.rates(),
                    };
                    seconds.into_iter().chain(own).chain(end).collect()
                }
            };
            table.row(start.into_iter().chain(rest).collect());
        }
        format!("{}\n{}\n\n{}", self.title(), self.device, table.text())
    }

    fn title(&self) -> String {
        let runs = if self.repeat == 1 { "one run" } else { "median of" };
        let count = if self.repeat == 1 { String::new() } else { format!(" {} runs", self.repeat) };
        let batch =
            if self.batch == 1 { String::new() } else { format!(", batches of {}", self.batch) };
        let way = if self.one_shot { ", one-shot" } else { "" };
        format!("{}, {} scalars{batch}{way}, {runs}{count}", self.curve, self.distribution)
    }

    fn plot(&self) -> String {
        let mut series: Vec<Series> = Vec::new();
        for Measurement { preset, n, outcome } in &self.results {
            let Measured::Times(times) = outcome else { continue };
            let point = (*n as f64, times.median_seconds);
            match series.iter_mut().find(|series| series.name == *preset) {
                Some(series) => series.points.push(point),
                None => series.push(Series { name: (*preset).into(), points: vec![point] }),
            }
        }
        plot::svg(&self.title(), &self.device, "bases", &series)
    }
}

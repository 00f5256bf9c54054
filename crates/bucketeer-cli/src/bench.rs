//! `bucketeer bench`: times of many sizes, as a table, raw data or a plot.
//!
//! For every preset and size the bases are loaded once, and timed apart; one run warms up and is checked
//! against the bases' logarithms; then as many runs as asked for are timed, scalars in memory to sum.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use bucketeer::conformance::KnownBases;
use bucketeer::curves::{NamedCurve, Visitor};
use bucketeer::io;
use bucketeer::plan::{PRESETS, Preset};
use bucketeer::{Bases, Curve, Device, Error, Scalars, Timings};
use clap::builder::RangedU64ValueParser;
use serde::Serialize;

use crate::args::{self, DeviceArgs, PlanArgs, RandomArgs};
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, Outcome, Table};
use crate::plot::{self, Series};
use crate::progress::Activity;
use crate::units::{self, Sweep};

#[derive(clap::Args)]
pub struct Args {
    /// Curve, e.g. bls12-377 or bn254-g2
    #[arg(long, value_name = "CURVE", value_parser = args::curve)]
    curve: &'static NamedCurve,
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
    /// A published strategy, or all of them side by side [default: bucketeer]
    #[arg(long, value_name = "NAME|all", value_parser = Presets::parse)]
    preset: Option<Presets>,
    #[command(flatten)]
    random: RandomArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    plan: PlanArgs,
    /// MSMs over the same bases in one call; times are of the whole batch
    #[arg(long, value_name = "COUNT", default_value = "1",
          value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    batch: usize,
    /// Leave the scalars in ordinary memory instead of memory that a GPU copies from fastest
    #[arg(long)]
    pageable: bool,
    /// Draw time against size into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
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

/// Carries the command out.
pub fn run(args: &Args) -> Outcome {
    let device = args.device.open()?;
    let results = args.curve.visit(Task { args, device: &device })?;
    let report = Report {
        curve: args.curve.name,
        device: device.to_string(),
        distribution: args.random.distribution_name(),
        batch: args.batch,
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
    /// A preset that needs more memory than there is; the others go on.
    Skipped {
        error: String,
    },
}

#[derive(Serialize)]
struct Times {
    median_seconds: f64,
    min_seconds: f64,
    /// Median of each stage; on a GPU the first two run beside the others.
    stage_seconds: BTreeMap<&'static str, f64>,
    samples: Vec<f64>,
    load_seconds: f64,
    points_per_second: f64,
    /// Additions the plan predicts, over the median.
    additions_per_second: f64,
    window_bits: u32,
    precompute: u32,
    odd_multiples: u32,
    plan_bytes: u64,
}

struct Task<'a> {
    args: &'a Args,
    device: &'a Device,
}

impl Visitor for Task<'_> {
    type Output = Result<Vec<Measurement>, Failure>;

    fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Self::Output {
        let Args { n, step, preset, random, .. } = self.args;
        let sizes = n.sizes(*step);
        let presets = preset.map_or(&PRESETS[..1], |presets| presets.0);
        let largest = sizes.iter().copied().max().unwrap_or(0);
        memory::Job { n: largest, batch: self.args.batch, settings: None }
            .check::<C>(curve, self.device)?;
        let activity = Activity::spinner("making bases");
        let known = KnownBases::<C>::new(largest, random.seed);
        let mut results = Vec::new();
        for preset in presets {
            for &n in &sizes {
                activity.say(&format!("{} {}", preset.name, units::size(n)));
                let outcome = match self.measure(&known, preset, n) {
                    Ok(times) => Measured::Times(times),
                    Err(Failure::Library(error @ Error::OutOfMemory { .. }))
                        if presets.len() > 1 =>
                    {
                        Measured::Skipped { error: error.to_string() }
                    }
                    Err(failure) => return Err(failure),
                };
                results.push(Measurement { preset: preset.name, n, outcome });
            }
        }
        Ok(results)
    }
}

impl Task<'_> {
    fn measure<C: Curve>(
        &self,
        known: &KnownBases<C>,
        preset: &'static Preset,
        n: usize,
    ) -> Result<Times, Failure> {
        let Args { random, plan, repeat, .. } = self.args;
        let host = if self.args.pageable { &Device::cpu() } else { self.device };
        let make = |index: usize| {
            let scalars: Vec<C::ScalarField> =
                random.distribution.scalars(n, random.seed + index as u64);
            host.pinned(&scalars)
        };
        let batch = (0..self.args.batch).map(make).collect::<Result<Vec<_>, _>>()?;
        let scalars: Vec<_> = batch.iter().map(|scalars| Scalars::residues(scalars)).collect();
        let builder = Bases::builder().settings(plan.settings(Some(preset), n));
        let started = Instant::now();
        let bases = builder.load(self.device, &known.points[..n])?;
        let load_seconds = started.elapsed().as_secs_f64();
        let run = || -> Result<(Vec<C::Group>, Timings), Error> {
            match &scalars[..] {
                [one] => {
                    let report = bases.msm_with_report(*one)?;
                    Ok((vec![report.result], report.timings))
                }
                many => {
                    let many: Vec<_> = many.iter().collect();
                    Ok((bases.msm_batch(&many)?, Timings::default()))
                }
            }
        };
        for (sum, scalars) in run()?.0.into_iter().zip(&batch) {
            if sum != known.expected(scalars) {
                let text = format!("preset {} at n = {n}, by the bases' logarithms", preset.name);
                return Err(Failure::WrongResult(text));
            }
        }
        let mut samples = Vec::with_capacity(*repeat);
        let mut stages: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
        for _ in 0..*repeat {
            let started = Instant::now();
            let (_, timings) = run()?;
            samples.push(started.elapsed().as_secs_f64());
            for (stage, time) in timings.stages() {
                stages.entry(stage).or_default().push(time.as_secs_f64());
            }
        }
        let stages = stages.into_iter().map(|(stage, times)| (stage, median(&times))).collect();
        Ok(Times::new(n * batch.len(), samples, stages, load_seconds, bases.plan()))
    }
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
        let additions = msms * (plan.cost.bucket_additions + plan.cost.reduce_additions);
        Self {
            median_seconds,
            min_seconds: samples.iter().copied().fold(f64::INFINITY, f64::min),
            stage_seconds,
            samples,
            load_seconds,
            points_per_second: n as f64 / median_seconds,
            additions_per_second: additions / median_seconds,
            window_bits: plan.shape.window_bits,
            precompute: plan.shape.precompute,
            odd_multiples: plan.shape.odd_multiples,
            plan_bytes: plan.bytes(),
        }
    }
}

impl Report {
    fn text(&self) -> String {
        let headings =
            ["preset", "n", "median", "min", "points/s", "additions/s", "load", "c", "memory"];
        let mut table = Table::new(&headings, 1);
        for Measurement { preset, n, outcome } in &self.results {
            let start = [(*preset).to_owned(), units::size(*n)];
            let rest = match outcome {
                Measured::Skipped { error } => vec![error.clone()],
                Measured::Times(times) => vec![
                    units::seconds(times.median_seconds),
                    units::seconds(times.min_seconds),
                    units::count(times.points_per_second),
                    units::count(times.additions_per_second),
                    units::seconds(times.load_seconds),
                    times.window_bits.to_string(),
                    units::bytes(times.plan_bytes.into()),
                ],
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
        format!("{}, {} scalars{batch}, {runs}{count}", self.curve, self.distribution)
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
        plot::svg(&self.title(), &self.device, &series)
    }
}

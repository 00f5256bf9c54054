//! `bucketeer msm`: computes, checks and times MSMs.
//!
//! 1. Obtain the input: files, or random bases with known logarithms. Sizes that cannot fit are
//!    refused before anything is allocated; files that cannot are read chunk by chunk while the MSM
//!    is computed.
//! 2. Compute on the device.
//! 3. Check every sum with a second method ([`crate::check`], or the logarithms).
//! 4. Print.

mod streamed;
mod table;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bucketeer::any::{AnyCurve, AnyPoints, AnySum, Coordinates, RunOptions};
use bucketeer::curves::NamedCurve;
use bucketeer::plan::{Preset, Request, Settings};
use bucketeer::{Device, Error, Plan, PointFault};
use serde_json::Value;

use crate::answer::{Answer, Results, Streaming};
use crate::args::{DeviceArgs, Later, PlanArgs, RandomArgs};
use crate::failure::Failure;
use crate::input::{Document, FileArgs, Input};
use crate::output::Outcome;
use crate::progress::Activity;
use crate::ranks::MpiArgs;
use crate::{args, check, input, memory, output, ranks, units};

/// Number of random bases if `-n` is not given.
const DEFAULT_SIZE: usize = 1 << 18;

#[derive(clap::Args)]
pub struct Args {
    /// Curve, e.g. bls12-377 or bn254-g2
    #[arg(long, value_name = "CURVE", value_parser = args::curve, long_help = args::curve_help(),
          required_unless_present_any = ["input", "table"])]
    curve: Option<&'static NamedCurve>,
    /// Bases: 1000 or 2^20 [default: all of a file, 2^18 random ones]
    #[arg(short, value_name = "SIZE", value_parser = units::parse_size)]
    n: Option<usize>,
    #[command(flatten)]
    random: RandomArgs,
    #[command(flatten)]
    files: FileArgs,
    /// MSMs to compute over the same bases
    #[arg(long, value_name = "COUNT", default_value = "1", value_parser = batch(),
          conflicts_with = "input")]
    batch: usize,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    mpi: MpiArgs,
    #[command(flatten)]
    plan: PlanArgs,
    /// Start from a published strategy; see `bucketeer presets`
    #[arg(long, value_name = "NAME", value_parser = args::preset)]
    preset: Option<&'static Preset>,
    /// Keep the sums of finished chunks of files in this folder: a run that is killed and started
    /// again computes only what is missing
    #[arg(
        long,
        value_name = "FOLDER",
        requires = "bases",
        requires = "scalars",
        conflicts_with = "batch"
    )]
    checkpoint: Option<PathBuf>,
    /// Have the run verify its sums by one more MSM on the device; a wrong sum is an error
    #[arg(long)]
    verify: bool,
    /// Do not check the result with a second method
    #[arg(long)]
    no_check: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn batch() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(1..)
}

impl Args {
    /// The settings of a run over `n` bases.
    fn settings(&self, n: usize) -> Settings {
        let mut settings = self.plan.settings(self.preset, n);
        settings.verify = self.verify;
        settings
    }

    /// A description of the input's origin.
    fn source(&self) -> String {
        let (random, files) = (&self.random, &self.files);
        let scalars = format!("{} scalars, seed {}", random.distribution_name(), random.seed);
        let path = files.input.as_ref().or(files.bases.as_ref()).or(files.table.as_ref());
        match (path, &files.scalars) {
            (Some(path), None) if files.input.is_none() => {
                format!("bases from {}, {scalars}", path.display())
            }
            (Some(path), _) => format!("bases from {}", path.display()),
            (None, _) => format!("random bases, {scalars}"),
        }
    }
}

impl Args {
    /// Refuses inputs that ranks cannot each read a part of.
    fn readable_by_all_ranks(&self) -> Result<(), Failure> {
        if ranks::current().is_none() {
            return Ok(());
        }
        let FileArgs { input, bases, table, scalars, .. } = &self.files;
        if table.is_some() {
            let reason =
                "--table is for one process: with --mpi, each rank makes its own of --bases";
            return Err(Failure::Usage(reason.into()));
        }
        let pipe = |path: &&PathBuf| std::fs::metadata(path).is_ok_and(|found| !found.is_file());
        match [input, bases, scalars].into_iter().flatten().find(pipe) {
            None => Ok(()),
            Some(path) => {
                let reason = "it is not a regular file, and with --mpi all ranks read it".into();
                Err(Error::File { path: path.clone(), reason }.into())
            }
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let device = args.device.later()?;
    args.readable_by_all_ranks()?;
    let document = args.files.document()?;
    let curve = match (args.curve, &document) {
        (Some(curve), _) => curve,
        (None, Some(document)) => document.curve()?,
        (None, None) if args.files.table.is_some() => table::curve(args)?,
        (None, None) => return Err(Failure::Usage("--curve is missing".into())),
    };
    let curve = curve.any();
    let answer = Task { args, curve: &*curve, later: device, document }.carry_out()?;
    if args.json { output::json(&answer) } else { Ok(answer.text(&args.source())) }
}

struct Task<'a> {
    args: &'a Args,
    curve: &'a dyn AnyCurve,
    /// Where to compute, once the number of bases is known.
    later: Later<'a>,
    document: Option<Document>,
}

impl Task<'_> {
    /// The device for MSMs over `n` bases.
    fn device(&self, n: usize) -> Result<&Device, Failure> {
        let (curve, settings) = (self.curve.spec(), self.args.settings(n));
        self.later.for_request(|device| {
            Request::new(&curve, n, device).batch(self.args.batch).settings(&settings)
        })
    }

    fn carry_out(&self) -> Result<Answer, Failure> {
        let started = Instant::now();
        if let Some(stream) = self.stream()? {
            return self.carry_out_streamed(&*stream, started.elapsed());
        }
        if let Some(path) = &self.args.files.table {
            return self.carry_out_on_table(path);
        }
        let (input, planned) = self.input()?;
        let input_time = started.elapsed();
        let (n, batch) = (input.points.len(), input.batch.len());
        let settings = self.args.settings(n);
        let job = memory::Job { n, batch, settings: Some(&settings) };
        let device = self.device(n)?;
        let plan = || job.plan(self.curve, device.facts()).ok().flatten();
        if let Some(text) = planned.or_else(plan).and_then(|plan| job.warning(&plan)) {
            output::warn(&text);
        }
        let run = self.compute(device, &input, settings)?;
        let started = Instant::now();
        let sums: Vec<Coordinates> = run.sums.iter().map(AnySum::coordinates).collect();
        let check = if self.args.no_check { None } else { Some(self.check(&input, &sums)?) };
        let check_time = started.elapsed();
        Ok(self.answer(device, run, (n, &sums), [input_time, check_time], check))
    }

    /// The input, and the plan where one was made to see whether it fits.
    fn input(&self) -> Result<(Input, Option<Plan>), Failure> {
        let _activity = Activity::spinner("preparing the input");
        let Args { n, batch, random, files, plan, .. } = self.args;
        let document = self.document.as_ref();
        let read = files.read(document, self.curve, *n, *batch, plan.any_point, random)?;
        if let Some(input) = read {
            return Ok((input, None));
        }
        let n = n.unwrap_or(DEFAULT_SIZE);
        let settings = self.args.settings(n);
        let job = memory::Job { n, batch: *batch, settings: Some(&settings) };
        let planned = job.check(self.curve, self.device(n)?)?;
        Ok((input::random(self.curve, n, *batch, random.seed, random.distribution), planned))
    }

    fn compute(&self, device: &Device, input: &Input, settings: Settings) -> Result<Run, Failure> {
        let mut options = RunOptions { settings, hook: None };
        let started = Instant::now();
        if let [scalars] = &input.batch[..] {
            let (_activity, hook) = Activity::run("computing", device);
            options.hook = Some(hook);
            let report = input.points.msm_with_report(device, &options, scalars)?;
            let (time, times) = (started.elapsed(), report.timings.stages().into());
            let (sums, plan) = (vec![report.sum], report.plan);
            return Ok(Run { sums, time, plan, times, streamed: None });
        }
        let _activity = Activity::spinner("computing");
        let bases = input.points.load(device, input.points.len(), &options)?;
        let sums = bases.msm_batch(&input.batch)?;
        let time = started.elapsed();
        let plan = bases.plan().clone();
        Ok(Run { sums, time, plan, times: Vec::new(), streamed: None })
    }

    /// Compares every sum with a second method's, and returns the method's name.
    fn check(&self, input: &Input, sums: &[Coordinates]) -> Result<&'static str, Failure> {
        let _activity = Activity::spinner("checking");
        let (points, any_point) = (&*input.points, self.args.plan.any_point);
        let mut method = "";
        for (index, (scalars, sum)) in input.batch.iter().zip(sums).enumerate() {
            let expected;
            (expected, method) = match points.expected(scalars)? {
                Some(sum) => (sum, "by the bases' logarithms"),
                None => check::second_opinion(self.curve, points, scalars, any_point)?,
            };
            if !sum.agree_with(&expected) {
                self.vouched(points)?;
                return Err(wrong(index, sum, &expected, method));
            }
        }
        Ok(method)
    }

    /// Fails with the first base outside the subgroup, if `--no-subgroup-check` vouched for it.
    fn vouched(&self, points: &dyn AnyPoints) -> Result<(), Failure> {
        let files = &self.args.files;
        let unchecked = files.no_subgroup_check && !self.args.plan.any_point;
        let file = files.input.as_ref().or(files.bases.as_ref()).filter(|_| unchecked);
        match file.map(|path| (path, points.first_outside(None))) {
            Some((path, Some(index))) => {
                let reason = format!(
                    "base {index} is {}, which --no-subgroup-check vouches for; \
                     --any-point is right for such points",
                    PointFault::NotInSubgroup
                );
                Err(Error::File { path: path.clone(), reason }.into())
            }
            _ => Ok(()),
        }
    }

    fn answer(
        &self,
        device: &Device,
        run: Run,
        (n, sums): (usize, &[Coordinates]),
        [input_time, check_time]: [Duration; 2],
        check: Option<&'static str>,
    ) -> Answer {
        let mut results: Vec<Value> = sums.iter().map(Coordinates::to_json).collect();
        let seconds = run.time.as_secs_f64();
        let stages = run.times.iter();
        let plan_bytes = run.streamed.as_ref().map_or(run.plan.bytes(), |streamed| streamed.bytes);
        Answer {
            curve: self.curve.named().name,
            n,
            device: device.to_string(),
            ranks: ranks::current().map(|ranks| ranks.size()),
            seconds,
            points_per_second: (n * results.len()) as f64 / seconds,
            stages: stages.map(|(name, d)| ((*name).into(), d.as_secs_f64().into())).collect(),
            checked: check.map(|_| true),
            check,
            check_seconds: check_time.as_secs_f64(),
            input_seconds: input_time.as_secs_f64(),
            window_bits: run.plan.shape.window_bits,
            windows: run.plan.shape.windows,
            plan_bytes,
            streamed: run.streamed,
            times: run.times,
            results: match results.len() {
                1 => Results::Result(results.remove(0)),
                _ => Results::Results(results),
            },
        }
    }
}

fn wrong(index: usize, found: &Coordinates, expected: &Coordinates, method: &str) -> Failure {
    let text = |sum: &Coordinates| match sum {
        Coordinates::None => "no point".into(),
        point => point.to_json().to_string(),
    };
    let (found, expected) = (text(found), text(expected));
    Failure::WrongResult(format!(
        "MSM {index} is {found} on the device and {expected} {method}; \
         bases outside the prime-order subgroup need --any-point"
    ))
}

/// A finished computation.
struct Run {
    sums: Vec<AnySum>,
    time: Duration,
    plan: Plan,
    /// Time of each step; empty for a batch.
    times: Vec<(&'static str, Duration)>,
    streamed: Option<Streaming>,
}

//! `bucketeer msm`: compute, check, and say how long it took.
//!
//! 1. Obtain the input: files, or random bases with known logarithms. Sizes that cannot fit are refused
//!    before anything is allocated.
//! 2. Compute on the device.
//! 3. Check every sum with a second method ([`crate::check`], or the logarithms).
//! 4. Print.

use std::time::{Duration, Instant};

use ark_ec::CurveGroup;
use bucketeer::conformance::on_weierstrass;
use bucketeer::curves::{NamedCurve, Visitor};
use bucketeer::io::{ScalarVec, point_to_json};
use bucketeer::plan::{Preset, Settings};
use bucketeer::{
    AsScalars, Bases, Curve, Device, Error, PointFault, Timings, Weierstrass, parallel,
};
use serde_json::Value;

use crate::answer::{Answer, Results};
use crate::args::{DeviceArgs, PlanArgs, RandomArgs};
use crate::failure::Failure;
use crate::input::{Document, FileArgs, Input, Points};
use crate::output::Outcome;
use crate::progress::Activity;
use crate::{args, check, input, memory, output, units};

/// Bases of a random input where `-n` is not given.
const DEFAULT_SIZE: usize = 1 << 18;

#[derive(clap::Args)]
pub struct Args {
    /// Curve, e.g. bls12-377 or bn254-g2
    #[arg(long, value_name = "CURVE", value_parser = args::curve, required_unless_present = "input")]
    curve: Option<&'static NamedCurve>,
    /// Bases of a random input: 1000 or 2^20 [default: 2^18]
    #[arg(short, value_name = "SIZE", value_parser = units::parse_size, conflicts_with = "files")]
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
    plan: PlanArgs,
    /// Start from a published strategy; see `bucketeer presets`
    #[arg(long, value_name = "NAME", value_parser = args::preset)]
    preset: Option<&'static Preset>,
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
    /// Where the input comes from, in words.
    fn source(&self) -> String {
        let random = &self.random;
        match self.files.input.as_ref().or(self.files.bases.as_ref()) {
            Some(path) => format!("bases from {}", path.display()),
            None => format!(
                "random bases, {} scalars, seed {}",
                random.distribution_name(),
                random.seed
            ),
        }
    }
}

/// Carries the command out.
pub fn run(args: &Args) -> Outcome {
    let device = args.device.open()?;
    let document = args.files.document()?;
    let curve = match (args.curve, &document) {
        (Some(curve), _) => curve,
        (None, Some(document)) => document.curve()?,
        (None, None) => return Err(Failure::Usage("--curve is missing".into())),
    };
    let answer = curve.visit(Task { args, device: &device, document })?;
    if args.json { output::json(&answer) } else { Ok(answer.text(&args.source())) }
}

struct Task<'a> {
    args: &'a Args,
    device: &'a Device,
    document: Option<Document>,
}

impl Visitor for Task<'_> {
    type Output = Result<Answer, Failure>;

    fn visit<C: Curve>(self, curve: &'static NamedCurve) -> Self::Output {
        let started = Instant::now();
        let input = self.input::<C>(curve)?;
        let input_time = started.elapsed();
        let settings = self.args.plan.settings(self.args.preset, input.bases().len());
        let (n, batch) = (input.bases().len(), input.batch.len());
        let job = memory::Job { n, batch, settings: Some(&settings) };
        if let Some(text) = job.warning::<C>(self.device) {
            output::warn(&text);
        }
        let run = self.compute(&input, settings)?;
        let started = Instant::now();
        let check = if self.args.no_check { None } else { Some(self.check(&input, &run.sums)?) };
        let check_time = started.elapsed();
        Ok(run.answer(curve, self.device, [input_time, check_time], check))
    }
}

impl Task<'_> {
    fn input<C: Curve>(&self, curve: &'static NamedCurve) -> Result<Input<C>, Failure> {
        let _activity = Activity::spinner("preparing the input");
        let Args { n, batch, random, files, plan, .. } = self.args;
        if let Some(input) = files.read(self.document.as_ref(), curve, *batch, plan.any_point)? {
            return Ok(input);
        }
        let n = n.unwrap_or(DEFAULT_SIZE);
        let settings = plan.settings(self.args.preset, n);
        let job = memory::Job { n, batch: *batch, settings: Some(&settings) };
        job.check::<C>(curve, self.device)?;
        Ok(input::random(n, *batch, random.seed, random.distribution))
    }

    fn compute<C: Curve>(&self, input: &Input<C>, settings: Settings) -> Result<Run<C>, Failure> {
        let builder = Bases::<C>::builder().settings(settings);
        let (n, started) = (input.bases().len(), Instant::now());
        if let [scalars] = &input.batch[..] {
            let (_activity, hook) = Activity::run("computing", self.device);
            let builder = builder.on_progress(hook);
            let report =
                builder.msm_with_report(self.device, input.bases(), scalars.as_scalars())?;
            let (time, plan) = (started.elapsed(), report.plan);
            return Ok(Run {
                sums: vec![report.result],
                n,
                time,
                plan,
                timings: Some(report.timings),
            });
        }
        let _activity = Activity::spinner("computing");
        let bases = builder.load(self.device, input.bases())?;
        let sums = bases.msm_batch(&input.batch.iter().collect::<Vec<_>>())?;
        let time = started.elapsed();
        Ok(Run { sums, n, time, plan: bases.plan().clone(), timings: None })
    }

    /// Compares every sum with a second method's; yields the method's name.
    fn check<C: Curve>(
        &self,
        input: &Input<C>,
        sums: &[C::Group],
    ) -> Result<&'static str, Failure> {
        let _activity = Activity::spinner("checking");
        let mut method = "";
        for (index, (scalars, sum)) in input.batch.iter().zip(sums).enumerate() {
            let expected;
            (expected, method) = match (&input.points, scalars) {
                (Points::Known(known), ScalarVec::Residues(residues)) => {
                    let sum = on_weierstrass::<C>(&known.expected(residues));
                    (sum.flatten(), "by the bases' logarithms")
                }
                _ => check::second_opinion(input.bases(), scalars, self.args.plan.any_point)?,
            };
            let found = on_weierstrass::<C>(sum);
            if found != Some(expected) {
                self.vouched(input.bases())?;
                return Err(wrong::<C>(index, found, expected, method));
            }
        }
        Ok(method)
    }

    /// Fails with the first base that `--no-subgroup-check` vouched for wrongly.
    fn vouched<C: Curve>(&self, bases: &[C]) -> Result<(), Failure> {
        let files = &self.args.files;
        let unchecked = files.no_subgroup_check && !self.args.plan.any_point;
        let outside = |i: usize| (!bases[i].in_subgroup()).then_some(i);
        let file = files.input.as_ref().or(files.bases.as_ref()).filter(|_| unchecked);
        match file.map(|path| (path, parallel::find_first(bases.len(), outside))) {
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
}

fn wrong<C: Curve>(
    index: usize,
    found: Option<Weierstrass<C::BaseField>>,
    expected: Weierstrass<C::BaseField>,
    method: &str,
) -> Failure {
    let text = |sum: Option<Weierstrass<C::BaseField>>| {
        let point = sum.and_then(C::from_weierstrass);
        point.map_or("no point".into(), |point| point_to_json::<C>(&point).to_string())
    };
    let (found, expected) = (text(found), text(Some(expected)));
    Failure::WrongResult(format!(
        "MSM {index} is {found} on the device and {expected} {method}; \
         bases outside the prime-order subgroup need --any-point"
    ))
}

/// A finished computation.
struct Run<C: Curve> {
    sums: Vec<C::Group>,
    n: usize,
    time: Duration,
    plan: bucketeer::Plan,
    timings: Option<Timings>,
}

impl<C: Curve> Run<C> {
    fn answer(
        self,
        curve: &'static NamedCurve,
        device: &Device,
        [input_time, check_time]: [Duration; 2],
        check: Option<&'static str>,
    ) -> Answer {
        let points = C::Group::normalize_batch(&self.sums);
        let mut results: Vec<Value> = points.iter().map(point_to_json::<C>).collect();
        let seconds = self.time.as_secs_f64();
        let stages = self.timings.iter().flat_map(Timings::stages);
        Answer {
            curve: curve.name,
            n: self.n,
            device: device.to_string(),
            seconds,
            points_per_second: (self.n * results.len()) as f64 / seconds,
            stages: stages.map(|(name, d)| (name.into(), d.as_secs_f64().into())).collect(),
            checked: check.map(|_| true),
            check,
            check_seconds: check_time.as_secs_f64(),
            input_seconds: input_time.as_secs_f64(),
            window_bits: self.plan.shape.window_bits,
            windows: self.plan.shape.windows,
            plan_bytes: self.plan.bytes(),
            timings: self.timings,
            results: match results.len() {
                1 => Results::Result(results.remove(0)),
                _ => Results::Results(results),
            },
        }
    }
}

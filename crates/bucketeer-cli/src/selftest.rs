//! `bucketeer selftest`: the conformance table on a device, for machines without cargo. With
//! `--soak` calls of all kinds at once, for as long as one likes ([`soak`]).

mod soak;

use std::fmt::Write;
use std::time::Duration;

use bucketeer::conformance::{self, CaseResult, Filter, SoakOptions};
use bucketeer::curves::NamedCurve;
use bucketeer::plan::Preset;
use serde::Serialize;

use crate::args::{self, DeviceArgs};
use crate::failure::Failure;
use crate::output::{self, Outcome};
use crate::progress::Activity;
use crate::ranks::{self, MpiArgs};
use crate::units;

#[derive(clap::Args)]
pub struct Args {
    /// Only this curve [default: all]
    #[arg(long, value_name = "CURVE", value_parser = args::curve)]
    curve: Option<&'static NamedCurve>,
    /// Only this preset [default: all]
    #[arg(long, value_name = "NAME", value_parser = args::preset)]
    preset: Option<&'static Preset>,
    /// Run a part of the table that takes seconds
    #[arg(long)]
    quick: bool,
    /// Instead of the table, make calls of all kinds from several threads for this long, e.g. 90s,
    /// 10m or 1h
    #[arg(long, value_name = "DURATION", value_parser = units::parse_duration,
          conflicts_with_all = ["curve", "preset", "quick", "mpi"])]
    soak: Option<Duration>,
    /// Threads that call
    #[arg(long, value_name = "COUNT", default_value = "8", requires = "soak",
          value_parser = args::threads())]
    callers: usize,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    mpi: MpiArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listing {
    device: String,
    passed: usize,
    failed: usize,
    results: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    curve: &'static str,
    group: String,
    passed: usize,
    failures: Vec<String>,
    seconds: f64,
}

impl From<&CaseResult> for Row {
    fn from(result: &CaseResult) -> Self {
        Self {
            curve: result.curve,
            group: result.group.clone(),
            passed: result.passed,
            failures: result.failed.clone(),
            seconds: result.seconds,
        }
    }
}

/// Runs the command. Prints each row as soon as it is known, failures and summary at the end.
pub fn run(args: &Args) -> Outcome {
    let device = args.device.open()?;
    if let Some(duration) = args.soak {
        return soak::run(
            &device,
            SoakOptions { duration, callers: args.callers, seed: 1 },
            args.json,
        );
    }
    // The table has other rows for another kind of device.
    let kinds = ranks::all(&format!("{:?}", device.kind()))?;
    if let Some(other) = kinds.iter().find(|kind| **kind != kinds[0]) {
        let reason = format!("ranks have devices of different kinds: {} and {other}", kinds[0]);
        return Err(Failure::Usage(reason));
    }
    let filter = Filter { curve: args.curve, preset: args.preset, quick: args.quick };
    let mut listing = Listing { device: device.to_string(), passed: 0, failed: 0, results: vec![] };
    let print = |text: &str| if args.json { Ok(()) } else { output::print(text) };
    let heading = line("curve", "tests", "passed", "failed", "time");
    let mut printed = print(&format!("{device}\n\n{heading}"));
    let activity = Activity::spinner("testing");
    let summary = conformance::run(&device, &filter, &mut |result| {
        let row = Row::from(result);
        if printed.is_ok() {
            printed = activity.aside(|| print(&row.text()));
        }
        activity.say(&format!("testing, {} {} done", row.curve, row.group));
        listing.results.push(row);
    });
    drop(activity);
    printed?;
    (listing.passed, listing.failed) = (summary.passed, summary.failed);
    let text = if args.json { output::json(&listing)? } else { listing.ending() };
    match summary.failed {
        0 => Ok(text),
        failed => {
            output::print(&text)?;
            let all = summary.passed + failed;
            Err(Failure::WrongResult(format!("{failed} of {all} tests failed")))
        }
    }
}

/// A line of the table. Widths are fixed, since a row is printed before the next one is known.
fn line(curve: &str, group: &str, passed: &str, failed: &str, time: &str) -> String {
    format!("{curve:<16}  {group:<32}  {passed:>7}  {failed:>6}  {time:>8}\n")
}

impl Row {
    fn text(&self) -> String {
        let (passed, failed) = (self.passed.to_string(), self.failures.len().to_string());
        line(self.curve, &self.group, &passed, &failed, &units::seconds(self.seconds))
    }
}

impl Listing {
    fn ending(&self) -> String {
        let mut text = String::from("\n");
        for row in &self.results {
            for failure in &row.failures {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "FAILED {} {}: {failure}", row.curve, row.group);
            }
        }
        text + &format!("{} passed, {} failed\n", self.passed, self.failed)
    }
}

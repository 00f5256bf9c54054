//! `bench --widths`: the plan's own choice beside every other window width.
//!
//! For each size, widths are timed from the plan's outward, until they are far slower than the
//! best. Those close to the best are then timed again, in turn, so that a busy moment of the
//! machine does not decide. Times are the least of all runs.

use std::time::Instant;

use bucketeer::curves::NamedCurve;
use bucketeer::plan::{MAX_WINDOW_BITS, PRESETS};
use bucketeer::{Device, Error};
use serde::Serialize;

use super::Args;
use super::workload::Workload;
use crate::failure::Failure;
use crate::output::{self, Outcome};
use crate::progress::Activity;
use crate::units;

/// A width this many times slower than the best is not timed again, nor are those beyond it.
const HOPELESS: f64 = 1.6;
/// Widths within this factor of the best are timed again.
const CLOSE: f64 = 1.25;
/// How many times they are.
const ROUNDS: usize = 2;

/// All curves and sizes.
#[derive(Serialize)]
struct Report {
    device: String,
    repeat: usize,
    results: Vec<Row>,
    /// Sizes that the time limit left out.
    skipped: Vec<String>,
    worst_ratio: Option<f64>,
}

/// One curve at one size.
#[derive(Serialize)]
struct Row {
    curve: &'static str,
    n: usize,
    window_bits: u32,
    min_seconds: f64,
    best_window_bits: u32,
    best_min_seconds: f64,
    /// The plan's time over the best.
    ratio: f64,
    predicted_seconds: f64,
    /// Every width that was timed.
    widths: Vec<Width>,
}

#[derive(Serialize, Clone, Copy)]
struct Width {
    window_bits: u32,
    min_seconds: f64,
    predicted_seconds: f64,
}

/// Carries the command out. Rows appear as they are known.
pub fn run(args: &Args, device: &Device) -> Outcome {
    let sizes = args.n.sizes(args.step);
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let started = Instant::now();
    let over = || started.elapsed().as_secs_f64() > args.time_limit;
    let print = |text: &str| if args.json { Ok(()) } else { output::print(text) };
    let (results, skipped) = (Vec::new(), Vec::new());
    let (device_name, repeat) = (device.to_string(), args.repeat);
    let mut report = Report { device: device_name, repeat, results, skipped, worst_ratio: None };
    let heading = line(["curve", "n", "c", "time", "pred/meas", "best c", "best time", "ratio"]);
    print(&format!("{}\nleast of {repeat} runs and more\n\n{heading}", report.device))?;
    let activity = Activity::spinner("making bases");
    for curve in &args.curve {
        let workload = Workload::new(curve, args, device, largest)?;
        for &n in &sizes {
            if over() {
                report.skipped.push(format!("{} {}", curve.name, units::size(n)));
                continue;
            }
            activity.say(&format!("{} {}", curve.name, units::size(n)));
            let row = Sizing { args, device, workload: &workload, n }.row(curve)?;
            activity.aside(|| print(&row.text()))?;
            report.results.push(row);
        }
    }
    drop(activity);
    let worst = report.results.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio));
    report.worst_ratio = worst.map(|row| row.ratio);
    if args.json { output::json(&report) } else { Ok(report.ending()) }
}

/// One size of one curve.
struct Sizing<'a> {
    args: &'a Args,
    device: &'a Device,
    workload: &'a Workload<'a>,
    n: usize,
}

impl Sizing<'_> {
    fn row(&self, curve: &NamedCurve) -> Result<Row, Failure> {
        let own = self.time(None)?.ok_or(Failure::Usage("the plan's own choice fails".into()))?;
        let mut widths = vec![own];
        let (down, up) = (1..own.window_bits, own.window_bits + 1..=MAX_WINDOW_BITS);
        let directions: [Box<dyn Iterator<Item = u32>>; 2] = [Box::new(down.rev()), Box::new(up)];
        for bits in directions {
            for bits in bits {
                let Some(width) = self.time(Some(bits))? else { break };
                let hopeless = width.min_seconds > HOPELESS * best(&widths).min_seconds;
                widths.push(width);
                if hopeless {
                    break;
                }
            }
        }
        for _ in 0..ROUNDS {
            let least = best(&widths).min_seconds;
            for (index, width) in widths.iter_mut().enumerate() {
                if index > 0 && width.min_seconds > CLOSE * least {
                    continue;
                }
                let bits = (index > 0).then_some(width.window_bits);
                if let Some(again) = self.time(bits)? {
                    width.min_seconds = width.min_seconds.min(again.min_seconds);
                }
            }
        }
        let (own, best) = (widths[0], best(&widths));
        widths.sort_by_key(|width| width.window_bits);
        Ok(Row {
            curve: curve.name,
            n: self.n,
            window_bits: own.window_bits,
            min_seconds: own.min_seconds,
            best_window_bits: best.window_bits,
            best_min_seconds: best.min_seconds,
            ratio: own.min_seconds / best.min_seconds,
            predicted_seconds: own.predicted_seconds,
            widths,
        })
    }

    /// The fastest of several runs with windows of `bits` bits, or of the plan's width; `None` if
    /// no plan has such windows.
    fn time(&self, bits: Option<u32>) -> Result<Option<Width>, Failure> {
        let mut settings = self.args.plan.settings(Some(&PRESETS[0]), self.n);
        settings.window_bits = bits;
        let loaded = match self.workload.load(self.device, settings, self.n) {
            Err(Failure::Library(
                Error::OutOfMemory { .. }
                | Error::BufferTooLarge { .. }
                | Error::InvalidSetting { .. },
            )) if bits.is_some() => return Ok(None),
            other => other?,
        };
        loaded.check()?;
        let mut min_seconds = f64::INFINITY;
        for _ in 0..self.args.repeat {
            min_seconds = min_seconds.min(loaded.run()?.0);
        }
        let plan = loaded.plan();
        let predicted_seconds = plan.cost.nanoseconds / 1e9;
        let window_bits = plan.shape.window_bits;
        // Devices with small buffers may have narrower windows than those that were requested.
        let other = bits.is_some_and(|bits| bits != window_bits);
        Ok((!other).then_some(Width { window_bits, min_seconds, predicted_seconds }))
    }
}

fn best(widths: &[Width]) -> Width {
    let least =
        widths.iter().copied().reduce(|a, b| if b.min_seconds < a.min_seconds { b } else { a });
    least.unwrap_or(Width { window_bits: 0, min_seconds: f64::NAN, predicted_seconds: f64::NAN })
}

/// A line of the table. Widths are fixed, since a row is printed before the next one is known.
fn line([curve, n, bits, time, predicted, best, best_time, ratio]: [&str; 8]) -> String {
    format!(
        "{curve:<16}  {n:>6}  {bits:>2}  {time:>8}  {predicted:>9}  {best:>6}  {best_time:>9}  \
         {ratio:>5}\n"
    )
}

impl Row {
    fn text(&self) -> String {
        line([
            self.curve,
            &units::size(self.n),
            &self.window_bits.to_string(),
            &units::seconds(self.min_seconds),
            &format!("{:.2}", self.predicted_seconds / self.min_seconds),
            &self.best_window_bits.to_string(),
            &units::seconds(self.best_min_seconds),
            &format!("{:.3}", self.ratio),
        ])
    }
}

impl Report {
    fn ending(&self) -> String {
        let worst = self.results.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio));
        let worst = match worst {
            Some(row) => {
                format!("worst ratio {:.3}: {} {}", row.ratio, row.curve, units::size(row.n))
            }
            None => "nothing was timed".into(),
        };
        match &self.skipped[..] {
            [] => format!("\n{worst}\n"),
            left => format!("\nleft out by the time limit: {}\n{worst}\n", left.join(", ")),
        }
    }
}

//! `selftest --soak`: all kinds of calls at once; latencies, and whether memory stays flat.

use bucketeer::Device;
use bucketeer::conformance::{CallTimes, SoakOptions, SoakReport, soak};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{self, Outcome};
use crate::progress::Activity;
use crate::units;

#[derive(Serialize)]
struct Listing {
    device: String,
    callers: usize,
    seconds: u64,
    calls: Vec<Row>,
    wrong: Vec<String>,
    /// Seconds and bytes.
    memory: Vec<(f64, u64)>,
    device_memory: Vec<(f64, u64)>,
    /// Bytes by which memory grew in the second half.
    growth: u64,
    /// The same of the device.
    device_growth: u64,
}

#[derive(Serialize)]
struct Row {
    call: &'static str,
    count: usize,
    /// Seconds.
    median: f64,
    p90: f64,
    p99: f64,
    longest: f64,
}

impl From<&CallTimes> for Row {
    fn from(times: &CallTimes) -> Self {
        let [median, p90, p99, longest] = times.seconds;
        Self { call: times.call, count: times.count, median, p90, p99, longest }
    }
}

/// Runs a soak.
pub fn run(device: &Device, options: SoakOptions, as_json: bool) -> Outcome {
    let activity = Activity::spinner("loading bases");
    let report = soak(device, &options, &mut |calls| activity.say(&format!("{calls} calls made")))?;
    drop(activity);
    let (growth, device_growth) = (report.growth(), report.device_growth());
    let text = match as_json {
        true => output::json(&listing(device, &options, &report))?,
        false => text(device, &options, &report),
    };
    if report.wrong.is_empty() && growth == 0 && device_growth == 0 {
        return Ok(text);
    }
    output::print(&text)?;
    let (wrong, calls) = (report.wrong.len(), report.count());
    let [growth, device_growth] = [growth, device_growth].map(u128::from).map(units::bytes);
    Err(Failure::WrongResult(match wrong {
        0 => format!("memory grew by {growth}, and on the device by {device_growth}"),
        _ => format!("{wrong} of {} calls did not end as they must", calls + wrong),
    }))
}

fn listing(device: &Device, options: &SoakOptions, report: &SoakReport) -> Listing {
    Listing {
        device: device.to_string(),
        callers: options.callers,
        seconds: options.duration.as_secs(),
        calls: report.calls.iter().map(Row::from).collect(),
        wrong: report.wrong.clone(),
        memory: report.memory.clone(),
        device_memory: report.device_memory.clone(),
        growth: report.growth(),
        device_growth: report.device_growth(),
    }
}

fn text(device: &Device, options: &SoakOptions, report: &SoakReport) -> String {
    let line = |cells: [&str; 6]| {
        let [call, count, median, p90, p99, longest] = cells;
        format!("{call:<24}  {count:>8}  {median:>9}  {p90:>9}  {p99:>9}  {longest:>9}\n")
    };
    let mut text = format!("{device}, {} callers\n\n", options.callers);
    text += &line(["call", "count", "median", "90 %", "99 %", "longest"]);
    for CallTimes { call, count, seconds, .. } in &report.calls {
        let [median, p90, p99, longest] = seconds.map(units::seconds);
        text += &line([call, &count.to_string(), &median, &p90, &p99, &longest]);
    }
    let range = |samples: &[(f64, u64)]| {
        let bytes = || samples.iter().map(|(_, bytes)| u128::from(*bytes));
        let least = bytes().min().unwrap_or(0);
        format!("{} to {}", units::bytes(least), units::bytes(bytes().max().unwrap_or(0)))
    };
    if !report.memory.is_empty() {
        text += &format!("\nmemory of the process: {}\n", range(&report.memory));
    }
    if !report.device_memory.is_empty() {
        text += &format!("free memory of the device: {}\n", range(&report.device_memory));
    }
    for wrong in &report.wrong {
        text += &format!("WRONG {wrong}\n");
    }
    text + &format!("{} calls, {} wrong\n", report.count(), report.wrong.len())
}

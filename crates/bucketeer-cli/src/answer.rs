//! The output of `msm`, as text or as one JSON object.

use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::output::Table;
use crate::units;

/// What is printed, independent of the curve's type.
#[derive(Serialize)]
pub struct Answer {
    #[serde(flatten)]
    pub results: Results,
    pub curve: &'static str,
    pub n: usize,
    pub device: String,
    /// How many ranks shared the work, with `--mpi`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<usize>,
    pub seconds: f64,
    pub points_per_second: f64,
    /// Seconds per stage; empty for a batch.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub stages: serde_json::Map<String, Value>,
    /// `null` with `--no-check`; a check that fails prints no answer.
    pub checked: Option<bool>,
    pub check: Option<&'static str>,
    pub check_seconds: f64,
    pub input_seconds: f64,
    pub window_bits: u32,
    pub windows: u32,
    pub plan_bytes: u64,
    /// How the input was read, if it was not in memory as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streamed: Option<Streaming>,
    #[serde(skip)]
    pub times: Vec<(&'static str, Duration)>,
}

/// Chunks that were read one after the other.
#[derive(Serialize)]
pub struct Streaming {
    pub chunks: usize,
    /// Bases of a chunk.
    pub chunk: usize,
    /// Chunks whose sums a checkpoint had.
    pub kept: usize,
    /// Most bytes of memory.
    pub bytes: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Results {
    Result(Value),
    Results(Vec<Value>),
}

impl Answer {
    /// The output as text; `source` describes the input.
    pub fn text(&self, source: &str) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out, source);
        out
    }

    fn write(&self, out: &mut String, source: &str) -> std::fmt::Result {
        let ready = units::seconds(self.input_seconds);
        writeln!(out, "{}: {} {source}, ready in {ready}", self.curve, units::size(self.n))?;
        if let Some(Streaming { chunks, chunk, kept, bytes }) = &self.streamed {
            let (chunk, bytes) = (units::size(*chunk), units::bytes((*bytes).into()));
            let plural = if *chunks == 1 { "" } else { "s" };
            write!(out, "streamed in {chunks} chunk{plural} of {chunk} bases, within {bytes}")?;
            match kept {
                0 => writeln!(out)?,
                _ => writeln!(out, ", {kept} from the checkpoint")?,
            }
        }
        writeln!(out, "{}: {} windows of {} bits\n", self.device, self.windows, self.window_bits)?;
        match &self.results {
            Results::Result(point) => write_point(out, "", point)?,
            Results::Results(points) => {
                for (index, point) in points.iter().enumerate() {
                    write_point(out, &format!("{index}: "), point)?;
                }
            }
        }
        writeln!(out, "\n{}", self.times())?;
        match self.check {
            Some(method) => {
                writeln!(out, "checked: ok, {method}, in {}", units::seconds(self.check_seconds))
            }
            None => writeln!(out, "checked: no"),
        }
    }

    /// Time per stage, and the total. A batch has a total only.
    fn times(&self) -> String {
        let mut table = Table::new(&["stage", "time", "share"], 1);
        let mut row = |name: &str, seconds: f64| {
            let share = format!("{:.1} %", 100.0 * seconds / self.seconds.max(1e-9));
            table.row(vec![name.into(), units::seconds(seconds), share]);
        };
        for (name, time) in &self.times {
            row(name, time.as_secs_f64());
        }
        row("total", self.seconds);
        table.text() + &format!("{} points per second\n", units::count(self.points_per_second))
    }
}

fn write_point(out: &mut String, prefix: &str, point: &Value) -> std::fmt::Result {
    let indent = " ".repeat(prefix.len());
    match point {
        Value::Array(coordinates) if coordinates.len() == 2 => {
            let text = |value: &Value| match value {
                Value::Array(parts) => {
                    let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
                    parts.join(&format!(",\n{indent}    "))
                }
                other => other.as_str().unwrap_or_default().to_owned(),
            };
            writeln!(out, "{prefix}x = {}", text(&coordinates[0]))?;
            writeln!(out, "{indent}y = {}", text(&coordinates[1]))
        }
        _ => writeln!(out, "{prefix}the identity"),
    }
}

//! What a run leaves behind: a table on standard output, a row as soon as it is measured, and a
//! file of every sample.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::Outcome;
use crate::rounds::Samples;

/// Room for the times and ratios that occur.
const LEAST_WIDTH: usize = 6;

/// A Markdown table printed row by row: first columns of text, then columns of numbers.
pub struct Table {
    widths: Vec<usize>,
    texts: usize,
}

impl Table {
    /// Prints the headings, padded to the width of their columns, of which the first `texts` hold
    /// text.
    pub fn new(headings: &[&str], texts: usize) -> Self {
        let widths = headings.iter().map(|heading| heading.len().max(LEAST_WIDTH)).collect();
        let table = Self { widths, texts };
        table.row(headings.iter().map(|heading| heading.trim().into()));
        table.row(table.widths.iter().enumerate().map(|(i, width)| match i < texts {
            true => "-".repeat(*width),
            false => "-".repeat(width - 1) + ":",
        }));
        table
    }

    /// Prints one row.
    pub fn row(&self, cells: impl IntoIterator<Item = String>) {
        let cell = |(i, (cell, width)): (usize, (String, &usize))| match i < self.texts {
            true => format!(" {cell:<width$} |"),
            false => format!(" {cell:>width$} |"),
        };
        let cells: String = cells.into_iter().zip(&self.widths).enumerate().map(cell).collect();
        println!("|{cells}");
    }
}

/// Milliseconds with about four digits.
pub fn milliseconds(time: f64) -> String {
    let decimals = if time < 10.0 {
        3
    } else if time < 1000.0 {
        1
    } else {
        0
    };
    format!("{time:.decimals$}")
}

/// All samples so far, and the file they are kept in.
pub struct Record {
    file: Option<PathBuf>,
    machine: Value,
    cases: Vec<Value>,
}

impl Record {
    /// An empty record of this machine, saved at once: a file that cannot be written ends the run
    /// before it has measured anything.
    pub fn new(file: Option<PathBuf>, machine: Value) -> Outcome<Self> {
        let record = Self { file, machine, cases: Vec::new() };
        record.save()?;
        Ok(record)
    }

    /// Adds one contestant's samples over `2^bits` bases.
    pub fn add(&mut self, curve: &str, bits: u32, scalars: &str, name: &str, samples: &Samples) {
        let seconds: Vec<f64> = samples.times.iter().map(Duration::as_secs_f64).collect();
        self.cases.push(json!({
            "curve": curve,
            "n": 1u64 << bits,
            "scalars": scalars,
            "contestant": name,
            "median_ms": samples.median(),
            "seconds": seconds,
        }));
    }

    /// Writes the file anew. Called after every case, so that a run that is stopped leaves what it
    /// has measured.
    pub fn save(&self) -> Outcome<()> {
        let Some(file) = &self.file else { return Ok(()) };
        write_whole(file, &json!({ "machine": self.machine, "cases": self.cases }))
    }
}

fn write_whole(file: &Path, value: &Value) -> Outcome<()> {
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    let written = std::fs::write(&part, format!("{value:#}\n"))
        .and_then(|()| std::fs::rename(&part, file))
        .map_err(|error| format!("{}: {error}", file.display()));
    Ok(written?)
}

//! What a run leaves behind: a table on standard output, a row as soon as it is measured, and a file of
//! every sample.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::Outcome;
use crate::rounds::Samples;

/// A Markdown table printed row by row, with columns wide enough for its headings and usual values.
pub struct Table {
    widths: Vec<usize>,
}

impl Table {
    /// Prints the heading. Columns from `numbers` on are set to the right.
    pub fn new(headings: &[&str], numbers: usize) -> Self {
        let width = |(i, heading): (usize, &&str)| match i {
            0 => 15,
            _ if i < numbers => heading.len().max(4),
            _ => heading.len().max(9),
        };
        let widths: Vec<usize> = headings.iter().enumerate().map(width).collect();
        let table = Self { widths };
        table.row(&headings.iter().map(|h| h.to_string()).collect::<Vec<_>>());
        let rule = |(i, width): (usize, &usize)| match i < numbers {
            true => "-".repeat(*width),
            false => "-".repeat(width - 1) + ":",
        };
        table.row(&table.widths.iter().enumerate().map(rule).collect::<Vec<_>>());
        table
    }

    /// Prints one row.
    pub fn row(&self, cells: &[String]) {
        let cell = |(cell, width): (&String, &usize)| match cell.parse::<f64>() {
            Ok(_) => format!(" {cell:>width$} |"),
            Err(_) => format!(" {cell:<width$} |"),
        };
        let cells: String = cells.iter().zip(&self.widths).map(cell).collect();
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
    /// An empty record of this machine.
    pub fn new(file: Option<PathBuf>, machine: Value) -> Self {
        Self { file, machine, cases: Vec::new() }
    }

    /// Adds a contest over `2^bits` bases and writes the file anew, so that a run that is stopped
    /// leaves what it has measured.
    pub fn add(&mut self, curve: &str, bits: u32, scalars: &str, all: &[Samples]) -> Outcome<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let seconds = |samples: &Samples| -> Vec<f64> {
            samples.times.iter().map(std::time::Duration::as_secs_f64).collect()
        };
        for samples in all {
            self.cases.push(json!({
                "curve": curve,
                "n": 1u64 << bits,
                "scalars": scalars,
                "contestant": samples.name,
                "median_ms": samples.median(),
                "seconds": seconds(samples),
            }));
        }
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

//! What a run leaves behind: a table on standard output, a row as soon as it is measured, and a file of
//! every sample.

use std::path::{Path, PathBuf};
use std::time::Duration;

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

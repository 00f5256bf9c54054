//! What a command prints: text or one JSON object on stdout, errors and warnings on stderr.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde::Serialize;

use crate::failure::Failure;

/// The output of a command, and a failure if there was one.
pub type Outcome = Result<String, Failure>;

/// One JSON object on one line.
pub fn json(value: &impl Serialize) -> Outcome {
    let text = serde_json::to_string(value);
    text.map(|text| text + "\n").map_err(|error| Failure::Output(error.into()))
}

/// Whether this process prints nothing: one rank speaks for all.
static SILENT: AtomicBool = AtomicBool::new(false);

/// Has this process print nothing, or print again.
pub fn set_silent(silent: bool) {
    SILENT.store(silent, Relaxed);
}

/// Whether this process prints nothing.
pub fn is_silent() -> bool {
    SILENT.load(Relaxed)
}

/// Writes to stdout. Does not panic if the reader has closed it (`bucketeer … | head`).
pub fn print(text: &str) -> Result<(), Failure> {
    if is_silent() {
        return Ok(());
    }
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::Output(error),
    })
}

/// Writes a warning to stderr.
pub fn warn(text: &str) {
    if !is_silent() {
        let _ = writeln!(std::io::stderr(), "warning: {text}");
    }
}

/// Writes an error to stderr. A failure to do so cannot be reported.
pub fn complain(failure: &Failure) {
    if !is_silent() {
        let _ = writeln!(std::io::stderr(), "error: {failure}");
    }
}

/// The canonical form of a path, whether or not the file exists.
pub fn resolved(path: &Path) -> PathBuf {
    let beside = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some(folder.unwrap_or(Path::new(".")).canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.into())
}

/// A table of text: every column as wide as its widest cell.
pub struct Table {
    rows: Vec<Vec<String>>,
    left: usize,
}

impl Table {
    /// A table with these headings. The first `left` columns are left-aligned.
    pub fn new(headings: &[&str], left: usize) -> Self {
        Self { rows: vec![headings.iter().map(ToString::to_string).collect()], left }
    }

    /// Adds a row; it may be shorter than the headings, and its last cell then longer than its
    /// column.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as text, one line per row.
    pub fn text(&self) -> String {
        let columns = self.rows[0].len();
        let full = || self.rows.iter().filter(|row| row.len() == columns);
        let width = |i: usize| full().map(|row| row[i].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cell = |(i, text): (usize, &String)| match (i < self.left, row.len() == columns) {
                (true, _) => format!("{text:<width$}", width = widths[i]),
                (false, true) => format!("{text:>width$}", width = widths[i]),
                (false, false) if i + 1 == row.len() => text.clone(),
                (false, false) => format!("{text:>width$}", width = widths[i]),
            };
            let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
            cells.join("  ").trim_end().to_owned() + "\n"
        };
        self.rows.iter().map(line).collect()
    }
}

//! Progress on stderr, if that is a terminal.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use bucketeer::{Device, DeviceKind, Hook};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// What the tool is doing; disappears when dropped.
pub struct Activity(ProgressBar);

impl Activity {
    /// Work of unknown length.
    pub fn spinner(what: &str) -> Self {
        let bar = if shown() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.set_message(format!("{what} …"));
        tick(&bar);
        Self(bar)
    }

    /// Changes the message.
    pub fn say(&self, what: &str) {
        self.0.set_message(format!("{what} …"));
    }

    /// Hides the message while `work` uses the terminal.
    pub fn aside<R>(&self, work: impl FnOnce() -> R) -> R {
        self.0.suspend(work)
    }

    /// A run whose hook moves a bar. Until it moves, a GPU's kernels are compiled, which takes
    /// seconds where they are new.
    pub fn run(what: &'static str, device: &Device) -> (Self, Hook) {
        let bar = if shown() { ProgressBar::new(100) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{msg} [{bar:40}] {percent} % {elapsed}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("=> "));
        }
        let first = match device.kind() {
            DeviceKind::Cpu => what,
            _ => "compiling kernels",
        };
        bar.set_message(first);
        tick(&bar);
        let moved = bar.clone();
        let hook: Hook = Arc::new(move |progress| {
            moved.set_message(what);
            moved.set_position(progress.done * 100 / progress.total.max(1));
            ControlFlow::Continue(())
        });
        (Self(bar), hook)
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Has a shown bar move by itself, on a thread of its own. indicatif panics where none can be
/// started: then the bar moves when something is done.
fn tick(bar: &ProgressBar) {
    let startable = || std::thread::Builder::new().spawn(|| {}).is_ok();
    if !bar.is_hidden() && startable() {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
}

fn shown() -> bool {
    std::io::stderr().is_terminal() && !output::is_silent()
}

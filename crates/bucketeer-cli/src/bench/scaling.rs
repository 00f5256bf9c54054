//! `bench --mpi`: how MSMs scale with the number of ranks.
//!
//! 1. For 1, 2, 4, … ranks, and all of them: bases are loaded over the first ones, and MSMs over
//!    them are timed. The other ranks contribute nothing to the exchange of sums.
//! 2. *Strong*: each size in all. *Weak*: each size for every rank.
//! 3. The same on rank 0 without the others, for what the ranks themselves cost. Its runs alternate
//!    with those of one rank, so that whatever else the machine does slows both.

use std::collections::BTreeSet;
use std::time::Instant;

use bucketeer::curves::NamedCurve;
use bucketeer::{Device, io};
use serde::Serialize;

use super::workload::{Loaded, Workload};
use super::{Args, median};
use crate::failure::Failure;
use crate::output::{self, Outcome, Table};
use crate::plot::{self, Series};
use crate::progress::Activity;
use crate::{ranks, units};

#[derive(Serialize)]
struct Report {
    curve: &'static str,
    device: String,
    distribution: &'static str,
    seed: u64,
    repeat: usize,
    results: Vec<Row>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Scaling {
    /// Rank 0 without the others.
    Alone,
    Strong,
    Weak,
}

/// One number of ranks at one size.
#[derive(Serialize)]
struct Row {
    scaling: Scaling,
    /// The size that it belongs to: bases in all, or of every rank.
    size: usize,
    ranks: usize,
    /// Bases in all.
    n: usize,
    median_seconds: f64,
    min_seconds: f64,
    samples: Vec<f64>,
    /// How many times as fast as one rank: for weak scaling, at as many times the bases.
    speed_up: f64,
    /// The speed-up of each rank.
    efficiency: f64,
}

/// Runs the command.
pub fn run(args: &Args, device: &Device, curve: &'static NamedCurve) -> Outcome {
    let most = ranks::current().map_or(1, |ranks| ranks.size());
    let powers = (0..).map(|power| 1 << power).take_while(|count| *count < most);
    let counts: BTreeSet<usize> = powers.chain([most]).collect();
    let sizes = args.n.sizes(args.step);
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let largest = largest.saturating_mul(most);
    let activity = Activity::spinner("making bases");
    let workload = ranks::agree(Workload::new(curve, args, device, largest))?;
    let mut results = Vec::new();
    for size in sizes {
        let task = Task { args, device, workload: &workload, size };
        let [alone, one] = task.alone_and_one_rank()?;
        let first = median(&one);
        results.push(Row::new(Scaling::Alone, [size, 1, size], alone, first));
        results.push(Row::new(Scaling::Strong, [size, 1, size], one.clone(), first));
        for scaling in [Scaling::Strong, Scaling::Weak] {
            if scaling == Scaling::Weak {
                results.push(Row::new(scaling, [size, 1, size], one.clone(), first));
            }
            for &count in counts.range(2..) {
                activity.say(&format!("{}, {count} ranks", units::size(size)));
                results.push(task.measure(scaling, count, first)?);
            }
        }
    }
    drop(activity);
    let report = Report {
        curve: curve.name,
        device: device.to_string(),
        distribution: args.random.distribution_name(),
        seed: args.random.seed,
        repeat: args.repeat,
        results,
    };
    if let Some(path) = args.plot.as_ref().filter(|_| !output::is_silent()) {
        let drawing = report.plot();
        io::write_atomically(path, |file| file.write_all(drawing.as_bytes()))?;
    }
    if args.json { output::json(&report) } else { Ok(report.text()) }
}

struct Task<'a> {
    args: &'a Args,
    device: &'a Device,
    workload: &'a Workload<'a>,
    size: usize,
}

impl Task<'_> {
    /// Seconds of rank 0 by itself, while the others wait, and of one rank.
    fn alone_and_one_rank(&self) -> Result<[Vec<f64>; 2], Failure> {
        // The same on all ranks, of which only rank 0 times it.
        let alone = ranks::agree(self.load(&self.device.local(), self.size))?;
        let one = self.load(&self.device.of_first_ranks(1), self.size)?;
        let mut samples = [Vec::new(), Vec::new()];
        for _ in 0..self.args.repeat {
            let own = if output::is_silent() { Ok(0.0) } else { timed(&alone) };
            samples[0].push(ranks::agree(own)?);
            samples[1].push(timed(&one)?);
        }
        Ok(samples)
    }

    /// Times the first `count` ranks.
    fn measure(&self, scaling: Scaling, count: usize, first: f64) -> Result<Row, Failure> {
        let n = if scaling == Scaling::Weak { self.size * count } else { self.size };
        let loaded = self.load(&self.device.of_first_ranks(count), n)?;
        let mut samples = Vec::with_capacity(self.args.repeat);
        for _ in 0..self.args.repeat {
            // They begin at the same time.
            ranks::agree(Ok(()))?;
            samples.push(timed(&loaded)?);
        }
        Ok(Row::new(scaling, [self.size, count, n], samples, first))
    }

    /// Loads bases, and runs once to compare the sum with that from the bases' logarithms.
    fn load(&self, device: &Device, n: usize) -> Result<Loaded<'_>, Failure> {
        let loaded = self.workload.load(device, self.args.plan.settings(None, n), n)?;
        loaded.check()?;
        Ok(loaded)
    }
}

/// Seconds of one run.
fn timed(loaded: &Loaded<'_>) -> Result<f64, Failure> {
    let started = Instant::now();
    loaded.run()?;
    Ok(started.elapsed().as_secs_f64())
}

impl Row {
    /// `first` is the time of one rank.
    fn new(scaling: Scaling, [size, ranks, n]: [usize; 3], samples: Vec<f64>, first: f64) -> Self {
        let median_seconds = median(&samples);
        let times = if scaling == Scaling::Weak { ranks as f64 } else { 1.0 };
        let speed_up = times * first / median_seconds;
        Self {
            scaling,
            size,
            ranks,
            n,
            median_seconds,
            min_seconds: samples.iter().copied().fold(f64::INFINITY, f64::min),
            samples,
            speed_up,
            efficiency: speed_up / ranks as f64,
        }
    }

    fn name(&self) -> String {
        match self.scaling {
            Scaling::Alone => "no MPI".into(),
            Scaling::Strong => "strong".into(),
            Scaling::Weak => "weak".into(),
        }
    }
}

impl Report {
    fn title(&self) -> String {
        let Self { curve, distribution, repeat, .. } = self;
        format!("{curve}, {distribution} scalars, resident bases, median of {repeat}")
    }

    fn text(&self) -> String {
        let headings = ["", "ranks", "n", "median", "min", "speed-up", "efficiency"];
        let mut table = Table::new(&headings, 1);
        for row in &self.results {
            let seconds = [row.median_seconds, row.min_seconds].map(units::seconds);
            let [median, min] = seconds;
            table.row(vec![
                row.name(),
                row.ranks.to_string(),
                units::size(row.n),
                median,
                min,
                format!("{:.2}", row.speed_up),
                format!("{:.2}", row.efficiency),
            ]);
        }
        format!("{}\n{}\n\n{}", self.title(), self.device, table.text())
    }

    fn plot(&self) -> String {
        let mut series: Vec<Series> = Vec::new();
        for row in self.results.iter().filter(|row| row.scaling != Scaling::Alone) {
            let end = if row.scaling == Scaling::Weak { "a rank" } else { "in all" };
            let name = format!("{} {end}", units::size(row.size));
            let point = (row.ranks as f64, row.median_seconds);
            match series.iter_mut().find(|series| series.name == name) {
                Some(series) => series.points.push(point),
                None => series.push(Series { name, points: vec![point] }),
            }
        }
        plot::svg(&self.title(), &self.device, "ranks", &series)
    }
}

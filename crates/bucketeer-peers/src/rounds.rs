//! Contestants, and the rounds they run in.
//!
//! All contestants of a case run once per round, one after the other, so that whatever disturbs the
//! machine for a while disturbs all of them alike. The first round warms caches and allocators up;
//! it is counted only where every contestant takes so long that warming up cannot matter, or where
//! a single round is requested. Every result of every round is compared with the one computed from
//! the logarithms of the bases, outside the measured time.

use std::time::{Duration, Instant};

use bucketeer::Curve;

use crate::Outcome;

/// Fewest rounds that are counted.
const LEAST: usize = 3;

/// Time a contestant gets on average.
const BUDGET: Duration = Duration::from_millis(500);

/// The measured part of a computation: its time and its result.
pub type Timed<R> = Outcome<(Duration, R)>;

/// A library, or one of Bucketeer's ways, with an MSM to compute.
pub struct Contestant<'a, C: Curve> {
    /// Its name in tables and files.
    pub name: &'static str,
    /// The right result.
    pub expected: C::Group,
    /// Computes the MSM once.
    pub run: Box<dyn Fn() -> Timed<C::Group> + 'a>,
}

/// The times of one contestant.
pub struct Samples {
    /// Its name.
    pub name: &'static str,
    /// The time of each counted round.
    pub times: Vec<Duration>,
}

impl Samples {
    /// The median in milliseconds.
    pub fn median(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort_unstable();
        let middle = times.len() / 2;
        let pair = [times[(times.len() - 1) / 2], times[middle]];
        pair.map(|time| time.as_secs_f64()).iter().sum::<f64>() / 2.0 * 1e3
    }
}

/// Runs `work` against the clock.
pub fn timed<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let start = Instant::now();
    let result = std::hint::black_box(work());
    (start.elapsed(), result)
}

/// Lets the contestants run in turn: `rounds` times, or until the time is spent.
pub fn measure<C: Curve>(
    contestants: &[Contestant<'_, C>],
    rounds: Option<u32>,
) -> Outcome<Vec<Samples>> {
    let warm_up = round(contestants)?;
    let mut all: Vec<Samples> =
        contestants.iter().map(|c| Samples { name: c.name, times: Vec::new() }).collect();
    if warm_up.iter().all(|time| *time >= BUDGET) || rounds == Some(1) {
        record(&mut all, warm_up);
    }
    while !enough(&all, rounds) {
        record(&mut all, round(contestants)?);
    }
    Ok(all)
}

fn round<C: Curve>(contestants: &[Contestant<'_, C>]) -> Outcome<Vec<Duration>> {
    let one = |contestant: &Contestant<'_, C>| {
        let (time, result) = (contestant.run)()?;
        if result != contestant.expected {
            return Err(format!("{} arrived at a wrong result", contestant.name).into());
        }
        Ok(time)
    };
    contestants.iter().map(one).collect()
}

fn record(all: &mut [Samples], times: Vec<Duration>) {
    for (samples, time) in all.iter_mut().zip(times) {
        samples.times.push(time);
    }
}

fn enough(all: &[Samples], rounds: Option<u32>) -> bool {
    let done = all.iter().map(|samples| samples.times.len()).min().unwrap_or(usize::MAX);
    let spent: Duration = all.iter().flat_map(|samples| &samples.times).sum();
    match rounds {
        Some(rounds) => done >= rounds as usize,
        None => done >= LEAST && spent >= BUDGET * all.len() as u32,
    }
}

//! Rounds of the three ways to run a prover.

use std::time::Instant;

use serde_json::{Value, json};

use super::{Options, Outcome};

/// One way to run a prover: its result in arkworks' own types.
type Way<'a, T> = &'a mut dyn FnMut() -> Outcome<T>;

/// Runs arkworks, `Fast<E>` and resident bases in turn. All results must be equal.
pub fn run<T: PartialEq>(
    options: &Options,
    name: &str,
    threads: u16,
    table_bytes: u64,
    ways: [Way<'_, T>; 3],
) -> Outcome<Value> {
    let [arkworks, fast, resident] = ways;
    let mut samples = [const { Vec::new() }; 3];
    for round in 0..=options.repeat {
        let results = [timed(arkworks)?, timed(fast)?, timed(resident)?];
        if results.iter().any(|(_, result)| *result != results[0].1) {
            return Err(format!("{name}: Bucketeer's result is not arkworks'").into());
        }
        if round > 0 {
            samples.iter_mut().zip(results).for_each(|(times, (time, _))| times.push(time));
        }
    }
    let medians = samples.each_ref().map(|times| median(times));
    let (fast, resident) = (medians[0] / medians[1], medians[0] / medians[2]);
    eprintln!(
        "{name}: arkworks {:.3} s, fast {:.3} s ({fast:.2} times), resident {:.3} s \
         ({resident:.2} times)",
        medians[0], medians[1], medians[2]
    );
    Ok(json!({
        "prover": name,
        "n": options.constraints,
        "threads": threads,
        "table_bytes": table_bytes,
        "median_seconds": { "arkworks": medians[0], "fast": medians[1], "resident": medians[2] },
        "arkworks_over": { "fast": fast, "resident": resident },
        "seconds": { "arkworks": samples[0], "fast": samples[1], "resident": samples[2] },
    }))
}

/// The time and the result of a run.
fn timed<T>(run: &mut dyn FnMut() -> Outcome<T>) -> Outcome<(f64, T)> {
    let start = Instant::now();
    let result = run()?;
    Ok((start.elapsed().as_secs_f64(), result))
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

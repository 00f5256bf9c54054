//! What a soak must not exceed: growth of memory, and the time for which a job that is cancelled or
//! dropped keeps its device.

use std::time::Duration;

/// How long half of the jobs that are stopped may keep the device.
const STOPPED: Duration = Duration::from_millis(100);

/// The same for all. Where other programs use the processor, the thread that stops may not run for
/// a while, but hardly so for half of the jobs.
const STOPPED_AT_WORST: Duration = Duration::from_secs(3);

/// Seconds, and bytes at that time.
type Samples = [(f64, u64)];

/// Bytes by which memory in use grew, if that is more than allocators keep for later.
pub(super) fn growth(samples: &Samples) -> u64 {
    let (before, after) = medians(samples);
    beyond(after.saturating_sub(before), before / 20 + (32 << 20))
}

/// Bytes by which the free memory of a device shrank, if that is more than drivers keep.
pub(super) fn device_growth(samples: &Samples) -> u64 {
    let (before, after) = medians(samples);
    beyond(before.saturating_sub(after), 256 << 20)
}

fn beyond(bytes: u64, allowed: u64) -> u64 {
    if bytes > allowed { bytes } else { 0 }
}

/// The medians of the second and of the last quarter: at first memory grows to what runs keep.
fn medians(samples: &Samples) -> (u64, u64) {
    let quarter = |index: usize| {
        let n = samples.len();
        let own = &samples[index * n / 4..(index + 1) * n / 4];
        let mut bytes: Vec<u64> = own.iter().map(|(_, bytes)| *bytes).collect();
        bytes.sort_unstable();
        bytes.get(bytes.len() / 2).copied().unwrap_or(0)
    };
    (quarter(1), quarter(3))
}

/// What took too long to give the device back while nothing else ran; of the seconds, the first are
/// those of half of the calls and the last those of the longest.
pub(super) fn late(call: &str, seconds: &[f64; 4]) -> Vec<String> {
    let bounds = [("half of them", 0, STOPPED), ("one", 3, STOPPED_AT_WORST)];
    let late = bounds.into_iter().filter_map(|(which, index, bound)| {
        let own = seconds[index];
        let late = own > bound.as_secs_f64();
        late.then(|| format!("{call}: {which} took {own:.3} s, not {bound:?}"))
    });
    late.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only the memory of the process used to be judged.
    #[test]
    fn a_leak_on_the_device_is_found() {
        let free = |each: u64| -> Vec<(f64, u64)> {
            (0..40u32).map(|i| (i.into(), (8 << 30) - u64::from(i) * each)).collect()
        };
        let flat = free(0);
        assert_eq!((growth(&flat), device_growth(&flat)), (0, 0));
        assert_eq!(device_growth(&free(1 << 20)), 0);
        assert_eq!(device_growth(&free(20 << 20)), 20 * (20 << 20));
        assert_eq!((growth(&[]), device_growth(&[])), (0, 0));
    }

    /// No latency used to be judged.
    #[test]
    fn stops_that_are_late_are_found() {
        assert_eq!(late("cancel", &[0.001, 0.2, 0.5, 0.9]), Vec::<String>::new());
        assert_eq!(
            late("drop", &[0.2, 0.2, 0.3, 0.3]),
            ["drop: half of them took 0.200 s, not 100ms"]
        );
        assert_eq!(late("drop", &[0.01, 0.1, 1.0, 4.0]), ["drop: one took 4.000 s, not 3s"]);
    }
}

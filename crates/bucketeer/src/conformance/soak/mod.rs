//! A soak: threads that make all kinds of calls at random for a while, over bases that they share.
//!
//! 1. While nothing else runs, jobs are cancelled and dropped, to see how soon the device is free.
//! 2. Every caller draws a curve and a [`Call`], makes it and judges its outcome: a right sum, or
//!    the error that its input or its cancellation must have ([`calls`]).
//! 3. Another thread samples the memory of the process.
//! 4. A [`SoakReport`] has latencies by kind of call, everything that went wrong, and the samples.
//!    A device that is given back late has gone wrong, too.
//!
//! ```no_run
//! use std::time::Duration;
//! use bucketeer::{Device, conformance::{SoakOptions, soak}};
//! let options = SoakOptions { duration: Duration::from_secs(600), callers: 8, seed: 1 };
//! let report = soak(&Device::cpu(), &options, &mut |_| ())?;
//! assert!(report.wrong.is_empty() && report.growth() + report.device_growth() == 0);
//! # Ok::<(), bucketeer::Error>(())
//! ```

mod calls;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ark_std::rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::limits;
use crate::curves::{ark_bls12_381, ark_bn254, ark_ed_on_bls12_377};
use crate::threads::concurrently;
use crate::{Device, Error};
use calls::{CANCELLED_ALONE, Call, DROPPED_ALONE, Fixture, Judged, Shared, alone};

/// How long a soak takes, and how hard it is.
#[derive(Debug, Clone, Copy)]
pub struct SoakOptions {
    /// How long callers begin new calls.
    pub duration: Duration,
    /// Threads that call.
    pub callers: usize,
    /// What the calls are drawn from.
    pub seed: u64,
}

/// Latencies of one kind of call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallTimes {
    /// What was called.
    pub call: &'static str,
    /// How often.
    pub count: usize,
    /// Seconds of a call: the median, the 90th and 99th percentiles, and the maximum.
    pub seconds: [f64; 4],
}

/// The outcome of a soak.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SoakReport {
    /// Every kind of call.
    pub calls: Vec<CallTimes>,
    /// Wrong sums, unexpected outcomes, and jobs that keep the device for too long.
    pub wrong: Vec<String>,
    /// Seconds, and bytes of the process in memory; empty where the system does not say.
    pub memory: Vec<(f64, u64)>,
    /// Free bytes of the device at the same times, for GPUs.
    pub device_memory: Vec<(f64, u64)>,
}

impl SoakReport {
    /// All calls.
    pub fn count(&self) -> usize {
        self.calls.iter().map(|times| times.count).sum()
    }

    /// Bytes by which the process grew in the second half, if that is more than a twentieth and
    /// 32 MiB, what allocators keep for later.
    pub fn growth(&self) -> u64 {
        limits::growth(&self.memory)
    }

    /// Bytes by which the free memory of the device shrank in the second half, if that is more than
    /// 256 MiB: drivers keep some, and others may use the device.
    pub fn device_growth(&self) -> u64 {
        limits::device_growth(&self.device_memory)
    }
}

/// Runs a soak on a device. `progress` gets the number of calls made so far, from time to time.
pub fn soak(
    device: &Device,
    options: &SoakOptions,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<SoakReport, Error> {
    let fixtures: [Box<dyn Shared>; 3] = [
        Box::new(Fixture::<ark_bn254::G1Affine>::new("bn254-g1", device, 1 << 13)?),
        Box::new(Fixture::<ark_bls12_381::G2Affine>::new("bls12-381-g2", device, 1 << 10)?),
        Box::new(Fixture::<ark_ed_on_bls12_377::EdwardsAffine>::new(
            "ed-on-bls12-377",
            device,
            1 << 12,
        )?),
    ];
    let recorded = Mutex::new((alone::<ark_bn254::G1Affine>(device, ALONE)?, Vec::new()));
    let (calls, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let started = Instant::now();
    let progress = Mutex::new(progress);
    let caller = |index: usize| {
        let mut rng = ChaCha20Rng::seed_from_u64(options.seed);
        rng.set_stream(index as u64);
        while started.elapsed() < options.duration {
            let fixture = &fixtures[rng.next_u32() as usize % fixtures.len()];
            let call = Call::drawn(&mut rng);
            let judged = fixture.make(call, rng.next_u64());
            calls.fetch_add(1, Relaxed);
            let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
            match judged {
                Judged::Right(time) => recorded.0.push((call.name(), time)),
                Judged::Wrong(what) => {
                    recorded.1.push(format!("{}, {}: {what}", fixture.curve(), call.name()));
                }
            }
        }
        Ok(())
    };
    let sampler = || {
        let (mut memory, mut free) = (Vec::new(), Vec::new());
        while !done.load(Relaxed) {
            let now = started.elapsed().as_secs_f64();
            memory.extend(resident_bytes().map(|bytes| (now, bytes)));
            if device.kind() != crate::DeviceKind::Cpu {
                free.push((now, device.facts().memory));
            }
            progress.lock().unwrap_or_else(PoisonError::into_inner)(calls.load(Relaxed));
            let next = (options.duration / 200).clamp(Duration::from_millis(50), SAMPLE);
            std::thread::sleep(next);
        }
        (memory, free)
    };
    let samples = std::thread::scope(|scope| {
        let samples = std::thread::Builder::new().spawn_scoped(scope, sampler);
        let callers = concurrently(options.callers, "a caller", caller);
        done.store(true, Relaxed);
        callers.into_iter().collect::<Result<Vec<()>, Error>>()?;
        let samples = samples.map_err(|error| Error::NoThread { reason: error.to_string() })?;
        samples.join().map_err(|_| Error::Internal("the sampler of memory panicked".into()))
    })?;
    let (times, mut wrong) = recorded.into_inner().unwrap_or_else(PoisonError::into_inner);
    let names = Call::ALL.iter().map(|call| call.name()).chain([CANCELLED_ALONE, DROPPED_ALONE]);
    let calls: Vec<_> = names.filter_map(|name| percentiles(name, &times)).collect();
    let stops = calls.iter().filter(|times| [CANCELLED_ALONE, DROPPED_ALONE].contains(&times.call));
    wrong.extend(stops.flat_map(|times| limits::late(times.call, &times.seconds)));
    Ok(SoakReport { calls, wrong, memory: samples.0, device_memory: samples.1 })
}

/// Bases of jobs that are cancelled before all else begins.
const ALONE: usize = 1 << 18;

/// The longest time between two samples of memory.
const SAMPLE: Duration = Duration::from_secs(3);

/// The latencies of one kind of call, if there were any.
fn percentiles(call: &'static str, times: &[(&'static str, Duration)]) -> Option<CallTimes> {
    let own = times.iter().filter(|(name, _)| *name == call);
    let mut seconds: Vec<f64> = own.map(|(_, time)| time.as_secs_f64()).collect();
    seconds.sort_by(f64::total_cmp);
    let (count, last) = (seconds.len(), seconds.len().checked_sub(1)?);
    let at = |percent: usize| seconds[(last * percent).div_ceil(100)];
    Some(CallTimes { call, count, seconds: [at(50), at(90), at(99), at(100)] })
}

/// Bytes of this process in memory.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

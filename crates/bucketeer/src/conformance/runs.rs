//! Row groups that vary how a run is cut: batches, chunks, and inputs of many slices.

use super::Filter;
use super::case::{Arrangement, Case, Outcome, Run, Scalars};
use super::rows::case;
use super::subject::{KNOWN, LARGE, LARGEST, Subject};
use crate::DeviceKind;
use crate::plan::{Accumulate, GROWING, GROWING_AFFINE, Group, Settings};
use crate::random::Distribution;

/// Batches over shared bases and over bases of their own, of unequal lengths.
pub(super) fn batches(_: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let mut cases = Vec::new();
    for n in if filter.quick { vec![33] } else { vec![0, 1, 33, 257] } {
        for kind in [Distribution::Uniform, Distribution::Skewed] {
            let scalars = Scalars::Kind(kind, n);
            for run in [Run::OwnBatch, Run::MixedBatch] {
                let own = case(Arrangement::Mixed, scalars.clone(), Settings::default());
                cases.push(Case { run, ..own });
            }
            for precompute in [None, Some(3)] {
                let settings = Settings { precompute, ..Settings::default() };
                let shared = case(Arrangement::Mixed, scalars.clone(), settings);
                cases.push(Case { run: Run::SharedBatch, ..shared });
            }
        }
    }
    cases
}

/// Ranges of loaded bases, alone, as a batch and together with ranges of other bases: with copies
/// and in chunks.
pub(super) fn slices(_: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let copies = Settings { precompute: Some(3), ..Settings::default() };
    let chunks = Settings { chunk: Some(7), ..Settings::default() };
    let mut cases = Vec::new();
    for n in if filter.quick { vec![33] } else { vec![0, 1, 5, 33, 257] } {
        for settings in [Settings::default(), copies.clone(), chunks.clone()] {
            for run in [Run::Slices, Run::SeveralBases] {
                let scalars = Scalars::Kind(Distribution::Uniform, n);
                cases.push(Case { run, ..case(Arrangement::Mixed, scalars, settings.clone()) });
            }
        }
    }
    cases
}

/// Chunks by setting, and by memory limits that are halved until no plan can meet them.
pub(super) fn chunks(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let mut cases = Vec::new();
    for n in if filter.quick { vec![65] } else { vec![0, 1, 65, 237] } {
        for chunk in [1, 7, 64, 1000] {
            for precompute in [None, Some(3)] {
                let settings = Settings { chunk: Some(chunk), precompute, ..Settings::default() };
                let scalars = Scalars::Kind(Distribution::Uniform, n);
                let outcome = Outcome::SumInChunks(n.div_ceil(chunk));
                cases.push(Case { outcome, ..case(Arrangement::Mixed, scalars, settings) });
            }
        }
    }
    let scalars = Scalars::Kind(Distribution::Uniform, (1 << 11) + 1);
    let limited = |limit, outcome| {
        let settings = Settings { memory_limit: Some(limit), ..Settings::default() };
        Case { outcome, ..case(Arrangement::Mixed, scalars.clone(), settings) }
    };
    cases.extend(
        (10..28)
            .step_by(if filter.quick { 3 } else { 1 })
            .map(|bits| limited(1 << bits, Outcome::SumWithinLimit)),
    );
    // The points alone are more than this.
    cases.push(limited(subject.curve().point_bytes(), Outcome::OutOfMemory));
    cases
}

/// What a service does with its bases: several jobs at once, a job that is stopped, scalars in
/// page-locked memory.
pub(super) fn service(_: &dyn Subject, filter: &Filter) -> Vec<Case> {
    let mut cases = Vec::new();
    for n in if filter.quick { vec![65] } else { vec![1, 300, 4000] } {
        for run in [Run::Jobs, Run::CancelledFirst, Run::Pinned] {
            let scalars = Scalars::Kind(Distribution::Uniform, n);
            cases.push(Case { run, ..case(Arrangement::Mixed, scalars, Settings::default()) });
        }
    }
    cases
}

/// Enough bases for many slices per bucket set and for segments of them; fewer where points are
/// long and additions slow, on a CPU and on a software adapter.
pub(super) fn large(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    use Distribution::{Equal, Skewed, Uniform};
    let device = subject.device();
    let short = subject.curve().point_bytes() <= 96;
    let n = match filter.quick {
        true => 1 << if short { 11 } else { 10 },
        false if device.kind != DeviceKind::Cpu && !subject.is_software_adapter() => LARGEST,
        false if short => LARGE,
        false => KNOWN,
    };
    let with = |kind, run, settings| Case {
        run,
        ..case(Arrangement::Distinct, Scalars::Kind(kind, n), settings)
    };
    let copies = Settings { window_bits: Some(12), precompute: Some(4), ..Settings::default() };
    let csr = Settings { window_bits: Some(9), group: Some(Group::Csr), ..Settings::default() };
    let mut cases = vec![
        with(Uniform, Run::Both, Settings::default()),
        with(Skewed, Run::Borrowed, Settings::default()),
        with(Equal, Run::Borrowed, Settings::default()),
        with(Uniform, Run::Loaded(None), copies),
        with(Uniform, Run::Borrowed, csr),
    ];
    // One bucket set for all threads, with its digits spread over all buckets and in few of them.
    if device.kind == DeviceKind::Cpu {
        let folded =
            Settings { window_bits: Some(12), precompute: Some(1024), ..Settings::default() };
        cases.push(with(Uniform, Run::Loaded(None), folded.clone()));
        cases.push(with(Equal, Run::Loaded(None), folded.clone()));
        // From a table beyond the caches, equal and opposite points and infinities side by side.
        let scalars = Scalars::Kind(Equal, n);
        let run = Run::Loaded(None);
        cases.push(Case { run, ..case(Arrangement::Mixed, scalars, folded.clone()) });
        // In place: digits that meet different buckets, some that meet the same ones, and nearly
        // all.
        let in_place = Settings { accumulate: Some(Accumulate::InPlace), ..folded };
        for kind in [Uniform, Skewed, Equal] {
            cases.push(with(kind, Run::Loaded(None), in_place.clone()));
            let (scalars, run) = (Scalars::Kind(kind, n), Run::Loaded(None));
            cases.push(Case { run, ..case(Arrangement::Mixed, scalars, in_place.clone()) });
        }
    }
    // Chunks that grow, whose buckets are carried; those of a fused sweep cannot be.
    if device.kind == DeviceKind::Cuda && subject.curve().point_bytes() <= 64 && !filter.quick {
        let ways = [(Accumulate::FusedSweep, GROWING), (Accumulate::BatchedAffine, GROWING_AFFINE)];
        for (accumulate, n) in ways {
            let scalars = Scalars::Kind(Uniform, n);
            let (accumulate, precompute) = (Some(accumulate), Some(1));
            let settings = Settings { accumulate, precompute, ..Settings::default() };
            let run = Run::Loaded(None);
            cases.push(Case { run, ..case(Arrangement::Distinct, scalars, settings) });
        }
    }
    cases
}

//! Batched affine additions on a GPU: lists of one round, of two, and lists that are folded after
//! two, with every case of an addition in them.

use super::Filter;
use super::case::{Arrangement, Case, Outcome, Run, Scalars};
use super::rows::case;
use super::settings::ways;
use super::subject::Subject;
use crate::plan::{Accumulate, Reduce, Settings};
use crate::random::Distribution;

/// Every arrangement of bases in short and long lists; batches; buckets that are carried from chunk
/// to chunk.
pub(super) fn additions(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    use Distribution::{Equal, One, Skewed, Uniform};
    if !ways(subject, filter).contains(&Accumulate::BatchedAffine) {
        return Vec::new();
    }
    let affine = || Settings { accumulate: Some(Accumulate::BatchedAffine), ..Settings::default() };
    let mut cases = Vec::new();
    let mut add = |how, kind, n, run, settings| {
        cases.push(Case { run, ..case(how, Scalars::Kind(kind, n), settings) });
    };
    // Lists of a mean length of 80 in windows of three bits: two rounds.
    let long = Settings { window_bits: Some(3), ..affine() };
    for how in Arrangement::ALL {
        for kind in if filter.quick { vec![Uniform, One] } else { vec![Uniform, One, Equal] } {
            add(how, kind, 320, Run::Borrowed, long.clone());
        }
        add(how, Uniform, 65, Run::Both, affine());
    }
    // One list holds everything: after both rounds there are pieces left to fold.
    for n in if filter.quick { vec![1500] } else { vec![1500, 5000, 20_000] } {
        add(Arrangement::Distinct, One, n, Run::Borrowed, affine());
        add(Arrangement::AllEqual, One, n, Run::Borrowed, affine());
        add(Arrangement::Opposites, One, n, Run::Borrowed, affine());
        add(Arrangement::Distinct, Skewed, n, Run::Borrowed, long.clone());
    }
    for precompute in [Some(2), Some(1024)] {
        add(Arrangement::Mixed, Uniform, 320, Run::Both, Settings { precompute, ..long.clone() });
    }
    for reduce in [Reduce::RunningSum, Reduce::SlicedRunningSum { slices: 3 }] {
        let settings = Settings { reduce: Some(reduce), ..long.clone() };
        add(Arrangement::Mixed, Uniform, 320, Run::Borrowed, settings);
    }
    for run in [Run::SharedBatch, Run::OwnBatch] {
        add(Arrangement::Mixed, Uniform, 65, run, affine());
    }
    for chunk in [7, 64] {
        let settings = Settings { chunk: Some(chunk), ..affine() };
        add(Arrangement::Mixed, Uniform, 237, Run::Both, settings);
    }
    // One bucket set whose entries do not fit: chunks one after the other onto the same buckets,
    // which lost what they held where some lists of a chunk are shorter than others.
    for how in [Arrangement::Distinct, Arrangement::Mixed] {
        for limit in if filter.quick { vec![6] } else { vec![6, 11] } {
            let (window_bits, precompute) = (Some(8), Some(1024));
            let memory_limit = Some(limit << 20);
            let settings = Settings { window_bits, precompute, memory_limit, ..affine() };
            let scalars = Scalars::Kind(Uniform, (1 << 11) + 1);
            let (run, outcome) = (Run::Loaded(None), Outcome::SumWithinLimit);
            cases.push(Case { run, outcome, ..case(how, scalars, settings) });
        }
    }
    // Chunks and passes as small as memory makes them.
    for bits in if filter.quick { vec![18, 20] } else { (16..24).collect() } {
        for how in [Arrangement::Mixed, Arrangement::Opposites] {
            let settings = Settings { memory_limit: Some(1 << bits), ..affine() };
            let outcome = Outcome::SumWithinLimit;
            let scalars = Scalars::Kind(Uniform, (1 << 11) + 1);
            cases.push(Case { outcome, ..case(how, scalars, settings) });
        }
    }
    cases
}

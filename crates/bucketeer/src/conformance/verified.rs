//! Runs that verify their sums: what is right must pass, in every kind of run, with scalars of
//! every kind and for points of the whole curve. A hook that cancels at once is left out, since it
//! would end the load. Wrong sums are the business of `tests/silent_errors.rs`.

use ark_std::rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::Filter;
use super::case::{Arrangement, Bases, Case, Run, Scalars};
use super::rows::case;
use super::subject::Subject;
use crate::plan::{MAX_SCALAR_BITS, Settings};
use crate::random::Distribution;

pub(super) fn verified(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    use Run::{Both, Jobs, MixedBatch, OwnBatch, SeveralBases, SharedBatch, Slices};
    let verify = || Settings { verify: true, ..Settings::default() };
    let n = if filter.quick { 33 } else { 257 };
    let uniform = || Scalars::Kind(Distribution::Uniform, n);
    let with = |run, scalars, settings| Case { run, ..case(Arrangement::Mixed, scalars, settings) };
    let mut cases = Vec::new();
    for run in [Both, SharedBatch, OwnBatch, MixedBatch, Slices, SeveralBases, Jobs] {
        cases.push(with(run, uniform(), verify()));
    }
    let tables = [
        Settings { precompute: Some(3), ..verify() },
        Settings { chunk: Some(7), ..verify() },
        Settings { window_bits: Some(4), memory_limit: Some(1 << 22), ..verify() },
    ];
    cases.extend(tables.map(|settings| with(Both, uniform(), settings)));
    let mut rng = ChaCha20Rng::seed_from_u64(0x7e51);
    let data: Vec<i128> =
        (0..n).map(|_| i128::from(rng.next_u64() as i64) << (rng.next_u32() % 64)).collect();
    let words: Vec<u64> = (0..16 * n.min(20)).map(|_| rng.next_u64()).collect();
    let integers = [
        Scalars::Bools(data.iter().map(|k| k & 1 == 1).collect()),
        Scalars::U8(data.iter().map(|k| *k as u8).collect()),
        Scalars::Words { data: words, words: MAX_SCALAR_BITS as usize / 64, bits: None },
        Scalars::Signed { data, type_bits: 128, bits: None },
    ];
    for scalars in integers {
        let bits = match &scalars {
            Scalars::U8(_) => Some(8),
            _ => None,
        };
        cases.push(with(Both, scalars.clone(), verify()));
        cases.push(with(Run::Loaded(bits), scalars.clone(), verify()));
        // Scalars modulo the order of the whole curve.
        let curve = subject.curve();
        if (&curve.order * &curve.cofactor).bits() <= MAX_SCALAR_BITS.into() {
            let any = Settings { any_point: true, ..verify() };
            cases.push(Case { bases: Bases::WholeCurve, ..with(Both, scalars, any) });
        }
    }
    cases
}

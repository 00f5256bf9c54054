//! Runs that verify their sums: what is right must pass, in every kind of run, with scalars of
//! every kind and for points of the whole curve. `tests/silent_errors.rs` has the wrong sums.

use ark_std::rand::{RngCore, SeedableRng};
use num_bigint::BigUint;
use rand_chacha::ChaCha20Rng;

use super::Filter;
use super::case::{Arrangement, Bases, Case, Run, Scalars};
use super::rows::{canonical_form, case};
use super::subject::{Subject, WHOLE};
use crate::plan::{MAX_SCALAR_BITS, Settings};
use crate::random::Distribution;

pub(super) fn verified(subject: &dyn Subject, filter: &Filter) -> Vec<Case> {
    const WORDS: usize = MAX_SCALAR_BITS as usize / 64;
    use Run::{
        Both, CancelledFirst, Jobs, MixedBatch, OwnBatch, SeveralBases, SharedBatch, Slices,
    };
    let verify = || Settings { verify: true, ..Settings::default() };
    let n = if filter.quick { 33 } else { 257 };
    let uniform = || Scalars::Kind(Distribution::Uniform, n);
    let with = |run, scalars, settings| Case { run, ..case(Arrangement::Mixed, scalars, settings) };
    let mut cases = Vec::new();
    for run in [Both, SharedBatch, OwnBatch, MixedBatch, Slices, SeveralBases, Jobs, CancelledFirst]
    {
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
    let words: Vec<u64> = (0..WORDS * n.min(20)).map(|_| rng.next_u64()).collect();
    let order = &subject.curve().order;
    let residues: Vec<BigUint> = (0..n as u32)
        .map(|i| match i % 3 {
            // Also where the order is tiny.
            0 => order * 1024u32 - 1u32 - i,
            1 => (order >> 1u32) + i,
            _ => i.into(),
        })
        .map(|residue| residue % order)
        .collect();
    let canonical = canonical_form(&residues, order.to_u64_digits().len());
    cases.push(with(Both, canonical.clone(), verify()));
    cases.push(with(Run::Loaded(None), canonical.clone(), verify()));
    cases.push(with(SharedBatch, canonical, verify()));
    let integers = |n: usize| {
        [
            Scalars::Bools(data[..n].iter().map(|k| k & 1 == 1).collect()),
            Scalars::U8(data[..n].iter().map(|k| *k as u8).collect()),
            Scalars::Words { data: words.clone(), words: WORDS, bits: None },
            Scalars::Signed { data: data[..n].to_vec(), type_bits: 128, bits: None },
        ]
    };
    for scalars in integers(n) {
        let bits = match &scalars {
            Scalars::U8(_) => Some(8),
            _ => None,
        };
        cases.push(with(Both, scalars.clone(), verify()));
        cases.push(with(Run::Loaded(bits), scalars, verify()));
    }
    // Scalars modulo the order of the whole curve.
    let curve = subject.curve();
    if (&curve.order * &curve.cofactor).bits() <= MAX_SCALAR_BITS.into() {
        for scalars in integers(n.min(WHOLE)) {
            let any = Settings { any_point: true, ..verify() };
            cases.push(Case { bases: Bases::WholeCurve, ..with(Both, scalars, any) });
        }
    }
    cases
}

//! MSMs over curves so tiny that doublings, cancellations, infinities and points of order two occur
//! in every run, against double-and-add: fields of 8 to 64 bits and of one, two, five and thirteen
//! words, every setting at random, every kind of run, one device and several.
//!
//! By default a few seconds of them. `BUCKETEER_TINY_SUMS` says how many sums to compare,
//! `BUCKETEER_TINY_CURVES` on which curves and `BUCKETEER_TINY_SEED` where to begin; `fuzz/run msm`
//! draws the same cases by what code they reach, with `EVERY_CURVE=1` on all 35 curves.

#![allow(missing_docs, reason = "public for the fuzz targets, which include these files")]

mod case;
#[path = "../it/curves.rs"]
#[allow(dead_code, reason = "one of them is used here")]
mod curves;
mod input;
mod points;
mod settings;
#[path = "../it/small_order.rs"]
#[allow(dead_code, reason = "some of them are used here")]
mod small_order;
#[path = "../it/tiny_curves.rs"]
#[allow(dead_code, reason = "some of them are used here")]
mod tiny_curves;

pub use input::{DEVICES, Form, Input, Run, Term};
pub use points::{Combination, Combinations};
pub use settings::AnyBuilder;

use std::panic::{AssertUnwindSafe, catch_unwind};

use arbitrary::{Arbitrary, Unstructured};
use ark_std::rand::{RngCore, SeedableRng};
use bucketeer::Curve;
use case::{Case, check};
use rand_chacha::ChaCha20Rng;

/// Sums on each curve, unless the environment says how many in all.
const SUMS: u64 = 500;

/// Sums on a curve before the next one has its turn.
const AT_A_TIME: u64 = 10_000;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// Runs that are refused one after the other until a curve is given up: no GPU takes fields of
/// thirteen words.
const REFUSED: u32 = 2000;

/// Compares this many sums on a curve.
fn soak<C: Curve>(name: &str, sums: u64, seed: u64) {
    let combinations = Combinations::<C>::new();
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let end = input::count_of_sums() + sums;
    let mut refused = 0;
    while input::count_of_sums() < end {
        if refused == REFUSED {
            return println!("{name}: {REFUSED} runs were refused");
        }
        let before = input::count_of_sums();
        let own = rng.next_u64();
        let mut bytes = vec![0; 64 + own as usize % 160];
        ChaCha20Rng::seed_from_u64(own).fill_bytes(&mut bytes);
        let Ok(mut case) = Case::arbitrary_take_rest(Unstructured::new(&bytes)) else { continue };
        // Short MSMs: a few points meet each other as often as many do.
        case.repeated %= 4;
        let carried_out = catch_unwind(AssertUnwindSafe(|| check(&combinations, &case)));
        assert!(carried_out.is_ok(), "{name}, seed {own}: {case:?}");
        refused = if input::count_of_sums() == before { refused + 1 } else { 0 };
    }
}

macro_rules! on {
    ($($curve:ident)*) => {{
        const CURVES: &[(&str, fn(&str, u64, u64))] =
            &[$((stringify!($curve), |name, sums, seed| soak::<$curve::Affine>(name, sums, seed))),*];
        CURVES
    }};
}

#[test]
fn sums_are_those_of_double_and_add() {
    use tiny_curves::*;
    let curves = on! {
        eight_prime eight sixty_four_glv two_glv five_full thirteen
        eight_edwards ten_edwards twenty_quadratic_glv two_quadratic
    };
    let wanted = std::env::var("BUCKETEER_TINY_CURVES").ok();
    let is_wanted =
        |name: &str| wanted.as_ref().is_none_or(|wanted| wanted.split(',').any(|own| own == name));
    let curves: Vec<_> = curves.iter().filter(|(name, _)| is_wanted(name)).collect();
    assert!(!curves.is_empty(), "no such curves");
    let all = setting("BUCKETEER_TINY_SUMS").unwrap_or(SUMS * curves.len() as u64);
    let each = all.div_ceil(curves.len() as u64).min(AT_A_TIME);
    let seed = setting("BUCKETEER_TINY_SEED").unwrap_or(1);
    for round in 0.. {
        let before = input::count_of_sums();
        for (name, soak) in &curves {
            soak(name, each, seed ^ round << 32);
        }
        assert!(input::count_of_sums() > before, "every run was refused");
        println!("round {round}: {} sums compared", input::count_of_sums());
        if input::count_of_sums() >= all {
            return;
        }
    }
}

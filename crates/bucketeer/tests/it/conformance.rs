//! The conformance table on every curve, on the CPU as it is and on portable arithmetic.
//!
//! The table is full where a curve has a kernel shape or form of its own, on the CPU as it is. All
//! others run a quick one: their kernels are the same code with other constants.
//! `BUCKETEER_TESTS=all`, which `./test --all` sets, makes every table of a named curve full.

use bucketeer::conformance::{CaseResult, Filter, Summary, run, run_curve};
use bucketeer::curves::NamedCurve;
use bucketeer::plan::PRESETS;
use bucketeer::{Curve, Device};

type Report<'a> = &'a mut dyn FnMut(&CaseResult);

/// Runs a table and fails with every failed case in the message.
fn hold(table: impl FnOnce(Report<'_>) -> Summary) {
    let mut failed = Vec::new();
    let summary = table(&mut |row| {
        println!(
            "{:<16} {:<20} {:>5} passed {:>3} failed {:>7.2} s",
            row.curve,
            row.group,
            row.passed,
            row.failed.len(),
            row.seconds
        );
        failed.extend(row.failed.iter().cloned());
    });
    assert!(summary.passed > 100, "only {} cases", summary.passed);
    assert_eq!(summary.failed, failed.len());
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

/// The table on the CPU as it is, then a quick one on portable arithmetic.
fn on_both(table: impl Fn(&Device, &Filter, Report<'_>) -> Summary, filter: Filter) {
    hold(|report| table(&Device::cpu(), &filter, report));
    let portable = Device::cpu().portable().expect("a second pool");
    hold(|report| table(&portable, &Filter { quick: true, ..filter }, report));
}

/// A table that is quick unless all tests are wanted.
fn quick() -> Filter {
    let all = std::env::var("BUCKETEER_TESTS").is_ok_and(|tests| tests == "all");
    Filter { quick: !all, ..Filter::default() }
}

fn on_named(name: &str, filter: Filter) {
    let curve = Some(NamedCurve::named(name).expect("a named curve"));
    on_both(run, Filter { curve, ..filter });
}

fn on_own<C: Curve>(name: &'static str, filter: Filter) {
    on_both(|device, filter, report| run_curve::<C>(name, device, filter, report), filter);
}

/// More threads than bucket sets: passes over segments of the bases and, in fields of slow
/// additions, over ranges of buckets; work stealing.
#[test]
fn many_threads() {
    let device = Device::cpu_with_threads(16).expect("a pool");
    for name in ["bn254-g1", "bls12-381-g2"] {
        let curve = NamedCurve::named(name).ok();
        let filter = Filter { curve, quick: true, ..Filter::default() };
        hold(|report| run(&device, &filter, report));
    }
}

macro_rules! conformance {
    (
        full { $($full:ident: $full_name:literal;)* }
        quick { $($quick:ident: $quick_name:literal;)* }
        own { $($own:ident: $point:ty, $filter:expr;)* }
    ) => {
        $(#[test]
        fn $full() {
            on_named($full_name, Filter::default());
        })*
        $(#[test]
        fn $quick() {
            on_named($quick_name, quick());
        })*
        $(#[test]
        fn $own() {
            on_own::<$point>(stringify!($own), $filter);
        })*
        /// Every named curve has its line here.
        #[test]
        fn all_named_curves_are_covered() {
            let tested = [$($full_name,)* $($quick_name),*];
            for curve in bucketeer::curves::CURVES {
                assert!(tested.contains(&curve.name), "{curve} is missing");
            }
        }
    };
}

conformance! {
    full {
        // Six words, with and without an Edwards form.
        bls12_377_g1: "bls12-377-g1";
        bls12_381_g1: "bls12-381-g1";
        // Quadratic extensions of six and of four words.
        bls12_381_g2: "bls12-381-g2";
        bn254_g2: "bn254-g2";
        // Four words.
        bn254_g1: "bn254-g1";
        // Twelve words.
        bw6_761_g1: "bw6-761-g1";
        // Twisted Edwards, complete and not.
        ed_on_bls12_377: "ed-on-bls12-377";
        bandersnatch: "bandersnatch";
    }
    quick {
        bls12_377_g2: "bls12-377-g2";
        bw6_761_g2: "bw6-761-g2";
        pallas: "pallas";
        vesta: "vesta";
        grumpkin: "grumpkin";
        secp256k1: "secp256k1";
    }
    own {
        // Three words: arkworks' arithmetic.
        secp192k1: crate::curves::secp192k1::Affine, Filter::default();
        // a ≠ 0 over a field of four words.
        secp256r1: ark_secp256r1::Affine, quick();
        // One word, where equal and opposite sums are common.
        tiny: crate::curves::tiny::Affine, Filter::default();
        tiny_glv: crate::curves::tiny_glv::Affine, quick();
    }
}

mod small_order {
    use super::*;

    macro_rules! table {
        ($($curve:ident)*) => {
            $(#[test]
            fn $curve() {
                let quick = Filter { quick: true, ..Filter::default() };
                on_own::<crate::small_order::$curve::Affine>(stringify!($curve), quick);
            })*
        };
    }
    crate::small_order::with_all!(table);
}

/// Each preset as the start of every case, on one curve with an endomorphism.
#[test]
fn every_preset_passes_the_quick_table() {
    let curve = Some(NamedCurve::named("bn254").expect("a named curve"));
    for preset in &PRESETS {
        let filter = Filter { curve, preset: Some(preset), quick: true };
        hold(|report| run(&Device::cpu(), &filter, report));
    }
}

/// Every MSM shared among devices. On Bandersnatch sums of shares were added by a law that is not
/// complete.
#[test]
fn several_devices() {
    let one = Device::cpu_with_threads(1).expect("a pool");
    let device = Device::several(&[one.clone(), one]).expect("a device");
    for name in ["bandersnatch", "ed-on-bls12-377", "bn254-g2"] {
        let curve = NamedCurve::named(name).ok();
        let filter = Filter { curve, quick: true, ..Filter::default() };
        hold(|report| run(&device, &filter, report));
    }
}

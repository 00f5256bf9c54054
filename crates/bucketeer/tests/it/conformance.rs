//! The conformance table on every curve: the full table on the CPU as it is, a quick one on portable
//! arithmetic. Where the CPU has no vector arithmetic both are the same, and the second is cheap.

use bucketeer::Device;
use bucketeer::conformance::{CaseResult, Filter, Summary, run, run_curve};
use bucketeer::curves::NamedCurve;
use bucketeer::plan::PRESETS;

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

/// More threads than bucket sets: passes over segments of the bases and, in fields of slow additions, over ranges of
/// buckets; threads that help each other.
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
        named { $($test:ident: $name:literal;)* }
        own { $($own:ident: $point:ty;)* }
        small_order { $($small:ident;)* }
    ) => {
        $(#[test]
        fn $test() {
            let curve = Some(NamedCurve::named($name).expect("a named curve"));
            on_both(|device, filter, report| run(device, filter, report), Filter {
                curve,
                ..Filter::default()
            });
        })*
        $(#[test]
        fn $own() {
            let table = |device: &Device, filter: &Filter, report: Report<'_>| {
                run_curve::<$point>(stringify!($own), device, filter, report)
            };
            on_both(table, Filter::default());
        })*
        mod small_order {
            use super::*;
            $(#[test]
            fn $small() {
                let table = |device: &Device, filter: &Filter, report: Report<'_>| {
                    type Affine = crate::small_order::$small::Affine;
                    run_curve::<Affine>(stringify!($small), device, filter, report)
                };
                on_both(table, Filter { quick: true, ..Filter::default() });
            })*
        }

        /// Every named curve has its line here.
        #[test]
        fn all_named_curves_are_covered() {
            let tested = [$($name),*];
            for curve in bucketeer::curves::CURVES {
                assert!(tested.contains(&curve.name), "{curve} is missing");
            }
        }
    };
}

conformance! {
    named {
        bls12_377_g1: "bls12-377-g1";
        bls12_377_g2: "bls12-377-g2";
        bls12_381_g1: "bls12-381-g1";
        bls12_381_g2: "bls12-381-g2";
        bn254_g1: "bn254-g1";
        bn254_g2: "bn254-g2";
        bw6_761_g1: "bw6-761-g1";
        bw6_761_g2: "bw6-761-g2";
        ed_on_bls12_377: "ed-on-bls12-377";
        bandersnatch: "bandersnatch";
        pallas: "pallas";
        vesta: "vesta";
        grumpkin: "grumpkin";
        secp256k1: "secp256k1";
    }
    own {
        // a ≠ 0 over a field of four words.
        secp256r1: ark_secp256r1::Affine;
        // Defined beside this test.
        secp192k1: crate::curves::secp192k1::Affine;
        tiny: crate::curves::tiny::Affine;
        tiny_glv: crate::curves::tiny_glv::Affine;
    }
    small_order {
        two;
        three;
        four_full;
        four_one_spare;
        four_glv;
        four_edwards;
        four_quadratic;
        five;
        six_full;
        six_glv;
        six_quadratic;
        twelve_glv;
    }
}

/// Each preset as the start of every case, on one curve with an endomorphism.
#[test]
fn every_preset_passes_the_quick_table() {
    let curve = Some(NamedCurve::named("bls12-377").expect("a named curve"));
    for preset in &PRESETS {
        let filter = Filter { curve, preset: Some(preset), quick: true };
        hold(|report| run(&Device::cpu(), &filter, report));
    }
}

/// Every MSM shared among devices. On Bandersnatch sums of shares were added by a law that is not complete.
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

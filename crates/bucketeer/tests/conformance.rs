//! The conformance table on every curve: the full table on the CPU as it is, a quick one on portable
//! arithmetic. Where the CPU has no vector arithmetic both are the same, and the second is cheap.
#![cfg(feature = "conformance")]

mod custom_curves;

use bucketeer::conformance::{Filter, run_curve};
use bucketeer::plan::PRESETS;
use bucketeer::{Curve, Device};

/// Runs the table and fails with every failed case in the message.
fn hold<C: Curve>(name: &'static str, device: &Device, filter: &Filter) {
    let mut failed = Vec::new();
    let summary = run_curve::<C>(name, device, filter, &mut |row| {
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

macro_rules! conformance {
    ($($test:ident: $name:literal, $point:ty;)*) => {$(
        #[test]
        fn $test() {
            let quick = Filter { quick: true, ..Filter::default() };
            hold::<$point>($name, &Device::cpu(), &Filter::default());
            let portable = Device::cpu().portable().expect("a second pool");
            hold::<$point>($name, &portable, &quick);
        }
    )*

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
    bls12_377_g1: "bls12-377-g1", ark_bls12_377::G1Affine;
    bls12_377_g2: "bls12-377-g2", ark_bls12_377::G2Affine;
    bls12_381_g1: "bls12-381-g1", ark_bls12_381::G1Affine;
    bls12_381_g2: "bls12-381-g2", ark_bls12_381::G2Affine;
    bn254_g1: "bn254-g1", ark_bn254::G1Affine;
    bn254_g2: "bn254-g2", ark_bn254::G2Affine;
    bw6_761_g1: "bw6-761-g1", ark_bw6_761::G1Affine;
    bw6_761_g2: "bw6-761-g2", ark_bw6_761::G2Affine;
    ed_on_bls12_377: "ed-on-bls12-377", ark_ed_on_bls12_377::EdwardsAffine;
    bandersnatch: "bandersnatch", ark_ed_on_bls12_381_bandersnatch::EdwardsAffine;
    pallas: "pallas", ark_pallas::Affine;
    vesta: "vesta", ark_vesta::Affine;
    grumpkin: "grumpkin", ark_grumpkin::Affine;
    secp256k1: "secp256k1", ark_secp256k1::Affine;
    // a ≠ 0 over a field of four words.
    secp256r1: "secp256r1", ark_secp256r1::Affine;
    // Defined in this test.
    secp192k1: "secp192k1", custom_curves::secp192k1::Affine;
    tiny: "tiny", custom_curves::tiny::Affine;
    tiny_with_endomorphism: "tiny-glv", custom_curves::tiny_glv::Affine;
}

/// Each preset as the start of every case, on one curve with an endomorphism.
#[test]
fn every_preset_passes_the_quick_table() {
    for preset in &PRESETS {
        let filter = Filter { preset: Some(preset), quick: true, ..Filter::default() };
        hold::<ark_bls12_377::G1Affine>("bls12-377-g1", &Device::cpu(), &filter);
    }
}

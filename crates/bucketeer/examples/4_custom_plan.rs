//! A plan is a value: it can be made for any device, printed, changed choice by choice, and run.
//!
//! `cargo run --release -p bucketeer --example 4_custom_plan`

use ark_bls12_377::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use bucketeer::plan::{Accumulate, Digits, Group, Preset, Reduce, Request, Settings};
use bucketeer::{Builder, CurveSpec, Device, DeviceFacts, Error, Plan};

const N: u64 = 1 << 12;

fn main() -> Result<(), Error> {
    // What another machine would do with 2^24 bases.
    let curve = CurveSpec::of::<G1Affine>();
    let there = DeviceFacts::cpu(64, true, 256 << 30);
    let elsewhere = Plan::new(&Request::new(&curve, 1 << 24, there))?;
    println!("{elsewhere}\n");
    assert!(elsewhere.bytes() <= 256 << 30);

    let generator = G1Affine::generator();
    let points: Vec<_> = (1..=N).map(|i| generator * Fr::from(i)).collect();
    let bases = G1Projective::normalize_batch(&points);
    let scalars: Vec<Fr> = (1..=N).map(|i| -Fr::from(i)).collect();
    let expected = generator * -Fr::from(N * (N + 1) * (2 * N + 1) / 6);
    let device = Device::cpu();

    // Choices by hand. The cost model makes those that are left out.
    let mut settings = Settings::default();
    settings.window_bits = Some(9);
    settings.digits = Some(Digits::Unsigned);
    settings.group = Some(Group::Sort);
    settings.accumulate = Some(Accumulate::PerBucket);
    settings.reduce = Some(Reduce::SlicedRunningSum { slices: 8 });
    let by_hand =
        Builder::default().settings(settings).msm_with_report(&device, &bases, &scalars)?;
    println!("{}\n", by_hand.plan);
    assert_eq!(by_hand.plan.shape.window_bits, 9);
    assert_eq!(by_hand.result, expected);

    // A published strategy, with one of its choices replaced, in chunks of 1000 bases.
    let mut settings = Settings::default();
    settings.window_bits = Some(6);
    settings.chunk = Some(1000);
    let builder = Builder::default().settings(settings).preset(Preset::named("icicle")?);
    let published = builder.msm_with_report(&device, &bases, &scalars)?;
    println!("{}", published.plan);
    assert_eq!((published.plan.shape.window_bits, published.plan.chunks), (6, 5));
    assert_eq!(published.result, expected);
    Ok(())
}

//! Files of rates, as arbitrary text and as lines with names of rates: no panic, what is accepted
//! is read again as it is written, and plans with it are plans.
#![no_main]

use arbitrary::Arbitrary;
use bucketeer::plan::{Plan, Request};
use bucketeer::{CurveSpec, DeviceFacts, Error, Rates};
use bucketeer_fuzz::curves::tiny_glv;
use bucketeer_fuzz::small_order::{four_edwards, six_quadratic};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct File {
    raw: String,
    /// Which rate, and its value.
    lines: Vec<(u16, f64)>,
    curve: u8,
    device: u8,
    n: u32,
}

fuzz_target!(|file: File| {
    let _ = Rates::parse(&file.raw);
    let names: Vec<String> = Rates::built_in().list().iter().map(|rate| rate.full_name()).collect();
    let line = |(index, value): &(u16, f64)| {
        format!("{} = {value}\n", names[usize::from(*index) % names.len()])
    };
    let Ok(rates) = Rates::parse(&file.lines.iter().map(line).collect::<String>()) else { return };
    assert_eq!(Rates::parse(&rates.to_string()), Ok(rates));
    let curve = match file.curve % 3 {
        0 => CurveSpec::of::<tiny_glv::Affine>(),
        1 => CurveSpec::of::<four_edwards::Affine>(),
        _ => CurveSpec::of::<six_quadratic::Affine>(),
    };
    let mut device = match file.device % 4 {
        0 => DeviceFacts::cpu(8, true, 1 << 30),
        1 => DeviceFacts::cpu(1, false, 1 << 34),
        2 => DeviceFacts::cuda(132, 1 << 36),
        _ => DeviceFacts::webgpu(16, 1 << 32, 1 << 30),
    };
    let kept = Box::into_raw(Box::new(rates));
    // SAFETY: the rates are freed below, after the last use of the device.
    device.rates = unsafe { &*kept };
    match Plan::new(&Request::new(&curve, file.n as usize >> 4, device)) {
        Ok(plan) => assert!(plan.cost.nanoseconds >= 0.0, "{plan}"),
        Err(Error::OutOfMemory { .. } | Error::BufferTooLarge { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    // SAFETY: it comes from `Box::into_raw`, and plan and device are not used any more.
    drop(unsafe { Box::from_raw(kept) });
});

//! Plans for arbitrary requests: no panic, and every plan keeps to its limit and covers its bases.
#![no_main]

use arbitrary::Arbitrary;
use bucketeer::plan::{Plan, Request, ScalarBound};
use bucketeer::{Caches, CurveSpec, DeviceFacts, DeviceKind, Error};
use bucketeer_fuzz::AnySettings;
use bucketeer_fuzz::curves::tiny_glv;
use bucketeer_fuzz::small_order::{four_edwards, six_glv, six_quadratic, two};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Paper {
    curve: u8,
    n: u64,
    shift: u8,
    bits: Option<u32>,
    signed: bool,
    resident: bool,
    facts: Facts,
    batch: u64,
    limit: Option<u64>,
    limited: bool,
    settings: AnySettings,
}

/// Of any device, possible or not.
#[derive(Debug, Arbitrary)]
struct Facts {
    kind: u8,
    threads: u64,
    memory: u64,
    /// Shifts of the two: small numbers are as likely as large ones.
    shifts: [u8; 2],
    ifma: bool,
    simd128: bool,
    binding: u64,
    caches: Option<[u64; 3]>,
}

impl Facts {
    fn device(&self) -> DeviceFacts {
        let threads = (self.threads >> (self.shifts[0] % 64)) as usize;
        let memory = self.memory >> (self.shifts[1] % 64);
        let mut device = match self.kind % 3 {
            0 => DeviceFacts::cpu(threads, self.ifma, memory),
            1 => DeviceFacts::cuda(threads, memory),
            _ => DeviceFacts::webgpu(threads, memory, self.binding),
        };
        device.threads = threads;
        device.simd128 = self.simd128 && device.kind == DeviceKind::Cpu;
        if let Some([l1d, l2, llc]) = self.caches {
            device.caches = Caches { l1d, l2, llc };
        }
        device
    }
}

fuzz_target!(|paper: Paper| {
    let curve = match paper.curve % 7 {
        0 => CurveSpec::of::<ark_bls12_377::G1Affine>(),
        1 => CurveSpec::of::<ark_ed_on_bls12_377::EdwardsAffine>(),
        2 => CurveSpec::of::<tiny_glv::Affine>(),
        3 => CurveSpec::of::<two::Affine>(),
        4 => CurveSpec::of::<four_edwards::Affine>(),
        5 => CurveSpec::of::<six_glv::Affine>(),
        _ => CurveSpec::of::<six_quadratic::Affine>(),
    };
    let mut settings = paper.settings.0;
    if !paper.limited {
        settings.memory_limit = paper.limit;
    }
    let device = paper.facts.device();
    // At most what a plan counts with.
    let available = settings.memory_limit.unwrap_or(device.memory.min(1 << 48));
    let bits = paper.bits.map(|bits| match paper.signed {
        true => ScalarBound::Signed(bits % 1100),
        false => ScalarBound::Bits(bits % 1100),
    });
    let request = Request::new(&curve, (paper.n >> (paper.shift % 64)) as usize, device)
        .batch((paper.batch >> (paper.shift % 64)) as usize)
        .scalars(bits.unwrap_or(ScalarBound::Order))
        .resident(paper.resident)
        .settings(&settings);
    match Plan::new(&request) {
        Ok(plan) => {
            assert!(plan.bytes() <= available);
            assert!(plan.chunks as u128 * plan.chunk as u128 >= plan.n as u128);
            let shape = plan.shape;
            assert!(shape.digit_bits() >= shape.scalar_bits);
            assert!(shape.bucket_sets * shape.precompute >= shape.windows);
            assert!(!plan.to_string().is_empty());
        }
        Err(Error::OutOfMemory { needed, .. }) => assert!(needed > available),
        Err(Error::InvalidSetting { .. }) => {}
        Err(error) => panic!("{error}"),
    }
});

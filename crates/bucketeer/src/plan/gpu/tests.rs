//! Plans for described GPUs: what the kernels assume, and reductions on paper.

use super::layout::{MAX_LOW_BITS, MAX_WEBGPU_BIN_BITS};
use super::reduction::{Mode, TREE_BLOCK};
use super::*;
use crate::plan::validate::Valid;
use crate::plan::{Accumulate, Digits, PRESETS, Request, Settings};
use crate::{CurveSpec, DeviceFacts, Error};

const GIB: u64 = 1 << 30;

/// An RTX 4090, an A100, an H100 and an H200; GPUs behind WebGPU with large and with the least
/// bindings.
fn devices() -> Vec<DeviceFacts> {
    let cuda = [(128, 24), (108, 40), (132, 80), (132, 141)];
    let cuda = cuda.map(|(processors, gib)| DeviceFacts::cuda(processors, gib * GIB));
    let webgpu = [(64, 8 * GIB, 2 * GIB), (64, 8 * GIB, GIB / 8), (1, 4 * GIB, 2 << 20)];
    let webgpu = webgpu.map(|(n, memory, binding)| DeviceFacts::webgpu(n, memory, binding));
    cuda.into_iter().chain(webgpu).collect()
}

fn plan(
    curve: &CurveSpec,
    n: usize,
    batch: usize,
    device: DeviceFacts,
    settings: &Settings,
) -> Result<Plan, Error> {
    Plan::new(&Request::new(curve, n, device).batch(batch).resident(true).settings(settings))
}

/// What kernels and 32-bit indices assume.
fn hold(plan: &Plan, curve: &CurveSpec) {
    let schedule = plan.gpu().expect("a GPU's plan");
    let layout = &schedule.layout;
    assert!(plan.bytes() <= plan.device.memory, "{plan}");
    let request = Request::new(curve, plan.n, plan.device).batch(plan.batch).resident(true);
    let request = &Valid::new(&request).expect("valid settings");
    let &Plan { shape, form, chunk, chunks, .. } = plan;
    let draft = Draft { request, available: plan.device.memory, shape, form, chunk, chunks };
    assert_eq!(**layout, Layout::new(&draft, schedule));
    assert_eq!(
        plan.bytes() - plan.table_bytes(),
        layout.buffers(&draft, schedule).iter().map(|b| b.bytes).sum::<u64>()
    );
    let webgpu = plan.device.kind == DeviceKind::WebGpu;
    assert!(layout.bits >= 1 && (webgpu || layout.low <= MAX_LOW_BITS));
    assert!(layout.bins <= if webgpu { 1 << MAX_WEBGPU_BIN_BITS } else { 1 << 13 });
    let tables = usize::from(plan.resident);
    assert!(plan.buffers[tables..].iter().all(|b| b.bytes <= plan.device.binding), "{plan}");
    assert!(
        plan.chunk as u64 <= layout.bases_per_buffer && (!webgpu || plan.chunk <= MAX_WEBGPU_CHUNK)
    );
    let piece = |at: usize| at as u64 / layout.bases_per_buffer;
    for first in [0, 1, 1000, plan.n / 3] {
        let ranges = plan.scalar_ranges(schedule, first, plan.n);
        let mut end = 0;
        for range in &ranges {
            assert!(range.start == end && range.len() <= schedule.chunks_per_pass * plan.chunk);
            end = range.end;
            let last = first + end - 1;
            assert!(plan.batch > 1 || piece(first + range.start) == piece(last), "{plan}");
        }
        assert_eq!(end, plan.n);
    }
    assert!(layout.keys() >= layout.sets << layout.bits && layout.keys() <= 1 << MAX_KEY_BITS);
    assert!(layout.entries <= MAX_ENTRIES && layout.scalars <= u64::from(u32::MAX));
    assert!(plan.n as u64 * u64::from(plan.shape.precompute) <= MAX_POINTS);
    assert!(schedule.chunks_per_pass * plan.chunk >= plan.n || plan.chunks > 1);
    assert!(plan.chunks * plan.chunk >= plan.n);
    for round in [Some(layout.first), layout.second].into_iter().flatten() {
        assert!(round.tasks <= u64::from(u32::MAX) && round.slots <= u64::from(u32::MAX));
    }
    for step in layout.reduction.steps() {
        assert!(step.width.is_power_of_two() && u64::from(step.width) <= TREE_BLOCK);
        assert!(step.outputs * step.pieces * u64::from(step.width) < 1 << 31);
        assert!(step.output + step.outputs * step.pieces <= layout.reduction.length);
    }
}

#[test]
fn plans_for_described_devices_hold_what_kernels_assume() {
    let curves = [
        CurveSpec::of::<ark_bls12_377::G1Affine>(),
        CurveSpec::of::<ark_bls12_381::G2Affine>(),
        CurveSpec::of::<ark_secp256r1::Affine>(),
    ];
    for device in devices() {
        for curve in &curves {
            for log in [0, 1, 5, 10, 16, 20, 24, 26, 28] {
                let n = 1usize << log;
                for preset in &PRESETS {
                    match plan(curve, n, 1, device, &preset.settings(n)) {
                        Ok(plan) => hold(&plan, curve),
                        Err(Error::OutOfMemory { needed, available }) => {
                            let room = available.min(device.binding);
                            assert!(needed > room && log > 20, "{} 2^{log}", preset.name);
                        }
                        Err(error) => panic!("{} at 2^{log}: {error}", preset.name),
                    }
                }
            }
            let affine =
                Settings { accumulate: Some(Accumulate::BatchedAffine), ..Settings::default() };
            for log in [0, 5, 10, 20, 26] {
                let plan = plan(curve, 1 << log, 1, device, &affine);
                match (plan, device.kind) {
                    (Ok(plan), DeviceKind::Cuda) => hold(&plan, curve),
                    (Err(Error::OutOfMemory { .. }), DeviceKind::Cuda) => assert_eq!(log, 26),
                    (plan, kind) => assert!(kind != DeviceKind::Cuda && plan.is_err()),
                }
            }
            for batch in [2, 1000, 100_000] {
                let plan = plan(curve, 1 << 10, batch, device, &Settings::default());
                let plan = plan.expect("a plan");
                hold(&plan, curve);
                let chunks = plan.gpu().expect("a GPU's plan").chunks_per_pass;
                assert!(chunks > 1 || device.kind == DeviceKind::WebGpu);
            }
        }
    }
}

/// A fused sweep leaves nothing to carry: at 2^22, where chunks grow, 6block once lost all but its
/// last chunk.
#[test]
fn sweeps_do_not_carry_buckets() {
    let curve = CurveSpec::of::<ark_bls12_377::G1Affine>();
    let device = DeviceFacts::cuda(132, 141 * GIB);
    for preset in &PRESETS {
        let plan = plan(&curve, GROWING, 1, device, &preset.settings(GROWING)).expect("a plan");
        let schedule = plan.gpu().expect("a GPU's plan");
        let sweeps = schedule.accumulate == SumLists::FusedSweep;
        assert!(!(sweeps && schedule.carries_buckets), "{plan}");
    }
}

/// Borrowed bases of a large MSM come in growing chunks, and there is memory for two of them; a
/// limit holds for both.
#[test]
fn borrowed_bases_come_in_growing_chunks() {
    let curves = [
        CurveSpec::of::<ark_bls12_377::G1Affine>(),
        CurveSpec::of::<ark_bn254::G1Affine>(),
        CurveSpec::of::<ark_bls12_381::G2Affine>(),
    ];
    let device = DeviceFacts::cuda(132, 141 * GIB);
    for curve in &curves {
        for log in 10..=24 {
            let n = 1usize << log;
            for memory_limit in [None, Some(GIB), Some(GIB / 8)] {
                let settings = Settings { memory_limit, ..Settings::default() };
                let request = Request::new(curve, n, device).settings(&settings);
                let plan = Plan::new(&request).expect("a plan");
                assert!(plan.bytes() <= memory_limit.unwrap_or(device.memory), "{plan}");
                let schedule = plan.gpu().expect("a GPU's plan");
                let layout = &schedule.layout;
                let grows = n as u64 * curve.point_bytes() >= GROWING_BYTES;
                assert!(schedule.growing_chunks == grows || memory_limit.is_some(), "{plan}");
                assert_eq!(schedule.double_buffered, plan.chunks > schedule.chunks_per_pass);
                let halves = 1 + u64::from(schedule.double_buffered);
                let copies = u64::from(plan.shape.precompute);
                let bases = halves * layout.scalars * copies * 4 * layout.base_words as u64;
                assert_eq!(plan.table_bytes(), bases.next_multiple_of(256), "{plan}");
                let longest = plan.scalar_ranges(schedule, 0, n).into_iter().map(|r| r.len());
                assert!(longest.max() <= Some(layout.scalars as usize), "{plan}");
            }
        }
    }
}

/// Wide coordinates need more shared memory than a block of smaller GPUs can have.
#[test]
fn affine_additions_need_shared_memory() {
    let curve = CurveSpec::of::<ark_bls12_381::G2Affine>();
    let affine = Settings { accumulate: Some(Accumulate::BatchedAffine), ..Settings::default() };
    for (kib, enough) in [(227, true), (99, false)] {
        let device = DeviceFacts { shared_memory: kib << 10, ..DeviceFacts::cuda(132, 141 * GIB) };
        let chosen = plan(&curve, 1 << 22, 1, device, &Settings::default()).expect("a plan");
        let accumulate = chosen.gpu().expect("a GPU's plan").accumulate;
        assert_eq!(accumulate == SumLists::BatchedAffine, enough, "{chosen}");
        match plan(&curve, 1 << 22, 1, device, &affine) {
            Ok(_) => assert!(enough, "a plan with {kib} KiB"),
            Err(error) => assert!(!enough && error.to_string().contains("shared memory")),
        }
    }
}

/// The last of 2^31 points, with a sign, was taken for no entry by batched affine additions.
#[test]
fn no_point_is_no_entry() {
    let curve = CurveSpec::of::<ark_bn254::G1Affine>();
    let device = DeviceFacts::cuda(132, 1 << 40);
    let (precompute, window_bits) = (Some(16), Some(16));
    let settings = Settings { precompute, window_bits, ..Settings::default() };
    for (n, copies) in [(1 << 27, 8), ((1 << 27) - 1, 16)] {
        let plan = plan(&curve, n, 1, device, &settings).expect("a plan");
        assert_eq!((plan.resident, plan.shape.precompute), (true, copies), "{plan}");
    }
    let n = 1 << 32;
    let streamed = Plan::new(&Request::new(&curve, n, device)).expect("a plan");
    let ranges = streamed.scalar_ranges(streamed.gpu().expect("a GPU's plan"), 0, n);
    let longest = ranges.iter().map(|range| range.len()).max();
    assert!(streamed.chunk < 1 << 31 && longest <= Some(streamed.chunk), "{streamed}");
}

/// A batch copies the scalars of one MSM while it adds those of another: its MSMs need not be cut.
#[test]
fn msms_of_a_batch_are_whole() {
    let curve = CurveSpec::of::<ark_bn254::G1Affine>();
    let device = DeviceFacts::cuda(132, 141 * GIB);
    let chunks = |batch| {
        let plan = plan(&curve, GROWING, batch, device, &Settings::default()).expect("a plan");
        plan.chunks
    };
    assert_eq!((chunks(1), chunks(4)), (3, 1));
}

/// The table shrinks with the memory, then the bases stay on the host, and the result is a plan.
#[test]
fn less_memory_leads_to_smaller_factors() {
    let curve = CurveSpec::of::<ark_bls12_377::G1Affine>();
    let factor = |gib: u64| {
        let device = DeviceFacts::cuda(132, gib * GIB);
        plan(&curve, 1 << 26, 1, device, &Settings::default()).map(|p| p.shape.precompute)
    };
    assert_eq!(factor(141), Ok(11));
    let (middle, small) = (factor(80).expect("a plan"), factor(24).expect("a plan"));
    assert!(middle < 11 && small < middle && small >= 1, "{middle} {small}");
    assert!(matches!(factor(4), Err(Error::OutOfMemory { .. })));
}

/// The steps of the reduce stage carried out on integers, for all layouts, against the definition.
#[test]
fn reductions_add_up() {
    let curve = CurveSpec::of::<ark_bn254::G1Affine>();
    let devices = [DeviceFacts::cuda(3, 8 * GIB), DeviceFacts::webgpu(3, 8 * GIB, GIB)];
    let (splitting, sliced) =
        (Reduce::WindowSplitting, |slices| Reduce::SlicedRunningSum { slices });
    for bits in [1, 2, 5, 7, 8, 13] {
        for (chunk, batch) in [(None, 1), (Some(3), 1), (None, 5)] {
            for reduce in [splitting, sliced(1), sliced(8), sliced(1024), Reduce::RunningSum] {
                let settings = Settings {
                    window_bits: Some(bits + 1),
                    digits: Some(Digits::Signed),
                    precompute: Some(4),
                    reduce: Some(reduce),
                    chunk,
                    ..Settings::default()
                };
                for device in devices {
                    let plan = plan(&curve, 10, batch, device, &settings).expect("a plan");
                    let layout = &plan.gpu().expect("a GPU's plan").layout;
                    check_reduction(&plan, layout);
                }
            }
        }
    }
}

fn check_reduction(plan: &Plan, layout: &Layout) {
    let r = &layout.reduction;
    let buckets: Vec<u64> =
        (0..layout.sets << layout.bits).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let mut memory = vec![0u64; r.length as usize];
    if let (1.., Some(SumInput::At(at))) = (r.slices, r.steps().next().map(|step| step.input)) {
        // What the kernel of running sums leaves: Σ (i + 1)·Sᵢ over each slice.
        let each = (1u64 << layout.bits) / u64::from(r.slices);
        for (slice, own) in buckets.chunks(each as usize).enumerate() {
            let first = slice as u64 * each % (1 << layout.bits);
            memory[at as usize + slice] = weighted(own, first);
        }
    }
    for step in r.steps() {
        let input = match step.input {
            SumInput::Buckets => &buckets[..],
            SumInput::At(at) => &memory[at as usize..],
        };
        let share = step.count.div_ceil(step.pieces);
        let mut out = Vec::new();
        for o in 0..step.outputs {
            for piece in 0..step.pieces {
                let (outer, within) = (o / step.inner, o % step.inner);
                let own = piece * share..((piece + 1) * share).min(step.count);
                let index = |k: u64| match step.mode {
                    Mode::Runs => o * step.count + k,
                    Mode::Columns => (outer * step.count + k) * step.inner + within,
                    Mode::Bits => {
                        let low = k & ((1 << within) - 1);
                        outer * 2 * step.count + ((k >> within << (within + 1)) | 1 << within | low)
                    }
                };
                let sum = own.map(|k| input[index(k) as usize]);
                out.push(sum.fold(0u64, u64::wrapping_add));
            }
        }
        memory[step.output as usize..][..out.len()].copy_from_slice(&out);
    }
    let (low, high) = r.split_bits();
    let (low, high, sets) = (u64::from(low), u64::from(high), r.sets);
    for set in 0..sets {
        let point = |index: u64| memory[index as usize];
        let bits = (0..low)
            .map(|bit| point(sets + set * low + bit))
            .chain((0..high).map(|bit| point(sets * (1 + low) + set * high + bit)));
        let bits = bits.enumerate().map(|(bit, value)| value.wrapping_shl(bit as u32));
        let found = bits.fold(point(set), u64::wrapping_add);
        // The chunks of a pass belong to one MSM, and its sets lie that far apart.
        let own = (set..layout.sets)
            .step_by(sets as usize)
            .map(|set| weighted(&buckets[(set << layout.bits) as usize..][..1 << layout.bits], 0));
        assert_eq!(found, own.fold(0, u64::wrapping_add), "{plan}\n{layout:?}");
    }
}

/// Σ (first + i + 1)·Sᵢ
fn weighted(values: &[u64], first: u64) -> u64 {
    let terms = values.iter().enumerate().map(|(i, s)| s.wrapping_mul(first + i as u64 + 1));
    terms.fold(0, u64::wrapping_add)
}

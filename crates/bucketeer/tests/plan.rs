//! The plan on paper: for devices that are not here, and with nothing run.

use std::sync::Arc;

use bucketeer::plan::{
    Accumulate, Choice, Contender, Digits, Form, Group, MAX_WINDOW_BITS, PRESETS, Plan, Preset,
    Request, ScalarBound, Schedule, Settings,
};
use bucketeer::{CurveSpec, DeviceFacts, DeviceKind, Error};

const GIB: u64 = 1 << 30;

struct Paper {
    curve: Arc<CurveSpec>,
    n: usize,
    scalars: ScalarBound,
    resident: bool,
    device: DeviceFacts,
    settings: Settings,
}

impl Paper {
    fn new(n: usize) -> Self {
        Self {
            curve: CurveSpec::of::<ark_bls12_377::G1Affine>(),
            n,
            scalars: ScalarBound::Order,
            resident: false,
            device: DeviceFacts::cpu(64, true, 256 * GIB),
            settings: Settings::default(),
        }
    }

    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    fn plan(&self) -> Result<Plan, Error> {
        let request = Request::new(&self.curve, self.n, self.device)
            .scalars(self.scalars)
            .resident(self.resident)
            .settings(&self.settings);
        Plan::new(&request)
    }
}

fn windows(curve: Arc<CurveSpec>, bits: u32, digits: Digits) -> (u32, u64) {
    let mut paper = Paper::new(1000).with(|s| {
        (s.window_bits, s.digits) = (Some(bits), Some(digits));
        (s.endomorphism, s.negate) = (Some(false), Some(digits == Digits::Signed));
    });
    paper.curve = curve;
    let shape = paper.plan().unwrap().shape;
    (shape.windows, shape.buckets)
}

#[test]
fn windows_are_as_many_as_the_scalar_needs() {
    let bls12_377 = || CurveSpec::of::<ark_bls12_377::G1Affine>();
    let secp256k1 = || CurveSpec::of::<ark_secp256k1::Affine>();
    // 253 bits in windows of 16 are 16; of 23 they are exactly 11.
    assert_eq!(windows(bls12_377(), 16, Digits::Unsigned), (16, 65535));
    assert_eq!(windows(bls12_377(), 23, Digits::Unsigned), (11, (1 << 23) - 1));
    assert_eq!(windows(bls12_377(), 1, Digits::Unsigned), (253, 1));
    // r/2 has 252 bits: the carry of signed digits finds room in the 253rd.
    assert_eq!(windows(bls12_377(), 23, Digits::Signed), (11, 1 << 22));
    // r/2 of secp256k1 begins 0x7fffffff: with 0x8000 added to every window it leaves 16 of them.
    assert_eq!(windows(secp256k1(), 16, Digits::Signed), (17, 1 << 15));
    assert_eq!(windows(secp256k1(), 16, Digits::Unsigned), (16, 65535));
}

#[test]
fn presets_are_what_was_published() {
    let plan = |name: &str, n: usize| {
        let settings = Preset::named(name).unwrap().settings(n);
        Paper { settings, ..Paper::new(n) }.plan().unwrap()
    };
    let baseline = plan("aleo-2022-baseline", 1 << 16);
    assert_eq!((baseline.shape.windows, baseline.shape.buckets, baseline.chunk), (253, 1, 128));
    // Yrrid: two bucket sets of 2^22 buckets, six copies of each base.
    let yrrid = plan("yrrid", 1 << 26).shape;
    assert_eq!((yrrid.bucket_sets, yrrid.buckets, yrrid.precompute), (2, 1 << 22, 6));
    let matter_labs = plan("matter-labs", 1 << 26).shape;
    assert_eq!((matter_labs.windows, matter_labs.bucket_sets, matter_labs.precompute), (11, 3, 4));
    assert_eq!(plan("6block", 1 << 26).schedule.accumulate(), Accumulate::FusedSweep);
    let derei_koh = plan("derei-koh", 1 << 20);
    assert_eq!((derei_koh.schedule.group(), derei_koh.shape.buckets), (Some(Group::Csr), 1 << 15));
    // ICICLE: c = log n − 4 up to 20.
    assert_eq!(plan("icicle", 1 << 18).shape.window_bits, 14);
    assert_eq!(plan("icicle", 1 << 26).shape.window_bits, 20);
    for preset in &PRESETS {
        assert_eq!(plan(preset.name, 1 << 20).preset, Some(preset.name));
    }
}

#[test]
fn few_bases_need_no_buckets() {
    let few = Paper { device: DeviceFacts::cpu(2, true, GIB), ..Paper::new(1) }.plan().unwrap();
    assert_eq!(few.schedule.accumulate(), Accumulate::Straus);
    assert!(!few.to_string().contains("bucket set"), "{few}");
    let many = Paper { device: DeviceFacts::cpu(2, true, GIB), ..Paper::new(100) }.plan().unwrap();
    assert_eq!(many.schedule.accumulate(), Accumulate::Slices);
    // GPUs have no such way.
    for device in [DeviceFacts::cuda(132, GIB), DeviceFacts::webgpu(1, GIB, GIB)] {
        let mut paper = Paper { device, ..Paper::new(1) };
        assert_eq!(paper.plan().unwrap().schedule.accumulate(), Accumulate::Slices);
        paper.settings.accumulate = Some(Accumulate::Straus);
        let error = paper.plan().unwrap_err();
        assert!(matches!(error, Error::InvalidSetting { setting: "accumulate", .. }), "{error}");
    }
}

#[test]
fn batched_affine_additions_are_for_nvidia_gpus() {
    let affine = |s: &mut Settings| s.accumulate = Some(Accumulate::BatchedAffine);
    let cuda = DeviceFacts::cuda(132, 141 * GIB);
    for log in [0, 10, 20, 26] {
        let paper = || Paper { device: cuda, resident: true, ..Paper::new(1 << log) };
        let plan = paper().with(affine).plan().unwrap();
        assert_eq!(plan.schedule.accumulate(), Accumulate::BatchedAffine);
        assert_eq!(plan.form, Form::Weierstrass, "{plan}");
        assert!(plan.bytes() <= cuda.memory);
        // Not chosen by itself.
        assert_eq!(paper().plan().unwrap().schedule.accumulate(), Accumulate::Slices);
    }
    for device in [DeviceFacts::cpu(2, true, GIB), DeviceFacts::webgpu(1, GIB, GIB)] {
        let error = Paper { device, ..Paper::new(1 << 16) }.with(affine).plan().unwrap_err();
        assert!(matches!(error, Error::InvalidSetting { setting: "accumulate", .. }), "{error}");
    }
}

#[test]
fn fixed_bases_get_odd_multiples_within_their_memory() {
    for (n, threads) in [(1 << 12, 1), (1 << 16, 2), (1 << 18, 16)] {
        let paper = || Paper {
            resident: true,
            device: DeviceFacts::cpu(threads, true, 64 * GIB),
            ..Paper::new(n)
        };
        let plain = paper().with(|s| s.memory_limit = Some(GIB / 8)).plan().unwrap();
        assert_eq!((plain.shape.precompute, plain.shape.odd_multiples), (1, 1));
        let mut last = plain.cost.nanoseconds;
        for limit in [GIB / 8, GIB, 2 * GIB] {
            let fixed = |s: &mut Settings| {
                (s.auto_precompute, s.memory_limit) = (true, Some(limit));
            };
            let plan = paper().with(fixed).plan().unwrap();
            assert!(plan.bytes() <= limit, "{plan}");
            assert!(plan.cost.nanoseconds <= last, "{plan}");
            last = plan.cost.nanoseconds;
        }
        assert!(last < 0.9 * plain.cost.nanoseconds, "{last} ns, and without copies\n{plain}");
    }
}

/// With 64 GiB to fill, tables grew until they took hundreds of runs to make, for a gain of a few
/// per cent.
#[test]
fn automatic_tables_stop_growing() {
    for (n, threads) in [(1 << 10, 1), (1 << 12, 1), (1 << 12, 2), (1 << 14, 2), (1 << 16, 16)] {
        let plan = |limit: u64| {
            let device = DeviceFacts::cpu(threads, true, 128 * GIB);
            let paper = Paper { resident: true, device, ..Paper::new(n) };
            paper
                .with(|s| (s.auto_precompute, s.memory_limit) = (true, Some(limit)))
                .plan()
                .unwrap()
        };
        let (plan, more) = (plan(16 * GIB), plan(64 * GIB));
        assert_eq!(plan.table(), more.table(), "{plan}");
        let run = plan.cost.bucket_additions + plan.cost.reduce_additions;
        let runs = plan.table_additions() / run;
        assert!((1.0..100.0).contains(&runs), "the table takes {runs} runs\n{plan}");
    }
}

/// Without buckets there are no odd multiples, however many are requested: no shape was left, an
/// internal error.
#[test]
fn few_bases_with_odd_multiples_and_no_memory() {
    for n in 0..20 {
        let requested = |s: &mut Settings| {
            (s.odd_multiples, s.auto_precompute, s.memory_limit) = (Some(8), true, Some(0));
        };
        let plan = Paper { resident: true, ..Paper::new(n).with(requested) }.plan();
        assert!(matches!(plan, Err(Error::OutOfMemory { needed: 1.., available: 0 })), "{plan:?}");
    }
}

/// Up to three bases a plan did without buckets, whatever digits were requested.
#[test]
fn requested_digits_imply_buckets() {
    for n in 1..5 {
        let free = Paper::new(n).plan().unwrap();
        assert!(
            matches!(&free.schedule, Schedule::Straus(s) if s.multiples == 8 || s.multiples == 16)
        );
        assert_eq!(free.shape.buckets, 0);
        let unsigned = Paper::new(n).with(|s| s.digits = Some(Digits::Unsigned)).plan().unwrap();
        assert_eq!(unsigned.shape.digits, Digits::Unsigned);
        let odd = Paper::new(n).with(|s| s.odd_multiples = Some(4)).plan().unwrap();
        assert_eq!(odd.shape.odd_multiples, 4);
        for plan in [unsigned, odd] {
            assert!(matches!(plan.schedule, Schedule::Cpu(_)) && plan.shape.buckets > 0, "{plan}");
        }
    }
}

#[test]
fn odd_multiples_divide_the_buckets() {
    let shape = |count| {
        let paper = Paper { resident: true, ..Paper::new(1 << 16) }.with(|s| {
            (s.window_bits, s.precompute, s.odd_multiples) = (Some(20), Some(1024), Some(count));
        });
        paper.plan().unwrap().shape
    };
    assert_eq!(shape(1).buckets, 1 << 19);
    for log in 1..=6 {
        let shape = shape(1 << log);
        // Those of the last window are its own.
        let last = shape.scalar_bits - (shape.windows - 1) * 20;
        let most = (1 << (19 - log)) + (2u64 << last) + 64;
        assert!(shape.buckets >= 1 << (19 - log) && shape.buckets <= most, "{shape:?}");
        assert_eq!((shape.bucket_sets, shape.stored()), (1, (shape.windows << log) as usize));
    }
    for device in [DeviceFacts::cuda(132, GIB), DeviceFacts::webgpu(1, GIB, GIB)] {
        let paper = Paper { device, ..Paper::new(1 << 16) }.with(|s| s.odd_multiples = Some(4));
        let error = paper.plan().unwrap_err();
        assert!(matches!(error, Error::InvalidSetting { setting: "odd multiples", .. }), "{error}");
    }
}

#[test]
fn the_same_request_gives_the_same_plan() {
    for n in [0, 1, 1000, 1 << 26] {
        assert_eq!(Paper::new(n).plan().unwrap(), Paper::new(n).plan().unwrap());
    }
}

#[test]
fn plans_keep_to_the_memory_of_the_device() {
    for gib in [1, 2, 8, 24, 80, 141] {
        for log in [10, 20, 24, 26, 28] {
            for resident in [false, true] {
                let mut paper = Paper::new(1 << log);
                paper.resident = resident;
                paper.device = DeviceFacts::cpu(128, true, gib * GIB);
                match paper.plan() {
                    Ok(plan) => assert!(plan.bytes() <= gib * GIB, "{gib} GiB, 2^{log}\n{plan}"),
                    Err(Error::OutOfMemory { needed, available }) => {
                        assert_eq!(available, gib * GIB);
                        assert!(needed > available);
                        // Bases that are streamed fit everywhere; 2^log resident ones of 96 bytes
                        // not.
                        assert!(
                            resident && (96 << log) + GIB / 2 > gib * GIB,
                            "{gib} GiB, 2^{log}"
                        );
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }
}

#[test]
fn chunks_cover_the_bases_and_none_is_empty() {
    for n in [0, 1, 2, 1023, 1 << 20, (1 << 24) + 1] {
        for limit in [40 << 20, 200 << 20, GIB, 64 * GIB] {
            let paper = Paper::new(n).with(|s| s.memory_limit = Some(limit));
            let plan = paper.plan().unwrap();
            assert!(plan.bytes() <= limit, "{plan}");
            assert!(plan.chunk * plan.chunks >= n, "{plan}");
            assert!(plan.chunk * (plan.chunks - 1) < n.max(1), "{plan}");
        }
    }
    let plan = Paper::new(1 << 24).with(|s| s.memory_limit = Some(200 << 20)).plan().unwrap();
    assert!(plan.chunks > 1, "{plan}");
}

#[test]
fn more_memory_never_makes_a_plan_slower() {
    let mut last = f64::INFINITY;
    for shift in 25..38 {
        let paper = Paper::new(1 << 22).with(|s| s.memory_limit = Some(1 << shift));
        let Ok(plan) = paper.plan() else { continue };
        assert!(plan.cost.nanoseconds <= last, "{plan}");
        last = plan.cost.nanoseconds;
    }
    assert!(last.is_finite());
}

#[test]
fn more_threads_never_make_a_plan_slower() {
    for log in 4..=24 {
        let mut least = f64::INFINITY;
        for threads in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128] {
            let device = DeviceFacts::cpu(threads, true, 256 * GIB);
            let plan = Paper { device, ..Paper::new(1 << log) }.plan().unwrap();
            let cost = plan.cost.nanoseconds;
            assert!(cost < 1.1 * least, "2^{log}, {threads} threads: {cost} after {least}\n{plan}");
            least = least.min(cost);
        }
    }
}

#[test]
fn one_bucket_set_is_cut_for_all_threads() {
    let device = DeviceFacts::cpu(16, true, 256 * GIB);
    let mut paper = Paper { device, resident: true, ..Paper::new(1 << 16) };
    paper.settings.precompute = Some(1024);
    let plan = paper.plan().unwrap();
    let Schedule::Cpu(schedule) = plan.schedule else { panic!("{plan}") };
    assert_eq!((plan.shape.bucket_sets, schedule.passes_in_flight), (1, 16), "{plan}");
    assert!(schedule.base_segments > 1, "{plan}");
    // Where additions are slow it is cut into ranges of buckets instead, which are reduced only
    // once.
    paper.curve = CurveSpec::of::<ark_bls12_377::G2Affine>();
    let plan = paper.plan().unwrap();
    let Schedule::Cpu(schedule) = plan.schedule else { panic!("{plan}") };
    assert_eq!((plan.shape.bucket_sets, schedule.passes_in_flight), (1, 16), "{plan}");
    assert!(schedule.bucket_ranges > 1, "{plan}");
}

#[test]
fn every_width_and_factor_has_a_plan() {
    for bits in 1..=MAX_WINDOW_BITS {
        for factor in [1, 2, 3, 8, 1024] {
            let paper = Paper::new(1 << 10)
                .with(|s| (s.window_bits, s.precompute) = (Some(bits), Some(factor)));
            let shape = paper.plan().unwrap().shape;
            assert_eq!(shape.window_bits, bits);
            assert!(shape.precompute <= factor);
            assert!(shape.bucket_sets * shape.precompute >= shape.windows);
            // No copy is stored that no window uses.
            assert!(shape.bucket_sets * (shape.precompute - 1) < shape.windows);
        }
    }
}

#[test]
fn absurd_sizes_are_refused_with_the_memory_they_need() {
    for n in [1 << 40, 1 << 60, usize::MAX] {
        let paper = Paper { resident: true, ..Paper::new(n) };
        let Err(Error::OutOfMemory { needed, .. }) = paper.plan() else { panic!("n = {n}") };
        assert!(needed >= 1 << 46, "n = {n}: {needed}");
        // Streamed bases are the caller's to hold; the plan itself must not overflow.
        let plan = Paper::new(n).plan().unwrap();
        assert!(plan.bytes() <= plan.device.memory);
    }
}

#[test]
fn integers_are_planned_for_their_bits() {
    let plan = |bits| {
        let paper = Paper { scalars: ScalarBound::Bits(bits), ..Paper::new(1 << 16) };
        paper.plan()
    };
    assert_eq!(plan(1).unwrap().shape.windows, 1);
    assert!(plan(64).unwrap().cost.nanoseconds < plan(256).unwrap().cost.nanoseconds);
    assert!(!plan(256).unwrap().shape.endomorphism, "integers are not residues");
    assert!(plan(1024).is_ok());
    for bits in [0, 1025, u32::MAX] {
        let error = plan(bits).unwrap_err();
        assert!(matches!(error, Error::InvalidSetting { setting: "scalar bits", .. }), "{error}");
    }
}

#[test]
fn any_point_gives_up_what_needs_the_subgroup() {
    let shape = Paper::new(1 << 20).with(|s| s.any_point = true).plan().unwrap().shape;
    assert!(!shape.endomorphism && !shape.negate);
    let trusting = Paper::new(1 << 20).plan().unwrap().shape;
    assert!(trusting.endomorphism || trusting.negate);
}

#[test]
fn a_printed_plan_tells_every_decision_and_buffer() {
    let paper = Paper::new(1 << 24).with(|s| {
        (s.window_bits, s.precompute, s.endomorphism) = (Some(17), Some(3), Some(true));
        s.memory_limit = Some(4 * GIB);
    });
    let plan = paper.plan().unwrap();
    let text = plan.to_string();
    for buffer in &plan.buffers {
        assert!(text.contains(buffer.name), "{} is missing in\n{text}", buffer.name);
    }
    for part in ["16777216 in", "of 17 bits", "precompute factor 3", "endomorphism", "total"] {
        assert!(text.contains(part), "\"{part}\" is missing in\n{text}");
    }
    assert!(text.lines().all(|line| line.len() <= 120), "{text}");
}

/// Facts, sizes and batches at the ends of their types: sizes used to overflow, with a panic where
/// that is checked and silently wrong ones elsewhere.
#[test]
fn extreme_facts_and_batches_do_not_overflow() {
    let curves = [
        CurveSpec::of::<ark_bls12_377::G1Affine>(),
        CurveSpec::of::<ark_bw6_761::G2Affine>(),
        CurveSpec::of::<ark_ed_on_bls12_377::EdwardsAffine>(),
    ];
    let numbers = [0, 1, 1 << 20, 1 << 32, 1 << 50, u64::MAX];
    let mut devices = Vec::new();
    for threads in [0, 1, 132, 1 << 40, usize::MAX] {
        for memory in numbers {
            devices.push(DeviceFacts::cpu(threads, true, memory));
            devices.push(DeviceFacts::cuda(threads, memory));
            for binding in [0, 1 << 27, u64::MAX] {
                let mut device = DeviceFacts::webgpu(threads, memory, binding);
                (device.threads, device.binding) = (threads, binding);
                devices.push(device);
            }
        }
    }
    let limited = |limit| {
        let mut settings = Settings::default();
        settings.memory_limit = Some(limit);
        settings
    };
    let mut all = vec![Settings::default(), limited(1 << 22), limited(u64::MAX)];
    let mut wide = Settings::default();
    (wide.window_bits, wide.precompute, wide.chunk) = (Some(26), Some(1024), Some(usize::MAX));
    all.push(wide);
    for (index, device) in devices.into_iter().enumerate() {
        for n in numbers.map(|n| n as usize) {
            for batch in [0, 2, usize::MAX] {
                // Every combination of the rest comes with some device.
                let curve = &curves[(index + batch % 5) % curves.len()];
                let settings = &all[(index + n % 7) % all.len()];
                let resident = (index ^ n).is_multiple_of(2);
                let request = Request::new(curve, n, device)
                    .batch(batch)
                    .resident(resident)
                    .settings(settings);
                let available = settings.memory_limit.unwrap_or(device.memory);
                match Plan::new(&request) {
                    Ok(plan) => {
                        assert!(plan.bytes() <= available, "{request:?}");
                        assert!(plan.chunks as u128 * plan.chunk as u128 >= n as u128);
                    }
                    // No more than a plan can count with.
                    Err(Error::OutOfMemory { needed, available: counted }) => {
                        assert!(needed > counted && counted <= available, "{needed} {request:?}");
                    }
                    Err(Error::BufferTooLarge { needed, largest }) => {
                        assert!(needed > largest, "{needed} {request:?}");
                    }
                    Err(error) => panic!("{error}: {request:?}"),
                }
            }
        }
    }
}

/// Windows around log₂ n take buckets that do not fit in one binding of WebGPU, or in little
/// memory; narrower ones do. The error used to say that 4.3 GiB were needed and 64 available.
#[test]
fn narrow_windows_where_wide_ones_do_not_fit() {
    let mut paper = Paper::new(1 << 50);
    paper.device = DeviceFacts::webgpu(132, 64 * GIB, 2 * GIB - 4);
    let plan = paper.plan().unwrap();
    assert!(plan.buffers.iter().all(|buffer| buffer.bytes < 2 * GIB), "{plan}");
    let mut paper = Paper::new(1 << 30).with(|s| s.memory_limit = Some(16 << 20));
    paper.device = DeviceFacts::cpu(4, true, 64 * GIB);
    let plan = paper.plan().unwrap();
    assert!(plan.bytes() <= 16 << 20 && plan.shape.window_bits < 20, "{plan}");
    // A table made for wide windows has no narrower ones: where its buckets do not fit in a
    // binding, the error says so.
    let mut paper = Paper::new(1000).with(|s| {
        (s.window_bits, s.precompute) = (Some(20), Some(1024));
    });
    paper.device = DeviceFacts::webgpu(132, 64 * GIB, 2 * GIB - 4);
    paper.resident = true;
    let table = paper.plan().unwrap().table();
    let device = DeviceFacts::webgpu(132, 64 * GIB, 1 << 20);
    match Plan::new(&Request::new(&paper.curve, 1000, device).table(table)) {
        Err(Error::BufferTooLarge { needed, largest }) => assert!(needed > largest),
        other => panic!("{other:?}"),
    }
}

/// The tool used to keep the preset's last window where the library did not.
#[test]
fn a_width_of_ones_own_goes_for_all_windows_of_a_preset() {
    let mut own = Settings::default();
    own.window_bits = Some(15);
    let preset = Preset::named("6block").unwrap();
    let settings = own.over(preset, 1 << 10);
    let plan = Paper { settings, ..Paper::new(1 << 10) }.plan().unwrap();
    assert_eq!((plan.shape.window_bits, plan.shape.last_window_bits), (15, 15));
    let mut automatic = Settings::default();
    automatic.auto_precompute = true;
    assert_eq!(automatic.over(preset, 1 << 10).precompute, None);
}

/// The kind of device chosen among a CPU and two GPUs for resident bases, and the choice.
fn route(n: usize, batch: usize, change: impl Fn(&mut Contender<'_>)) -> (DeviceKind, Choice) {
    let curve = CurveSpec::of::<ark_bls12_377::G1Affine>();
    let devices = [
        DeviceFacts::cpu(8, true, 64 * GIB),
        DeviceFacts::cuda(132, 64 * GIB),
        DeviceFacts::webgpu(132, 4 * GIB, 2 * GIB),
    ];
    let contenders = devices.map(|device| {
        let request = Request::new(&curve, n, device).batch(batch).resident(true);
        let mut contender = Contender::new(request);
        change(&mut contender);
        contender
    });
    let choice = Choice::among(&contenders);
    (choice.device().unwrap().kind, choice)
}

#[test]
fn few_bases_are_for_a_cpu_and_many_for_a_gpu() {
    let kind = |n| route(n, 1, |_| ()).0;
    let once = |n| {
        let borrowed = |c: &mut Contender<'_>| c.request = c.request.clone().resident(false);
        route(n, 1, borrowed).0
    };
    for n in [1, 10, 100, 256] {
        assert_eq!(once(n), DeviceKind::Cpu, "{n} borrowed bases");
    }
    // A table on a GPU leaves it one bucket set, which takes about 0.27 ms.
    for n in [1, 10, 50] {
        assert_eq!(kind(n), DeviceKind::Cpu, "{n} resident bases");
    }
    for log in 16..=24 {
        assert_eq!(kind(1 << log), DeviceKind::Cuda, "2^{log} bases");
    }
    // Only once: beyond a size the GPU always ends first.
    let kinds: Vec<_> = (0..24).map(|log| kind(1 << log)).collect();
    assert_eq!(kinds.windows(2).filter(|pair| pair[0] != pair[1]).count(), 1, "{kinds:?}");
}

#[test]
fn the_choice_has_the_times_of_the_plans() {
    let (_, choice) = route(1000, 1, |_| ());
    let curve = CurveSpec::of::<ark_bls12_377::G1Affine>();
    let mut least = f64::INFINITY;
    for prediction in &choice.predictions {
        let request = Request::new(&curve, 1000, prediction.device).resident(true);
        let own = Plan::new(&request).unwrap().cost.nanoseconds;
        assert_eq!(prediction.nanoseconds, Some(own));
        least = least.min(own);
    }
    assert_eq!(choice.nanoseconds(), Some(least));
    let text = choice.to_string();
    assert!(text.contains("; not ") && text.matches("ms predicted").count() == 3, "{text}");
}

/// What was measured, and what has to be done first, decide with the plan.
#[test]
fn a_device_that_is_slow_or_not_ready_is_passed_over() {
    let cpu_first = |contender: &mut Contender<'_>, factor: f64, extra: f64| {
        if contender.request.facts().kind != DeviceKind::Cpu {
            (contender.factor, contender.extra) = (factor, extra);
        }
    };
    let n = 1 << 16;
    assert_eq!(route(n, 1, |c| cpu_first(c, 1.0, 0.0)).0, DeviceKind::Cuda);
    assert_eq!(route(n, 1, |c| cpu_first(c, 1e3, 0.0)).0, DeviceKind::Cpu);
    assert_eq!(route(n, 1, |c| cpu_first(c, 1.0, 1e9)).0, DeviceKind::Cpu);
}

/// A hundred MSMs that are small for a GPU one by one are not when they run together.
#[test]
fn a_batch_is_routed_as_a_whole() {
    let n = 32;
    assert_eq!(route(n, 1, |_| ()).0, DeviceKind::Cpu);
    assert_eq!(route(n, 1000, |_| ()).0, DeviceKind::Cuda);
}

#[test]
fn a_device_without_the_memory_is_not_chosen() {
    let curve = CurveSpec::of::<ark_bls12_377::G1Affine>();
    let small = DeviceFacts::cuda(132, 1 << 20);
    let among = |devices: &[DeviceFacts]| {
        let request = |device: &DeviceFacts| Request::new(&curve, 1 << 20, *device).resident(true);
        let contenders: Vec<_> = devices.iter().map(request).map(Contender::new).collect();
        Choice::among(&contenders)
    };
    let both = among(&[small, DeviceFacts::cpu(2, false, 64 * GIB)]);
    assert_eq!((both.chosen, both.predictions[0].nanoseconds), (1, None));
    assert!(both.to_string().contains("too little memory"), "{both}");
    // Its error then says what is missing.
    assert_eq!((among(&[small]).chosen, among(&[small]).nanoseconds()), (0, None));
    assert_eq!(among(&[]).device(), None);
}

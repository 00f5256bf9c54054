//! The peak of what a run allocates beyond its inputs, against the bytes its plan printed.
//!
//! A binary of its own, with one test: the allocator counts everything the process does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use bucketeer::plan::{Accumulate, PRESETS, Settings};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Bases, Builder, Curve, Device, Plan, Scalars, release_workspaces};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), SeqCst) + layout.size();
        PEAK.fetch_max(live, SeqCst);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), SeqCst);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // What is moved is not held twice: large blocks move by remapping their pages.
        let live = LIVE.fetch_add(size, SeqCst) + size - layout.size();
        LIVE.fetch_sub(layout.size(), SeqCst);
        PEAK.fetch_max(live, SeqCst);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Most bytes alive at once during `work` beyond those alive before it.
fn peak<R>(work: impl FnOnce() -> R) -> (R, u64) {
    let before = LIVE.load(SeqCst);
    PEAK.store(before, SeqCst);
    let result = work();
    (result, (PEAK.load(SeqCst) - before) as u64)
}

/// Measures runs over borrowed and over loaded points; returns those that exceeded their plan.
fn excesses<C: Curve>(
    device: &Device,
    builder: &Builder<C>,
    points: &[C],
    what: &str,
) -> Vec<String> {
    let n = points.len();
    let scalars = Distribution::Uniform.scalars::<C::ScalarField>(n, 1);
    let scalars = Scalars::residues(&scalars);
    let mut found = Vec::new();
    let mut compare = |way: &str, plan: &Plan, planned: u64, used: u64| {
        if used > planned {
            let excess = used - planned;
            found.push(format!("{what}, n = {n}, {way}: {used} bytes, {excess} more than\n{plan}"));
        }
    };
    let run = || builder.msm_with_report(device, points, scalars).unwrap();
    run(); // Threads, tables of constants and thread-local storage come with the first run.
    release_workspaces();
    for way in ["borrowed, a first run", "borrowed, a second run"] {
        let (report, used) = peak(run);
        compare(way, &report.plan, report.plan.bytes(), used);
    }
    release_workspaces();
    let ((loaded, report), used) = peak(|| {
        let loaded = builder.load(device, points).unwrap();
        let report = loaded.msm_with_report(scalars).unwrap();
        (loaded, report)
    });
    // Loading has a plan of its own, of which the table stays.
    let table = loaded.plan().table_bytes();
    let mut planned = loaded.plan().bytes().max(table + report.plan.bytes());
    if !loaded.plan().resident {
        // The bases are kept as they were given.
        planned = report.plan.bytes() + size_of_val(points) as u64;
    }
    compare("loaded", &report.plan, planned, used);
    release_workspaces();
    found
}

/// The same for integers of 1024 bits, which have the most windows.
fn long_integers<C: Curve>(device: &Device, bits: u32, limit: u64, n: usize) -> Vec<String> {
    let bases = KnownBases::<C>::new(n, 1);
    let words: Vec<u64> =
        (0..16 * n as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let builder = Bases::<C>::builder().window_bits(bits).memory_limit(limit);
    let run = || builder.msm_with_report(device, &bases.points, Scalars::words(&words, 16));
    let Ok(warm) = run() else { return Vec::new() };
    drop(warm);
    release_workspaces();
    let (report, used) = peak(run);
    release_workspaces();
    let plan = report.unwrap().plan;
    match used > plan.bytes() {
        true => vec![format!("1024 bits, n = {n}, limit {limit}: {used} bytes\n{plan}")],
        false => Vec::new(),
    }
}

fn settings(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = Settings::default();
    change(&mut settings);
    settings
}

/// Several sizes, the last of which is the largest, and at that size several settings.
fn on_curve<C: Curve>(device: &Device, sizes: &[usize], name: &str) -> Vec<String> {
    let largest = sizes[sizes.len() - 1];
    let points = KnownBases::<C>::new(largest, 1).points;
    let mut found = Vec::new();
    for &n in sizes {
        let automatic = Bases::<C>::builder();
        found.extend(excesses(device, &automatic, &points[..n], &format!("{name}, automatic")));
        let copies = automatic.clone().precompute(3);
        found.extend(excesses(device, &copies, &points[..n], &format!("{name}, three copies")));
    }
    for limit in [8 << 20, 16 << 20] {
        let builder = Bases::<C>::builder().memory_limit(limit);
        found.extend(excesses(device, &builder, &points, &format!("{name}, limit {limit}")));
    }
    // A copy for every window takes long to make.
    type Change = fn(&mut Settings);
    let ways: [(usize, Change); 3] = [
        (largest, |s| s.accumulate = Some(Accumulate::InPlace)),
        (largest / 8, |s| (s.accumulate, s.precompute) = (Some(Accumulate::InPlace), Some(1024))),
        (largest, |s| {
            (s.odd_multiples, s.precompute, s.window_bits) = (Some(4), Some(2), Some(12))
        }),
    ];
    for (n, change) in ways {
        let builder = Bases::<C>::builder().settings(settings(change));
        let what = format!("{name}, {:?}", settings(change));
        found.extend(excesses(device, &builder, &points[..n], &what));
    }
    for bits in [4, 10, 14] {
        let builder = Bases::<C>::builder().settings(settings(|s| s.window_bits = Some(bits)));
        found.extend(excesses(device, &builder, &points, &format!("{name}, {bits} bits")));
    }
    found
}

/// Streams files within a limit; returns the plan if it was exceeded.
#[cfg(feature = "io")]
fn streamed<C: Curve>(device: &Device, curve: &str, n: usize, limits: &[u64]) -> Vec<String> {
    use bucketeer::curves::NamedCurve;
    use bucketeer::io::{self, BasesFile, Encoding, ReadOptions, ScalarsFile, Streamed};
    let folder = tempfile::tempdir().unwrap();
    let [bases, scalars] = ["bases", "scalars"].map(|name| folder.path().join(name));
    let known = KnownBases::<C>::new(n, 1);
    let residues = Distribution::Uniform.scalars(n, 1);
    let expected = known.expected(&residues);
    io::write_bases(&bases, &known.points, Encoding::Uncompressed).unwrap();
    io::write_scalars(&scalars, &io::ScalarVec::Residues(residues)).unwrap();
    drop(known);
    let (curve, options) = (NamedCurve::named(curve).unwrap(), ReadOptions::default());
    let bases = BasesFile::<C>::open(&bases, curve, None, &options).unwrap();
    let scalars = ScalarsFile::open(&scalars, curve, &options).unwrap();
    let streamed = Streamed::new(bases, scalars).unwrap();
    let mut found = Vec::new();
    for limit in limits {
        let builder = Bases::builder().memory_limit(*limit);
        let run = || streamed.msm_with_report(device, &builder).unwrap();
        run(); // Threads and tables of constants come with the first run.
        release_workspaces();
        let (report, used) = peak(run);
        release_workspaces();
        assert_eq!(report.result, expected);
        let planned = report.plan.bytes();
        if used > planned || planned > *limit {
            let chunks = report.plan.chunks();
            found.push(format!(
                "{curve}, {n} streamed within {limit} in {chunks} chunks: {used} bytes\n{}",
                report.plan
            ));
        }
    }
    found
}

#[test]
fn runs_stay_within_their_plans() {
    // `./test --all` has a second curve on portable arithmetic too.
    let all = std::env::var("BUCKETEER_TESTS").is_ok_and(|tests| tests == "all");
    let presets = KnownBases::new(2000, 1).points;
    let mut found = Vec::new();
    for device in [Device::cpu(), Device::cpu().portable().unwrap()] {
        let name = |curve| format!("{curve} on {device}");
        // Without vector instructions runs take long, and are planned in the same way.
        let sizes = [1, 10, 1000, if device.facts().ifma { 1 << 15 } else { 1 << 13 }];
        found.extend(on_curve::<ark_bls12_377::G1Affine>(&device, &sizes, &name("bls12-377-g1")));
        if all || device.facts().ifma {
            found.extend(on_curve::<ark_secp256r1::Affine>(&device, &sizes, &name("secp256r1")));
        }
        for preset in &PRESETS {
            let builder = Bases::<ark_bls12_377::G1Affine>::builder().preset(preset);
            found.extend(excesses(&device, &builder, &presets, &name(preset.name)));
        }
    }
    // Wide points, of whose sums there are as many as windows.
    let device = Device::cpu();
    let sizes = [1, 40, 1000, 10_000];
    found.extend(on_curve::<ark_bls12_381::G2Affine>(&device, &sizes, "bls12-381-g2"));
    for bits in [1, 4, 10] {
        for limit in [200 << 10, 1 << 20, 4 << 20, 1 << 30] {
            found.extend(long_integers::<ark_bw6_761::G1Affine>(&device, bits, limit, 40));
            found.extend(long_integers::<ark_bls12_377::G1Affine>(&device, bits, limit, 40));
        }
    }
    // What each of many threads allocates when it is first woken is more than a few bases need.
    let (many, sizes) = (Device::cpu_with_threads(16).unwrap(), [1000, 1 << 15]);
    found.extend(on_curve::<ark_bls12_377::G1Affine>(&many, &sizes, "bls12-377-g1, 16 threads"));
    #[cfg(feature = "io")]
    {
        // Every thread of the machine takes part in the checks.
        let threads = device.facts().threads as u64;
        let limits = [6, 16, 64].map(|limit| (limit + 2 * threads) << 20);
        let n = 1 << 17;
        found.extend(streamed::<ark_bls12_377::G1Affine>(&device, "bls12-377", n, &limits));
        found.extend(streamed::<ark_secp256k1::Affine>(&device, "secp256k1", n, &limits));
        found.extend(streamed::<ark_bls12_381::G2Affine>(&device, "bls12-381-g2", n / 4, &limits));
        let portable = device.portable().unwrap();
        found.extend(streamed::<ark_secp256k1::Affine>(&portable, "secp256k1", n / 4, &limits));
    }
    assert!(found.is_empty(), "{} runs exceeded their plans:\n{}", found.len(), found.join("\n\n"));
}

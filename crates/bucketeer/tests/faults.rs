//! What the system and the driver may refuse, one call at a time: every run ends with a typed
//! error or the right sum, leaves nothing behind, and the next run is right.
//!
//! The driver is that of `software-cuda`, of which any call can be made to fail. The loader takes
//! it from LD_LIBRARY_PATH when a process starts, so these tests start themselves again.
//! `BUCKETEER_TESTS=all` makes every call fail, otherwise some.

#![cfg(all(target_os = "linux", feature = "cuda", feature = "curves"))]

use std::ffi::{CString, c_int, c_long, c_void};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use bucketeer::curves::ark_bn254::{Fr, G1Affine, G1Projective};
use bucketeer::plan::{Accumulate, Settings};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{Bases, Device, Error, msm_batch};

fn all() -> bool {
    std::env::var("BUCKETEER_TESTS").is_ok_and(|tests| tests == "all")
}

/// The folder that cargo builds into.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target").into()
}

/// Runs an ignored test of this file in a process of its own.
fn again(test: &str, prepare: impl FnOnce(&mut Command)) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--ignored", "--exact", test, "--nocapture"]);
    prepare(&mut command);
    assert!(command.status().expect("it starts").success(), "{test}");
}

/// The same on software CUDA.
fn on_software_cuda(test: &str, cache: &str) {
    let folder = target().join("software-cuda");
    let build = concat!(env!("CARGO_MANIFEST_DIR"), "/software-cuda/build");
    assert!(Command::new(build).arg(&folder).status().expect("a shell").success());
    let cache = if cache.is_empty() { PathBuf::new() } else { folder.join(cache) };
    again(test, |command| {
        command.env("LD_LIBRARY_PATH", &folder).env("BUCKETEER_CACHE", cache);
        command.env_remove("CUDA_VISIBLE_DEVICES");
    });
}

/// A function of a library that this process has loaded.
fn function(library: &str, name: &str) -> *mut c_void {
    let text = |text| CString::new(text).expect("no zero");
    // SAFETY: both are strings; nothing is loaded that is not loaded already.
    unsafe {
        let handle = libc::dlopen(text(library).as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
        assert!(!handle.is_null(), "{library} is not loaded");
        let found = libc::dlsym(handle, text(name).as_ptr());
        assert!(!found.is_null(), "no {name} in {library}: is it software CUDA?");
        found
    }
}

type Fail = unsafe extern "C" fn(c_long, c_int, c_int) -> c_int;
type Count = unsafe extern "C" fn() -> c_long;

/// The seam of software CUDA.
struct Driver {
    fail: Fail,
    calls: Count,
    live: Count,
    leaked: Count,
}

impl Driver {
    fn new() -> Self {
        let function = |name| function("libcuda.so.1", name);
        // SAFETY: the type is that of the functions in driver.cpp.
        let count = |name| unsafe { std::mem::transmute::<*mut c_void, Count>(function(name)) };
        // SAFETY: the type is that of the function in driver.cpp.
        let fail =
            unsafe { std::mem::transmute::<*mut c_void, Fail>(function("software_cuda_fail")) };
        Self {
            fail,
            calls: count("software_cuda_calls"),
            live: count("software_cuda_live"),
            leaked: count("software_cuda_leaked"),
        }
    }

    /// Lets the call after the first `after` fail; with `lose` all later ones, too.
    fn fail(&self, after: i64, code: i32, lose: bool) {
        // SAFETY: takes numbers.
        unsafe { (self.fail)(after, code, lose.into()) };
    }

    fn heal(&self) {
        self.fail(-1, 0, false);
    }

    /// The calls that `work` makes.
    fn calls(&self, work: impl FnOnce()) -> i64 {
        // SAFETY: returns a number.
        let count = || unsafe { (self.calls)() };
        let before = count();
        work();
        count() - before
    }

    /// Objects of the driver that were not released, now and in contexts that are gone.
    fn left(&self) -> [i64; 2] {
        // SAFETY: return numbers.
        unsafe { [(self.live)(), (self.leaked)()] }
    }
}

/// An MSM, and the right sum.
struct Input {
    points: Vec<G1Affine>,
    scalars: Vec<Fr>,
    expected: G1Projective,
}

impl Input {
    fn new(n: usize) -> Self {
        let known = KnownBases::new(n, 3);
        let scalars = Distribution::Uniform.scalars(n, 4);
        let expected = known.expected(&scalars);
        Self { points: known.points, scalars, expected }
    }

    fn is_right(&self, sum: G1Projective) {
        assert_eq!(sum, self.expected, "a wrong sum");
    }

    /// A run of every kind. A sum that is not right is a panic.
    fn kinds(&self) -> [(&'static str, Kind<'_>); 5] {
        let Self { points, scalars, .. } = self;
        let settings = |chunk, accumulate| {
            let mut own = Settings::default();
            (own.window_bits, own.chunk, own.accumulate) = (Some(4), chunk, accumulate);
            own
        };
        let chunks = settings(Some(20), None);
        let affine = settings(None, Some(Accumulate::BatchedAffine));
        [
            (
                "one shot",
                Box::new(move |device| {
                    let builder = Bases::builder().window_bits(4);
                    self.is_right(builder.msm(device, points, scalars)?);
                    Ok(())
                }),
            ),
            (
                "resident, with copies, from page-locked memory",
                Box::new(move |device| {
                    let bases =
                        Bases::builder().window_bits(4).precompute(2).load(device, points)?;
                    let pinned = device.pinned(scalars)?;
                    self.is_right(bases.msm(&pinned[..])?);
                    Ok(())
                }),
            ),
            (
                "chunks",
                Box::new(move |device| {
                    let builder = Bases::builder().settings(chunks.clone());
                    self.is_right(builder.msm(device, points, scalars)?);
                    Ok(())
                }),
            ),
            (
                "affine, in a job",
                Box::new(move |device| {
                    let bases = Bases::builder().settings(affine.clone()).load(device, points)?;
                    self.is_right(bases.submit(scalars.clone())?.wait()?);
                    Ok(())
                }),
            ),
            (
                "a batch",
                Box::new(move |device| {
                    let bases = Bases::builder().window_bits(4).load(device, points)?;
                    for sum in bases.msm_batch(&[scalars, scalars, scalars])? {
                        self.is_right(sum);
                    }
                    Ok(())
                }),
            ),
        ]
    }
}

type Kind<'a> = Box<dyn Fn(&Device) -> Result<(), Error> + 'a>;

/// Whether the error says that a device failed or has no memory.
fn typed(error: &Error) -> bool {
    match error {
        Error::Batch { source, .. } => typed(source),
        Error::DeviceFailed { .. } | Error::OutOfMemory { .. } | Error::NoDevice { .. } => true,
        _ => false,
    }
}

#[track_caller]
fn accept(outcome: Result<(), Error>, when: &str) -> bool {
    match outcome {
        Ok(()) => true,
        Err(error) => {
            assert!(typed(&error), "{when}: {error:?}");
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Which of the calls fail: all, or some of all parts of a run.
fn moments(calls: i64, each: i64) -> impl Iterator<Item = i64> {
    (0..calls).step_by(if all() { 1 } else { (calls / each).max(1) as usize })
}

const OUT_OF_MEMORY: i32 = 2;
const ILLEGAL_ADDRESS: i32 = 700;
const LAUNCH_FAILED: i32 = 719;

/// Every result of a driver, by the numbers of cuda.h.
const CODES: [i32; 77] = [
    1, 2, 3, 4, 34, 46, 100, 101, 102, 200, 201, 202, 205, 206, 207, 208, 209, 210, 211, 212, 213,
    214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 300, 301, 302, 303, 304, 400, 401, 500,
    600, 700, 701, 702, 703, 704, 705, 708, 709, 710, 711, 712, 713, 714, 715, 716, 717, 718, 719,
    720, 800, 801, 802, 803, 804, 805, 806, 807, 808, 809, 900, 901, 907, 908, 909, 910, 999,
];

#[test]
fn a_driver_that_fails() {
    on_software_cuda("calls_of_the_driver", "kernels");
}

#[test]
#[ignore = "started by a_driver_that_fails, with software CUDA in the loader's path"]
fn calls_of_the_driver() {
    let input = Input::new(60);
    let device = Device::cuda(0).expect("software CUDA");
    let driver = Driver::new();
    for (name, run) in input.kinds() {
        run(&device).unwrap_or_else(|error| panic!("{name}: {error}"));
        one_call_fails(&driver, &device, name, &run);
    }
    // Every result, at a call in the middle.
    let (_, run) = &input.kinds()[0];
    let middle = driver.calls(|| run(&device).expect("a sum")) / 2;
    for code in CODES {
        driver.fail(middle, code, false);
        assert!(!accept(run(&device), &format!("code {code}")), "code {code}");
        driver.heal();
        run(&device).unwrap_or_else(|error| panic!("after code {code}: {error}"));
    }
    drop(device);
    assert_eq!(driver.left(), [0, 0], "objects that were not released");
    opening_fails(&driver, &input);
    the_device_is_lost(&driver, &input);
    assert_eq!(driver.left(), [0, 0], "objects that were not released");
}

/// One call of a run on an open device.
fn one_call_fails(driver: &Driver, device: &Device, name: &str, run: &Kind<'_>) {
    let calls = driver.calls(|| run(device).expect("a sum"));
    let mut failures = 0;
    for (turn, moment) in moments(calls, 25).enumerate() {
        let code = [OUT_OF_MEMORY, LAUNCH_FAILED][turn % 2];
        driver.fail(moment, code, false);
        let when = format!("{name}: call {moment} of {calls} returns {code}");
        failures += i64::from(!accept(run(device), &when));
        driver.heal();
        run(device).unwrap_or_else(|error| panic!("after {when}: {error}"));
    }
    // Only what asks whether memory is page-locked, or what is free, may fail unseen.
    let made = moments(calls, 25).count() as i64;
    assert!(2 * failures > made, "{name}: {failures} failures of {made} were noticed");
}

/// One call from the opening of a device to its end.
fn opening_fails(driver: &Driver, input: &Input) {
    let (name, run) = &input.kinds()[1];
    let whole = || run(&Device::cuda(0)?);
    let calls = driver.calls(|| whole().expect("a sum"));
    for moment in moments(calls, 40) {
        for code in [OUT_OF_MEMORY, LAUNCH_FAILED] {
            driver.fail(moment, code, false);
            accept(whole(), &format!("{name}, from the start: call {moment} returns {code}"));
            driver.heal();
            assert_eq!(driver.left(), [0, 0], "call {moment} returns {code}: not released");
        }
    }
    whole().expect("a sum");
}

/// From one call on, all fail: what a fault of a kernel leaves. The handle stays lost, a device
/// that is opened again is not.
fn the_device_is_lost(driver: &Driver, input: &Input) {
    for (name, run) in input.kinds() {
        let device = Device::cuda(0).expect("software CUDA");
        let calls = driver.calls(|| run(&device).expect("a sum"));
        drop(device);
        for moment in moments(calls, 8) {
            let device = Device::cuda(0).expect("software CUDA");
            run(&device).expect("a sum");
            driver.fail(moment, ILLEGAL_ADDRESS, true);
            let when = format!("{name}: lost at call {moment} of {calls}");
            if !accept(run(&device), &when) {
                assert!(!accept(run(&device), &when), "{when}: a sum on a lost device");
            }
            driver.heal();
            drop(device);
            let device = Device::cuda(0).unwrap_or_else(|error| panic!("after {when}: {error}"));
            run(&device).unwrap_or_else(|error| panic!("after {when}: {error}"));
        }
    }
}

#[test]
fn a_compiler_that_fails() {
    // Without a cache, so that kernels are compiled.
    on_software_cuda("calls_of_the_compiler", "");
}

#[test]
#[ignore = "started by a_compiler_that_fails, with software CUDA in the loader's path"]
fn calls_of_the_compiler() {
    let input = Input::new(60);
    let device = Device::cuda(0).expect("software CUDA");
    let driver = Driver::new();
    // SAFETY: the type is that of the function in nvrtc.cpp.
    let fail = unsafe {
        std::mem::transmute::<*mut c_void, Fail>(function("libnvrtc.so.13", "software_nvrtc_fail"))
    };
    // SAFETY: takes numbers.
    let fail = |after, code| unsafe { fail(after, code, 1) };
    let (_, run) = &input.kinds()[0];
    // Out of memory to an internal error, and none that is known. The calls of the first program
    // are creating, compiling, and reading log and code. Compiling takes a minute.
    let last = if all() { 8 } else { 1 };
    for after in 0..=last {
        for code in (1..=12).chain([99]) {
            fail(after, code);
            let when = format!("NVRTC returns {code} after {after} calls");
            assert!(!accept(run(&device), &when), "{when}");
        }
    }
    fail(-1, 0);
    if all() {
        run(&device).expect("a sum, with the same handle");
    }
    drop(device);
    assert_eq!(driver.left(), [0, 0], "objects that were not released");
}

/// As another user, since limits on threads do not hold for root.
#[test]
fn threads_that_cannot_be_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("faults");
    let own = std::env::current_exe().expect("this program");
    // By another process, so that no child of this one holds the copy open for writing.
    assert!(Command::new("cp").arg(own).arg(&program).status().expect("cp").success());
    let mode = Command::new("chmod").arg("755").args([folder.path(), &program]).status();
    assert!(mode.expect("chmod").success());
    let mut command = Command::new(&program);
    command.args(["--ignored", "--exact", "calls_that_start_threads", "--nocapture"]);
    command.current_dir("/").env("RAYON_NUM_THREADS", "2");
    // SAFETY: only returns a number.
    if unsafe { libc::geteuid() } == 0 {
        command.uid(65534).gid(65534);
    }
    assert!(command.status().expect("it starts").success());
}

#[test]
#[ignore = "started by threads_that_cannot_be_started, as a user whom limits hold"]
fn calls_that_start_threads() {
    let limit = |most: libc::rlim_t| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the structure is read and written.
        unsafe {
            assert_eq!(libc::getrlimit(libc::RLIMIT_NPROC, &mut limit), 0);
            limit.rlim_cur = most.min(limit.rlim_max);
            assert_eq!(libc::setrlimit(libc::RLIMIT_NPROC, &limit), 0);
        }
    };
    let input = Input::new(3000);
    let Input { points, scalars, expected } = &input;
    let device = Device::cpu();
    let own = Device::cpu_with_threads(2).expect("threads");
    let bases = Bases::load(&device, points).expect("bases");
    let several = Device::several(&[device.clone(), own.clone()]).expect("two devices");
    let shares = Bases::load(&several, points).expect("bases");
    for _ in 0..2 {
        limit(1);
        let refused = |error: Error| assert!(matches!(error, Error::NoThread { .. }), "{error:?}");
        refused(Device::cpu_with_threads(3).map(drop).expect_err("no threads"));
        refused(bases.submit(scalars.clone()).map(drop).expect_err("no thread"));
        // Calls that can do without a new thread still work.
        assert_eq!(bases.msm(scalars), Ok(*expected));
        assert_eq!(shares.msm(scalars), Ok(*expected));
        assert_eq!(bases.msm_batch(&[scalars, scalars]), Ok(vec![*expected; 2]));
        let pairs = [(&points[..], &scalars[..]), (&points[..], &scalars[..])];
        assert_eq!(msm_batch(&pairs), Ok(vec![*expected; 2]));
        assert_eq!(Bases::builder().msm(&own, points, scalars), Ok(*expected));
        limit(libc::RLIM_INFINITY);
        assert_eq!(Device::cpu_with_threads(3).expect("threads").facts().threads, 3);
        assert_eq!(bases.submit(scalars.clone()).expect("a job").wait(), Ok(*expected));
    }
}

//! One large allocation of the host after the other is refused: every run ends with a typed error
//! or the right sum, nothing stays allocated, and the next run is right.
//!
//! A binary of its own, with one test: the allocator counts what the whole process does. An
//! allocation that has no error ends the process; `BUCKETEER_REFUSED=1` tells where each was.
//! `BUCKETEER_TESTS=all` refuses every one, otherwise some of all parts of a run.

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use bucketeer::curves::ark_bn254::{Fr, G1Affine, G1Projective};
use bucketeer::plan::{Accumulate, Settings};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::{AsScalars, Bases, Batch, Device, Error, Scalars, release_workspaces};

/// Bytes from which an allocation is large. What grows with the number of bases is, for so many of
/// them; what a thread keeps for a batch of additions has up to 400 KB on this curve, and is not.
const LARGE: usize = 1 << 19;
const SIZE: usize = 1 << 14;

struct Refusing;

/// Large allocations until the one that is refused.
static LEFT: AtomicI64 = AtomicI64::new(i64::MAX);
/// Bytes of large allocations that were not freed.
static LIVE: AtomicI64 = AtomicI64::new(0);

thread_local! {
    /// Whether this thread is telling where memory was refused, which takes some.
    static TELLING: Cell<bool> = const { Cell::new(false) };
}

fn is_refused(size: usize) -> bool {
    if size < LARGE || TELLING.get() || LEFT.fetch_sub(1, SeqCst) != 0 {
        return false;
    }
    TELLING.set(true);
    if std::env::var_os("BUCKETEER_REFUSED").is_some() {
        eprintln!("refused {size} bytes at\n{}", Backtrace::force_capture());
    }
    TELLING.set(false);
    true
}

fn count(size: usize, sign: i64) {
    if size >= LARGE && !TELLING.get() {
        LIVE.fetch_add(sign * size as i64, SeqCst);
    }
}

fn counted(pointer: *mut u8, size: usize) -> *mut u8 {
    if !pointer.is_null() {
        count(size, 1);
    }
    pointer
}

// SAFETY: calls are passed on to the system's allocator unchanged, or refused with null.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        counted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        counted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() && is_refused(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `realloc`.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        if !moved.is_null() {
            count(layout.size(), -1);
            count(size, 1);
        }
        moved
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Runs, with the allocation after so many refused; how many there were.
fn refusing<R>(after: i64, run: impl FnOnce() -> R) -> (R, i64) {
    LEFT.store(after, SeqCst);
    let result = run();
    (result, after - LEFT.swap(i64::MAX, SeqCst))
}

/// A run of one kind; a sum that is not right is a panic.
type Kind<'a> = (&'static str, Box<dyn Fn() -> Result<(), Error> + 'a>);

struct Input {
    device: Device,
    points: Vec<G1Affine>,
    scalars: Arc<Vec<Fr>>,
    expected: G1Projective,
    /// For the first few.
    few: G1Projective,
}

const FEW: usize = 6;

impl Input {
    fn new(device: Device) -> Self {
        let known = KnownBases::new(SIZE, 3);
        let scalars: Vec<Fr> = Distribution::Uniform.scalars(SIZE, 4);
        let (expected, few) = (known.expected(&scalars), known.expected(&scalars[..FEW]));
        Self { device, points: known.points, scalars: scalars.into(), expected, few }
    }

    fn is_right(&self, sum: G1Projective) {
        assert_eq!(sum, self.expected, "a wrong sum");
    }

    fn borrowed(
        &self,
        change: impl FnOnce(&mut Settings),
    ) -> Box<dyn Fn() -> Result<(), Error> + '_> {
        let mut settings = Settings::default();
        change(&mut settings);
        Box::new(move || {
            let builder = Bases::builder().settings(settings.clone());
            self.is_right(builder.msm(&self.device, &self.points, &*self.scalars)?);
            Ok(())
        })
    }

    fn loaded(
        &self,
        change: impl FnOnce(&mut Settings),
    ) -> Box<dyn Fn() -> Result<(), Error> + '_> {
        let mut settings = Settings::default();
        change(&mut settings);
        Box::new(move || {
            let builder = Bases::builder().settings(settings.clone());
            let bases = builder.load(&self.device, &self.points)?;
            self.is_right(bases.msm(&*self.scalars)?);
            Ok(())
        })
    }

    fn kinds(&self) -> Vec<Kind<'_>> {
        let Self { device, points, scalars, .. } = self;
        let load = move || Bases::load(device, points);
        vec![
            ("borrowed", self.borrowed(|_| ())),
            ("borrowed, in chunks", self.borrowed(|own| own.chunk = Some(SIZE / 3))),
            ("borrowed, in place", self.borrowed(|own| own.accumulate = Some(Accumulate::InPlace))),
            ("any point", self.borrowed(|own| own.any_point = true)),
            ("loaded", self.loaded(|_| ())),
            ("copies", self.loaded(|own| own.precompute = Some(2))),
            (
                "odd multiples",
                self.loaded(|own| (own.odd_multiples, own.window_bits) = (Some(4), Some(10))),
            ),
            ("verified", self.loaded(|own| own.verify = true)),
            ("verified, borrowed", self.borrowed(|own| own.verify = true)),
            (
                "checked",
                Box::new(move || {
                    let bases = Bases::builder().check_subgroup().load(device, points)?;
                    self.is_right(bases.msm(&**scalars)?);
                    Ok(())
                }),
            ),
            (
                "few",
                Box::new(move || {
                    let sum = Bases::builder().msm(device, &points[..FEW], &scalars[..FEW])?;
                    assert_eq!(sum, self.few, "a wrong sum");
                    Ok(())
                }),
            ),
            (
                "a slice",
                Box::new(move || {
                    let sum = load()?.slice(..FEW).msm(&scalars[..FEW])?;
                    assert_eq!(sum, self.few, "a wrong sum");
                    Ok(())
                }),
            ),
            (
                "a batch",
                Box::new(move || {
                    for sum in load()?.msm_batch(&[&**scalars; 3])? {
                        self.is_right(sum);
                    }
                    Ok(())
                }),
            ),
            (
                "a batch over bases of their own",
                Box::new(move || {
                    let one = (&points[..], &**scalars);
                    for sum in Bases::builder().msm_batch(device, &[one, one, one])? {
                        self.is_right(sum);
                    }
                    Ok(())
                }),
            ),
            (
                "several bases",
                Box::new(move || {
                    let (first, second) = (load()?, load()?);
                    let mut batch = Batch::new();
                    let tickets = [&first, &second].map(|bases| batch.add(bases, &**scalars));
                    let mut sums = batch.run()?;
                    for ticket in tickets {
                        self.is_right(sums.take(ticket)?);
                    }
                    Ok(())
                }),
            ),
            (
                "a job",
                Box::new(move || {
                    self.is_right(load()?.submit(Shared(scalars.clone()))?.wait()?);
                    Ok(())
                }),
            ),
        ]
    }
}

/// Scalars that a job and the test own.
struct Shared(Arc<Vec<Fr>>);

impl AsScalars<Fr> for Shared {
    fn as_scalars(&self) -> Scalars<'_, Fr> {
        Scalars::residues(&self.0)
    }
}

fn typed(error: &Error) -> bool {
    match error {
        Error::Batch { source, .. } => typed(source),
        error => matches!(error, Error::OutOfMemory { .. }),
    }
}

#[test]
fn one_large_allocation_is_refused() {
    let all = std::env::var("BUCKETEER_TESTS").is_ok_and(|tests| tests == "all");
    let mut most = 0;
    for threads in if all { vec![1, 3] } else { vec![2] } {
        let input = Input::new(Device::cpu_with_threads(threads).expect("a pool"));
        for (name, run) in input.kinds() {
            // Threads and tables of constants come with the first run.
            run().unwrap_or_else(|error| panic!("{name}: {error}"));
            release_workspaces();
            let before = LIVE.load(SeqCst);
            let (sum, calls) = refusing(i64::MAX, &run);
            sum.unwrap_or_else(|error| panic!("{name}: {error}"));
            release_workspaces();
            assert_eq!(LIVE.load(SeqCst), before, "{name}: bytes that were not freed");
            let mut errors = 0;
            for after in (0..calls).step_by(if all { 1 } else { (calls / 4).max(1) as usize }) {
                let when = format!("{name}, {threads} threads: allocation {after} of {calls}");
                if let (Err(error), _) = refusing(after, &run) {
                    assert!(typed(&error), "{when}: {error:?}");
                    errors += 1;
                }
                release_workspaces();
                assert_eq!(LIVE.load(SeqCst), before, "{when}: bytes that were not freed");
                run().unwrap_or_else(|error| panic!("after {when}: {error}"));
                release_workspaces();
            }
            println!("{name}, {threads} threads: {calls} large allocations, {errors} errors");
            assert!(calls == 0 || errors > 0, "{name}: nothing was refused");
            most = most.max(calls);
        }
    }
    assert!(most > 3, "only {most} large allocations");
}

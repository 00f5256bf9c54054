//! The API as a whole: over bases that are loaded once, a sequence of calls with any scalars,
//! ranges and interruptions, on any device. Every sum that comes is right, and every error is the
//! one that the call must have.
#![no_main]

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use arbitrary::Arbitrary;
use bucketeer::{Bases, Batch, Curve, Device, Error, Hook, msm_resident};
use bucketeer_fuzz::curves::tiny;
#[cfg(feature = "every-curve")]
use bucketeer_fuzz::curves::tiny_glv;
use bucketeer_fuzz::small_order::*;
use bucketeer_fuzz::tiny_curves::*;
use bucketeer_fuzz::{AnySettings, Combinations, DEVICES, Form, Input, Term, on_small_groups};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Case {
    curve: u8,
    device: u8,
    form: Form,
    settings: AnySettings,
    /// The report at which a hook interrupts, and whether it panics.
    interrupted: Option<(u8, bool)>,
    repeated: u8,
    pairs: Vec<Term>,
    calls: Vec<Call>,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum Call {
    Slice(u16, u16),
    Batch([(u16, u16); 3]),
    Several([(u16, u16); 2]),
    Job { cancelled: bool, dropped: bool },
    TooMany(u8),
    Release,
}

fn check<C: Curve>(combinations: &Combinations<C>, case: &Case) {
    let settings = &case.settings.0;
    let pairs = case.pairs.repeat(1 + usize::from(case.repeated) % 32);
    let input = Input::new(combinations, &pairs, case.form, settings.any_point);
    let device = &DEVICES[usize::from(case.device) % DEVICES.len()];
    let reports = Arc::new(AtomicU32::new(0));
    let mut builder = Bases::builder().settings(settings.clone());
    if let Some((at, panics)) = case.interrupted {
        let hook: Hook = Arc::new(move |_| match reports.fetch_add(1, Relaxed) == u32::from(at) {
            true if panics => std::panic::resume_unwind(Box::new("on purpose")),
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        builder = builder.on_progress(hook);
    }
    let Ok(bases) = builder.load(device, &input.points) else { return };
    for call in case.calls.iter().take(16) {
        carry_out(*call, &input, &bases, (device, case.interrupted));
    }
}

type Interruption = Option<(u8, bool)>;

/// The error, unless it is what the hook's interruption must give.
fn expected(error: &Error, interrupted: Interruption) -> bool {
    match (error, interrupted) {
        (Error::Batch { source, .. }, _) => expected(source, interrupted),
        (Error::Cancelled, Some((_, false))) | (Error::HookPanicked { .. }, Some((_, true))) => {
            true
        }
        _ => false,
    }
}

fn carry_out<C: Curve>(
    call: Call,
    input: &Input<'_, C>,
    bases: &Bases<C>,
    (device, interrupted): (&Device, Interruption),
) {
    let n = input.len();
    let range = |(a, b): (u16, u16)| {
        let (a, b) = (usize::from(a) % (n + 1), usize::from(b) % (n + 1));
        (a.min(b), a.max(b))
    };
    let judge = |(start, end): (usize, usize), sum: Result<C::Group, Error>| match sum {
        Err(error) if expected(&error, interrupted) => {}
        sum => input.check(start, end, sum, device),
    };
    match call {
        Call::Slice(a, b) => {
            let (start, end) = range((a, b));
            let sum = bases.slice(start..end).msm(input.scalars(start, end));
            judge((start, end), sum);
        }
        Call::Batch(lengths) => {
            let (start, _) = range(lengths[0]);
            let ranges = lengths.map(|length| (start, start.max(range(length).1)));
            let scalars = ranges.map(|(start, end)| input.scalars(start, end));
            match bases.slice(start..).msm_batch(&scalars.each_ref()) {
                Err(error) if expected(&error, interrupted) => {}
                sums => input.check_batch(&ranges, sums, device),
            }
        }
        Call::Several(ranges) => {
            let ranges = ranges.map(range);
            let scalars = ranges.map(|(start, end)| input.scalars(start, end));
            let slices: Vec<_> = ranges.iter().map(|(a, b)| bases.slice(*a..*b)).collect();
            let pairs: Vec<_> = slices.iter().copied().zip(&scalars).collect();
            match msm_resident(&pairs) {
                Err(error) if expected(&error, interrupted) => {}
                sums => input.check_batch(&ranges, sums, device),
            }
            let mut batch = Batch::new();
            let ticket = batch.add(slices[0], scalars[0]);
            judge(ranges[0], batch.run().and_then(|mut sums| sums.take(ticket)));
        }
        Call::Job { cancelled, dropped } => {
            let Ok(job) = bases.submit(input.owned(0, n)) else { return };
            if cancelled {
                job.cancel();
            }
            if dropped {
                return;
            }
            match job.wait() {
                Err(Error::Cancelled) if cancelled => {}
                sum => judge((0, n), sum),
            }
        }
        Call::TooMany(more) => {
            let scalars = vec![1u8; n + 1 + usize::from(more)];
            let sum = bases.msm(&scalars);
            assert!(matches!(sum, Err(Error::LengthMismatch { .. })), "{sum:?}");
            let sum = bases.slice(n..n + 1 + usize::from(more)).msm(&[true]);
            assert!(matches!(sum, Err(Error::InvalidRange { .. })), "{sum:?}");
        }
        Call::Release => bucketeer::release_workspaces(),
    }
}

fuzz_target!(|case: Case| {
    on_small_groups!(check, &case);
});
